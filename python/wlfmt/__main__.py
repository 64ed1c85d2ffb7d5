"""python -m wlfmt: the command."""

import os
import sys

from . import _wlfmt


def main() -> int:
    """The command as a program: what it prints is not Python's."""
    return _wlfmt.main([b"wlfmt", *map(os.fsencode, sys.argv[1:])])


if __name__ == "__main__":
    sys.exit(main())
