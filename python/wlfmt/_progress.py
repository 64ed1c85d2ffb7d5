"""How far a long piece of work has come: for a function, on a terminal, or in a notebook."""

import contextlib
import sys
from typing import Any, Callable, Iterator, Optional, Union

Progress = Union[None, bool, Callable[[int, int], Any]]
_Report = Callable[[int, int, bool], Any]
_WIDTH = 30


class _Bar:
    """A line on standard error if that is a terminal, or an output of a notebook's cell; elsewhere nothing."""

    def __init__(self) -> None:
        ipython = sys.modules.get("IPython")  # a notebook has imported it
        shell = ipython.get_ipython() if ipython is not None else None
        self._cell: Any = None
        self._display: Any = getattr(ipython, "display", None) if hasattr(shell, "kernel") else None
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._is_shown = False

    def show(self, done: int, total: int, are_bytes: bool) -> None:
        counted = f"{done / 1e6:.1f} of {total / 1e6:.1f} MB" if are_bytes else f"{done} of {total} files"
        if self._display is not None:
            page = self._display.HTML(f'<progress value="{done}" max="{max(total, 1)}"></progress> {counted}')
            if self._cell is None:
                self._cell = self._display.display(page, display_id=True)
            else:
                self._cell.update(page)
        elif self._is_terminal:
            filled = _WIDTH * min(done, total) // max(total, 1)
            sys.stderr.write(f"\r[{'#' * filled}{' ' * (_WIDTH - filled)}] {counted}\x1b[K")
            sys.stderr.flush()
            self._is_shown = True

    def clear(self) -> None:
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@contextlib.contextmanager
def reporter(progress: Progress) -> Iterator[Optional[_Report]]:
    """What the module is to call with how much is done, of how much, and whether these are bytes of a file."""
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        function: Callable[[int, int], Any] = progress
        yield lambda done, total, are_bytes: function(done, total)
    elif progress is True:
        bar = _Bar()
        try:
            yield bar.show
        finally:
            bar.clear()
    else:
        raise TypeError("progress: True, or a function of two numbers, (done, total), is expected")
