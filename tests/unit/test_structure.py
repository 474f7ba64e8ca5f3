#!/usr/bin/python3
"""Each complaint of scripts/structure, on a tiny tree that is right but for one thing: test_structure.py STRUCTURE."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

DESIGN = """# How it works

| folder | may include |
|---|---|
| `src/base/` | |
| `src/tool/` | `src/base/` |
| `src/writer/` | `src/base/`, `src/writer/parts/` |
| `src/writer/parts/` | |

| header | included in |
|---|---|
| `bfd.h` | `src/writer/symbols.c` |

**src/base/** is for all: `array.c`, `array.h`.

**src/tool/** has tool.c.

**src/writer/** has `symbols*.c` and parts/. A ring has 4 MiB (`RING_BYTES`) at most, see docs/MORE.md.

**tests/** has unit/ and README.md.

**scripts/** has `lint` and `structure.exceptions`.
"""

TREE = {
    "docs/DESIGN.md": DESIGN,
    "docs/MORE.md": "",
    "src/base/array.c": '#include "base/array.h"\nvoid *grow(void *old) { return realloc(old, RING_BYTES); }\n',
    "src/base/array.h": "enum { RING_BYTES = 4 << 20 };\nstruct array { int count; };\n",
    "src/tool/tool.c": '#include <stdio.h>\n#include "base/array.h"\n',
    "src/writer/symbols.c": '#include <bfd.h>\n#include "base/array.h"\n#include "writer/parts/part.h"\n',
    "src/writer/parts/part.h": "struct part { int x; };\n/* struct array { realloc(x) a < CONSTRUCT_task */\n",
    "tests/README.md": "unit/unit.h is for all.\n",
    "tests/unit/test_array.c": "",
    "tests/unit/unit.h": "",
    "scripts/lint": "",
    "scripts/structure.exceptions": "# none\n",
}


