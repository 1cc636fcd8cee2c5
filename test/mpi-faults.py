#!/usr/bin/env python3
"""Kills or stops one rank of shard-run at a random moment, again and again.

usage: mpi-faults.py COUNT SHARD-RUN LAUNCHER... [--seed N] [--ranks N] [--only kill|stop]

COUNT times a rank gets SIGKILL, then COUNT times SIGSTOP, at some moment between the start of
all ranks and the end of an undisturbed run; then the same for the supervisor's process beside
rank 0, a quarter as often. The programs take turns (PROGRAMS): blocking calls,
calls that --overlap starts, and every call that can be started, in loops that take most of the
run. LAUNCHER is mpirun, with options if need be.

After the signal

  * the launcher ends within a minute;
  * its exit code is not 0 and it or a rank has said why, or the run was over;
  * no process of the run is left;
  * every result has the bytes of an undisturbed run, or is not there; with exit code 0 all are.

Prints what was wrong, and one line with figures for each kind of signal. The exit code is 1 if
anything was wrong.
"""

import argparse
import collections
import contextlib
import dataclasses
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 60
# Seconds that an undisturbed loop takes, about.
LOOP_SECONDS = 1.0
# What the runtime, Open MPI's mpirun and MPICH's say of a rank that has ended. MPICH's gives up
# itself, with a "process manager error", where it answers a rank in MPI_Init that has ended.
MESSAGE = re.compile(r"^error: |exited on signal|BAD TERMINATION|exit code: [1-9]|"
                     r"exited with non-zero|Process name|mpirun has exited|ORTE has lost|"
                     r"process manager error",
                     re.MULTILINE)

LOOP = """
shard.grid @g(shape = {ranks}) axes ["model"] {{shard.machine = {{flops32 = 2.0e10,
    memory_bandwidth = 1.0e10, link_bandwidth = 1.0e9, link_latency = 2.0e-6}}}}
func.func @main(%x: tensor<96x192xf32> {{shard.sharding = #shard.sharding<@g, [[], ["model"]]>}},
                %w: tensor<192x192xf32> {{shard.sharding = #shard.sharding<@g, [["model"], []]>}},
                %v: tensor<96x192xf32> {{shard.sharding = #shard.sharding<@g, [["model"], []]>}})
    -> (tensor<96x192xf32>, tensor<96x192xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {iterations} : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant dense<0.01> : tensor<96x192xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %v)
      -> (tensor<96x192xf32>, tensor<96x192xf32>) {{
    %e = tensor.empty() : tensor<96x192xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<96x192xf32>) -> tensor<96x192xf32>
    %p = linalg.matmul ins(%a, %w : tensor<96x192xf32>, tensor<192x192xf32>)
        outs(%z : tensor<96x192xf32>) -> tensor<96x192xf32>
    %s = math.sin %b : tensor<96x192xf32>
    %t = math.tanh %p : tensor<96x192xf32>
    %sum = arith.addf %t, %s : tensor<96x192xf32>
    %next = arith.mulf %sum, %scale : tensor<96x192xf32>
    scf.yield %next, %s : tensor<96x192xf32>, tensor<96x192xf32>
  }}
  return %r#0, %r#1 : tensor<96x192xf32>, tensor<96x192xf32>
}}
"""

