"""Holds `wlfmt chakra --show` against traces that this program decodes itself: those that the command writes, and random
ones with every type of the schema (mlcommons/chakra, schema/protobuf/et_def.proto), among them damaged ones.

usage: show.py WLFMT FOLDER TRACE... [SEED COUNT]
"""
import json
import os
import random
import struct
import subprocess
import sys

from structure import field, trace, varint

TYPES = ["double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32",
         "sfixed64", "bool", "string", "bytes"]
NODES = ["INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE", "COMM_SEND_NODE",
         "COMM_RECV_NODE", "COMM_COLL_NODE"]
FIXED = {"double": "<d", "float": "<f", "fixed32": "<I", "fixed64": "<Q", "sfixed32": "<i", "sfixed64": "<q"}


def take_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value & (1 << 64) - 1, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = take_varint(data, at)
        if key & 7 == 0:
            value, at = take_varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = take_varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, key & 7, value


def number(kind, raw):
    if kind in FIXED:
        return struct.unpack(FIXED[kind], raw)[0]
    if kind.startswith("sint"):
        raw &= (1 << int(kind[4:])) - 1
        return raw >> 1 ^ -(raw & 1)
    if kind == "bool":
        return raw != 0
    if not isinstance(raw, int):
        return raw.decode("utf-8", "surrogateescape") if kind == "string" else raw.hex()
    bits = 32 if kind.endswith("32") else 64
    raw &= (1 << bits) - 1
    return raw - (1 << bits) if kind.startswith("int") and raw >> bits - 1 else raw


