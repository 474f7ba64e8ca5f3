"""Tables and answers, row by row."""
from __future__ import annotations

import collections
import html
import keyword
import sqlite3
import typing

SHOWN_ROWS = 20


def _row_type(columns: typing.Sequence[str]) -> typing.Any:
    """A named tuple; columns of an expression, or of a name that Python has for itself, are _0, _1 and so on."""
    names = [name if name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_") else f"_{i}"
             for i, name in enumerate(columns)]
    return collections.namedtuple("Row", names, rename=True)


def _frame_type(column: typing.Sequence[typing.Any]) -> str:
    """Of pandas, by the values: a real number stays one, though it be whole."""
    kinds = set(map(type, column)) - {type(None)}
    if kinds == {int}:
        return "Int64"
    if kinds and kinds <= {int, float}:
        return "Float64"
    return "string" if kinds == {str} else "object"


class Table:
    """A table, a view or the answer to a query: an iterable of named tuples, which are in the columns' units
    (names that end in _ns: nanoseconds since the beginning of the run, or lengths in nanoseconds; bytes, counts). Each
    iteration asks the database anew, so that there is never more than a row in memory."""

    def __init__(self, connection: sqlite3.Connection, sql: str,
                 parameters: typing.Sequence[typing.Any] = ()) -> None:
        self._connection, self._sql, self._parameters = connection, sql, tuple(parameters)

    def _cursor(self) -> sqlite3.Cursor:
        return self._connection.execute(self._sql, self._parameters)

    @property
    def columns(self) -> list[str]:
        """The names of the columns; times are in ns where they end in _ns."""
        cursor = self._cursor()
        names = [column[0] for column in cursor.description]
        cursor.close()
        return names

    def __iter__(self) -> typing.Iterator[typing.Any]:
        cursor = self._cursor()
        row_type = _row_type([column[0] for column in cursor.description])
        for row in cursor:
            yield row_type._make(row)

    def __len__(self) -> int:
        row = self._connection.execute(f"SELECT count(*) FROM ({self._sql})", self._parameters).fetchone()
        return int(row[0])

    def df(self) -> typing.Any:
        """A pandas.DataFrame with a row for each of the table. Integers that may be missing have pandas' type Int64;
        times are in ns, as in the table."""
        import pandas   # pylint: disable=import-outside-toplevel
        cursor = self._cursor()
        names, rows = [column[0] for column in cursor.description], cursor.fetchall()
        columns = [pandas.Series(column, dtype=_frame_type(column)) for column in zip(*rows)]
        frame = pandas.concat(columns, axis=1) if columns else pandas.DataFrame(columns=range(len(names)))
        return frame.set_axis(names, axis=1)

    def where(self, condition: str, *parameters: typing.Any) -> "Table":
        """The rows for which a condition of SQL holds: run.regions.where("thread = ? AND begin_ns > ?", 1, 2_000_000)
        has what thread 1 began after 2 ms."""
        return Table(self._connection, f"SELECT * FROM ({self._sql}) WHERE {condition}",
                     (*self._parameters, *parameters))

    def _repr_html_(self) -> str:
        """For notebooks: the first rows."""
        def cells(row: typing.Iterable[typing.Any], tag: str) -> str:
            texts = ("" if value is None else html.escape(str(value)) for value in row)
            return "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in texts) + "</tr>"
        rows = self._cursor().fetchmany(SHOWN_ROWS + 1)
        body = "".join(cells(row, "td") for row in rows[:SHOWN_ROWS])
        more = "<p>and more</p>" if len(rows) > SHOWN_ROWS else ""
        return f"<table><thead>{cells(self.columns, 'th')}</thead><tbody>{body}</tbody></table>{more}"

    def __repr__(self) -> str:
        return f"<stave.Table of {len(self)} rows: {', '.join(self.columns)}>"
