"""The workloads in PyTorch, eager, with updates in place."""

import torch
import torch.nn.functional as F

from child import HEADS, TINY_OPS, Computing, Training, parameters, rate_of


class Peer:
    def __init__(self, threads, system):
        torch.set_num_threads(threads)

    def prepare(self, workload, arrays):
        names = parameters(arrays)
        v = {}
        for n, a in arrays.items():
            t = torch.from_numpy(a)
            if a.ndim == 4:
                t = t.permute(3, 2, 0, 1) if n in names else t.permute(0, 3, 1, 2)
            elif workload == "cnn" and n == "w2":
                # rows are ordered by position and then channel, PyTorch flattens by channel first
                t = t.reshape(-1, len(arrays["b1"]), t.shape[1]).permute(2, 1, 0).flatten(1)
            elif n in names and a.ndim == 2 and not (workload == "embedding" and n == "w0"):
                t = t.T
            v[n] = t.contiguous().clone()
            if n == "y" and a.ndim == 1 and a.dtype.kind == "i":
                v[n] = v[n].long()
        rate = rate_of(workload)
        if workload in ("mlp", "cnn", "transformer", "lstm"):
            for n in names:
                v[n].requires_grad_()
            loss = getattr(self, workload)

            def step():
                l = loss(v)
                l.backward()
                with torch.no_grad():
                    for n in names:
                        v[n].add_(v[n].grad, alpha=-rate)
                        v[n].grad = None
                return l.item()

            return Training(workload, step)
        if workload == "embedding":
            return Training(workload, self.embedding(v, names, rate))
        if workload == "xent":
            return self.xent(v)
        with torch.no_grad():
            return self.computing(workload, v)

    @staticmethod
    def dense(x, v, i):
        return F.linear(x, v["w%d" % i], v["b%d" % i])

    def mlp(self, v):
        h = F.relu(self.dense(F.relu(self.dense(v["x"], v, 0)), v, 1))
        return F.cross_entropy(self.dense(h, v, 2), v["y"])

    def cnn(self, v):
        h = v["x"]
        for i in range(2):
            h = F.max_pool2d(F.relu(F.conv2d(h, v["w%d" % i], v["b%d" % i], padding=2)), 2)
        return F.cross_entropy(self.dense(F.relu(self.dense(h.flatten(1), v, 2)), v, 3), v["y"])

    def transformer(self, v):
        x = v["x"]
        batch, time, d = x.shape
        a = F.layer_norm(x, (d,), v["g0"], v["b0"])
        q, k, w = [self.dense(a, v, i).view(batch, time, HEADS, d // HEADS).transpose(1, 2) for i in (1, 2, 3)]
        mixed = F.scaled_dot_product_attention(q, k, w).transpose(1, 2).reshape(batch, time, d)
        h = x + self.dense(mixed, v, 4)
        out = h + self.dense(F.relu(self.dense(F.layer_norm(h, (d,), v["g5"], v["b5"]), v, 6)), v, 7)
        return F.mse_loss(out, v["y"])

    def lstm(self, v):
        hidden = v["w1"].shape[1]
        zero, no_bias = torch.zeros(1, v["x"].shape[1], hidden), torch.zeros(4 * hidden)
        weights = [v["w0"], v["w1"], v["b0"], no_bias]
        _, h, _ = torch.lstm(v["x"], (zero, zero), weights, True, 1, 0.0, True, False, False)
        return F.mse_loss(h[0], v["y"])

    def embedding(self, v, names, rate):
        """Differentiates to the looked-up rows and adds them into the table."""
        table, ids = v["w0"], v["x"].long()
        flat = ids.flatten()
        rest = [n for n in names if n != "w0"]
        for n in rest:
            v[n].requires_grad_()

        def step():
            rows = F.embedding(ids, table).requires_grad_()
            z = self.dense(F.relu(self.dense(rows.flatten(1), v, 1)), v, 2)
            l = F.binary_cross_entropy_with_logits(z, v["y"])
            l.backward()
            with torch.no_grad():
                table.index_add_(0, flat, rows.grad.view(len(flat), -1), alpha=-rate)
                for n in rest:
                    v[n].add_(v[n].grad, alpha=-rate)
                    v[n].grad = None
            return l.item()

        return step

    @staticmethod
    def xent(v):
        x, y = v["x"].requires_grad_(), v["y"]

        def step():
            l = F.cross_entropy(x, y)
            l.backward()
            g, x.grad = x.grad, None
            return l.item(), g

        return Computing(step, lambda: list(step()))

    @staticmethod
    @torch.no_grad()
    def computing(workload, v):
        x, y = v["x"], v["y"]
        if workload == "tiny-add":

            def chain():
                h = x
                for _ in range(TINY_OPS):
                    h = h + y
                return h

            return Computing(torch.no_grad()(chain), lambda: [chain().numpy()])
        if workload == "tiny-matmul":

            def alternate():
                h = x
                for _ in range(TINY_OPS // 2):
                    h = (h @ y).T
                return h

            return Computing(torch.no_grad()(alternate), lambda: [alternate().numpy()])
        if workload.startswith("matmul"):
            out = torch.empty_like(x)
            return Computing(torch.no_grad()(lambda: torch.mm(x, y, out=out)), lambda: [torch.mm(x, y).numpy()])
        if workload == "relu":
            out = torch.empty_like(x)

            def fused():
                return torch.addcmul(v["z"], x, y, out=out).relu_()

            return Computing(torch.no_grad()(fused), lambda: [fused().numpy()])
        raise NotImplementedError("no such form")
