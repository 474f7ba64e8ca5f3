"""Source files of foreign test suites: how each is compiled and run, by its own comments: the
directives of DejaGnu (gcc's) and the RUN lines of lit (LLVM's); any other file is compiled and run as it is."""
import dataclasses
import pathlib
import re
import shlex
import subprocess

C = (".c",)
CXX = (".cpp", ".cc", ".C", ".cxx")
FORTRAN = (".f90", ".F90", ".f", ".F", ".f95")
COMPILE_S = 300
SETTING = re.compile(r"[A-Za-z_]\w*=\S*")
# What is no source for this machine: only compiled, to be refused by the compiler, or for a device.
NO_PROGRAM = re.compile(r"dg-do\s+(compile|preprocess|assemble)|dg-(shouldfail|error)|REQUIRES:.*(gpu|cuda|amdgcn)")


@dataclasses.dataclass
class Source:
    path: pathlib.Path
    root: pathlib.Path          # the folder that was named on the command line: where its headers are
    flags: tuple = ()
    more: tuple = ()            # source files of the same program
    settings: dict = dataclasses.field(default_factory=dict)    # of the environment, when it runs
    arguments: tuple = ()
    is_named: bool = False      # several programs of one file

    def name(self):
        return f"{self.path.relative_to(self.root)}{' ' + ' '.join(self.flags) if self.is_named else ''}"


def files_below(root):
    root = pathlib.Path(root)
    found = [root] if root.is_file() else sorted(root.rglob("*"))
    return [path for path in found if path.suffix in C + CXX + FORTRAN and path.is_file()]


def of_dejagnu(path, root, text):
    flags = " ".join(re.findall(r'dg-(?:additional-)?options\s+"([^"]*)"', text)).split()
    more = [path.parent / name for name in re.findall(r'dg-additional-sources\s+"?([\w./-]+)', text)]
    settings = dict(re.findall(r'dg-set-target-env-var\s+(\w+)\s+"([^"]*)"', text))
    return [Source(path, root, tuple(flags), tuple(more), settings)]


def run_lines(text):
    """Of lit: those that go on with a backslash are one."""
    lines = re.findall(r"RUN:[ \t]*(.*)", text)
    return re.sub(r"\\\n", " ", "\n".join(lines)).splitlines()


def words_of(text):
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def of_step(step, flags):
    """Flags of a step that compiles, or settings and arguments of one that runs the program."""
    words = words_of(step.partition("|")[0])
    compiles = any(re.match(r"%(libomp-.*compile|clang|flang)", word) for word in words)
    if compiles:
        flags[:] = [word for word in words if word.startswith(("-D", "-f", "-std", "-O", "-W"))]
    runs = [index for index, word in enumerate(words) if re.fullmatch(r"%(libomp-(.*-and-)?run|t|t\.run)", word)]
    if not runs or (compiles and not words[runs[0]].endswith("-run")):
        return None
    at = runs[0]
    settings = dict(word.split("=", 1) for word in words[:at] if SETTING.fullmatch(word))
    arguments = [word for word in words[at + 1:] if not compiles and not re.match(r"[-<>&2%]", word)]
    return settings, arguments


def of_lit(path, root, text):
    found, flags = [], []
    for line in run_lines(text):
        for step in re.split(r"&&|;", line):
            run = of_step(step.strip(), flags)
            if run is not None:
                found.append(Source(path, root, tuple(flags), settings=run[0], arguments=tuple(run[1])))
    for one in found:
        one.is_named = len({other.flags for other in found}) > 1
    return found


def programs_of(path, root):
    """None, one, or several that differ in flags or settings."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if NO_PROGRAM.search(text):
        return []
    if "dg-do" in text or "dg-options" in text or "dg-set-target" in text or "dg-additional" in text:
        return of_dejagnu(path, root, text)
    return of_lit(path, root, text) if "RUN:" in text else [Source(path, root)]


def folders_of_headers(source):
    """Its own, and each above it, where suites have theirs."""
    folder, found = source.path.parent, []
    root = source.root if source.root.is_dir() else source.root.parent
    while True:
        found.append(folder)
        if folder in (root, folder.parent):
            break
        folder = folder.parent
    return found


def command_of(source, compilers, target, flags):
    kind = "fc" if source.path.suffix in FORTRAN else "cxx" if source.path.suffix in CXX else "cc"
    headers = [word for folder in folders_of_headers(source) for word in ("-I", folder)]
    return [*compilers[kind], "-O1", "-g", "-w", "-fopenmp", *headers, *source.flags, *flags, source.path, *source.more,
            "-o", target, "-lm", "-latomic", "-lpthread"]


def compile_program(source, compilers, target, flags=()):
    """Whether it can be compiled by these compilers."""
    try:
        result = subprocess.run([str(word) for word in command_of(source, compilers, target, flags)], check=False,
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=COMPILE_S, cwd=target.parent)
    except subprocess.TimeoutExpired:
        return False
    return result.returncode == 0
