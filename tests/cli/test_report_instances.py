#!/usr/bin/python3
"""Constructs in the instantiations of a template, which share their lines: test_report_instances.py BUILD."""
import collections
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cli
import killing
import tracing
from report_case import Case

PROGRAM = """
template <typename T> __attribute__((noinline)) void count(T *x) {
#pragma omp single
#pragma omp task
  {
#pragma omp critical
    x[0] += 1;
  }
}
template <typename T> __attribute__((noinline)) void scale(T *x, bool is_last) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int i = 0; i < 100; i++)
      x[i] *= 2;
    if (!is_last)
      count(x);
  }
}
float a[100];
double b[100];
int c[100];
int main(int argc, char **) {
  do {
    scale(a, false);
    scale(b, false);
    scale(b, false);
    scale(c, true);
  } while (argc > 1);
}
"""


@unittest.skipUnless(cli.CAN_TRACE, "no clang: nothing to trace")
class Instances(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        source = pathlib.Path(cls.folder) / "scales.cc"
        source.write_text(PROGRAM)
        compiler = next((name for name in ("clang++", "g++") if shutil.which(name)), None)
        if not compiler:
            raise unittest.SkipTest("no C++ compiler")
        cls.program = source.with_suffix("")
        subprocess.run([compiler, "-g", "-O1", "-fopenmp", "-o", cls.program, source], check=True)

    def entered(self, archive):
        """How often each construct was, by the type of the instantiation."""
        found = collections.defaultdict(dict)
        for region in self.numbers(archive)["regions"]:
            if region["construct"] in ("parallel", "for", "single", "task", "critical"):
                kind = region["description"].split("<")[1].split(">")[0]
                found[region["construct"]][kind] = found[region["construct"]].get(kind, 0) + region["entered"]
        return found

    def test_each_has_its_own(self):
        archive = pathlib.Path(self.folder) / "archive"
        cli.trace(self.program, archive)
        tracing.check_archive(archive / "traces.otf2")
        found = self.entered(archive)
        self.assertEqual(found["parallel"], {"float": 2, "double": 4, "int": 2})
        self.assertEqual(found["for"], {"float": 2, "double": 4, "int": 2})
        self.assertEqual(found["single"], {"float": 2, "double": 4})
        self.assertEqual(found["task"], {"float": 1, "double": 2})
        self.assertEqual(found["critical"], {"float": 1, "double": 2})
        text = self.text(archive)
        for place in ("for @scales.cc:13 in scale<int>", "critical @scales.cc:6 in count<float>"):
            self.assertIn(place, text)

    def test_recovered(self):
        left = pathlib.Path(self.folder) / "left"
        with subprocess.Popen([self.program, "endless"], env=tracing.tool_environment(cli.BUILD, left)) as process:
            killing.wait_until_running(left, 2)
            killing.kill_both(process, left)
        result = cli.stave("recover", left)
        self.assertEqual(result.returncode, 0, result)
        found = self.entered(f"{left}-recovered")
        self.assertEqual(set(found["critical"]), {"float", "double"})
        for counts in found["for"], found["parallel"]:
            self.assertEqual(set(counts), {"float", "double", "int"})
            self.assertAlmostEqual(counts["double"], 2 * counts["float"], delta=8)


if __name__ == "__main__":
    unittest.main()
