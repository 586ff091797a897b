#!/usr/bin/env python3
"""Writes small SavedModels as TensorFlow 2.21 makes them, with inputs and what TensorFlow answers, into one zip.

    python saved_models.py MODELS.zip

For each model: its folder, and answers.json with the inputs and outputs of serving_default.
"""
import json
import os
import shutil
import sys
import tempfile
import zipfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras
import numpy as np
import tensorflow as tf
from keras import layers


def images():
    return keras.Sequential([
        keras.Input((12, 12, 1)), layers.Conv2D(4, 3, activation="relu"), layers.MaxPooling2D(2),
        layers.BatchNormalization(), layers.Flatten(), layers.Dropout(0.3), layers.Dense(10, activation="softmax")])


def cnn(folder):
    tf.saved_model.save(images(), folder)
    return {"x": np.random.default_rng(1).normal(size=(3, 12, 12, 1)).astype(np.float32)}


def exported(folder):
    images().export(folder, verbose=False)  # which has each variable twice
    return {"x": np.random.default_rng(1).normal(size=(3, 12, 12, 1)).astype(np.float32)}


class Recurrent(tf.Module):
    """An LSTM as a while loop of its own."""

    def __init__(self):
        super().__init__()
        random = np.random.default_rng(2)
        self.kernel = tf.Variable(random.normal(size=(3 + 4, 16)).astype(np.float32) * 0.3, name="kernel")
        self.bias = tf.Variable(np.zeros(16, np.float32), name="bias")

    @tf.function(input_signature=[tf.TensorSpec([None, None, 3], tf.float32, name="x")])
    def __call__(self, x):
        rows, steps = tf.shape(x)[0], tf.shape(x)[1]

        def step(i, h, c, all_h):
            gates = tf.concat([x[:, i], h], 1) @ self.kernel + self.bias
            a, b, f, o = tf.split(gates, 4, 1)
            c = tf.sigmoid(f + 1) * c + tf.sigmoid(a) * tf.tanh(b)
            h = tf.sigmoid(o) * tf.tanh(c)
            return i + 1, h, c, all_h.write(i, h)

        zero = tf.zeros([rows, 4])
        all_h = tf.TensorArray(tf.float32, size=steps, element_shape=[None, 4])
        _, h, _, all_h = tf.while_loop(lambda i, *_: i < steps, step, [0, zero, zero, all_h])
        return {"last": h, "all": tf.transpose(all_h.stack(), [1, 0, 2])}


def lstm(folder):
    model = Recurrent()
    tf.saved_model.save(model, folder)
    return {"x": np.random.default_rng(3).normal(size=(2, 5, 3)).astype(np.float32)}


def transformer(folder):
    x = keras.Input((6, 8))
    attended = layers.MultiHeadAttention(2, 4)(x, x)
    y = layers.LayerNormalization()(x + attended)
    z = layers.Dense(8)(layers.Dense(16, activation="gelu")(y))
    model = keras.Model(x, layers.LayerNormalization()(y + z))
    model.export(folder, verbose=False)
    return {"x": np.random.default_rng(4).normal(size=(2, 6, 8)).astype(np.float32)}


class Words(tf.Module):
    """Words looked up in a file, and their embeddings."""

    def __init__(self, file):
        super().__init__()
        self.file = tf.saved_model.Asset(file)
        self.table = tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(self.file, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                          tf.lookup.TextFileIndex.LINE_NUMBER), 0)
        self.rows = tf.Variable(np.random.default_rng(5).normal(size=(5, 3)).astype(np.float32), name="rows")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="words")])
    def __call__(self, words):
        ids = self.table.lookup(words)
        return {"ids": ids, "vectors": tf.gather(self.rows, ids)}


def lookup(folder):
    with tempfile.TemporaryDirectory() as work:
        file = os.path.join(work, "words.txt")
        with open(file, "w") as f:
            f.write("none\nriver\nlake\nbend\nford\n")
        tf.saved_model.save(Words(file), folder)
    return {"words": np.array(["lake", "ocean", "ford", "river"])}


class Text(tf.Module):
    """Sentences of any length: split, hashed, embedded, and the mean of each."""

    def __init__(self):
        super().__init__()
        self.rows = tf.Variable(np.random.default_rng(6).normal(size=(50, 4)).astype(np.float32), name="rows")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="text")])
    def __call__(self, text):
        words = tf.strings.split(tf.strings.lower(tf.strings.regex_replace(text, "[.,!]", "")))
        ids = tf.ragged.map_flat_values(tf.strings.to_hash_bucket_fast, words, 50)
        vectors = tf.ragged.map_flat_values(lambda i: tf.gather(self.rows, i), ids)
        return {"mean": tf.reduce_mean(vectors, axis=1), "padded": ids.to_tensor(-1), "counts": words.row_lengths()}


def ragged(folder):
    tf.saved_model.save(Text(), folder)
    return {"text": np.array(["The river bends.", "Oxbow", "a lake, a ford and a long bend!"])}


def packed(array):
    array = np.asarray(array)
    flat = [str(x) if array.dtype.kind in "US" else x.decode() if isinstance(x, bytes) else x.item() for x in array.ravel()]
    return {"dtype": "string" if array.dtype.kind in "USO" else array.dtype.name, "shape": list(array.shape), "values": flat}


def main():
    keras.utils.set_random_seed(1)
    work = tempfile.mkdtemp()
    with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as out:
        for name, make in {"cnn": cnn, "exported": exported, "lstm": lstm, "transformer": transformer, "lookup": lookup, "ragged": ragged}.items():
            folder = os.path.join(work, name)
            given = make(folder)
            serve = tf.saved_model.load(folder).signatures["serving_default"]
            inputs = dict(zip(serve.structured_input_signature[1], given.values()))
            outputs = serve(**{k: tf.constant(v) for k, v in inputs.items()})
            answers = {"inputs": {k: packed(v) for k, v in inputs.items()},
                       "outputs": {k: packed(v.numpy()) for k, v in outputs.items()}}
            with open(os.path.join(folder, "answers.json"), "w") as f:
                json.dump(answers, f)
            for root, _, files in os.walk(folder):
                for f in files:
                    path = os.path.join(root, f)
                    out.write(path, name + "/" + os.path.relpath(path, folder))
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
