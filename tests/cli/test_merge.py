#!/usr/bin/python3
"""stave merge as a user sees it: test_merge.py BUILD [unittest arguments].

A merged archive has the events of those that it was made of, each with the definitions of its numbers there: OTF2's own
reader shows that, which applies mapping tables and clock offsets. It is checked as every archive is.
"""
import errno
import fcntl
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "support"))
import archive
import cli
import killing
import made_archive
import tracing

FORKS, WITNESS = (pathlib.Path(cli.BUILD_ROOT) / f"tests/fault/{name}" for name in ("forks", "witness"))
SOURCES = TESTS / "trace"


def digest(path):
    """In a process of its own: OTF2's Python reader may crash at the second archive of one process."""
    result = subprocess.run([sys.executable, TESTS / "support/event_digest.py", path / "traces.otf2"], check=True,
                            stdout=subprocess.PIPE)
    return json.loads(result.stdout)


def merge(*arguments, **more):
    return cli.stave("merge", *arguments, **more)


def properties(path):
    """Of the location groups: {group: {name: value}}."""
    opened = archive.Archive(path / "traces.otf2")
    found = {}
    for item in opened.definitions.location_group_properties:
        found.setdefault(item.location_group.name, {})[item.name] = item.value
    opened.close()
    return found


@unittest.skipUnless(FORKS.exists(), "no clang: nothing to trace")
class Merge(cli.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(cls.folder)
        family = cls.folder / "family"
        family.mkdir()
        tracing.run([FORKS], tracing.tool_environment(cli.BUILD, family / "of-%p"))
        cls.family = sorted(family.iterdir(), key=lambda path: int(path.name.split("-")[1]))
        for rank in (0, 1, 3):
            cls.trace_rank(rank, cls.folder / "job")

    @classmethod
    def trace_rank(cls, rank, job):
        environment = tracing.tool_environment(cli.BUILD, job, STAVE_FORK="ignore", **cls.as_rank(rank))
        tracing.run([FORKS], environment)

    @staticmethod
    def as_rank(rank, size=5, run=1):
        """What a launcher puts into the environment."""
        return {"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": str(size),
                "OMPI_MCA_ess_base_jobid": str(run)}

    def copy_of_job(self, name):
        return pathlib.Path(shutil.copytree(self.folder / "job", self.folder / name))

    def merged(self, name, *archives, options=()):
        out = self.folder / name
        self.printed = self.succeeds(merge("-o", out, *options, *archives))
        tracing.check_archive(out / "traces.otf2", None, True)
        return out

    def expect_equal(self, out, archives):
        found = digest(out)
        self.assertEqual([row[1:] for row in found], [row[1:] for path in archives for row in digest(path)])
        self.assertGreater(sum(row[2] for row in found), 0)
        return found

    def test_family(self):
        out = self.merged("family-merged", *reversed(self.family))
        rows = self.expect_equal(out, self.family)
        self.assertEqual([row[0] for row in rows], [f"Process {i // 2}" for i in range(8)])
        self.assertRegex(self.printed, r": 4 processes, 8 threads, [\d,]+ events\n\Z")
        own = properties(out)
        self.assertEqual({own[f"Process {i}"]["STAVE::PROCESS_ID"] for i in range(4)},
                         {path.name.split("-")[1] for path in self.family})
        info = self.parsed(cli.stave("info", "--json", out))
        self.assertEqual(info["events"], sum(self.parsed(cli.stave("info", "--json", path))["events"]
                                             for path in self.family))

    def test_all_kinds_of_definitions(self):
        """Samples with calling contexts, counters, messages, locks, tasks; one with twice the regions."""
        archives = []
        for name in ("user_events", "lock", "task_fib"):
            program = str(self.folder / name)
            cli.compile_program(program, (SOURCES / f"{name}.c").read_text(), f"-I{TESTS.parent}/include")
            archives.append(self.folder / f"{name}-alone")
            tracing.run([program], tracing.tool_environment(cli.BUILD, archives[-1], STAVE_SAMPLE_HZ=2000))
        self.expect_equal(self.merged("kinds", *archives), archives)

    def test_threads_have_names_of_their_own(self):
        """In what commands print of several processes; a report's JSON is keyed by them."""
        out = self.merged("names", *self.family)
        report = self.parsed(cli.stave("report", "--json", out))
        names = [f"Process {i}: {name}" for i in range(4) for name in ("Master thread", "OMP thread 1")]
        self.assertEqual([thread["name"] for thread in report["threads_of_the_run"]], names)
        info = self.parsed(cli.stave("info", "--json", out))
        self.assertEqual([thread["name"] for thread in info["threads"]], names)
        self.assertEqual([process["threads"] for process in info["processes"]], [2] * 4)
        self.assertEqual(cli.stave("timeline", "-o", self.folder / "names.html", out).returncode, 0)
        self.assertIn("Process 3: OMP thread 1", (self.folder / "names.html").read_text())
        self.assertEqual(cli.stave("export", "-f", "chrome", "-o", self.folder / "names.json", out).returncode, 0)
        meta = [event["args"]["name"] for event in json.loads((self.folder / "names.json").read_text())["traceEvents"]
                if event["ph"] == "M" and event["name"] == "process_name"]
        self.assertEqual(meta, [f"Process {i}" for i in range(4)])

    def verdict(self, path):
        result = cli.stave("check", path)
        found = re.search(r"\n([\d,]+) events checked: (\d+) violations?, (\d+) hazards?, (\d+)",
                          "\n" + result.stdout.decode())
        return [int(number.replace(",", "")) for number in found.groups()]

    def test_verdicts_add_up(self):
        """Locks, tasks and teams have the same numbers in each process, at the same times: nobody may mix them up."""
        archives = []
        for number in range(3):
            archives.append(self.folder / f"made-{number}")
            with made_archive.Made(archives[-1], properties=[("STAVE::CLOCK::DOMAIN", "tsc one")]) as made:
                for _ in range(number):
                    made.point(0, "flush")
                made.create(0, 1, line=3)
                made.lock(0, 0, 1, line=5)
                if number == 1:
                    made.start(1, 0, 1, line=3)     # outside of a barrier, which breaks a rule
                made.unlock(0, 0, 1, line=6)
                made.lock(1, 0, 2, line=5)
                made.lock(0, 1, 1, line=8)
                made.unlock(1, 0, 2, line=6)
                made.unlock(0, 1, 1, line=8)
                if number == 1:
                    made.end(1, 0, 1, line=3)
        out = self.folder / "made-merged"
        self.succeeds(merge("-o", out, *archives))
        alone = [self.verdict(path) for path in archives]
        self.assertEqual(self.verdict(out), [sum(numbers) for numbers in zip(*alone)])
        self.assertEqual([numbers[1] for numbers in alone], [0, 1, 0])

    def test_links(self):
        out = self.merged("linked", *self.family)
        self.assertEqual({path.stat().st_nlink for path in out.glob("traces/*.evt")} - {2, 3, 4, 5, 6}, set())
        copied = self.merged("copied", *self.family, options=["--copy"])
        self.assertEqual({path.stat().st_nlink for path in copied.glob("traces/*.evt")}, {1})
        for path in out.glob("traces/*"):
            self.assertEqual(path.read_bytes(), (copied / "traces" / path.name).read_bytes())

    def test_job(self):
        job = self.copy_of_job("links")
        text = self.succeeds(merge(job))
        self.assertIn(": 3 processes, 6 threads", text)
        self.assertIn("missing: ranks 2,4\n", text)
        self.expect_equal(job, [job / "rank" / name for name in "013"])
        opened = archive.Archive(job / "traces.otf2")
        self.assertEqual(opened.group_names(), [f"MPI Rank {rank}" for rank in (0, 1, 3)])
        self.assertEqual(opened.properties["STAVE::MISSING_RANKS"], "2,4")
        self.assertEqual(opened.properties["OTF2::MPI_COMMUNICATION_COMPLETE"], "false")
        self.assertEqual(opened.properties["OTF2::THREAD_LOCK_EVENT_COMPLETE"], "true")
        opened.close()
        text = self.succeeds(cli.stave("info", job))
        self.words(text, "ranks 2,4")
        self.words(text, "clocks ")
        self.assertEqual(re.findall(r"\n(MPI Rank \d)  .* +2 +\d+ ", text), [f"MPI Rank {rank}" for rank in (0, 1, 3)])
        before = {path.name for path in job.iterdir()}
        self.trace_rank(2, job)
        self.assertIn("missing: rank 4\n", self.succeeds(merge(job)))
        self.assertEqual({path.name for path in job.iterdir()}, before)
        self.expect_equal(job, [job / "rank" / name for name in "0123"])

    def test_progress(self):
        """Shown after a second on a terminal. A file that somebody has a lease on is waited for."""
        job = self.folder / "slow-job"
        shutil.copytree(self.folder / "job", job)
        last = job / "rank/3"
        with cli.Lease(max((last / "traces").glob("*.def"))) as lease:
            status, output = cli.on_terminal("merge", "-o", self.folder / "slow", job,
                                             look=lambda text: b"stave: merging" in text and lease.end())
        self.assertEqual(status, 0, output)
        steps = [(int(done), int(total)) for done, total in re.findall(rb"merging, (\d+) of (\d+) steps", output)]
        self.assertTrue(steps and all(done < total for done, total in steps), steps)

    def launcher(self, ranks, size, run=7):
        """A script that starts these ranks of a job, as mpirun does."""
        settings = {rank: " ".join(f"{name}={value}" for name, value in self.as_rank(rank, size, run).items())
                    for rank in ranks}
        return "".join(f"{words} STAVE_FORK=ignore {{}} & " for words in settings.values()) + "wait"

    def expect_job(self, result, job, ranks, missing=""):
        self.assertEqual(result.returncode, 0)
        self.assertRegex(cli.stderr_of(result),
                         rf"\Astave: [^\n]*{job.name}: {len(ranks)} ranks?, {2 * len(ranks)} threads, "
                         rf"[\d,]+ events{missing}: stave timeline [^\n]*{job.name}'? shows them\n\Z")
        self.assertEqual({path.name for path in (job / "rank").iterdir()}, {"run", *map(str, ranks)})
        self.expect_equal(job, [job / "rank" / str(rank) for rank in ranks])

    def test_record_of_a_launcher(self):
        """stave record mpirun ... merges, and has one line for all ranks."""
        job = self.folder / "recorded"
        script = self.launcher([0, 1, 2], 3).format(*[FORKS] * 3)
        record = lambda: cli.stave("record", "-o", job, "sh", "-c", script, env=tracing.clean_environment())
        self.expect_job(record(), job, [0, 1, 2])
        script = self.launcher([0, 2], 3, run=8).format(*[FORKS] * 2)
        second = record()
        self.assertRegex(second.stderr, b"/recorded exists: ")
        second.stderr = b"".join(line for line in second.stderr.splitlines(True) if b" exists: " not in line)
        self.expect_job(second, self.folder / "recorded-2", [0, 2], missing="; missing: rank 1")

    def test_launcher_of_records(self):
        """mpirun ... stave record ...: rank 0 waits for the others."""
        job = self.folder / "records"
        at_once, quiet = (shlex.join([cli.STAVE, "record", *options, "-o", str(job), str(FORKS)])
                          for options in ([], ["-q"]))
        slow = shlex.join(["sh", "-c", f"sleep 1; exec {quiet}"])
        script = self.launcher([0, 1, 2], 3).format(at_once, slow, slow)
        result = cli.run(["sh", "-c", script], env=tracing.clean_environment())
        self.expect_job(result, job, [0, 1, 2])

    def test_traced_by_hand(self):
        """Without stave record: one line, of rank 0."""
        job = self.folder / "by-hand"
        script = self.launcher([0, 1], 2).format(FORKS, FORKS)
        result = cli.run(["sh", "-c", script], env=tracing.tool_environment(cli.BUILD, job))
        self.words(cli.stderr_of(result), f"{job}/rank: ", f"stave merge {job} ")

    @unittest.skipUnless(shutil.which("clang"), "no clang")
    def test_mpi(self):
        """Each MPI that is here: the default name of the directory is the same for all ranks."""
        source = self.write("program.c", """#include <mpi.h>
            int main(int argc, char **argv) {
              double sum = 0;
              MPI_Init(&argc, &argv);
            #pragma omp parallel for reduction(+ : sum) num_threads(2)
              for (int i = 0; i < 1000; i++) sum += i;
              MPI_Barrier(MPI_COMM_WORLD);
              MPI_Finalize();
              return sum < 0;
            }""")
        tried = 0
        for name, compiler, launcher in (
                ("open-mpi", "mpicc.openmpi", ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"]),
                ("mpich", "mpicc.mpich", ["mpiexec.hydra"])):
            if not shutil.which(compiler) or not shutil.which(launcher[0]):
                print(f"{name} is not here: not tried", file=sys.stderr)
                continue
            tried += 1
            where = self.folder / name
            where.mkdir()
            settings = tracing.clean_environment(OMPI_CC="clang", MPICH_CC="clang")
            subprocess.run([compiler, "-g", "-O1", "-fopenmp", source, "-o", where / "program"], env=settings,
                           check=True)
            for launch in ("outside", "inside"):
                folder = where / launch
                folder.mkdir()
                command = [*launcher, "-n", "3", where / "program"] if launch == "outside" else \
                    [*launcher, "-n", "3", cli.STAVE, "record", where / "program"]
                result = cli.run([cli.STAVE, "record", *command] if launch == "outside" else command, env=settings,
                                 cwd=folder)
                jobs = list(folder.iterdir())
                self.assertEqual(len(jobs), 1, (name, launch, jobs, cli.stderr_of(result)))
                self.expect_job(result, jobs[0], [0, 1, 2])
        if not tried:
            self.skipTest("no MPI")

    def test_unfinished_is_recovered(self):
        job = self.copy_of_job("unfinished")
        left, witness = job / "rank/2", self.folder / "counts"
        environment = tracing.tool_environment(cli.BUILD, job, **self.as_rank(2, size=4))
        with subprocess.Popen([WITNESS, witness], env=environment) as process:
            killing.wait_until(lambda: killing.has_started(witness), "the program begins")
            killing.wait_until_running(left, 4)
            killing.kill_both(process, left)
        files = {path: path.stat().st_size for path in left.rglob("*")}
        text = self.succeeds(merge(job))
        self.assertIn(": 4 processes", text)
        self.assertEqual(files, {path: path.stat().st_size for path in left.rglob("*")})
        self.expect_equal(job, [job / "rank" / name for name in ("0", "1", "2-recovered", "3")])
        again = self.succeeds(merge(job))
        self.assertEqual(text, again)
        lost = properties(job)["MPI Rank 2"]
        self.assertEqual(lost["STAVE::RECOVERED"], "true")
        opened = archive.Archive(job / "traces.otf2")
        self.assertEqual(opened.properties["STAVE::LOST_AFTER"], lost["STAVE::LOST_AFTER"])
        opened.close()

    def test_waits_until_archives_are_closed(self):
        """A line on a terminal reports that; without waiting, or after the limit, it is refused."""
        job = self.copy_of_job("closing")
        recovery = job / "rank/1/traces.recovery"
        with open(recovery, "w") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)
            for option in ("--no-wait", "--wait=0", "--wait=1"):
                result = merge(option, job)
                self.fails(result, "rank/1: ")
                self.words(cli.stderr_of(result).replace(str(os.getpid()), "PID"), "PID")

            def close(output):
                if b"waiting until" in output and recovery.exists():
                    recovery.unlink()
                    file.close()
            status, output = cli.on_terminal("merge", job, look=close)
        self.assertEqual(status, 0, output)
        self.assertRegex(output.decode(), "waiting .*closing/rank/1 .*, [0-9]+ s ")
        self.assertTrue((job / "traces.otf2").exists())

    def test_other_clocks(self):
        """Compared by the time of day: each process's own times stay what they were, but for a constant."""
        other = pathlib.Path(shutil.copytree(self.family[1], self.folder / "other-clock"))
        anchor = (other / "traces.otf2").read_bytes()
        boot = re.search(rb"(?:tsc|monotonic) ([0-9a-f-]{36})", anchor)
        made_archive.replace_bytes(other, boot[1], boot[1][::-1])
        out = self.merged("clocks", self.family[0], other)
        self.words(self.printed, "2 clocks", " 0.05 s")
        alone, rows = digest(other), digest(out)[2:]
        shifts = {row[at] - old[at] for row, old in zip(rows, alone) for at in (3, 4)}
        self.assertLess(max(shifts) - min(shifts), 1000)        # ticks: the frequencies differ a little
        self.assertEqual([row[2] for row in rows], [row[2] for row in alone])
        self.assertNotEqual(min(shifts), 0)

    def test_refused(self):
        self.refuses(merge("-o", self.folder / "none", self.folder), "OTF2")
        self.refuses(merge("-o", self.folder / "job", self.family[1]), f" {self.folder}/job ")
        out = self.merged("twice", *self.family)
        self.fails(merge("-o", self.folder / "none", out, self.family[0]), "4 processes")
        made = self.folder / "chunks"
        with made_archive.Made(made):
            pass
        self.fails(merge("-o", self.folder / "none", made, self.family[0]), "chunks")
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith("none")], [])
        refused = merge("-o", "/sys/none", self.family[0])    # nobody can make a folder there
        self.fails(refused, " /sys/none.partial: ")
        self.assertNotIn(os.strerror(errno.ENOENT), cli.stderr_of(refused))
        self.refuses(merge("-o", self.folder / "none"), "no directory", status=2)

    def test_damaged(self):
        for number, (name, share) in enumerate((("traces.def", 2), ("traces/0.def", 2), ("traces/0.def", 1000))):
            broken = pathlib.Path(shutil.copytree(self.family[1], self.folder / f"broken-{number}"))
            os.truncate(broken / name, (broken / name).stat().st_size // share)
            result = merge("-o", self.folder / "none", self.family[0], broken)
            self.fails(result, broken.name)
            self.words(cli.stderr_of(result).partition(" read: ")[0])    # what follows are OTF2's words
            self.assertFalse((self.folder / "none").exists())

    def test_location_defined_twice(self):
        """Its events would be two threads'."""
        path = self.folder / "again"
        with made_archive.Made(path, threads=3):
            pass
        made_archive.define_again(path, 1, other=2)
        self.refuses(merge("-o", self.folder / "none", path), "location 1 ")
        self.assertFalse((self.folder / "none").exists())

    def test_stopped(self):
        """By what a terminal sends, a batch system to all processes of a job, or kill(1) to one: nothing is left. By
        SIGKILL: no archive that looks complete, and the next merge goes on. What it reads meanwhile has a lease on
        it."""
        source = self.folder / "stopped-source"
        shutil.copytree(self.family[1], source)
        to_all, to_one, terms = os.killpg, os.kill, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        for send, number in [*((to, number) for to in (to_all, to_one) for number in terms), (to_all, signal.SIGKILL)]:
            with self.subTest(send=send, number=number), cli.Lease(max((source / "traces").glob("*.def"))):
                out = self.folder / f"stopped-{number.name}"
                partial = self.folder / f"{out.name}.partial"
                command = [cli.STAVE, "merge", "-o", out, self.family[0], source]
                with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                      start_new_session=True) as process:
                    killing.wait_until(lambda: (partial / "traces/0.evt").exists(), "stave merge is at work")
                    send(process.pid, number)
                    printed = process.communicate(timeout=20)[1]
                self.assertEqual(process.returncode, -number, printed)
                self.assertFalse(out.exists())
                self.assertEqual(partial.exists(), number == signal.SIGKILL)
        self.expect_equal(self.merged("stopped-SIGKILL", *self.family), self.family)

    def test_interrupted_before(self):
        partial = self.folder / "late.partial"
        (partial / "traces").mkdir(parents=True)
        (partial / "traces/0.evt").touch()
        (partial / "unfinished").touch()
        self.expect_equal(self.merged("late", *self.family), self.family)
        self.assertFalse(partial.exists())


if __name__ == "__main__":
    unittest.main()
