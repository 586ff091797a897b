"""Kernels and small training steps, as Oxbow's bench gpu has them. Weights are made as [in, out], images as NHWC."""

import torch
import torch.nn.functional as F

from arrays import constant, normal, whole
from ways import Compiler, Way

STEPS = [Way("eager"), Way("compiled"), Way("tuned"), Way("combined")]


class Kernel:
    """A result that is computed and left."""

    ways = [Way("eager", False), Way("compiled", False), Way("tuned", False)]

    def step(self, way):
        function = Compiler.of(self.function(), way)

        def run():
            with torch.no_grad():
                return function()

        return run


class MatMul(Kernel):
    ways = [Way("eager", False, "cublas"), Way("eager", False, "cublaslt")]

    def __init__(self, dtype, n=8192):
        self.x, self.y = normal("matmul.x", 1, n, n, dtype=dtype), normal("matmul.y", 1, n, n, dtype=dtype)

    def step(self, way):
        out = torch.empty_like(self.x)

        def run():
            torch.backends.cuda.preferred_blas_library(way.form)
            return torch.mm(self.x, self.y, out=out)

        return run


class Relu(Kernel):
    def __init__(self, n=1 << 28):
        self.x, self.y, self.z = (normal(f"relu.{a}", 1, n) for a in "xyz")

    def function(self):
        out = torch.empty_like(self.x)
        return lambda: out.copy_(torch.relu(self.x * self.y + self.z))


class CrossEntropy(Kernel):
    """The mean loss of rows of logits, and its gradient."""

    ways = [Way("compiled", False), Way("tuned", False), Way("compiled", False, "autograd"), Way("tuned", False, "autograd")]

    def __init__(self, dtype, rows=32768, columns=50304):
        self.x, self.y = normal("xent.x", 1, rows, columns, dtype=dtype), whole("xent.y", columns, rows)

    def loss(self, x):
        return F.cross_entropy(x.float(), self.y)

    def function(self):
        return lambda: torch.func.grad_and_value(self.loss)(self.x)

    def step(self, way):
        if way.form != "autograd":
            return super().step(way)
        x = self.x.detach().requires_grad_()
        loss = Compiler.of(lambda: self.loss(x), way)

        def run():
            x.grad = None
            loss().backward()

        return run


class Tiny(Kernel):
    """1,000 additions, one after the other."""

    ways = [Way("eager")]

    def __init__(self):
        self.x, self.y = normal("tiny.x", 1, 16), normal("tiny.y", 0.01, 16)

    def function(self):
        def chain():
            h = self.x
            for _ in range(1000):
                h = h + self.y
            return h

        return chain


class Descent:
    """Gradient descent: leaves() are what the loss is differentiated by, update(gradients) moves them."""

    ways, rate = STEPS, 0.01

    def leaves(self):
        return self.parameters

    def update(self, gradients):
        for p, g in zip(self.parameters, gradients):
            p.sub_(g, alpha=self.rate)

    def step(self, way):
        self.prepare(way)

        def descend():
            leaves = self.leaves()
            gradients, loss = torch.func.grad_and_value(self.loss, argnums=tuple(range(len(leaves))))(*leaves)
            self.update(gradients)
            return loss

        function = Compiler.of(descend, way)

        def run():
            with torch.no_grad():
                return function()

        return run

    def dense(self, number, size_in, size_out):
        """Weight and bias as PyTorch has them, [out, in]."""
        w = normal(f"{self.name}.w{number}", size_in**-0.5, size_in, size_out)
        return [w.t().contiguous(), constant(0, size_out)]


class Mlp(Descent):
    name = "mlp"

    def prepare(self, way):
        self.parameters = self.dense(0, 784, 512) + self.dense(1, 512, 256) + self.dense(2, 256, 10)
        self.x, self.y = normal("mlp.x", 1, 128, 784), whole("mlp.y", 10, 128)

    def loss(self, *p):
        h = F.relu(F.linear(self.x, p[0], p[1]))
        h = F.relu(F.linear(h, p[2], p[3]))
        return F.cross_entropy(F.linear(h, p[4], p[5]), self.y)


class Cnn(Descent):
    name = "cnn"
    ways = [*STEPS, Way("compiled", form="channels last"), Way("combined", form="channels last")]

    def prepare(self, way):
        first, second = normal("cnn.w0", (0.5 / 25) ** 0.5, 5, 5, 1, 32), normal("cnn.w1", (0.5 / 800) ** 0.5, 5, 5, 32, 64)
        # The rows of w2 follow positions and then channels; PyTorch flattens channels first.
        w2, b2 = self.dense(2, 3136, 1024)
        w2 = w2.reshape(1024, 49, 64).permute(0, 2, 1).reshape(1024, 3136).contiguous()
        self.x, self.y = normal("cnn.x", 1, 64, 28, 28, 1).permute(0, 3, 1, 2), whole("cnn.y", 10, 64)
        layout = torch.channels_last if way.form == "channels last" else torch.contiguous_format
        first, second, self.x = (t.contiguous(memory_format=layout) for t in (first.permute(3, 2, 0, 1), second.permute(3, 2, 0, 1), self.x))
        self.parameters = [first, constant(0, 32), second, constant(0, 64), w2, b2] + self.dense(3, 1024, 10)

    def loss(self, *p):
        h = F.max_pool2d(F.relu(F.conv2d(self.x, p[0], p[1], padding=2)), 2)
        h = F.max_pool2d(F.relu(F.conv2d(h, p[2], p[3], padding=2)), 2)
        h = F.relu(F.linear(h.flatten(1), p[4], p[5]))
        return F.cross_entropy(F.linear(h, p[6], p[7]), self.y)


