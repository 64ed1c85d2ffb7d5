# Writes the op logs of a run of four pipeline stages of two ranks each, whose machines (a stage each) have clocks of
# their own. usage: make_run.py FOLDER SKEW_MS BATCHES
import os
import sys

folder, skew, batches = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
os.makedirs(folder, exist_ok=True)
stages, per_stage = 4, 2


def line(rank, op, stage, batch, duration, end, group, subs=""):
    return (f"rank:{rank}:{op}(stage_id={stage},batch_id={batch},mg_state=steady,duration={duration:.2f},description=None,"
            f"group_kind={group},input__shape=[2, 4],input__dtype=torch.float32,timestamp={end:.2f},sub_operations=[{subs}])\n")


for stage in range(stages):
    for n in range(per_stage):
        rank = stage * per_stage + n
        clock = 4509231791.06 + (skew * stage if stage % 2 else -skew * stage)
        with open(f"{folder}/wd8_tp2_pp4_rank{rank}_20240923205004.txt", "w") as to:
            for b in range(batches):
                # Forward through the stages in 10 ms each, messages 1 ms; then back.
                at = clock + b * 200 + stage * 11
                if stage > 0:
                    to.write(line(rank, "recv_forward", stage, b, 1.0, at, "pp"))
                sub = (f"'trace_src_func=_r,duration=2.50,timestamp={at + 5:.2f},input__shape=[2],input__dtype=torch.int64,"
                       f"group=tp,comm_func=allreduce', 'trace_src_func=_a,duration=4.00,timestamp={at + 12:.2f},group=dp,"
                       f"comm_func=allgather'")
                to.write(line(rank, "forward_step", stage, b, 9.99, at + 10, "None", sub))
                if stage + 1 < stages:
                    to.write(line(rank, "send_forward", stage, b, 0.5, at + 10.6, "pp"))
                back = clock + b * 200 + 60 + (stages - 1 - stage) * 11
                if stage + 1 < stages:
                    to.write(line(rank, "recv_backward", stage, b, 1.0, back, "pp"))
                to.write(line(rank, "backward_step", stage, b, 9.99, back + 10, "None"))
                if stage > 0:
                    to.write(line(rank, "send_backward", stage, b, 0.5, back + 10.6, "pp"))
            to.write(line(rank, "optimizer_step", stage, "None", 3.0, clock + batches * 200 + 150, "None"))
