"""Puts a field's key before each message of a trace, so that protoc reads all of it as one message (chakra.proto).

usage: frame.py TRACE > MESSAGE
"""
import sys

trace = open(sys.argv[1], 'rb').read()
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
        sys.exit('%s: a message of %d bytes goes beyond the end' % (sys.argv[1], size))
    sys.stdout.buffer.write(key + trace[begin:at])
    key = b'\x12'  # field 2, a node
