"""One workload in PyTorch for somebody who times it in turns with another system: rounds.py ROW [SETTINGS].

Says {"losses": ..., "settings": [...]} when it is ready, as one line of JSON. Then each line of standard input is a number of
seconds, for which the settings that are left are timed; the answer is one line, {"setting": rate, ...}. After the first round
only the two fastest are left. Workloads come from torch_workloads.py and torch_harness.py on Python's path.
"""

import gc
import json
import math
import os
import re
import sys

# What the workloads print is for people; answers have the standard output for themselves.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

from torch_harness import Bench, Late, flags, limit, log
from torch_workloads import FAMILIES

import torch


def answer(what):
    answers.write(json.dumps(what) + "\n")
    answers.flush()


def found(row):
    for name, family in FAMILIES.items():
        if row.startswith(name.replace("_", "-")) or row.startswith(name):
            for found, *how in family(False):
                if found == row:
                    return how
    raise SystemExit(f"PyTorch has no workload {row}")


def prepared(bench, row, wanted):
    unit, units, settings, build = found(row)
    trials, losses = [], {}
    for setting in settings:
        if setting.long or not re.search(wanted, setting.name):
            continue
        try:
            with torch.cuda.stream(bench.stream), limit(bench.limit), flags(setting):
                for trial, facts in bench.prepare(row, unit, units, setting, build):
                    if trial.calls == 1:
                        trials.append(trial)
                        losses[trial.name] = facts.get("losses")
        except (Exception, Late) as e:
            log(f"{row} | {setting.name} failed: {e}")
        gc.collect()
    return trials, losses, units


def main():
    row, wanted = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    torch.backends.cudnn.benchmark = True
    torch._dynamo.config.recompile_limit = 64
    bench = Bench(os.devnull, 1, 1, 200, wanted, False, False)
    trials, losses, units = prepared(bench, row, wanted)
    if not trials:
        raise SystemExit(f"no setting of {row} is ready")
    answer({"losses": losses, "settings": [t.name for t in trials]})
    gc.disable()
    first = True
    for line in sys.stdin:
        rates = {}
        for t in trials:
            with torch.cuda.stream(bench.stream), flags(t.setting):
                t.run()
                n = max(2, math.ceil(float(line) * 1e3 / t.per_ms))
                rates[t.name] = units * 1e3 / bench.clock(t.run, n)
        answer(rates)
        if first:
            trials = sorted(trials, key=lambda t: -rates[t.name])[:2]
            first = False


if __name__ == "__main__":
    main()
