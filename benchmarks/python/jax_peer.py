"""The workloads in JAX: the whole step under jit, parameters donated."""

import os


class Peer:
    def __init__(self, threads, system):
        flags = "--xla_cpu_multi_thread_eigen=true intra_op_parallelism_threads=%d" % threads
        os.environ.setdefault("XLA_FLAGS", flags)
        os.environ.setdefault("JAX_PLATFORMS", "cpu")

    def prepare(self, workload, arrays):
        import jax
        import jax.numpy as jnp

        from child import HEADS, TINY_OPS, Computing, Training, parameters, rate_of

        names = parameters(arrays)
        p = {n: jnp.asarray(arrays[n]) for n in names}
        data = {n: jnp.asarray(arrays[n]) for n in arrays if n not in names}
        relu, rate = jax.nn.relu, rate_of(workload)

        def dense(p, x, i):
            return x @ p["w%d" % i] + p["b%d" % i]

        def class_loss(logits, labels):
            return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))

        def mlp(p, x, y):
            return class_loss(dense(p, relu(dense(p, relu(dense(p, x, 0)), 1)), 2), y)

        def cnn(p, x, y):
            for i in range(2):
                x = jax.lax.conv_general_dilated(
                    x, p["w%d" % i], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
                )
                x = relu(x + p["b%d" % i])
                x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")
            return class_loss(dense(p, relu(dense(p, x.reshape(x.shape[0], -1), 2)), 3), y)

        def layer_norm(p, x, i):
            c = x - x.mean(-1, keepdims=True)
            return c * jax.lax.rsqrt((c * c).mean(-1, keepdims=True) + 1e-5) * p["g%d" % i] + p["b%d" % i]

        def transformer(p, x, y):
            batch, time, d = x.shape
            a = layer_norm(p, x, 0)
            q, k, v = [
                dense(p, a, i).reshape(batch, time, HEADS, d // HEADS).transpose(0, 2, 1, 3) for i in (1, 2, 3)
            ]
            scores = q @ k.transpose(0, 1, 3, 2) * (d // HEADS) ** -0.5
            mixed = (jax.nn.softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(batch, time, d)
            h = x + dense(p, mixed, 4)
            return jnp.mean((h + dense(p, relu(dense(p, layer_norm(p, h, 5), 6)), 7) - y) ** 2)

        def lstm(p, x, y):
            def cell(state, z):
                h, c = state
                i, f, g, o = jnp.split(z + h @ p["w1"], 4, 1)
                c = c * jax.nn.sigmoid(f) + jax.nn.sigmoid(i) * jnp.tanh(g)
                return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

            zero = jnp.zeros((x.shape[1], p["w1"].shape[0]))
            (h, _), _ = jax.lax.scan(cell, (zero, zero), dense(p, x, 0))
            return jnp.mean((h - y) ** 2)

        def training(loss):
            def step(p, x, y):
                l, g = jax.value_and_grad(loss)(p, x, y)
                return l, {n: p[n] - rate * g[n] for n in p}

            return looped(jax.jit(step, donate_argnums=0))

        def looped(step):
            box = [p]

            def call():
                l, box[0] = step(box[0], data["x"], data["y"])
                return float(l)

            return Training(workload, call)

        def embedding():
            def loss(rows, p, y):
                z = dense(p, relu(dense(p, rows.reshape(rows.shape[0], -1), 1)), 2)
                return jnp.mean(relu(z) - z * y + jax.nn.softplus(-jnp.abs(z)))

            def step(p, ids, y):
                rest = {n: p[n] for n in p if n != "w0"}
                l, (rows, g) = jax.value_and_grad(loss, (0, 1))(p["w0"][ids], rest, y)
                updated = {n: rest[n] - rate * g[n] for n in rest}
                updated["w0"] = p["w0"].at[ids].add(-rate * rows)
                return l, updated

            return looped(jax.jit(step, donate_argnums=0))

        def computing(f, *names):
            f = jax.jit(f)
            values = [data[n] for n in names]
            return Computing(lambda: jax.block_until_ready(f(*values)), lambda: jax.tree.leaves(f(*values)))

        if workload in ("mlp", "cnn", "transformer", "lstm"):
            return training({"mlp": mlp, "cnn": cnn, "transformer": transformer, "lstm": lstm}[workload])
        if workload == "embedding":
            return embedding()
        if workload.startswith("matmul"):
            return computing(lambda x, y: x @ y, "x", "y")
        if workload == "relu":
            return computing(lambda x, y, z: relu(x * y + z), "x", "y", "z")
        if workload == "xent":
            return computing(lambda x, y: jax.value_and_grad(class_loss)(x, y), "x", "y")
        raise NotImplementedError("XLA fuses the chain")
