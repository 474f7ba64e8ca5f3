"""What LLVM's runtimes leave in /dev/shm of programs that were killed.

A runtime registers itself in a file that is called after its process. Killed, it leaves the file; killed at the very
beginning, an empty one, and the next process of that number that uses OpenMP gets SIGBUS. Numbers come again within a
run of all tests.
"""
import os
import pathlib
import re

FOLDER = pathlib.Path("/dev/shm")
NAME = re.compile(r"__KMP_REGISTERED_LIB_(\d+)_(\d+)")


def forget_dead(folder=FOLDER):
    """Removes those of processes that are gone; others' that may not be removed stay."""
    for name in os.listdir(folder) if folder.is_dir() else ():
        match = NAME.fullmatch(name)
        if match and not os.path.exists(f"/proc/{match[1]}"):
            try:
                (folder / name).unlink()
            except OSError:
                pass
