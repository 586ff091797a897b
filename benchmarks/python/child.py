"""One Python system in a process of its own, driven by lines on standard input; the protocol is in Child.java.

Usage: child.py jax|torch|tf|tf-xla THREADS FOLDER
"""

import ctypes
import gc
import importlib
import os
import sys
import time

import numpy as np

MEMORY_CALLS = 30
TINY_OPS = 1000
HEADS = 4
LOOP_STEPS = 20


def rate_of(workload):
    return 1.0 if workload in ("lstm", "embedding") else 0.01


def checked_calls(workload):
    return LOOP_STEPS if workload == "mlp" else 5


def read(folder, data):
    """The arrays of a data set by name."""
    arrays = {}
    with open(os.path.join(folder, data, "shapes")) as lines:
        for line in lines:
            name, dtype, *shape = line.split()
            kind = "<i4" if dtype == "i32" else "<f4"
            values = np.fromfile(os.path.join(folder, data, name), kind)
            arrays[name] = values.reshape([int(d) for d in shape])
    return arrays


def parameters(arrays):
    return [name for name in arrays if name[0] in "wbg"]


def sums(values):
    """Two numbers that tell arrays apart: the root of the mean square, and a mean weighted by position."""
    flat = np.asarray(values, np.float64).ravel()
    return [float(np.sqrt(np.mean(flat * flat))), float(np.mean(flat * (np.arange(flat.size) % 1009 + 1)))]


class Training:
    """A workload whose call is one training step that returns the loss."""

    def __init__(self, workload, step):
        self.workload, self.step = workload, step

    def check(self):
        return [self.step() for _ in range(checked_calls(self.workload))]


class Computing:
    """A workload whose call computes something; results() gives what is compared."""

    def __init__(self, step, results):
        self.step, self.results = step, results

    def check(self):
        return [number for values in self.results() for number in sums(values)]


def measure(model, seconds):
    start = time.perf_counter()
    calls = 0
    while True:
        model.step()
        calls += 1
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return calls / elapsed


def warm(model, least, most):
    start, before = time.perf_counter(), 0.0
    while True:
        now = measure(model, 0.5)
        elapsed = time.perf_counter() - start
        if elapsed >= most or (elapsed >= least and abs(now - before) <= 0.05 * now):
            return
        before = now


def status(key):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key + ":"))


def memory(peer, workload, folder):
    small = peer.prepare(workload, read(folder, workload + "-small"))
    warm(small, 3, 10)
    model = peer.prepare(workload, read(folder, workload))
    gc.collect()
    time.sleep(1)
    ctypes.CDLL(None).malloc_trim(0)  # free memory that the C library holds would hide what is allocated next
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")
    before = status("VmRSS")
    for _ in range(MEMORY_CALLS):
        model.step()
    return status("VmHWM") - before


def answer(peer, models, folder, words):
    command, workload = words[0], words[1]
    if command == "prepare":
        models[workload] = peer.prepare(workload, read(folder, workload))
        return "ready " + " ".join(repr(float(v)) for v in models[workload].check())
    if command == "warm":
        warm(models[workload], float(words[2]), float(words[3]))
        return "warm"
    if command == "run":
        return "rate %r" % measure(models[workload], float(words[2]))
    if command == "release":
        models.pop(workload, None)
        gc.collect()
        return "released"
    if command == "first":
        peer.prepare(workload, read(folder, workload)).step()
        return "first"
    if command == "memory":
        return "memory %d" % memory(peer, workload, folder)
    raise ValueError("no command " + command)


def main():
    system, threads, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    module = importlib.import_module({"jax": "jax_peer", "torch": "torch_peer"}.get(system, "tf_peer"))
    peer = module.Peer(threads, system)
    models = {}
    for line in sys.stdin:
        words = line.split()
        if words == ["quit"]:
            break
        try:
            text = answer(peer, models, folder, words)
        except NotImplementedError as e:
            text = "none %s" % e
        except Exception as e:
            import traceback

            traceback.print_exc()
            text = "error " + " ".join(repr(e).split())
        replies.write("> " + text + "\n")
        replies.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    sys.modules["child"] = sys.modules["__main__"]
    main()
