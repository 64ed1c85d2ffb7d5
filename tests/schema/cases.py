"""Prints the lines of the interchange form that the cases of conformance/ hold, but for those that are refused.

usage: cases.py ROOT
"""

import importlib.machinery
import importlib.util
import json
import os
import sys

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("run", os.path.join(sys.argv[1], "conformance", "run"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)
for case in run.cases():
    if case.task == "read" or (case.task == "write" and "error" not in case.data):
        for line in case.data["lines"]:
            try:
                json.loads(line)
            except ValueError:  # a part of an object over several lines, or several objects in a line
                continue
            print(line)
