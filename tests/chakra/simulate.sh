#!/bin/sh
# What the command says of simulations. Where WLFMT_ASTRA_SIM names ASTRA-sim's analytical, congestion-unaware program,
# traces are simulated as docs/chakra.md says; elsewhere, logs that were written by hand take its place.
# usage: simulate.sh ROOT WLFMT WORK_FOLDER
set -u
root=$1 wlfmt=$2 work=$3
. "$root/tests/command/expect.sh"
cd "$work" || exit 1
# shown TEXT: the whole standard output of the last command.
shown() {
    printf '%s\n' "$1" > want
    cmp -s want out || { fail "another output:"; diff want out; }
}

# Two stages of two tensor parallel ranks.
cat > small.txt << 'END'
HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 pp: 2 vpp: 1 ga: 1 all_gpus: 4 pp_comm: 1048576
1
a -1 1000 ALLREDUCE 4096 2000 NONE 0 3000 NONE 0 0
END
"$wlfmt" chakra small.txt -o small > run.sh 2> err
if grep -q 'which Chakra traces need' err; then
    cat err
    exit 77
fi

# The lines that ASTRA-sim 2 logs. Rank 0 and 1 have five nodes: computation, all-reduce, a send, a receive, and the
# backward computations, which make six.
line() { echo "[2026-01-01T00:00:00+00:00] [D] <workload>: $1,sys->id=$2, tick=$3, node->id=$4, node->name=$5, node->type=4"; }
ended() { echo "[2026-01-01 00:00:00.000] [workload] [info] sys[$1] finished, $2 cycles, exposed communication $3 cycles."; }
complete() {
    for rank in 0 1 2 3; do
        for node in 0 1 2 3 4 5; do
            line issue $rank $((node * 10)) $node NAME
            line callback $rank $((node * 10 + 5)) $node NAME
        done
        ended $rank $((100 + rank / 2)) 40
    done
}
# The log is called after the traces: it has their fingerprint.
fingerprint() { sed -n "s/.*--check .*\\.\\([0-9a-f]\\{16\\}\\)\\.log/\\1/p" "$1"; }
of=$(fingerprint run.sh)
complete > small.$of.log
nodes=$(for rank in 0 1 2 3; do
    expect 0 "$wlfmt" chakra --check small.$of.log
    awk -v rank="$rank" '$1 == rank || $1 ~ "^" rank "-" { print $NF }' out
done | head -1)
[ "$nodes" = 6 ] || fail "rank 0 has $nodes nodes"
expect 0 "$wlfmt" chakra --check small.$of.log
shown '4 of 4 ranks finished
24 of 24 nodes were issued
  ranks                      cycles  exposed communication    issued     nodes
  0-1                           100                     40         6         6
  2-3                           101                     40         6         6'
cp small.$of.log other
expect 2 "$wlfmt" chakra --check other
holds '-o PREFIX is missing'
# A log of other traces, or of nobody knows which.
expect 1 "$wlfmt" chakra --check other -o small
holds "other does not say in its name which traces were simulated: the log of these is called small.$of.log"
cp small.$of.log small.log
expect 1 "$wlfmt" chakra --check small.log
holds "small.log does not say in its name which traces were simulated"
cp small.$of.log small.0123456789abcdef.log
expect 1 "$wlfmt" chakra --check small.0123456789abcdef.log
holds "small.0123456789abcdef.log is the log of other traces: that of these is called small.$of.log"
rm small.log small.0123456789abcdef.log
cp small.$of.log other.$of.log
expect 0 "$wlfmt" chakra --check other.$of.log -o small
expect 2 "$wlfmt" chakra --check other other -o small
expect 2 "$wlfmt" chakra --check other -o small --tp=2
expect 2 "$wlfmt" chakra --check nowhere -o small

