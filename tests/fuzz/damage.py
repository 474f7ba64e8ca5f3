"""Damage to the files of archives: each kind is a function of a random generator and a folder, and returns what it did.

OTF2's files are chunks of records (src/writer/archive/chunk.h): to reach the code that reads them one must break
records one by one, not bytes anywhere.
"""
import os
import socket

HEADER_BYTES = 18
END_OF_FILE, TIME = 0x02, 0x05
ENTER, LEAVE = 12, 13
NUMBERS = [0, 1, 0x7f, 0x80, 0xff, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1, 2 ** 63, 2 ** 64 - 1]
STRING = 10     # the definition
HOSTILE = b"\x1b[31m\x1b]0;title\x07\xff\xfe\xc0%s%n'\"<script>&\n\r\t"


def records(data):
    """(begin, begin of its data, end) of each record of a small file: one chunk."""
    at = HEADER_BYTES
    while at < len(data):
        kind = data[at]
        if kind == TIME:
            if at + 9 > len(data):
                return
            yield at, at + 1, at + 9
            at += 9
            continue
        if kind == END_OF_FILE or at + 2 > len(data):
            return
        head, length = 2, data[at + 1]
        if length == 0xff and kind not in (ENTER, LEAVE):
            head, length = 10, int.from_bytes(data[at + 2:at + 10], "little")
        elif length == 0xff:
            length = 0
        if at + head + length > len(data):
            return
        yield at, at + head, at + head + length
        at += head + length


def number(value):
    """A number as OTF2 stores it: how many bytes, then these."""
    count = (value.bit_length() + 7) // 8
    return bytes([0xff]) if value in (2 ** 32 - 1, 2 ** 64 - 1) else bytes([count]) + value.to_bytes(count, "little")


def with_record(kind, payload):
    length = bytes([len(payload)]) if len(payload) < 0xff else b"\xff" + len(payload).to_bytes(8, "little")
    return bytes([kind]) + length + payload


def files(folder, suffix=""):
    return sorted(path for path in folder.rglob("*" + suffix) if path.is_file() and not path.is_symlink()
                  and path.stat().st_size)


# -- bytes anywhere --

def damage_bytes(generator, folder):
    path = generator.choice(files(folder))
    data = bytearray(path.read_bytes())
    used = len(data.rstrip(b"\0")) or 1     # the recovery file is mostly holes
    at = generator.randrange(used)
    kind = generator.choice(["byte", "bytes", "number", "cut", "copy"])
    if kind == "byte":
        data[at] = generator.randrange(256)
    elif kind == "bytes":
        data[at:at + 16] = generator.randbytes(len(data[at:at + 16]))
    elif kind == "number":
        data[at:at + 8] = generator.choice(NUMBERS).to_bytes(8, "little")
    elif kind == "cut":
        del data[at:]
    elif kind == "copy":
        other = generator.randrange(used)
        data[at:at + 256] = data[other:other + 256]
    path.write_bytes(data)
    return f"{kind} at {at} of {path.relative_to(folder)}"


# -- records --

def change_record(generator, data, found):
    begin, inner, end = generator.choice(found)
    kind = generator.choice(["length", "field", "bytes", "huge", "again", "gone", "swapped", "many", "cut", "kind",
                             "string"])
    if kind == "length":
        data[begin + 1] = generator.choice([0, 1, data[begin + 1] ^ 1, 0xfe, 0xff])
    elif kind == "field" and inner < end:
        at = generator.randrange(inner, end)
        data[at:at + 1 + data[at] % 9] = number(generator.choice(NUMBERS + list(range(16))))
    elif kind == "bytes" and inner < end:
        data[generator.randrange(inner, end)] = generator.choice([0, 1, 8, 9, 0x7f, 0x80, 0xff])
    elif kind == "huge":
        data[begin + 1:inner] = b"\xff" + generator.choice(NUMBERS).to_bytes(8, "little")
    elif kind == "again":
        data[end:end] = data[begin:end]
    elif kind == "gone":
        del data[begin:end]
    elif kind == "swapped":
        other = generator.choice(found)
        first, second = sorted([(begin, end), (other[0], other[2])])
        if first[1] <= second[0]:
            data[first[0]:second[1]] = (data[second[0]:second[1]] + data[first[1]:second[0]] + data[first[0]:first[1]])
    elif kind == "many":
        data[end:end] = bytes(data[begin:end]) * generator.choice([100, 3000])
    elif kind == "cut":
        del data[generator.choice([begin, begin + 1, inner, end]):]
    elif kind == "kind":
        data[begin] = generator.randrange(256)
    elif kind == "string":
        name = generator.choice([HOSTILE + b"\0", HOSTILE, b"x" * 100000 + b"\0", b"\0"])
        data[begin:end] = with_record(STRING, number(generator.randrange(64)) + name)
    return kind, begin


