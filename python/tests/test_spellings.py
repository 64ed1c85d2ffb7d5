"""What is tried before the documents are read either works or says the right spelling."""

import io
import os
import shutil
import warnings
from pathlib import Path

import pytest
from files import DATA, DENSE, LOG, MOE, TABLE, bytes_of

import wlfmt


@pytest.fixture
def folder(tmp_path):
    shutil.copy(LOG, tmp_path / "wd2_rank0_20250102000000.txt")
    (tmp_path / "wd2_rank1_20250102000000.txt").write_bytes(bytes_of(LOG).replace(b"rank:7:", b"rank:1:"))
    return tmp_path


SAID = {
    "wlfmt.read(LOG)": (AttributeError, "read_oplog, read_workload or read_table"),
    "wlfmt.load(LOG)": (AttributeError, "read_oplog, read_workload or read_table"),
    "wlfmt.loads('a')": (AttributeError, "read_oplog, read_workload or read_table"),
    "wlfmt.parse(LOG)": (AttributeError, "read_oplog, read_workload or read_table"),
    "wlfmt.read_log(LOG)": (AttributeError, "read_oplog"),
    "wlfmt.read_run(LOG)": (AttributeError, "use open$"),
    "wlfmt.read_profile(LOG)": (AttributeError, "use read_table$"),
    "wlfmt.load_run(LOG)": (AttributeError, "use open$"),
    "wlfmt.parse_layers(LOG)": (AttributeError, "use read_workload$"),
    "wlfmt.from_file(LOG)": (AttributeError, "read_oplog, read_workload or read_table"),
    "wlfmt.to_pandas(LOG)": (AttributeError, r"scan\(...\)\.to_pandas\(\)"),
    "wlfmt.write(LOG)": (AttributeError, "write_oplog, write_workload or write_table"),
    "wlfmt.summarize(LOG)": (AttributeError, "summary"),
    "wlfmt.validate(LOG)": (AttributeError, "use check$"),
    "wlfmt.compare(LOG, LOG)": (AttributeError, "use diff$"),
    "wlfmt.open(LOG).to_pandas()": (AttributeError, r"run\.operations"),
    "wlfmt.open(LOG).to_polars()": (AttributeError, r"run\.operations"),
    "wlfmt.open(LOG).head()": (AttributeError, r"run\.operations"),
    "len(wlfmt.open(LOG))": (TypeError, r"run\.files"),
    "list(wlfmt.open(LOG))": (TypeError, r"run\.operations"),
    "wlfmt.open(LOG)['rank']": (TypeError, r"run\.operations"),
    "wlfmt.scan(LOG).describe()": (AttributeError, r"scan\.to_pandas\(\)"),
    "wlfmt.scan(LOG).to_arrow()": (AttributeError, r"scan\.to_pandas\(\)"),
    "len(wlfmt.scan(LOG))": (TypeError, r"scan\.to_pandas\(\)"),
    "list(wlfmt.scan(LOG))": (TypeError, r"scan\.to_pylist\(\)"),
    "wlfmt.scan(LOG)['rank']": (TypeError, r"scan\.to_pandas\(\)"),
    "wlfmt.summary(LOG).ranks": (AttributeError, r"summary\.answers\.ranks"),
    "wlfmt.summary(LOG).operations": (AttributeError, r'summary\["operations"\]'),
    "wlfmt.read_oplog(folder)": (ValueError, r"2 files; scan\(\) and open\(\) take several"),
    "wlfmt.read_oplog(f'{folder}/*.txt')": (ValueError, r"2 files; scan\(\) and open\(\) take several"),
    "wlfmt.read_oplog(f'{folder}/*.none')": (FileNotFoundError, "no file fits the pattern"),
    "wlfmt.read_oplog([LOG, LOG])": (TypeError, r"scan\(\) and open\(\) take several"),
    "wlfmt.read_oplog('https://example.org/rank0.log')": (ValueError, "URL"),
    "wlfmt.read_table('s3://bucket/profile.txt')": (ValueError, "URL"),
    "wlfmt.scan('https://example.org/rank0.log')": (ValueError, "URL"),
    "wlfmt.open(['https://example.org/rank0.log'])": (ValueError, "URL"),
    "wlfmt.plot('https://example.org/rank0.log')": (ValueError, "URL"),
    "wlfmt.write_table(wlfmt.read_table(TABLE)[0]['rows'])": (TypeError, "read_table"),
    "wlfmt.write_table(wlfmt.scan(TABLE, 'rows'))": (TypeError, "read_table"),
    "wlfmt.write_table(wlfmt.scan(TABLE, 'rows').to_pandas())": (TypeError, "read_table"),
    "wlfmt.write_workload(wlfmt.scan(DENSE, 'layers').to_pandas())": (TypeError, "read_workload"),
    "wlfmt.scan(wlfmt.scan(LOG))": (TypeError, "a frame is no source"),
    "wlfmt.scan(wlfmt.scan(LOG).to_pandas())": (TypeError, "a frame is no source"),
    "wlfmt.read_oplog(wlfmt.scan(LOG).to_pandas())": (TypeError, "a frame is no source"),
    "wlfmt.diff(wlfmt.scan(LOG).to_pandas(), LOG)": (TypeError, "a frame is no source"),
    "wlfmt.diff(LOG, wlfmt.scan(LOG).to_pandas())": (TypeError, "a frame is no source"),
    "wlfmt.plot([LOG, wlfmt.scan(LOG).to_pandas()])": (TypeError, "a frame is no source"),
    "wlfmt.plot(LOG, folder / 'p.png')": (ValueError, "SVG, to a path that ends with .svg"),
    "wlfmt.plot(LOG, str(folder / 'p.pdf.gz'))": (ValueError, "SVG, to a path that ends with .svg"),
    "wlfmt.report(LOG, folder / 'p.pdf')": (ValueError, "HTML, to a path that ends with .html"),
    "wlfmt.open(LOG).plot(folder / 'p.png')": (ValueError, "SVG, to a path that ends with .svg"),
    "wlfmt.timeline(LOG, folder / 'p.pb')": (ValueError, "JSON, to a path that ends with .json"),
}


