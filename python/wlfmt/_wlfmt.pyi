from typing import Any, Callable, List, Optional, Tuple

version: str

_Input = Tuple[bytes, Optional[bytes]]
_Problem = Tuple[str, str, str, Optional[int], Optional[int], str, str, str]

class ParseError(ValueError):
    kind: str
    file: str
    line: Optional[int]
    column: Optional[int]
    field: str
    message: str

def stream(
    inputs: List[_Input], of: int, columns: List[bytes], ranks: List[int], lenient: bool, rows_per_batch: int, threads: int,
    on_problem: Callable[[_Problem], Any],
) -> Any: ...
def schema(
    inputs: List[_Input], of: int, columns: List[bytes], ranks: List[int], lenient: bool, rows_per_batch: int, threads: int,
    on_problem: Callable[[_Problem], Any],
) -> Any: ...
def end() -> None: ...
def regular(paths: List[bytes], /) -> bytes: ...
def read(input: _Input, kind: int, lenient: bool) -> Tuple[bytes, List[_Problem]]: ...
def write(json: bytes, kind: int) -> bytes: ...
def check(input: _Input, kind: int) -> List[_Problem]: ...
