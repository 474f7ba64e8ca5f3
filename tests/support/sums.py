"""What holds for each archive's `stave report --json`, however odd: no time counts twice, and no finding promises what
was not lost. STAVE_TEST_STAVE is the command stave with which tests look at the archives that they check."""
import json
import os
import subprocess

import schemas

CONFIDENCES = ("low", "medium", "high")


def least_of(numbers):
    """What rounding may make of a sum, in seconds."""
    return 1e-9 + 1e-6 * numbers["wall_s"] * max(numbers["threads"], 1)


def of_times(numbers, least):
    wall, threads, parallel = numbers["wall_s"], numbers["threads"], numbers["parallel_s"]
    spent = sum(numbers["activities"].values())
    if spent > threads * wall + least:
        yield f"activities have {spent} s, {threads} threads have {threads * wall} s"
    if numbers["useful_s"] > spent + least:
        yield f"useful are {numbers['useful_s']} s of {spent} s"
    # Of several processes these are the means, and none need be there all the time.
    started = numbers["serial_s"] + numbers["mpi_s"] + numbers["not_known_s"] + parallel
    if numbers["processes"] < 2 and abs(started - wall) > least:
        yield (f"serial {numbers['serial_s']}, MPI {numbers['mpi_s']}, not known {numbers['not_known_s']} and "
               f"parallel {parallel} are not {wall} s")


def of_shares(numbers):
    """None is not known; what is rounded may be beyond by that much."""
    for name, value in numbers["efficiency"].items():
        if value is not None and not -1e-9 <= value <= 1 + 1e-9:
            yield f"efficiency {name} is {value}"
    for finding in numbers["findings"]:
        if not 0 <= finding["gain_share"] <= 1:
            yield f"{finding['cause']} is {finding['gain_share']} of the wall time"


def is_in_order(one, other):
    """The greatest gain first, but for what is uncertain beside what the kernel has measured."""
    certain = [finding["gain_s"] - (finding["uncertainty_s"] or 0) for finding in (one, other)]
    return (one["gain_s"] >= other["gain_s"] or
            (one["confidence"], other["confidence"]) == ("high", "low") and certain[0] >= certain[1])


def of_findings(numbers, least):
    found, threads = numbers["findings"], max(numbers["threads"], 1)
    gains = [finding["gain_s"] for finding in found]
    # What threads lost in their work, by chunks, doacross loops and other programs, counts as useful.
    running = numbers["running"] or {"regions": []}
    preempted = [one["preempted_s"] for one in running["regions"] if one["doing"] == "work"]
    account = numbers["account"] or {"could_be_saved_s": 0}
    worked = numbers["lost_in_work_s"] + sum(preempted) / threads + account["could_be_saved_s"]
    most = numbers["wall_s"] - numbers["useful_s"] / threads + worked
    if not all(map(is_in_order, found, found[1:])) or min(gains, default=0) < 0:
        yield f"gains {gains}"
    if gains and sum(gains) > most + least:
        yield f"{[finding['cause'] for finding in found]} save {sum(gains)} s of {most} s"
    for finding in found:
        if finding["confidence"] not in CONFIDENCES or not finding["reason"] or (finding["uncertainty_s"] or 0) < 0:
            yield f"finding {finding}"


def of_account(numbers, least):
    """Each part of the threads' time is there once; who was preempted was so because of something, or nobody knows."""
    account = numbers["account"]
    if not account:
        return
    parts = {name: account[name] for name in ("ran_s", "ready_s", "slept_s", "stopped_s", "by_hypervisor_s",
                                              "not_known_s")}
    causes = [account[f"by_{name}_s"] for name in ("quota", "each_other", "own_threads", "stave_writer",
                                                   "other_processes")]
    if abs(sum(parts.values()) - account["all_s"]) > least or min([*parts.values(), *causes]) < -least:
        yield f"the account's parts are {parts} of {account['all_s']} s"
    if sum(causes) > account["ready_s"] + least:
        yield f"preempted {account['ready_s']} s, because of {causes}"


def of_region(region, least):
    """The time of a team's threads is what they did, and what they were not there."""
    parallel, loop = region.get("parallel"), region.get("worksharing")
    if parallel:
        spent = sum(parallel["activities"].values()) + parallel["late_start_s"] + parallel["stall_s"]
        has_all = not parallel["is_nested"] and parallel["late_start_s"] > 0
        if spent + least < parallel["thread_time_s"] or has_all and abs(spent - parallel["thread_time_s"]) > least:
            yield f"{region['name']}: {spent} of {parallel['thread_time_s']} s"
    if loop and not loop["imbalance_s"] <= loop["longest_s"] + least <= loop["time"]["sum_s"] + 2 * least:
        yield f"{region['name']}: imbalance {loop['imbalance_s']}, longest {loop['longest_s']}, {loop['time']} s"


def problems(numbers):
    """The list of what does not hold."""
    least = least_of(numbers)
    return [*of_times(numbers, least), *of_shares(numbers), *of_findings(numbers, least), *of_account(numbers, least),
            *(problem for region in numbers["regions"] for problem in of_region(region, least))]


def problems_of(archive):
    """Of its report, which must be possible."""
    stave = os.environ.get("STAVE_TEST_STAVE")
    if not stave:
        return []
    result = subprocess.run([stave, "report", "--json", archive], capture_output=True, check=False,
                            stdin=subprocess.DEVNULL)
    if result.returncode != 0 or result.stderr:
        return [f"exit status {result.returncode}: {result.stderr.decode(errors='replace')[:500]}"]
    problem = schemas.wrong("report", result.stdout) if schemas.jsonschema else None
    return [f"not as docs/schemas has it: {problem}"] if problem else problems(json.loads(result.stdout))
