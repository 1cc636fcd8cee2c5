# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of PyTorch whose gradients torch-mlir lacks, and losses that name classes by numbers."""

import itertools
import math
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from check import check

import shard
from shard import Grid, P

functional = torch.nn.functional

CLASSES = torch.tensor([1, 0, 5, 2])
# Of four rows: numbers behind the first negative one do not count.
LABELS = torch.tensor(
    [[0, 2, -1, 1, 1, 1], [5, 4, 3, 2, 1, 0], [-1, 0, 0, 0, 0, 0], [1, -1, 2, 3, 4, 5]]
)
WEIGHTS = torch.tensor([0.5, 1.0, 2.0, 0.25, 1.5, 3.0])


def checked(fn, *args):
    """The function and its gradients give what they give in PyTorch."""

    def both(*args):
        made, back = torch.func.vjp(fn, *args)
        return made, *back(torch.arange(made.numel(), dtype=made.dtype).reshape(made.shape))

    program = shard.from_torch(both, *args)
    expected = torch.utils._pytree.tree_leaves(both(*args))
    check(program, args, [e.numpy() for e in expected], Grid(a=2), {0: P("a")})


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_losses_of_margins(reduction):
    def losses(x):
        single = functional.multi_margin_loss(x, CLASSES, margin=0.5, reduction=reduction)
        squared = functional.multi_margin_loss(x, CLASSES, p=2, weight=WEIGHTS, reduction=reduction)
        several = functional.multilabel_margin_loss(x, LABELS, reduction=reduction)
        return torch.stack([single, squared, several], -1)

    checked(losses, torch.randn(4, 6))


def test_losses_of_one_row():
    def losses(x):
        several = functional.multilabel_margin_loss(x[0], LABELS[0])
        return several + functional.multi_margin_loss(x[1], CLASSES[1])

    checked(losses, torch.randn(4, 6))


def test_modules_with_losses_of_labels():
    # PyTorch's own decomposition counts places behind the end as class 0.
    x = torch.randn(4, 6)
    module = torch.nn.MultiLabelMarginLoss()
    part = shard.from_torch(module, x, LABELS).partition(Grid(a=2), {"arg0": P("a")})
    torch.testing.assert_close(torch.as_tensor(part({}, x, LABELS)), module(x, LABELS))
    # What PyTorch has is as it was.
    op = torch.ops.aten.multilabel_margin_loss_forward.default
    assert op.py_kernels[torch._C.DispatchKey.Autograd].__module__.startswith("torch.")


MODES = [
    *itertools.product(("bilinear", "nearest"), ("zeros", "border"), (False, True)),
    ("bicubic", "zeros", False),
    ("bicubic", "border", True),
]


@pytest.mark.parametrize(("mode", "padding", "corners"), MODES)
def test_samples_of_images(mode, padding, corners):
    def samples(x, grid):
        return functional.grid_sample(
            x, grid, mode=mode, padding_mode=padding, align_corners=corners
        )

    checked(samples, torch.randn(2, 3, 5, 6), torch.rand(2, 3, 4, 2) * 2.6 - 1.3)


@pytest.mark.parametrize("sizes", [(2, 3), (3, 4), (5, 1)])
def test_adaptive_maxima(sizes):
    def maxima(x):
        values, places = functional.adaptive_max_pool2d(x, sizes, return_indices=True)
        return values + places

    # With equal elements.
    checked(maxima, torch.randn(2, 3, 4, 6).round())
    checked(lambda x: functional.adaptive_max_pool1d(x, sizes[1]), torch.randn(2, 3, 6))


@pytest.mark.parametrize("p", [0.5, 1, 2, 3, math.inf])
def test_distances(p):
    checked(lambda x, y: torch.cdist(x, y, p=p), torch.randn(4, 3), torch.randn(5, 3))


def test_distances_of_equal_rows_have_no_gradient():
    rows = torch.randn(4, 3)
    checked(lambda x: torch.cdist(x, rows), rows)


def test_shrinking():
    x = torch.randn(4, 6)
    x[0, :3] = torch.tensor([0.25, -0.25, 0.0])
    checked(lambda x: functional.hardshrink(x, 0.25), x)
    checked(lambda x: functional.softshrink(x, 0.25), x)


def test_signs_have_no_gradient():
    checked(lambda x: torch.sgn(x) * x, torch.randn(4, 6))


def test_threads_read_programs_at_the_same_time():
    def program(scale):
        return shard.from_torch(lambda x: functional.hardshrink(x * scale), torch.ones(4))

    with ThreadPoolExecutor(4) as pool:
        texts = [made.text for made in pool.map(program, [2.0, 3.0, 4.0, 5.0])]
    assert len(set(texts)) == 4


def test_a_function_may_read_another_program():
    def fn(x):
        shard.from_torch(functional.hardshrink, torch.ones(3))
        return functional.hardshrink(x)

    x = torch.randn(4, 6)
    assert shard.from_torch(fn, x).text == shard.from_torch(functional.hardshrink, x).text
