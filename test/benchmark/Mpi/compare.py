#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times programs as shard-compile makes them beside the same by hand, on 2 ranks.

usage: compare.py BUILD [--only mlp|llama] [ROUNDS [COMMAND...]]

The programs are the MLP of Mlp.c and the block of Llama of Llama.c (programs.py has both for
shard-compile). Needs an MPI and OpenBLAS (libopenblas-dev); without one of them says so and
ends with exit code 0. Both programs run in turns, one thread in each rank, code for this
processor; prints the least time of each, and the ratio by hand / ours (1: as fast; above:
faster). The results of the block of Llama are compared first, on a small one. COMMAND starts
each rank, as `chrt -r 1` where other programs run too.
"""

import array
import os
import re
import subprocess
import sys
import tempfile

import programs

HERE = os.path.dirname(os.path.abspath(__file__))
RANKS = 2
# Rows, input, hidden, output.
MLPS = [(64, 256, 512, 256), (256, 1024, 4096, 1024), (1024, 1024, 4096, 1024)]
# Tokens, width, heads, hidden. The last one is a block of Llama-2-7B.
LLAMAS = [(128, 1024, 8, 2816), (256, 2048, 16, 5632), (40, 4096, 32, 11008)]
SMALL_LLAMA = (24, 64, 4, 176)


def cached(build, name):
    with open(f"{build}/CMakeCache.txt") as file:
        found = re.search(rf"^{name}:\w+=(.*)$", file.read(), re.MULTILINE)
    return found and found.group(1)


def environment():
    result = {name: value for name, value in os.environ.items()
              if not name.startswith("OPENBLAS_")}
    result.update(OPENBLAS_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    return result


def milliseconds(command):
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    found = re.search(r"^time +([0-9.]+) ms", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found:
        sys.exit(f"{' '.join(command)} failed\n{done.stdout}{done.stderr}")
    return float(found.group(1))


class Comparison:
    """One MPI, in a folder."""

    def __init__(self, build, mpi, folder, rounds, prefix):
        self.build, self.mpi, self.folder, self.rounds = build, mpi, folder, rounds
        launcher = cached(build, f"SHARD_MPI_{mpi}_LAUNCHER") or f"mpirun.{mpi}"
        self.start = [launcher, "-n", str(RANKS), *prefix]
        self.ours = f"{folder}/ours"

    def make_by_hand(self, name):
        """The program of a C file; None if it does not build."""
        compiler = cached(self.build, f"SHARD_MPI_{self.mpi}_COMPILER") or f"mpicc.{self.mpi}"
        program = f"{self.folder}/{name}-{self.mpi}"
        made = subprocess.run([compiler, "-O3", "-march=native", f"{HERE}/{name}.c", "-lopenblas",
                               "-lm", "-o", program], capture_output=True, text=True)
        if made.returncode == 0:
            return program
        print(f"{self.mpi}: skipped, {name}.c does not build: is libopenblas-dev there?")
        return None

    def make_ours(self, text):
        source = f"{self.folder}/program.mlir"
        with open(source, "w") as file:
            file.write(text)
        subprocess.run([f"{self.build}/bin/shard-compile", source, f"--backend={self.mpi}",
                        "--cpu=native", "-o", self.ours], check=True)

    def time(self, name, by_hand, sizes, runs):
        times = [(milliseconds([*self.start, by_hand, *map(str, (*sizes, runs))]),
                  milliseconds([*self.start, self.ours, "--repeat", str(runs)]))
                 for _ in range(self.rounds)]
        hand, own = (min(each) for each in zip(*times))
        print(f"{self.mpi:8} {name} {'x'.join(map(str, sizes))}: by hand {hand:.3f} ms, "
              f"ours {own:.3f} ms, ratio {hand / own:.2f}", flush=True)

    def mlp(self):
        by_hand = self.make_by_hand("Mlp")
        for m, k, h, n in MLPS if by_hand else []:
            self.make_ours(programs.mlp(RANKS, m, k, h, n))
            self.time("mlp", by_hand, (m, k, h, n),
                      max(5, min(200, 2 * 10**10 // (m * h * (k + n)))))

    def llama(self):
        by_hand = self.make_by_hand("Llama")
        if not by_hand:
            return
        self.check_llama(by_hand)
        for sizes in LLAMAS:
            self.make_ours(programs.llama(RANKS, *sizes))
            tokens, width, _, hidden = sizes
            work = tokens * width * (4 * width + 3 * hidden)
            self.time("llama", by_hand, sizes, max(5, min(200, 2 * 10**10 // work)))

    def check_llama(self, by_hand):
        """Ends the program if the two differ."""
        self.make_ours(programs.llama(RANKS, *SMALL_LLAMA))
        inputs = []
        for number, shape in enumerate(programs.llama_arguments(*SMALL_LLAMA)):
            path = f"{self.folder}/argument{number}.npy"
            programs.write_argument(path, number, shape)
            inputs += ["--input", path]
        hand, own = f"{self.folder}/hand", f"{self.folder}/own.npy"
        milliseconds([*self.start, by_hand, *map(str, (*SMALL_LLAMA, 1)), hand])
        milliseconds([*self.start, self.ours, *inputs, "--output", own])
        values = array.array("f"), array.array("f")
        size = SMALL_LLAMA[0] * SMALL_LLAMA[1]
        for each, path in zip(values, (hand, own)):
            with open(path, "rb") as file:
                each.frombytes(file.read()[-4 * size:])
        error = max(abs(a - b) for a, b in zip(*values))
        most = max(map(abs, values[0]))
        if not error <= 1e-5 * most:
            sys.exit(f"{self.mpi}: the blocks of Llama differ by {error}, the largest element "
                     f"is {most}")


def main():
    build, *rest = sys.argv[1:]
    kinds = ["mlp", "llama"]
    if rest and rest[0] == "--only":
        kinds, rest = [rest[1]], rest[2:]
    build, rounds = os.path.abspath(build), int(rest[0]) if rest else 5
    with tempfile.TemporaryDirectory() as folder:
        for mpi in ("openmpi", "mpich"):
            if os.path.exists(f"{build}/lib/libshard_rt_{mpi}.so"):
                comparison = Comparison(build, mpi, folder, rounds, rest[1:])
                for kind in kinds:
                    getattr(comparison, kind)()


main()
