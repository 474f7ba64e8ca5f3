"""What the runners of libFuzzer's programs share.

By default a run is the same every time: so many executions, from one seed, that begin with what is stored in
seeds/NAME.tar.xz; what programs leave now is tried unchanged. STAVE_TEST_FUZZ sets the seconds of a random search
instead, from what programs leave now; STAVE_TEST_FUZZ=renew stores that for the default runs, as is due when records or
the formats of inputs have changed.

corpus/NAME holds inputs that once broke something: they are tried first in every run. What the fuzzer finds stays in
the folder that is named; the input belongs into corpus/NAME then.
"""
import io
import os
import pathlib
import re
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import chance
import tracing

OPTION = "STAVE_TEST_FUZZ"
EXECUTION_S = 120       # the most that one input may last


def is_renewal():
    return os.environ.get(OPTION) == "renew"


def seconds_to_search(seconds=None):
    """0: the default run, in which nothing is left to chance."""
    return 0 if is_renewal() else int(seconds or os.environ.get(OPTION, 0))


def store(name, seeds):
    """Without where the checkout lies, and who made it."""
    here = str(HERE.parents[1]).encode()
    (HERE / "seeds").mkdir(exist_ok=True)
    path = HERE / f"seeds/{name}.tar.xz"
    with tarfile.open(path, "w:xz") as packed:
        for seed in seeds:
            member = tarfile.TarInfo(seed.name)
            content = seed.read_bytes().replace(here, b"/" + b"x" * (len(here) - 1))
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))
    print(f"{path}: {len(seeds)} seeds, {path.stat().st_size} bytes")


def stored(name, folder):
    with tarfile.open(HERE / f"seeds/{name}.tar.xz") as packed:
        packed.extractall(folder)
    return files_of(folder)


def files_of(folder):
    return sorted(folder.iterdir()) if folder.is_dir() else []


class Fuzzer:
    def __init__(self, program, folder, most_bytes, settings):
        self.line = [pathlib.Path(program).resolve(), f"-max_len={most_bytes}", "-rss_limit_mb=2048",
                     f"-timeout={EXECUTION_S}", "-print_final_stats=1"]
        # OTF2 allocates whatever number of arguments an event has, up to 16 GiB, and goes on without: as if memory
        # were that short, since the shadow of so much memory counts as used. Stave's own code may not
        # (own_allocations.c).
        options = "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=1024"
        self.environment = tracing.clean_environment(ASAN_OPTIONS=options, **settings)
        self.folder = folder

    def run(self, *arguments):
        result = tracing.run([*self.line, *arguments], self.environment, timeout=None, cwd=self.folder)
        text = result.stderr.decode(errors="replace")
        if result.returncode:
            raise tracing.Failure(text[-6000:])
        return text

    def try_each(self, inputs):
        if inputs:
            self.run(*inputs)

    def search(self, inputs, *arguments):
        """The order in which a folder lists its files is the file system's: so all are named."""
        (self.folder / "found").mkdir()
        text = self.run(*arguments, "-seed_inputs=" + ",".join(map(str, inputs)), self.folder / "found")
        return int(re.search("number_of_executed_units: *([0-9]+)", text).group(1))


def run(name, program, folder, seeds, executions, seconds=None, most_bytes=16384, **settings):
    """seeds: a folder. executions: of a default run."""
    if is_renewal():
        store(name, files_of(seeds))
        return
    fuzzer = Fuzzer(program, folder, most_bytes, settings)
    once_broken = files_of(HERE / "corpus" / name)
    fuzzer.try_each(once_broken)
    seconds = seconds_to_search(seconds)
    if seconds:
        seed = chance.seed_for(OPTION) % 2 ** 31
        done = fuzzer.search(once_broken + files_of(seeds), f"-seed={seed}", f"-max_total_time={seconds}")
        print(f"{done} executions in {seconds} s, {len(once_broken)} of inputs that once broke something")
        return
    fuzzer.try_each(files_of(seeds))
    done = fuzzer.search(once_broken + stored(name, folder / "stored"), f"-seed={chance.FIXED_SEED}",
                         f"-runs={executions}")
    print(f"{done} executions, {len(once_broken)} of inputs that once broke something")
