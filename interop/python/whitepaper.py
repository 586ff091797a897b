"""whitepaper.py [TARGET]: the first program of TensorFlow's white paper; only the session's target is said, and results are checked."""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

b = tf.Variable(tf.zeros([100]))  # 100-d vector, init to zeroes
W = tf.Variable(tf.random_uniform([784, 100], -1, 1))  # 784x100 matrix w/rnd vals
x = tf.placeholder(tf.float32, name="x")  # placeholder for input
relu = tf.nn.relu(tf.matmul(x, W) + b)  # relu(Wx+b)
C = tf.reduce_sum(relu)  # cost computed as a function of relu

s = tf.Session(sys.argv[1] if len(sys.argv) > 1 else "")
s.run(tf.global_variables_initializer())
weights = s.run(W)
for step in range(0, 10):
    input = np.random.RandomState(step).rand(1, 784).astype(np.float32)
    result = s.run(C, feed_dict={x: input})  # fetch cost, feeding x=input
    print(step, result)
    wanted = np.maximum(input @ weights, 0).sum()
    assert abs(result - wanted) < 1e-4 * abs(wanted), (result, wanted)
print("PASSED")
