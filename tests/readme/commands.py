"""Every command that a document shows is run, in the order of the document and in one folder for each, with the files that
it names: the blocks ```sh, and the examples of the manual. A comment `# exit status N` says what a command ends with; that
of `wlfmt diff` may be 1 or 3. ELSEWHERE names the tests of the commands that are not run here. Besides, each option in a
command within a sentence is one that this command takes. usage: commands.py ROOT WLFMT WORK_FOLDER"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

root, wlfmt, work = (Path(os.path.abspath(path)) for path in sys.argv[1:4])
DATA = root / "tests/data"
DOCUMENTS = ["README.md", *(f"docs/{path.name}" for path in sorted((root / "docs").glob("*.md"))), "docs/wlfmt.1",
             "python/README.md", "conformance/README.md"]
# A part of a command, and what runs it.
ELSEWHERE = {
    "cmake -B build && cmake --build build -j": ".ci/run, readme: command",
    "g++ -std=c++17 -Iinclude examples/allreduces.cpp": "tests/readme/check.sh",
    "sh tests/run.sh": ".ci/run, readme: tests (gcc)",
    "cmake -S wlfmt -B build": "tests/embedding/check.sh, installed",
    "cmake --install build": "tests/embedding/check.sh, installed",
    "clang++ -std=c++20": "tests/embedding/check.sh, module",
    "pip install": "python/tests/install.sh, tests/release/check.sh",
    "cmake -B build -DWLFMT_BUILD_PYTHON=ON": ".ci/run, python",
    "cmake --build build --parallel": ".ci/run, python",
    "PYTHONPATH=build/python": ".ci/run, python",
    "to_parquet": "needs pyarrow",
    "examples/simai_results.py": "python/tests/test_examples.py",
    "--reader 'wlfmt json": "tests/conformance/check.sh",
}
# Of this document tests/chakra/simulate.sh runs what is written here, with and without a simulator.
SIMULATED = "docs/chakra.md"


def replaced(name, before, after, source):
    text = (DATA / source).read_text()
    assert before in text, f"{source} lacks {before}"
    Path(name).write_text(text.replace(before, after))


def make_files():
    """What the documents call their files."""
    for name in ("examples", "tests", "tools", "include"):
        os.symlink(root / name, name)
    os.makedirs("build/tools")
    os.symlink(wlfmt, "build/tools/wlfmt")
    for name in ("run", "before", "simulated", "measured"):
        shutil.copytree(root / "examples/run", name)
    slow = next(Path("measured").glob("*_rank3_*"))
    slow.write_text(slow.read_text().replace("duration=19.", "duration=29."))
    shutil.copy(root / "examples/straggler_analysis.py", ".")
    for name, source in (("rank7.txt", "oplog_rank7_pipeline_last_stage.txt"), ("moe.txt", "workload_moe_128gpus.txt"),
                         ("workload.txt", "workload_moe_128gpus.txt"), ("profile.txt", "profiler_table_moe_train_step.txt")):
        shutil.copy(DATA / source, name)


def make_pair(heading):
    if "generator" in heading:
        shutil.copy(DATA / "workload_moe_128gpus.txt", "before.txt")
        replaced("after.txt", "175484928", "275484928", "workload_moe_128gpus.txt")
    else:
        shutil.copy(DATA / "profiler_table_moe_train_step.txt", "before.txt")
        replaced("after.txt", "3.916s", "4.916s", "profiler_table_moe_train_step.txt")


def blocks(document):
    """(heading, [command, ...]) of each block; a function, and lines that end with a backslash, are one command."""
    text = (root / document).read_text()
    if document.endswith(".1"):
        examples = text[text.index(".SH EXAMPLES\n.nf\n") :].split("\n")[2:]
        yield "Examples", [line.replace("\\-", "-").replace("\\(aq", "'") for line in examples if line[:1] not in ("", ".")]
        return
    heading = ""
    for match in re.finditer(r"^#+ ([^\n]*)$|^```sh\n(.*?)^```$|^```.*?^```$", text, re.M | re.S):
        if match.group(1):
            heading = match.group(1)
        elif match.group(2):
            yield heading, re.findall(r"^\w+\(\) \{(?:.|\n)*?^\}|(?:^[^\n]*\\\n)*^[^\n]+$", match.group(2), re.M)


def statuses(command):
    said = re.search(r"# exit status (\d+)", command)
    if said:
        return [int(said.group(1))]
    return [0, 1, 3] if command.startswith("wlfmt diff") and "||" not in command else [0]


used, count, failures = set(), 0, []
environment = {**os.environ, "PATH": f"{work / 'bin'}:{os.environ['PATH']}"}
shutil.rmtree(work, ignore_errors=True)
(work / "bin").mkdir(parents=True)
os.symlink(wlfmt, work / "bin/wlfmt")
for document in DOCUMENTS:
    if document == SIMULATED:
        continue
    folder = work / document.replace("/", "_")
    folder.mkdir()
    os.chdir(folder)
    make_files()
    functions = ""
    for heading, commands in blocks(document):
        make_pair(heading)
        for command in commands:
            test = next((part for part in ELSEWHERE if part in command), None)
            used.add(test)
            missing = [name for name in ("jq", "sqlite3") if re.search(rf"(^|\| ){name} ", command) and not shutil.which(name)]
            if test or missing:
                continue
            if re.match(r"\w+\(\) \{", command):
                functions += command + "\n"
                continue
            done = subprocess.run(["sh", "-c", functions + command], capture_output=True, text=True, env=environment,
                                  stdin=subprocess.DEVNULL, timeout=300)
            count += 1
            if done.returncode not in statuses(command):
                failures.append(f"{document}: exit status {done.returncode}: {command}\n{done.stderr or done.stdout}")

shown = subprocess.run([wlfmt, "summary", root / "examples/run"], capture_output=True, text=True).stdout.split("\n")[0]
if f"```text\n{shown}\n```" not in (root / "README.md").read_text():
    failures.append(f"README.md does not show: {shown}")
taken = {}
for document in [*DOCUMENTS, "CONTRIBUTING.md", "SECURITY.md"]:
    text = re.sub(r"^```.*?^```$", "", (root / document).read_text(), flags=re.M | re.S)
    for command in re.findall(r"`(?:[^`]*\| )?wlfmt ([a-z][^`|]*)`", text):
        name = command.split()[0]
        if name not in taken:
            taken[name] = subprocess.run([wlfmt, name, "--help"], capture_output=True, text=True).stdout
        for option in re.findall(r" (--?[a-z][a-z-]*)", command):
            if not re.search(rf"^  {option}\b", taken[name], re.M) and option != "--help":
                failures.append(f"{document}: wlfmt {name} does not take {option}: {command}")
failures += [f"no document says: {part}" for part in ELSEWHERE if part not in used]
print("\n".join(failures) or f"{count} commands of documents")
sys.exit(bool(failures))