def attributes(message, number_of_field):
    found = {}
    for key, wire, value in fields(message):
        if key != number_of_field:
            continue
        name, own = "", None
        for inner, wire, raw in fields(value):
            kind = TYPES[(inner - 3) // 2] if 3 <= inner < 33 else None
            if inner == 1:
                name = raw.decode()
            elif kind and inner % 2 == 1:
                own = number(kind, raw)
            elif kind:
                own = []
                for _, packed, item in fields(raw):
                    if packed != 2 or kind in ("string", "bytes"):
                        own.append(number(kind, item))
                    elif kind in FIXED:
                        own += [v[0] for v in struct.iter_unpack(FIXED[kind], item)]
                    else:
                        at = 0
                        while at < len(item):
                            v, at = take_varint(item, at)
                            own.append(number(kind, v))
        found[name] = own
    return found


def decoded(data):
    """The lines of --show --json, but for the name and the rank."""
    lines, at = [], 0
    while at < len(data):
        byte = at
        size, at = take_varint(data, at)
        message, at = data[at:at + size], at + size
        if not lines:
            version = [v for k, _, v in fields(message) if k == 1]
            lines.append({"version": version[-1].decode() if version else "", "attr": attributes(message, 2)})
            continue
        node = {"node": len(lines) - 1, "byte": byte, "id": 0, "name": "", "type": NODES[0], "ctrl_deps": [],
                "data_deps": [], "start_time_micros": 0, "duration_micros": 0, "attr": attributes(message, 10)}
        for key, wire, value in fields(message):
            if key in (4, 5):
                ids = node[("ctrl_deps", "data_deps")[key - 4]]
                if wire == 0:
                    ids.append(value)
                else:
                    place = 0
                    while place < len(value):
                        v, place = take_varint(value, place)
                        ids.append(v)
            elif key == 2:
                node["name"] = value.decode()
            elif key == 3:
                node["type"] = NODES[value] if value < len(NODES) else value
            elif key in (1, 6, 7):
                node[{1: "id", 6: "start_time_micros", 7: "duration_micros"}[key]] = value
            elif key in (8, 9):
                texts = {k: v.decode() for k, _, v in fields(value)}
                node[("inputs", "outputs")[key - 8]] = dict(zip(("values", "shapes", "types"),
                                                               (texts.get(n, "") for n in (1, 2, 3))))
        lines.append(node)
    return lines


def fixed_field(key, kind, value):
    packed = struct.pack(FIXED[kind], value)
    return varint(key << 3 | (1 if len(packed) == 8 else 5)) + packed


def encoded(chance, kind):
    """A value's raw bytes without a key, its wire type."""
    if kind in ("string", "bytes"):
        text = chance.choice(["", "a", 'quote " \\ \n', "gr\u00fc\u00df"]).encode()
        return varint(len(text)) + text, 2
    if kind in ("double", "float"):
        packed = struct.pack(FIXED[kind], chance.choice([0.0, -1.5, 0.25, 1e10]))
        return packed, 1 if len(packed) == 8 else 5
    if kind in FIXED:
        packed = struct.pack(FIXED[kind], chance.randrange(0, 1 << 30))
        return packed, 1 if len(packed) == 8 else 5
    return varint(chance.choice([0, 1, 7, 1 << 31, (1 << 64) - 1, chance.getrandbits(63)])), 0


def random_attribute(chance, name):
    place = chance.randrange(len(TYPES))
    kind = TYPES[place]
    if chance.random() < 0.1:
        return field(1, name.encode())
    if chance.random() < 0.5:
        raw, wire = encoded(chance, kind)
        return field(1, name.encode()) + varint(3 + 2 * place << 3 | wire) + raw
    items = [encoded(chance, kind) for _ in range(chance.randrange(4))]
    if items and items[0][1] != 2 and chance.random() < 0.6:
        content = field(1, b"".join(raw for raw, _ in items))
    else:
        content = b"".join(varint(1 << 3 | wire) + raw for raw, wire in items)
    return field(4 + 2 * place, content) + field(1, name.encode())


def random_node(chance, n):
    out = field(1, n) + field(2, b"n%d" % n) + field(3, chance.choice([0, 1, 2, 3, 4, 4, 4, 9]))
    after = [chance.randrange(n) for _ in range(chance.randrange(3))] if n else []
    out += b"".join(field(4, m) for m in after) if chance.random() < 0.5 else field(5, b"".join(map(varint, after)))
    out += field(6, chance.getrandbits(40)) + field(7, chance.getrandbits(20))
    if chance.random() < 0.3:
        out += field(8, field(1, b"[1]") + field(3, b"['int']")) + field(9, b"")
    if chance.random() < 0.2:
        out += field(77, b"unknown") + field(1000, 5)
    return out + b"".join(field(10, random_attribute(chance, f"a{k}")) for k in range(chance.randrange(5)))


def main(wlfmt, folder, paths, seed, count):
    os.makedirs(folder, exist_ok=True)
    failed = []

    def run(*arguments):
        return subprocess.run([wlfmt, "chakra", "--show", *arguments], capture_output=True)

    def check(path):
        with open(path, "rb") as file:
            wanted = decoded(file.read())
        done = run("--json", path)
        lines = [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]
        for line in lines:
            line.pop("trace"), line.pop("rank", None)
        if done.returncode not in (0, 1) or lines != wanted:
            first = next((n for n, (a, b) in enumerate(zip(lines, wanted)) if a != b), min(len(lines), len(wanted)))
            failed.append(f"{path}: status {done.returncode}, line {first}: {lines[first:first + 1]}, "
                          f"not {wanted[first:first + 1]}: {done.stderr}")

    for path in paths:
        check(path)
    chance = random.Random(seed)
    for n in range(count):
        path = os.path.join(folder, f"random.{n}.et")
        whole = trace(*(random_node(chance, k) for k in range(chance.randrange(1, 30))))
        with open(path, "wb") as file:
            file.write(whole)
        check(path)
        # What is cut off is an error with the node and the byte at which its message begins.
        messages = decoded(whole)
        cut = chance.randrange(1, len(whole))
        with open(path, "wb") as file:
            file.write(whole[:cut])
        done = run(path)
        begins = [line["byte"] for line in messages[1:]]
        if cut in begins:
            right = done.returncode in (0, 1)
        else:
            node = max((k for k, byte in enumerate(begins) if byte < cut), default=None)
            at = f"node {node}, byte {begins[node]}: " if node is not None else "metadata, byte 0: "
            right = done.returncode == 2 and at.encode() in done.stderr
        if not right:
            failed.append(f"{path}, cut at {cut} of {len(whole)}: status {done.returncode}, {done.stderr}")

    # A field that goes beyond its message, a number of more than 64 bits, and a number that no field has.
    for title, node, words in (("long", field(1, 5) + b"\x12\x09abc", "node 0, byte 5: a field goes beyond the end"),
                               ("wide", field(1, 5) + b"\x08" + b"\xff" * 11, "byte 5: a number has more than 64 bits"),
                               ("nested", field(10, b"\x0a\x7fx"), "node 0, byte 5: a field goes beyond the end"),
                               ("zero", field(1, 5) + b"\x00\x00", "byte 4: a field has a number"),
                               ("group", field(1, 5) + b"\x0b\x0c", "byte 4: a field has a type")):
        path = os.path.join(folder, f"{title}.0.et")
        with open(path, "wb") as file:
            file.write(trace(node))
        done = run(path)
        if done.returncode != 2 or words.encode() not in done.stderr:
            failed.append(f"{title}: status {done.returncode}, {done.stderr}")
    print("\n".join(failed[:5]) or f"{len(paths)} traces of the command and {count} random ones are shown as they are")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:], 7, 60))