# What traces are shown of, and what is shown alone.
expect 0 "$wlfmt" chakra --show small.*.et
shown '  ranks  nodes  COMP_NODE  COMM_SEND_NODE  COMM_RECV_NODE  COMM_COLL_NODE  computation, us  num_ops
  0-3        6          3               1               1               1                6     6000

  collective  group  its ranks  in ranks  nodes of each  bytes of each
  ALL_REDUCE      1          2       0-1              1           4096
  ALL_REDUCE      2          2       2-3              1           4096

  from rank  to rank  sends    bytes  receives    bytes
  0                2      1  1048576         1  1048576
  1                3      1  1048576         1  1048576
  2                0      1  1048576         1  1048576
  3                1      1  1048576         1  1048576'
expect 2 "$wlfmt" chakra --show small.txt
expect 2 "$wlfmt" chakra --show small.0.et -o small
expect 2 "$wlfmt" chakra --show --check small.0.et
expect 2 "$wlfmt" chakra small.txt -o small --json
expect 2 "$wlfmt" chakra --show small.0.et --tp=2
expect 2 "$wlfmt" chakra --show nothing.0.et

# A rank that did not finish, as the one that it waits for has not sent.
complete | awk '!/sys\[2\]/ && !(/sys->id=2,/ && !/node->id=0,/)' | sed '/callback,sys->id=2/d' > small.$of.log
expect 1 "$wlfmt" chakra --check small.$of.log
holds '3 of 4 ranks finished' '19 of 24 nodes were issued' \
    'rank 2 has stood still since cycle 0 at node 0, COMM_RECV_NODE_FWD: a receive of 1048576 bytes from rank 0, tag 0'
complete | awk '!/sys\[[02]\]/ && !(/sys->id=2,/ && !/node->id=0,/) && !(/sys->id=0,/ && /node->id=[2-5],/)' |
    sed '/callback,sys->id=2/d' > small.$of.log
expect 1 "$wlfmt" chakra --check small.$of.log
holds 'rank 2 has stood still since cycle 0 at node 0' 'from rank 0, tag 0, and rank 0 has not come to its send, node 2'
# A collective that another rank of the group has not reached.
complete | awk '!/sys\[[01]\]/ && !(/sys->id=0,/ && /node->id=[2-5],/) && !(/sys->id=1,/ && /node->id=[1-5],/)' |
    sed '/callback,sys->id=0.*node->id=1,/d' > small.$of.log
expect 1 "$wlfmt" chakra --check small.$of.log
holds 'rank 1 has stood still since cycle 5 before node 1, COMM_COLL_NODE_a_FWD_ALLREDUCE, which was not issued'
complete | awk '!/sys\[[01]\]/ && !(/sys->id=0,/ && /node->id=[2-5],/) && !(/sys->id=1,/ && /node->id=[1-5],/)' |
    sed '/callback,sys->id=0.*node->id=1,/d; s/\(sys->id=1, tick=\)5/\150/' > small.$of.log
expect 1 "$wlfmt" chakra --check small.$of.log
holds 'rank 0 has stood still since cycle 10 at node 1' \
    'a collective of 4096 bytes in group 1, and rank 1 has not come to its collective, node 1'
