#!/usr/bin/env python3
"""Kills or stops one rank of shard-run at a random moment, again and again.

usage: mpi-faults.py COUNT SHARD-RUN LAUNCHER [--seed N] [--stop]

Each time 4 ranks run docs/examples/mlp.mlir and write its result. A rank gets SIGKILL, with
--stop SIGSTOP, at some moment after all have started. Then the launcher has to end
within a minute, with a message and an exit code that is not 0, or with 0 if the run was over;
no rank may be left, and the result has to be whole or not there. Prints a line at the end, and what
was wrong. Ends with exit code 1 if anything was.
"""

import argparse
import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RANKS = 4


def descendants(pid):
    """The processes below `pid`."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = []
    pending = [pid]
    while pending:
        below = children.get(pending.pop(), [])
        found += below
        pending += below
    return found


def ranks_below(pid, program):
    def is_rank(each):
        try:
            return os.readlink(f"/proc/{each}/exe") == program
        except OSError:
            return False
    return [each for each in descendants(pid) if is_rank(each)]


def parent_of(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def is_alive(pid, program):
    try:
        return os.readlink(f"/proc/{pid}/exe") == program
    except OSError:
        return False


def once(options, command, program, result, moment):
    """What was wrong, or nothing; and whether the run was over before."""
    with tempfile.TemporaryFile("w+") as output:
        launcher = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                    stderr=subprocess.STDOUT)
        begin, now, ranks = None, [], set()
        while launcher.poll() is None and (not begin or time.time() - begin < moment):
            now = ranks_below(launcher.pid, program)
            ranks |= set(now)
            if not begin and len(now) >= RANKS:
                begin = time.time()
            time.sleep(0.005)
        # A rank's child, which watches, is no rank.
        now = [each for each in now if parent_of(each) not in now]
        if launcher.poll() is None and now:
            with contextlib.suppress(ProcessLookupError):
                os.kill(random.choice(now), signal.SIGSTOP if options.stop else signal.SIGKILL)
        problem = ""
        try:
            code = launcher.wait(60)
        except subprocess.TimeoutExpired:
            code = -1
            problem = "no end within a minute"
            ranks |= set(ranks_below(launcher.pid, program))
            launcher.kill()
        deadline = time.time() + 5
        while any(is_alive(each, program) for each in ranks) and time.time() < deadline:
            time.sleep(0.05)
        left = [each for each in ranks if is_alive(each, program)]
        for each in left:
            os.kill(each, signal.SIGKILL)
        output.seek(0)
        text = output.read()
    if left:
        problem = problem or f"{len(left)} processes are left"
    whole = os.path.exists(result) and os.path.getsize(result) == options.size
    if code == 0 and not whole:
        problem = problem or "exit code 0 without a whole result"
    if os.path.exists(result) and not whole:
        problem = problem or "half a result"
    if code != 0 and not text.strip():
        problem = problem or f"exit code {code} without a message"
    return (f"after {moment:.2f} s: {problem}\n{text}" if problem else ""), code == 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("program")
    parser.add_argument("launcher")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--stop", action="store_true")
    options = parser.parse_args()
    random.seed(options.seed)
    # How long ranks wait for one that is stopped, and before they know of one another.
    os.environ.update(SHARD_RT_SILENCE="3", SHARD_RT_TIMEOUT="20")
    program = os.path.realpath(options.program)
    wrong = over = 0
    with tempfile.TemporaryDirectory() as folder:
        result = f"{folder}/result.npy"
        command = [options.launcher, "-n", str(RANKS), program,
                   f"{HERE}/../docs/examples/mlp.mlir", "--output", result]
        begin = time.time()
        subprocess.run(command, check=True, capture_output=True)
        seconds = time.time() - begin
        options.size = os.path.getsize(result)
        for _ in range(options.count):
            if os.path.exists(result):
                os.remove(result)
            problem, was_over = once(options, command, program, result,
                                     random.uniform(0, 0.7 * seconds))
            over += was_over
            if problem:
                wrong += 1
                print(problem, flush=True)
    what = "stopped" if options.stop else "killed"
    print(f"a rank was {what} {options.count} times, {over} of them after its work was done; "
          f"{wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
