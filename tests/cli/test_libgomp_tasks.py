#!/usr/bin/python3
"""gcc's tasks, chunks, target constructs and libraries on libgomp: test_libgomp_tasks.py BUILD [unittest arguments].

The programs of tests/cli/libgomp have the result that they have untraced, and each prints how many tasks it has
created and executed itself: as many are in the archive."""
import collections
import glob
import os
import platform
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import tracing
from cli import BUILD_ROOT, HANG_S, HAS_TRACER
from record_case import Case
from archive import Archive

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libgomp")
# Files whose callers' libgomp is kept at a time, and somewhat more (src/libgomp/library.c).
MORE_THAN_ARE_KNOWN = "600"
COMPILERS = {".c": "gcc", ".cc": "g++", ".f90": "gfortran"}
NAMES = {"iterations": "iterations", "named": "named iterations", "chunks": "loop chunk",
         "created": "ThreadTaskCreate", "complete": "ThreadTaskComplete",
         "data": ("target enter data", "target exit data"),
         "cancel": ("cancel",), "parallel": ("parallel",), "update": ("target update",), "target": ("target",),
         "teams": ("teams",), "source": "depend source", "sink": "depend sink",
         "acquired": "ThreadAcquireLock", "released": "ThreadReleaseLock"}


def counts_of(path):
    """How many events of each kind there are, and how many regions of each construct."""
    counts = collections.Counter()
    archive = Archive(path)
    for _, kind, event in archive.events():
        counts[kind] += 1
        if kind == "Enter":
            counts[archive.regions[event.region._ref].name.split(" @")[0].replace("!$omp ", "")] += 1
            attributes = {attribute.name: value for attribute, value in (event.attributes or {}).items()}
            counts["iterations"] += attributes.get("chunk size", 0)
            counts["named iterations"] += attributes.get("iterations", 0)
    archive.close()
    return counts


def is_built_by_clang():
    with open(f"{BUILD_ROOT}/src/libgomp/libstave-libgomp.so", "rb") as file:
        return b"clang version" in file.read()


