"""One worker of PyTorch in `bench distributed`, driven by lines on standard input that all workers get.

Usage: ddp.py RANK SIZE FILE FOLDER, where FILE is a path at which workers meet and FOLDER has the data. Several workers
train with DistributedDataParallel over Gloo, one without it. The protocol is that of DistributedRank.java.
"""

import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn

from child import parameters, rate_of, read

CHECKED_STEPS = 5


class Training:
    """The perceptron on this worker's share of the batch."""

    def __init__(self, rank, size, arrays):
        weights = [torch.from_numpy(arrays[name]) for name in parameters(arrays)]
        layers = []
        for w, b in zip(weights[0::2], weights[1::2]):
            linear = nn.Linear(*w.shape)
            with torch.no_grad():
                linear.weight.copy_(w.T)
                linear.bias.copy_(b)
            layers += [linear, nn.ReLU()]
        model = nn.Sequential(*layers[:-1])
        self.model = nn.parallel.DistributedDataParallel(model) if size > 1 else model
        self.optimiser = torch.optim.SGD(self.model.parameters(), rate_of("mlp"))
        self.loss = nn.CrossEntropyLoss()
        rows = len(arrays["x"])
        share = slice(rows * rank // size, rows * (rank + 1) // size)
        self.x = torch.from_numpy(arrays["x"][share].copy())
        self.y = torch.from_numpy(arrays["y"][share].copy()).long()

    def step(self):
        self.optimiser.zero_grad()
        loss = self.loss(self.model(self.x), self.y)
        loss.backward()
        self.optimiser.step()
        return loss.item()

    def run(self, steps):
        start = time.perf_counter()
        for _ in range(steps):
            self.step()
        return time.perf_counter() - start


def main():
    rank, size, meeting, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    torch.set_num_threads(1)
    training = None
    for line in sys.stdin:
        words = line.split()
        if words == ["quit"]:
            break
        try:
            if training is None:
                if size > 1:
                    dist.init_process_group("gloo", init_method="file://" + meeting, rank=rank, world_size=size)
                training = Training(rank, size, read(folder, "mlp"))
            if words[0] == "hello":
                text = "losses " + " ".join(repr(training.step()) for _ in range(CHECKED_STEPS))
            else:
                text = "seconds %r" % training.run(int(words[1]))
        except Exception as e:
            import traceback

            traceback.print_exc()
            text = "error " + " ".join(repr(e).split())
        replies.write("> %s\n" % text)
        replies.flush()
    if size > 1 and dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
