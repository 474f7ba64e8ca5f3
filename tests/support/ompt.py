"""OMPT's values, from the tables of src/ompt."""
import collections
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "src/ompt"
Value = collections.namedtuple("Value", "enumeration id number text")


def read_table():
    """Every row of enumerations.def."""
    return [Value(enumeration, name, int(number, 0), text) for enumeration, name, number, text in
            re.findall(r'^(?:VALUE|FLAG)\((\w+), (\w+), (-?\w+), "([^"]*)"', (FOLDER / "enumerations.def").read_text(),
                       re.M)]


VALUES = {(row.enumeration, row.id): row.number for row in read_table()}


def values(enumeration, *names):
    """The numbers of these ids, in their order."""
    return tuple(VALUES[enumeration, name] for name in names)
