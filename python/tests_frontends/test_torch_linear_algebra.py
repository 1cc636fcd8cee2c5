# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of matrices of PyTorch, which are LAPACK's there, on split matrices.

test_torch_op_db.py runs PyTorch's own examples of them, and their gradients.
"""

import numpy as np
import pytest
import torch
from torch import linalg
from torch.utils import _pytree as pytree

import shard
from shard import Grid, P

torch.manual_seed(5)
SQUARE = torch.randn(5, 5) + 3 * torch.eye(5)
TALL = torch.randn(6, 4)
RIGHT = torch.randn(5, 3)
BATCH = torch.randn(2, 4, 4) + 3 * torch.eye(4)
POSITIVE = SQUARE @ SQUARE.mT


def eigenvectors(a):
    """What the signs of the eigenvectors do not change."""
    values, vectors = linalg.eigh(a)
    return values, vectors * values @ vectors.mT, vectors.mT @ vectors


def singular_vectors(a):
    u, s, vt = linalg.svd(a)
    n = s.shape[-1]
    return s, u[..., :n] * s @ vt[..., :n, :], u.mT @ u, vt @ vt.mT


def solutions(a, b):
    factors, pivots = linalg.lu_factor(a)
    both = linalg.lu_solve(factors, pivots, b), linalg.lu_solve(factors, pivots, b, adjoint=True)
    return *both, linalg.solve(a, b.mT, left=False), linalg.solve(a, b[:, 0])


def triangular(a, b):
    return (
        linalg.solve_triangular(a, b, upper=True),
        linalg.solve_triangular(a, b.mT, upper=False, left=False, unitriangular=True),
        torch.triangular_solve(b, a, upper=False, transpose=True)[0],
        torch.cholesky_solve(b, a, upper=True),
        torch.cholesky_inverse(a),
    )


class Whitening(torch.nn.Module):
    """A layer that decorrelates its features, with a weight of its own."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.eye(4) + 0.1)

    def forward(self, x):
        covariance = x.mT @ x / x.shape[0] + torch.eye(4)
        return (
            linalg.solve_triangular(linalg.cholesky(covariance), x.mT, upper=False).mT @ self.weight
        )


CASES = {
    "cholesky": (lambda a: (linalg.cholesky(a), linalg.cholesky_ex(a, upper=True)), POSITIVE),
    "solutions": (solutions, SQUARE, RIGHT),
    "solutions of batches": (linalg.solve, SQUARE, torch.randn(2, 5, 2)),
    "triangular": (triangular, SQUARE, RIGHT),
    "lu": (lambda a: (linalg.lu(a), torch.lu_unpack(*linalg.lu_factor(a.mT))), TALL),
    "determinants": (lambda a: (linalg.det(a), linalg.slogdet(a)), BATCH),
    "qr": (lambda a: (linalg.qr(a), linalg.qr(a, "complete"), linalg.qr(a.mT, "r")[1]), TALL),
    "eigenvectors": (eigenvectors, POSITIVE),
    "singular vectors": (singular_vectors, TALL),
    "singular vectors of low rank": (singular_vectors, TALL[:, :2] @ TALL[:, 2:].mT),
    "of one column": (lambda a: (linalg.svdvals(a), linalg.inv(a[:1])), TALL[:, :1]),
    "of nothing": (lambda a: (linalg.eigvalsh(a), linalg.qr(a)), torch.zeros(0, 0)),
    "pseudo-inverse": (lambda a: (linalg.pinv(a), linalg.pinv(a, rtol=0.5)), TALL),
    "gradient": (torch.func.grad(lambda a: linalg.svdvals(linalg.inv(a)).sum()), SQUARE),
}


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    function, *arguments = CASES[case]
    expected = pytree.tree_leaves(function(*arguments))
    program = shard.from_torch(function, *arguments)
    name = program.arguments[0].name
    for hint in (P(0), P(None, 0)):
        results = pytree.tree_leaves(program.partition(Grid(2), {name: hint})(*arguments))
        for result, wanted in zip(map(np.asarray, results), expected, strict=True):
            wanted = wanted.numpy()
            assert result.dtype == wanted.dtype
            size = np.abs(wanted).max(initial=0)
            np.testing.assert_allclose(result, wanted, rtol=2e-4, atol=3e-5 * size)


def test_a_module_with_a_split_batch():
    module, x = Whitening(), torch.randn(8, 4)
    program = shard.from_torch(module, x)
    part = program.partition(Grid(2), {"x": P(0)})
    torch.testing.assert_close(
        torch.as_tensor(part(program.weights, x)), module(x).detach(), rtol=1e-4, atol=1e-5
    )
    # The covariance is all that the devices exchange.
    assert part.collectives.bytes == 4 * 4 * 4


def test_what_pytorch_raises_errors_on():
    part = shard.from_torch(linalg.cholesky, -POSITIVE).partition(Grid(2), {0: P(0)})
    assert np.isnan(np.asarray(part(-POSITIVE))).all()
    _, steps = linalg.cholesky_ex(torch.diag(torch.tensor([1.0, 2.0, -1.0])))
    part = shard.from_torch(linalg.cholesky_ex, torch.eye(3)).partition(Grid(2), {0: P(0)})
    assert int(part(torch.diag(torch.tensor([1.0, 2.0, -1.0])))[1]) == steps
    part = shard.from_torch(linalg.inv_ex, torch.eye(3)).partition(Grid(2), {0: P(0)})
    inverse, step = part(torch.ones(3, 3))
    assert not np.isfinite(np.asarray(inverse)).any()
    assert int(step) == linalg.inv_ex(torch.ones(3, 3))[1]
    assert int(part(torch.eye(3))[1]) == 0


def test_a_split_batch_sends_nothing():
    for function in (linalg.inv, linalg.qr):
        part = shard.from_torch(function, BATCH).partition(Grid(2), {0: P(0)})
        assert part.collectives.bytes == 0


def test_complex_matrices_are_refused():
    with pytest.raises(shard.ProgramError, match="linalg_inv_ex"):
        shard.from_torch(lambda a: linalg.inv(a), SQUARE.to(torch.complex64))
