"""otf2-audit, where there is one, in the caller's process: to start another one costs more than most audits."""
import functools
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import threading

import otf2_freed

AUDIT = pathlib.Path(__file__).resolve().parents[3] / "shared" / "tools" / "otf2-audit"
LINES = 25
otf2_freed.spare_this_process()


def is_of_otf2(name):
    return name.partition(".")[0] == "_otf2"


class OwnOtf2:
    """While this lasts, imports find modules of OTF2 that nobody else uses: the auditor declares the functions of the
    library to ctypes in another way than the module otf2."""

    def __init__(self):
        self.own = {}

    def __enter__(self):
        self.others = {name: sys.modules.pop(name) for name in list(sys.modules) if is_of_otf2(name)}
        sys.modules.update(self.own)

    def __exit__(self, *_):
        self.own = {name: sys.modules.pop(name) for name in list(sys.modules) if is_of_otf2(name)}
        sys.modules.update(self.others)


OWN_OTF2 = OwnOtf2()
ONE_AT_A_TIME = threading.Lock()
# It does not know the name "OMP worker N": conventions.py does.
IGNORED = "L05"


@functools.cache
def program():
    """As a module. Its folder is not ours to write to: no bytecode without PYTHONPYCACHEPREFIX."""
    kept, sys.dont_write_bytecode = sys.dont_write_bytecode, sys.dont_write_bytecode or not sys.pycache_prefix
    loader = importlib.machinery.SourceFileLoader("otf2_audit", str(AUDIT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    sys.dont_write_bytecode = kept
    return module


def report(options):
    """Its lines on violations, or that the archive cannot be read; empty if it has none."""
    arguments, sys.argv = sys.argv, [AUDIT.name, *options]
    printed = io.StringIO()
    try:
        result = program().audit_all(program().parse_arguments())
        if result["violations"]:
            program().print_report(result, printed)
    except Exception as error:      # python3-otf2 raises errors of many kinds
        return f"{type(error).__name__}: {error}"
    finally:
        sys.argv = arguments
    return printed.getvalue()


def audit(archive, expect=None, ignore=IGNORED, killed=False):
    """Lines of text: the violations of an archive and what it does not hold of the expectations."""
    if not AUDIT.exists():
        return []
    options = ["--ignore", ignore, *(["--killed"] if killed else []),
               *(["--expect", str(expect)] if expect else []), str(archive)]
    with ONE_AT_A_TIME, OWN_OTF2:
        printed = report(options)
    return [line for line in printed.splitlines() if "no violation" not in line][:LINES]
