"""TensorFlow in `bench distributed`: MultiWorkerMirroredStrategy, whose all-reduce is a ring over gRPC, or plain for one worker."""

import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

from child import parameters, rate_of


def loss_of(weights, x, y):
    h = x
    for i in range(0, len(weights), 2):
        h = tf.matmul(h, weights[i]) + weights[i + 1]
        if i + 2 < len(weights):
            h = tf.nn.relu(h)
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=h))


class Training:
    """The perceptron on this worker's share of the batch; one call is one graph."""

    def __init__(self, rank, addresses, arrays):
        size = len(addresses)
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(2 if size > 1 else 1)  # one waits for the others
        if size > 1:
            task = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": rank}}
            os.environ["TF_CONFIG"] = json.dumps(task)
            strategy = tf.distribute.MultiWorkerMirroredStrategy()
        else:
            strategy = tf.distribute.get_strategy()
        with strategy.scope():
            weights = [tf.Variable(arrays[name]) for name in parameters(arrays)]
        x, y, rate = tf.constant(arrays["x"]), tf.constant(arrays["y"]), rate_of("mlp")

        def one():
            with tf.GradientTape() as tape:
                loss = loss_of(weights, x, y) / size
            gradients = tape.gradient(loss, weights)
            if size > 1:
                together = tf.distribute.get_replica_context()
                gradients = together.all_reduce(tf.distribute.ReduceOp.SUM, gradients)
            for w, g in zip(weights, gradients):
                w.assign_sub(rate * g)
            return loss

        if size > 1:
            self.call = tf.function(lambda: strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(one), axis=None))
        else:
            self.call = tf.function(one)

    def step(self):
        return float(self.call())
