#!/usr/bin/python3
"""What killed runtimes leave is removed, and nothing else: test_registered.py."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import registered


class Registered(unittest.TestCase):
    def test_dead_are_forgotten(self):
        with subprocess.Popen(["true"]) as process:
            process.wait()
        names = {f"__KMP_REGISTERED_LIB_{process.pid}_0", f"__KMP_REGISTERED_LIB_{process.pid}_{os.getuid()}"}
        others = {f"__KMP_REGISTERED_LIB_{os.getpid()}_{os.getuid()}", f"sem.{process.pid}_0"}
        with tempfile.TemporaryDirectory(prefix="stave-registered-") as folder:
            for name in names | others:
                pathlib.Path(folder, name).touch()
            registered.forget_dead(pathlib.Path(folder))
            self.assertEqual(set(os.listdir(folder)), others)

    def test_without_folder(self):
        registered.forget_dead(pathlib.Path("/nowhere"))


if __name__ == "__main__":
    unittest.main()
