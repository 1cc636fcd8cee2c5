"""heat.py make FILE: writes 12x12x12 random f32. heat.py check IN SEVEN ALL: compares
100 steps of the heat equation, by 7 points and by 27 points, with those of
run/heat-3d.mlir."""

import itertools
import sys

import numpy as np


def around(u, offset):
    p = np.pad(u, 1)
    return p[tuple(slice(o, o + n) for o, n in zip(offset, u.shape))]


def seven(u):
    faces = [(0, 1, 1), (2, 1, 1), (1, 0, 1), (1, 2, 1), (1, 1, 0), (1, 1, 2)]
    return u + (sum(around(u, face) for face in faces) - 6 * u) / 16


def twenty_seven(u):
    weights = {0: 0.5, 1: 0.03125, 2: 0.015625, 3: 0.0078125}
    return sum(
        weights[sum(o != 1 for o in offset)] * around(u, offset)
        for offset in itertools.product(range(3), repeat=3)
    )


if sys.argv[1] == "make":
    np.save(sys.argv[2], np.random.default_rng(1).random((12, 12, 12), np.float32))
else:
    start = np.load(sys.argv[2]).astype(np.float64)
    for name, file, step in zip(
        ("seven", "twenty_seven"), sys.argv[3:], (seven, twenty_seven)
    ):
        u = start
        for _ in range(100):
            u = step(u)
        error = np.abs(np.load(file) - u).max() / np.abs(u).max()
        print(name, "agrees" if error < 1e-5 else f"differs by {error}")
