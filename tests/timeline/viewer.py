# usage: viewer.py prepare TIMELINE          the script that has speedscope open it
#        viewer.py compare TIMELINE PAGE     whether the page has the tracks of the timeline, and how long they are
import base64
import html
import json
import re
import sys

SCALE = {"s": 1e6, "ms": 1e3, "µs": 1, "min": 6e7}


def tracks_of(path):
    """By track, as the viewer names it, the microseconds in which it has a slice, and how deep slices nest."""
    with open(path, encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    names, slices = {}, {}
    for e in events:
        if e["ph"] == "M" and e["name"].endswith("_name"):
            names[e["name"], e["pid"], e["tid"] if e["name"] == "thread_name" else 0] = e["args"]["name"]
        if e["ph"] == "X":
            slices.setdefault((e["pid"], e["tid"]), []).append((e["ts"], -e["dur"]))
    found = {}
    for (pid, tid), all_slices in slices.items():
        total, depth, ends = 0.0, 0, []
        for begin, negative in sorted(all_slices):
            while ends and ends[-1] <= begin:
                ends.pop()
            if not ends:
                total -= negative
            ends.append(begin - negative)
            depth = max(depth, len(ends))
        name = f"{names['process_name', pid, 0]} (pid {pid}), {names['thread_name', pid, tid]} (tid {tid})"
        found[name] = total, depth
    return found


def main(what, timeline, page=None):
    if what == "prepare":
        with open(timeline, "rb") as f:
            data = base64.b64encode(f.read()).decode()
        print(f"speedscope.loadFileFromBase64({json.dumps(timeline)}, {json.dumps(data)})")
        return 0
    with open(page, encoding="utf-8") as f:
        text = f.read()
    shown = {html.unescape(name): float(number) * SCALE[unit] for name, number, unit in re.findall(
        r'<tr title="([^"]*)".*?<td[^>]*>([\d.]+)(s|ms|µs|min)</td></tr>', text)}
    wanted = tracks_of(timeline)
    if len(wanted) == 1:  # the viewer lists several tracks alone
        name = next(iter(wanted))
        if html.escape(name, quote=False) in text:
            shown = {name: wanted[name][0]}
    bad = set(shown) ^ set(wanted)
    bad |= {n for n in set(shown) & set(wanted) if abs(shown[n] - wanted[n][0]) > 0.01 * wanted[n][0]}
    deepest = max(depth for _, depth in wanted.values())
    for name in sorted(bad)[:10]:
        print(f"{timeline}: {name}: {wanted.get(name)} in the timeline, {shown.get(name)} in the viewer")
    print(f"{timeline}: {len(shown)} tracks, slices nest {deepest} deep")
    return 1 if bad or not wanted or deepest > 2 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