# One start of each form: MPI's own non-blocking collectives, messages, and a sum of floats,
# whose second half runs at the wait. Results are sums, since all ranks have to give the same.
STARTS = """
shard.grid @g(shape = {ranks})
func.func @main(%x: tensor<{rows}x64xf32>, %y: tensor<{rows}x64xi32>)
    -> (tensor<{rows}x64xf32>, tensor<{rows}x64xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {iterations} : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y)
      -> (tensor<{rows}x64xf32>, tensor<{rows}x64xi32>) {{
    %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = average
        : tensor<{rows}x64xf32> -> tensor<{rows}x64xf32>
    %1 = shard.all_to_all %a on @g grid_axes = [0] split_axis = 0 concat_axis = 0
        : tensor<{rows}x64xf32> -> tensor<{rows}x64xf32>
    %2 = shard.all_reduce %b on @g grid_axes = [0] reduction = max
        : tensor<{rows}x64xi32> -> tensor<{rows}x64xi32>
    %3 = shard.shift %b on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate
        : tensor<{rows}x64xi32> -> tensor<{rows}x64xi32>
    %4 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0
        : tensor<{rows}x64xf32> -> tensor<{all}x64xf32>
    %s = math.sin %a : tensor<{rows}x64xf32>
    %w0 = shard.wait %0 of %a : tensor<{rows}x64xf32>, tensor<{rows}x64xf32>
    %w1 = shard.wait %1 of %a : tensor<{rows}x64xf32>, tensor<{rows}x64xf32>
    %w2 = shard.wait %2 of %b : tensor<{rows}x64xi32>, tensor<{rows}x64xi32>
    %w3 = shard.wait %3 of %b : tensor<{rows}x64xi32>, tensor<{rows}x64xi32>
    %w4 = shard.wait %4 of %a : tensor<{all}x64xf32>, tensor<{rows}x64xf32>
    %part = tensor.extract_slice %w4[0, 0] [{rows}, 64] [1, 1]
        : tensor<{all}x64xf32> to tensor<{rows}x64xf32>
    %f0 = arith.addf %w0, %w1 : tensor<{rows}x64xf32>
    %f1 = arith.addf %f0, %part : tensor<{rows}x64xf32>
    %f2 = arith.mulf %f1, %s : tensor<{rows}x64xf32>
    %b1 = arith.xori %w2, %w3 : tensor<{rows}x64xi32>
    scf.yield %f2, %b1 : tensor<{rows}x64xf32>, tensor<{rows}x64xi32>
  }}
  %f = shard.all_reduce %r#0 on @g grid_axes = [0] : tensor<{rows}x64xf32> -> tensor<{rows}x64xf32>
  %m = shard.all_reduce %r#1 on @g grid_axes = [0] : tensor<{rows}x64xi32> -> tensor<{rows}x64xi32>
  return %f, %m : tensor<{rows}x64xf32>, tensor<{rows}x64xi32>
}}
"""


@dataclasses.dataclass
class Program:
    """A program with its options, and what was measured of an undisturbed run."""
    name: str
    text: str
    options: list
    # The first run of a program compares calls and has one under way at a time: never.
    checks: str
    iterations: int = 200
    seconds: float = 0.0
    results: list = dataclasses.field(default_factory=list)


PROGRAMS = [
    Program("blocking, compared", LOOP, [], "first"),
    Program("--overlap", LOOP, ["--overlap"], "never"),
    Program("blocking", LOOP, [], "never"),
    Program("started", STARTS, [], "never"),
]


