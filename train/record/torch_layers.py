#!/usr/bin/env python3
"""Records what PyTorch answers: outputs and gradients of layers on random weights, as one safetensors file.

    python torch_layers.py train/src/test/answers/torch.safetensors

For each case there are CASE/x, CASE/y, CASE/dx, and for each parameter, by the name and in the layout that Oxbow has for
it, CASE/p/NAME and its gradient CASE/d/NAME. The loss is sum(y[i] * cos(i)) over the flat output. PyTorch has the channels
first, Oxbow has them last. All numbers are f64. Needs PyTorch, NumPy and safetensors (pip install torch numpy safetensors).
"""

import sys

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import nn

recorded = {}


def as_is(t):
    return t


def channels_first(t):
    return t.movedim(-1, 1)


def channels_last(t):
    return t.movedim(1, -1)


def kernel(w):
    """[out, in, window...] as [window..., in, out]; also [in, out, window...] of a transposed one as [window..., out, in]."""
    return w.permute(*range(2, w.dim()), 1, 0)


def depthwise_kernel(w):
    """[channels * multiplier, 1, window...] of one kernel for each channel as [window..., channels, 1]."""
    return w.permute(*range(2, w.dim()), 0, 1)


def record(case, layer, shape, parameters=(), before=as_is, after=as_is, below=None, states=()):
    """Parameters are (our name, function of the layer or of a gradient by name, which gives ours)."""
    rng = np.random.default_rng(sum(case.encode()))
    torch.manual_seed(sum(case.encode()))
    with torch.no_grad():
        for p in layer.parameters():
            p.add_(torch.from_numpy(0.3 * rng.standard_normal(tuple(p.shape))))
    x = rng.integers(0, below, shape) if below else rng.standard_normal(shape)
    t = torch.from_numpy(x)
    if not below:
        t.requires_grad_(True)
    y = after(layer(before(t)))
    weights = torch.cos(torch.arange(y.numel(), dtype=torch.float64)).reshape(y.shape)
    (y * weights).sum().backward()
    recorded[case + "/x"] = x.astype("int32") if below else x
    recorded[case + "/y"] = y.detach().numpy()
    if not below:
        recorded[case + "/dx"] = t.grad.numpy()
    values, gradients = dict(layer.named_parameters()), {n: p.grad for n, p in layer.named_parameters()}
    for name, of in parameters:
        recorded[f"{case}/p/{name}"] = of(values).detach().numpy()
        recorded[f"{case}/d/{name}"] = of(gradients).detach().numpy()
    for name, value in states:
        recorded[f"{case}/p/{name}"] = value.detach().numpy()


LINEAR = [("kernel", lambda p: p["weight"].T), ("bias", lambda p: p["bias"])]
CONV = [("kernel", lambda p: kernel(p["weight"])), ("bias", lambda p: p["bias"])]
DEPTHWISE = [("kernel", lambda p: depthwise_kernel(p["weight"])), ("bias", lambda p: p["bias"])]
SCALED = [("scale", lambda p: p["weight"]), ("offset", lambda p: p["bias"])]


def image(case, layer, shape, parameters=(), after=channels_last, states=()):
    record(case, layer, shape, parameters, channels_first, after, states=states)


def dense_and_convolutions():
    record("dense", nn.Sequential(nn.Linear(5, 4), nn.Tanh()), (3, 5),
           [("kernel", lambda p: p["0.weight"].T), ("bias", lambda p: p["0.bias"])])
    record("dense_time", nn.Linear(5, 4, bias=False), (2, 3, 5), LINEAR[:1])
    image("conv1", nn.Conv1d(2, 3, 3, padding=1), (2, 5, 2), CONV)
    image("conv2", nn.Conv2d(2, 3, 3), (2, 5, 4, 2), CONV)
    image("conv2_same", nn.Conv2d(2, 3, 3, padding=1), (2, 6, 5, 2), CONV)
    image("conv2_stride", nn.Conv2d(2, 3, 3, stride=2), (2, 7, 5, 2), CONV)
    image("conv2_dilated", nn.Conv2d(1, 2, 3, dilation=2, padding=2, bias=False), (2, 5, 5, 1), CONV[:1])
    image("conv3", nn.Conv3d(2, 2, 2, stride=2), (1, 4, 2, 2, 2), CONV)
    image("transposed1", nn.ConvTranspose1d(2, 3, 3, stride=2), (2, 4, 2), CONV)
    image("transposed2", nn.ConvTranspose2d(3, 2, 3, stride=2), (2, 2, 3, 3), CONV)
    image("transposed3", nn.ConvTranspose3d(3, 2, 2, stride=2), (1, 2, 1, 2, 3), CONV)
    image("depthwise1", nn.Conv1d(3, 3, 3, padding=1, groups=3), (2, 5, 3), DEPTHWISE)
    image("depthwise2", nn.Conv2d(2, 2, 3, stride=2, groups=2), (2, 5, 5, 2), DEPTHWISE)


