"""Who is writing an archive."""
import fcntl
import struct

LOCK = "hhqqi4x"  # struct flock


def the_writer(archive):
    """Who has the lock on the recovery file; 0 if nobody."""
    with open(archive / "traces.recovery", "rb") as file:
        lock = fcntl.fcntl(file, fcntl.F_GETLK, struct.pack(LOCK, fcntl.F_WRLCK, 0, 0, 0, 0))
    kind, _, _, _, pid = struct.unpack(LOCK, lock)
    return 0 if kind == fcntl.F_UNLCK else pid
