"""Reads Arrow C streams with ctypes alone, and holds every struct against the specification as it does so."""

import ctypes as c


class Schema(c.Structure):
    pass


class Array(c.Structure):
    pass


class Stream(c.Structure):
    pass


Schema._fields_ = [
    ("format", c.c_char_p), ("name", c.c_char_p), ("metadata", c.c_char_p), ("flags", c.c_int64),
    ("n_children", c.c_int64), ("children", c.POINTER(c.POINTER(Schema))), ("dictionary", c.POINTER(Schema)),
    ("release", c.CFUNCTYPE(None, c.POINTER(Schema))), ("private_data", c.c_void_p)]
Array._fields_ = [
    ("length", c.c_int64), ("null_count", c.c_int64), ("offset", c.c_int64), ("n_buffers", c.c_int64),
    ("n_children", c.c_int64), ("buffers", c.POINTER(c.c_void_p)), ("children", c.POINTER(c.POINTER(Array))),
    ("dictionary", c.POINTER(Array)), ("release", c.CFUNCTYPE(None, c.POINTER(Array))), ("private_data", c.c_void_p)]
Stream._fields_ = [
    ("get_schema", c.CFUNCTYPE(c.c_int, c.POINTER(Stream), c.POINTER(Schema))),
    ("get_next", c.CFUNCTYPE(c.c_int, c.POINTER(Stream), c.POINTER(Array))),
    ("get_last_error", c.CFUNCTYPE(c.c_char_p, c.POINTER(Stream))),
    ("release", c.CFUNCTYPE(None, c.POINTER(Stream))), ("private_data", c.c_void_p)]

pointer_of = c.pythonapi.PyCapsule_GetPointer
pointer_of.restype = c.c_void_p
pointer_of.argtypes = [c.py_object, c.c_char_p]


class StreamError(Exception):
    def __init__(self, code, words):
        super().__init__(words)
        self.code = code


def _items(address, kind, count):
    assert address and address % 8 == 0
    return list((kind * count).from_address(address)) if count else []


def _values(schema, array):
    """The values of a column as a list: int, float, str, list of int, or None."""
    form = schema.format
    assert schema.release and array.release and array.private_data
    assert array.offset == 0 and array.length >= 0
    assert array.n_buffers == {b"u": 3}.get(form, 2)
    assert array.n_children == schema.n_children == (1 if form == b"+l" else 0)
    assert bool(array.dictionary) == bool(schema.dictionary) == (form == b"i")
    rows = array.length
    bits = _items(array.buffers[0], c.c_uint8, (rows + 7) // 8) if array.buffers[0] else None
    valid = [bits is None or bits[n // 8] >> n % 8 & 1 == 1 for n in range(rows)]
    assert valid.count(False) == array.null_count
    assert schema.flags & 2 or not array.null_count
    assert bits is None or rows % 8 == 0 or bits[-1] >> rows % 8 == 0
    if form in (b"l", b"g"):
        values = _items(array.buffers[1], c.c_int64 if form == b"l" else c.c_double, rows)
    elif form == b"i":
        words = _values(schema.dictionary.contents, array.dictionary.contents)
        assert None not in words and len(set(words)) == len(words)
        numbers = _items(array.buffers[1], c.c_int32, rows)
        assert all(0 <= n < len(words) for n in numbers)
        values = [words[n] for n in numbers]
    elif form == b"u":
        ends = _items(array.buffers[1], c.c_int32, rows + 1)
        assert ends[0] == 0 and ends == sorted(ends)
        assert array.buffers[2]
        text = c.string_at(array.buffers[2], ends[-1])
        values = [text[a:b].decode("utf-8") for a, b in zip(ends, ends[1:])]
    else:
        assert form == b"+l" and schema.n_children == array.n_children == 1
        ends = _items(array.buffers[1], c.c_int32, rows + 1)
        assert ends[0] == 0 and ends == sorted(ends)
        items = _values(schema.children[0].contents, array.children[0].contents)
        assert len(items) == ends[-1]
        values = [items[a:b] for a, b in zip(ends, ends[1:])]
    return [v if ok else None for v, ok in zip(values, valid)]


def read_schema(scan):
    capsule = scan.__arrow_c_schema__()
    schema = Schema.from_address(pointer_of(capsule, b"arrow_schema"))
    assert schema.format == b"+s"
    return [(schema.children[n].contents.name.decode(), schema.children[n].contents.format.decode())
            for n in range(schema.n_children)]


def batches(scan):
    """The batches of a scan, each a dict of columns."""
    capsule = scan.__arrow_c_stream__()
    stream = Stream.from_address(pointer_of(capsule, b"arrow_array_stream"))
    at = c.byref(stream)

    def check(code):
        if code:
            raise StreamError(code, (stream.get_last_error(at) or b"").decode())

    schema = Schema()
    check(stream.get_schema(at, c.byref(schema)))
    try:
        names = [schema.children[n].contents.name.decode() for n in range(schema.n_children)]
        while True:
            array = Array()
            check(stream.get_next(at, c.byref(array)))
            if not array.release:
                return
            assert array.n_children == len(names) and array.null_count == 0 and array.n_buffers == 1
            columns = [array.children[n].contents for n in range(len(names))]
            assert all(col.length == array.length for col in columns)
            yield {name: _values(schema.children[n].contents, col)
                   for n, (name, col) in enumerate(zip(names, columns))}
            array.release(c.byref(array))
            assert not array.release
    finally:
        schema.release(c.byref(schema))
        stream.release(at)
        assert not stream.release


def read(scan):
    """All rows, each a dict."""
    return [dict(zip(batch, row)) for batch in batches(scan) for row in zip(*batch.values())]
