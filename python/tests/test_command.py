"""The command within this process: problems as objects, progress, threads, forks and signals."""

import io
import os
import subprocess
import sys
import threading
import time
import types
import warnings

import pytest
from files import COMMAND, DENSE, LOG, bytes_of

import wlfmt


@pytest.fixture
def run(tmp_path):
    for rank in range(4):
        (tmp_path / f"wd4_rank{rank}_20250102000000.txt").write_bytes(bytes_of(LOG).replace(b"rank:7:", b"rank:%d:" % rank))
    return tmp_path


def test_problems_are_objects(run):
    path = run / "wd4_rank1_20250102000000.txt"
    path.write_bytes(b"rank:1:g(stage_id=1,duration=1\n" + path.read_bytes())
    for call in (wlfmt.summary, wlfmt.report, wlfmt.plot, wlfmt.timeline):
        with pytest.raises(wlfmt.ParseError) as e:
            call(run)
        assert (e.value.kind, e.value.file, e.value.line, e.value.column, e.value.field) == (
            "unterminated_record", str(path), 1, 31, "")
        assert str(e.value).startswith(f"{path}:1:31: error: unterminated_record: {e.value.message}")
    (problem,) = [p for p in wlfmt.check(path) if p.severity == "error"]
    assert (problem.kind, problem.line, problem.column, problem.field) == ("unterminated_record", 1, 31, "")
    with pytest.raises(wlfmt.ParseError) as e:
        wlfmt.set(DENSE, {"layers.0.forward.bytes": "x"})
    assert e.value.file == DENSE and e.value.message


def test_one_call_leaves_nothing_to_the_next(run):
    expected = wlfmt.summary(run), wlfmt.plot(DENSE), wlfmt.diff(DENSE, DENSE)
    with pytest.raises(wlfmt.ParseError):
        wlfmt.summary(b"nothing\n")
    with pytest.raises(ValueError, match="--by"):
        wlfmt.summary(run, by="nonsense")
    with pytest.raises(ValueError, match="embedded null byte"):
        wlfmt.set(DENSE, {"layers.0.name": "a\0b"})
    wlfmt.report(run)
    assert (wlfmt.summary(run), wlfmt.plot(DENSE), wlfmt.diff(DENSE, DENSE)) == expected


def test_threads_take_turns(run):
    expected = wlfmt.summary(run), wlfmt.plot(DENSE)
    found = []
    threads = [threading.Thread(target=lambda: found.append((wlfmt.summary(run), wlfmt.plot(DENSE)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_does_not_wait_for_a_thread_that_it_has_not(run):
    goes_on, has_begun = threading.Event(), threading.Event()

    def wait(done, total):
        has_begun.set()
        goes_on.wait(30)

    other = threading.Thread(target=lambda: wlfmt.summary(run, progress=wait))
    other.start()
    assert has_begun.wait(30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12, of any fork beside a thread
        child = os.fork()
    if child == 0:
        os._exit(0 if wlfmt.summary(run)["operations"] == 4 * len(wlfmt.read_oplog(LOG)) else 1)
    for _ in range(300):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
    goes_on.set()
    other.join()
    assert ended and status == 0


def test_progress_is_reported(run):
    seen = []
    calls = (wlfmt.summary, wlfmt.report, wlfmt.plot, wlfmt.timeline, wlfmt.check, lambda s, **how: wlfmt.open(s, **how).answers)
    for call in calls:
        call(run, progress=lambda done, total: seen.append((done, total)))
        assert seen[-1] == (4, 4) and seen == sorted(seen), call
        seen.clear()
    wlfmt.check(DENSE, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (os.path.getsize(DENSE), os.path.getsize(DENSE))

    def fail(done, total):
        raise LookupError("of the function")

    with pytest.raises(LookupError, match="of the function"):
        wlfmt.summary(run, progress=fail)
    with pytest.raises(RuntimeError, match="cannot call another one"):
        wlfmt.summary(run, progress=lambda done, total: wlfmt.check(LOG))
    with pytest.raises(TypeError, match="progress: True, or a function"):
        wlfmt.summary(run, progress=3)
    assert wlfmt.summary(run, progress=False) == wlfmt.summary(run)


def test_a_bar_is_shown_where_somebody_looks(run, monkeypatch):
    class terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", terminal())
    wlfmt.summary(run, progress=True)
    shown = sys.stderr.getvalue()
    assert "\r[##############################] 4 of 4 files" in shown and shown.endswith("\r\x1b[K")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    wlfmt.summary(run, progress=True)
    assert sys.stderr.getvalue() == ""
    # A notebook.
    cell = []
    handle = types.SimpleNamespace(update=cell.append)
    display = types.SimpleNamespace(HTML=str, display=lambda page, display_id: cell.append(page) or handle)
    ipython = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=None), display=display)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    wlfmt.summary(run, progress=True)
    assert cell[-1] == '<progress value="4" max="4"></progress> 4 of 4 files' and sys.stderr.getvalue() == ""


def test_the_command_ends_as_a_program_does(run):
    def status(*arguments):
        return subprocess.run([*COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE).returncode

    assert [status("summary", run), status("check", run / "none"), status("no-such-command"), status("diff", DENSE, DENSE)] == [
        0, 2, 2, 0]
