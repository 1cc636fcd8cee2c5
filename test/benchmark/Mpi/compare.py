#!/usr/bin/env python3
"""Times the MLP as shard-compile makes it beside one written by hand (Mlp.c), on 2 ranks.

usage: compare.py BUILD [ROUNDS [COMMAND...]]

Needs an MPI and OpenBLAS (libopenblas-dev); without one of them says so and ends with exit
code 0. Both programs run in turns, one thread in each rank, code for this processor; prints
the least time of each, and the ratio by hand / ours (1: as fast; above: faster). COMMAND
starts each rank, as `chrt -r 1` where other programs run too.
"""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RANKS = 2
# Rows, input, hidden, output.
SIZES = [(64, 256, 512, 256), (256, 1024, 4096, 1024), (1024, 1024, 4096, 1024)]
PROGRAM = """
shard.grid @grid(shape = {ranks}) axes ["model"]
func.func @main(
    %input: tensor<{m}x{k}xf32>,
    %w1: tensor<{k}x{h}xf32> {{shard.sharding = #shard.sharding<@grid, [[], ["model"]]>}},
    %b1: tensor<{h}xf32> {{shard.sharding = #shard.sharding<@grid, [["model"]]>}},
    %w2: tensor<{h}x{n}xf32> {{shard.sharding = #shard.sharding<@grid, [["model"], []]>}})
    -> tensor<{m}x{n}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<{m}x{h}xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<{m}x{h}xf32>) -> tensor<{m}x{h}xf32>
  %p = linalg.matmul ins(%input, %w1 : tensor<{m}x{k}xf32>, tensor<{k}x{h}xf32>)
      outs(%z1 : tensor<{m}x{h}xf32>) -> tensor<{m}x{h}xf32>
  %hidden = linalg.generic {{
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}}
      ins(%p, %b1 : tensor<{m}x{h}xf32>, tensor<{h}xf32>) outs(%e1 : tensor<{m}x{h}xf32>) {{
  ^bb0(%x: f32, %bias: f32, %out: f32):
    %sum = arith.addf %x, %bias : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  }} -> tensor<{m}x{h}xf32>
  %e2 = tensor.empty() : tensor<{m}x{n}xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %result = linalg.matmul ins(%hidden, %w2 : tensor<{m}x{h}xf32>, tensor<{h}x{n}xf32>)
      outs(%z2 : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  return %result : tensor<{m}x{n}xf32>
}}
"""


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


def compare(build, mpi, folder, rounds, prefix):
    launcher = cached(build, f"SHARD_MPI_{mpi}_LAUNCHER") or f"mpirun.{mpi}"
    compiler = cached(build, f"SHARD_MPI_{mpi}_COMPILER") or f"mpicc.{mpi}"
    hand = f"{folder}/mlp-{mpi}"
    made = subprocess.run([compiler, "-O3", "-march=native", f"{HERE}/Mlp.c", "-lopenblas", "-o",
                           hand], capture_output=True, text=True)
    if made.returncode != 0:
        print(f"{mpi}: skipped, the program by hand does not build: is libopenblas-dev there?")
        return
    for m, k, h, n in SIZES:
        source, ours = f"{folder}/mlp.mlir", f"{folder}/ours"
        with open(source, "w") as file:
            file.write(PROGRAM.format(ranks=RANKS, m=m, k=k, h=h, n=n))
        subprocess.run([f"{build}/bin/shard-compile", source, f"--backend={mpi}", "--cpu=native",
                        "-o", ours], check=True)
        runs = max(5, min(200, 2 * 10**10 // (m * h * (k + n))))
        start = [launcher, "-n", str(RANKS), *prefix]
        times = [(milliseconds([*start, hand, *map(str, (m, k, h, n, runs))]),
                  milliseconds([*start, ours, "--repeat", str(runs)])) for _ in range(rounds)]
        byhand, own = (min(each) for each in zip(*times))
        print(f"{mpi:8} {m}x{k}x{h}x{n}: by hand {byhand:.3f} ms, ours {own:.3f} ms, "
              f"ratio {byhand / own:.2f}", flush=True)


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder:
        for mpi in ("openmpi", "mpich"):
            if os.path.exists(f"{build}/lib/libshard_rt_{mpi}.so"):
                compare(build, mpi, folder, rounds, sys.argv[3:])


main()