class Transformer(Descent):
    """One block of width 256 with 4 heads over 8 texts of 128."""

    name = "transformer"
    ways = [*STEPS, Way("compiled", form="one attention")]

    def prepare(self, way):
        self.together = way.form == "one attention"
        self.parameters = [constant(1, 256), constant(0, 256)]
        for i in range(1, 5):
            self.parameters += self.dense(i, 256, 256)
        self.parameters += [constant(1, 256), constant(0, 256)] + self.dense(6, 256, 1024) + self.dense(7, 1024, 256)
        self.x, self.y = (normal(f"transformer.{a}", 1, 8, 128, 256) for a in "xy")

    def attention(self, q, k, v):
        if self.together:
            return F.scaled_dot_product_attention(q, k, v)
        return torch.softmax(q @ k.mT * 64**-0.5, -1) @ v

    def loss(self, *p):
        normed = F.layer_norm(self.x, (256,), p[0], p[1])
        q, k, v = (F.linear(normed, p[i], p[i + 1]).view(8, 128, 4, 64).transpose(1, 2) for i in (2, 4, 6))
        mixed = self.attention(q, k, v).transpose(1, 2).reshape(8, 128, 256)
        h = self.x + F.linear(mixed, p[8], p[9])
        wide = F.relu(F.linear(F.layer_norm(h, (256,), p[10], p[11]), p[12], p[13]))
        return F.mse_loss(h + F.linear(wide, p[14], p[15]), self.y)


class Lstm(Descent):
    """64 steps of a batch of 32; the unrolled one is not compiled, which takes minutes."""

    name, rate = "lstm", 1.0
    ways = [Way("eager", form="cudnn"), Way("eager", form="unrolled")]

    def prepare(self, way):
        self.unrolled = way.form == "unrolled"
        self.x, self.y = normal("lstm.x", 1, 64, 32, 256), normal("lstm.y", 0.5, 32, 256)
        weights = [normal(f"lstm.w{i}", 256**-0.5, 256, 1024).t().contiguous() for i in (0, 1)]
        self.parameters = [*weights, constant(0, 1024)]
        self.zero = constant(0, 32, 256)

    def step(self, way):
        if way.form == "unrolled":
            return super().step(way)
        self.prepare(way)
        cell = torch.nn.LSTM(256, 256, device=self.x.device)
        learnt = [cell.weight_ih_l0, cell.weight_hh_l0, cell.bias_ih_l0]
        with torch.no_grad():
            for p, start in zip([*learnt, cell.bias_hh_l0], [*self.parameters, self.parameters[2]]):
                p.copy_(start)
        cell.bias_hh_l0.requires_grad_(False)
        optimizer = torch.optim.SGD(learnt, lr=self.rate, fused=True)
        start = (self.zero[None], self.zero[None])

        def run():
            optimizer.zero_grad()
            loss = F.mse_loss(cell(self.x, start)[1][0][0], self.y)
            loss.backward()
            optimizer.step()
            return loss.detach()

        return run

    def loss(self, w0, w1, b):
        inputs, h, c = F.linear(self.x, w0, b), self.zero, self.zero
        for t in range(64):
            i, f, g, o = (inputs[t] + F.linear(h, w1)).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return F.mse_loss(h, self.y)


class Embedding(Descent):
    """26 rows of a table for each of 2,048 examples; only looked-up rows change."""

    name, rate = "embedding", 1.0

    def prepare(self, way):
        self.table = normal("embedding.w0", 0.1, 1_000_000, 32)
        self.parameters = self.dense(1, 832, 256) + self.dense(2, 256, 1)
        self.x, self.y = whole("embedding.x", 1_000_000, 2048, 26), whole("embedding.y", 2, 2048, 1).float()

    def leaves(self):
        return [F.embedding(self.x, self.table), *self.parameters]

    def update(self, gradients):
        self.table.index_add_(0, self.x.flatten(), gradients[0].reshape(-1, 32), alpha=-self.rate)
        super().update(gradients[1:])

    def loss(self, found, *p):
        h = F.relu(F.linear(found.flatten(1), p[0], p[1]))
        return F.binary_cross_entropy_with_logits(F.linear(h, p[2], p[3]), self.y)
