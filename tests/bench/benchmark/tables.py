"""Figures as Markdown tables, which read as text too."""


def render(rows):
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    line = lambda row: "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
    return "\n".join([line(rows[0]), "|" + "|".join("-" * (width + 2) for width in widths) + "|"] +
                     [line(row) for row in rows[1:]])