# A rank that finished with nodes left out: a cycle, which ASTRA-sim passes over.
complete | sed '/sys->id=3,.*node->id=5,/d' > small.$of.log
expect 1 "$wlfmt" chakra --check small.$of.log
holds '4 of 4 ranks finished' '23 of 24 nodes were issued'
# Only the lines of finished ranks, as on the terminal.
complete | grep finished > small.$of.log
expect 0 "$wlfmt" chakra --check small.$of.log
holds '4 of 4 ranks finished' 'nodes were not counted'
complete | grep finished | grep -v 'sys\[3\]' > small.$of.log
expect 1 "$wlfmt" chakra --check small.$of.log
holds '3 of 4 ranks finished' 'not finished'
{ complete; complete; } > small.$of.log
expect 1 "$wlfmt" chakra --check small.$of.log
holds 'rank 0 finished twice'
echo 'nothing of the kind' > small.$of.log
expect 1 "$wlfmt" chakra --check small.$of.log
holds "small.$of.log has no line of a rank"
complete > small.$of.log
ended 4 100 40 >> small.$of.log
expect 1 "$wlfmt" chakra --check small.$of.log
holds 'rank 4 has no trace small.4.et'
complete > small.$of.log
printf x >> small.2.et
expect 1 "$wlfmt" chakra --check small.$of.log
holds 'the trace of rank 2 is not whole: small.2.et'
"$wlfmt" chakra small.txt -o small > run.sh
{ complete; line issue 1 60 6 NAME; } > small.$of.log
expect 1 "$wlfmt" chakra --check small.$of.log
holds 'rank 1 has nodes in the log that are not in its trace'
expect 1 "$wlfmt" chakra --check small.$of.log -o nothing
holds 'rank 0 has no trace nothing.0.et'
# Traces of two runs, and too few of one.
sed 's/1000 ALL/1001 ALL/' small.txt > changed.txt
expect 0 "$wlfmt" chakra changed.txt -o changed
complete > small.$of.log
cp changed.2.et small.2.et
expect 1 "$wlfmt" chakra --check small.$of.log
holds "small.2.et is of run" ", and small.0.et is of run $of"
rm small.2.et small.3.et
expect 1 "$wlfmt" chakra --check small.$of.log
holds 'rank 2 of 4 has no trace small.2.et'

