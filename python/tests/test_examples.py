"""examples/simai_results.py: SimAI's results, joined to the layers of the workload."""
import csv
import importlib.util
import io
import os
import subprocess
import sys

import pytest
from files import ROOT

import wlfmt

DATA = os.path.join(ROOT, "tests", "data", "simai")
PROGRAM = os.path.join(ROOT, "examples", "simai_results.py")
spec = importlib.util.spec_from_file_location("simai_results", PROGRAM)
simai_results = importlib.util.module_from_spec(spec)
spec.loader.exec_module(simai_results)


def data(name):
    return os.path.join(DATA, name)


def run(*arguments):
    return subprocess.run([sys.executable, PROGRAM, *arguments], capture_output=True, text=True)


def test_totals_are_numbers():
    found = simai_results.read(data("analytical_EndToEnd.csv"))
    assert found["run"] == "small" and found["sum"] == {}
    # Times that never happened, and what is not finite, are None, and their shares are, too.
    assert found["totals"] == {
        "Expose DP comm": 12, "Expose DP_EP comm": 0, "Expose TP comm": 1, "Expose_EP_comm": None, "Expose_PP_comm": None,
        "bubble time": 0, "total comp": 45, "total exposed comm": 13, "Total time": 58,
    }
    assert found["shares"] == {
        "Expose DP comm": 20.69, "Expose DP_EP comm": 0, "Expose TP comm": 1.72, "Expose_EP_comm": None,
        "Expose_PP_comm": None, "bubble time": 0, "total comp": 77.59, "total exposed comm": 22.41,
    }


def test_each_layer_and_each_column_has_a_name_of_its_own():
    found = simai_results.read(data("analytical_EndToEnd.csv"))["layers"]
    assert [row["layer"] for row in found] == ["embedding_layer", "attention#1", "attention#2"]
    assert found[1] == {
        "position": 1, "name": "attention", "layer": "attention#1", "fwd_compute_us": 4, "wg_compute_us": 6,
        "ig_compute_us": 5, "fwd_exposed_comm_us": 0, "wg_exposed_comm_us": 0, "ig_exposed_comm_us": 0, "fwd_comm_us": 2,
        "fwd_algbw": 3.83, "fwd_busbw": 1.92, "wg_comm_us": 0, "wg_algbw": None, "wg_busbw": None, "ig_comm_us": 4,
        "ig_algbw": 3.84, "ig_busbw": 1.93,
    }
    assert found[2]["wg_algbw"] == 2.54 and found[2]["ig_algbw"] is None and "finished_us" not in found[0]


def test_a_simulated_network_has_a_column_and_sums_more():
    found = simai_results.read(data("network_EndToEnd.csv"))
    assert [row["layer"] for row in found["layers"]] == ["embedding_layer", "attention"]
    assert found["layers"][0]["finished_us"] == 58.25 and found["layers"][1]["ig_busbw"] == 1.795147
    assert found["sum"]["ig_compute_us"] == 7 and found["sum"]["fwd_algbw"] is None
    assert (found["sum"]["total exposed comm"], found["sum"]["total time"]) == (37.25, 58.25)
    assert found["totals"]["total comp"] == 45


def test_layers_are_joined_to_the_workload_by_their_position():
    results = simai_results.read(data("analytical_EndToEnd.csv"))
    workload = wlfmt.read_workload(data("workload.txt"))
    rows = simai_results.joined(results, workload)
    assert [(row["fwd_comm"], row["fwd_bytes"], row["fwd_comm_us"]) for row in rows] == [
        ("ALLREDUCE", 4096, 1), ("ALLGATHER", 8192, 2), ("NONE", 0, 0)]
    assert [(row["wg_comm"], row["wg_bytes"], row["wg_compute"], row["update"]) for row in rows] == [
        ("NONE", 0, 3000, 0), ("NONE", 0, 6000, 0), ("ALLREDUCE", 32768, 9000, 100)]
    assert rows[1]["ig_bytes"] == 16384 and rows[1]["ig_compute"] == 5000 and rows[1]["ig_busbw"] == 1.93
    # SimAI reads as many layers as are declared.
    shorter = dict(results, layers=results["layers"][:2])
    assert len(simai_results.joined(shorter, workload)) == 2
    with pytest.raises(ValueError, match="3 layers were simulated, and the workload has 2"):
        simai_results.joined(results, dict(workload, layers=workload["layers"][:2]))
    with pytest.raises(ValueError, match="layer 0 is embedding_layer in the results and attention in the workload"):
        simai_results.joined(results, dict(workload, layers=workload["layers"][::-1]))


def test_the_program(tmp_path):
    done = run(data("analytical_EndToEnd.csv"), data("workload.txt"))
    assert (done.returncode, done.stderr) == (0, "")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["layer"] for row in rows] == ["embedding_layer", "attention#1", "attention#2"]
    assert len(rows[0]) == 3 + 15 + 10 and rows[2]["wg_bytes"] == "32768" and rows[2]["ig_algbw"] == ""
    assert len(list(csv.DictReader(io.StringIO(run(data("network_EndToEnd.csv")).stdout)))[0]) == 3 + 16
    totals = list(csv.reader(io.StringIO(run("--totals", data("analytical_EndToEnd.csv")).stdout)))
    assert totals[1] == ["Expose DP comm", "12.0", "20.69"] and totals[-1] == ["Total time", "58.0", ""]
    # A simulation that did not end, a file that was cut, and one of another kind.
    with open(data("network_EndToEnd.csv"), encoding="utf-8") as file:
        lines = file.read().splitlines(keepends=True)
    (tmp_path / "early.csv").write_text("".join(lines[2:4]))
    early = run(str(tmp_path / "early.csv"))
    assert early.returncode == 1 and "the simulation did not end" in early.stderr and "embedding_layer" in early.stdout
    (tmp_path / "cut.csv").write_text("".join(lines)[:700])
    assert "is the file cut off?" in run(str(tmp_path / "cut.csv")).stderr
    assert "is it SimAI's EndToEnd.csv?" in run(data("workload.txt")).stderr
    assert run().returncode == 1 and "usage" in run().stderr


def test_what_cannot_be_read_is_said_in_a_line(tmp_path):
    def said(*arguments):
        return subprocess.run([sys.executable, PROGRAM, *arguments], capture_output=True, text=True).stderr

    assert said("nowhere.csv") == "simai_results: nowhere.csv: No such file or directory\n"
    empty = tmp_path / "EndToEnd.csv"
    empty.write_text("")
    assert said(str(empty)).startswith(f"simai_results: {empty} is empty: SimAI failed.")
