"""Archives of Stave as tables: regions, tasks, locks and more, without a dependency outside of the standard library.

    import stave

    run = stave.open("stave-app-4711")
    for region in run.regions:                  # rows as named tuples, in the columns of stave-tables(5)
        print(region.region, region.end_ns - region.begin_ns)
    run.sql("SELECT region, sum(self_ns) AS ns FROM regions GROUP BY region").df()
    run.findings                                # what stave report would change

Times, in columns whose names end in _ns, are nanoseconds since the beginning of the run, or lengths in nanoseconds.
What is not known is None. Tables have df() where pandas is there, and plots want matplotlib.
"""
from stave.run import Error, Run, compare, open    # pylint: disable=redefined-builtin
from stave.table import Table

__all__ = ["Error", "Run", "Table", "compare", "open"]
