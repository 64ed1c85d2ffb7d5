"""Runs as objects, held against the command and against frames of their files."""

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings

import pytest
from files import COMMAND, DATA, DENSE, LOG, MOE, ROOT, TABLE, bytes_of

import wlfmt


def printed(*arguments):
    done = subprocess.run([*COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stdout.decode()


@pytest.fixture
def run(tmp_path):
    """Ranks 0, 1, 2 and 4 of 5; an older run of rank 1; an empty log, a cut one, and a file that is something else."""
    for rank in (0, 1, 2, 4):
        text = bytes_of(LOG).replace(b"rank:7:", b"rank:%d:" % rank)
        text = text[:-40] if rank == 2 else text
        (tmp_path / f"wd5_rank{rank}_20250102000000.txt").write_bytes(text)
    (tmp_path / "wd5_rank1_20250101000000.txt").write_bytes(bytes_of(LOG).replace(b"rank:7:", b"rank:1:"))
    (tmp_path / "wd5_rank3_20250102000000.txt").write_bytes(b"")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    return tmp_path


def test_a_run_is_opened_as_it_is(run):
    with pytest.warns(wlfmt.ParseWarning) as told:
        opened = wlfmt.open(run)
    words = [str(w.message) for w in told]
    assert all(w.filename == __file__ for w in told)
    assert [re.match("left out as it is ([^:]*)", w)[1] for w in words[:3]] == [
        "of an earlier run", "of none of the three formats", "empty"]
    assert words[3:] == ["there is no file of rank 3"]
    statuses = {os.path.basename(f["file"]): (f["status"], f["rank"], f["run"]) for f in opened.files}
    assert statuses == {
        "picture.png": ("foreign", None, None), "wd5_rank0_20250102000000.txt": ("read", 0, "20250102000000"),
        "wd5_rank1_20250101000000.txt": ("older", 1, "20250101000000"),
        "wd5_rank1_20250102000000.txt": ("read", 1, "20250102000000"),
        "wd5_rank2_20250102000000.txt": ("damaged", 2, "20250102000000"),
        "wd5_rank3_20250102000000.txt": ("empty", 3, "20250102000000"),
        "wd5_rank4_20250102000000.txt": ("read", 4, "20250102000000")}
    assert repr(opened) == "<wlfmt.Run: 4 oplog, 3 left out>" and "damaged" in opened._repr_html_()
    # The record that cannot be read is one that the rank lacks.
    assert [(p.kind, p.severity) for p in opened.problems] == [
        ("unterminated_record", "error"), ("missing_call", "warning")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wlfmt.ParseWarning)
        ranks = [row["rank"] for row in opened.operations.to_pylist()]
        answers = opened.answers
        assert opened.plot().startswith("<svg") and "<html" in opened.report()
    count = len(wlfmt.read_oplog(LOG))
    assert [ranks.count(rank) for rank in range(5)] == [count, count, count - 1, 0, count]
    assert answers["operations"] == len(ranks) and answers.ranks[0]["rank"] == 0


def test_problems_of_a_run_are_those_that_the_command_finds(tmp_path):
    answers = os.path.join(ROOT, "tests", "answers")
    subprocess.run([sys.executable, os.path.join(answers, "make_runs.py"), tmp_path], check=True)
    subprocess.run([sys.executable, os.path.join(answers, "damage.py"), tmp_path, "slow_rank", "experts"], check=True)
    kinds = set()
    for folder in sorted(path for path in tmp_path.iterdir() if path.is_dir()):
        with open(folder / sorted(os.listdir(folder))[0], "a", encoding="utf-8") as file:
            file.write("rank:0:mystery(stage_id=0,batch_id=0,duration=1.5,timestamp=999999.5,sub_operations=[])\n" * 2)
        done = subprocess.run([*COMMAND, "check", "--limit=0", folder], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        said = [line for line in done.stderr.decode().splitlines() if line.startswith(str(folder))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wlfmt.ParseWarning)
            problems = wlfmt.open(folder).problems
        assert sorted(str(p).split("\n")[0] for p in problems) == sorted(said)
        kinds.update(p.kind for p in problems)
        for p in problems:
            assert p.kind != "missing_call" or (p.column is None and p.message in p.text and p.text.startswith(
                f"{p.file}:{p.line}: " if p.line else f"{p.file}: "))
    assert kinds >= {"missing_call", "unmatched_message", "unknown_operation", "repeated_record"}


def assert_says(found, said):
    """Answers have every number of the command, and none that is a limit as a value."""
    if isinstance(said, dict):
        limits = {name: kind for name, kind in said.get("limit", {}).items() if not isinstance(said.get(name), (dict, list))}
        for name, value in said.items():
            base, _, end = name.rpartition("_")
            if end in ("least", "most") and base and base not in said:  # the ends of what is not known exactly
                assert found[base] is None and found[name] == value
            elif name in limits:
                assert found[name] is None
                assert [found[f"{name}_{kind}"] for kind in ("least", "most")] == [
                    value if limits[name] == kind else said.get(f"{name}_{kind}") for kind in ("least", "most")], (name, said)
            elif name != "limit":
                assert_says(found[name], value)
                assert found.get(f"{name}_least", value) == found.get(f"{name}_most", value) == value or isinstance(value, dict)
    elif isinstance(said, list):
        assert len(found) == len(said)
        for one, two in zip(found, said):
            assert_says(one, two)
    else:
        assert found == said


def assert_run_says(answers, said):
    """The ranks are one table: of the sums it has what only these have."""
    assert answers["ranks"] is answers.ranks is answers.answers["ranks"] and answers["stages"] is answers.stages
    sums = said.pop("ranks")
    names = ("rank", "busy", "computation", "communication", "idle", "unmeasured")
    assert_says(answers.ranks, [{name: row[name] for name in names if name in row} for row in sums])
    assert_says(answers, said)


def test_answers_have_every_number_of_the_command(tmp_path):
    for rank in range(4):
        text = bytes_of(LOG).replace(b"rank:7:", b"rank:%d:" % rank)
        (tmp_path / f"wd4_rank{rank}_20250102000000.txt").write_bytes(text)
    expected = json.loads(printed("summary", "--json", tmp_path))
    answers = wlfmt.open(tmp_path).answers
    assert answers.operations == expected["operations"]
    assert {**wlfmt.summary(tmp_path).answers, "name": "4 files"} == answers
    assert_run_says(answers, expected)
    assert len(repr(answers)) < 300 and len(repr(wlfmt.summary(tmp_path))) < 300
    with pytest.raises(AttributeError, match="there are name, operations"):
        answers.no_such
    pd = pytest.importorskip("pandas")
    frame = answers.ranks.to_pandas()
    assert isinstance(frame, pd.DataFrame) and frame["rank"].tolist() == [0, 1, 2, 3]
    # One file after the other: an answer for each.
    both = wlfmt.open([DENSE, MOE])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wlfmt.ParseWarning)
        assert both.answers == [json.loads(line) for line in printed("summary", "--json", DENSE, MOE).splitlines()]
        assert len(both.layers.to_pylist()) == len(wlfmt.read_workload(DENSE)["layers"]) + 98


def test_a_run_has_its_conclusions_as_frames(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    subprocess.run([sys.executable, os.path.join(ROOT, "tests", "answers", "make_runs.py"), tmp_path], check=True)
    calls = []
    start = wlfmt._runs.printed_by
    monkeypatch.setattr(wlfmt._runs, "printed_by", lambda *words, **how: calls.append(words) or start(*words, **how))
    run = wlfmt.open(tmp_path / "slow_rank")
    for name in ("ranks", "stages", "groups", "waits", "bandwidth", "remedies"):
        frame = getattr(run, name).to_pandas()
        described = {column["name"]: column["unit"] for column in wlfmt.columns(name)}
        assert len(frame) > 0 and set(frame.columns) <= set(described), name
        assert not any(isinstance(value, list) and value and isinstance(value[0], dict) for value in frame.values.flat)
    ranks = run.ranks.to_pandas()
    inner = run.answers["answers"]
    assert ranks["work"].dropna().tolist() == [row["work"] for row in inner["ranks"] if row.get("work") is not None]
    assert ranks["work_least"].dropna().tolist() == [row["work_least"] for row in inner["ranks"] if row.get("work_least") is not None]
    assert ranks["waiting_most"].sum() > 0
    assert ranks["busy"].sum() == pytest.approx(run.answers["busy"]) and run.stages[0]["work"] == inner["stages"][0]["work"]
    slow = run.slowest_rank
    assert slow == inner["slowest_rank"] and slow.rank == slow["rank"] and set(slow) <= {
        column["name"] for column in wlfmt.columns("slowest_rank")}
    numbers = {name for one in (run.answers, inner) for name, value in one.items() if not isinstance(value, (dict, list))}
    assert numbers <= {column["name"] for column in wlfmt.columns("answers")}
    assert run.remedies[0]["gain"] == max(row["gain"] for row in run.remedies if row["kind"] == "remedy")
    assert len(calls) == 1  # all of it
    # Beside a workload file, of the logs alone; without any, nothing.
    both = wlfmt.open([tmp_path / "slow_rank", DENSE])
    assert both.ranks == run.ranks and len(both.answers) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wlfmt.ParseWarning)
        none = wlfmt.open(TABLE)
    assert none.ranks == [] == none.waits and none.slowest_rank is None
    assert repr(none.ranks) == "<wlfmt.Rows: no rows>"


@pytest.mark.parametrize("damage", [False, True])
def test_no_limit_of_a_run_is_a_value_of_its_tables(tmp_path, damage):
    answers = os.path.join(ROOT, "tests", "answers")
    subprocess.run([sys.executable, os.path.join(answers, "make_runs.py"), tmp_path], check=True)
    if damage:
        subprocess.run([sys.executable, os.path.join(answers, "damage.py"), tmp_path, "slow_rank", "experts"], check=True)
    schemas = {}
    limits = 0
    for folder in sorted(path for path in tmp_path.iterdir() if path.is_dir()):
        said = json.loads(printed("summary", "--json", folder))
        limits += json.dumps(said).count('_least"')
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wlfmt.ParseWarning)
            run = wlfmt.open(folder)
            tables = {name: getattr(run, name) for name in ("ranks", "stages", "groups", "waits", "bandwidth", "remedies")}
            assert_run_says(run.answers, said)
        for name, rows in tables.items():
            # Typed, whatever the run; and each number has what it is between beside it.
            assert schemas.setdefault(name, rows.schema) == rows.schema
            names = list(rows.schema)
            described = [column["name"] for column in wlfmt.columns(name)]
            assert names == described
            for one in [one for one in names if f"{one}_least" in names]:
                assert names[names.index(one):][:3] == [one, f"{one}_least", f"{one}_most"]
                for row in rows:
                    value, least, most = row[one], row[f"{one}_least"], row[f"{one}_most"]
                    assert value is None or value == least == most
                    if value is None and (least, most) != (None, None):
                        assert "Not shown: " in repr(rows) and "Not shown: " in rows._repr_html_()
                        assert ("at least " in repr(rows) or "at most " in repr(rows) or " to " in repr(rows)
                                or rows.index(row) >= 20), (name, one)
    assert limits > 0


def test_tables_of_a_run_are_typed_frames(tmp_path):
    pytest.importorskip("pandas")
    frame = wlfmt.open(bytes_of(LOG)).waits.to_pandas()
    assert not len(frame) and list(frame.columns) == [column["name"] for column in wlfmt.columns("waits")]
    assert dict(frame.dtypes.astype(str))["late"] == "Int64" and str(frame["ms_most"].dtype) == "float64"
    rows = wlfmt.Rows([{"a": 2**53 + 1, "b": 1, "c": 1.5, "d": True, "e": "x", "f": 2**70, "g": 2**53 + 1},
                       {"a": None, "b": 2, "c": 2, "d": None, "e": None, "f": 1, "g": 1.5, "late": [1]}])
    assert rows.schema == {"a": "int64", "b": "int64", "c": "float64", "d": "bool", "e": "str", "f": "object",
                           "g": "object", "late": "object"}
    frame = rows.to_pandas()
    assert dict(frame.dtypes.astype(str)) == {"a": "Int64", "b": "int64", "c": "float64", "d": "boolean", "e": "object",
                                              "f": "object", "g": "object", "late": "object"}
    assert frame["a"][0] == 2**53 + 1 and frame["g"][0] == 2**53 + 1 and frame["f"][0] == 2**70
    assert list(rows[:1].to_pandas().columns) == list("abcdefg") and rows[:1].types == rows.copy().types == {}


def test_answers_of_a_summary_are_there_where_ranks_are_missing(tmp_path):
    for rank in (0, 2):
        (tmp_path / f"wd4_rank{rank}_20250102000000.txt").write_bytes(bytes_of(LOG).replace(b"rank:7:", b"rank:%d:" % rank))
    with pytest.warns(wlfmt.ParseWarning, match="there is no file of rank 1, 3"):
        found = wlfmt.summary(tmp_path)
    with pytest.warns(wlfmt.ParseWarning, match="the sums lack rank 1, 3"):
        answers = found.answers
    with pytest.warns(wlfmt.ParseWarning):
        assert {**answers, "name": ""} == {**wlfmt.open(tmp_path).answers, "name": ""}
    assert answers.missing_ranks == [1, 3]
    with pytest.raises(wlfmt.ParseError, match="the sums lack rank"):
        wlfmt.summary(tmp_path, expect=4)


def test_an_error_has_its_place_after_warnings(tmp_path):
    for time in ("20240101000000", "20240102000000"):
        (tmp_path / f"wd1_rank0_{time}.txt").write_text("rank:0:f(duration=1,timestamp=2\n")
    with pytest.raises(wlfmt.ParseError) as e:
        wlfmt.summary(tmp_path)
    assert str(e.value).startswith("file names: warning: ")
    assert (e.value.kind, e.value.file, e.value.line, e.value.column) == (
        "unterminated_record", str(tmp_path / "wd1_rank0_20240102000000.txt"), 1, 32)
    assert e.value.message.startswith("the line does not end with")
    with pytest.raises(wlfmt.ParseError) as e:
        wlfmt.merge([wlfmt.summary(bytes_of(LOG))], expect=9)
    assert (e.value.file, e.value.line, e.value.kind) == ("", None, "")


def test_the_answers_of_a_run_are_computed_once(run):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wlfmt.ParseWarning)
        opened = wlfmt.open(run)
        expected = opened.answers
        assert opened.answers is expected
        opened = wlfmt.open(run)
    with pytest.warns(wlfmt.ParseWarning, match=re.escape(str(run / "wd5_rank2_20250102000000.txt:9:"))):
        assert opened.answers == expected


