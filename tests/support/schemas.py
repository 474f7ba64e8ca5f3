"""Whether what --json prints is what docs/schemas promises; nothing is looked at where jsonschema is not there."""
import functools
import json
import pathlib

try:
    import jsonschema
except ImportError:
    jsonschema = None

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/schemas"
COMMANDS = ("report", "check", "info", "scale")


def kind_of(command):
    """Which schema the output of a command has; None: no one."""
    words = [str(word) for word in command]
    name = next((word for word in words[1:3] if word in COMMANDS), None)
    if name is None or "--json" not in words:
        return None
    if "--what-if" in words:
        return "what-if"
    if name == "scale" or (name == "report" and "--scaling" in words):
        return "scaling"
    return "compare" if name == "report" and "--compare" in words else name


def closed(schema):
    """The same, which lets no members pass that it does not name."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    more = {"additionalProperties": False} if "properties" in schema and schema.get("type") != "string" else {}
    return {**more, **{name: closed(value) for name, value in schema.items()}}


def schema_of(kind):
    return json.loads((FOLDER / f"{kind}.schema.json").read_text(encoding="utf-8"))


@functools.cache
def validator(kind, is_closed):
    schema = closed(schema_of(kind)) if is_closed else schema_of(kind)
    return jsonschema.validators.validator_for(schema)(schema)


def wrong(kind, text, is_closed=False):
    """What is wrong with a text of JSON, in a line; None: nothing."""
    error = next(validator(kind, is_closed).iter_errors(json.loads(text)), None)
    return f"{kind}: {'/'.join(map(str, error.path))}: {error.message[:300]}" if error else None


def check_output(command, result):
    """Of every command that a test runs to its end."""
    kind = kind_of(command) if jsonschema and result.stdout and result.returncode in (0, 3) else None
    problem = wrong(kind, result.stdout) if kind else None
    if problem:
        raise AssertionError(f"not as docs/schemas has it: {problem}")
