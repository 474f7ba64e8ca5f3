#!/usr/bin/python3
"""stave record of gcc's programs on libgomp: test_record_libgomp.py BUILD [unittest arguments].

They run as untraced, wherever libgomp comes from, and what ran on it is in the archive."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import libomp
from cli import BUILD_ROOT, HANG_S, HAS_TRACER, STAVE
from record_case import OMP_PROGRAM, Case


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


LIBGOMP = os.path.realpath(subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True,
                                          text=True, check=True).stdout.strip())

# Right on libgomp, and known to break on LLVM's runtimes.
COPIED = r"""
#include <cstdio>
#include <cstring>
#include <string>
struct B {
  std::string s;
  long v[9];
  B() : s("a string that does not fit into the object itself") { for (long &x : v) x = 7; }
  B(const B &o) : s(o.s) { memcpy(v, o.v, sizeof v); }
  ~B() { for (long &x : v) x = 0; }
};
int main() {
  long sum = 0, wrong = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 1000; i++) {
    B b;
#pragma omp task firstprivate(b) if (CONDITION) shared(sum, wrong)
    {
#pragma omp atomic
      sum += b.v[3];
      if (b.s.size() != 49)
#pragma omp atomic
        wrong += 1;
    }
  }
  printf("%ld %ld\n", sum, wrong);
  return 3;
}
"""

UNTIED = r"""
#include <stdio.h>
int main(void) {
  int n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 100; i++)
#pragma omp task untied if (0)
  {
#pragma omp task
#pragma omp atomic
    n++;
#pragma omp taskwait
  }
  printf("%d\n", n);
  return 3;
}
"""

FORKED = r"""
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  omp_lock_t lock;
  int status = 0;
  omp_init_lock(&lock);
  if (fork() == 0) {
#pragma omp parallel num_threads(1)
    {
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
    }
    _exit(3);
  }
  wait(&status);
  printf("%d\n", WEXITSTATUS(status));
  return WEXITSTATUS(status);
}
"""

# Its regions run in a team of three, of the libgomp that it is linked to.
LIBRARY = r"""
int count(void) {
  int n = 0;
#pragma omp parallel num_threads(3) reduction(+ : n)
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 10; i++)
    n++;
  return n;
}
"""

# Each iteration is slow, and counts what it depends on and is not done.
DOACROSS = r"""
#include <unistd.h>
enum { ROWS = 6, COLUMNS = 8 };
int count(void) {
  static volatile char is_done[ROWS][COLUMNS];
  int early = 0;
#pragma omp parallel for ordered(2) schedule(static, 1) num_threads(3) reduction(+ : early)
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
#pragma omp ordered depend(sink : i - 1, j)
      early += i > 0 && !is_done[i - 1][j];
      usleep(1000);
      is_done[i][j] = 1;
#pragma omp ordered depend(source)
    }
  return early;
}
"""

LOADER = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  for (int i = 0; i < 2 * (argc - 1); i++) {
    void *library = dlopen(argv[1 + i % (argc - 1)], RTLD_NOW | RTLD_LOCAL);
    int (*count)(void) = library ? (int (*)(void))dlsym(library, "count") : NULL;
    printf("%d\n", count ? count() : -1);
  }
  return 3;
}
"""


FUTURE = r"""
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
void GOMP_loop_static_worksharing(long);
static void region(void *data) {
  GOMP_loop_static_worksharing(*(long *)data);
}
int main(void) {
  long iterations = 17;
  GOMP_parallel(region, &iterations, 0, 0);
  return 3;
}
"""


