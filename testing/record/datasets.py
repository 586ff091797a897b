#!/usr/bin/env python3
"""Writes tf.data programs as TensorFlow 2.21 makes them, for record.py to answer.

    python datasets.py CASES.zip && python record.py CASES.zip testing/src/test/answers/tfdata.zip

Each case is a graph with an iterator over a pipeline, and runs that begin it and take elements beyond its end.
"""

import json
import os
import sys
import zipfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
D = tf.data.Dataset
MOST = 12


def count(n):
    return D.range(n)


def ragged(n):
    return count(n).map(lambda x: tf.fill([x], x * 10))


def pairs():
    return D.from_tensor_slices({"a": np.arange(6, dtype=np.float32).reshape(3, 2), "b": np.array([b"x", b"y", b"z"])})


PIPELINES = {
    "range": lambda: count(4),
    "range_down": lambda: D.range(5, -3, -2),
    "range_int32": lambda: D.range(3, output_type=tf.int32),
    "tensors": lambda: D.from_tensors((tf.constant([1.0, 2.0]), tf.constant("a"))),
    "slices": pairs,
    "slices_empty": lambda: D.from_tensor_slices(np.zeros([0, 3], np.float32)),
    "take": lambda: count(5).take(2),
    "take_all": lambda: count(3).take(-1),
    "skip": lambda: count(5).skip(3),
    "skip_all": lambda: count(5).skip(-1),
    "repeat": lambda: count(3).repeat(2),
    "repeat_forever": lambda: count(3).repeat(),
    "repeat_none": lambda: count(3).repeat(0),
    "shard": lambda: count(10).shard(3, 1),
    "concatenate": lambda: count(2).concatenate(D.range(7, 9)),
    "zip": lambda: D.zip((count(3), D.range(5, 9))),
    "zip_nested": lambda: D.zip((count(3), pairs())),
    "map": lambda: count(4).map(lambda x: x * x + 1),
    "map_pairs": lambda: pairs().map(lambda e: (e["a"] * 2, tf.strings.join([e["b"], "!"]))),
    "map_captured": lambda: captured(),
    "map_parallel": lambda: count(6).map(lambda x: x - 3, num_parallel_calls=4),
    "map_control_flow": lambda: count(6).map(lambda x: tf.cond(tf.equal(x % 2, 0), lambda: x * 10, lambda: -x)),
    "map_loop": lambda: count(5).map(lambda x: tf.while_loop(lambda i: i < 100, lambda i: i * 2 + 1, [x])[0]),
    "map_error": lambda: count(4).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")),
    "filter": lambda: count(10).filter(lambda x: tf.equal(x % 3, 0)),
    "filter_none": lambda: count(5).filter(lambda x: x > 100),
    "take_while": lambda: count(9).take_while(lambda x: x < 4),
    "flat_map": lambda: count(4).flat_map(lambda x: D.range(x)),
    "flat_map_slices": lambda: D.from_tensor_slices([[1, 2], [3, 4]]).flat_map(D.from_tensor_slices),
    "interleave": lambda: count(4).interleave(lambda x: D.from_tensors(x).repeat(3), cycle_length=2, block_length=1),
    "interleave_blocks": lambda: count(5).interleave(lambda x: D.range(x), cycle_length=3, block_length=2),
    "interleave_parallel": lambda: count(4).interleave(
        lambda x: D.from_tensors(x).repeat(2), cycle_length=2, block_length=2, num_parallel_calls=2),
    "batch": lambda: count(7).batch(3),
    "batch_drop": lambda: count(7).batch(3, drop_remainder=True),
    "batch_pairs": lambda: pairs().batch(2),
    "batch_of_batches": lambda: count(12).batch(2).batch(3),
    "batch_shapes_differ": lambda: ragged(4).batch(2),
    "padded_batch": lambda: ragged(6).padded_batch(3, padded_shapes=[None]),
    "padded_batch_to": lambda: ragged(5).padded_batch(2, padded_shapes=[6], padding_values=np.int64(-1)),
    "padded_batch_small": lambda: ragged(5).padded_batch(5, padded_shapes=[2]),
    "padded_batch_drop": lambda: ragged(5).padded_batch(2, padded_shapes=[None], drop_remainder=True),
    "shuffle": lambda: count(10).shuffle(4, seed=1),
    "shuffle_all": lambda: count(8).shuffle(100, seed=7),
    "shuffle_repeat": lambda: count(4).shuffle(4, seed=3).repeat(3),
    "shuffle_fixed": lambda: count(4).shuffle(4, seed=3, reshuffle_each_iteration=False).repeat(3),
    "shuffle_batch": lambda: count(9).shuffle(5, seed=2).batch(4),
    "cache": lambda: count(4).map(lambda x: x + 1).cache().repeat(2),
    "prefetch": lambda: count(5).prefetch(2),
    "prefetch_tuned": lambda: count(5).map(lambda x: -x, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE),
    "window": lambda: count(7).window(3, shift=2, stride=2).flat_map(lambda w: w.batch(3)),
    "window_drop": lambda: count(7).window(3, drop_remainder=True).flat_map(lambda w: w.batch(3)),
    "window_pairs": lambda: D.zip((count(5), D.range(5, 10))).window(2).flat_map(lambda a, b: D.zip((a.batch(2), b.batch(2)))),
    "unbatch": lambda: pairs().batch(2).unbatch(),
    "rebatch": lambda: count(10).batch(4).rebatch([3, 1]),
    "scan": lambda: count(6).scan(np.int64(1), lambda state, x: (state + x, state * x)),
    "unique": lambda: D.from_tensor_slices([3, 1, 3, 2, 1]).unique(),
    "group_by_window": lambda: count(11).group_by_window(
        lambda x: x % 3, lambda key, window: window.batch(2), window_size=2),
    "bucket_by_length": lambda: ragged(7).bucket_by_sequence_length(
        lambda x: tf.shape(x)[0], bucket_boundaries=[3, 5], bucket_batch_sizes=[2, 2, 2]),
    "choose": lambda: D.choose_from_datasets([count(3), D.range(10, 15)], D.from_tensor_slices(np.array([0, 1, 1, 0, 0, 1, 0, 1], np.int64))),
    "sample_from": lambda: D.sample_from_datasets([count(4), D.range(10, 16)], weights=[0.3, 0.7], seed=5),
    "enumerate": lambda: pairs().enumerate(start=3),
    "random": lambda: D.random(seed=4).take(5),
    "reduced_in_map": lambda: count(5).map(lambda n: D.range(n).reduce(np.int64(0), lambda s, x: s + x)),
    "one_of_batch": lambda: count(4).map(lambda n: D.range(4).batch(4).get_single_element() * n),
    "cardinality": lambda: count(3).map(lambda x: x + D.range(9).batch(2).cardinality()),
    "assert_cardinality": lambda: count(3).apply(tf.data.experimental.assert_cardinality(4)),
    "group_by_reducer": lambda: count(9).apply(tf.data.experimental.group_by_reducer(
        lambda x: x % 2, tf.data.experimental.Reducer(lambda k: k, lambda s, x: s + x, lambda s: s * 10))),
    "all_together": lambda: count(20).filter(lambda x: tf.equal(x % 2, 1)).map(lambda x: x * 3).shuffle(4, seed=5).repeat(2)
    .batch(3).prefetch(1),
}


def captured():
    factor = v1.placeholder_with_default(tf.constant(7, tf.int64), [])
    return count(3).map(lambda x: x * factor)


def case(name, make, once):
    graph = tf.Graph()
    with graph.as_default():
        v1.set_random_seed(11)
        pipeline = make()
        iterator = v1.data.make_one_shot_iterator(pipeline) if once else v1.data.make_initializable_iterator(pipeline)
        fetches = [t.name for t in tf.nest.flatten(iterator.get_next())]
        begin = None if once else iterator.initializer.name
    get = {"feeds": {}, "fetches": fetches, "targets": []}
    runs = [get] * MOST if once else ([{"feeds": {}, "fetches": [], "targets": [begin]}] + [get] * MOST) * 2
    return name, graph.as_graph_def().SerializeToString(), runs


def main():
    with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as out:
        for i, (name, make) in enumerate(PIPELINES.items()):
            once = i % 5 == 4 and name != "map_captured"
            name, graph, runs = case(name, make, once)
            out.writestr(name + "/graph.pb", graph)
            out.writestr(name + "/runs.json", json.dumps(runs))
    print("wrote %d programs" % len(PIPELINES))


if __name__ == "__main__":
    main()