def test_damaged_runs_are_compared_leniently_alone(run, tmp_path):
    whole = run / "wd5_rank0_20250102000000.txt"
    damaged = run / "wd5_rank2_20250102000000.txt"
    with pytest.raises(wlfmt.ParseError, match="unterminated_record"):
        wlfmt.diff(whole, damaged)
    with pytest.warns(wlfmt.ParseWarning, match="unterminated_record"):
        assert wlfmt.diff(whole, damaged, lenient=True)


def test_summaries_of_damaged_runs_are_those_of_the_rest(run):
    with pytest.raises(wlfmt.ParseError):
        wlfmt.summary(run)
    with pytest.warns(wlfmt.ParseWarning, match="unterminated_record"):
        summary = wlfmt.summary(run, lenient=True)
    assert summary["operations"] == 4 * len(wlfmt.read_oplog(LOG)) - 1


def test_texts_and_compressed_files_are_part_of_a_run(tmp_path):
    log = bytes_of(LOG)
    (tmp_path / "wd2_rank0_20250102000000.txt.gz").write_bytes(gzip.compress(log.replace(b"rank:7:", b"rank:0:")))
    opened = wlfmt.open([tmp_path, log.replace(b"rank:7:", b"rank:1:"), TABLE, bytes_of(DENSE).decode()])
    assert repr(opened) == "<wlfmt.Run: 2 oplog, 1 workload, 1 table>"
    assert {row["rank"] for row in opened.operations.to_pylist()} == {0, 1}
    assert opened.tables == wlfmt.read_table(TABLE)
    pictures = [wlfmt.plot(source) for source in (TABLE, bytes_of(TABLE).decode())]
    assert pictures[0] == printed("plot", TABLE) == pictures[1].replace("&lt;text&gt;", os.path.basename(TABLE)) and pictures[0]._repr_svg_() == pictures[0]
    assert repr(pictures[0]) == f"<wlfmt.Picture: {len(pictures[0])} characters of SVG>"


