"""python -m wlfmt: the command."""

import os
import subprocess
import sys

from ._runs import _command


def main() -> int:
    arguments = [_command(), *sys.argv[1:]]
    if os.name == "nt":
        return subprocess.run(arguments, check=False).returncode
    os.execv(arguments[0], arguments)
    return 2  # not reached


if __name__ == "__main__":
    sys.exit(main())
