#!/bin/sh
# Every trace that the command writes is read back by protoc, whole and without a field that it does not know.
# usage: check.sh ROOT WLFMT WORK_FOLDER
set -eu
root=$1 wlfmt=$2 work=$3
for tool in protoc python3; do
    command -v $tool > /dev/null || { echo "no $tool here"; exit 77; }
done
rm -rf "$work"
mkdir -p "$work"
cp "$root"/tests/data/chakra/*.txt "$work"
cat > "$work/three_layers.txt" << 'END'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 2 vpp: 1 ga: 1 all_gpus: 8 checkpoints: 1 0 checkpoint_initiates: 1 2 pp_comm: 4096
3
a -1 1000 ALLREDUCE 64 2000 NONE 0 3000 ALLGATHER 97 100
b -1 4000 NONE 0 5400 REDUCESCATTER 32 0 NONE 0 100
c -1 6000 ALLTOALL 128 7000 ALLREDUCE 0 8000 NONE 0 0
END
for file in "$work"/*.txt "$root/tests/data/workload_moe_128gpus.txt"; do
    name=$(basename "$file" .txt)
    ranks=$([ "$name" = three_layers ] || [ "$name" = workload_moe_128gpus ] || echo --world-size=2)
    # shellcheck disable=SC2086  # no option, or one
    if ! "$wlfmt" chakra "$file" -o "$work/$name" $ranks > "$work/log" 2>&1; then
        cat "$work/log"
        grep -q 'which Chakra traces need' "$work/log" && exit 77
        exit 1
    fi
done
# All of them are one message, as starting Python and protoc for each takes longer than reading it.
python3 "$root/tests/chakra/frame.py" "$work"/*.et > "$work/message"
protoc --proto_path="$root/tests/chakra" --decode=wlfmt_test.Traces chakra.proto < "$work/message" > "$work/text"
# What protoc does not know it prints as a number.
if grep -nE '^ *[0-9]+[:{ ]' "$work/text"; then
    echo "unknown fields"
    exit 1
fi
# In each trace the ids are 0, 1, 2, ..., and each node waits only for nodes before it.
awk '
    function end_trace() { if (traces > 0 && (nodes == 0 || types != nodes)) bad = 1; nodes = types = 0 }
    /^trace \{/ { end_trace(); ++traces }
    /^  node \{/ { ++nodes; id = 0 }
    /^    id:/ { id = $2; if (id != nodes - 1) bad = 1 }
    /^    data_deps:/ { if ($2 >= id) bad = 1 }
    /^    type:/ { ++types }
    bad { print "trace " traces " (from 1), node " nodes - 1 ": ids"; exit }
    END { end_trace(); if (!bad) print traces; exit bad }' "$work/text" > "$work/count" || { cat "$work/count"; exit 1; }
count=$(cat "$work/count")
[ "$count" -eq "$(ls "$work"/*.et | wc -l)" ] || { echo "$count traces were read"; exit 1; }
for groups in "$work"/*.json; do
    python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$groups"
done
echo "$count traces"
