#!/usr/bin/env python3
"""One summary of a run's op logs by Dask and the package wlfmt: workers sum up shares of the files, and the sums are
merged.

    dask_summary.py FILE... > run.json                          processes of this machine
    dask_summary.py --scheduler=HOST:8786 FILE... > run.json    workers of a cluster, which see the same files
    dask_summary.py --processes FILE... > run.json              without Dask, by Python's own concurrent.futures

Prints the line that `wlfmt summary --partial FILE...` prints.
"""
import contextlib
import sys

import wlfmt


def partial(share, shares, files):
    """The sums of one share of the files. The share is taken of the files that are chosen among all of them, so that of
    repeated runs each rank's newest file counts."""
    return wlfmt.summary(files, share=(share, shares), threads=1)


@contextlib.contextmanager
def workers(scheduler, processes):
    """An executor, and how many tasks it can work on at once."""
    if processes:
        from concurrent.futures import ProcessPoolExecutor
        with ProcessPoolExecutor(2) as executor:
            yield executor, 2
        return
    from distributed import Client, LocalCluster
    with contextlib.ExitStack() as stack:
        cluster = scheduler or stack.enter_context(
            LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None))
        client = stack.enter_context(Client(cluster))
        yield client.get_executor(pure=False), max(1, len(client.scheduler_info()["workers"]))


def main(arguments):
    scheduler = None
    processes = arguments[:1] == ["--processes"]
    if processes:
        del arguments[0]
    elif arguments and arguments[0].startswith("--scheduler="):
        scheduler = arguments.pop(0).split("=", 1)[1]
    files = sorted(arguments)
    parts = []
    status = 0
    with workers(scheduler, processes) as (executor, count):
        shares = 4 * count
        tasks = [executor.submit(partial, n, shares, files) for n in range(shares)]
        for share, task in enumerate(tasks):
            try:
                parts.append(task.result())
            except Exception as e:  # whatever a worker can die of: reported, and the others' sums are merged
                print(f"share {share} of {shares}: {e}", file=sys.stderr)
                status = 1
    try:
        print(wlfmt.merge(parts).exact())
    except ValueError as e:  # such as the ranks that the sums lack
        print(e, file=sys.stderr)
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
