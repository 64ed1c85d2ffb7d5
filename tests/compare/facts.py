#!/usr/bin/env python3
"""Holds the sentences of `wlfmt summary` about what a workload file is, and what simulators make of it, against files of
which that is known: each file has just the sentences that are named here. That `wlfmt chakra` refuses a file is tried, if
the build has it.

usage: facts.py WLFMT FOLDER
"""
import json
import os
import subprocess
import sys

FULL = {"model_parallel_NPU_group": 4, "ep": 1, "pp": 1, "vpp": 2, "ga": 1, "all_gpus": 16, "pp_comm": None}
STAGED = {**FULL, "pp": 2, "pp_comm": 4096}
DATA = "ALLREDUCE 65536"


def layer(name, forward="NONE 0", input_grad="NONE 0", weight_grad="NONE 0"):
    return f"{name} -1 5 {forward} 6 {input_grad} 7 {weight_grad} 1"


def batch(blocks=2, weight_grad="NONE 0"):
    return [layer("embedding_layer")] + [layer(f"{n}{k}", weight_grad=weight_grad if n == "mlp" else "NONE 0")
                                         for k in range(blocks) for n in ("attention", "mlp")] + [layer("final_column")]


def text_of(policy, header, layers, declared=None):
    entries = "".join(f" {k}: {v}" for k, v in header.items() if v is not None)
    return f"{policy}{entries}\n{len(layers) if declared is None else declared}\n" + "".join(l + "\n" for l in layers)


def cases():
    """(title, text, names): the names of all sentences."""
    big = "HYBRID_TRANSFORMER"
    own = ["own_policy"]
    whole = ["whole_model", "one_micro_batch"] + own
    one = ["one_stage/file", "one_micro_batch", "one_stage/simai"] + own
    yield "whole", text_of(big, FULL, batch()), whole
    yield "stage", text_of(big, STAGED, batch()), one
    yield "stages", text_of(big, STAGED, batch(4)), ["all_stages", "one_micro_batch", "one_stage/simai"] + own
    yield "neither", text_of(big, STAGED, batch(3)), ["unknown_stages", "one_micro_batch", "one_stage/simai"] + own
    yield "no vpp", text_of(big, {**STAGED, "vpp": None}, batch()), ["unknown_stages", "one_micro_batch", "one_stage/simai", "no_pipeline_divisor"] + own
    yield "no begin", text_of(big, STAGED, batch()[1:]), ["unknown_stages", "one_stage/simai"] + own
    yield "no begin of three", text_of(big, {**STAGED, "ga": 3}, batch()[1:]), ["unknown_stages", "unknown_micro_batches", "one_stage/simai", "other_micro_batches/chakra"] + own
    yield "three", text_of(big, {**STAGED, "ga": 3}, batch() * 3), ["one_stage/file", "all_micro_batches", "one_stage/simai"] + own
    yield "one of three", text_of(big, {**STAGED, "ga": 3}, batch()), ["one_stage/file", "first_micro_batch", "one_stage/simai", "other_micro_batches/chakra"] + own
    yield "two of three", text_of(big, {**FULL, "ga": 3}, batch() * 2), ["whole_model", "other_micro_batches/file"] + own
    yield "no messages", text_of(big, {**STAGED, "pp_comm": None, "ga": 3}, batch()), ["one_stage/file", "first_micro_batch", "one_stage/simai", "no_messages"] + own
    yield "large messages", text_of(big, {**STAGED, "pp_comm": 2147483648}, batch()), one + ["large_messages"]
    yield "messages", text_of(big, {**STAGED, "pp_comm": 2147483647}, batch()), one
    yield "data", text_of(big, STAGED, batch(weight_grad=DATA)), one + ["data_groups"]
    yield "data of a stage", text_of(big, FULL, batch(weight_grad=DATA)), whole
    yield "small", text_of(big, FULL, batch(weight_grad="ALLREDUCE 3")), whole + ["small_collectives"]
    yield "no ga", text_of(big, {**FULL, "ga": None}, batch()), ["whole_model", "no_pipeline_divisor"] + own
    yield "no tensor", text_of(big, {**FULL, "model_parallel_NPU_group": None}, batch()), whole + ["no_sizes"]
    yield "no pipeline", text_of(big, {**FULL, "pp": None}, batch()), whole + ["no_sizes"]
    long = [l.replace(" 7 ", " 2147483647 ") for l in batch()]
    yield "long", text_of(big, FULL, long), whole + ["long_computation"]
    yield "not long", text_of(big, FULL, [l.replace(" 7 ", " 2147483646 ") for l in batch()]), whole
    yield "not small", text_of(big, FULL, batch(weight_grad="ALLREDUCE 4")), whole
    experts = {**FULL, "model_parallel_NPU_group": 1, "ep": 4}
    yield "experts", text_of(big, experts, batch() + [layer("moe", "ALLTOALL_EP 4096")]), whole + ["no_expert_groups"]
    yield "experts, tensor", text_of(big, {**experts, "model_parallel_NPU_group": 2}, batch() + [layer("moe", "ALLTOALL_EP 4096")]), whole
    yield "experts, silent", text_of(big, experts, batch() + [layer("moe", "ALLREDUCE 4096")]), whole
    yield "fewer", text_of(big, FULL, batch(), 3), whole + ["fewer_layers"]
    yield "more", text_of(big, FULL, batch(), 9), whole + ["missing_layers"]
    yield "gathers", text_of(big, FULL, batch() + [layer("x", "ALLGATHER 4096")]), whole + ["gathers"]
    yield "gathers, 1.0", text_of(big, {"model_parallel_NPU_group": 4}, batch() + [layer("x", "ALLGATHER 4096")]), ["no_ranks", "gathers"] + own
    yield "joint", text_of(big, FULL, batch() + [layer("x", "ALLREDUCEALLTOALL 4096")]), whole + ["joint_collectives", "refused_collectives"]
    yield "broadcast", text_of(big, FULL, batch() + [layer("x", "BROADCAST 4096")]), whole + ["broadcasts", "refused_collectives"]
    yield "varying", text_of(big, FULL, batch() + [layer("x", "ALLTOALLV_EP 4096")]), whole + ["refused_collectives"]
    yield "_DP", text_of(big, FULL, batch() + [layer("x", "ALLREDUCE_DP 4096")]), whole + ["data_suffix"]
    yield "_DP_EP", text_of(big, FULL, batch() + [layer("x", "ALLREDUCE_DP_EP 4096")]), whole
    yield "strange", text_of(big, FULL, batch() + [layer("x", "ALLREDUC 4096")]), whole + ["unknown_collectives", "refused_collectives"]
    yield "None", text_of(big, FULL, batch() + [layer("x", "None 4096")]), whole
    fwd = "HYBRID_TRANSFORMER_FWD_IN_BCKWD"
    yield "checkpoints", text_of(fwd, {**FULL, "checkpoints": "2 0 3", "checkpoint_initiates": "1 5"}, batch()), whole + ["first_checkpoint"]
    yield "one checkpoint", text_of(fwd, {**FULL, "checkpoints": "1 0", "checkpoint_initiates": "1 5"}, batch()), whole
    yield "fork", text_of("DATA_NO_OVERLAP", {}, batch()), ["policy_of_forks", "refused_policy"]
    yield "unknown", text_of("HYBRID_TRANSFROMER", FULL, batch()), ["unknown_policy", "refused_policy"]
    yield "customized", text_of("HYBRID_CUSTOMIZED", {}, [l + " DATA" for l in batch()]), ["refused_policy"]
    full = layer("x", "ALLREDUCE 64", "ALLREDUCE 64", "ALLREDUCE 64")
    yield "DATA", text_of("DATA", {}, [full]), ["all_ranks"]
    yield "DATA, silent", text_of("DATA", {}, [full, layer("y")]), ["all_ranks", "silent_collectives"]
    yield "MODEL", text_of("MODEL", {}, [layer("x", "ALLREDUCE 64", "ALLREDUCE 64")]), ["all_ranks"]
    yield "DATA, group", text_of("DATA", {}, [layer("x", weight_grad="ALLREDUCE_EP 64")]), ["all_ranks", "refused_collectives"]
    # What is not in a phase that the policy traces is refused by nobody.
    yield "DATA, broadcast", text_of("DATA", {}, [layer("x", "BROADCAST 64", weight_grad=DATA)]), ["all_ranks", "broadcasts"]


