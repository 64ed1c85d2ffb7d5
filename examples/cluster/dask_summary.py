#!/usr/bin/env python3
"""One summary of a run's op logs by Dask: workers call `wlfmt summary --partial` on shares of the files, and the lines
are merged.

    dask_summary.py WLFMT FILE... > run.json            processes of this machine
    dask_summary.py --scheduler=HOST:8786 WLFMT FILE... workers of a cluster, which see the same files

Prints the line that `wlfmt summary --partial FILE...` prints.
"""
import subprocess
import sys


def partial(wlfmt, files):
    done = subprocess.run([wlfmt, "summary", "--partial", "-j1", *files], capture_output=True, check=False)
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
        parts = [part for part in (files[n::shares] for n in range(shares)) if part]
        results = client.gather(client.map(partial, [wlfmt] * len(parts), parts, pure=False))
    if cluster is not None:
        cluster.close()
    worst = max(status for _, _, status in results)
    for _, errors, _ in results:
        sys.stderr.buffer.write(errors)
    merged = subprocess.run([wlfmt, "merge", "--partial", "-"], input=b"".join(line for line, _, _ in results),
                            stdout=subprocess.PIPE, check=False)
    sys.stdout.buffer.write(merged.stdout)
    return max(worst, merged.returncode)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