# What the command prints runs the simulator, and believes no log of an earlier simulation.
mkdir bin runs
ln -s "$wlfmt" bin/wlfmt
PATH=$PWD/bin:$PATH
cat > bin/simulator << 'END'
#!/bin/sh
for argument; do case $argument in --logging-configuration=*) toml=${argument#*=} ;; esac; done
cat "$LINES_OF_LOG" > "$(sed -n 's/^filename = "\(.*\)"$/\1/p' "$toml")"
echo 'a line of the simulator'
END
chmod +x bin/simulator
complete > lines
expect 0 "$wlfmt" chakra small.txt -o runs/a
cp out runs/run.sh
expect 0 env ASTRA_SIM=simulator LINES_OF_LOG=lines sh runs/run.sh
shown '4 of 4 ranks finished
24 of 24 nodes were issued
  ranks                      cycles  exposed communication    issued     nodes
  0-1                           100                     40         6         6
  2-3                           101                     40         6         6'
[ "$(cat runs/a.simulator.txt)" = 'a line of the simulator' ] || fail 'what the simulator prints is not kept'
expect 1 env ASTRA_SIM=false sh runs/run.sh
[ ! -s out ] || fail 'an answer without a simulation'
holds 'the simulator failed with exit status 1'
# The simulator ends well, and has logged nothing.
expect 2 env ASTRA_SIM=true sh runs/run.sh
holds "runs/a.$(fingerprint runs/run.sh).log: error: cannot_open"
expect 2 env ASTRA_SIM=nowhere sh runs/run.sh
holds 'there is no program nowhere: set ASTRA_SIM'
# The traces and logs of an earlier run that are not written anew.
expect 0 env ASTRA_SIM=simulator LINES_OF_LOG=lines sh runs/run.sh
echo mine > runs/a.notes.log
sed 's/all_gpus: 4/all_gpus: 8/' small.txt > eight.txt
expect 0 "$wlfmt" chakra eight.txt -o runs/a
[ "$(ls runs/*.log)" = runs/a.notes.log ] || fail "other logs than notes: $(ls runs/*.log)"
expect 0 "$wlfmt" chakra small.txt -o runs/a
holds '4 traces of an earlier run with more ranks are removed'
[ ! -e runs/a.4.et ] && [ ! -e runs/a.7.et ] && [ -e runs/a.3.et ] || fail 'the wrong traces are removed'
expect 0 env ASTRA_SIM=simulator LINES_OF_LOG=lines sh runs/run.sh
printf 'x' > runs/a.12.et
expect 1 "$wlfmt" chakra changed.txt -o runs/a
holds 'runs/a.12.et: error: this trace is not one that the command has written, and the run has 4 ranks'
cmp -s runs/a.0.et changed.0.et && fail 'a trace in spite of a foreign one'
rm runs/a.12.et
# Of a rank that the run has, too.
printf 'x' > runs/b.2.et
expect 1 "$wlfmt" chakra small.txt -o runs/b
holds 'runs/b.2.et: error: this trace is not one that the command has written, and the run has 4 ranks'
[ "$(ls runs/b.*)" = runs/b.2.et ] && [ "$(cat runs/b.2.et)" = x ] || fail 'a foreign trace is replaced'

# A full disk leaves no part of a run.
if [ -w /dev/full ]; then
    ln -s /dev/full runs/full.2.et
    expect 2 "$wlfmt" chakra small.txt -o runs/full
    holds 'runs/full.2.et: error: writing failed' '2 traces that were written before that are removed'
    [ -z "$(find runs -name 'full.[013].et' -o -name 'full.*.json' -o -name '.wlfmt*')" ] || fail 'a part of a run'
fi

# The network of a run: rings on which ASTRA-sim would take as long for its calls. Two pieces of work by hand: an
# all-reduce of two ranks has four pieces of two steps, of 1000 ns and 10 ns each and 10 ns for the piece, and passes all
# its bytes once at 100 GB/s of 2^30: 2^27 bytes take 1,250,000 + 8,000 + 120 ns, and 2^20 take 9,765.625 + 8,120.
mkdir machine
for rank in 0 1; do
    call() { echo "'trace_src_func=_reduce,duration=$1,timestamp=$2,input__shape=[$3],input__dtype=torch.int8,group=tp,comm_func=allreduce'"; }
    # A rank that comes early waits: the shorter time counts.
    early=$((rank * 3))
    for batch in 0 1 2; do
        echo "rank:$rank:forward_step(stage_id=0,batch_id=$batch,duration=50.0,timestamp=${batch}100.0,sub_operations=[$(
            call $early.017885625 ${batch}080.0 1048576),$(call 1.25812 ${batch}090.0 134217728)])"
    done > machine/wd2_tp2_pp1_rank${rank}_1.txt
done
expect 0 "$wlfmt" chakra small.txt -o runs/measured --network=machine
grep -q '^# Dimensions.*: tp (machine), pp (example)$' runs/measured.network.yml &&
    awk '/^bandwidth:/ { good += $3 + 0 > 99.98 && $3 + 0 < 100.02 && $4 == "50.0" }
         /^latency:/ { good += $3 + 0 > 999 && $3 + 0 < 1001 && $4 == "500.0" }
         END { exit good != 2 }' runs/measured.network.yml ||
    { fail 'another network than that of the run:'; cat runs/measured.network.yml; }
expect 0 "$wlfmt" chakra machine -o runs/itself --network=machine
mkdir quiet
for rank in 0 1; do
    echo "rank:$rank:loss_func(stage_id=0,batch_id=0,duration=1.5,timestamp=9.5,sub_operations=[])" \
        > quiet/wd2_tp2_pp1_rank${rank}_1.txt
done
expect 1 "$wlfmt" chakra small.txt -o runs/none --network=quiet
holds 'quiet: error: no time of a call of this run is known'
expect 2 "$wlfmt" chakra small.txt -o runs/none --network=nowhere
expect 1 "$wlfmt" chakra small.txt -o runs/none --network=small.txt
[ ! -e runs/none.0.et ] || fail 'a trace without its network'
expect 2 "$wlfmt" chakra --check small.$of.log --network=machine

