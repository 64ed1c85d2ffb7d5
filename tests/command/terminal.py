#!/usr/bin/env python3
"""What the command prints on a terminal: no wider than it, in colours, with progress, and nothing of that elsewhere.

usage: terminal.py ROOT WLFMT WORK_FOLDER. Exits with 77 where there are no pseudo-terminals.
"""
import fcntl
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import termios
import threading
import time

try:
    import pty
except ImportError:
    print("no pseudo-terminals here")
    sys.exit(77)

root, wlfmt, work = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
data = root / "tests/data"
failures = 0
CODE = re.compile(r"\x1b\[[0-9;]*[mK]")


def expect(is_right, what, shown=""):
    global failures
    if not is_right:
        failures += 1
        print(f"{what}:\n{shown}" if shown else what)


def on_terminal(*arguments, columns=80, to_file=False, fed=None, **variables):
    """Both streams on one terminal, or standard error alone: the status and what is shown."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    environment.update({"TERM": "xterm", **variables})
    with open(work / "out", "wb") as out:
        process = subprocess.Popen([wlfmt, *map(str, arguments)], stdin=subprocess.DEVNULL if fed is None else fed,
                                   stdout=out if to_file else slave, stderr=slave, cwd=work, env=environment)
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(master)
    return process.wait(), shown.decode().replace("\r\n", "\n")


def piped(*arguments):
    done = subprocess.run([wlfmt, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, cwd=work, text=True)
    return done.stdout + done.stderr


log = data / "oplog_rank7_pipeline_last_stage.txt"
table = data / "profiler_table_moe_train_step.txt"
dense = data / "workload_dense_1024gpus.txt"
moe = data / "workload_moe_128gpus.txt"
run = work / "fast_run"
run.mkdir()
for rank in range(4):
    (run / f"wd4_tp1_pp2_rank{rank}_20250101000000.txt").write_text("".join(
        f"rank:{rank}:{name}(duration={1.5 + rank},timestamp={10 * n},stage_id={rank // 2})\n"
        for n, name in enumerate(["forward_step", "backward_step", "optimizer_step"], 1)))

# Width.
for columns in (40, 60, 80, 100):
    for command in (["summary", log], ["summary", run], ["summary", table], ["check", log], ["check", dense],
                    ["diff", table, log], ["diff", dense, moe], ["diff", run, log]):
        status, shown = on_terminal(*command, columns=columns)
        wide = [line for line in CODE.sub("", shown).split("\n") if len(line) > columns and " " in line.strip()]
        expect(not wide, f"{command} has lines wider than {columns}", "\n".join(wide))
plain = piped("summary", log)
status, shown = on_terminal("summary", log, columns=60)
expect("columns do not fit the terminal and are left out; --wide shows them" in " ".join(shown.split()),
       "nothing says what was left out", shown)
status, shown = on_terminal("summary", "--wide", log, columns=60)
expect(CODE.sub("", shown) == plain, "--wide prints other lines than a pipe gets", shown)
status, shown = on_terminal("summary", log, columns=400)
expect(CODE.sub("", shown) == plain, "a wide terminal shows other lines than a pipe gets", shown)

# The caret stays below what is wrong in a line that the terminal has no room for, whichever part of it is shown.
for before in (0, 30, 48, 60, 200):
    (work / "long.txt").write_text(f"rank:1:forward(note={chr(233) * before},duration=x1,more={'y' * 150})\n")
    for columns in (40, 80, 120):
        lines = on_terminal("check", "--color=never", "long.txt", columns=columns)[1].split("\n")
        caret = next(n for n, line in enumerate(lines) if line.strip() in ("^", "^~"))
        expect(lines[caret - 1][lines[caret].index("^"):].startswith("x1"), f"caret at {columns}, {before}", "\n".join(lines))
        expect(max(map(len, lines[caret - 1:caret + 1])) <= columns, f"excerpt wider than {columns}", "\n".join(lines))

# Colours.
(work / "bad.txt").write_text("rank:1:forward(duration=x1, k=2)\n")
status, shown = on_terminal("check", "bad.txt", columns=200)
expect(status == 1 and "\x1b[1mbad.txt:1:25:\x1b[0m \x1b[1;31merror:\x1b[0m not_a_number" in shown, "no colours of a problem", shown)
expect("\x1b[1;32m^~\x1b[0m\n" in shown, "no colour of the caret", shown)
for variables, option in (({"NO_COLOR": "1"}, []), ({}, ["--color=never"]), ({"TERM": "dumb"}, [])):
    shown = on_terminal("check", *option, "bad.txt", columns=200, **variables)[1]
    expect("\x1b" not in shown, f"colours in spite of {variables} {option}", shown)
expect("\x1b" in piped("check", "--color=always", "bad.txt"), "--color=always has no colours")
expect("\x1b" not in piped("check", "bad.txt"), "colours in a pipe")
status, shown = on_terminal("summary", log)
expect("\x1b[1m" in shown and "\x1b" not in plain, "no colour of headings", shown)
expect(CODE.sub("", piped("summary", "--color=always", run)) == piped("summary", run), "colours change the words")

# Pages and pictures go to files.
for command, ending in (("report", "html"), ("plot", "svg")):
    for name in (f"fast_run.{ending}", f"fast_run-2.{ending}"):
        status, shown = on_terminal(command, run)
        expect(status == 0 and shown.replace("\n", "") == f"wlfmt: {name} is written", f"{command} says something else", shown)
        expect((work / name).is_file() and (work / name).read_text() == piped(command, run), f"{name} is another page")
    expect(on_terminal(command, "-o", "-", run)[1].startswith("<"), f"{command} -o - prints no page")
expect(on_terminal("report", "nowhere.txt")[0] == 2 and not (work / "nowhere.html").exists(), "a file of nothing is left")

# Progress of one large file: with its rate, after a second, and gone at the end.
line = log.read_text()
large = (line * (1 + (1 << 16) // len(line))).encode()
for to_file in (True, False):
    read, write = os.pipe()

    def feed():
        with os.fdopen(write, "wb") as pipe:
            for _ in range(8):
                pipe.write(large * 8)
                time.sleep(0.25)

    feeder = threading.Thread(target=feed)
    feeder.start()
    with os.fdopen(read, "rb") as pipe:
        status, shown = on_terminal("json", "-", columns=100, to_file=to_file, fed=pipe)
    feeder.join()
    expect(bool(re.search(r"\r[0-9.]+ MB read, [0-9.]+ MB/s\x1b\[K", shown)) == to_file, f"progress: {to_file}", shown[-300:])
    expect(not to_file or shown.endswith("\r\x1b[K"), "progress is left on the terminal", shown[-300:])

# Help.
for form in (["--help"], [], ["help"], ["help", "chakra"], ["summary", "--help"]):
    status, shown = on_terminal(*form)
    expect(all(len(line) <= 80 for line in CODE.sub("", shown).split("\n")), f"wlfmt {form} is wide", shown)

print(f"{failures} failures")
sys.exit(1 if failures else 0)
