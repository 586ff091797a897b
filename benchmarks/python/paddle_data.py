"""PaddlePaddle in `bench distributed`: DataParallel over Gloo, or plain for one worker."""

import os

import paddle
import paddle.distributed as dist
from paddle import nn

from child import parameters, rate_of


class Training:
    """The perceptron on this worker's share of the batch."""

    def __init__(self, rank, addresses, arrays):
        paddle.set_device("cpu")
        size = len(addresses)
        if size > 1:
            os.environ["PADDLE_TRAINER_ID"] = str(rank)
            os.environ["PADDLE_TRAINERS_NUM"] = str(size)
            os.environ["PADDLE_CURRENT_ENDPOINT"] = addresses[rank]
            os.environ["PADDLE_TRAINER_ENDPOINTS"] = ",".join(addresses)
            os.environ["PADDLE_DISTRI_BACKEND"] = "gloo"
            dist.init_parallel_env()
        layers = []
        names = parameters(arrays)
        for w, b in zip(names[0::2], names[1::2]):
            linear = nn.Linear(*arrays[w].shape)
            linear.weight.set_value(arrays[w])
            linear.bias.set_value(arrays[b])
            layers += [linear, nn.ReLU()]
        model = nn.Sequential(*layers[:-1])
        self.model = paddle.DataParallel(model) if size > 1 else model
        self.optimiser = paddle.optimizer.SGD(rate_of("mlp"), parameters=model.parameters())
        self.loss = nn.CrossEntropyLoss()
        self.x = paddle.to_tensor(arrays["x"])
        self.y = paddle.to_tensor(arrays["y"].astype("int64"))

    def step(self):
        loss = self.loss(self.model(self.x), self.y)
        loss.backward()
        self.optimiser.step()
        self.optimiser.clear_grad()
        return float(loss)
