"""The examples of the documentation, and one stream: for a Python that has no pytest."""

import doctest
import os
import sys

import consumer

import wlfmt

log = os.path.join(os.environ["WLFMT_ROOT"], "tests", "data", "oplog_rank7_pipeline_last_stage.txt")
modules = (wlfmt, wlfmt._records, wlfmt._runs, wlfmt._scan, wlfmt._workload)
failed = sum(doctest.testmod(module).failed for module in modules)
rows = consumer.read(wlfmt.scan(log, of="sub_operations", columns=["comm_func", "sub_duration_ms"]))
calls = [s for op in wlfmt.read_oplog(log) for s in op["sub_operations"]]
expected = [{"comm_func": s["comm_func"], "sub_duration_ms": s["duration"]} for s in calls]
sys.exit(failed != 0 or rows != expected or not rows)
