"""records.py FOLDER: record files written by TensorFlow 2.21, for RecordsTest: ten Examples, plain and gzipped."""
import os, sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

def example(i):
    f = tf.train.Feature
    return tf.train.Example(features=tf.train.Features(feature={
        "id": f(int64_list=tf.train.Int64List(value=[i])),
        "numbers": f(float_list=tf.train.FloatList(value=[i + k / 4 for k in range(3)])),
        "words": f(bytes_list=tf.train.BytesList(value=[("w%d" % k).encode() for k in range(i % 4)])),
        "signs": f(int64_list=tf.train.Int64List(value=[-i, i << 40])),
    })).SerializeToString()

for name, kind in (("ten.tfrecord", ""), ("ten.tfrecord.gz", "GZIP")):
    with tf.io.TFRecordWriter(os.path.join(sys.argv[1], name), kind) as w:
        for i in range(10):
            w.write(example(i))
