#!/usr/bin/python3
"""load_imbalance.py ARCHIVE: how evenly the threads of each parallel region worked: without waiting, tasks included."""
import sys

import stave

WORK = """SELECT team, thread, sum(self_ns) AS ns FROM regions WHERE team IS NOT NULL AND construct NOT LIKE '%barrier%'
    AND construct NOT IN ('taskwait', 'taskgroup', 'task wait', 'critical', 'ordered') GROUP BY team, thread"""
SQL = f"""SELECT t.region, max(w.threads) AS threads, sum(w.mean) AS mean_ns, sum(w.most) AS most_ns,
    sum(w.most - w.mean) AS imbalance_ns FROM (SELECT team, count(*) AS threads, avg(ns) AS mean, max(ns) AS most
    FROM ({WORK}) GROUP BY team) w JOIN teams t ON t.id = w.team GROUP BY t.region ORDER BY imbalance_ns DESC"""
if __name__ == "__main__":
    for row in stave.open(sys.argv[1]).sql(SQL):
        print(f"{row.mean_ns / 1e9:10.6f} {row.most_ns / 1e9:10.6f} {row.imbalance_ns / 1e9:10.6f} s "
              f"{100 * row.imbalance_ns / row.most_ns:5.1f} % {row.threads:4} threads  {row.region}")
