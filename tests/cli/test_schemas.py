#!/usr/bin/python3
"""What --json prints and docs/schemas: test_schemas.py BUILD [unittest arguments]. support/cli.py validates whatever a
test of the commands has printed; here nothing may be printed that the schemas do not name: a new member has its place
in docs/schemas, too."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import planted_archives
import schemas
from made_archive import Made
from made_mpi import Job


@unittest.skipUnless(schemas.jsonschema, "python3-jsonschema is not there")
class Schemas(cli.Case):
    def exact(self, kind, *command):
        result = cli.stave(*command)
        self.assertIn(result.returncode, (0, 3), cli.stderr_of(result))
        self.assertEqual(schemas.kind_of([cli.STAVE, *command]), kind)
        self.assertIsNone(schemas.wrong(kind, result.stdout, is_closed=True))
        return json.loads(result.stdout)

    def each(self, archive):
        for command in ("report", "check", "info"):
            with self.subTest(command, archive=archive):
                self.exact(command, command, "--json", archive)

    def test_schemas_are_right(self):
        for kind in ("report", "check", "info", "compare", "scaling", "what-if"):
            schema = schemas.schema_of(kind)
            jsonschema = schemas.jsonschema
            jsonschema.validators.validator_for(schema, default=None).check_schema(schema)

    def test_made_archives(self):
        planted_archives.make(self.folder, self.folder)
        for name in planted_archives.PLANTED:
            self.each(self.path(name))
        self.exact("compare", "report", "--compare", "--json", "--fail-if", "wall > 900 %", self.path("single"),
                   self.path("rotating"))

    def test_wrong_uses(self):
        with Made(self.path("wrong")) as made:
            made.unlock(0, 7, 1, line=7)
            made.create(0, 1, line=5)
        self.each(self.path("wrong"))

    def test_job(self):
        with Job(self.path("job")) as job:
            job.call(0, "MPI_Send", 5, 6, send=(1, 7, 100))
            job.call(1, "MPI_Recv", 1, 6.5, receive=(0, 7, 100))
        self.each(self.path("job"))

    @unittest.skipUnless(cli.CAN_TRACE, "clang or the tracer is not there")
    def test_traced_program(self):
        program = cli.compile_program(self.path("program"), """
#include <omp.h>
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp critical
  { }
}
""")
        cli.trace(program, self.path("traced"))
        self.each(self.path("traced"))

    def test_what_is_refused(self):
        """A schema that refuses nothing would be one, too."""
        with Made(self.path("one")):
            pass
        report = self.exact("report", "report", "--json", self.path("one"))
        for change in ({"wall_s": "1"}, {"schema_version": 99}, {"threads": 1.5}, {"regions": None}):
            self.assertIsNotNone(schemas.wrong("report", json.dumps({**report, **change})), change)
        self.assertIsNone(schemas.wrong("report", json.dumps({**report, "new": 1})))
        self.assertIsNotNone(schemas.wrong("report", json.dumps({**report, "new": 1}), is_closed=True))
        del report["findings"]
        self.assertIsNotNone(schemas.wrong("report", json.dumps(report)))


if __name__ == "__main__":
    unittest.main()
