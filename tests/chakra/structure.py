"""Holds `wlfmt chakra --check FILE.et` against traces that another program has written: this one.

usage: structure.py WLFMT FOLDER
"""
import os
import subprocess
import sys

COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def node(number, kind, after=(), **attributes):
    out = field(1, number) + field(2, b"n%d" % number) + field(3, kind)
    out += field(5, b"".join(varint(n) for n in after))
    for name, value in attributes.items():
        inner = field(1, name.encode())
        inner += field(29, value.encode()) if isinstance(value, str) else field(9, value)
        out += field(10, inner)
    return out


def trace(*nodes):
    return b"".join(varint(len(m)) + m for m in (b"", *nodes))


def main(wlfmt, folder):
    os.makedirs(folder, exist_ok=True)
    work = {"num_ops": 5}
    message = {"comm_src": 0, "comm_dst": 1, "comm_tag": 7, "comm_size": 64}
    reduction = {"comm_type": 0, "comm_size": 64, "pg_name": "1"}
    # what is in it, its traces, and words of the message; none if nothing is wrong
    cases = [
        ("sound", [trace(node(0, COMPUTE, **work), node(1, SEND, [0], **message), node(2, COLLECTIVE, [1], **reduction)),
                   trace(node(0, RECEIVE, **message), node(1, COLLECTIVE, [0], **reduction))], None),
        ("circle", [trace(node(0, COMPUTE, [2], **work), node(1, COMPUTE, [0], **work), node(2, COMPUTE, [1], **work))],
         "node 0, n0: 3 nodes wait in a circle"),
        ("unknown", [trace(node(0, COMPUTE, [9], **work))], "node 0, n0 waits for node 9, which there is not"),
        ("twice", [trace(node(3, COMPUTE, **work), node(3, COMPUTE, **work))], "another node has this id"),
        ("idle", [trace(node(0, COMPUTE, num_ops=0))], "num_ops is 0: ASTRA-sim never finishes it"),
        ("empty", [trace()], "the trace has no nodes, at which ASTRA-sim aborts"),
        ("unsent", [trace(node(0, COMPUTE, **work)), trace(node(0, RECEIVE, **message))],
         "a message is never sent: from rank 0 to 1, tag 7, 64 bytes"),
        ("unreceived", [trace(node(0, SEND, **message)), trace(node(0, COMPUTE, **work))],
         "a message is never received: from rank 0 to 1, tag 7, 64 bytes"),
        ("no size", [trace(node(0, COLLECTIVE, comm_type=0))], "node 0, n0: comm_size is missing"),
        ("nothing gathered", [trace(node(0, COLLECTIVE, comm_type=2, comm_size=0))], "an all-gather of 0 bytes never finishes"),
        ("apart", [trace(node(0, COLLECTIVE, **reduction)), trace(node(0, COLLECTIVE, **{**reduction, "comm_size": 32}))],
         "the collectives of group 1 are not those of"),
        ("cut", [trace(node(0, COMPUTE, **work))[:-1]], "this is no Chakra trace, or it was cut off"),
    ]
    failed = 0
    for title, traces, words in cases:
        paths = [os.path.join(folder, f"{title.replace(' ', '_')}.{rank}.et") for rank in range(len(traces))]
        for path, content in zip(paths, traces):
            with open(path, "wb") as file:
                file.write(content)
        found = subprocess.run([wlfmt, "chakra", "--check", *paths], capture_output=True, text=True)
        right = found.returncode == 0 if words is None else found.returncode != 0 and words in found.stderr
        if not right:
            print(f"{title}: exit status {found.returncode}, {found.stdout}{found.stderr}")
            failed += 1
    print(f"{len(cases)} runs of traces, {failed} wrong")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