# What the runtime answers, and where its threads may run.
ANSWERS = r"""
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
static void answer(const char *where) {
  cpu_set_t set;
  omp_sched_t kind;
  int chunk;
  sched_getaffinity(0, sizeof set, &set);
  omp_get_schedule(&kind, &chunk);
  printf("%s: %d/%d of %d, level %d %d, ancestor %d, team %d, in %d, final %d, dynamic %d, cancel %d\n", where,
         omp_get_thread_num(), omp_get_num_threads(), omp_get_max_threads(), omp_get_level(), omp_get_active_level(),
         omp_get_ancestor_thread_num(1), omp_get_team_size(1), omp_in_parallel(), omp_in_final(), omp_get_dynamic(),
         omp_get_cancellation());
  printf("  place %d of %d (partition %d), binding %d, processors %d, may use %d, schedule %d %d, limit %d levels %d\n",
         omp_get_place_num(), omp_get_num_places(), omp_get_partition_num_places(), omp_get_proc_bind(),
         omp_get_num_procs(), CPU_COUNT(&set), (int)kind, chunk, omp_get_thread_limit(), omp_get_max_active_levels());
}
int main(void) {
  answer("serial");
  for (int turn = 0; turn < 3; turn++)
#pragma omp parallel num_threads(3)
    for (int i = 0; i < omp_get_num_threads(); i++) {
#pragma omp barrier
      if (i == omp_get_thread_num())
        answer("parallel");
    }
#pragma omp parallel num_threads(2)
#pragma omp master
  {
#pragma omp task final(1) if (0)
    answer("task");
#pragma omp parallel num_threads(1)
    answer("nested");
  }
  return 3;
}
"""

SETTINGS = ({}, {"OMP_PLACES": "cores", "OMP_PROC_BIND": "spread"}, {"GOMP_CPU_AFFINITY": "0"},
            {"OMP_SCHEDULE": "guided,7", "OMP_DYNAMIC": "false", "OMP_MAX_ACTIVE_LEVELS": "3"},
            {"OMP_THREAD_LIMIT": "2", "OMP_CANCELLATION": "true", "OMP_WAIT_POLICY": "passive"},
            {"OMP_STACKSIZE": "512k", "GOMP_SPINCOUNT": "10", "OMP_DISPLAY_ENV": "verbose"},
            {"OMP_NUM_THREADS": "wrong"})

STOPS = r"""
__attribute__((noinline)) void here(int depth) { __asm__ volatile("" ::"r"(depth) : "memory"); }
__attribute__((noinline)) void work(int depth) {
  if (depth > 0)
#pragma omp task if (0)
    work(depth - 1);
  else
    here(depth);
  __asm__ volatile("");
}
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp master
  work(3);
  return 3;
}
"""


# In a mount namespace: what becomes of /dev/shm.
READ_ONLY = "mount -t tmpfs -o ro none /dev/shm"
FULL = "mount -t tmpfs -o size=64k none /dev/shm; head -c 100000 /dev/zero >/dev/shm/fill || :"
ABSENT = """mkdir dev && mount -t tmpfs none dev
for name in null zero full random urandom tty; do touch dev/$name && mount --bind /dev/$name dev/$name || exit 99; done
mount --rbind dev /dev"""

ENDING_PROGRAM = """#include <pthread.h>
#include <unistd.h>
static pthread_barrier_t barrier;
static void *use_openmp(void *argument) {
#pragma omp parallel num_threads(1)
  __asm__ volatile("");
  pthread_barrier_wait(&barrier);
  return argument;
}
int main(void) {
  pthread_t thread;
#pragma omp parallel num_threads(1)
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, use_openmp, NULL);
  pthread_barrier_wait(&barrier);
  return usleep(3000);
}
"""

# Its thread_end takes 10 ms, but for the program's first thread.
SLOW_TOOL = """#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>
#include "ompt/types.h"
enum { THREAD_END = 2 };
static _Atomic int ends;
static void on_thread_end(ompt_data_t *data) {
  ends++;
  usleep(gettid() == getpid() ? 0 : 10000);
  ends--;
}
static int begin(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  int (*set)(int, void (*)(ompt_data_t *)) = (int (*)(int, void (*)(ompt_data_t *)))lookup("ompt_set_callback");
  return set(THREAD_END, on_thread_end) > 0;
}
static void end(ompt_data_t *data) {
  printf("%d\\n", ends);
}
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {begin, end, {0}};
  return &result;
}
"""



