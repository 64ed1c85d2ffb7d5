#!/usr/bin/env python3
"""Holds `wlfmt check --for` against files of which it is known what is wrong with them, each tried in the simulator that
it is about where that could be built (docs/simulators.md), and runs every remedy that it prints, on these files and on
random ones: each command succeeds, and the file that it prints has no longer what it mends. With all of them carried out
one after the other, the simulator takes the file.

usage: remedies.py WLFMT FOLDER [SEED COUNT]
"""
import os
import random
import re
import subprocess
import sys

wlfmt, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
seed, count = (int(word) for word in (sys.argv[3:5] or (7, 150)))
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
os.environ["PATH"] = os.path.dirname(wlfmt) + os.pathsep + os.environ["PATH"]
failures = []

KEYS = {"model_parallel_NPU_group": "2", "ep": "1", "pp": "1", "vpp": "1", "ga": "1", "all_gpus": "8", "checkpoints": "0",
        "checkpoint_initiates": "0", "pp_comm": "0"}
POLICY = "HYBRID_TRANSFORMER_FWD_IN_BCKWD"
LAYER = "attention -1 1000 ALLREDUCE 2097152 1000 ALLGATHER 2097152 1000 REDUCESCATTER 4194304 100"


def text_of(changes={}, layers=(LAYER, LAYER), policy=POLICY, declared=None, between="", before="", after=""):
    entries = "".join(f" {key}: {value}" for key, value in {**KEYS, **changes}.items() if value is not None)
    declared = len(layers) if declared is None else declared
    return f"{before}{policy}{entries}{after}\n{between}{declared}\n" + "".join(line + "\n" for line in layers)


def layers(old, new):
    assert old in LAYER
    return [LAYER.replace(old, new, 1), LAYER]


# What is wrong, a part of the row's words, and the file.
SIMAI = [
    ("a byte order mark", text_of(before="\ufeff")),
    ("a blank line before the policy", text_of(before="\n")),
    ("a blank line before the number of layers", text_of(between="\n")),
    ("a number of layers that is not", text_of(layers=(), declared=0)),
    ("more layers than are declared", text_of(declared=1)),
    ("a policy that it does not have", text_of(policy="HYBRID_TRANSFROMER")),
    ("a key twice", text_of(after=" pp: 4")), ("a key twice", text_of(after=" checkpoints: 1 0")),
    ("no `pp` or no", text_of({"pp": None})), ("no `pp` or no", text_of({"model_parallel_NPU_group": None})),
    ("no `ga` or no", text_of({"ga": None})), ("no `ga` or no", text_of({"vpp": None})),
    ("no `ep` or no", text_of({"ep": None})), ("no `ep` or no", text_of({"all_gpus": None})),
    ("no `ep` or no", text_of({"ep": None}, after=" expert_parallel_npu_group: 2")),
    ("without the colon", text_of({"ep": None}, after=" ep 1")),
    ("not written as a whole number", text_of({"ga": "2.5"})),
    ("not written as a whole number", text_of({"pp": "2", "pp_comm": "1e7"})),
    ("beyond 2147483647", text_of({"ga": "3000000000"})), ("a size below 1", text_of({"vpp": "0"})),
    ("do not divide", text_of({"model_parallel_NPU_group": "16"})), ("do not divide", text_of({"ep": "3"})),
    ("twice the product", text_of({"ga": "100000", "vpp": "100000"})),
    ("`pp_comm` above", text_of({"pp": "2", "pp_comm": "3000000000"})),
    ("stages without `pp_comm`", text_of({"pp": "2"})), ("stages without `pp_comm`", text_of({"pp_comm": "1000"})),
    ("several layers in", text_of({"checkpoints": "2 0 1"})),
    ("a layer that there is not", text_of({"checkpoints": "1 9"})),
    ("recomputation from a layer", text_of({"checkpoint_initiates": "1 0"})),
    ("recomputation from a layer", text_of({"checkpoints": "1 1", "checkpoint_initiates": "1 1"})),
    ("recomputation from a layer", text_of({"checkpoints": "1 1", "checkpoint_initiates": "1 0"})),
    ("bytes that are not written", text_of(layers=layers("2097152", "2097152.0"))),
    ("bytes that are not written", text_of(layers=layers("2097152", "1e+7"))),
    ("a time that is not written", text_of(layers=layers("1000", "1000.5"))),
    ("a time that is not written", text_of(layers=[LAYER + ".0", LAYER])),
    ("a dependency that is no", text_of(layers=layers("-1", "-1.0"))),
    ("a dependency that is no", text_of(layers=layers("-1", "3000000000"))),
    ("below 0", text_of(layers=layers("2097152", "-1"))), ("below 0", text_of(layers=layers("1000", "-5"))),
    ("2147483647 ticks or more", text_of(layers=layers("1000", "2147483647"))),
    ("an update of more than", text_of(layers=[LAYER[:-3] + "2147483648", LAYER])),
    ("ALLREDUCEALLTOALL", text_of(layers=layers("ALLREDUCE", "ALLREDUCEALLTOALL"))),
    ("ALLTOALLV", text_of(layers=layers("ALLREDUCE", "ALLTOALLV"))),
    ("BROADCAST", text_of(layers=layers("ALLREDUCE", "BROADCAST"))),
    ("the suffix _DP", text_of(layers=layers("REDUCESCATTER", "REDUCESCATTER_DP"))),
    ("a collective that it does not know", text_of(layers=layers("ALLREDUCE", "ALLREDUC"))),
    ("_EP in a weight gradient", text_of({"ep": "2"}, layers("REDUCESCATTER", "REDUCESCATTER_EP"))),
    ("_EP in a weight gradient", text_of({"ep": "4"}, layers("ALLREDUCE", "ALLREDUCE_DP_EP"))),
    ("a collective of tensor parallelism where", text_of({"model_parallel_NPU_group": "1"})),
    ("less than 1 MiB", text_of({"model_parallel_NPU_group": "3", "all_gpus": "6"}, layers("2097152", "1000000"))),
    ("less than 1 MiB", text_of({"all_gpus": "6"}, layers("4194304", "1000000"))),
    ("more than 16 GiB", text_of(layers=layers("ALLGATHER 2097152", "ALLGATHER 18179869184"))),
    ("more than 16 GiB", text_of({"ep": "2"}, layers("ALLREDUCE 2097152", "ALLTOALL_EP 28179869184"))),
    ("over servers of 8 ranks", text_of({"model_parallel_NPU_group": "24", "all_gpus": "24"})),
    ("expert parallelism where", text_of({"model_parallel_NPU_group": "1", "ep": "2"}, layers("ALLREDUCE", "ALLTOALL_EP"))),
    ("fewer bytes than its group", text_of(layers=[LAYER.replace("ALLGATHER 2097152", "ALLREDUCE 1"), LAYER])),
] + [("a policy other than", text_of(policy=policy, layers=[line + " DATA" for line in (LAYER,)] if own else (LAYER,)))
     for policy, own in (("DATA", 0), ("MODEL", 0), ("MICRO", 0), ("HYBRID_DATA_MODEL", 0), ("HYBRID_MODEL_DATA", 0),
                         ("HYBRID_CUSTOMIZED", 1), ("DISTRIBUTED_INFERENCE", 0), ("HYBRID_DLRM", 0))]
