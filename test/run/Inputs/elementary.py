"""Numbers from all over f32, and the errors of exp, log, tanh and erf of them.

elementary.py make X.npy; elementary.py check X.npy EXP.npy LOG.npy TANH.npy ERF.npy
"""

import math
import sys

import numpy as np

COUNT = 60000
# The largest errors in units in the last place: those that the pass's description states.
FUNCTIONS = [("exp", np.exp, 1.09), ("log", np.log, 0.85), ("tanh", np.tanh, 1.34),
             ("erf", np.vectorize(math.erf), 1.24)]


def make(path):
    patterns = np.arange(COUNT, dtype=np.uint64) * (2**32 // COUNT)
    x = patterns.astype(np.uint32).view(np.float32)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-45, -1e-45, 2.0**-126, 88.72283,
               88.72284, -87.33655, -103.27893, -103.97208, -103.97209, 0.625, 0.9277, 10.0, 4.0]
    middle = np.random.default_rng(1).uniform(-12, 12, COUNT // 2).astype(np.float32)
    x[:len(special)] = special
    np.save(path, np.where(np.arange(COUNT) % 2, x, np.repeat(middle, 2)[:COUNT]))
    both = np.load(path)
    both[:len(special)] = special
    np.save(path, both)


def check(name, function, limit, x, y):
    with np.errstate(all="ignore"):
        exact = function(x.astype(np.float64))
        nearest = exact.astype(np.float32)
        spacing = np.spacing(np.abs(nearest)).astype(np.float64)
        # Of a power of two, that of the numbers below it.
        spacing = np.minimum(spacing, np.spacing(np.nextafter(np.abs(nearest), np.float32(0))))
        errors = np.abs(y.astype(np.float64) - exact) / np.maximum(spacing, 2.0**-149)
    same = (y == nearest) & (np.signbit(y) == np.signbit(nearest))
    same |= np.isnan(y) & np.isnan(exact)
    fine = same | (errors <= limit)
    worst = np.argmax(np.where(same, 0, errors))
    print(name, "agrees" if fine.all() else f"differs at {x[~fine][:5]}: {y[~fine][:5]}",
          f"worst {np.where(same, 0, errors)[worst]:.2f} at {x[worst]}")


def main():
    if sys.argv[1] == "make":
        make(sys.argv[2])
        return
    x, *results = (np.load(path) for path in sys.argv[2:])
    for (name, function, limit), y in zip(FUNCTIONS, results):
        check(name, function, limit, x, y)


main()
