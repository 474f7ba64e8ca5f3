"""test_build BUILD_ROOT/meson-info: nothing of the tests is built unless a test depends on it, and each test depends on
the product."""
import json
import pathlib
import sys
import unittest

INFO = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = INFO.parent
PRODUCT = {"src/tool/libstave.so", "src/writer/stave-writer", "src/cli/stave"}


def introspected(what):
    return json.loads((INFO / f"intro-{what}.json").read_text())


class Build(unittest.TestCase):
    def test_on_demand(self):
        targets = [target for target in introspected("targets")
                   if pathlib.Path(target["defined_in"]).parts[-3:-2] == ("tests",)]
        self.assertGreater(len(targets), 100)
        self.assertEqual([target["name"] for target in targets if target["build_by_default"]], [])

    def test_product(self):
        """Where a test is given the build directory it looks for the product there."""
        files = {target["id"]: {str(pathlib.Path(name).relative_to(ROOT)) for name in target["filename"]}
                 for target in introspected("targets")}
        tests = [test for test in introspected("tests")
                 if str(ROOT) in test["cmd"] and "stave:docs" not in test["suite"]]
        self.assertGreater(len(tests), 100)
        without = [test["name"] for test in tests
                   if not PRODUCT <= set().union(*(files[target] for target in test["depends"]))]
        self.assertEqual(without, [])


if __name__ == "__main__":
    unittest.main()
