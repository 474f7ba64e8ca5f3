"""What is known of a program of a Debian package: how it is started, and on which input, which is made here."""
import dataclasses
import inspect
import re
import shutil
import typing

RECIPES = {}


@dataclasses.dataclass
class Recipe:
    name: str
    package: str          # of Debian 12; others that it needs are in `more`
    language: str         # of what uses OpenMP
    # of the folder of inputs, which is made once: gives the command; where it has `times`, of a run so much longer
    prepare: typing.Callable
    needs: tuple          # programs that are in PATH, or absolute paths
    more: tuple = ()
    modules: tuple = ()   # of Python that must be there to import
    ignore: str = ""      # lines of its output that are otherwise in each run: times, dates, process numbers
    ignore_files: str = ""
    environment: dict = dataclasses.field(default_factory=dict)
    is_job: bool = False  # of MPI
    status: int = 0       # with which it ends
    has_openmp: bool | None = True  # False: it stays as it is, and there is no archive; None: there may be one
    findings: str = ""    # rules of stave check that it breaks, as its machine code shows

    def missing(self):
        return [path for path in self.needs if not shutil.which(path)]

    def has_lengths(self):
        return "times" in inspect.signature(self.prepare).parameters

    def packages(self):
        return (self.package, *self.more)

    def with_threads(self, count):
        """With one, some libraries make no event (OpenBLAS)."""
        return dataclasses.replace(self, environment={**self.environment, "OMP_NUM_THREADS": str(count)},
                                   has_openmp=self.has_openmp if count > 1 else None)

    def without_ignored(self, text):
        """Lines of bytes that every run has alike."""
        if not self.ignore:
            return text
        pattern = re.compile(self.ignore.encode())
        return b"\n".join(line for line in re.split(rb"[\r\n]", text) if not pattern.search(line))


def recipe(name, package, language, needs=(), **more):
    """Decorates the function that prepares a program: it gets a folder for its inputs and returns the command."""
    def register(prepare):
        RECIPES[name] = Recipe(name, package, language, prepare, tuple(needs), **more)
        return prepare
    return register