@pytest.mark.parametrize("words", SAID)
def test_what_does_not_work_says_what_does(words, folder):
    if ".to_pandas()" in words:
        pytest.importorskip("pandas")
    kind, said = SAID[words]
    before = sorted(os.listdir(folder))
    with warnings.catch_warnings(), pytest.raises(kind, match=said):
        warnings.simplefilter("ignore", wlfmt.ParseWarning)
        eval(words, {**globals(), "folder": folder})
    assert sorted(os.listdir(folder)) == before


def test_what_is_obvious_works(folder):
    log = wlfmt.read_oplog(LOG)
    (folder / "one").mkdir()
    shutil.copy(LOG, folder / "one" / "rank7.txt")
    for source in (Path(LOG), bytes_of(LOG), bytes_of(LOG).decode(), io.BytesIO(bytes_of(LOG)),
                   io.StringIO(bytes_of(LOG).decode()), folder / "one", str(folder / "one" / "*.txt"), Path(LOG).parent / (Path(LOG).name[:-1] + "[t]")):
        assert wlfmt.read_oplog(source) == log
    assert not hasattr(wlfmt, "no_such") and not hasattr(wlfmt.scan(LOG), "__array__") and wlfmt.scan(LOG) and wlfmt.open(LOG)
    assert wlfmt.scan(LOG).columns == list(wlfmt.scan(LOG).schema) and "duration_ms" in wlfmt.scan(LOG).columns
    for given in (7, [7]):
        assert wlfmt.scan(LOG, ranks=given).to_pylist() == wlfmt.scan(LOG).to_pylist() != []
    assert wlfmt.scan(LOG, ranks=3).to_pylist() == [] == wlfmt.scan(LOG, ranks=[]).to_pylist()
    for to in ("p.svg", "p", "P.SVG", "p.svg.gz"):
        wlfmt.plot(LOG, folder / to)
    for to in ("p.html", "p.htm", "page"):
        wlfmt.report(LOG, folder / to)


FIRST = bytes_of(LOG).replace(b"rank:7:", b"rank:0:")


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    for kind in (numpy.int64, numpy.int32, numpy.uint8):
        assert wlfmt.summary(FIRST, expect=kind(1)) == wlfmt.summary(FIRST, expect=1)
        assert wlfmt.plot(LOG, ranks=kind(7)) == wlfmt.plot(LOG, ranks=7) == wlfmt.plot(LOG, ranks=numpy.array([7], kind))
        assert wlfmt.diff(TABLE, TABLE, top=kind(3)) == wlfmt.diff(TABLE, TABLE, top=3)
        assert wlfmt.scan(LOG, ranks=kind(7)).to_pylist() == wlfmt.scan(LOG, ranks=numpy.array([7])).to_pylist() != []
    assert wlfmt.diff(TABLE, TABLE, tolerance=numpy.float64(0.5)) == wlfmt.diff(TABLE, TABLE, tolerance=0.5)


def test_a_comparison_is_true_if_anything_differs(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wlfmt.ParseWarning)
        for same in (LOG, TABLE, DENSE, MOE, folder):
            assert not wlfmt.diff(same, same), same
        table = bytes_of(TABLE).replace(b"nccl:_all_gather_base", b"nccl:_all_gather_other", 1)
        reordered = wlfmt.read_workload(DENSE)
        reordered["layers"][1:3] = reordered["layers"][2:0:-1]
        longer = bytes_of(LOG).replace(b"duration=1", b"duration=2")
        for before, after in ((LOG, longer), (TABLE, table), (DENSE, MOE), (DENSE, wlfmt.write_workload(reordered).encode())):
            for lenient in (False, True):
                assert wlfmt.diff(before, after, lenient=lenient) and wlfmt.diff(after, before, lenient=lenient), before
        # What cannot be read makes no difference, and hides none.
        cut = bytes_of(LOG) + b"rank:7:f(duration=1\n"
        assert not wlfmt.diff(cut, cut, lenient=True) and wlfmt.diff(cut, longer, lenient=True)


def test_reading_shows_its_progress():
    shown = []
    log = bytes_of(LOG) * 2000
    assert len(wlfmt.read_oplog(log, progress=lambda *done: shown.append(done))) == 9 * 2000
    assert shown and shown == sorted(shown) and {total for _, total in shown} == {len(log)}
    for read, path in ((wlfmt.read_workload, DENSE), (wlfmt.read_table, TABLE)):
        shown.clear()
        assert read(path, progress=lambda *done: shown.append(done)) == read(path)
        assert shown[-1] == (os.path.getsize(path), os.path.getsize(path))


def test_nothing_set_changes_nothing(tmp_path):
    for path in (LOG, DENSE, TABLE):
        assert wlfmt.set(path, {}).encode() == bytes_of(path) == wlfmt.set(bytes_of(path), {}, tmp_path / "copy").encode()
        assert bytes_of(tmp_path / "copy") == bytes_of(path)
    assert wlfmt.set(b"\xff\r\n", {}, tmp_path / "copy") and bytes_of(tmp_path / "copy") == b"\xff\r\n"
    with pytest.raises(FileNotFoundError):
        wlfmt.set(os.path.join(DATA, "nowhere.txt"), {})
