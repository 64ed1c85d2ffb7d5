#!/usr/bin/env python3
"""One summary of a run's op logs by Dask: workers call `wlfmt summary --partial` on shares of the files, and the lines
are merged.

    dask_summary.py WLFMT FILE... > run.json            processes of this machine
    dask_summary.py --scheduler=HOST:8786 WLFMT FILE... workers of a cluster, which see the same files

Prints the line that `wlfmt summary --partial FILE...` prints.
"""
import subprocess
import sys


def partial(wlfmt, share, shares, files):
    """The line of one share of the files. The share is taken of the files that are chosen among all of them, so that of
    repeated runs each rank's newest file counts."""
    command = [wlfmt, "summary", "--partial", "-j1", f"--share={share}/{shares}", *files]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.stdout, done.stderr, done.returncode


def main(arguments):
    from distributed import Client, LocalCluster

    scheduler = None
    if arguments and arguments[0].startswith("--scheduler="):
        scheduler = arguments.pop(0).split("=", 1)[1]
    wlfmt, files = arguments[0], sorted(arguments[1:])
    cluster = None if scheduler else LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                                  dashboard_address=None)
    with Client(scheduler or cluster) as client:
        shares = 4 * max(1, len(client.scheduler_info()["workers"]))
        futures = [client.submit(partial, wlfmt, n, shares, files, pure=False) for n in range(shares)]
        results = client.gather(futures)
    if cluster is not None:
        cluster.close()
    status = 0
    for share, (_, errors, ended) in enumerate(results):
        sys.stderr.buffer.write(errors)
        if ended < 0 or ended > 2:  # a signal: what was printed is not a line
            print(f"share {share} of {shares}: error: the task did not come to its end", file=sys.stderr)
        status = max(status, ended if 0 <= ended <= 2 else 1)
    lines = b"".join(line for line, _, ended in results if 0 <= ended <= 2)
    merged = subprocess.run([wlfmt, "merge", "--partial", "-"], input=lines, stdout=subprocess.PIPE, check=False)
    sys.stdout.buffer.write(merged.stdout)
    return max(status, merged.returncode)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