# Messages name the option that helps.
printf 'MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4096 1\n' > micro.txt
expect 1 "$wlfmt" chakra micro.txt -o runs/none
holds 'micro.txt:1:6: error: header_value: all_gpus: the entry is missing' 'note: --world-size=N says how many ranks there are'
expect 1 "$wlfmt" chakra "$root/tests/data/workload_dense_1024gpus.txt" --schedule=interleaved -o runs/none
holds 'error: header_value: vpp: the entry is missing' 'note: --vpp=8, as many chunks as a stage has blocks'
sed 's/pp: 2/pp: 1/; s/ pp_comm: 1048576//' small.txt > stage.txt
expect 1 "$wlfmt" chakra stage.txt --schedule=interleaved -o runs/none
holds 'error: schedule_mismatch: pp: 1 where an interleaved schedule needs at least 2' 'note: --schedule=1f1b'

# Very large traces are announced: 131,072 of them here, of which the first one cannot be written.
awk 'BEGIN { print "DATA all_gpus: 131072\n150"
    for (n = 0; n < 150; ++n) print "layer -1 1000 NONE 0 1000 NONE 0 1000 ALLREDUCE 4096 0" }' > huge.txt
if [ -w /dev/full ]; then
    ln -s /dev/full runs/huge.0.et
    expect 2 "$wlfmt" chakra huge.txt -o runs/huge
    grep -Eq 'note: the traces take about [1-9][0-9]*\.[0-9] GB in 131072 files.*--only-ranks=0-7 writes a few' err ||
        fail 'very large traces are not announced'
    expect 0 "$wlfmt" chakra huge.txt -o runs/few --only-ranks=0-7
    grep -q 'the traces take' err && fail 'small traces are announced'
fi

# A file that was cut.
sed 's/^1$/839/' small.txt > cut.txt
expect 1 "$wlfmt" chakra cut.txt -o runs/cut
holds 'cut.txt:2:1: error: layer_count_mismatch: the header declares 839 layers, 1 follows; is the file cut off?'
[ ! -e runs/cut.0.et ] || fail 'a trace of a file that was cut'
expect 0 "$wlfmt" chakra cut.txt -o runs/cut --lenient
holds 'cut.txt: note: the traces have the 1 layer that is there'

# Ranks that there are not.
expect 2 "$wlfmt" chakra small.txt -o runs/none --only-ranks=50-60
holds '--only-ranks names rank 60, and there are 4, counted from 0'
[ ! -e runs/none.0.et ] || fail 'a trace of no rank'
expect 0 "$wlfmt" chakra small.txt -o runs/some --only-ranks=99,0-2,1
holds 'note: --only-ranks names rank 99, and there are 4, counted from 0'
[ "$(ls runs/some.*.et | wc -l)" -eq 3 ] || fail 'other ranks than 0 to 2'

# The traces of one policy are the same for all ranks, but for their names.
expect 0 "$wlfmt" chakra "$root/tests/data/chakra/data.txt" -o plain --world-size=3
expect 0 "$wlfmt" chakra "$root/tests/data/chakra/data.txt" -o linked --world-size=3 --link
for rank in 0 1 2; do cmp plain.$rank.et linked.$rank.et || fail "another trace with --link"; done
if [ "$(ls -i linked.0.et | cut -d' ' -f1)" = "$(ls -i linked.2.et | cut -d' ' -f1)" ]; then
    holds '2 traces are links to the same trace of another rank'
    # A second time, when the links exist; and without --link, which must not write through them.
    expect 0 "$wlfmt" chakra "$root/tests/data/chakra/model.txt" -o linked --world-size=3 --link
    cmp -s linked.0.et plain.0.et && fail "the old trace with --link"
    expect 0 "$wlfmt" chakra "$root/tests/data/chakra/data.txt" -o linked --world-size=1
    cmp -s linked.0.et linked.1.et && fail "a link was written through"
else
    holds 'some links could not be made'
