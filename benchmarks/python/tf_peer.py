"""The workloads in TensorFlow: the whole step as a tf.function, with or without XLA."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

from child import HEADS, TINY_OPS, Computing, Training, parameters, rate_of


def dense(p, x, i):
    return tf.nn.bias_add(x @ p["w%d" % i], p["b%d" % i])


def class_loss(logits, labels):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def mlp(p, x, y):
    return class_loss(dense(p, tf.nn.relu(dense(p, tf.nn.relu(dense(p, x, 0)), 1)), 2), y)


def cnn(p, x, y):
    for i in range(2):
        x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, p["w%d" % i], 1, "SAME"), p["b%d" % i]))
        x = tf.nn.max_pool2d(x, 2, 2, "SAME")
    x = tf.reshape(x, [x.shape[0], -1])
    return class_loss(dense(p, tf.nn.relu(dense(p, x, 2)), 3), y)


def layer_norm(p, x, i):
    c = x - tf.reduce_mean(x, -1, keepdims=True)
    scale = tf.math.rsqrt(tf.reduce_mean(c * c, -1, keepdims=True) + 1e-5)
    return c * scale * p["g%d" % i] + p["b%d" % i]


def transformer(p, x, y):
    batch, time, d = x.shape
    x, y = tf.reshape(x, [-1, d]), tf.reshape(y, [-1, d])
    a = layer_norm(p, x, 0)
    q, k, v = [
        tf.transpose(tf.reshape(dense(p, a, i), [batch, time, HEADS, d // HEADS]), [0, 2, 1, 3]) for i in (1, 2, 3)
    ]
    scores = tf.matmul(q, k, transpose_b=True) * (d // HEADS) ** -0.5
    mixed = tf.reshape(tf.transpose(tf.nn.softmax(scores) @ v, [0, 2, 1, 3]), [-1, d])
    h = x + dense(p, mixed, 4)
    return tf.reduce_mean((h + dense(p, tf.nn.relu(dense(p, layer_norm(p, h, 5), 6)), 7) - y) ** 2)


def cell(z, h, c, w):
    i, f, g, o = tf.split(z + h @ w, 4, 1)
    c = c * tf.sigmoid(f) + tf.sigmoid(i) * tf.tanh(g)
    return tf.sigmoid(o) * tf.tanh(c), c


def lstm(p, x, y):
    time, batch, width = x.shape
    z = tf.reshape(dense(p, tf.reshape(x, [-1, width]), 0), [time, batch, -1])
    h = c = tf.zeros_like(y)
    for step in tf.unstack(z):
        h, c = cell(step, h, c, p["w1"])
    return tf.reduce_mean((h - y) ** 2)


class Peer:
    def __init__(self, threads, system):
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
        self.xla = system == "tf-xla"

    def prepare(self, workload, arrays):
        names = parameters(arrays)
        data = {n: tf.constant(arrays[n]) for n in arrays if n not in names}
        x, y = data["x"], data["y"]
        rate = rate_of(workload)
        losses = {"mlp": mlp, "cnn": cnn, "transformer": transformer, "lstm": lstm}
        if workload in losses:
            p = {n: tf.Variable(arrays[n]) for n in names}

            @tf.function(jit_compile=self.xla)
            def step():
                with tf.GradientTape() as tape:
                    l = losses[workload](p, x, y)
                for n, g in tape.gradient(l, p).items():
                    p[n].assign_sub(rate * g)
                return l

            return Training(workload, lambda: float(step()))
        if workload == "embedding":
            return Training(workload, self.embedding(arrays, names, x, y, rate))
        if workload == "xent":

            @tf.function(jit_compile=self.xla)
            def both():
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    l = class_loss(x, y)
                return l, tape.gradient(l, x)

            def call():
                l, g = both()
                return float(l), g

            return Computing(call, lambda: [v.numpy() for v in both()])
        if workload.startswith("tiny") and self.xla:
            raise NotImplementedError("XLA fuses the chain")
        return self.computing(workload, data)

    def embedding(self, arrays, names, x, y, rate):
        """Differentiates to the looked-up rows and scatters them into the table."""
        p = {n: tf.Variable(arrays[n]) for n in names}
        rest = {n: p[n] for n in names if n != "w0"}

        @tf.function(jit_compile=self.xla)
        def step():
            rows = tf.gather(p["w0"], x)
            with tf.GradientTape() as tape:
                tape.watch(rows)
                z = dense(p, tf.nn.relu(dense(p, tf.reshape(rows, [rows.shape[0], -1]), 1)), 2)
                l = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=z))
            row_gradient, gradients = tape.gradient(l, (rows, rest))
            p["w0"].scatter_sub(tf.IndexedSlices(rate * row_gradient, x))
            for n, g in gradients.items():
                p[n].assign_sub(rate * g)
            return l

        return lambda: float(step())

    def computing(self, workload, data):
        def tiny_add(x, y):
            for _ in range(TINY_OPS):
                x = x + y
            return x

        def tiny_matmul(x, y):
            for _ in range(TINY_OPS // 2):
                x = tf.transpose(x @ y)
            return x

        if workload.startswith("tiny"):
            tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
            body = tiny_add if workload == "tiny-add" else tiny_matmul
        elif workload.startswith("matmul"):
            body = tf.matmul
        else:
            body = lambda x, y, z: tf.nn.relu(x * y + z)
        f = tf.function(body, jit_compile=self.xla)
        values = list(data.values())

        def step():
            return f(*values)

        step()
        tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": False})
        return Computing(step, lambda: [step().numpy()])
