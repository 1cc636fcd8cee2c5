#!/usr/bin/env python3
"""Compares what shard-run computes for single ops on one device with NumPy.

    check_ops.py [--seed N] [--count N] [--only REGEX] [--keep FOLDER] [--list]
                 [--models FILE] [--jobs N] [--shard-run PATH] [-- options of shard-run]

Each op with a sharding model has a function that makes a random program of that op
with what NumPy computes for it, from the definition of the op in MLIR's documentation.
--count is the number of programs of each op. One process of shard-run runs many. The
program, inputs and outputs of a failure stay in FOLDER.

--models FILE: a list of ops, one a line, each of which must have such a function or
stand in WITHOUT (ops_without.py) with the reason.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import cases
import ops_arith
import ops_control
import ops_linalg
import ops_math
import ops_structured
import ops_tensor
import ops_tosa
import ops_tosa_lowered
import ops_without
from cases import MAKERS, PROGRAMS, WITHOUT
from values import Random

ALL = {**MAKERS, **PROGRAMS}


def check_models(path):
    names = set(open(path).read().split())
    missing = sorted(names - set(MAKERS) - set(WITHOUT))
    stale = sorted((set(MAKERS) | set(WITHOUT)) - names)
    both = sorted(set(MAKERS) & set(WITHOUT))
    for text, ops in (("has a model, but no definition in test/Numpy", missing),
                      ("is defined in test/Numpy, but has no model", stale),
                      ("is defined and listed in ops_without.py", both)):
        for name in ops:
            print(f"{name} {text}")
    return not (missing or stale or both)


def make(name, seed, number):
    """The program `number` of the op `name`. It depends on nothing else."""
    digest = sum(ord(c) * 131 ** i for i, c in enumerate(name))
    random = Random((seed * 1000003 + number * 10007 + digest) % 2 ** 32)
    with np.errstate(all="ignore"):
        case = ALL[name](random, name)
    case.name = f"{name} (--seed {seed}, program {number})"
    return case


def run_batch(arguments, batch):
    """(case, what is wrong) for each failure. What fails as a whole is halved."""
    folder = tempfile.mkdtemp(prefix="check-ops-")
    try:
        outputs = cases.run(arguments.shard_run, folder, batch, arguments.options)
    except RuntimeError as error:
        if len(batch) > 1:
            shutil.rmtree(folder)
            half = len(batch) // 2
            return run_batch(arguments, batch[:half]) + run_batch(arguments, batch[half:])
        keep(arguments, folder, batch[0])
        return [(batch[0], str(error))]
    failures = []
    for case in batch:
        own, outputs = outputs[:len(case.results)], outputs[len(case.results):]
        with np.errstate(all="ignore"):
            wrong = cases.judge(case, own)
        if not wrong:
            continue
        failures.append((case, wrong))
        if arguments.keep:
            alone = tempfile.mkdtemp(prefix="check-ops-")
            try:
                cases.run(arguments.shard_run, alone, [case], arguments.options)
            except RuntimeError:
                pass
            keep(arguments, alone, case)
    shutil.rmtree(folder)
    return failures


def keep(arguments, folder, case):
    if arguments.keep:
        target = os.path.join(arguments.keep, re.sub(r"[^\w.]+", "-", case.name).strip("-"))
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(folder, target)
    shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--models")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--batch", type=int, default=40)
    parser.add_argument("--shard-run", default="shard-run")
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(sorted(ALL)))
        return 0
    if arguments.models:
        return 0 if check_models(arguments.models) else 1
    names = [name for name in sorted(ALL) if re.search(arguments.only, name)]
    programs = [make(name, arguments.seed, number)
                for number in range(arguments.count) for name in names]
    size = arguments.batch
    batches = [programs[i:i + size] for i in range(0, len(programs), size)]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        failures = sum(pool.map(lambda batch: run_batch(arguments, batch), batches), [])
    for case, wrong in failures:
        print(f"{case.name}: {wrong[:600]}")
    print(f"{len(programs)} programs of {len(names)} ops, {len(failures)} failures")
    return 1 if failures or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
