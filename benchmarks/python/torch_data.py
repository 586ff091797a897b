"""PyTorch in `bench distributed`: DistributedDataParallel over Gloo, or plain for one worker."""

import torch
import torch.distributed as dist
from torch import nn

from child import parameters, rate_of


class Training:
    """The perceptron on this worker's share of the batch."""

    def __init__(self, rank, addresses, arrays):
        torch.set_num_threads(1)
        size = len(addresses)
        if size > 1:
            dist.init_process_group("gloo", init_method="tcp://" + addresses[0], rank=rank, world_size=size)
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
        self.x = torch.from_numpy(arrays["x"])
        self.y = torch.from_numpy(arrays["y"]).long()

    def step(self):
        self.optimiser.zero_grad()
        loss = self.loss(self.model(self.x), self.y)
        loss.backward()
        self.optimiser.step()
        return loss.item()
