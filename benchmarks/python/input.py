"""tf.data or DALI reading files in a process of its own, driven by lines on standard input as InputChild is.

Usage: input.py tfdata|dali THREADS FOLDER
"""

import glob
import os
import sys
import time

import numpy as np

BATCH, SIDE, CHECKED, FLOATS, COLUMNS = 64, 224, 4, 64, 20
system, threads, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
photos = sorted(glob.glob(os.path.join(folder, "jpeg", "*", "*.jpg")))


class Absent(Exception):
    pass


def tfdata(row):
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    D = tf.data.Dataset

    def load(path):
        b = tf.io.read_file(path)
        at, size, _ = tf.image.sample_distorted_bounding_box(
            tf.io.extract_jpeg_shape(b), tf.zeros([1, 0, 4]), area_range=[0.08, 1.0],
            aspect_ratio_range=[0.75, 1.33], use_image_if_no_bounding_boxes=True)
        x = tf.io.decode_and_crop_jpeg(b, tf.stack([at[0], at[1], size[0], size[1]]), channels=3)
        x = tf.image.random_flip_left_right(tf.image.resize(x, [SIDE, SIDE]))
        return tf.transpose((x - 127.0) / 60.0, [2, 0, 1])

    if row == "jpeg":
        decoded = [tf.io.decode_jpeg(tf.io.read_file(p), dct_method="INTEGER_ACCURATE") for p in photos[:CHECKED]]
        with open(os.path.join(folder, "decoded-tfdata"), "wb") as out:
            for d in decoded:
                out.write(d.numpy().tobytes())
        return iter(D.from_tensor_slices(photos).shuffle(256).repeat().map(load, threads).batch(BATCH).prefetch(2)), []
    if row == "tfrecord":
        form = {"x": tf.io.FixedLenFeature([FLOATS], tf.float32), "id": tf.io.FixedLenFeature([], tf.int64),
                "name": tf.io.FixedLenFeature([], tf.string)}
        files = tf.data.TFRecordDataset(sorted(glob.glob(folder + "/records-*.tfrecord")))
        parsed = lambda d: d.batch(BATCH).map(lambda r: tf.io.parse_example(r, form), threads).prefetch(2)
        parts = [(float(len(e["id"])), float(tf.reduce_sum(tf.cast(e["x"], tf.float64))), float(tf.reduce_sum(e["id"])))
                 for e in parsed(files)]
        return iter(parsed(files.repeat()).map(lambda e: e["x"])), np.sum(parts, 0)
    if row == "parquet":
        raise Absent("TensorFlow itself has no Parquet")
    defaults = [tf.constant([], tf.float32)] * COLUMNS + [tf.constant([], tf.int64)]
    lines = tf.data.TextLineDataset(sorted(glob.glob(folder + "/rows-*.csv")))

    def fields(r):
        f = tf.io.decode_csv(r, defaults)
        return tf.stack(f[:COLUMNS], 1), f[COLUMNS]

    rows = lambda d: d.batch(BATCH).map(fields, threads).prefetch(2)
    parts = [(float(len(y)), float(tf.reduce_sum(tf.cast(x, tf.float64))), float(tf.reduce_sum(y))) for x, y in rows(lines)]
    return iter(rows(lines.repeat()).map(lambda x, y: x)), np.sum(parts, 0)


def dali(row):
    if row != "jpeg":
        raise Absent("only its images are compared")
    try:
        from nvidia.dali import fn, pipeline_def, types
    except ImportError:
        raise Absent("nvidia-dali-cuda120 is not installed")

    @pipeline_def(batch_size=CHECKED, num_threads=threads, device_id=None)
    def plain():
        jpeg, _ = fn.readers.file(files=photos[:CHECKED])
        return fn.decoders.image(jpeg, device="cpu", output_type=types.RGB)

    @pipeline_def(batch_size=BATCH, num_threads=threads, device_id=None, seed=1)
    def augmented():
        jpeg, label = fn.readers.file(files=photos, random_shuffle=True)
        x = fn.decoders.image_random_crop(jpeg, device="cpu", output_type=types.RGB)
        x = fn.resize(x, resize_x=SIDE, resize_y=SIDE)
        return fn.crop_mirror_normalize(
            x, dtype=types.FLOAT, mean=[127.0] * 3, std=[60.0] * 3, mirror=fn.random.coin_flip(), output_layout="CHW")

    first = plain()
    first.build()
    (images,) = first.run()
    with open(os.path.join(folder, "decoded-dali"), "wb") as out:
        for i in range(CHECKED):
            out.write(np.ascontiguousarray(images.at(i)).tobytes())
    pipe = augmented()
    pipe.build()

    def batches():
        while True:
            yield pipe.run()

    return batches(), []


elements = None
for line in sys.stdin:
    words = line.split()
    if words[0] == "quit":
        break
    try:
        if words[0] == "prepare":
            elements, numbers = {"tfdata": tfdata, "dali": dali}[system](words[1])
            answer = " ".join(["ready"] + [repr(float(n)) for n in numbers])
        else:
            start, count = time.perf_counter(), 0
            while time.perf_counter() - start < float(words[2]):
                next(elements)
                count += BATCH
            answer = "rate %r" % (count / (time.perf_counter() - start))
    except Absent as e:
        answer = "none %s" % e
    except Exception as e:
        answer = "error " + " ".join(repr(e).split())
    print("> " + answer, flush=True)
