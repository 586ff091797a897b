#!/usr/bin/env python3
"""Reads what `oxbow export` writes with the packages that it is written for, and compares their answers.

    python exports.py FOLDER

FOLDER holds x.npy (rows of a model of one input), y.npy (what `oxbow predict` makes of them), model.onnx, model.pb, saved/ (a
SavedModel), model.safetensors, model.npz and model.ckpt.*, all of the same checkpoint; `exports.sh` makes it. It writes
back.safetensors, values of the same names times two, which Oxbow reads. Needs tensorflow, onnx, onnxruntime and safetensors.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import onnx
import onnxruntime
import tensorflow as tf
from safetensors.numpy import load_file, save_file

folder = sys.argv[1]


def path(name):
    return os.path.join(folder, name)


x, want = np.load(path("x.npy")), np.load(path("y.npy"))


def check(what, got, wanted=want, close=1e-5):
    difference = float(np.max(np.abs(np.asarray(got, dtype=np.float64) - wanted)))
    print(f"{what:32s} differs by {difference:.2g}")
    if not difference <= close * max(1.0, float(np.max(np.abs(wanted)))):
        sys.exit(f"{what} is not equal")


model = onnx.load(path("model.onnx"))
onnx.checker.check_model(model, full_check=True)
check("ONNX Runtime", onnxruntime.InferenceSession(path("model.onnx")).run(None, {"x": x})[0])

served = tf.saved_model.load(path("saved"))
check("tf.saved_model.load", served.signatures["serving_default"](x=tf.constant(x))["output"].numpy())

graph = tf.compat.v1.GraphDef()
graph.ParseFromString(open(path("model.pb"), "rb").read())
with tf.Graph().as_default() as g:
    tf.import_graph_def(graph, name="")
    with tf.compat.v1.Session(graph=g) as session:
        check("frozen GraphDef", session.run("output:0", {"x:0": x}))

tensors, arrays = load_file(path("model.safetensors")), np.load(path("model.npz"))
checkpoint = tf.train.load_checkpoint(path("model.ckpt"))
for name, value in tensors.items():
    check("npz " + name, arrays[name], value, 0)
    check("checkpoint " + name, checkpoint.get_tensor(name), value, 0)
save_file({name: 2 * value for name, value in tensors.items()}, path("back.safetensors"))
print("all equal")