def test_compressed_files_are_those_of_their_ranks(tmp_path):
    log = bytes_of(LOG)
    for rank, time in ((0, "20250102000000"), (1, "20250101000000"), (1, "20250102000000"), (3, "20250102000000")):
        text = gzip.compress(log.replace(b"rank:7:", b"rank:%d:" % rank))
        (tmp_path / f"wd4_rank{rank}_{time}.txt.gz").write_bytes(text)
    with pytest.warns(wlfmt.ParseWarning) as told:
        opened = wlfmt.open(tmp_path)
    assert [str(w.message).split(": ")[0] for w in told] == ["left out as it is of an earlier run",
                                                             "there is no file of rank 2"]
    assert [(f["rank"], f["run"], f["status"]) for f in opened.files] == [
        (0, "20250102000000", "read"), (1, "20250101000000", "older"), (1, "20250102000000", "read"),
        (3, "20250102000000", "read")]
    ranks = [row["rank"] for row in opened.operations.to_pylist()]
    assert [ranks.count(rank) for rank in range(4)] == [len(wlfmt.read_oplog(LOG))] * 2 + [0, len(wlfmt.read_oplog(LOG))]
    assert {row["run"] for row in opened.operations.to_pylist()} == {"20250102000000"}


def test_commands_are_functions(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wlfmt.ParseWarning)
        changed = bytes_of(MOE).replace(b"\tALLTOALL", b"\tALLREDUCE", 1)
        found = wlfmt.diff(MOE, changed)
        assert isinstance(found, wlfmt.Rows) and any("ALLTOALL" in json.dumps(line) for line in found)
        assert wlfmt.diff(DENSE, DENSE, tolerance=0.05) == json.loads(f"[{','.join(printed('diff', '--json', DENSE, DENSE).split())}]")
    assert json.loads(wlfmt.timeline(LOG)) == json.loads(printed("timeline", LOG))
    wlfmt.plot(LOG, tmp_path / "run.svg")
    assert (tmp_path / "run.svg").read_text() == printed("plot", LOG)
    page = wlfmt.report(LOG)
    assert page == printed("report", LOG) and page._repr_html_().startswith("<iframe ")
    text = wlfmt.set(DENSE, {"layers.0.forward.compute": 7})
    assert wlfmt.read_workload(text)["layers"][0]["forward"]["compute"] == 7
    assert len(text.splitlines()) == len(bytes_of(DENSE).splitlines())
    with pytest.raises(wlfmt.ParseError):
        wlfmt.set(DENSE, {"layers.0.forward.no_such": 7})
    with pytest.raises(TypeError, match="no_such"):
        wlfmt.plot(DENSE, no_such=3)
    with pytest.raises(ValueError, match="--kind=.*: `workloads` is not one of these; did you mean workload") as wrong:
        wlfmt.plot(DENSE, kind="workloads")
    assert not isinstance(wrong.value, wlfmt.ParseError)


