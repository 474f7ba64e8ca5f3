"""Random choices of tests. A default run makes the same ones every time: chance decides over no default run. A request
for more by a test's option gets other ones each time."""
import os
import time

FIXED_SEED = 1


def seed_for(option, seed=None):
    """The seed, which is printed; STAVE_TEST_SEED repeats one. option: the variable that requests more."""
    ours = time.time_ns() // 1000000 if option in os.environ else FIXED_SEED
    seed = seed or os.environ.get("STAVE_TEST_SEED") or ours
    print(f"seed {seed} (STAVE_TEST_SEED)", flush=True)
    return int(seed)
