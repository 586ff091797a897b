"""trainstep.py SIZES BATCH TARGET GRAPH: trains a perceptron as TensorFlow 1 does, fed from here; prints the median milliseconds of a step.

SIZES is such as 784-512-256-10. The graph is written to GRAPH: its feeds are x and y, its step is `step`, its start `init`."""
import os
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

WARM_SECONDS, SECONDS = 15, 6


def main(sizes, batch, target, graph):
    tf1 = tf.compat.v1
    tf1.disable_v2_behavior()
    x = tf1.placeholder(tf.float32, [None, sizes[0]], name="x")
    y = tf1.placeholder(tf.float32, [None, sizes[-1]], name="y")
    h = x
    for i in range(len(sizes) - 1):
        w = tf1.get_variable("w%d" % i, [sizes[i], sizes[i + 1]])
        b = tf1.get_variable("b%d" % i, [sizes[i + 1]], initializer=tf1.zeros_initializer())
        h = tf.matmul(h, w) + b
        if i < len(sizes) - 2:
            h = tf.nn.relu(h)
    loss = tf.reduce_mean(tf1.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=h))
    step = tf1.train.GradientDescentOptimizer(0.05).minimize(loss, name="step")
    init = tf1.global_variables_initializer()
    with open(graph, "wb") as f:
        f.write(tf1.get_default_graph().as_graph_def().SerializeToString())
    random = np.random.RandomState(1)
    data = random.rand(batch, sizes[0]).astype(np.float32)
    labels = np.eye(sizes[-1], dtype=np.float32)[random.randint(0, sizes[-1], batch)]
    with tf1.Session(target) as session:
        session.run(init)
        feed = {x: data, y: labels}
        first = session.run(loss, feed)
        warm = time.perf_counter() + WARM_SECONDS
        while time.perf_counter() < warm:
            session.run(step, feed)
        times, end = [], time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            start = time.perf_counter()
            session.run(step, feed)
            times.append(time.perf_counter() - start)
        last = session.run(loss, feed)
        if not last < first:
            raise SystemExit("the loss was %g and is %g after training" % (first, last))
    print(sorted(times)[len(times) // 2] * 1e3)


main([int(n) for n in sys.argv[1].split("-")], int(sys.argv[2]), sys.argv[3], sys.argv[4])
