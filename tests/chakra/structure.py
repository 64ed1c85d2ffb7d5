"""Holds `wlfmt chakra --check FILE.et` and `--show FILE.et` against traces that another program has written: this one.

usage: structure.py WLFMT FOLDER
"""
import json
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
    send = lambda **other: trace(node(0, SEND, **{k: v for k, v in {**message, **other}.items() if v is not None}))
    reduces = lambda **other: trace(node(0, COLLECTIVE, **{**reduction, **other}))
    # what is in it, its traces, and words of the message; none if nothing is wrong; the groups of PREFIX.json
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
         "apart.0.et: number 1 is node 0, n0, ALL_REDUCE of 32 bytes, and there node 0, n0, ALL_REDUCE of 64 bytes"),
        ("fewer", [trace(node(0, COLLECTIVE, **reduction), node(1, COLLECTIVE, [0], **reduction)), reduces()],
         "fewer.0.et: number 2 is missing, and there node 1, n1, ALL_REDUCE of 64 bytes"),
        ("another order", [trace(node(0, COLLECTIVE, **reduction), node(1, COLLECTIVE, [0], **{**reduction, "comm_type": 7})),
                           trace(node(0, COLLECTIVE, **{**reduction, "comm_type": 7}), node(1, COLLECTIVE, [0], **reduction))],
         "number 1 is node 0, n0, REDUCE_SCATTER of 64 bytes, and there node 0, n0, ALL_REDUCE of 64 bytes"),
        ("two groups", [trace(node(0, COLLECTIVE, **reduction), node(1, COLLECTIVE, [0], **{**reduction, "pg_name": "2"})),
                        trace(node(0, COLLECTIVE, **{**reduction, "pg_name": "2"}), node(1, COLLECTIVE, [0], **reduction))],
         None),
        ("no rank takes part", [reduces(pg_name="0"), trace(node(0, COMPUTE, **work))],
         "rank 1 has none of the collectives of group 0"),
        ("a member is missing", [reduces(), reduces(), trace(node(0, COMPUTE, **work))],
         "rank 2 has none of the collectives of group 1", {"1": [0, 1, 2]}),
        ("a member too many", [reduces(), reduces()], "rank 1 is not in group 1", {"1": [0, 2]}),
        ("alone", [reduces()], "group 1 has one rank", {"1": [0]}),
        ("no group", [reduces()], ".json has no group 1, at which ASTRA-sim ends", {"2": [0, 1]}),
        ("groups", [reduces(), reduces()], None, {"1": [0, 1]}),
        ("the last group", [reduces(pg_name="12"), reduces(pg_name="12")], None, {"2": [0, 1], "1": [1], "12": [0, 1]}),
        ("another file", [reduces(), reduces()], None, {"topology": ["Ring"]}),
        ("a word", [reduces(pg_name="default")], "group default is no number, at which ASTRA-sim ends"),
        ("a number", [reduces(pg_name=1)], "pg_name is no text, at which ASTRA-sim ends"),
        ("barrier", [reduces(comm_type=9)], "ASTRA-sim has no collective BARRIER"),
        ("on a processor", [reduces(is_cpu_op=1)], "is_cpu_op is true, at which ASTRA-sim ends"),
        ("below 0", [reduces(comm_size=-1)], "comm_size is below 0"),
        ("a word for a size", [reduces(comm_size="64")], "comm_size is no whole number"),
        ("to nobody", [send(comm_dst=None)], "comm_dst is missing"), ("no tag", [send(comm_tag=None)], "comm_tag is missing"),
        ("from another", [send(comm_src=3)], "comm_src is not the rank 0 of the trace, at which ASTRA-sim ends"),
        ("from itself", [send(comm_src=None), trace(node(0, RECEIVE, comm_src=0, comm_tag=7, comm_size=64))], None),
        ("the first counts", [trace(node(0, COLLECTIVE, **reduction) + field(10, field(1, b"comm_type") + field(9, 9)))], None),
        ("cut", [trace(node(0, COMPUTE, **work))[:-1]], "node 0, byte 1: a message goes beyond the end"),
    ]
    failed = 0
    for title, traces, words, *groups in cases:
        paths = [os.path.join(folder, f"{title.replace(' ', '_')}.{rank}.et") for rank in range(len(traces))]
        for path, content in zip(paths, traces):
            with open(path, "wb") as file:
                file.write(content)
        listed = os.path.join(folder, title.replace(" ", "_") + ".json")
        if os.path.exists(listed):
            os.remove(listed)
        for members in groups:
            with open(listed, "w") as file:
                json.dump(members, file, indent=len(title) % 3 or None)
        found = subprocess.run([wlfmt, "chakra", "--check", *paths], capture_output=True, text=True)
        right = found.returncode == 0 if words is None else found.returncode != 0 and words in found.stderr
        if not right:
            print(f"{title}: exit status {found.returncode}, {found.stdout}{found.stderr}")
            failed += 1
    # What is shown of two ranks, in whatever order they are given, and that they do not fit each other.
    shown = lambda *names: subprocess.run([wlfmt, "chakra", "--show", *(os.path.join(folder, name) for name in names)],
                                          capture_output=True, text=True)
    found = shown("sound.1.et", "sound.0.et")
    wanted = """\
  ranks  nodes  COMP_NODE  COMM_SEND_NODE  COMM_RECV_NODE  COMM_COLL_NODE  computation, us  num_ops
  0          3          1               1               0               1                0        5
  1          2          0               0               1               1                0        0

  collective  group  its ranks  in ranks  nodes of each  bytes of each
  ALL_REDUCE      1          -       0-1              1             64

  from rank  to rank  sends  bytes  receives  bytes
  0                1      1     64         1     64
"""
    if (found.returncode, found.stdout) != (0, wanted):
        print(f"--show: exit status {found.returncode}, {found.stdout}{found.stderr}")
        failed += 1
    found = shown("groups.0.et", "groups.1.et")
    if found.returncode != 0 or "  ALL_REDUCE      1          2       0-1              1             64\n" not in found.stdout:
        print(f"--show with groups: exit status {found.returncode}, {found.stdout}{found.stderr}")
        failed += 1
    for name, words in (("apart", "the collectives of group 1 are not those of"), ("unsent", "a message is never sent")):
        found = shown(name + ".0.et", name + ".1.et")
        if found.returncode != 1 or words not in found.stderr:
            print(f"--show of {name}: exit status {found.returncode}, {found.stdout}{found.stderr}")
            failed += 1
    print(f"{len(cases)} runs of traces, {failed} wrong")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
