"""The tool built with sanitizers, in programs and runtimes that have none, and the sanitizers' reports.

STAVE_TEST_TOOL names that tool, STAVE_TEST_PRELOAD the sanitizers' libraries, which such a program needs."""
import os
import pathlib
import re
import tempfile

# The program's own crashes are its own, and so are its leaks.
OPTIONS = ["detect_leaks=0", "handle_segv=0", "handle_sigbus=0", "handle_sigfpe=0", "handle_sigill=0", "handle_abort=0",
           "print_stacktrace=1", "halt_on_error=1"]
# Beside the address sanitizer in shared libraries, gcc's other one writes to stderr, whatever its log_path is.
TO_STDERR = re.compile(r".*: runtime error: .*(\n    #.*)*")
# Of stacks that the sanitizer does not know: the one on which the writer is started (writer_process.c), coroutines.
NO_FINDING = re.compile(r"==\d+==WARNING: ASan is ignoring requested __asan_handle_no_return: .*\n"
                        r"False positive error reports may follow\n"
                        r"For details see https://github.com/google/sanitizers/issues/189\n"
                        r"|==\d+==WARNING: ASan doesn't fully support makecontext/swapcontext functions .*\n")


def is_sanitized(program):
    """Whether the program or library was built with the address sanitizer."""
    return b"__asan_init" in pathlib.Path(program).read_bytes()


class Reports:
    """The sanitizers' reports of all programs that are run with these settings."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="stave-sanitizers.")
        self.noted = ""

    def settings(self):
        """The variables for a traced program."""
        settings = {f"{name}_OPTIONS": ":".join([*OPTIONS, f"log_path={self.folder.name}/{name}"])
                    for name in ("ASAN", "UBSAN")}    # in one file the one would overwrite the other
        if "STAVE_TEST_PRELOAD" in os.environ:
            settings["LD_PRELOAD"] = os.environ["STAVE_TEST_PRELOAD"]
        return settings

    def note(self, stderr):
        """The reports among a program's own lines."""
        self.noted += "".join(f"{match[0]}\n" for match in TO_STDERR.finditer(stderr.decode(errors="replace")))

    def drain(self):
        """The reports since the last call."""
        text, self.noted = self.noted, ""
        for path in sorted(pathlib.Path(self.folder.name).iterdir()):
            text += NO_FINDING.sub("", path.read_text(errors="replace"))
            path.unlink()
        return text