def test_no_word_is_taken_for_an_option(tmp_path, monkeypatch):
    """Whatever files and paths are called."""
    monkeypatch.chdir(tmp_path)
    names = ("-", "--", "-o", "--help", "-ochanged.txt", "--no-such=1")

    def without(name, result):
        words = result if isinstance(result, str) else str([*result])
        return re.sub(f"(\\./)?({re.escape(name)}|usual)", "", words)

    for values in ({"-o/x": "y", "layers.3.forward.bytes": 4}, {"-ochanged.txt": 1, "layers.3.forward.bytes": 4},
                   {"--help": 1}, {"--kind": "oplog", "layers.0.update": 1}):
        with pytest.raises(wlfmt.ParseError, match="there is no `-"):
            wlfmt.set(MOE, values)
    with pytest.raises(ValueError, match="a path has no ="):
        wlfmt.set(MOE, {"layers.3.forward.bytes=5": 4})
    assert os.listdir() == []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wlfmt.ParseWarning)
        for path, calls in (
                (LOG, (wlfmt.plot, wlfmt.report, wlfmt.timeline, wlfmt.read_oplog,
                       lambda p: [wlfmt.summary(p)["operations"]],
                       lambda p: wlfmt.scan(p, columns=["op"]).to_pylist(), lambda p: wlfmt.open(p).answers)),
                (DENSE, (wlfmt.plot, wlfmt.check, lambda p: wlfmt.diff(p, MOE), lambda p: wlfmt.diff(MOE, p),
                         lambda p: wlfmt.set(p, {"layers.3.forward.bytes": 4})))):
            shutil.copy(path, "usual")
            expected = [call("usual") for call in calls]
            for name in names:
                shutil.copy(path, name)
                assert sorted(os.listdir()) == sorted(["usual", name])
                for call, right in zip(calls, expected):
                    assert without(name, call(name)) == without(name, right)
                os.remove(name)
        os.mkdir("folder")
        shutil.copy(DENSE, "folder")
        shutil.copy(DENSE, os.path.join("folder", "layers.3.forward.bytes=4"))
        with pytest.raises(ValueError, match="a single file"):
            wlfmt.set("folder", {"layers.0.update": 1})
        with pytest.raises(ValueError, match="a single file"):
            wlfmt.set("folder/*", {"layers.0.update": 1})
        assert sorted(os.listdir()) == ["folder", "usual"]


