"""Reading by several processors, which must not show: what a command prints of an archive with STAVE_JOBS."""
import os
import subprocess

# In how many ways each command that reads an archive is run again: STAVE_TEST_JOBS=2,4. None by default.
JOBS = os.environ.get("STAVE_TEST_JOBS", "").split(",") if os.environ.get("STAVE_TEST_JOBS") else []
READERS = {"report", "check", "export", "timeline", "info"}


def differences(command, result, environment, jobs):
    """Of the exit status and of what is printed; the reason why an archive is damaged may be another one."""
    for number in jobs:
        again = subprocess.run(command, env={**environment, "STAVE_JOBS": str(number)}, stdin=subprocess.DEVNULL,
                               capture_output=True, check=False)
        if again.returncode != result.returncode:
            yield f"{number} jobs: exit status {again.returncode}, not {result.returncode}: {again.stderr.decode()}"
        elif again.stdout != result.stdout and result.returncode in (0, 3):
            yield f"{number} jobs print something else"
        elif again.stderr != result.stderr and result.returncode in (0, 3):
            yield f"{number} jobs: {again.stderr.decode()}, not {result.stderr.decode()}"


def check_output(command, result, environment):
    """Of every command that a test runs to its end and whose output comes here."""
    words = [str(word) for word in command]
    if not JOBS or result.stdout is None or words[1] not in READERS or "-o" in words or result.returncode < 0:
        return
    problem = next(differences(words, result, environment, JOBS), None)
    if problem:
        raise AssertionError(f"{' '.join(words)}: {problem}")
