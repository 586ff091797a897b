"""One worker of a Python system in `bench distributed`, driven by lines on standard input that all workers get.

Usage: distributed.py torch|tf|tf_ps|tf_ps_async|paddle RANK ADDRESSES[/SERVERS] FOLDER, where ADDRESSES are the workers'
host:port, with commas between, SERVERS those of parameter servers, whose ranks come after the workers' and which answer
nothing, and FOLDER has the data. Workers have one thread each. The protocol is that of DistributedRank.java.
"""

import importlib
import os
import sys
import time
import traceback

from child import read

CHECKED_STEPS = 5


def run(training, steps):
    start = time.perf_counter()
    for _ in range(steps):
        training.step()
    return time.perf_counter() - start


def main():
    system, rank, folder = sys.argv[1], int(sys.argv[2]), sys.argv[4]
    addresses, *servers = [part.split(",") for part in sys.argv[3].split("/")]
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    module = importlib.import_module(system + "_data")
    if rank >= len(addresses):
        module.serve(rank - len(addresses), addresses, *servers)
    training = None
    for line in sys.stdin:
        words = line.split()
        if words == ["quit"]:
            break
        try:
            if training is None:
                arrays = read(folder, "mlp")
                rows, size = len(arrays["x"]), len(addresses)
                share = slice(rows * rank // size, rows * (rank + 1) // size)
                arrays["x"], arrays["y"] = arrays["x"][share].copy(), arrays["y"][share].copy()
                training = module.Training(rank, addresses, arrays, *servers)
            if words[0] == "hello":
                text = "losses " + " ".join(repr(training.step()) for _ in range(CHECKED_STEPS))
            else:
                text = "seconds %r" % run(training, int(words[1]))
        except Exception as e:
            traceback.print_exc()
            text = "error " + " ".join(repr(e).split())
        replies.write("> %s\n" % text)
        replies.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