@unittest.skipUnless(HAS_TRACER, "libstave.so and stave-writer are not built")
class Tasks(Case):
    def compiled(self, name, *options):
        compiler = COMPILERS[os.path.splitext(name)[1]]
        if not shutil.which(compiler):
            self.skipTest(f"no {compiler}")
        program = self.path("".join([name.replace(".", "_"), *options]))
        subprocess.run([compiler, "-g", "-fopenmp", *options, "-o", program, os.path.join(SOURCES, name)], check=True)
        return program

    def run_both(self, *command):
        """Untraced, then traced: with the same end. What the traced one has on stderr, and its archive."""
        plain = subprocess.run(command, env=self.env, cwd=self.folder, capture_output=True, text=True, timeout=HANG_S,
                               check=False)
        before = glob.glob(self.path("*/traces.otf2"))
        result = self.record(*command)
        self.assertEqual((result.returncode, result.stdout), (plain.returncode, plain.stdout), result.stderr)
        archives = sorted(set(glob.glob(self.path("*/traces.otf2"))) - set(before))
        self.assertEqual(len(archives), 1, result.stderr)
        return result.stderr, archives[0]

    def has_all(self, program, status=3):
        printed, archive = self.run_both(program)
        found = counts_of(archive)
        truth = dict(re.findall(r"(\w+) (\d+)", printed.partition("truth: ")[2].splitlines()[0]))
        self.assertTrue(truth, printed)
        for name, number in truth.items():
            kinds = NAMES[name] if isinstance(NAMES[name], tuple) else (NAMES[name],)
            self.assertEqual(sum(found[kind] for kind in kinds), int(number), (name, found))
        tracing.check_archive(archive)
        checked = self.stave("check", "--rules", "-threadprivate", archive)
        self.assertEqual(checked.returncode, 0, checked.stdout)

    def in_all_builds(self, name):
        for options in (("-O0",), ("-O2",), ("-O3", "-flto")):
            with self.subTest(options=options):
                self.has_all(self.compiled(name, *options))

    def test_fib(self):
        self.in_all_builds("fib.c")

    def test_chunks(self):
        self.in_all_builds("loops.c")

    def test_loop_of_many_dimensions(self):
        """GOMP_doacross_wait has as many arguments as the loop has dimensions."""
        self.in_all_builds("deep_loop.c")

    def test_scans(self):
        """gcc puts barriers of its own between the two parts of a loop with an inscan reduction."""
        self.in_all_builds("scans.c")

    def test_computed_loops(self):
        """libgomp gets no bounds of static loops whose tasks have reductions, and none are claimed."""
        self.in_all_builds("computed_loops.c")

    def test_combined(self):
        self.in_all_builds("combined.c")

    def test_no_memory(self):
        """What the library keeps is on the stack then, and each thread of a region is traced all the same."""
        library = self.path("no_memory.so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, os.path.join(SOURCES, "no_memory.c"), "-ldl"],
                       check=True)
        self.env["LD_PRELOAD"] = library
        for name in ("combined.c", "loops.c", "fib.c"):
            with self.subTest(name=name):
                self.has_all(self.compiled(name, "-O2"))

    def test_taskloops(self):
        self.in_all_builds("taskloops.c")

    def test_taskloop_of_many(self):
        """They need no more of the stack than untraced, though libgomp has all of them there if they are copied."""
        program = self.compiled("taskloops.c", "-O2")
        printed, archive = self.run_both("sh", "-c", f"ulimit -s 1024; exec {program} many")
        self.assertIn("truth: created", printed)
        self.assertTrue(archive)

    def depths(self, program, traced):
        """{kind of task: bytes of the stack for each that is created in another one}"""
        result = self.record(program) if traced else subprocess.run(
            program, env=self.env, capture_output=True, text=True, timeout=HANG_S, check=True)
        return {kind: int(number) for kind, number in re.findall(r"^(\w+) (\d+)$", result.stderr, re.M)}

    def test_depth_of_recursion(self):
        """What a task or region adds to the stack while it runs within its creator's call, and no more; "deferred"
        are those that libgomp runs immediately as its queue is full."""
        limits = {"in_place": 32, "dependent": 32, "copied": 32, "aligned": 64, "region": 64, "loop_region": 256,
                  "deferred": 208, "group": 208, "taskloop": 896}
        if is_built_by_clang():  # which saves registers in a region's frame
            limits["region"] += 96
        program = self.compiled("depth.cc", "-O2")
        plain, traced = self.depths(program, False), self.depths(program, True)
        self.assertEqual(set(plain), set(limits))
        for kind, limit in limits.items():
            self.assertLessEqual(traced[kind] - plain[kind], limit, (kind, plain, traced))
            self.assertGreaterEqual(traced[kind], plain[kind], kind)

    def test_tool_that_ends_early(self):
        """It may finalize itself in any callback: the program goes on in its regions and tasks."""
        program, tool = self.compiled("ends_early.c", "-O2"), self.path("early_tool.so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-I", os.path.join(SOURCES, "../../../src"), "-o", tool,
                        os.path.join(SOURCES, "early_tool.c")], check=True)
        env = {**self.env, "LD_PRELOAD": f"{BUILD_ROOT}/src/libgomp/libstave-libgomp.so", "OMP_TOOL_LIBRARIES": tool}
        number, last = 0, 1
        while number < last:
            result = subprocess.run([program], env={**env, "EARLY_TOOL_AT": str(number)}, capture_output=True,
                                    text=True, timeout=HANG_S, check=False)
            self.assertEqual((result.returncode, result.stdout), (3, "28\n"), number)
            last = last if number else int(re.fullmatch(r"(\d+) callbacks\n", result.stderr)[1])
            number += 3
        self.assertGreater(last, 100)

    def test_thread_in_a_callback_as_the_tool_ends(self):
        """It waits for room then, and goes on while the process ends: the memory of its ring is still there."""
        program, library = self.compiled("busy_at_end.c", "-O2", "-pthread"), self.path("long_naps.so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, os.path.join(SOURCES, "long_naps.c")], check=True)
        self.env.update(STAVE_BUFFER_SIZE="64K", LD_PRELOAD=library)
        self.run_both(program)

    @unittest.skipUnless(platform.machine() == "x86_64", "the program makes its calls by hand")
    def test_callers_of_older_compilers(self):
        """The stack after the arguments that they hand over is theirs, and is not written."""
        program, tool = self.compiled("older_callers.c", "-O2", "-rdynamic"), self.path("notifying_tool.so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-I", os.path.join(SOURCES, "../../../src"), "-o", tool,
                        os.path.join(SOURCES, "notifying_tool.c")], check=True)
        own = {"LD_PRELOAD": f"{BUILD_ROOT}/src/libgomp/libstave-libgomp.so", "OMP_TOOL_LIBRARIES": tool}
        for cancellation in ("false", "true"):
            self.env["OMP_CANCELLATION"] = cancellation
            with self.subTest(cancellation=cancellation):
                result = subprocess.run([program], env={**self.env, **own}, capture_output=True, text=True,
                                        timeout=HANG_S, check=False)
                self.assertEqual((result.returncode, result.stdout), (3, "192 calls, 192 tasks, 0 words lost\n"))
                self.assertEqual(result.stderr, "written 156 times\n")
                self.run_both(program)

    def test_dependences(self):
        self.in_all_builds("dependences.c")

    def test_groups(self):
        self.in_all_builds("groups.c")

    def test_cancelled(self):
        """What libgomp discards untraced is discarded when traced."""
        self.env["OMP_CANCELLATION"] = "true"
        self.in_all_builds("cancelled.c")

    def test_objects_and_exceptions(self):
        self.in_all_builds("objects.cc")

    def test_fortran(self):
        self.in_all_builds("arrays.f90")

    def test_nestable_locks_of_fortran(self):
        self.in_all_builds("nest_locks.f90")

    def test_libgomp_that_is_unloaded(self):
        """With the library that has brought it, and others are loaded in their places. (One thread: the others of a
        libgomp that is unloaded crash untraced, too.)"""
        self.env["OMP_NUM_THREADS"] = "1"
        small = self.compiled("unloaded.c", "-shared", "-fPIC")
        large = self.compiled("unloaded.c", "-shared", "-fPIC", "-DROOM=1000000")
        unloader = self.compiled("unloader.c", "-fno-openmp", "-ldl", "-pthread")
        self.run_both(unloader, "15", small)
        self.run_both(unloader, MORE_THAN_ARE_KNOWN, small)
        self.run_both(unloader, "15", small, large)
        result = self.without_tool(unloader, MORE_THAN_ARE_KNOWN, small, large)
        self.assertEqual(result.returncode, 3, result.stderr)

    def test_libgomp_whose_workers_run_as_it_is_unloaded(self):
        """Right after a region, at the program's end. Untraced that is over before they look for another one; traced,
        the program waits for the archive, and they would be in code that is gone. (Three times: it depends on time.)"""
        library = self.compiled("unloaded_at_end.c", "-shared", "-fPIC", "-DIN_LIBRARY")
        program = self.compiled("unloaded_at_end.c", "-fno-openmp", "-ldl")
        for _ in range(3):
            traced = self.record(program, library)
            self.assertEqual((traced.returncode, traced.stdout), (3, "2\n" * 3), traced.stderr)
            self.assertEqual(self.without_tool(program, library).returncode, 3)

    def test_unloading_in_an_unloading(self):
        """What the outer one removes may not be kept by the inner one."""
        library = self.compiled("unload_in_unload.c", "-shared", "-fPIC", "-DIN_LIBRARY")
        other = self.compiled("unload_in_unload.c", "-fno-openmp", "-shared", "-fPIC")
        program = self.compiled("unload_in_unload.c", "-fno-openmp", "-ldl", "-pthread")
        self.assertEqual(self.record(program, library, other).returncode, 3)
        self.assertEqual(self.without_tool(program, library, other).returncode, 3)

    def without_tool(self, *command):
        """In so little address space that none may be kept of what is unloaded."""
        env = {**self.env, "LD_PRELOAD": f"{BUILD_ROOT}/src/libgomp/libstave-libgomp.so",
               "OMP_TOOL_LIBRARIES": "/nowhere/libtool.so"}
        limited = ["prlimit", f"--as={400 << 20}", *command]
        return subprocess.run(limited, env=env, cwd=self.folder, capture_output=True, timeout=HANG_S, check=False)

    def test_constructor_that_waits_for_an_unloading(self):
        """While it does, its thread has the dynamic linker's lock."""
        program = self.compiled("unload_waits.c", "-fno-openmp", "-rdynamic", "-ldl", "-pthread")
        libraries = [self.compiled("unload_waits.c", "-shared", "-fPIC", option) for option in
                     ("-DIN_CLOSE", "-DIN_OPEN")]
        self.run_both(program, *libraries)
        self.assertEqual(self.without_tool(program, *libraries).returncode, 3)

    def test_targets(self):
        self.in_all_builds("targets.c")


if __name__ == "__main__":
    unittest.main()
