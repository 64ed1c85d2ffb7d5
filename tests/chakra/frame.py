"""Makes one message of traces, for protoc to read (chakra.proto): each message in a trace gets a field's key before it.

usage: frame.py TRACE... > MESSAGE
"""
import sys


def varint(n):
    digits = bytearray()
    while n >= 0x80:
        digits.append(n & 0x7f | 0x80)
        n >>= 7
    digits.append(n)
    return bytes(digits)


def framed(path):
    trace = open(path, 'rb').read()
    out = []
    at = 0
    key = b'\x0a'  # field 1, the metadata
    while at < len(trace):
        begin = at
        size = shift = 0
        while True:
            byte = trace[at]
            at += 1
            size |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                break
        at += size
        if at > len(trace):
            sys.exit('%s: a message of %d bytes goes beyond the end' % (path, size))
        out.append(key + trace[begin:at])
        key = b'\x12'  # field 2, a node
    return b''.join(out)


for path in sys.argv[1:]:
    message = framed(path)
    sys.stdout.buffer.write(b'\x0a' + varint(len(message)) + message)
