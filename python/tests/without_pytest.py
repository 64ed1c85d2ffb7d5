"""The examples of the documentation, and one stream: for a Python that has no pytest."""

import doctest
import sys

import consumer
from files import LOG

import wlfmt

modules = (wlfmt, wlfmt._records, wlfmt._runs, wlfmt._scan, wlfmt._workload)
failed = sum(doctest.testmod(module).failed for module in modules)
rows = consumer.read(wlfmt.scan(LOG, of="sub_operations", columns=["comm_func", "sub_duration_ms"]))
calls = [s for op in wlfmt.read_oplog(LOG) for s in op["sub_operations"]]
expected = [{"comm_func": s["comm_func"], "sub_duration_ms": s["duration"]} for s in calls]
sys.exit(failed != 0 or rows != expected or not rows)
