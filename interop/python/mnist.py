"""mnist.py TARGET FOLDER [STEPS]: a convolutional network as one wrote it for TensorFlow 1, layers by hand, trained on a cluster.

FOLDER has MNIST's files. Prints the accuracy on the test set and the images that were trained on in a second after the first 50
steps. A Saver's checkpoints, summaries and MonitoredTrainingSession are in use as they would be."""
import gzip
import os
import sys
import tempfile
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_v2_behavior()
v1.logging.set_verbosity(v1.logging.ERROR)
target, folder = sys.argv[1:3]
steps, warm, batch = int(sys.argv[3]) if len(sys.argv) > 3 else 400, 50, 128


def read(name, header):
    with gzip.open(os.path.join(folder, name)) as f:
        return np.frombuffer(f.read(), np.uint8, offset=header)


def images(name):
    return (read(name, 16).astype(np.float32) / 255).reshape(-1, 784)


train_x, train_y = images("train-images-idx3-ubyte.gz"), read("train-labels-idx1-ubyte.gz", 8).astype(np.int64)
test_x, test_y = images("t10k-images-idx3-ubyte.gz"), read("t10k-labels-idx1-ubyte.gz", 8).astype(np.int64)


def weights(name, *shape):
    fan = np.prod(shape[:-1])
    return v1.get_variable(name, shape, initializer=v1.truncated_normal_initializer(stddev=float(np.sqrt(2 / fan)), seed=1))


def biases(name, n):
    return v1.get_variable(name, [n], initializer=v1.constant_initializer(0.1))


def pooled(x, name, *shape):
    y = tf.nn.relu(tf.nn.conv2d(x, weights(name + "_w", *shape), strides=[1, 1, 1, 1], padding="SAME") + biases(name + "_b", shape[-1]))
    return tf.nn.max_pool2d(y, ksize=2, strides=2, padding="SAME")


with v1.Session(target) as s:
    task = sorted(d.name.split("/device")[0] for d in s.list_devices() if "CPU" in d.name)[-1]
v1.Session.reset(target)

with tf.Graph().as_default(), tempfile.TemporaryDirectory() as logs:
    v1.set_random_seed(1)
    with v1.device(task):
        step = v1.train.get_or_create_global_step()
        x, y = v1.placeholder(tf.float32, [None, 784], name="x"), v1.placeholder(tf.int64, [None], name="y")
        h = pooled(tf.reshape(x, [-1, 28, 28, 1]), "first", 5, 5, 1, 32)
        h = tf.reshape(pooled(h, "second", 5, 5, 32, 64), [-1, 7 * 7 * 64])
        h = tf.nn.relu(tf.matmul(h, weights("dense_w", 7 * 7 * 64, 512)) + biases("dense_b", 512))
        logits = tf.matmul(h, weights("out_w", 512, 10)) + biases("out_b", 10)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        right = tf.reduce_sum(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
        train = v1.train.AdamOptimizer(1e-3).minimize(loss, global_step=step)
    v1.summary.scalar("loss", loss)
    v1.summary.histogram("logits", logits)
    saver = v1.train.Saver(max_to_keep=2)
    order = np.random.RandomState(7)
    scaffold = v1.train.Scaffold(saver=saver)
    hooks = [v1.train.StopAtStepHook(last_step=steps)]
    with v1.train.MonitoredTrainingSession(
            target, checkpoint_dir=logs, scaffold=scaffold, hooks=hooks, save_checkpoint_steps=200, save_summaries_steps=50) as s:
        done = 0
        while not s.should_stop():
            if done == warm:
                began = time.time()
            at = order.randint(0, len(train_x), batch)
            s.run(train, {x: train_x[at], y: train_y[at]})
            done += 1
        took = time.time() - began
    with v1.Session(target) as s:
        saver.restore(s, v1.train.latest_checkpoint(logs))
        hits = sum(s.run(right, {x: test_x[i:i + 1000], y: test_y[i:i + 1000]}) for i in range(0, 10000, 1000))
print("accuracy %.4f, %.0f images/s" % (hits / 10000, (steps - warm) * batch / took))
