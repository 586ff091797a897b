#!/usr/bin/env python3
"""Records what Keras answers: outputs and gradients of layers on random weights, as one safetensors file.

    python keras_layers.py train/src/test/answers/keras.safetensors

For each case there are CASE/x, CASE/y, CASE/dx, and for each parameter, by the name and in the shape that Oxbow has for
it, CASE/p/NAME and its gradient CASE/d/NAME. The loss is sum(y[i] * cos(i)) over the flat output. All numbers are f64,
but those of cases whose ops have no f64. Needs TensorFlow 2.21 with Keras 3 (pip install tensorflow).
"""

import json
import os
import struct
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import keras
import numpy as np
import tensorflow as tf

L = keras.layers
DTYPES = {np.dtype("float32"): "F32", np.dtype("float64"): "F64", np.dtype("int32"): "I32"}
recorded = {}


def as_is(a):
    return a


def record(case, layer, shape, parameters=(), dtype="float64", training=False, below=None, call=None):
    """Parameters are (our name, function of the layer that gives the variable, our shape of it or None)."""
    rng = np.random.default_rng(sum(case.encode()))
    if below:
        x = rng.integers(0, below, shape).astype("int32")
    else:
        x = rng.standard_normal(shape).astype(dtype)
    call = call or (lambda l, v: l(v, training=training) if training else l(v))
    call(layer, tf.constant(x))
    for v in layer.weights:
        v.assign(v.numpy() + 0.3 * rng.standard_normal(v.shape) if v.trainable else np.abs(rng.standard_normal(v.shape)))
    moments = {v.name: v.numpy() for v in layer.weights if not v.trainable}
    with tf.GradientTape() as tape:
        t = tf.constant(x)
        tape.watch(t)
        y = call(layer, t)
        weights = np.cos(np.arange(int(np.prod(y.shape)))).reshape(y.shape).astype(dtype)
        loss = tf.reduce_sum(y * weights)
    trained = list(layer.trainable_weights)
    gradients = tape.gradient(loss, [v.value for v in trained] + [t])
    recorded[case + "/x"] = x
    recorded[case + "/y"] = y.numpy()
    if not below:
        recorded[case + "/dx"] = gradients[-1].numpy()
    dense = [tf.convert_to_tensor(g).numpy() for g in gradients[:-1]]
    for name, variable, ours in parameters:
        v = variable(layer)
        part = None
        if isinstance(v, tuple):
            v, part = v
        value = v.numpy()
        gradient = next((d for w, d in zip(trained, dense) if w is v), None)
        for kind, a in (("p", moments.get(v.name, value) if gradient is None else value), ("d", gradient)):
            if a is None:
                continue
            if part is not None:
                a = a[part]
            recorded[f"{case}/{kind}/{name}"] = np.ascontiguousarray(a.reshape(ours) if ours else a)


KERNEL = [("kernel", lambda l: l.kernel, None)]
BOTH = KERNEL + [("bias", lambda l: l.bias, None)]


def dense_and_convolutions():
    record("dense", L.Dense(4, activation="tanh"), (3, 5), BOTH)
    record("dense_time", L.Dense(4, use_bias=False), (2, 3, 5), KERNEL)
    record("conv1", L.Conv1D(3, 3, strides=2, padding="same"), (2, 5, 2), BOTH)
    record("conv2", L.Conv2D(3, 3), (2, 5, 4, 2), BOTH)
    record("conv2_stride", L.Conv2D(3, 3, strides=2, padding="same"), (2, 6, 5, 2), BOTH)
    record("conv2_dilated", L.Conv2D(2, 2, dilation_rate=2, padding="same", use_bias=False), (2, 5, 5, 1), KERNEL)
    record("conv3", L.Conv3D(2, 2, strides=2, padding="same"), (1, 4, 3, 2, 2), BOTH)
    record("transposed1", L.Conv1DTranspose(3, 3, strides=2, padding="same"), (2, 4, 2), BOTH)
    record("transposed2", L.Conv2DTranspose(2, 3, strides=2), (2, 2, 3, 3), BOTH)
    record("transposed3", L.Conv3DTranspose(2, 2, strides=2, padding="same"), (1, 2, 1, 2, 3), BOTH)
    record("depthwise1", L.DepthwiseConv1D(3, padding="same"), (2, 5, 3), BOTH)
    record("depthwise2", L.DepthwiseConv2D(3, strides=2), (2, 5, 5, 2), BOTH)
    record(
        "separable",
        L.SeparableConv2D(4, 3, padding="same", activation="tanh"),
        (2, 4, 4, 3),
        [
            ("depthwise/kernel", lambda l: l.depthwise_kernel, None),
            ("pointwise/kernel", lambda l: l.pointwise_kernel, None),
            ("pointwise/bias", lambda l: l.bias, None),
        ],
    )