def damage_records(generator, folder):
    path = generator.choice(4 * files(folder, ".evt") + 8 * files(folder, "traces.def") +
                            files(folder / "traces", ".def"))
    data, done = bytearray(path.read_bytes()), []
    for _ in range(generator.choice([1, 1, 3])):
        found = list(records(data))
        if found:
            done.append("record %s at %d" % change_record(generator, data, found))
    # a number of events that is as wrong as the events
    if path.suffix == ".evt" and generator.randrange(4) == 0:
        data[10:18] = generator.choice(NUMBERS).to_bytes(8, "little")
    path.write_bytes(data)
    return f"{', '.join(done)} of {path.relative_to(folder)}"


# -- files --

def swap_files(generator, folder):
    events = files(folder, generator.choice([".evt", ".def"]))
    first, second = generator.choice(events), generator.choice(events)
    one, other = first.read_bytes(), second.read_bytes()
    first.write_bytes(other)
    second.write_bytes(one)
    return f"{first.relative_to(folder)} and {second.relative_to(folder)} swapped"


def number_anew(generator, folder):
    path = generator.choice(files(folder, ".evt") + files(folder / "traces", ".def"))
    other = path.with_name(generator.choice(["7", "4294967295", "18446744073709551615", "1000000", "-1"]) + path.suffix)
    path.rename(other)
    return f"{path.relative_to(folder)} renamed to {other.name}"


def remove_file(generator, folder):
    path = generator.choice(files(folder))
    path.unlink()
    return f"{path.relative_to(folder)} removed"


def empty_file(generator, folder):
    path = generator.choice(files(folder))
    path.write_bytes(b"")
    return f"{path.relative_to(folder)} emptied"


RANDOM = [damage_bytes] * 3 + [damage_records] * 6 + [swap_files, number_anew, remove_file, empty_file]


def damage(generator, folder):
    """One to four of all that, as a text."""
    done = []
    for _ in range(generator.choice([1, 1, 1, 2])):
        if files(folder, ".evt") and files(folder, "traces.def") and files(folder / "traces", ".def"):
            done.append(generator.choice(RANDOM)(generator, folder))
        elif files(folder):
            done.append(damage_bytes(generator, folder))
    return "; ".join(done)


# -- what is no file --

def put_fifo(path):
    path.unlink()
    os.mkfifo(path)


def put_directory(path):
    path.unlink()
    path.mkdir()


def put_nothing(path):
    path.write_bytes(b"")


def put_loop(path):
    path.unlink()
    path.symlink_to(path.name)


def put_zeros(path):
    """What never ends."""
    path.unlink()
    path.symlink_to("/dev/zero")


def put_terminal(path):
    path.unlink()
    path.symlink_to("/dev/tty")


def put_elsewhere(path):
    """The same content, outside."""
    outside = path.resolve().parents[2] / ("outside-" + path.name)
    outside.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(outside)


def put_socket(path):
    path.unlink()
    with socket.socket(socket.AF_UNIX) as end:
        here = os.getcwd()
        os.chdir(path.parent)       # its name may be 107 bytes long
        end.bind(path.name)
        os.chdir(here)


def put_sparse(path):
    """What has a size, and next to nothing in it."""
    os.truncate(path, 5 << 30)


PLACES = {"fifo": put_fifo, "directory": put_directory, "nothing": put_nothing, "loop": put_loop, "zeros": put_zeros,
          "terminal": put_terminal, "elsewhere": put_elsewhere, "socket": put_socket, "sparse": put_sparse}
