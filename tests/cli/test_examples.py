#!/usr/bin/python3
"""The notebook and the workflows of examples/, as far as a shell can run them: test_examples.py BUILD [unittest
arguments]."""
import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent / "support"), str(ROOT / "python")]
import cli
import schemas

EXAMPLES = ROOT / "examples"
# The first argument is how long thread 1 works; a second one makes it break a rule.
PROGRAM = """
#include <omp.h>
#include <stdlib.h>
#include <time.h>
int main(int count, char **arguments) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  int ms = atoi(arguments[1]);
  struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 2; i++)
      if (i > 0)
        nanosleep(&pause, NULL);
#pragma omp single
#pragma omp task
    { omp_set_lock(&lock); omp_unset_lock(&lock); }
  }
  if (count > 2)
    omp_set_lock(&lock);
}
"""


@unittest.skipUnless(cli.CAN_TRACE, "clang or the tracer is not there")
class Notebook(cli.FreshCase):
    def cells(self):
        notebook = json.loads((EXAMPLES / "tables.ipynb").read_text(encoding="utf-8"))
        self.assertEqual(notebook["nbformat"], 4)
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertTrue(all(cell["outputs"] == [] for cell in code))
        return ["".join(cell["source"]) for cell in code]

    def run_cell(self, source, names):
        """What the notebook would show: the value of the last line."""
        tree = ast.parse(source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), names)      # pylint: disable=exec-used
        if last is None:
            return None
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)     # pylint: disable=eval-used

    def test_every_cell(self):
        try:
            import matplotlib   # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("matplotlib is not there")
        matplotlib.use("agg")
        cli.trace(cli.compile_program(self.path("program"), PROGRAM), self.path("trace"), "20")
        os.environ.update(TRACE=self.path("trace"), XDG_CACHE_HOME=self.path("cache"),
                          PATH=os.path.dirname(cli.STAVE) + ":" + os.environ["PATH"])
        names, shown = {}, []
        for source in self.cells():
            shown.append(self.run_cell(source, names))
        self.assertNotIn(None, shown)
        tables = [value for value in shown if type(value).__name__ == "Table"]
        self.assertEqual(len(tables), 4)
        self.assertTrue(all(len(table) > 0 for table in tables))
        self.assertIn("loop imbalance", [finding["cause"] for finding in names["run"].findings])
        names["run"].close()


@unittest.skipUnless(cli.CAN_TRACE, "clang or the tracer is not there")
class Workflows(cli.FreshCase):
    def setUp(self):
        super().setUp()
        cli.compile_program(self.path("app"), PROGRAM)
        os.mkdir(self.path("ci"))
        shutil.copy(EXAMPLES / "ci/traced-run", self.path("ci"))

    def traced(self, command, **more):
        environment = {**cli.own_environment(), "TRACED_RUNS": "4", **more,
                       "PATH": os.path.dirname(cli.STAVE) + ":" + os.environ["PATH"],
                       "GITHUB_STEP_SUMMARY": self.path("step.md")}
        return subprocess.run(["bash", "-ec", command], cwd=self.folder, env=cli.without_ours(environment),
                              capture_output=True, text=True, check=False, timeout=cli.HANG_S)

    def made(self, name):
        return (pathlib.Path(self.folder) / "stave-ci" / name).read_text(encoding="utf-8")

    def test_runs(self):
        """A first one, one of many times its time, which fails, and again one that is compared with the
        last good one; then one that breaks a rule."""
        first = self.traced("ci/traced-run ./app 50")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertNotRegex(self.made("summary.md"), "### Wall time .* -> ")
        slower = self.traced("ci/traced-run ./app 1500")
        self.assertEqual(slower.returncode, 3, slower.stderr)
        self.assertRegex(self.made("summary.md"), r"(?m)^### Wall time .*: changed \(p 0\.029\)$")
        self.assertRegex(slower.stdout, r"(?m)^run wall: ")
        equal = self.traced("ci/traced-run ./app 50", TRACED_FAIL_IF="wall > 1 s")
        self.assertEqual(equal.returncode, 0, equal.stdout + equal.stderr)
        self.assertEqual(len(os.listdir(self.path("stave-good/history"))), 2)
        self.assertIn("<html", self.made("history.html"))
        self.assertIn("<html", self.made("timeline.html"))
        broken = self.traced("ci/traced-run ./app 50 broken", TRACED_FAIL_IF="wall > 1 s")
        self.assertEqual(broken.returncode, 3, broken.stdout + broken.stderr)
        self.assertTrue(json.loads(self.made("check.sarif"))["runs"][0]["results"])
        for i in range(1, 5):
            if schemas.jsonschema:
                self.assertIsNone(schemas.wrong("report", self.made(f"report-{i}.json")))
        self.assertEqual(len(os.listdir(self.path("stave-good/history"))), 2)

    def test_program_that_fails(self):
        self.assertEqual(self.traced("ci/traced-run sh -c 'exit 7'").returncode, 7)

    def test_steps(self):
        """What the workflows run in a shell, in their order, and that what they upload is there."""
        self.write("Makefile", "all:\n\ttrue\n")
        for name in ("github.yml", "gitlab.yml"):
            with self.subTest(name):
                text = (EXAMPLES / "ci" / name).read_text(encoding="utf-8").replace("./app", "./app 20")
                if name == "github.yml":
                    steps = re.findall(r"(?m)^ +run: (.*)$", text)
                else:
                    block = re.search(r"(?ms)^  script:\n(.*?)^  after_script:\n(.*?)^  artifacts:", text)
                    steps = re.findall(r"(?m)^ +- (.*)$", block[1] + block[2])
                self.assertEqual(len(steps), 3)
                for step in steps:
                    result = self.traced(step, TRACED_FAIL_IF="wall > 10 s", TRACED_RUNS="1")
                    self.assertEqual(result.returncode, 0, result.stderr)
                for path in re.findall(r"stave-ci/[\w.*-]+", text):
                    self.assertTrue(list(pathlib.Path(self.folder).glob(path)), path)
        self.assertIn("parallel efficiency", self.read("step.md"))


class Devices(cli.FreshCase):
    def test_target_without_a_device(self):
        compiler = next(filter(None, map(shutil.which, ("gcc", "gcc-12", "gcc-11"))), None)
        if not compiler:
            self.skipTest("no gcc")
        program = self.path("heat")
        self.succeeds(subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-fopenmp", EXAMPLES / "heat.c",
                                      "-o", program], capture_output=True, check=False))
        output = subprocess.run([program, "50", "1000"], capture_output=True, text=True, check=True,
                                env={**os.environ, "OMP_TARGET_OFFLOAD": "DISABLED"}).stdout
        self.assertRegex(output, r"^\d+ devices, heat 1000.000\n$")

    @unittest.skipUnless(shutil.which("nvcc"), "no nvcc")
    def test_cuda_is_compiled(self):
        self.succeeds(subprocess.run(["nvcc", "-Xcompiler", "-fopenmp", EXAMPLES / "waves.cu", "-o",
                                      self.path("waves")], capture_output=True, check=False))
        self.assertTrue(os.access(self.path("waves"), os.X_OK))


if __name__ == "__main__":
    unittest.main()