# Once more without Stave's libraries, until its stdin ends.
AGAIN_PROGRAM = r"""
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
#pragma omp parallel
  __asm__ volatile("");
  if (argc == 1) {
    usleep(300000);
    execle(argv[0], argv[0], "again", (char *)NULL, (char *[]){NULL});
    return 1;
  }
  alarm(60);
  return getchar() == EOF ? 0 : 1;
}
"""


@unittest.skipUnless(HAS_TRACER, "libstave.so and stave-writer are not built")
class Libgomp(Case):
    def gcc(self, name, text, *options):
        return self.build(name, text, "gcc", "-g", "-fopenmp", *options)

    def archives(self):
        return sorted(glob.glob(self.path("*/traces.otf2")))

    def info(self, archive):
        return json.loads(self.stave("info", "--json", archive).stdout)

    def is_as_untraced(self, *command, count=1):
        """Output and status are, and there are as many archives more. The last one's description."""
        plain = subprocess.run(command, env=self.env, cwd=self.folder, capture_output=True, text=True, check=False)
        before = len(self.archives())
        result = self.record(*command)
        self.assertEqual((result.returncode, result.stdout), (plain.returncode, plain.stdout), result.stderr)
        self.assertEqual(plain.returncode, 3)
        self.assertEqual(len(self.archives()), before + count, result.stderr)
        newest = max(self.archives(), key=os.path.getmtime) if count else None
        return self.info(newest) if newest else None

    def runs_untraced(self, why, *command):
        self.is_as_untraced(*command, count=0)
        result = self.record(*command)
        self.assertRegex(result.stderr, rf"\Astave: [^\n]*{why}[^\n]*\n\Z")

    def test_runtime_has_a_name(self):
        found = self.is_as_untraced(self.gcc("program", OMP_PROGRAM), "3")
        self.assertRegex(found["runtime"]["version_string"], r"^GNU libgomp, gcc \d+, .*OMPT$")
        self.assertIsNone(found["runtime"]["in_place_of"])
        text = self.stave("info", self.archives()[0]).stdout
        self.assertRegex(text, r"(?m)^runtime +GNU libgomp, gcc \d+")
        self.assertNotIn("LLVM", text)

    def test_traced_and_then_not(self):
        """The maps of a traced process are not read again, but for those of what it executes in its place."""
        process = self.popen("-v", self.gcc("again", AGAIN_PROGRAM), stdin=subprocess.PIPE)
        found = next((line for line in process.stderr if "has loaded" in line), "")
        process.stdin.close()
        process.wait(HANG_S)
        self.assertRegex(found, r"process \d+ \(\S+/again\) has loaded \S+/libgomp\.so\.1")

    def test_environment_alone(self):
        program = self.gcc("program", OMP_PROGRAM)
        build = os.path.join(BUILD_ROOT, "src")
        env = {**self.env, "LD_PRELOAD": f"{build}/libgomp/libstave-libgomp.so",
               "OMP_TOOL_LIBRARIES": f"{build}/tool/libstave.so"}
        result = subprocess.run([program, "3"], env=env, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (3, "4\n"), result.stderr)
        self.assertEqual(len(self.archives()), 1, result.stderr)

    def test_the_end_of_a_thread_is_over_before_that_of_the_tool(self):
        program = self.gcc("ending", ENDING_PROGRAM)
        sources = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src")
        tool = self.gcc("slow_tool.so", SLOW_TOOL, "-shared", "-fPIC", f"-I{sources}")
        env = {**self.env, "LD_PRELOAD": f"{BUILD_ROOT}/src/libgomp/libstave-libgomp.so", "OMP_TOOL_LIBRARIES": tool}
        for _ in range(5):
            result = subprocess.run([program], env=env, capture_output=True, text=True, check=False)
            self.assertEqual((result.returncode, result.stdout), (0, "0\n"), result.stderr)

    def test_devices_are_not_looked_for(self):
        """libgomp loads its plugins, and with them NVIDIA's library, for programs that use devices alone."""
        with_devices = OMP_PROGRAM.replace("int sum = 0;", "int sum = omp_get_num_devices() * 0;")
        looked = []
        runs = [(with_devices, []), (OMP_PROGRAM, []), (OMP_PROGRAM, [STAVE, "record", "-q"])]
        for number, (text, prefix) in enumerate(runs):
            folder = self.path(f"looked-{number}")
            os.mkdir(folder)
            subprocess.run([*prefix, self.gcc("program", text), "3"], cwd=self.folder, capture_output=True, check=False,
                           env={**self.env, "LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": f"{folder}/ld"})
            looked.append("libgomp-plugin" in "".join(map(read_text, glob.glob(f"{folder}/ld.*"))))
        if not looked[0]:
            self.skipTest("this libgomp has no plugins")
        self.assertEqual(looked, [True, False, False])

    def test_tool_that_is_not_there(self):
        program = self.gcc("program", OMP_PROGRAM)
        for more in ({}, {"OMP_TOOL_LIBRARIES": "/no/such/tool.so"}, {"OMP_TOOL": "disabled"}):
            env = {**self.env, **more, "LD_PRELOAD": f"{BUILD_ROOT}/src/libgomp/libstave-libgomp.so"}
            result = subprocess.run([program, "3"], env=env, capture_output=True, text=True, check=False)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (3, "4\n", ""))

    def test_tool_that_is_not_there_for_libraries(self):
        """Their libgomp comes with them, so each call is passed on by this library."""
        doacross = self.gcc("doacross.so", DOACROSS, "-shared", "-fPIC")
        loader = self.build("loader", LOADER, "gcc", "-ldl")
        env = {**self.env, "LD_PRELOAD": f"{BUILD_ROOT}/src/libgomp/libstave-libgomp.so", "OMP_TOOL": "disabled"}
        result = subprocess.run([loader, doacross], env=env, capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (3, "0\n0\n", ""))

    def test_programs_that_break_on_llvm(self):
        for name, condition in (("undeferred", "0"), ("deferred", "1")):
            source = self.write(f"{name}.cc", COPIED.replace("CONDITION", condition))
            subprocess.run(["g++", "-g", "-fopenmp", "-o", self.path(name), source], check=True)
            self.is_as_untraced(self.path(name))
        self.is_as_untraced(self.gcc("untied", UNTIED))
        self.is_as_untraced(self.gcc("forked", FORKED), count=2)

    def test_answers_and_settings(self):
        """Of the runtime and of the system, as untraced; libgomp's output on stderr, too."""
        program = self.gcc("answers", ANSWERS)
        for settings in SETTINGS:
            with self.subTest(settings):
                env = self.env | settings
                plain, traced = (subprocess.run([*prefix, program], env=env, cwd=self.folder, capture_output=True,
                                                text=True, check=False)
                                 for prefix in ([], [STAVE, "record", "-q", "-o", self.path("answered-%p")]))
                self.assertEqual((traced.returncode, traced.stdout, traced.stderr),
                                 (3, plain.stdout, plain.stderr))
                self.assertIn("parallel: ", plain.stdout)

    @unittest.skipUnless(shutil.which("gdb"), "no gdb")
    def test_stack_in_a_debugger(self):
        """The program's own functions, one in the other, as untraced, and main is the last."""
        program = self.gcc("stops", STOPS, "-O1")
        traced = f"LD_PRELOAD={BUILD_ROOT}/src/libgomp/libstave-libgomp.so " \
                 f"OMP_TOOL_LIBRARIES={BUILD_ROOT}/src/tool/libstave.so STAVE_OUTPUT={self.path('stopped')}"
        stacks = []
        for settings in ("", traced):
            result = subprocess.run(["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex",
                                     f"set exec-wrapper env {settings}", "-ex", "break here", "-ex", "run", "-ex", "bt",
                                     program], env=self.env, cwd=self.folder, capture_output=True, text=True,
                                    timeout=HANG_S, check=False)
            frames = re.findall(r"(?m)^#\d+ .*? in (\S+) \(.*\) at \S*stops\.c", "\n" + result.stdout)
            if "#0" not in result.stdout:
                self.skipTest(f"gdb starts nothing here: {result.stderr[-300:]}")
            stacks.append(frames)
        self.assertEqual(stacks[0][-1], "main", result.stdout)
        self.assertGreater(len(stacks[0]), 6)
        self.assertEqual(stacks[0], stacks[1])
        self.assertRegex(result.stdout, "libstave-libgomp|src/libgomp/")

    def within(self, mounts, *command):
        """What it is in a mount namespace of its own."""
        script = f'{{ {mounts}; }} >&2 || exit 99; exec "$@"'
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        result = subprocess.run(["unshare", *user, "--mount", "sh", "-c", script, "sh", *command], env=self.env,
                                cwd=self.folder, capture_output=True, text=True, timeout=HANG_S, check=False)
        shutil.rmtree(self.path("dev"), ignore_errors=True)
        if result.returncode in (1, 99):
            self.skipTest(f"no mounts: {result.stderr}")
        return result

    def test_no_shared_memory(self):
        """As on machines without servers: nothing of Stave's or libgomp's is there; what would be ended is untraced."""
        program = self.gcc("program", OMP_PROGRAM)
        for number, mounts in enumerate((READ_ONLY, ABSENT)):
            with self.subTest(mounts.splitlines()[0]):
                result = self.within(mounts, "sh", "-c", "touch /dev/shm/x 2>&1; exit 3")
                self.assertRegex(result.stdout, "Read-only|No such|nonexistent")
                result = self.within(mounts, STAVE, "record", "-o", self.path(f"trace-{number}"), program, "3")
                self.assertEqual((result.returncode, result.stdout), (3, "4\n"), result.stderr)
                self.assertEqual(len(self.info(self.path(f"trace-{number}/traces.otf2"))["threads"]), 4)
                result = self.within(mounts, STAVE, "record", "--runtime", "llvm", program, "3")
                self.assertEqual((result.returncode, result.stdout), (3, "4\n"), result.stderr)
                if libomp.installed():
                    self.assertRegex(result.stderr, r"/dev/shm .*; .*untraced")

    def test_shared_memory_is_full(self):
        """LLVM's runtime stores to a file there without a request for room: SIGBUS, which libgomp's program never
        got."""
        program = self.gcc("program", OMP_PROGRAM)
        result = self.within(FULL, STAVE, "record", "-o", self.path("trace"), program, "3")
        self.assertEqual((result.returncode, result.stdout), (3, "4\n"), result.stderr)
        self.assertEqual(len(self.info(self.path("trace/traces.otf2"))["threads"]), 4)
        result = self.within(FULL, STAVE, "record", "--runtime", "llvm", program, "3")
        self.assertEqual((result.returncode, result.stdout), (3, "4\n"), result.stderr)
        if libomp.installed():
            self.assertRegex(result.stderr, "untraced: /dev/shm ")

    def test_children_of_a_script(self):
        program = self.gcc("program", OMP_PROGRAM)
        self.is_as_untraced("sh", "-c", f"{program}; {program} 2; {program} 3", count=3)

    def test_words_for_a_runtime(self):
        program = self.gcc("program", OMP_PROGRAM)
        self.assertEqual(self.record("--runtime", "none", program, "3").returncode, 3)
        self.assertEqual(self.archives(), [])
        result = self.record("--runtime", "lvm", program, "3")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.words(result.stderr, "--runtime: lvm ", "libomp.so.5", "libgomp")
        if not libomp.installed():
            self.skipTest("no libomp")
        result = self.record("--runtime", "llvm", program, "3")
        self.assertEqual((result.returncode, result.stdout), (3, "4\n"), result.stderr)
        self.assertIsNotNone(self.info(self.archives()[0])["runtime"]["in_place_of"])

    def test_llvm_is_as_silent(self):
        """libomp prints on stderr that omp_set_nested is deprecated, libgomp nothing."""
        if not libomp.installed():
            self.skipTest("no libomp")
        program = self.gcc("nested", OMP_PROGRAM.replace("int sum = 0;", "int sum = 0;\n  omp_set_nested(1);"))
        result = self.record("--runtime", "llvm", program, "3")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertNotIn("OMP:", result.stderr)
        self.env["KMP_WARNINGS"] = "on"
        self.assertIn("OMP:", self.record("--runtime", "llvm", program, "3").stderr)

    def test_libgomp_of_its_own(self):
        """Which no library path can replace."""
        os.mkdir(self.path("own"))
        shutil.copy(LIBGOMP, self.path("own/libgomp.so.1"))
        self.is_as_untraced(self.gcc("fixed", OMP_PROGRAM, "-Wl,--disable-new-dtags,-rpath,$ORIGIN/own"), "3")

    def test_static_libgomp(self):
        archive = subprocess.run(["gcc", "-print-file-name=libgomp.a"], capture_output=True, text=True,
                                 check=True).stdout.strip()
        source = self.write("static.c", OMP_PROGRAM)
        subprocess.run(["gcc", "-fopenmp", "-c", source, "-o", self.path("static.o")], check=True)
        subprocess.run(["gcc", self.path("static.o"), archive, "-o", self.path("static"), "-lpthread", "-ldl"],
                       check=True)
        self.runs_untraced("static contains libgomp", self.path("static"), "3")

    def test_thread_sanitizer(self):
        try:
            program = self.gcc("checked", OMP_PROGRAM, "-fsanitize=thread")
        except subprocess.CalledProcessError:
            self.skipTest("gcc has no ThreadSanitizer here")
        result = self.record(program, "3", env={**self.env, "TSAN_OPTIONS": "report_bugs=0"})
        self.assertEqual((result.returncode, result.stdout), (3, "4\n"), result.stderr)
        self.assertIn("ThreadSanitizer", result.stderr)

    def test_address_sanitizer(self):
        self.is_as_untraced(self.gcc("checked", OMP_PROGRAM, "-fsanitize=address,undefined"), "3")

    def renamed(self, name):
        """A copy of libgomp as wheels have it, and a library that needs it."""
        copy = f"libgomp-{name}.so.1.0.0"
        source = self.write(f"{name}.c", LIBRARY)
        shutil.copy(LIBGOMP, self.path(copy))
        subprocess.run(["patchelf", "--set-soname", copy, self.path(copy)], check=True)
        subprocess.run(["gcc", "-g", "-fopenmp", "-fPIC", "-c", "-o", self.path(f"{name}.o"), source], check=True)
        subprocess.run(["gcc", "-shared", "-o", self.path(f"lib{name}.so"), self.path(f"{name}.o"), "-L", self.folder,
                        f"-l:{copy}", "-Wl,-rpath,$ORIGIN"], check=True)
        return self.path(f"lib{name}.so")

    @unittest.skipUnless(shutil.which("patchelf") and shutil.which("clang"), "no patchelf or clang")
    def test_several_libgomps(self):
        """Each library's calls reach the libgomp that it needs, with a team of its own; LLVM's runtime beside them."""
        libraries = [self.renamed("0123abcd"), self.renamed("4567cdef")]
        libraries.append(self.build("libplain.so", LIBRARY, "gcc", "-g", "-fopenmp", "-shared", "-fPIC"))
        libraries.append(self.build("libllvm.so", LIBRARY, "clang", "-g", "-fopenmp", "-shared", "-fPIC"))
        loader = self.build("loader", LOADER, "gcc", "-g", "-ldl")
        for count in (1, 2, 4):
            found = self.is_as_untraced(loader, *libraries[:count])
            files = [path for path in found["runtime"]["files"] if not path.endswith("libstave-libgomp.so")]
            self.assertEqual(len(files), count)
            self.assertEqual(len(found["threads"]), 1 + 2 * count)

    @unittest.skipUnless(shutil.which("clang"), "no clang")
    def test_program_of_clangs_with_a_library_of_gccs(self):
        """The library's calls reach LLVM's runtime, which has libgomp's names, as they do untraced."""
        library = self.build("libplain.so", LIBRARY, "gcc", "-g", "-fopenmp", "-shared", "-fPIC")
        loader = self.build("loader", LOADER.replace("  for (int i = 0; i < 2 ", "#pragma omp parallel num_threads(2)\n"
                            "  (void)argc;\n  for (int i = 0; i < 2 "), "clang", "-g", "-fopenmp", "-ldl")
        found = self.is_as_untraced(loader, library)
        self.assertEqual(len(found["threads"]), 3)

    def test_python(self):
        library = self.build("libplain.so", LIBRARY, "gcc", "-g", "-fopenmp", "-shared", "-fPIC")
        load = f"import ctypes, sys; print(ctypes.CDLL('{library}').count()); sys.exit(3)"
        found = self.is_as_untraced(sys.executable, "-c", load)
        self.assertEqual(len(found["threads"]), 3)

    def future(self, *options):
        """A program on the libgomp of libgomp17.c, with what no gcc of today emits."""
        os.makedirs(self.path("own"), exist_ok=True)
        versions = self.write("own/versions", "GOMP_4.0 { global: GOMP_parallel; local: *; };\n"
                                              "OMP_1.0 { global: omp_*; };\n"
                                              "GOMP_9.0 { global: GOMP_loop_static_worksharing; };\n")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libgomp17.c")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", self.path("own/libgomp.so.1"), source, *options,
                        "-Wl,-soname,libgomp.so.1", f"-Wl,--version-script={versions}"], check=True)
        return self.build("future", FUTURE, "gcc", "-g", "-Wl,--no-as-needed", self.path("own/libgomp.so.1"),
                          "-Wl,-rpath,$ORIGIN/own")

    def test_libgomp_to_come(self):
        """Entry points that nobody knows reach it; one that looks for tools itself is not mentioned."""
        found = self.is_as_untraced(self.future())
        self.assertRegex(found["runtime"]["version_string"], "^GNU libgomp, [^,]*OMPT$")
        self.is_as_untraced(self.future("-DWITH_OMPT"), count=0)
        self.env["STAVE_RUNTIME"] = "llvm"
        if not libomp.installed():
            self.skipTest("no libomp")
        self.runs_untraced(r"needs GOMP_9\.0 of libgomp, which /\S+ lacks", self.future())

    def test_place_with_a_blank(self):
        """What is preloaded has another name then."""
        installed = os.path.join(self.folder, "a b")
        os.mkdir(installed)
        for name in ("libstave.so", "libstave-libgomp.so"):
            folder = "tool" if name == "libstave.so" else "libgomp"
            shutil.copy(f"{BUILD_ROOT}/src/{folder}/{name}", installed)
        self.env["STAVE_LIBRARY"] = os.path.join(installed, "libstave.so")
        self.env["STAVE_WRITER"] = f"{BUILD_ROOT}/src/writer/stave-writer"
        self.is_as_untraced(self.gcc("program", OMP_PROGRAM), "3")


if __name__ == "__main__":
    unittest.main()
