"""TensorFlow's parameter servers in `bench distributed`: workers with graphs of their own, gradients by SyncReplicas or as they come."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

from child import parameters, rate_of
from tf_data import loss_of

tf1 = tf.compat.v1
tf1.disable_v2_behavior()


def server(job, number, addresses, servers):
    config = tf1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=2)
    return tf1.train.Server({"worker": addresses, "ps": servers}, job_name=job, task_index=number, config=config)


def serve(number, addresses, servers):
    server("ps", number, addresses, servers).join()


class Training:
    """The perceptron on this worker's share of the batch."""

    synchronous = True

    def __init__(self, rank, addresses, arrays, servers):
        size = len(addresses)
        task = server("worker", rank, addresses, servers)
        setter = tf1.train.replica_device_setter(
            cluster={"worker": addresses, "ps": servers}, worker_device="/job:worker/task:%d" % rank
        )
        with tf1.device(setter):
            step = tf1.train.get_or_create_global_step()
            weights = [tf1.get_variable(name, initializer=arrays[name]) for name in parameters(arrays)]
            self.loss = loss_of(weights, tf.constant(arrays["x"]), tf.constant(arrays["y"]))
            optimizer, hooks = tf1.train.GradientDescentOptimizer(rate_of("mlp")), []
            if self.synchronous:
                optimizer = tf1.train.SyncReplicasOptimizer(optimizer, size, size)
                hooks = [optimizer.make_session_run_hook(rank == 0)]
            self.update = optimizer.minimize(self.loss, global_step=step)
        self.session = tf1.train.MonitoredTrainingSession(
            task.target,
            rank == 0,
            hooks=hooks,
            save_checkpoint_secs=None,
            save_summaries_secs=None,
            log_step_count_steps=None,
        )

    def step(self):
        return float(self.session.run([self.loss, self.update])[0])