# Traces that ASTRA-sim 2 runs otherwise than they are written: 8 ranks and 4 pieces are 32 bytes.
ASTRA_SIM = [
    ("stages without `pp_comm`", text_of({"pp": "2"})),
    ("a single rank", text_of({"model_parallel_NPU_group": "1", "all_gpus": "1"})),
    ("fewer bytes than there are ranks", text_of(layers=layers("ALLREDUCE 2097152", "ALLREDUCE 31"))),
    ("fewer bytes than there are ranks", text_of(layers=layers("4194304", "16"))),
    ("ALLGATHER of fewer", text_of(layers=layers("ALLGATHER 2097152", "ALLGATHER 6"))),
    ("fewer bytes than there are ranks", "DATA all_gpus: 8\n1\na -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 8 1\n"),
]
GOOD = [text_of(), text_of(policy="HYBRID_TRANSFORMER"), text_of({"pp": "2", "pp_comm": "1000"}),
        text_of({"checkpoints": "1 0", "checkpoint_initiates": "1 1"}), text_of().replace("\n", "\r\n"),
        text_of({"pp": "2", "pp_comm": "1000.0"}), text_of({"pp": "2", "pp_comm": None}, after=" pp_comm 1000"),
        text_of(layers=layers("2097152", "32")), text_of(layers=layers("ALLGATHER 2097152", "ALLGATHER 7")),
        text_of(layers=[LAYER[:-3] + "2147483647", LAYER]), text_of(layers=layers("1000", "+5")), text_of(layers=layers("ALLREDUCE", "None")),
        text_of({"model_parallel_NPU_group": "1"}, layers=[LAYER.replace("2097152", "4096")]),
        text_of(layers=layers("ALLREDUCE 2097152", "ALLREDUCE 28179869184")),
        text_of({"checkpoints": None, "checkpoint_initiates": None, "pp_comm": None})]


