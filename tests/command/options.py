"""Tries each option of each command on files of each kind: the output changes, or a message says why it does not.

usage: options.py ROOT WLFMT WORK_FOLDER
"""
import glob
import os
import re
import shutil
import subprocess
import sys

root, wlfmt, work = (os.path.abspath(path) for path in sys.argv[1:4])
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
data = root + "/tests/data/"

# An option, values of it that say something else than is said without it, and what is printed with and without it.
SIZES = ["--json"]
VALUES = {
    "--of": ["sub-operations", "rows", "waits", "bandwidth"], "--table": ["2"], "--align": ["first"], "--ranks": ["0-1"],
    "--ranks-per-file": ["2"], "--tolerance": ["50%"], "--by": ["stage", "kernel", "row", "layer"], "--only": ["compute"],
    "--columns": ["calls"], "--top": ["1"], "--fold-names": [""], "--fail-above": ["1%"], "--json": [""],
    "--markdown": [""], "--partial": [""], "--share": ["0/2"], "--expect": ["32"], "--per-file": [""], "--tick": ["7"],
    "--passes": ["3"], "--order": ["pp-dp-ep-cp-tp"], "--all-gather": ["share"], "--active-chunks": ["3"],
    "--splits": ["9"], "--schedule": ["1f1b"], "--vpp": ["2"], "--balance": [""], "--only-ranks": ["0"],
    "--network": ["other"], "--check": [""], "--world-size": ["16"], "--tp": ["4"], "--pp": ["3"], "--ep": ["5"],
    "--canonical": [""], "--prefix": ["x "], "--show": [""],
}
# What says how a file is read or where the output goes, and what only matters for some contents: tests of their own.
ELSEWHERE = {"-o", "-j", "-h", "--kind", "--strict", "--lenient", "--color", "--wide", "--limit", "--no-formulas", "--link", "--for"}
# (command, option, files): nothing changes, rightly.
ALIKE = {
    ("csv", "--of=rows", "*"): "tables have nothing else",
    ("summary", "--share=0/2", "log"): "the first of two shares has the only file",
    ("summary", "--per-file", "log"): "there is one file",
    ("timeline", "--align=first", "log"): "there is one clock",
    ("diff", "--tolerance=50%", "*"): "no difference is that small",
    ("diff", "--by=kernel", "*"): "what differs is a kernel",
}


def copy(name, source, change=None):
    text = open(source, encoding="utf-8").read()
    with open(name, "w", encoding="utf-8") as file:
        file.write(change(text) if change else text)


subprocess.run([sys.executable, root + "/tests/answers/make_runs.py", "runs"], check=True, stdout=subprocess.DEVNULL)
os.rename("runs/slow_rank", "run")
os.rename("runs/even", "other")
for folder, bare in (("run", "bare"), ("other", "other_bare")):
    os.makedirs(bare)
    for rank, log in enumerate(sorted(glob.glob(folder + "/*"))):
        shutil.copy(log, f"{bare}/rank{rank}.txt")
copy("log.txt", data + "oplog_rank7_moe_simulation.txt")
copy("layers.txt", data + "workload_moe_128gpus.txt")
copy("other_layers.txt", data + "workload_dense_1024gpus.txt")
copy("table.txt", data + "profiler_table_moe_train_step.txt")
copy("other_table.txt", "table.txt", lambda text: text.replace("cudaEventCreateWithFlags", "cudaEventCreateWithFlagz"))
copy("tables.txt", "table.txt", lambda text: text + open("other_table.txt", encoding="utf-8").read())
FILES = {"log": ["log.txt"], "run": ["run"], "bare run": ["bare"], "workload": ["layers.txt"], "table": ["table.txt"],
         "two tables": ["tables.txt"], "two files of tables": ["table.txt", "other_table.txt"],
         "two workloads": ["layers.txt", "other_layers.txt"], "two runs": ["run", "other"],
         "two bare runs": ["bare", "other_bare"]}
# set has tests of its own. The options of the others only say how a file is read and where the output goes.
WITHOUT = {"from-json", "mend", "set", "completion"}
COMMANDS = re.findall(r"^  ([a-z][a-z-]*)  ", subprocess.run(
    [wlfmt, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout, re.M)
if len(COMMANDS) < 15 or not WITHOUT < set(COMMANDS):
    sys.exit(f"--help has other commands: {COMMANDS}")
COMMANDS = [command for command in COMMANDS if command not in WITHOUT]
with open("partial.jsonl", "w", encoding="utf-8") as lines:
    subprocess.run([wlfmt, "summary", "--partial", "run"], stdout=lines, check=True)


def run(*arguments):
    shutil.rmtree("made", ignore_errors=True)
    os.makedirs("made")
    done = subprocess.run([wlfmt, *arguments], stdin=subprocess.DEVNULL, capture_output=True)
    files = {name: open("made/" + name, "rb").read() for name in os.listdir("made")}
    return done.returncode, done.stdout, done.stderr, files


failures, tried = [], 0
for command in COMMANDS:
    said = subprocess.run([wlfmt, command, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    options = re.findall(r"^  (--?[a-zA-Z-]+)", said, re.M)
    inputs = {"partial": ["partial.jsonl"]} if command == "merge" else FILES
    for name, files in inputs.items():
        for option in options:
            if option not in VALUES:
                if option not in ELSEWHERE and option != "--help":
                    failures.append(f"{command} {option} is not tried")
                continue
            for value in VALUES[option]:
                given = option + ("=" + value if value else "")
                if option == "--table" and command == "diff":
                    given += ",1"
                beside = {"chakra": ["-o", "made/trace"], "timeline": ["-o", "made/timeline.json"]}.get(command, [])
                # Sizes change what is known, which sentences need not show.
                if option in ("--world-size", "--tp", "--pp", "--ep") and command in ("summary", "merge"):
                    beside = ["--json"]
                without = run(command, *files, *beside)
                tried += 1
                if without[0] != (1 if command == "diff" else 0) or run(command, given, *files, *beside) != without:
                    continue
                if (command, given, name) not in ALIKE and (command, given, "*") not in ALIKE:
                    sizes = re.findall(r"(wd|tp|pp|exp)(\d+)", " ".join(os.listdir("run"))) if "run" in files else []
                    keys = {"--world-size": "wd", "--tp": "tp", "--pp": "pp", "--ep": "exp"}
                    if (keys.get(option), value) in sizes or command == "merge" and (option, value) == ("--pp", "3"):
                        continue  # what the names of the files say, too
                    failures.append(f"{command} {given} is ignored in silence: {name}")
    print(f"{command}: {len(options)} options", flush=True)

# A size that repeats what the file names say is accepted, any other is refused.
for command in ("summary", "report", "chakra"):
    for given, status in (("--tp=2", 0), ("--tp=4", 1), ("--world-size=6", 0), ("--world-size=16", 1)):
        done = run(command, given, "run", *(["-o", "made/trace"] if command == "chakra" else []))
        if done[0] != status or status and b"contradicts the name" not in done[2]:
            failures.append(f"{command} {given}: exit status {done[0]}: {done[2]}")
for command in ("summary", "report", "chakra", "merge"):
    done = run(command, "--ranks=8", "run", *(["-o", "made/trace"] if command == "chakra" else []))
    if done[0] != 2 or b"--ranks is a list of ranks" not in done[2] or b"--world-size=N" not in done[2]:
        failures.append(f"{command} --ranks=8: exit status {done[0]}: {done[2]}")

print("\n".join(failures) or f"{tried} times an option is used, or refused")
sys.exit(bool(failures))
