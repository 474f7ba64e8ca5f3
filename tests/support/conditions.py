"""Expectations that hold for some compilers and runtimes only: sections of a file.

    count event=ThreadFork 1
    [clang, libomp >= 19]
    count enter role=LOOP name~loop_static 2
    [all]
    count event=ThreadJoin 1

A section begins with its conditions, all of which must hold, and ends with the next one. A
condition is the name of the compiler (clang, gcc) or of the runtime (libomp, libgomp), alone or compared
with a version. The question is a toolchain such as "clang14-libomp19"; empty: unknown, and
then only what holds everywhere is expected.
"""
import operator
import re

OPERATORS = {"<": operator.lt, "<=": operator.le, "=": operator.eq, "!=": operator.ne,
             ">=": operator.ge, ">": operator.gt}
CONDITION = re.compile(r"(\w+)(?:\s*(<=|>=|!=|<|>|=)\s*(\d+))?")


def parse_toolchain(name):
    """{"clang": 14, "libomp": 19}"""
    return {tool: int(version) for tool, version in re.findall(r"([a-z]+)(\d+)", name)}


def holds(condition, versions):
    match = CONDITION.fullmatch(condition.strip())
    if not match:
        raise ValueError(f"'{condition}' is not a condition")
    tool, relation, version = match.groups()
    if tool == "all":
        return True
    if tool not in versions:
        return False
    return relation is None or OPERATORS[relation](versions[tool], int(version))


def select(lines, toolchain):
    """The lines that hold for the toolchain, without the lines of conditions."""
    versions, is_selected = parse_toolchain(toolchain), True
    for line in lines:
        section = re.fullmatch(r"\[(.*)\]", line.strip())
        if section:
            is_selected = all(holds(x, versions) for x in section.group(1).split(","))
        elif is_selected:
            yield line


def write_selected(source, target, toolchain):
    with open(source, encoding="utf-8") as lines:
        target.write_text("".join(select(lines, toolchain)), encoding="utf-8")
    return target
