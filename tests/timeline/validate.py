# Holds a timeline against the rules of the Trace Event format and of what Perfetto draws: slices of a thread nest, flows
# come in pairs within slices and do not end before they begin, times do not run backwards. Written from the format's
# description, not from the writer.
# usage: validate.py TRACE...      Prints what it counted.
import json
import sys
from collections import defaultdict


def check(path):
    problems = []
    text = open(path, encoding="utf-8", errors="surrogateescape").read()
    trace = json.loads(text)
    events = trace["traceEvents"]
    slices = defaultdict(list)
    flows = defaultdict(dict)
    names = {}
    last = defaultdict(lambda: -1.0)
    count = defaultdict(int)
    for e in events:
        count[e["ph"]] += 1
        if not isinstance(e["pid"], int) or not isinstance(e["tid"], int):
            problems.append(f"pid or tid is no integer: {e}")
        if "cname" in e:
            problems.append(f"cname: {e}")
        if not e.get("cat"):
            problems.append(f"without a category: {e}")
        if e["ph"] == "M":
            if e["name"].endswith("_name"):
                key = e["name"], e["pid"], e["tid"] if e["name"] == "thread_name" else 0
                if key in names:
                    problems.append(f"named twice: {key}")
                names[key] = e["args"]["name"]
            continue
        if e["ts"] < 0:
            problems.append(f"before the beginning: {e}")
        if e["ts"] < last[e["pid"]]:
            problems.append(f"back in time: {e}")
        last[e["pid"]] = e["ts"]
        if ("thread_name", e["pid"], e["tid"]) not in names or ("process_name", e["pid"], 0) not in names:
            problems.append(f"without a name: {e}")
        # Nanoseconds, as sums of binary fractions are not exact.
        begin = round(e["ts"] * 1000)
        if e["ph"] == "X":
            if e["dur"] < 0:
                problems.append(f"negative duration: {e}")
            # Viewers add up doubles: what misses the end by a unit in the last place nests the next slice.
            until = (begin + round(e["dur"] * 1000)) / 1000
            if e["ts"] < 1e9 and not 0 <= until - (e["ts"] + e["dur"]) < 1e-6:
                problems.append(f"beginning and duration do not add up to the end: {e}")
            slices[e["pid"], e["tid"]].append((begin, begin + round(e["dur"] * 1000), e["name"]))
        elif e["ph"] in "sf":
            if not isinstance(e["id"], int if e["cat"] == "pp" else str):
                problems.append(f"a flow's id is of another type: {e}")
            if e["ph"] in flows[e["id"]]:
                problems.append(f"a flow's id is used twice: {e}")
            flows[e["id"]][e["ph"]] = e, begin
            if e["ph"] == "f" and e.get("bp") != "e":
                problems.append(f"not bound to the slice around it: {e}")
        elif e["ph"] == "i":
            if e.get("s") != "t":
                problems.append(f"an instant of no thread: {e}")
        else:
            problems.append(f"unknown phase: {e}")
    for track, all_slices in slices.items():
        open_ends = []
        for begin, end, name in sorted(all_slices, key=lambda s: (s[0], -s[1])):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            if open_ends and end > open_ends[-1]:
                problems.append(f"{track}: {name} at {begin} ends at {end}, after what it is in, at {open_ends[-1]}")
            open_ends.append(end)
    for number, sides in flows.items():
        if set(sides) != {"s", "f"}:
            problems.append(f"flow {number} has one side: {sides}")
            continue
        for e, at in sides.values():
            wanted = "" if e["cat"] == "waiting" else "send_" if e["ph"] == "s" else "recv_"
            if not any(b <= at <= end and name.startswith(wanted) for b, end, name in slices[e["pid"], e["tid"]]):
                problems.append(f"not in a slice of its kind: {e}")
        if sides["f"][1] < sides["s"][1]:
            problems.append(f"flow {number} ends before it begins: {sides}")
        if sides["s"][0]["pid"] == sides["f"][0]["pid"]:
            problems.append(f"flow {number} stays where it is")
    for p in problems[:20]:
        print(f"{path}: {p}")
    threads = [n for (kind, _, _), n in names.items() if kind == "thread_name"]
    print(f"{path}: {len({p for p, _ in slices})} processes, {count['X']} slices, {count['i']} instants, "
          f"{len(flows)} flows, tracks: {', '.join(sorted(set(threads)))}")
    return not problems


good = [check(path) for path in sys.argv[1:]]
sys.exit(0 if good and all(good) else 1)
