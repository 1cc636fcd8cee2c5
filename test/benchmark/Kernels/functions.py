#!/usr/bin/env python3
"""Times functions, softmax and permutes in compiled programs beside their peers, on one thread.

usage: functions.py BUILD [ROUNDS]

For functions of f32, the peer is glibc's vector library (libmvec) in a loop that clang
vectorises, and libm in a loop that calls it. For transposes the peers are NumPy's copy and a
loop in blocks. Functions run on 2^18 elements, transposes on 2048 x 2048 f32. Prints the least time of each and the ratio peer / ours (1: as fast; above:
faster). Needs clang and glibc 2.35 or newer; says so and ends with exit code 0 without.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

COUNT = 1 << 18
FUNCTIONS = {"exp": "expf", "tanh": "tanhf", "erf": "erff", "log": "logf"}
PEERS = """
#include <math.h>
#define LOOP(name, f) void name(const float *restrict x, float *restrict y) { \\
  for (long i = 0; i < %(count)d; ++i) y[i] = f(x[i]); }
LOOP(loop_exp, expf) LOOP(loop_tanh, tanhf) LOOP(loop_erf, erff) LOOP(loop_log, logf)
"""
BLOCKED = """
void loop_blocked(const float *restrict x, float *restrict y) {
  for (long i0 = 0; i0 < 2048; i0 += 16) for (long j0 = 0; j0 < 2048; j0 += 16)
    for (long i = i0; i < i0 + 16; ++i) for (long j = j0; j < j0 + 16; ++j)
      y[i * 2048 + j] = x[j * 2048 + i];
}
"""


def elementwise(name):
    return f"""
func.func @main(%x: tensor<{COUNT}xf32>) -> tensor<{COUNT}xf32> {{
  %y = math.{name} %x : tensor<{COUNT}xf32>
  return %y : tensor<{COUNT}xf32>
}}
"""


SOFTMAX = """
func.func @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %e = tensor.empty() : tensor<512x512xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<512x512xf32>)
      outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %y : tensor<512x512xf32>
}
"""
PERMUTES = {"2048x2048": [1, 0], "64x64x1024": [1, 0, 2], "64x64x1024 ": [0, 2, 1],
            "32x16x64x128": [3, 1, 2, 0]}


def permute(shape, order):
    sizes = [int(size) for size in shape.strip().split("x")]
    result = "x".join(str(sizes[i]) for i in order)
    source = shape.strip()
    return f"""
func.func @main(%x: tensor<{source}xf32>) -> tensor<{result}xf32> {{
  %e = tensor.empty() : tensor<{result}xf32>
  %y = linalg.transpose ins(%x : tensor<{source}xf32>) outs(%e : tensor<{result}xf32>)
      permutation = {order}
  return %y : tensor<{result}xf32>
}}
"""


def milliseconds(build, folder, text, repeat=30):
    """The least time of a run that the compiled program states."""
    with open(f"{folder}/p.mlir", "w") as file:
        file.write(text)
    subprocess.run([f"{build}/bin/shard-compile", f"{folder}/p.mlir", "--grid", "1",
                    "--cpu=native", "-o", f"{folder}/p"], check=True)
    done = subprocess.run([f"{folder}/p", "--repeat", str(repeat)], check=True,
                          capture_output=True, text=True)
    return min(float(line.split()[1]) for line in done.stdout.splitlines()
               if line.startswith("time"))


def library(folder, name, text, *flags):
    with open(f"{folder}/{name}.c", "w") as file:
        file.write(text)
    subprocess.run(["clang-22", "-O3", "-march=native", "-shared", "-fPIC", *flags,
                    f"{folder}/{name}.c", "-o", f"{folder}/{name}.so", "-lm"], check=True)
    return ctypes.CDLL(f"{folder}/{name}.so")


def peer(function, x, y, repeat=30):
    least = float("inf")
    for _ in range(repeat):
        begin = time.perf_counter()
        function(ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data))
        least = min(least, time.perf_counter() - begin)
    return least * 1e3


def show(name, what, other, own):
    print(f"{name:24} {what:20} {other:8.4f} ms, ours {own:8.4f} ms, ratio {other / own:6.2f}",
          flush=True)


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    x = np.random.default_rng(1).uniform(0.1, 3, COUNT).astype(np.float32)
    y = np.empty_like(x)
    with tempfile.TemporaryDirectory() as folder:
        text = PEERS % {"count": COUNT}
        try:
            scalar = library(folder, "scalar", text)
            vector = library(folder, "vector", text, "-fveclib=libmvec", "-fno-math-errno",
                             "-Wl,--no-as-needed", "-lmvec")
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"skipped, the peers do not build: {error}")
            return
        blocked = library(folder, "blocked", BLOCKED)
        for name in FUNCTIONS:
            turns = [(milliseconds(build, folder, elementwise(name)),
                      peer(getattr(vector, f"loop_{name}"), x, y),
                      peer(getattr(scalar, f"loop_{name}"), x, y)) for _ in range(rounds)]
            own, fast, slow = (min(each) for each in zip(*turns))
            show(name, "libmvec", fast, own)
            show(name, "libm", slow, own)

        def softmax():
            rows = x.reshape(512, 512)
            begin = time.perf_counter()
            vector.loop_exp(ctypes.c_void_p((rows - rows.max(1, keepdims=True)).ctypes.data),
                            ctypes.c_void_p(y.ctypes.data))
            out = y.reshape(512, 512)
            out /= out.sum(1, keepdims=True)
            return (time.perf_counter() - begin) * 1e3

        own = min(milliseconds(build, folder, SOFTMAX) for _ in range(rounds))
        show("softmax 512x512", "NumPy with libmvec", min(softmax() for _ in range(30)), own)
        for shape, order in PERMUTES.items():
            array = np.ones([int(size) for size in shape.strip().split("x")], np.float32)
            target = np.empty([array.shape[i] for i in order], np.float32)

            def copy():
                begin = time.perf_counter()
                np.copyto(target, array.transpose(order))
                return (time.perf_counter() - begin) * 1e3

            own, numpy = (min(each) for each in zip(*[
                (milliseconds(build, folder, permute(shape, order)),
                 min(copy() for _ in range(10))) for _ in range(rounds)]))
            show(f"{shape.strip()} {order}", "NumPy", numpy, own)
            if shape == "2048x2048":
                show(f"{shape} {order}", "blocks of 16", peer(blocked.loop_blocked, array, target),
                     own)


main()