def test_a_workload_becomes_traces(tmp_path):
    small = os.path.join(DATA, "chakra", "hybrid_data_model.txt")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wlfmt.ParseWarning)
            commands = wlfmt.chakra(small, tmp_path / "traces", world_size=4, only_ranks=[0, 1])
    except ValueError as e:
        if "protozero" in str(e) and "WLFMT_TEST_WHEEL" not in os.environ:
            pytest.skip("the command was built without protozero")
        raise
    assert str(tmp_path / "traces") in commands and f"{shlex.quote(sys.executable)} -m wlfmt chakra --check " in commands
    assert (tmp_path / "traces.0.et").exists() and not (tmp_path / "traces.2.et").exists()


def test_workloads_are_built():
    file = wlfmt.Workload(all_gpus=16, tp=2, ep=4, ga=3, checkpoints=[1], aicb=7)
    file.add_layer("a", forward=(11, "ALLGATHER", 12), input_grad=wlfmt.Phase(13, "REDUCESCATTER", 14), weight_grad=15,
                   update=16)
    file.add_layer("b", forward=2.5, weight_grad=(1, "ALLREDUCE_DP_EP", 18), dependency=0)
    assert file.write() == (
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 4 pp: 1 ga: 3 all_gpus: 16 checkpoints: 1 1 "
        "checkpoint_initiates: 0 aicb: 7\n2\n"
        "a\t-1\t11\tALLGATHER\t12\t13\tREDUCESCATTER\t14\t15\tNONE\t0\t16\n"
        "b\t0\t2.5\tNONE\t0\t0\tNONE\t0\t1\tALLREDUCE_DP_EP\t18\t0\n")
    again = wlfmt.Workload.read(file.write())
    assert again == {**file, "declared_layers": 2} and again.layers[1]["forward"]["compute"] == 2.5
    # Ranks are numbered tp first, then ep, then the rest.
    assert file.sizes == {"ranks": 16, "tensor_parallel": 2, "data_parallel": 8, "expert_parallel": 4,
                          "expert_data_parallel": 2, "pipeline_parallel": 1}
    assert file.ranks_of("tensor_parallel", 5) == [4, 5] and file.ranks_of("expert_parallel", 5) == [1, 3, 5, 7]
    assert file.ranks_of("expert_data_parallel", 5) == [5, 13]
    assert file.ranks_of("data_parallel", 5) == list(range(1, 16, 2))
    for rank in (99, 16, -1):
        with pytest.raises(ValueError, match=f"rank {rank}: there are ranks 0 to 15"):
            file.ranks_of("data_parallel", rank)
    for wrong, near in (("TP", "tp"), ("pp_com", "pp_comm"), ("all_gpu", "all_gpus"), ("checkpoint", "checkpoints")):
        with pytest.raises(TypeError, match=f"did you mean {near}"):
            wlfmt.Workload(all_gpus=16, **{wrong: 2})
    for missing, words in (({}, "all_gpus"), ({"all_gpus": 8, "pp": 2}, "pp_comm")):
        with pytest.raises(TypeError, match=words + " is missing"):
            wlfmt.Workload(**missing)
    assert wlfmt.Workload("DATA").write() == "DATA\n0\n"
    for call in (wlfmt.open, wlfmt.plot, wlfmt.check):
        with pytest.raises(TypeError, match="expected, not Workload"):
            call(file)
    with pytest.raises(wlfmt.ParseError, match="all_gpus"):
        wlfmt.Workload("DATA").sizes
    with pytest.raises(wlfmt.ParseError) as e:
        bad = wlfmt.Workload("DATA")
        bad.add_layer("two words")
        bad.write()
    assert e.value.kind == "unwritable"
    assert wlfmt.group_of("NONE") is None and wlfmt.group_of("ALLREDUCE_EP", "weight_grad") == "expert_parallel"
    with pytest.raises(ValueError, match="no phase"):
        wlfmt.group_of("ALLREDUCE", "backward")
    with pytest.raises(TypeError, match="a phase is"):
        file.add_layer("c", forward=(1, "ALLREDUCE"))