fi
[ -z "$(find . -name '*.link')" ] || fail "left over: $(find . -name '*.link')"

# No file is begun where there are more ranks than files can be.
sed 's/pp: 2/pp: 1000000/; s/all_gpus: 4/all_gpus: 2000000/' small.txt > many.txt
expect 1 "$wlfmt" chakra many.txt -o many
holds 'a file for each of 2000000 ranks: more than 131072 are written only where --only-ranks chooses them'
[ ! -e many.0.et ] || fail 'a trace of 2,000,000 ranks'

# Options that mean nothing for a file.
for option in --order=tp-pp-dp --tp=2 --pp=2 --ep=2 --schedule=1f1b --balance; do
    expect 1 "$wlfmt" chakra "$root/tests/data/chakra/data.txt" -o plain --world-size=4 $option
    holds "${option%=*} means nothing for policy DATA"
done
expect 1 "$wlfmt" chakra small.txt -o small --balance
holds '--balance means nothing for a workload file'
expect 2 "$wlfmt" chakra small.txt -o small --vpp=2
expect 2 "$wlfmt" chakra small.txt -o some/empty/prefix
holds 'ASTRA-sim ignores groups whose file is called empty'

# Op logs of a run of two ranks: what is known only from both together.
mkdir run
log() {
    printf 'rank:%s:backward_step(stage_id=0,batch_id=0,duration=9.0,sub_operations=[%s])\n' "$1" "'trace_src_func=_reduce_async,duration=$2,input__shape=[64],input__dtype=torch.int8,group=dp,comm_func=allreduce'"
    printf 'rank:%s:forward_step(stage_id=0,batch_id=0,duration=9.0,sub_operations=[%s])\n' "$1" "'trace_src_func=_all,duration=1.0,input__shape=[$4],input__dtype=torch.int8,group=exp,comm_func=all_to_all'"
    printf 'rank:%s:optimizer_step(stage_id=0,batch_id=0,duration=%s,sub_operations=[])\n' "$1" "$3"
}
log 0 3.0 10.0 100 > run/wd2_tp1_pp1_exp2_rank0_1.txt
log 1 5.25 14.5 301 > run/wd2_tp1_pp1_exp2_rank1_1.txt
expect 1 "$wlfmt" chakra run -o of_run
holds 'collective 1 of group 2 is another one, or of other bytes, than that of rank 0 in line 2' \
    '--balance, if it is the shares of experts'
[ ! -e of_run.0.et ] || fail 'a trace of a run that cannot be simulated'
expect 1 "$wlfmt" chakra run -o of_run --tick=5
holds '--tick means nothing for op logs'
expect 0 "$wlfmt" chakra run -o of_run --balance
cp out run_run.sh
holds '1 all-to-all has the mean of what the ranks pass; the largest difference is that between 100 bytes of rank 0 and 301 of rank 1' \
    'asynchronous collectives: 2.25 ms of waiting'
# optimizer_step waits for the ranks of its tensor and pipeline groups.
mkdir steps
for rank in 0 1; do
    echo "rank:$rank:optimizer_step(stage_id=0,batch_id=0,duration=1$((rank * 4)).5,sub_operations=[])" \
        > steps/wd2_tp2_pp1_rank${rank}_1.txt
done
expect 0 "$wlfmt" chakra steps -o steps_traces
holds 'optimizer_step: 4.00 ms of waiting'
cmp -s steps_traces.0.et steps_traces.1.et || fail 'optimizer_step takes as long in both ranks'

# An order in which the experts of a run span stages.
mkdir order
for rank in 0 1 2 3; do
    echo "rank:$rank:loss_func(stage_id=0,batch_id=0,duration=1.5,sub_operations=[])" \
        > order/wd4_tp1_pp2_exp2_rank${rank}_1.txt
done
expect 1 "$wlfmt" chakra order -o ordered --order=tp-cp-ep-pp-dp
holds 'in this --order ranks 0 and 1 are in one group of experts and in two pipeline stages'

