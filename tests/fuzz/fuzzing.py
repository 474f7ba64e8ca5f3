"""What the runners of libFuzzer's programs share.

corpus/NAME holds inputs that once broke something: they are tried first in every run. What the fuzzer finds stays in
the folder that is named; the input belongs into corpus/NAME then. STAVE_TEST_FUZZ sets the seconds, 10 if not set.
"""
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import tracing


def seconds_to_run(seconds=None):
    return int(seconds or os.environ.get("STAVE_TEST_FUZZ", 10))


def run(name, fuzzer, folder, seeds, seconds, most_bytes=16384, **settings):
    """seeds: a folder."""
    (folder / "corpus").mkdir()
    inputs = [folder / "corpus", seeds, *(path for path in [HERE / "corpus" / name] if path.is_dir())]
    environment = tracing.clean_environment(ASAN_OPTIONS="detect_leaks=0", **settings)
    result = tracing.run([pathlib.Path(fuzzer).resolve(), f"-max_total_time={seconds}", f"-max_len={most_bytes}",
                          "-rss_limit_mb=2048", "-timeout=20", "-print_final_stats=1", *inputs],
                         environment, timeout=seconds + 600, cwd=folder)
    text = result.stderr.decode(errors="replace")
    if result.returncode:
        raise tracing.Failure(text[-6000:])
    executed = re.search("number_of_executed_units: *([0-9]+)", text).group(1)
    kept = len(list(inputs[-1].iterdir())) if len(inputs) > 2 else 0
    print(f"{executed} executions in {seconds} s, {kept} of inputs that once broke something")
