"""Files of the checkout that the tests read."""

import os
import shlex
import sys

# The command: that of the package, unless another one is named.
COMMAND = shlex.split(os.environ.get("WLFMT_COMMAND", "")) or [sys.executable, "-m", "wlfmt"]
ROOT = os.environ.get("WLFMT_ROOT", os.path.join(os.path.dirname(__file__), "..", ".."))
DATA = os.path.join(ROOT, "tests", "data")
LOG = os.path.join(DATA, "oplog_rank7_pipeline_last_stage.txt")
MOE_LOG = os.path.join(DATA, "oplog_rank7_moe_simulation.txt")
DENSE = os.path.join(DATA, "workload_dense_1024gpus.txt")
MOE = os.path.join(DATA, "workload_moe_128gpus.txt")
TABLE = os.path.join(DATA, "profiler_table_moe_train_step.txt")


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()