# From a workload file to cycles, as docs/chakra.md says.
if [ -n "${WLFMT_ASTRA_SIM-}" ]; then
    ASTRA_SIM=$WLFMT_ASTRA_SIM
    export PATH ASTRA_SIM
    wlfmt chakra small.txt -o small > run.sh
    expect 0 sh run.sh
    # Forward: 1000 and an all-reduce of four pieces. The second stage receives a megabyte, and sends one back.
    holds '4 of 4 ranks finished' '24 of 24 nodes were issued'
    expect 0 sh run_run.sh
    holds '2 of 2 ranks finished'
    cp "$root/tests/data/workload_moe_128gpus.txt" moe.txt
    mkdir out_of_moe
    wlfmt chakra moe.txt -o out_of_moe/moe > run.sh 2> /dev/null
    expect 0 sh run.sh
    holds '128 of 128 ranks finished' '77920 of 77920 nodes were issued'
    for schedule in gpipe 1f1b interleaved; do
        awk 'BEGIN {
            print "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 pp: 4 vpp: 2 ga: 8 all_gpus: 8 pp_comm: 4096\n24"
            for (n = 0; n < 8; ++n) {
                print "embedding_layer -1 0 NONE 0 0 NONE 0 0 NONE 0 0"
                for (k = 0; k < 2; ++k) print "block_" k " -1 100000 ALLREDUCE 4096 100000 ALLREDUCE 4096 100000 NONE 0 0"
            } }' > schedule.txt
        wlfmt chakra schedule.txt -o $schedule --schedule=$schedule > run.sh 2> /dev/null
        expect 0 sh run.sh
        holds '8 of 8 ranks finished'
    done
else
    echo 'WLFMT_ASTRA_SIM names no ASTRA-sim: nothing was simulated'
fi
if command -v python3 > /dev/null; then
    export PYTHONDONTWRITEBYTECODE=1
    python3 "$root/tests/chakra/structure.py" "$wlfmt" structure || fail 'traces that others wrote'
    python3 "$root/tests/chakra/show.py" "$wlfmt" shown small.?.et || fail 'traces are shown otherwise than they are'
fi

# Every command of docs/chakra.md that needs no simulator, in the order of the page and in one folder.
mkdir -p document/logs document/bin
ln -s "$wlfmt" document/bin/wlfmt
cp "$root/tests/data/workload_moe_128gpus.txt" document/moe.txt
for rank in 0 1; do
    echo "rank:$rank:forward_step(stage_id=0,batch_id=0,duration=2.0,timestamp=10.0,sub_operations=[])" \
        > document/logs/wd2_tp1_pp1_exp1_rank${rank}_20250101000000.txt
done
grep -o '`wlfmt chakra [^`]*\(logs/\|out/\)[^`]*`\|^mkdir .*\|^wlfmt .*' "$root/docs/chakra.md" | tr -d '`' > commands
[ "$(wc -l < commands)" -ge 4 ] || fail 'docs/chakra.md has lost its commands'
while read -r command; do
    expect 0 sh -c "cd document && PATH=\$PWD/bin:\$PATH && $command"
done < commands

# What a full disk leaves of a log, and of what is printed, is not blamed on anything else.
if [ -e /dev/full ]; then
    expect 2 sh -c '"$0" chakra --check small.*.et > /dev/full' "$wlfmt"
    holds 'writing the output failed: No space left on device'
fi
if mkdir -p full && mount -t tmpfs -o size=64k tmpfs full 2> /dev/null; then
    cp small.*.et small.json full
    complete | head -3 > full/small.$of.log
    cat /dev/zero > full/rest 2> /dev/null
    "$wlfmt" chakra --check full/small.$of.log > out 2> err
    holds "there is no space left where full/small.$of.log is"
    umount full
fi
[ $failed -eq 0 ] && echo "$count runs"
exit $failed
