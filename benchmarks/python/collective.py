"""One rank of Gloo through PyTorch, driven by lines on standard input that all ranks get.

Usage: collective.py RANK SIZE FILE, where FILE is a path at which ranks meet. The protocol and the values are those of
CollectiveRank.java and Pattern.java.
"""

import datetime
import statistics
import sys
import time

import torch
import torch.distributed as dist

PERIOD, VALUES, STRIDE = 1009, 8, 3
TIMEOUT = datetime.timedelta(seconds=120)
SEGMENTED = ("reduce-scatter", "all-gather", "scatter", "gather", "all-to-all")


def values(rank, start, count):
    """Elements start to start + count of a rank."""
    period = ((torch.arange(start, start + PERIOD) % PERIOD + STRIDE * rank) % VALUES).float()
    return period.repeat(-(-count // PERIOD))[:count]


class Case:
    """One collective on buffers of one size: call() does it, right() tells whether the result is."""

    def __init__(self, what, count, rank, size):
        self.what, self.rank, self.size = what, rank, size
        part, own = count // size, values(rank, 0, count)
        total = sum(values(r, 0, count) for r in range(size))
        at = slice(part * rank, part * (rank + 1))
        self.start = self.wanted = None
        self.work = own.clone()
        if what in ("all-reduce", "reduce"):
            self.start, self.wanted = own, total if what == "all-reduce" or rank == 0 else None
            self.once = (lambda: dist.all_reduce(self.work)) if what == "all-reduce" else (lambda: dist.reduce(self.work, 0))
        elif what == "broadcast":
            self.start = own if rank == 0 else torch.full((count,), -1.0)
            self.wanted, self.once = values(0, 0, count), lambda: dist.broadcast(self.work, 0)
        elif what == "send":
            self.start = own if rank == 0 else torch.full((count,), -1.0)
            self.wanted = values(0, 0, count) if rank < 2 else None
            self.once = lambda: dist.send(self.work, 1) if rank == 0 else dist.recv(self.work, 0) if rank == 1 else None
        elif what == "reduce-scatter":
            self.work, self.wanted = torch.full((part,), -1.0), total[at]
            self.once = lambda: dist.reduce_scatter_tensor(self.work, own)
        elif what == "all-gather":
            self.work = torch.full((count,), -1.0)
            self.wanted = torch.cat([values(r, r * part, part) for r in range(size)])
            mine, places = values(rank, rank * part, part), list(self.work.chunk(size))
            self.once = lambda: dist.all_gather(places, mine)
        elif what == "gather":
            self.work, mine = torch.full((count,), -1.0), values(rank, rank * part, part)
            places = list(self.work.chunk(size)) if rank == 0 else None
            self.wanted = torch.cat([values(r, r * part, part) for r in range(size)]) if rank == 0 else None
            self.once = lambda: dist.gather(mine, places, 0)
        elif what == "scatter":
            self.work, self.wanted = torch.full((part,), -1.0), values(0, part * rank, part)
            parts = list(own.chunk(size)) if rank == 0 else None
            self.once = lambda: dist.scatter(self.work, parts, 0)
        elif what == "all-to-all":
            self.work = torch.full((count,), -1.0)
            self.wanted = torch.cat([values(r, part * rank, part) for r in range(size)])
            self.once = lambda: dist.all_to_all_single(self.work, own)
        else:
            raise NotImplementedError("no " + what)

    def call(self):
        if self.start is None:
            self.work.fill_(-1)
        else:
            self.work.copy_(self.start)
        dist.barrier()
        start = time.perf_counter()
        self.once()
        seconds = time.perf_counter() - start
        dist.barrier()
        return seconds

    def right(self):
        return self.wanted is None or torch.equal(self.work, self.wanted)


def run(what, size_in_bytes, iterations, rank, size):
    count = max(1, size_in_bytes // 4)
    if what in SEGMENTED:
        count = max(1, count // size) * size
    case, seconds = Case(what, count, rank, size), []
    try:
        for _ in range(iterations):
            seconds.append(case.call())
            if not case.right():
                raise ValueError("%s gave a wrong result on rank %d" % (what, rank))
    finally:
        case.once = None  # it refers to the case, whose buffers would wait for a search for cycles
    slowest = torch.tensor(seconds, dtype=torch.float64)
    dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
    return statistics.median(slowest.tolist())


def main():
    rank, size, file = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + file, rank=rank, world_size=size, timeout=TIMEOUT)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "quit":
            break
        try:
            answer = "ready"
            if words[0] == "run":
                answer = "seconds %.9f" % run(words[1], int(words[2]), int(words[3]), rank, size)
        except (NotImplementedError, RuntimeError, ValueError) as e:
            text = " ".join(str(e).split())
            unsupported = isinstance(e, NotImplementedError) or "not support" in text or "not implemented" in text
            answer = ("none " if unsupported else "error ") + text
        print("> " + answer, flush=True)


main()
