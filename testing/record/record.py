#!/usr/bin/env python3
"""Records what TensorFlow answers: fills in outputs or errors of the runs in a zip of cases.

    python record.py CASES.zip RECORDED.zip

CASES.zip holds CASE/graph.pb and CASE/runs.json, a list of {"feeds", "fetches", "targets"}; RECORDED.zip gets the same
cases with "outputs" or "error" in every run, in the format that `oxbow conformance` reads. Each case is one session on
fresh containers. A run that does not end in --timeout seconds is recorded as DeadlineExceededError.
Needs TensorFlow 2.x (pip install tensorflow).
"""

import argparse
import base64
import json
import os
import sys
import zipfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def is_handle(dtype):
    return dtype.base_dtype in (tf.resource, tf.variant)


def encode(value, dtype):
    """A fetched value as {"dtype", "shape", "data"}."""
    name = dtype.base_dtype.name
    if dtype.base_dtype == tf.string:
        array = np.asarray(value, dtype=object)
        data = [base64.b64encode(s).decode() for s in array.reshape(-1)]
        return {"dtype": name, "shape": list(array.shape), "data": data}
    array = np.asarray(value)
    little = np.ascontiguousarray(plain(array, name)).tobytes()
    return {"dtype": name, "shape": list(array.shape), "data": base64.b64encode(little).decode()}


QUANTISED = {"qint8": "<i1", "quint8": "<u1", "qint16": "<i2", "quint16": "<u2", "qint32": "<i4"}


def plain(array, name):
    """The elements in a little-endian dtype of NumPy's own; quantised types are records of one field there."""
    if name in QUANTISED:
        array = array[array.dtype.names[0]] if array.dtype.names else array
        return array.astype(QUANTISED[name])
    if array.dtype.byteorder == ">":
        return array.astype(array.dtype.newbyteorder("<"))
    return array


def decode(tensor):
    """A recorded feed as the array that a session takes."""
    dtype, shape = tf.as_dtype(tensor["dtype"]), tensor["shape"]
    if dtype == tf.string:
        array = np.empty(len(tensor["data"]), dtype=object)
        array[:] = [base64.b64decode(s) for s in tensor["data"]]
        return array.reshape(shape)
    if "data" not in tensor:
        raise ValueError(f"a {dtype.name} cannot be fed: it has no data")
    data = base64.b64decode(tensor["data"])
    return np.frombuffer(data, dtype=dtype.as_numpy_dtype).reshape(shape)


def fetch(session, run, timeout):
    """Runs one run and gives its outputs, in the order of its fetches."""
    graph = session.graph
    feeds = {graph.get_tensor_by_name(n): decode(t) for n, t in run.get("feeds", {}).items()}
    tensors = [graph.get_tensor_by_name(n) for n in run.get("fetches", [])]
    targets = [graph.get_operation_by_name(n) for n in run.get("targets", [])]
    # A handle cannot be fetched as an array: its shape is fetched in its place.
    with graph.as_default():
        fetched = [tf.raw_ops.Shape(input=t) if is_handle(t.dtype) else t for t in tensors]
    options = v1.RunOptions(timeout_in_ms=int(1000 * timeout))
    values = session.run([fetched, targets], feed_dict=feeds, options=options)[0]
    return [
        {"dtype": t.dtype.base_dtype.name, "shape": v.tolist()} if is_handle(t.dtype) else encode(v, t.dtype)
        for t, v in zip(tensors, values)
    ]


def record(case, graph_bytes, runs, timeout):
    """The runs of one case with their answers."""
    definition = v1.GraphDef.FromString(graph_bytes)
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    config = v1.ConfigProto(allow_soft_placement=True, intra_op_parallelism_threads=1)
    # The answers of the kernels as the graph names them, not of what an optimizer makes of it.
    config.graph_options.optimizer_options.opt_level = v1.OptimizerOptions.L0
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    recorded = []
    with v1.Session(graph=graph, config=config) as session:
        for run in runs:
            answer = {
                "feeds": run.get("feeds", {}),
                "fetches": run.get("fetches", []),
                "targets": run.get("targets", []),
            }
            try:
                answer["outputs"] = fetch(session, run, timeout)
            except tf.errors.OpError as e:
                answer["error"] = type(e).__name__
                print(f"{case}: {type(e).__name__}: {' '.join(e.message.split())[:200]}", file=sys.stderr)
            recorded.append(answer)
    return recorded


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", help="zip file to read")
    parser.add_argument("recorded", help="zip file to write")
    parser.add_argument("--timeout", type=float, default=10, help="seconds that a run may take (default 10)")
    arguments = parser.parse_args()
    v1.disable_eager_execution()

    failed = 0
    with zipfile.ZipFile(arguments.cases) as source, zipfile.ZipFile(
        arguments.recorded, "w", zipfile.ZIP_DEFLATED
    ) as target:
        names = sorted(n[: -len("/graph.pb")] for n in source.namelist() if n.endswith("/graph.pb"))
        for case in names:
            graph = source.read(case + "/graph.pb")
            try:
                runs = record(case, graph, json.loads(source.read(case + "/runs.json")), arguments.timeout)
            except Exception as e:  # the graph itself is refused: nothing to record
                failed += 1
                print(f"{case}: not recorded: {type(e).__name__}: {e}", file=sys.stderr)
                continue
            # Fixed times make the same input give the same bytes.
            for name, data in (("graph.pb", graph), ("runs.json", json.dumps(runs, separators=(",", ":")).encode())):
                entry = zipfile.ZipInfo(f"{case}/{name}", (2020, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                target.writestr(entry, data)
    print(f"recorded {len(names) - failed} of {len(names)} cases")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
