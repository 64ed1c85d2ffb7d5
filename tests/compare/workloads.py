#!/usr/bin/env python3
"""Holds what `wlfmt diff --json` says of two workload files against this program's own reading of them: the sums by
group, collective and phase, the layers that are on one side, and that the lines for layers add up to the sums.

usage: workloads.py WLFMT FOLDER [FILE...]   FOLDER: for the files that are made here, of which is known what differs;
FILE: real files, each compared with the next and with itself
"""
import difflib
import json
import os
import random
import re
import subprocess
import sys

PHASES = ("forward", "input_grad", "weight_grad")
TIMES = PHASES + ("update",)
NAMES = {"ALLREDUCE": "allreduce", "ALLGATHER": "allgather", "REDUCESCATTER": "reduce_scatter",
         "ALLTOALL": "all_to_all", "ALLTOALLV": "all_to_all_v", "ALLREDUCEALLTOALL": "allreduce_all_to_all",
         "BROADCAST": "broadcast"}
SUFFIXES = {"_DP_EP": "expert_data_parallel", "_EP": "expert_parallel", "_DP": "data_parallel"}


class Unsure(Exception):
    """A file that this program does not read."""


def words_of(text):
    lines = [l.split() for l in text.lstrip("\ufeff").replace("\r", "").split("\n")]
    return [l for l in lines if l]


class Workload:
    def __init__(self, text):
        lines = words_of(text)
        if len(lines) < 2 or len(lines[1]) != 1 or not lines[1][0].isdigit():
            raise Unsure("head")
        self.policy = lines[0][0]
        self.header = {}
        words = lines[0][1:]
        if self.policy.startswith("HYBRID_DLRM") and words and re.fullmatch(r"-?\d+", words[0]):
            self.header["DLRM_LAST_BOTTOM_LAYER"] = words.pop(0)
        while words:
            key = words.pop(0).rstrip(":")
            if not words or key in self.header:
                raise Unsure("header")
            value = words.pop(0)
            if key in ("checkpoints", "checkpoint_initiates"):
                for _ in range(int(value)):
                    value += " " + words.pop(0)
            self.header[key] = value
        self.layers = []
        for l in lines[2:]:
            if len(l) not in (12, 13) or (len(l) == 13) != (self.policy == "HYBRID_CUSTOMIZED"):
                raise Unsure("layer")
            times = [float(l[n]) for n in (2, 5, 8, 11)]
            phases = [(l[n], int(l[n + 1])) for n in (3, 6, 9)]
            self.layers.append((l[0], times, phases, l[1], l[12:]))
        if len(self.layers) < int(lines[1][0]):
            raise Unsure("cut")

    def calls(self):
        """By (group, collective): calls and bytes."""
        sums = {}
        for _, _, phases, _, _ in self.layers:
            for n, (token, size) in enumerate(phases):
                if token == "NONE":
                    continue
                stem, group = token, "data_parallel" if n == 2 else "tensor_parallel"
                for suffix, named in SUFFIXES.items():
                    if token.endswith(suffix):
                        stem, group = token[:-len(suffix)], named
                        break
                key = (group, NAMES[stem]) if stem in NAMES else ("unknown", token)
                count, total = sums.get(key, (0, 0))
                sums[key] = count + 1, total + size
        return sums

    def messages(self):
        """Calls and bytes between stages; None if the header does not tell."""
        number = lambda key, missing: float(self.header.get(key, missing))
        try:
            tensor, stages, ranks = (int(number(k, m)) for k, m in
                                     (("model_parallel_NPU_group", 1), ("pp", 1), ("all_gpus", 0)))
            expert = int(number("ep", self.header.get("expert_parallel_npu_group", 1)))
            ga, vpp = number("ga", 1), number("vpp", 1)
        except ValueError as e:
            raise Unsure("a size") from e
        if ranks < 1 or tensor < 1 or stages < 1 or expert < 1 or ranks % (tensor * stages) != 0:
            return None
        data = ranks // tensor // stages
        if data % expert != 0 and data * stages % expert != 0:
            return None
        if stages == 1:
            return 0, 0
        return None if "pp_comm" not in self.header else (2 * ga * vpp, 2 * ga * vpp * number("pp_comm", 0))

    def ticks(self):
        return [sum(l[1][n] for l in self.layers) for n in range(4)]


