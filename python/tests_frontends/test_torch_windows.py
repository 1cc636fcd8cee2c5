# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling, interpolation and padding of PyTorch, their gradients, and what they send where rows
are split.
"""

import numpy as np
import pytest
import torch
from check import check

import shard
from shard import Grid, P

functional = torch.nn.functional

ROWS = P(None, None, "a")


def checked(fn, x, hint=ROWS):
    program = shard.from_torch(fn, x)
    expected = torch.utils._pytree.tree_leaves(fn(x))
    return check(program, (x,), [e.numpy() for e in expected], Grid(a=2), {0: hint}).collectives


def with_gradient(fn):
    """A function that gives the result of `fn` and a gradient of its sum of squares."""

    def both(x):
        def loss(x):
            y = fn(x)
            return y.square().sum(), y

        gradient, y = torch.func.grad(loss, has_aux=True)(x)
        return y.detach(), gradient

    return both


def pool(kind, *how, **more):
    return lambda x: getattr(functional, kind)(x, *how, **more)


def resize(mode, **how):
    return lambda x: functional.interpolate(x, mode=mode, **how)


WINDOWS = {
    "max": (pool("max_pool2d", 3, 2, 1), (2, 3, 9, 8)),
    "max dilated": (pool("max_pool2d", 2, 2, 1, 2, ceil_mode=True), (2, 3, 9, 8)),
    "max apart": (pool("max_pool2d", 2, 3), (2, 3, 9, 8)),
    "max 3d": (pool("max_pool3d", 2), (1, 2, 4, 4, 4)),
    "mean": (pool("avg_pool2d", 3, 2, 1), (2, 3, 9, 8)),
    "mean ceil": (pool("avg_pool2d", 2, 2, 1, ceil_mode=True), (2, 3, 9, 8)),
    "mean without padding": (
        pool("avg_pool2d", 3, 2, 1, ceil_mode=True, count_include_pad=False),
        (2, 3, 8, 7),
    ),
    "mean override": (pool("avg_pool2d", 2, divisor_override=3), (2, 3, 8, 8)),
    "mean 3d": (pool("avg_pool3d", 2), (1, 2, 4, 4, 4)),
    "adaptive": (pool("adaptive_avg_pool2d", (3, 5)), (2, 3, 8, 8)),
    "adaptive 3d": (pool("adaptive_avg_pool3d", 2), (1, 2, 4, 4, 4)),
    "repeated border": (pool("pad", (1, 2, 0, 3), mode="replicate"), (2, 3, 8, 8)),
    "rows moved": (pool("pad", (0, 0, 1, -1)), (2, 3, 8, 8)),
    "moved and cut": (pool("pad", (-1, 1, 1, -1, -1, 0), value=2.0), (2, 3, 8, 8)),
    "moved away": (pool("pad", (-8, 8)), (2, 3, 4, 8)),
    "bilinear 3": (resize("bilinear", scale_factor=3), (2, 3, 8, 4)),
    "bilinear half": (resize("bilinear", scale_factor=0.5), (2, 3, 8, 6)),
    "bilinear corners": (resize("bilinear", size=(13, 6), align_corners=True), (2, 3, 8, 8)),
    "bilinear scale": (resize("bilinear", scale_factor=1.3), (2, 3, 8, 8)),
    "bicubic 2": (resize("bicubic", scale_factor=2), (1, 2, 8, 4)),
    "bicubic few": (resize("bicubic", scale_factor=2), (1, 2, 8, 2)),
    "linear": (resize("linear", scale_factor=2), (2, 3, 8)),
    "trilinear": (resize("trilinear", scale_factor=2), (1, 1, 4, 4, 2)),
    "nearest 2": (resize("nearest", scale_factor=2), (2, 3, 8, 4)),
    "nearest half": (resize("nearest", scale_factor=0.5), (2, 3, 8, 4)),
    "nearest size": (resize("nearest", size=(13, 6)), (2, 3, 8, 8)),
    "nearest 1d": (resize("nearest", scale_factor=2), (2, 3, 8)),
    "nearest exact": (resize("nearest-exact", scale_factor=1.3), (2, 3, 8, 8)),
    "bilinear smooth": (resize("bilinear", size=(5, 11), antialias=True), (2, 3, 8, 9)),
    "bilinear smooth corners": (
        resize("bilinear", size=(3, 20), align_corners=True, antialias=True),
        (2, 3, 8, 9),
    ),
    "bicubic smooth": (resize("bicubic", scale_factor=(0.6, 1.7), antialias=True), (2, 3, 8, 9)),
    "bicubic smooth corners": (
        resize("bicubic", size=(4, 2), align_corners=True, antialias=True),
        (2, 3, 8, 9),
    ),
    "smooth of the same size": (resize("bicubic", size=(8, 3), antialias=True), (2, 3, 8, 9)),
    "lanczos": (resize("lanczos", size=(16, 4), antialias=True), (2, 3, 8, 9)),
}


@pytest.mark.parametrize("case", WINDOWS)
def test_windows_and_their_gradients(case):
    fn, shape = WINDOWS[case]
    checked(with_gradient(fn), torch.randn(*shape))


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("kind", ["avg_pool", "max_pool", "lp_pool"])
def test_windows_of_one_example(kind, dims):
    first = (2,) if kind == "lp_pool" else ()
    fn = pool(f"{kind}{dims}d", *first, 2)
    checked(with_gradient(fn), torch.randn(4, *[6, 4, 4][:dims]), P("a"))
    mean = pool(f"adaptive_avg_pool{dims}d", 3)
    checked(with_gradient(mean), torch.randn(4, *[6, 4, 4][:dims]), P("a"))


# What is sent of 2x3x8x8 f32, where two devices have four rows each. A row has 192 B.
SENT = {
    "max": (pool("max_pool2d", 2), 0),
    "max of an odd number": (lambda x: functional.max_pool2d(x[:, :, :7], 3, 2, 1), 192),
    "mean": (pool("avg_pool2d", 2), 0),
    "repeated border": (pool("pad", (1, 1, 0, 0), mode="replicate"), 0),
    "rows moved": (pool("pad", (0, 0, 1, -1)), 192),
    "bilinear": (resize("bilinear", scale_factor=2), 192),
    "bilinear half": (resize("bilinear", scale_factor=0.5), 0),
    "nearest": (resize("nearest", scale_factor=2), 0),
    "nearest half": (resize("nearest", scale_factor=0.5), 0),
    "smooth columns": (resize("bicubic", size=(8, 3), antialias=True), 0),
}


@pytest.mark.parametrize("case", SENT)
def test_split_rows_exchange_borders(case):
    fn, most = SENT[case]
    x = torch.randn(2, 3, 8, 8)
    assert checked(fn, x).bytes <= most


@pytest.mark.parametrize(
    "kind", [pool("adaptive_avg_pool2d", 1), pool("adaptive_avg_pool2d", (2, 1))]
)
def test_means_of_innermost_channels_send_nothing(kind):
    """PyTorch decomposes some to views by strides."""
    x = torch.randn(4, 6, 6, 3)
    assert checked(lambda x: kind(x.permute(0, 3, 1, 2)), x, P("a")).bytes == 0


def test_gradients_send_what_the_functions_send():
    x = torch.randn(2, 3, 8, 8)
    assert checked(with_gradient(pool("max_pool2d", 2)), x).bytes == 0
    assert checked(with_gradient(pool("avg_pool2d", 2)), x).bytes == 0
    assert checked(with_gradient(resize("nearest", scale_factor=2)), x).bytes == 0
    # A row forward, one up and one down back, and flags that say which row is at the border.
    assert checked(with_gradient(resize("bilinear", scale_factor=2)), x).bytes <= 3 * 192 + 16
    # The ninth row belongs to no window.
    odd = torch.randn(2, 3, 9, 8)
    assert checked(with_gradient(pool("max_pool2d", 2)), odd).bytes <= 2 * 192


def test_a_maximum_that_stands_twice_counts_once():
    x = torch.tensor([[[[1.0, 3.0, 3.0, 3.0], [3.0, 0.0, 2.0, 3.0]]]])
    checked(with_gradient(pool("max_pool2d", 2)), x, P(None, None, None, "a"))


@pytest.mark.parametrize("case", [name for name in WINDOWS if name.startswith("max")])
def test_gradients_of_special_maxima(case):
    fn, shape = WINDOWS[case]
    x = torch.round(torch.randn(*shape))
    x[torch.rand(*shape) < 0.1] = torch.nan
    x[torch.rand(*shape) < 0.5] = -torch.inf

    def step(x):
        y, back = torch.func.vjp(fn, x)
        return back(torch.arange(y.numel(), dtype=x.dtype).reshape(y.shape) % 31)[0]

    part = shard.from_torch(step, x).partition(Grid(a=2), {0: ROWS})
    np.testing.assert_array_equal(np.asarray(part(x)), step(x).numpy())


def test_large_windows_take_few_ops():
    x = torch.randn(1, 1, 32, 32)
    step = with_gradient(pool("max_pool2d", 16, 16))
    assert shard.from_torch(step, x).text.count("\n") < 5 * 16 * 16
    checked(step, x)


def test_nearest_elements_are_copies():
    def both(x):
        return tuple(functional.interpolate(x, size=size) for size in ((4, 4), (5, 7)))

    floats = torch.tensor([[[[1.0, -torch.inf], [-0.0, torch.nan]]]])
    for x in (floats, torch.randint(0, 255, (1, 2, 2, 2)).to(torch.uint8)):
        part = shard.from_torch(both, x).partition(Grid(a=2), {0: ROWS})
        for mine, theirs in zip(part(x), both(x), strict=True):
            assert np.asarray(mine).tobytes() == theirs.numpy().tobytes()


def test_gradients_of_diagonals():
    for offset in (0, 2, -1):

        def fn(x, offset=offset):
            return x.diagonal(offset, 0, 2)

        checked(with_gradient(fn), torch.randn(3, 2, 4), P("a"))


def test_gradients_of_circular_padding():
    def circular(x):
        return torch.nn.functional.pad(x, (2, 3, 1, 2), mode="circular")

    checked(with_gradient(circular), torch.randn(2, 3, 6, 8))


def test_ops_that_are_left_are_named():
    def changed(x):
        def loss(x):
            # Overlapping views.
            y = x * 1
            torch.as_strided(y, (3, 2), (1, 2)).mul_(2)
            return y.sum()

        return torch.func.grad(loss)(x)

    # What torch-mlir complains of is an operand of the op.
    with pytest.raises(shard.ProgramError, match=r"windows.py:\d+: .*'aten.as_strided_scatter"):
        shard.from_torch(changed, torch.randn(8))


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_interpolated_bytes_are_refused(mode):
    x = torch.randint(0, 255, (1, 2, 4, 4)).to(torch.uint8)
    with pytest.raises(shard.ProgramError, match="of uint8 is not read here; interpolate floats"):
        shard.from_torch(resize(mode, scale_factor=2), x)
