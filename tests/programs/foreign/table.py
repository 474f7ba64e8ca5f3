"""The results as rows of Markdown, or as JSON."""
import dataclasses

HEAD = ("program", "package", "language", "output", "status", "stderr", "untraced", "ratio", "spread", "processor time",
        "address space MiB", "memory MiB", "events", "events/s", "archive")


def yes(value):
    return "same" if value else "**differs**"


def archive(result):
    if result.archives == 0:
        return "**none**" if result.recipe.has_openmp else "none (no OpenMP)"
    result_text = "**problems**" if result.problems else "in order"
    result_text += f" ({result.recipe.findings})" if result.recipe.findings else ""
    result_text += "" if result.is_audited else " (check only)"
    return result_text if result.archives == 1 else f"{result.archives}, {result_text}"


def mebibytes(sizes, which):
    return " -> ".join(f"{pair[which] / 1024:,.0f}" for pair in sizes)


def cells(result):
    recipe = result.recipe
    return (recipe.name, ", ".join(recipe.packages()), recipe.language, yes(result.same_output),
            f"{result.status}, {yes(result.same_status)}", yes(result.same_errors), f"{result.untraced_s:.2f} s",
            f"{result.ratio:.3f}", f"{100 * result.spread:.0f} %", f"{result.processor_ratio:.3f}",
            mebibytes(result.sizes, 0), mebibytes(result.sizes, 1), f"{result.events:,}", f"{result.rate:,.0f}",
            archive(result))


def row(texts):
    return "| " + " | ".join(texts) + " |"


def head(words=HEAD):
    return [row(words), "|" + "---|" * len(words)]


def rows(results):
    return [*head(), *(row(cells(result)) for result in results)]


def as_json(result):
    found = dataclasses.asdict(dataclasses.replace(result, recipe=None))
    return {**found, "recipe": result.recipe.name, "package": result.recipe.package}
