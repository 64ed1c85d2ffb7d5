# Holds a timeline against the rules of the Trace Event format: slices of a thread nest, flows come in pairs within slices
# and do not end before they begin, times do not run backwards; and against what Perfetto makes of it (imported()). Written
# from the format's description and Perfetto's source, not from the writer.
# usage: validate.py TRACE...      Prints what it counted.
import json
import math
import re
import sys
from collections import defaultdict


def nanoseconds(microseconds):
    scaled = microseconds * 1000
    return int(microseconds) * 1000 if microseconds == int(microseconds) else math.floor(scaled + 0.5)


def imported(events):
    """What Perfetto's trace_processor cannot import of a trace, or imports otherwise than it is meant: the rules of its
    src/trace_processor/importers/json/json_trace_tokenizer.cc and json_trace_parser.cc, and common/slice_tracker.cc and
    flow_tracker.cc, of August 2026. Events are sorted by time, those of one time as they are in the file. A slice that
    begins takes those off its thread's stack that have ended; one that is still there has to hold it. Both ends of a flow
    are at the slice on top of the stack, ended or not; the flow goes from the slice that begins first. The number of a flow
    is an integer, or a text of hexadecimal digits; its kind and its name are a part of it."""
    problems, stacks, begun, ended = [], defaultdict(list), {}, set()
    timed = [e for e in events if e["ph"] != "M"]
    for e in sorted(timed, key=lambda e: nanoseconds(e["ts"])):
        at, pid, tid = nanoseconds(e["ts"]), e["pid"], e["tid"]
        for number in (pid, tid):
            if not 0 <= number < 2**32:
                problems.append(f"a number that becomes 0: {e}")
        stack = stacks[pid, tid or pid]
        if e["ph"] in "Xi":
            duration = nanoseconds(e.get("dur", 0))
            while stack:
                begin, held, name = stack[-1]
                if begin + held > at or (begin + held == at and held == duration == 0):
                    break
                stack.pop()
            if any(at < begin + held < at + duration for begin, held, _ in stack):
                problems.append(f"overlaps with what it should be in, and goes to another track: {e}, {stack}")
                continue
            stack.append((at, duration, e["name"]))
            if len(stack) > 512:
                problems.append(f"in more than 512 slices: {e}")
        elif e["ph"] in "sf":
            if not (isinstance(e["id"], int) or re.fullmatch("(0[xX])?[0-9a-fA-F]{1,16}", e["id"])):
                problems.append(f"a flow without a number: {e}")
            number = int(e["id"], 16) if isinstance(e["id"], str) and re.fullmatch("[0-9a-fA-Fx]+", e["id"]) else e["id"]
            key = number, e.get("cat"), e["name"]
            if not stack:
                problems.append(f"a flow outside of all slices: {e}")
                continue
            if stack[-1][0] + stack[-1][1] < at:
                problems.append(f"a flow is drawn at a slice that has ended: {e}, {stack[-1]}")
            if e["ph"] == "s":
                if key in begun:
                    problems.append(f"a flow begins again: {e}")
                begun[key] = stack[-1]
            elif key not in begun or key in ended:
                problems.append(f"a flow ends that has not begun, or again: {e}")
            else:
                ended.add(key)
                if begun[key][0] > stack[-1][0]:
                    problems.append(f"a flow is drawn backwards, from {stack[-1]} to {begun[key]}: {e}")
    return problems


def calculated(track, slices):
    """What is wrong with a thread's slices, (begin, duration, name), in viewers that calculate with doubles, and count from
    the beginning of the file or of the thread, as speedscope does."""
    for zero in (0, min(begin for begin, _, _ in slices)):
        ends = []
        for begin, duration, name in sorted(((b - zero, d, n) for b, d, n in slices), key=lambda s: (s[0], -s[1])):
            while ends and ends[-1] <= begin:
                ends.pop()
            end = begin + duration
            if ends and end > ends[-1]:
                yield f"{track}: {name}, counted from {zero}, ends at {end!r}, after what it is in, at {ends[-1]!r}"
            ends.append(end)


def check(path):
    """Prints what a trace holds, and what is wrong with it. Returns how many flows it has, or None if something is wrong."""
    problems = []
    text = open(path, encoding="utf-8", errors="surrogateescape").read()
    trace = json.loads(text)
    events = trace["traceEvents"]
    slices = defaultdict(list)
    as_written = defaultdict(list)
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
            slices[e["pid"], e["tid"]].append((begin, begin + round(e["dur"] * 1000), e["name"]))
            as_written[e["pid"], e["tid"]].append((e["ts"], e["dur"], e["name"]))
        elif e["ph"] in "sf":
            if not isinstance(e["id"], int) or not 0 < e["id"] < 2**53:
                problems.append(f"a flow's id is no number, or more than a double holds: {e}")
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
        problems += calculated(track, as_written[track])
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
    problems += imported(events)
    for p in problems[:20]:
        print(f"{path}: {p}")
    threads = [n for (kind, _, _), n in names.items() if kind == "thread_name"]
    print(f"{path}: {len({p for p, _ in slices})} processes, {count['X']} slices, {count['i']} instants, "
          f"{len(flows)} flows, tracks: {', '.join(sorted(set(threads)))}")
    return None if problems else len(flows)


if __name__ == "__main__":
    good = [check(path) is not None for path in sys.argv[1:]]
    sys.exit(0 if good and all(good) else 1)