def pools():
    record("max_pool1", L.MaxPooling1D(3, strides=2, padding="same"), (2, 5, 2))
    record("max_pool2", L.MaxPooling2D(2), (2, 5, 4, 2))
    record("max_pool3", L.MaxPooling3D(2, dtype="float32"), (1, 4, 2, 3, 2), dtype="float32")
    record("avg_pool1", L.AveragePooling1D(2), (2, 5, 2))
    record("avg_pool2", L.AveragePooling2D(3, strides=2, padding="same"), (2, 5, 4, 2))
    record("avg_pool3", L.AveragePooling3D(2, dtype="float32"), (1, 4, 2, 3, 2), dtype="float32")
    record("global_max", L.GlobalMaxPooling2D(), (2, 3, 4, 2))
    record("global_avg", L.GlobalAveragePooling1D(), (2, 6, 3))


def norms():
    scaled = [("scale", lambda l: l.gamma, None), ("offset", lambda l: l.beta, None)]
    moments = [("mean", lambda l: l.moving_mean, None), ("variance", lambda l: l.moving_variance, None)]
    record("batch_norm", L.BatchNormalization(), (4, 3), scaled + moments)
    record("batch_norm_training", L.BatchNormalization(), (4, 3), scaled, training=True)
    record("layer_norm", L.LayerNormalization(epsilon=1e-5), (2, 3, 4), scaled)
    record("group_norm", L.GroupNormalization(2, epsilon=1e-5), (2, 3, 2, 4), scaled)


def cell(prefix, of, units):
    return [
        (prefix + "input/kernel", lambda l: of(l).cell.kernel, None),
        (prefix + "input/bias", lambda l: of(l).cell.bias, None),
        (prefix + "recurrent", lambda l: of(l).cell.recurrent_kernel, None),
    ]


def recurrent():
    record("rnn", L.SimpleRNN(3), (2, 4, 2), cell("", as_is, 3))
    record("lstm", L.LSTM(3, return_sequences=True), (2, 4, 2), cell("", as_is, 3))
    record("lstm_last", L.LSTM(3, go_backwards=True), (2, 4, 2), cell("", as_is, 3))
    record(
        "gru",
        L.GRU(3, return_sequences=True),
        (2, 4, 2),
        [
            ("input/kernel", lambda l: l.cell.kernel, None),
            ("input/bias", lambda l: (l.cell.bias, 0), None),
            ("recurrent", lambda l: l.cell.recurrent_kernel, None),
            ("recurrent_bias", lambda l: (l.cell.bias, 1), None),
        ],
    )
    record(
        "bidirectional",
        L.Bidirectional(L.LSTM(2, return_sequences=True)),
        (2, 3, 2),
        cell("forward/", lambda l: l.forward_layer, 2) + cell("backward/", lambda l: l.backward_layer, 2),
    )


def others():
    record("embedding", L.Embedding(7, 3), (2, 4), [("table", lambda l: l.embeddings, None)], below=7)
    heads = [(f"{n}/{k}", lambda l, n=n, k=k: getattr(getattr(l, f"_{n}_dense"), k), s)
             for n in ("query", "key", "value") for k, s in (("kernel", (4, 4)), ("bias", (4,)))]
    heads += [("output/kernel", lambda l: l._output_dense.kernel, (4, 4)), ("output/bias", lambda l: l._output_dense.bias, None)]
    for case, causal in (("attention", False), ("causal_attention", True)):
        record(
            case,
            L.MultiHeadAttention(2, 2, flash_attention=False),
            (2, 3, 4),
            heads,
            call=lambda l, v, causal=causal: l(v, v, use_causal_mask=causal),
        )
    for f in ("relu", "gelu", "silu", "elu", "softplus", "sigmoid", "softmax", "log_softmax"):
        record(f, L.Activation(f), (3, 4))
    record("leaky_relu", L.LeakyReLU(negative_slope=0.25), (3, 4))


def write(path):
    header, at = {"__metadata__": {"keras": keras.__version__, "tensorflow": tf.__version__}}, 0
    for name, a in recorded.items():
        header[name] = {"dtype": DTYPES[a.dtype], "shape": list(a.shape), "data_offsets": [at, at + a.nbytes]}
        at += a.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for a in recorded.values():
            f.write(a.tobytes())


if __name__ == "__main__":
    keras.config.set_floatx("float64")
    for part in (dense_and_convolutions, pools, norms, recurrent, others):
        part()
    write(sys.argv[1])
    print(f"{len(recorded)} tensors")
