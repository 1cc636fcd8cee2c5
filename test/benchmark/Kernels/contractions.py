#!/usr/bin/env python3
"""Times the kernel of contractions beside NumPy's OpenBLAS, on one thread.

usage: contractions.py BUILD [--seconds S] [--only WORD]

Both run in turns in this process, on the same arrays; S seconds (0.5) for each shape. Prints
the least time of each and the ratio OpenBLAS / ours (1: as fast; above: faster). `A'` and `B'`
are operands whose summed dimension is not the usual one. The kernel of OpenBLAS has to be one
for AVX2 or better: else the program says so and ends with exit code 1.
"""

import argparse
import ctypes
import os
import sys
import time

# Before OpenBLAS is loaded: one thread, and the kernel that it chooses itself.
for name in [name for name in os.environ if name.startswith("OPENBLAS_")]:
    del os.environ[name]
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402

# Numbers of ElementType (include/shard/Host/ElementType.h).
TYPES = {np.dtype("float32"): 12, np.dtype("float64"): 13}
OLD_CORES = {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Sandybridge", "Atom",
             "Opteron", "Barcelona", "Bobcat", "Bulldozer", "Piledriver", "Steamroller"}

# Kind, batch, rows, columns, depth.
SHAPES = [("square", 1, n, n, n) for n in (128, 256, 512, 1024, 2048)]
SHAPES += [("llama", 1, 40, 11008, 4096), ("llama", 1, 40, 4096, 11008)]
SHAPES += [("rows", 1, m, 4096, 1024) for m in (2, 4, 8, 16)]
SHAPES += [("columns", 1, 4096, n, 1024) for n in (2, 4, 8, 16)]
SHAPES += [("depth", 1, 1024, 1024, k) for k in (1, 2, 4, 8, 16, 32)]
SHAPES += [("gemv", 1, 4096, 1, 4096), ("gemv", 1, 1, 4096, 4096),
           ("gemv", 1, 512, 1, 512), ("gemv", 1, 1, 512, 512)]
SHAPES += [("batched", 64, n, n, n) for n in (8, 16, 32, 64)]
SHAPES += [("batched", 32, 128, 64, 128), ("batched", 32, 128, 128, 64),
           ("batched", 32, 1, 512, 128), ("batched", 32, 1, 128, 512)]


def core():
    """The name of the kernel that OpenBLAS has chosen."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "openblas" in line}
    for path in paths:
        library = ctypes.CDLL(path)
        for name in ("scipy_openblas_get_corename64_", "openblas_get_corename64_",
                     "scipy_openblas_get_corename", "openblas_get_corename"):
            if hasattr(library, name):
                function = getattr(library, name)
                function.restype = ctypes.c_char_p
                return function().decode()
    sys.exit("this NumPy does not compute with OpenBLAS")


def strides(array, width):
    return [stride // array.itemsize for stride in array.strides[-width:]]


def kernel_call(kernel, a, b, c):
    """A function that adds a * b to c; the arrays are batches of matrices."""
    (batch, m, k), n = a.shape, b.shape[2]
    (za, ma, ka), (zb, kb, nb), (zc, mc, nc) = (strides(x, 3) for x in (a, b, c))
    loops = [(m, ma, 0, mc), (n, 0, nb, nc), (k, ka, kb, 0)]
    if batch > 1:
        loops.insert(0, (batch, za, zb, zc))
    table = np.array(loops, dtype=np.int64)
    code = TYPES[a.dtype] * 0x01010101
    arguments = (ctypes.c_int64(code), *(ctypes.c_void_p(x.ctypes.data) for x in (a, b, c)),
                 ctypes.c_int64(len(loops)), ctypes.c_void_p(table.ctypes.data))
    keep = (a, b, c, table)
    return lambda: (kernel(*arguments), keep)[1]


def numpy_call(a, b, c):
    if len(a) > 1:
        return lambda: np.matmul(a, b, out=c)
    x, y, z = a[0], b[0], c[0]
    if y.shape[1] == 1:
        y, z = y[:, 0], z[:, 0]
    elif x.shape[0] == 1:
        x, z = x[0], z[0]
    return lambda: np.matmul(x, y, out=z)


def in_turns(functions, seconds):
    """The least time of one call of each."""
    least, repeat = [], []
    for function in functions:
        function()
        begin = time.perf_counter()
        function()
        least.append(time.perf_counter() - begin)
        repeat.append(max(1, int(3e-4 / least[-1])))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for i, function in enumerate(functions):
            begin = time.perf_counter()
            for _ in range(repeat[i]):
                function()
            least[i] = min(least[i], (time.perf_counter() - begin) / repeat[i])
    return least


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    name = core()
    print(f"OpenBLAS's kernel: {name}")
    if name in OLD_CORES:
        sys.exit("this kernel of OpenBLAS has no AVX2: nothing to compare with")
    kernel = ctypes.CDLL(f"{options.build}/lib/libshard_kernels.so").shard_kernel_contract
    random = np.random.default_rng(1)
    print(f"{'type':8} {'kind':8} {'B':>3} {'M':>5} {'N':>5} {'K':>5} {'':6} "
          f"{'blas us':>9} {'ours us':>9} {'GFLOP/s':>8} {'ratio':>6}")
    for dtype in TYPES:
        for kind, batch, m, n, k in SHAPES:
            for form in ("A B", "A B'", "A' B"):
                if options.only not in f"{dtype} {kind} {form}":
                    continue
                a = random.standard_normal((batch, m, k)).astype(dtype)
                b = random.standard_normal((batch, k, n)).astype(dtype)
                if "A'" in form:
                    a = np.ascontiguousarray(a.swapaxes(1, 2)).swapaxes(1, 2)
                if "B'" in form:
                    b = np.ascontiguousarray(b.swapaxes(1, 2)).swapaxes(1, 2)
                c, d = np.zeros((batch, m, n), dtype), np.zeros((batch, m, n), dtype)
                ours = kernel_call(kernel, a, b, c)
                ours()
                numpy_call(a, b, d)()
                if not np.allclose(c, d, atol=1e-3 * k ** 0.5, rtol=1e-3):
                    sys.exit("the results differ")
                blas, own = in_turns([numpy_call(a, b, d), ours], options.seconds)
                print(f"{dtype!s:8} {kind:8} {batch:3} {m:5} {n:5} {k:5} {form:6} "
                      f"{blas * 1e6:9.1f} {own * 1e6:9.1f} "
                      f"{2 * batch * m * n * k / own / 1e9:8.1f} {blas / own:6.2f}", flush=True)


main()