class Structure(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="stave-structure-")
        self.root = pathlib.Path(self.folder.name)
        for name, text in TREE.items():
            self.write(name, text)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def append(self, name, text):
        self.write(name, (self.root / name).read_text(encoding="utf-8") + text)

    def design(self, old, new):
        self.assertIn(old, DESIGN)
        self.write("docs/DESIGN.md", DESIGN.replace(old, new))

    def run_structure(self, *arguments):
        """Exit status and lines."""
        with contextlib.redirect_stdout(io.StringIO()) as output:
            status = STRUCTURE.main(["--root", str(self.root), *arguments])
        return status, output.getvalue().splitlines()

    def is_fine(self):
        status, lines = self.run_structure()
        self.assertEqual((status, lines[0]), (0, "fine"))

    def complains(self, *texts, arguments=()):
        """Of this and of nothing else."""
        status, lines = self.run_structure(*arguments)
        self.assertEqual(status, 1)
        lines = [line for line in lines if not line.startswith((" ", "known exceptions"))]
        self.assertEqual(len(lines), len(texts), lines)
        for line, text in zip(lines, texts):
            self.assertIn(text, line)

    def test_a_right_tree(self):
        self.is_fine()

    def test_forbidden_include(self):
        self.append("src/tool/tool.c", '#include "writer/parts/part.h"\n')
        self.complains("src/tool/tool.c includes src/writer/parts/part.h")

    def test_unused_permission(self):
        self.write("src/tool/tool.c", "")
        self.complains("src/tool/ may include src/base/ and does not")

    def test_folder_without_row(self):
        self.write("src/writer/more/more.h", "")
        self.complains("src/writer/more/ is missing in the table", "does not name more/")

    def test_folder_without_paragraph(self):
        self.write("src/new/new.c", "")
        self.complains("src/new/ is missing in the table", "no paragraph begins with **src/new/**",
                       "the paragraph on src/new/ does not name src/new/new.c")

    def test_file_without_name(self):
        self.write("src/tool/reader.c", "")
        self.write("src/writer/parts/symbols_more.c", "")
        self.complains("the paragraph on src/tool/ does not name src/tool/reader.c")

    def test_one_name_for_two_files(self):
        self.write("src/writer/tool.c", "")
        self.design("and parts/.", "tool.c and parts/.")
        self.complains("2 files are called tool.c")
        self.append("docs/DESIGN.md", "\n## Names that several folders have\n\nThese: `tool`, `array`.\n")
        self.complains("array is not the name of several files")

    def test_row_without_folder(self):
        self.design("| `src/tool/` |", "| `src/gone/` | |\n| `src/tool/` |")
        self.complains("the table of folders has src/gone/, where no source is")

    def test_no_tables(self):
        self.write("docs/DESIGN.md", DESIGN.replace("| folder |", "| x |").replace("| header |", "| y |"))
        self.complains("no table begins with `| folder |`", "no table begins with `| header |`")

    def test_circle(self):
        self.design("| `src/base/` | |", "| `src/base/` | `src/tool/` |")
        self.write("src/tool/tool.h", "")
        self.append("src/base/array.c", '#include "tool/tool.h"\n')
        self.complains("a circle of folders: src/base/ src/tool/")
        self.write("scripts/structure.exceptions", "circle src/base/,src/tool/ 1\n")
        self.is_fine()

    def test_header_elsewhere(self):
        self.append("src/tool/tool.c", "#include <bfd.h>\n")
        self.complains("src/tool/tool.c includes bfd.h, which the table of headers does not list")

    def test_header_nowhere(self):
        self.design("`src/writer/symbols.c` |", "`src/writer/symbols.c`, `src/tool/` |")
        self.complains("nothing in src/tool/ includes bfd.h")

    def test_names_of_what_is_gone(self):
        for old, new in (("tool.c", "tool.c and gone.c"), ("`symbols*.c`", "`symbols*.c`, `gone*.c`"),
                         ("docs/MORE.md", "docs/GONE.md"), ("has tool.c", "has tool.c and src/gone/"),
                         ("has tool.c", "has tool.c and array.c")):
            with self.subTest(new):
                self.design(old, new)
                self.complains("there is no " + new.rpartition(" ")[2].strip("`"))

    def test_names_on_the_page_that_continues_it(self):
        self.write("docs/WRITER.md", "# More\n\nWhat tool.c does not do, beyond.c does.\n")
        self.complains("there is no beyond.c")

    def test_lists(self):
        self.write("tests/new/new.py", "")
        self.write("tests/__pycache__/new.pyc", "")
        self.write("scripts/new", "")
        self.complains("the paragraph **tests/** does not name new/", "the paragraph **scripts/** does not name new")

    def test_helpers_of_tests(self):
        self.write("tests/support/made.py", "")
        self.write("tests/cli/new_case.py", "")
        self.write("tests/unit/new.h", "")
        self.design("has unit/ and", "has cli/, support/, unit/ and")
        self.complains(*(f"tests/README.md: the map does not name tests/{name}"
                         for name in ("cli/new_case.py", "support/made.py", "unit/new.h")))

    def test_figure(self):
        self.design("4 MiB (", "8 MiB (")
        self.complains("8 MiB is not RING_BYTES, which is 4 << 20")

    def test_figure_of_nothing(self):
        self.design("(`RING_BYTES`)", "(`GONE_BYTES`)")
        self.complains("4 MiB is not GONE_BYTES, which is nowhere")

    def test_tag(self):
        self.append("src/tool/tool.c", "enum part { A };\n")
        self.complains("src/tool/tool.c:3: enum part is defined 2 times", "struct part is defined 2 times")
        self.write("scripts/structure.exceptions", "tag part 2\n")
        self.is_fine()

    def test_realloc(self):
        self.append("src/tool/tool.c", "void *f(void *p) { return reallocarray(p, 1, 2); }\n")
        self.complains("src/tool/tool.c:3: reallocarray(...) outside of src/base/")

    def test_range(self):
        for condition in ("construct >= CONSTRUCT_task", "CONSTRUCT_TASK<construct", "type < RECORD_placement"):
            with self.subTest(condition):
                self.write("src/tool/tool.c", f'#include "base/array.h"\nbool f() {{ return {condition}; }}\n')
                self.complains("src/tool/tool.c:2: order of enumerators used as a class")

    def test_no_range(self):
        self.append("src/tool/tool.c", "bool f() { return i < CONSTRUCT_COUNT && x->a == CONSTRUCT_task; }\n")
        self.is_fine()

    def test_value_of_ompt(self):
        for line in ("enum { WORK_LOOP = 1 };", "static const uint32_t TASK_MERGED = 0x80000000;",
                     'char *n[] = {[7] = "x"};', "int c[] = {[3] = CONSTRUCT_depend_in};",
                     "CALLBACK(flush, 29, flush, 1)\nCALLBACK(work, 20, work, 1)", "DEVICE_RECORD(1, thread_begin)"):
            with self.subTest(line):
                self.write("src/tool/tool.c", f'#include "base/array.h"\n{line}\n')
                self.complains("src/tool/tool.c:2: a ")

    def test_values_of_ours(self):
        self.append("src/tool/tool.c",
                    'enum { WORK_BYTES = 16, TASK_COUNT };\nchar name[16] = "x";\nint a[] = {[3] = 4};\n')
        self.is_fine()

    def build(self, **sources):
        """Files of src/tool, compiled."""
        commands = []
        for name, text in sources.items():
            self.write(f"src/tool/{name}.c", text)
            subprocess.run(["cc", "-c", "-o", self.root / f"{name}.o", self.root / f"src/tool/{name}.c"], check=True)
            commands.append({"directory": str(self.root), "file": f"src/tool/{name}.c", "output": f"{name}.o"})
        self.write("compile_commands.json", json.dumps(commands))
        names = ", ".join(f"{name}.c" for name in sources)
        self.write("docs/DESIGN.md", DESIGN.replace("`src/tool/` | `src/base/`", "`src/tool/` | ")
                   .replace("has tool.c", f"has {names}"))

    @unittest.skipUnless(shutil.which("cc") and shutil.which("nm"), "no cc or nm")
    def test_cycle(self):
        self.build(tool="void a(void); void b(void) { a(); }", other="void b(void), c(void); void a(void) { c(); }",
                   last="void b(void); void c(void) { b(); }", user="void a(void); void d(void) { a(); }")
        self.is_fine()
        self.complains("src/tool/last.c: in a cycle of files by tool.c (b)", "src/tool/other.c: in a cycle",
                       "src/tool/tool.c: in a cycle of files by other.c (a)", arguments=["--build", str(self.root)])
        self.write("scripts/structure.exceptions", "cycle src/tool/ 3\n")
        self.assertEqual(self.run_structure("--build", str(self.root))[0], 0)
        self.write("scripts/structure.exceptions", "cycle src/tool/ 4\n")
        self.complains("cycle src/tool/: 4 are known and 3 are there: write 3", arguments=["--build", str(self.root)])

    @unittest.skipUnless(shutil.which("cc") and shutil.which("nm"), "no cc or nm")
    def test_no_cycle(self):
        self.build(tool="void a(void); void b(void) { a(); }", other="static void b(void) {} void a(void) { b(); }")
        self.assertEqual(self.run_structure("--build", str(self.root))[0], 0)

    @unittest.skipUnless(shutil.which("cc") and shutil.which("nm"), "no cc or nm")
    def test_functions_that_nobody_calls(self):
        self.build(tool="void a(void); int main(void) { a(); }", other="void b(void) {} void a(void) { b(); }",
                   last="__asm__(\".globl from_c\"); void from_c(void) {}")
        arguments = ["--build", str(self.root)]
        self.assertEqual(self.run_structure(*arguments)[0], 0)      # not all of the tree is built
        commands = json.loads((self.root / "compile_commands.json").read_text(encoding="utf-8"))
        for name in ("src/base/array.c", "src/writer/symbols.c"):
            made = pathlib.Path(name).stem + ".o"
            subprocess.run(["cc", "-c", "-x", "c", "-o", self.root / made, "/dev/null"], check=True)
            commands.append({"directory": str(self.root), "file": name, "output": made})
        self.write("compile_commands.json", json.dumps(commands))
        self.complains("src/tool/other.c: no other file calls b", arguments=arguments)
        self.write("scripts/structure.exceptions", "unshared src/tool/other.c 1\n")
        self.assertEqual(self.run_structure(*arguments)[0], 0)
        self.write("scripts/structure.exceptions", "unshared src/tool/other.c 1\nunshared src/tool/tool.c 1\n")
        self.complains("unshared src/tool/tool.c: none is there any more", arguments=arguments)

    def test_one_case_more_than_known(self):
        self.append("src/tool/tool.c", "void f() { realloc(a, 1); realloc(b, 2); }\n")
        self.write("scripts/structure.exceptions", "realloc src/tool/tool.c 1\n")
        status, lines = self.run_structure()
        self.assertEqual(status, 1)
        self.assertIn("    realloc src/tool/tool.c: 2, known: 1", lines)

    def test_known_case_that_is_gone(self):
        self.write("scripts/structure.exceptions", "realloc src/tool/tool.c 1\n")
        self.complains("realloc src/tool/tool.c: none is there any more: remove the line")

    def test_known_case_of_which_some_are_gone(self):
        self.append("src/tool/tool.c", "void f() { realloc(a, 1); }\n")
        self.write("scripts/structure.exceptions", "realloc src/tool/tool.c 3\n")
        self.complains("realloc src/tool/tool.c: 3 are known and 1 are there: write 1")

    def test_dot(self):
        status, lines = self.run_structure("--dot")
        self.assertEqual(status, 0)
        edges = [line.strip() for line in lines if "->" in line]
        self.assertEqual(edges, [
            '"src/tool/" -> "src/base/" [label=1]', '"src/writer/" -> "src/base/" [label=1]',
            '"src/writer/" -> "src/writer/parts/" [label=1]'])


def load(path):
    """The script as a module, of which nothing is left beside it."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("structure", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("structure", loader))
    loader.exec_module(module)
    return module


if __name__ == "__main__":
    STRUCTURE = load(sys.argv.pop(1))
    unittest.main()