def kind(layer):
    return re.sub(r"[0-9]", "", layer[0])


def run_diff(wlfmt, a, b, *options):
    run = subprocess.run([wlfmt, "diff", "--json", "--kind=workload", *options, a, b], capture_output=True, text=True, check=False)
    return run.returncode, [json.loads(line) for line in run.stdout.splitlines()]


def close(a, b):
    return abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))


def check(wlfmt, a_path, b_path):
    """True if wlfmt says what is expected, None if this program does not read the files."""
    try:
        a, b = (Workload(open(p, encoding="utf-8", newline="").read()) for p in (a_path, b_path))
        between = a.messages(), b.messages()
    except (Unsure, ValueError, UnicodeDecodeError, IndexError):
        return None
    status, lines = run_diff(wlfmt, a_path, b_path)
    wrong = []

    def expect(what, have, want):
        if have != want:
            wrong.append(f"{what}: have {have}, want {want}")

    by = lambda about: [l for l in lines if l.get("about") == about]
    head = lines[0]
    expect("layers", (head["before"]["layers"], head["after"]["layers"]), (len(a.layers), len(b.layers)))
    # The sums by group and collective.
    was, now = a.calls(), b.calls()
    if None not in between and any(between):
        was["pipeline_parallel", "message"], now["pipeline_parallel", "message"] = between
    grown = lambda k, n: now.get(k, (0, 0))[n] - was.get(k, (0, 0))[n]
    want = {k: (grown(k, 0), grown(k, 1)) for k in was.keys() | now.keys()}
    have = dict.fromkeys(want, (0, 0))
    for l in by("communication"):  # a line for each phase that differs
        have[l["group"], l["collective"]] = tuple(
            x + l[key]["difference"] for x, key in zip(have[l["group"], l["collective"]], ("calls", "bytes")))
    expect("communication", have, want)
    for n, key in enumerate(("calls", "bytes")):
        expect(key, (head[key]["before"], head[key]["after"]),
               tuple(sum(v[n] for v in side.values()) for side in (was, now)))
    # The sums by phase.
    ticks = {t: (x, y) for t, x, y in zip(TIMES, a.ticks(), b.ticks()) if not close(x, y)}
    have = {l["phase"]: (l["ticks"]["before"], l["ticks"]["after"]) for l in by("compute")}
    expect("phases", have.keys(), ticks.keys())
    expect("compute", [t for t in have if not (close(have[t][0], ticks[t][0]) and close(have[t][1], ticks[t][1]))], [])
    # The header.
    keys = {"policy": (a.policy, b.policy)} | {k: (a.header.get(k), b.header.get(k)) for k in a.header.keys() | b.header.keys()}
    number = lambda v: float(v) if v is not None and re.fullmatch(r"-?[0-9.]+", v) else v
    expect("header", {l["key"] for l in by("header")}, {k for k, (x, y) in keys.items() if number(x) != number(y)})
    # What the lines for layers say adds up to the sums.
    sign = {"added": 1, "removed": -1}
    count = sum(sign[l["change"]] * l["times"] * len(l["layers"]) for l in by("layers"))
    expect("layers on one side", count, len(b.layers) - len(a.layers))
    for n, t in enumerate(TIMES):
        found = sum(l[t]["difference"] for l in by("layer_compute")) + sum(sign[l["change"]] * l["compute"][t] for l in by("layers"))
        if not close(found, b.ticks()[n] - a.ticks()[n]):
            expect(t, found, b.ticks()[n] - a.ticks()[n])
    for n, p in enumerate(PHASES):
        moved = lambda w, n=n: sum(l[2][n][1] for l in w.layers if l[2][n][0] != "NONE")
        found = (sum(l["bytes"]["difference"] for l in by("layer_communication") if l["phase"] == p) +
                 sum(sign[l["change"]] * l["bytes"][p] for l in by("layers")))
        expect("bytes of " + p, found, moved(b) - moved(a))
    # No more layers are on one side than there have to be: this program finds as many pairs, or fewer.
    if len(a.layers) + len(b.layers) < 4000 and not head.get("reordered", True):
        pairs = sum(m.size for m in difflib.SequenceMatcher(None, [kind(l) for l in a.layers], [kind(l) for l in b.layers],
                                                            autojunk=False).get_matching_blocks())
        removed = sum(l["times"] * len(l["layers"]) for l in by("layers") if l["change"] == "removed")
        if len(a.layers) - removed < pairs:
            expect("pairs", len(a.layers) - removed, pairs)
    same = a.policy == b.policy and all(number(x) == number(y) for x, y in keys.values()) and a.layers == b.layers
    expect("exit status", status, 0 if same else 1)
    if same:
        expect("lines", len(lines), 1)
    if wrong:
        print("wrong:", a_path, b_path, *wrong, sep="\n  ")
    return not wrong