def main(wlfmt, folder):
    os.makedirs(folder, exist_ok=True)
    failed = count = tried = 0
    seen = set()
    for title, text, want in cases():
        path = os.path.join(folder, title.replace(" ", "_") + ".txt")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        read = lambda *options, path=path: subprocess.run([wlfmt, *options, "--kind=workload", path], capture_output=True, text=True, check=False)
        facts = json.loads(read("summary", "--json").stdout)["facts"]
        names = [f["name"] if f["name"] in want else f["name"] + "/" + f["about"] for f in facts]
        count += 1
        seen |= {(f["about"], f["name"]) for f in facts}
        shown, markdown = read("summary").stdout, read("summary", "--markdown").stdout.replace("\\", "")
        if sorted(names) != sorted(want) or any("  " + f["text"] not in shown or "- " + f["text"] not in markdown for f in facts):
            print(title, "have", names, "want", want)
            failed += 1
        # The traces of all ranks, or a refusal.
        refused = any(f["about"] == "chakra" and (f["name"].startswith("refused") or f["name"] == "other_micro_batches") for f in facts)
        ranks = [] if " all_gpus" in text else ["--world-size=4"]
        run = read("chakra", *ranks, "-o", os.path.join(folder, "trace"))
        if "needs a build" in run.stderr or "not in this build" in run.stderr:
            continue
        tried += 1
        if "missing_layers" in names:
            continue
        if (run.returncode != 0) != refused:
            print(title, "chakra", run.returncode, run.stderr)
            failed += 1
    print(f"{count} files, {len(seen)} sentences, {failed} wrong; {tried} made into traces or refused")
    return failed != 0 or len(seen) < 29


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
