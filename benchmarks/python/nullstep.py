"""nullstep.py N TARGET: prints the median milliseconds of a step that updates one variable on each of N tasks."""
import os
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

STEPS = 400


def main(tasks, target):
    tf1 = tf.compat.v1
    tf1.disable_v2_behavior()
    updates = []
    for i in range(tasks):
        with tf.device("/job:worker/task:%d" % i):
            v = tf1.get_variable("python%d" % i, initializer=0.0, use_resource=True)
            updates.append(v.assign_add(1.0, read_value=False))
    step = tf.group(*updates)
    with tf1.Session(target) as session:
        session.run(tf1.global_variables_initializer())
        times = []
        for _ in range(STEPS + 100):
            start = time.perf_counter()
            session.run(step)
            times.append(time.perf_counter() - start)
    print(sorted(times[100:])[STEPS // 2] * 1e3)


main(int(sys.argv[1]), sys.argv[2])