class Runner:
    """Starts the ranks of programs, in a folder."""

    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.token = "SHARD_TEST_TOKEN=" + uuid.uuid4().hex
        self.outputs = [self.folder / f"result{i}.npy" for i in range(2)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end_all()

    def end_all(self):
        """Ends what is left, and tells what that was."""
        told = []
        for pid in self.processes():
            with contextlib.suppress(OSError):
                if not stopped_when_done(pid):
                    told.append(pathlib.Path(f"/proc/{pid}/stat").read_text().split(" ", 4)[:4])
                os.kill(pid, signal.SIGKILL)
        return "; ".join(f"{name} {pid}, state {state}, parent {parent}"
                         for pid, name, state, parent in told)

    def start(self, program, output):
        for file in self.folder.glob("result*"):
            file.unlink()
        ranks = self.options.ranks
        source = self.folder / "program.mlir"
        source.write_text(program.text.format(ranks=ranks, iterations=program.iterations,
                                              rows=8 * ranks, all=8 * ranks * ranks))
        command = [*self.options.launcher, "-n", str(ranks), self.options.program, str(source),
                   *program.options]
        for each in self.outputs:
            command += ["--output", str(each)]
        name, value = self.token.split("=")
        # How long ranks wait for one that is stopped, and before they know of one another.
        environment = dict(os.environ, SHARD_RT_SILENCE="3", SHARD_RT_TIMEOUT="20",
                           SHARD_RT_CHECK=program.checks, **{name: value})
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                stderr=subprocess.STDOUT, env=environment)

    def undisturbed(self, program):
        """Seconds of a run, and of its loops."""
        with tempfile.TemporaryFile("w+") as output:
            begin = time.time()
            code = self.start(program, output).wait(600)
            seconds = time.time() - begin
            output.seek(0)
            text = output.read()
        found = re.search(r"^wall time +grid ([0-9.]+) ms", text, re.MULTILINE)
        if code != 0 or not found:
            sys.exit(f"{program.name}: exit code {code} without a fault\n{text}")
        return seconds, float(found.group(1)) / 1000

    def measure(self, program):
        """Sets the iterations, so that the loop takes LOOP_SECONDS; keeps the results."""
        _, loop = self.undisturbed(program)
        program.iterations = max(10, int(program.iterations * LOOP_SECONDS / loop))
        program.seconds, _ = self.undisturbed(program)
        program.results = [each.read_bytes() for each in self.outputs]

    def processes(self):
        """The processes of the run, zombies apart."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if self.token.encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                    found.append(int(pid))
        return found

    def ranks(self):
        """Those that run the program: the ranks, and the supervisor beside rank 0."""
        found = []
        for pid in self.processes():
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{pid}/exe") == self.options.program:
                    found.append(pid)
        # The supervisor has another parent than the ranks; its parent at first is rank 0.
        parents = {pid: parent_of(pid) for pid in found}
        launcher = collections.Counter(parents.values()).most_common(1)[0][0] if found else 0
        return ([pid for pid in found if parents[pid] == launcher],
                [pid for pid in found if parents[pid] not in (launcher, *found)])


def stopped_when_done(pid):
    """Whether this is a supervisor that was stopped after its work.

    It closes its stderr when the ranks need it no more, and waits for the end of the launcher.
    Only who has stopped it can end it then.
    """
    state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "T" and not os.path.lexists(f"/proc/{pid}/fd/2")


def parent_of(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def send_at(runner, launcher, moment, number, whom):
    """Sends the signal `moment` seconds after all ranks are there; whether one got it."""
    begin = None
    while launcher.poll() is None:
        ranks, supervisor = runner.ranks()
        if not begin and len(ranks) >= runner.options.ranks:
            begin = time.time()
        if begin and time.time() - begin >= moment:
            # The run is over. ranks() may take the supervisor for the last rank here, and nobody
            # ends a supervisor that is stopped after the ranks have ended.
            if len(ranks) < runner.options.ranks:
                return False
            with contextlib.suppress(ProcessLookupError, IndexError):
                os.kill(random.choice(ranks if whom == "rank" else supervisor), number)
                return True
            return False
        time.sleep(0.005)
    return False


def what_is_left(runner):
    """The processes that do not end in ten seconds, which are ended; empty if all do."""
    deadline = time.time() + 10
    while runner.processes() and time.time() < deadline:
        time.sleep(0.05)
    return runner.end_all()


def problem_of(runner, program, code, text):
    whole = 0
    for output, result in zip(runner.outputs, program.results):
        if output.exists():
            if output.read_bytes() != result:
                return f"{output.name} is not whole"
            whole += 1
    if code == 0 and whole < len(program.results):
        return f"exit code 0 with {whole} whole results"
    if code != 0 and not MESSAGE.search(text):
        return f"exit code {code} without a message"
    return ""


def once(runner, program, number, whom, figures):
    moment = random.uniform(0, program.seconds)
    # Several processes write, also the one beside rank 0 to what mpirun has open.
    file = runner.folder / "output"
    file.unlink(missing_ok=True)
    with file.open("a+") as output:
        launcher = runner.start(program, output)
        hit = send_at(runner, launcher, moment, number, whom)
        begin = time.time()
        problem = ""
        try:
            code = launcher.wait(LIMIT)
        except subprocess.TimeoutExpired:
            code, problem = -1, f"no end within {LIMIT} seconds"
            launcher.kill()
            launcher.wait()
        seconds = time.time() - begin
        if left := what_is_left(runner):
            problem = problem or f"left with exit code {code}: {left}"
        output.seek(0)
        text = output.read()
    problem = problem or problem_of(runner, program, code, text)
    if not hit or code == 0:
        figures["over"] += 1
    else:
        figures["by the runtime"] += bool(re.search(r"^error: ", text, re.MULTILINE))
        figures["longest"] = max(figures["longest"], seconds)
    figures["wrong"] += bool(problem)
    if problem:
        print(f"{program.name}, {signal.Signals(number).name} of a {whom} after {moment:.2f} s: "
              f"{problem}\n{text}",
              flush=True)


def several(runner, whom, number, count):
    """Prints the figures; how many runs were wrong."""
    figures = collections.Counter()
    for i in range(count):
        once(runner, PROGRAMS[i % len(PROGRAMS)], number, whom, figures)
    print(f"a {whom} {'killed' if number == signal.SIGKILL else 'stopped'} {count} times: "
          f"{figures['over']} after its work was done, {figures['by the runtime']} messages "
          f"of the runtime, the longest end {figures['longest']:.1f} s; {figures['wrong']} wrong",
          flush=True)
    return figures["wrong"]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("program")
    parser.add_argument("launcher", nargs="+")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--only", choices=["kill", "stop"])
    options = parser.parse_args()
    options.program = os.path.realpath(options.program)
    random.seed(options.seed)
    wrong = 0
    # ctest ends what takes too long by SIGTERM; then no process is left either.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as folder, Runner(options, folder) as runner:
        for program in PROGRAMS[:options.count]:
            runner.measure(program)
        for whom, count in ("rank", options.count), ("supervisor", options.count // 4):
            for how, number in ("kill", signal.SIGKILL), ("stop", signal.SIGSTOP):
                if options.only in (None, how):
                    wrong += several(runner, whom, number, count)
    return 1 if wrong else 0


sys.exit(main())
