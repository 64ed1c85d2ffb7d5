"""Reads EndToEnd.csv, SimAI's results, and joins its layers to those of the workload file.

usage: python3 simai_results.py EndToEnd.csv [WORKLOAD] > layers.csv    a row for each layer
       python3 simai_results.py --totals EndToEnd.csv > totals.csv      the totals and their shares

The file is two tables and sums in one: a line of totals, `123 (4.56%)`, under its titles; then the layers, under a
header whose second column is called after the run and in which `algbw,busbw` comes three times; then a line SUM, and, of
the simulator with a network, a line of further sums. Here each column has a name of its own, each layer has one
(`attention_column#3` is the third one that is called so), a number is a number, and what is none (`-nan`, `NaN or Inf`,
`NONE`, times at the end of 64 bits, which SimAI writes for what never happened) is None. Times are microseconds,
bandwidths are in 2^30 bytes per second (Layer.cc, compute_busbw()).

The layers are those of the workload file in its order, as many as it declares. To join them needs the package wlfmt.
"""
import csv
import math
import re
import sys
from typing import Any, Dict, List, Optional

# In the order of Layer::report(); `finished_us` only where SimAI simulates a network.
COLUMNS = (
    "fwd_compute_us wg_compute_us ig_compute_us fwd_exposed_comm_us wg_exposed_comm_us ig_exposed_comm_us "
    "fwd_comm_us fwd_algbw fwd_busbw wg_comm_us wg_algbw wg_busbw ig_comm_us ig_algbw ig_busbw finished_us"
).split()
NEVER = 9.2e15  # microseconds: 2^63 nanoseconds are a little more

Row = Dict[str, Any]


def number(text: str) -> Optional[float]:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) < NEVER else None


def read(path: str) -> Row:
    """{"run": ..., "totals": {name: microseconds}, "shares": {name: percent}, "layers": [{...}], "sum": {...}}

    SimAI writes the totals when the simulation has ended: without them it has not.
    """
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\r\n") for line in file]
    if not any(lines):
        raise ValueError(f"{path} is empty: SimAI failed. SimAI-Analytical does so, with exit status 0, where a time is "
                         "beyond 2147483647 ticks; `wlfmt check` says where")
    begin = next((n for n, line in enumerate(lines) if line.startswith("layer_name,")), None)
    if begin is None:
        raise ValueError(f"{path}: there is no line that begins with layer_name: is it SimAI's EndToEnd.csv?")
    titles = lines[begin].split(",")
    count = len(titles) - 2
    if count not in (len(COLUMNS) - 1, len(COLUMNS)):
        raise ValueError(f"{path}:{begin + 1}: {count + 2} columns, and SimAI writes {len(COLUMNS) + 1} or {len(COLUMNS) + 2}")
    found: Row = {"run": titles[1], "totals": {}, "shares": {}, "layers": [], "sum": {}}
    if begin >= 2:
        names, values = ([cell.strip() for cell in line.split(",")] for line in lines[begin - 2:begin])
        for name, value in list(zip(names, values))[1:]:
            parts = re.fullmatch(r"(.*?)(?: \((.*)%\))?", value)
            found["totals"][name] = number(parts[1])
            if parts[2] is not None:
                found["shares"][name] = None if found["totals"][name] is None else number(parts[2])
    names_so_far: Dict[str, int] = {}
    for n, line in enumerate(lines[begin + 1:], begin + 2):
        # A layer's name may hold a comma: cells are counted from the right.
        cells = line.split(",")
        if line.startswith("total exposed comm,"):
            found["sum"].update((name, number(value)) for name, value in zip(cells[0::2], cells[1::2]))
        elif line.startswith("SUM,"):
            found["sum"].update((name, number(cell)) for name, cell in zip(COLUMNS, cells[2:]))
        elif line:
            if len(cells) < count + 2:
                raise ValueError(f"{path}:{n}: {len(cells)} fields where a layer has {count + 2}: is the file cut off?")
            name = ",".join(cells[:-count - 1])
            names_so_far[name] = names_so_far.get(name, 0) + 1
            row: Row = {"position": len(found["layers"]), "name": name, "layer": name}
            row.update((column, number(cell)) for column, cell in zip(COLUMNS, cells[-count:]))
            found["layers"].append(row)
    seen: Dict[str, int] = {}
    for row in found["layers"]:
        seen[row["name"]] = seen.get(row["name"], 0) + 1
        if names_so_far[row["name"]] > 1:
            row["layer"] = f'{row["name"]}#{seen[row["name"]]}'
    return found


def joined(results: Row, workload: Row) -> List[Row]:
    """The layers with the fields that the workload has for them. `workload` is what wlfmt.read_workload() returns."""
    layers = workload["layers"]
    if len(results["layers"]) > len(layers):
        raise ValueError(f'{len(results["layers"])} layers were simulated, and the workload has {len(layers)}')
    rows = []
    for row, layer in zip(results["layers"], layers):
        if row["name"] != layer["name"]:
            raise ValueError(f'layer {row["position"]} is {row["name"]} in the results and {layer["name"]} in the workload')
        own: Row = {"update": layer["update"]}
        for short, phase in (("fwd", "forward"), ("ig", "input_grad"), ("wg", "weight_grad")):
            own.update((f"{short}_{field}", layer[phase][field]) for field in ("compute", "comm", "bytes"))
        rows.append({**row, **own})
    return rows


def main(arguments: List[str]) -> None:
    totals = arguments[:1] == ["--totals"]
    paths = arguments[1 if totals else 0:]
    if not 1 <= len(paths) <= (1 if totals else 2):
        sys.exit(__doc__.split("\n\n")[1])
    try:
        results = read(paths[0])
        if totals:
            rows = [{"total": name, "us": us, "percent": results["shares"].get(name)} for name, us in results["totals"].items()]
        elif len(paths) == 2:
            try:
                import wlfmt
            except ImportError:
                sys.exit("simai_results: to join the layers of a workload file needs the package wlfmt (pip install .)")
            rows = joined(results, wlfmt.read_workload(paths[1]))
        else:
            rows = results["layers"]
    except OSError as error:
        sys.exit(f"simai_results: {error.filename}: {error.strerror}")
    except ValueError as error:
        sys.exit(f"simai_results: {error}")
    to = csv.DictWriter(sys.stdout, rows[0].keys() if rows else ["layer"], lineterminator="\n")
    to.writeheader()
    to.writerows(rows)
    if not results["totals"]:
        sys.exit(f"simai_results: {paths[0]}: there are no totals: the simulation did not end")


if __name__ == "__main__":
    main(sys.argv[1:])
