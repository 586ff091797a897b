"""One row of bench gpu in PyTorch, timed in turns with Oxbow: rounds.py ROW [WAYS], where WAYS is a regular expression.

When it is ready it says, as one line of JSON, {WAY: {"losses": ..., "first_s": ..., "peak_mib": ...}, ...}. Then each line of
standard input is a number of seconds, for which the ways that are left are timed; the answer is one line, {WAY: calls a second}.
After the first round only the two fastest ways are left. Without a card it says the losses of eager ways and ends.
"""

import gc
import json
import math
import os
import re
import sys
import time

# What others print is for people; answers have the standard output for themselves.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import torch

from large import Gpt2, ResNet50
from small import Cnn, CrossEntropy, Embedding, Lstm, MatMul, Mlp, Relu, Tiny, Transformer
from ways import captured

STEPS = {"mlp": Mlp, "cnn": Cnn, "transformer": Transformer, "lstm": Lstm, "embedding": Embedding}
ROWS = {
    "matmul8192-f32": (MatMul, torch.float32),
    "matmul8192-tf32": (MatMul, torch.float32),
    "matmul8192-bf16": (MatMul, torch.bfloat16),
    "relu-268M": (Relu,),
    "xent-f32": (CrossEntropy, torch.float32),
    "xent-bf16": (CrossEntropy, torch.bfloat16),
    "tiny1000": (Tiny,),
    **{f"{name}-{kind}": (made,) for name, made in STEPS.items() for kind in ("f32", "tf32")},
    "gpt2": (Gpt2,),
    "gpt2-bf16": (Gpt2, True),
    "resnet50": (ResNet50,),
}
CHECKED_STEPS = 10
LEAST_RUNS = 5
MIB = 1 << 20


class Clock:
    """Milliseconds of runs by events of the card."""

    def __init__(self, stream):
        self.stream = stream
        self.start, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def each(self, run, n):
        with torch.cuda.stream(self.stream):
            self.start.record()
            for _ in range(n):
                run()
            self.end.record()
            self.end.synchronize()
        return self.start.elapsed_time(self.end) / n


def answer(what):
    answers.write(json.dumps(what) + "\n")
    answers.flush()


def made(row):
    workload, *arguments = ROWS[row]
    return workload(*arguments)


class Trial:
    """One way to run a row, and what is known of it: losses from the start values, seconds of the first step, most memory."""

    def __init__(self, row, way, stream):
        self.way, self.workload = way, made(row)
        before = torch.cuda.memory_allocated()
        with torch.cuda.stream(stream), way.attending():
            step = self.workload.step(way)
            torch.cuda.synchronize()
            begin = time.perf_counter()
            losses = step()
            torch.cuda.synchronize()
            first = time.perf_counter() - begin
            torch.cuda.reset_peak_memory_stats()
            losses = losses_of(step, losses)
            peak = torch.cuda.max_memory_allocated() - before
            self.run = captured(step, stream) if way.graph else step
        self.known = {"losses": losses, "first_s": round(first, 3), "peak_mib": round(peak / MIB)}


def losses_of(step, first):
    """Of the first steps; null where a call gives no loss."""
    if torch.is_tensor(first) and first.dim() == 0:
        return [first.item()] + [step().item() for _ in range(CHECKED_STEPS - 1)]
    step()
    return None


def without_a_card(row, wanted):
    known = {}
    for way in ROWS[row][0].ways:
        if way.compiler == "eager" and re.search(wanted, way.name):
            step = made(row).step(way)
            known[way.name] = {"losses": losses_of(step, step())}
    answer(known)


def prepared(row, wanted, stream):
    trials = []
    for way in ROWS[row][0].ways:
        if not re.search(wanted, way.name):
            continue
        try:
            trials.append(Trial(row, way, stream))
            print(f"{row}: {way.name} is ready, {trials[-1].known}", file=sys.stderr, flush=True)
        except Exception as e:
            print(f"{row}: {way.name} failed: {e}", file=sys.stderr, flush=True)
        gc.collect()
    return trials


def main():
    row, wanted = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    if row not in ROWS:
        raise SystemExit(f"PyTorch has no row {row}; there are {', '.join(ROWS)}")
    if not torch.cuda.is_available():
        return without_a_card(row, wanted)
    # For the whole process: a convolution's algorithm that was chosen once stays.
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = not row.endswith("-f32")
    torch._dynamo.config.recompile_limit = 64
    stream = torch.cuda.Stream()
    trials, clock = prepared(row, wanted, stream), Clock(stream)
    if not trials:
        raise SystemExit(f"no way to run {row} is ready")
    answer({t.way.name: t.known for t in trials})
    gc.disable()
    first = True
    for line in sys.stdin:
        rates = {}
        for t in trials:
            with t.way.attending():
                n = max(LEAST_RUNS, math.ceil(float(line) * 1e3 / clock.each(t.run, 2)))
                rates[t.way.name] = 1e3 / clock.each(t.run, n)
        answer(rates)
        if first:
            trials = sorted(trials, key=lambda t: -rates[t.way.name])[:2]
            first = False


if __name__ == "__main__":
    main()