HEAD = "HYBRID_TRANSFORMER model_parallel_NPU_group: 4 ep: 1 pp: 2 vpp: 24 ga: 3 all_gpus: 16 pp_comm: 1000"
BLOCK = ["norm\t-1\t10\tNONE\t0\t10\tNONE\t0\t10\tNONE\t0\t1", "attention\t-1\t100\tALLREDUCE\t4096\t101\tALLREDUCE\t2048\t102\tNONE\t0\t1",
         "norm\t-1\t11\tNONE\t0\t11\tNONE\t0\t11\tNONE\t0\t1", "mlp\t-1\t300\tALLREDUCE\t512\t301\tALLREDUCE\t256\t302\tALLGATHER\t128\t1"]
NEW = "dropout\t-1\t7\tALLGATHER\t64\t8\tNONE\t0\t9\tNONE\t0\t2"


def file_of(blocks, head=HEAD, ends=("embedding_layer\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1",
                                      "final_column\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1")):
    layers = [ends[0]] + [l for b in blocks for l in b] + [ends[1]]
    return head + "\n" + str(len(layers)) + "\n" + "".join(l + "\n" for l in layers)


def made(folder):
    """Yields (name, before, after, lines): of each line of layers what it says."""
    same = [list(BLOCK) for _ in range(24)]
    changed = lambda n, old, new: [b[:n] + [b[n].replace(old, new)] + b[n + 1:] for b in same]
    numbered = lambda shift: [[re.sub(r"^(\w+)", rf"\g<1>_{k + shift}", l) for l in b] for k, b in enumerate(same)]
    base = file_of(same)
    yield "inserted", base, file_of([b[:2] + [NEW] + b[2:] for b in same]), [("layers", "added", 24, ["dropout"])]
    yield "one inserted", base, file_of(same[:5] + [same[5][:1] + [NEW] + same[5][1:]] + same[6:]), [("layers", "added", 1, ["dropout"])]
    yield "block", base, file_of(same + same[:1]), [("layers", "added", 1, ["norm", "attention", "norm", "mlp"])]
    yield "blocks", file_of(same * 2), base, [("layers", "removed", 1, ["norm", "attention", "norm", "mlp"] * 24)]
    yield "collective", base, file_of(changed(1, "100\tALLREDUCE", "100\tREDUCESCATTER")), [
        ("layer_communication", 24, 2, "attention", "forward", "ALLREDUCE", "REDUCESCATTER", 24 * 4096, 24 * 4096)]
    yield "bytes", base, file_of(changed(3, "ALLGATHER\t128", "ALLGATHER\t129")), [
        ("layer_communication", 24, 4, "mlp", "weight_grad", "ALLGATHER", "ALLGATHER", 24 * 128, 24 * 129)]
    # The second layer of a name in its block, and one block of them.
    yield "compute", base, file_of(changed(2, "\t11\tNONE\t0\t11\tNONE", "\t13\tNONE\t0\t11\tNONE")), [
        ("layer_compute", 24, 3, "norm", 24 * 11, 24 * 13)]
    yield "one", base, file_of(same[:1] + changed(1, "\t100\t", "\t90\t")[:1] + same[2:]), [("layer_compute", 1, 6, "attention", 100, 90)]
    yield "removed", file_of(numbered(0)), file_of([b[:3] for b in numbered(0)]), [("layers", "removed", 24, "mlp")]
    # Numbers in names are no difference but a count.
    yield "numbers", file_of(numbered(0)), file_of(numbered(1)), [("renumbered", 96)]
    yield "order", base, file_of([[b[1], b[0]] + b[2:] for b in same]), [("reordered",)]
    yield "header", base, file_of(same, HEAD.replace(" pp: 2", " pp: 4").replace(" ga: 3", "")), [("header", "ga", "3", None), ("header", "pp", "2", "4")]
    yield "fields", base, file_of(changed(0, "\t-1\t", "\t5\t")), [("layer_field", 24, 1, "norm", "dependency", "-1", "5")]
    yield "silent bytes", base, file_of(changed(0, "NONE\t0\t1", "NONE\t8\t1")), [("layer_field", 24, 1, "norm", "forward.bytes", "0", "8"), ("layer_field", 24, 1, "norm", "input_grad.bytes", "0", "8"), ("layer_field", 24, 1, "norm", "weight_grad.bytes", "0", "8")]