def pools():
    image("max_pool1", nn.MaxPool1d(3, stride=2), (2, 5, 2))
    image("max_pool2", nn.MaxPool2d(2), (2, 5, 4, 2))
    image("max_pool3", nn.MaxPool3d(2), (1, 4, 2, 3, 2))
    image("avg_pool1", nn.AvgPool1d(2), (2, 5, 2))
    image("avg_pool2", nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False), (2, 5, 5, 2))
    image("avg_pool3", nn.AvgPool3d(2), (1, 4, 2, 3, 2))
    image("global_max", nn.AdaptiveMaxPool2d(1), (2, 3, 4, 2), after=lambda y: y.flatten(1))
    image("global_avg", nn.AdaptiveAvgPool1d(1), (2, 6, 3), after=lambda y: y.flatten(1))


def norms():
    image("batch_norm_training", nn.BatchNorm1d(3), (4, 3), SCALED, after=as_is)
    image("batch_norm_images", nn.BatchNorm2d(3), (2, 4, 5, 3), SCALED)
    still = nn.BatchNorm1d(3).eval()
    still.running_mean += torch.tensor([0.5, -1, 2])
    still.running_var *= torch.tensor([0.5, 3, 1.5])
    record("batch_norm", still, (4, 3), SCALED, states=[("mean", still.running_mean), ("variance", still.running_var)])
    record("layer_norm", nn.LayerNorm(4), (2, 3, 4), SCALED)
    image("group_norm", nn.GroupNorm(2, 4), (2, 3, 2, 4), SCALED)


def gates(t, order):
    """Blocks of the first axis in another order."""
    parts = t.chunk(len(order))
    return torch.cat([parts[i] for i in order])


class OneBias(nn.Module):
    """A recurrent module whose second bias is zero and is not trained, since the first does the same."""

    def __init__(self, inner, last=False):
        super().__init__()
        self.inner, self.last = inner, last
        inner.bias_hh_l0.requires_grad_(False)

    def parameters(self, recurse=True):
        return [p for p in self.inner.parameters() if p is not self.inner.bias_hh_l0]

    def forward(self, x):
        with torch.no_grad():
            self.inner.bias_hh_l0.zero_()
        y, _ = self.inner(x)
        return y[:, -1] if self.last else y


def recurrent():
    one = [
        ("input/kernel", lambda p: p["inner.weight_ih_l0"].T),
        ("input/bias", lambda p: p["inner.bias_ih_l0"]),
        ("recurrent", lambda p: p["inner.weight_hh_l0"].T),
    ]
    record("rnn", OneBias(nn.RNN(2, 3, batch_first=True), last=True), (2, 4, 2), one)
    record("lstm", OneBias(nn.LSTM(2, 3, batch_first=True)), (2, 4, 2), one)
    record("lstm_last", OneBias(nn.LSTM(2, 3, batch_first=True), last=True), (2, 4, 2), one)
    order = (1, 0, 2)  # reset, update, new becomes update, reset, new
    record("gru", nn.GRU(2, 3, batch_first=True), (2, 4, 2), [
        ("input/kernel", lambda p: gates(p["weight_ih_l0"], order).T),
        ("input/bias", lambda p: gates(p["bias_ih_l0"], order)),
        ("recurrent", lambda p: gates(p["weight_hh_l0"], order).T),
        ("recurrent_bias", lambda p: gates(p["bias_hh_l0"], order)),
    ], after=lambda y: y[0])


class SelfAttention(nn.Module):
    def __init__(self, causal):
        super().__init__()
        self.inner, self.causal = nn.MultiheadAttention(4, 2, batch_first=True), causal

    def forward(self, x):
        n = x.shape[1]
        mask = torch.triu(torch.full((n, n), float("-inf"), dtype=x.dtype), 1) if self.causal else None
        return self.inner(x, x, x, attn_mask=mask, need_weights=False)[0]


def others():
    record("embedding", nn.Embedding(7, 3), (2, 4), [("table", lambda p: p["weight"])], below=7)
    heads = []
    for i, n in enumerate(("query", "key", "value")):
        heads.append((n + "/kernel", lambda p, i=i: p["inner.in_proj_weight"].chunk(3)[i].T))
        heads.append((n + "/bias", lambda p, i=i: p["inner.in_proj_bias"].chunk(3)[i]))
    heads += [("output/kernel", lambda p: p["inner.out_proj.weight"].T), ("output/bias", lambda p: p["inner.out_proj.bias"])]
    record("attention", SelfAttention(False), (2, 3, 4), heads)
    record("causal_attention", SelfAttention(True), (2, 3, 4), heads)
    functions = {
        "relu": nn.ReLU(), "gelu": nn.GELU(), "silu": nn.SiLU(), "elu": nn.ELU(), "softplus": nn.Softplus(),
        "sigmoid": nn.Sigmoid(), "softmax": nn.Softmax(-1), "log_softmax": nn.LogSoftmax(-1), "leaky_relu": nn.LeakyReLU(0.25),
    }
    for name, f in functions.items():
        record(name, f, (3, 4))


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    for part in (dense_and_convolutions, pools, norms, recurrent, others):
        part()
    save_file({n: np.ascontiguousarray(a) for n, a in recorded.items()}, sys.argv[1], {"torch": torch.__version__})
    print(f"{len(recorded)} tensors")