def check(name, simulator, *options):
    done = subprocess.run([wlfmt, "check", "--for=" + simulator, "--limit=0", *options, name], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL)
    found = re.findall(r"^(?! )(\S+?)(?::\d+:\d+|:\d+)?: error: (.*)$", done.stderr, re.M)
    return done.returncode, [words for _, words in found], done.stderr


def remedies_in(words):
    return [remedy for line in words for remedy in re.findall(r"`((?:wlfmt|sed) [^`]*)`$", line)]


def write(name, text):
    with open(name, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def heal(title, text, simulator):
    """Runs all remedies, each alone, and then one after the other."""
    write("ill.txt", text)
    status, words, said = check("ill.txt", simulator)
    for line in words:
        for remedy in remedies_in([line]):
            done = subprocess.run(["sh", "-c", remedy], capture_output=True, text=True)
            if done.returncode != 0:
                failures.append(f"{title}: {remedy}: exit status {done.returncode}: {done.stderr}\n{text}")
                continue
            write("healed.txt", done.stdout)
            rest = check("healed.txt", simulator)[1]
            if line in [other.replace("healed.txt", "ill.txt") for other in rest] and rest.count(line) >= words.count(line):
                failures.append(f"{title}: {remedy} does not mend it: {line}\n{text}")
    for step in range(400):
        status, words, said = check("ill.txt", simulator)
        remedies = remedies_in(words)
        if not remedies:
            break
        done = subprocess.run(["sh", "-c", remedies[0]], capture_output=True, text=True)
        write("ill.txt", done.stdout)
    if status != 0:
        failures.append(f"{title}: {simulator} still does not take it: {said}\n{text}")


for words, text in SIMAI:
    write("known.txt", text)
    for options in ([], ["--strict"]):
        status, found, said = check("known.txt", "simai", *options)
        if status != 1 or not any(words in line for line in found):
            failures.append(f"{words}: exit status {status}: {said}\n{text}")
    if words != "a number of layers that is not":
        heal(words, text, "simai")
for words, text in ASTRA_SIM:
    write("known.txt", text)
    if check("known.txt", "chakra")[0] == 0:
        status, found, said = check("known.txt", "astra-sim")
        if status != 1 or not any(words in line for line in found):
            failures.append(f"{words}: exit status {status}: {said}\n{text}")
        heal(words, text, "astra-sim")
for text in GOOD:
    write("good.txt", text)
    for simulator in ("simai", "chakra", "astra-sim"):
        status, _, said = check("good.txt", simulator)
        if status != 0 and not (simulator != "simai" and "protozero" in said):
            failures.append(f"{simulator} takes this, and the exit status is {status}: {said}\n{text}")

chance = random.Random(seed)
COLLECTIVES = ["NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL", "ALLTOALLV", "ALLREDUCEALLTOALL", "BROADCAST",
               "None", "ALLREDUC"]
NUMBERS = ["0", "1", "7", "1000", "2.0", "1e3", "-5", "2147483647", "4194304", "17179869184"]


def random_text():
    some = lambda *words: chance.choice(words)
    size = lambda *further: some("1", "1", "2", "2", "3", "4", "8", *further)
    header = {key: value for key, value in {
        "model_parallel_NPU_group": size("16", "24", "0", "2.0", None), "ep": size("0", None), "pp": size("2.5", None),
        "vpp": size("0", None), "ga": size("0", "1e2", None), "all_gpus": some("8", "64", "128", "7", None),
        "checkpoints": some("0", "1 0", "2 0 1", "1 9", None), "checkpoint_initiates": some("0", "0", "1 1", "2 1 2", "1 0", None),
        "pp_comm": some("0", "4096", "1e6", "3000000000", "-1", None)}.items()}
    comm = lambda: some(*COLLECTIVES) + (some("", "", "_EP", "_DP_EP", "_DP") if chance.random() < 0.5 else "")
    # Bytes with a fraction are no bytes to wlfmt, which has no layer then.
    number = lambda *further: some(*NUMBERS, *further) if chance.random() < 0.2 else some("1000", "4194304", "0")
    phase = lambda: f"{number('1000.5')} {comm()} {number()}"
    lines = [f"{some('embedding_layer', 'attention')} {some('-1', '-1', '-1.0')} {phase()} {phase()} {phase()} {number('1000.5')}"
             for _ in range(chance.randrange(1, 4))]
    return text_of(header, lines, some(POLICY, POLICY, "HYBRID_TRANSFORMER", "DATA", "MICRO"),
                   between=some("", "", "\n"), before=some("", "", "\n"))


for n in range(count):
    heal(f"random {n} of seed {seed}", random_text(), ("simai", "chakra", "astra-sim")[n % 3])
print("\n".join(failures[:20]) or f"{len(SIMAI)} files, {len(GOOD)} good ones, {count} random ones")
sys.exit(bool(failures))