def said(lines):
    found = []
    for l in lines:
        about = l.get("about")
        if about == "layers":
            found.append(("layers", l["change"], l["times"], l["layers"]))
        elif about == "layer_communication":
            found.append((about, l["times"], l["at"], l["layer"], l["phase"], l["before"], l["after"], l["bytes"]["before"], l["bytes"]["after"]))
        elif about == "layer_compute":
            found.append((about, l["times"], l["at"], l["layer"], sum(l["forward"][s] for s in ("before",)), l["forward"]["after"]))
        elif about == "layer_field":
            found.append((about, l["times"], l["at"], l["layer"], l["field"], l["before"], l["after"]))
        elif about == "header":
            found.append((about, l["key"], l["before"], l["after"]))
        elif about is None:
            if l["renumbered"]:
                found.append(("renumbered", l["renumbered"]))
            if l["reordered"]:
                found.append(("reordered",))
    return sorted(found, key=str)


def random_file(rng):
    """A file of random blocks; the names are those of other files, too."""
    tokens = ["NONE", "NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER_EP", "ALLTOALL_EP", "ALLREDUCE_DP", "BROADCAST", "STRANGE"]
    layer = lambda: "\t".join([rng.choice("abcdef") * 2 + rng.choice(["", "1", "2"]), "-1"] +
                              [str(rng.choice([0, 5, rng.randrange(10**6), 1.5])) if n % 3 == 0 else
                               rng.choice(tokens) if n % 3 == 1 else str(rng.randrange(10**9)) for n in range(9)] + [str(rng.randrange(3))])
    layers = []
    for _ in range(rng.randrange(1, 5)):
        layers += [layer() for _ in range(rng.randrange(1, 6))] * rng.randrange(1, 9)
    head = HEAD if rng.random() < 0.5 else "DATA model_parallel_NPU_group: " + str(rng.randrange(1, 9))
    return head + "\n" + str(len(layers)) + "\n" + "\n".join(layers) + "\n"


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def main(wlfmt, folder, files):
    rng = random.Random(20241123)
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for name, before, after, want in made(folder):
        a, b = (write(os.path.join(folder, f"{name}.{n}"), t) for n, t in ((0, before), (1, after)))
        if name == "removed":
            want = [("layers", "removed", 24, ["mlp_0"])]
        have = said(run_diff(wlfmt, a, b)[1])
        if name == "order":
            have = have[-1:]
        if have != sorted(want, key=str) or check(wlfmt, a, b) is not True:
            print(name, "have", have, "want", want)
            failed += 1
        # What is asked for alone is a part of what is said otherwise.
        parts = {"communication": ("communication", "layer_communication"), "compute": ("compute", "layer_compute"), "header": ("header",)}
        every = run_diff(wlfmt, a, b)[1]
        for only, about in parts.items():
            status, lines = run_diff(wlfmt, a, b, "--only=" + only)
            own = [l for l in lines[1:] if l["about"] != "layers"]
            if own != [l for l in every[1:] if l["about"] in about] or status != (1 if len(lines) > 1 else 0):
                print(name, only, "alone", status, lines)
                failed += 1
    pairs = [tuple(write(os.path.join(folder, f"{n}{s}"), random_file(rng)) for s in "ab") for n in range(60)]
    pairs += list(zip(files, files[1:])) + [(f, f) for f in files]
    results = [check(wlfmt, a, b) for a, b in pairs]
    print(f"{results.count(True)} pairs of {len(pairs)} right, {results.count(False)} wrong, {results.count(None)} not read here")
    return failed != 0 or results.count(False) != 0 or None in results[:60]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
