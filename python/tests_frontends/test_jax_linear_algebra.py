# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of matrices of JAX, which are LAPACK's there, on split matrices."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.numpy import linalg
from jax.scipy import linalg as scipy_linalg

import shard
from shard import Grid, P

RANDOM = np.random.default_rng(11)


def normal(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


SQUARE = normal(5, 5) + 3 * np.eye(5, dtype=np.float32)
TALL, WIDE = normal(6, 4), normal(4, 6)
RIGHT = normal(5, 3)
BATCH = normal(2, 4, 4) + 3 * np.eye(4, dtype=np.float32)
POSITIVE = SQUARE @ SQUARE.T
SINGULAR = np.array([[1, 2, 3], [2, 4, 6], [1, 1, 1]], np.float32)


def triangular(a, b):
    """Solutions for all kinds of triangles, from both sides."""
    return [
        jax.lax.linalg.triangular_solve(
            a,
            b if left else b.T,
            left_side=left,
            lower=lower,
            transpose_a=transpose,
            unit_diagonal=unit,
        )
        for left, lower, transpose, unit in itertools.product((False, True), repeat=4)
    ]


def products_of_eigenvectors(a):
    """What the signs of the eigenvectors do not change."""
    values, vectors = linalg.eigh(a)
    return values, (vectors * values) @ vectors.T, vectors.T @ vectors


def products_of_singular_vectors(a, full=False):
    u, s, vt = linalg.svd(a, full_matrices=full)
    n = len(s)
    return s, (u[:, :n] * s) @ vt[:n], u.T @ u, vt @ vt.T


def full_products(a):
    return products_of_singular_vectors(a, full=True)


def singular_values(a):
    return linalg.svd(a, compute_uv=False)


def solutions_by_factors(a, b):
    return [scipy_linalg.lu_solve(scipy_linalg.lu_factor(a), b, trans=kind) for kind in range(3)]


def gradient(fn):
    return jax.grad(lambda a: sum(jnp.sin(x).sum() for x in jax.tree.leaves(fn(a))))


CASES = {
    "cholesky": (linalg.cholesky, POSITIVE),
    "cholesky of a batch": (linalg.cholesky, BATCH @ BATCH.transpose(0, 2, 1)),
    "cholesky, not positive": (linalg.cholesky, -POSITIVE),
    "cholesky of nothing": (linalg.cholesky, np.zeros((0, 0), np.float32)),
    "inverse of nothing": (linalg.inv, np.zeros((0, 0), np.float32)),
    "svd of nothing": (linalg.svd, np.zeros((3, 0), np.float32)),
    "triangular": (triangular, SQUARE, RIGHT),
    "solve": (linalg.solve, SQUARE, RIGHT),
    "inverses": (linalg.inv, BATCH),
    "determinants": (lambda a: (linalg.det(a), linalg.slogdet(a)), SQUARE),
    "lu": (scipy_linalg.lu, SQUARE),
    "lu, tall": (scipy_linalg.lu, TALL),
    "lu, wide": (scipy_linalg.lu, WIDE),
    "lu, singular": (scipy_linalg.lu_factor, SINGULAR),
    "solutions by factors": (solutions_by_factors, SQUARE, RIGHT),
    "exponential": (scipy_linalg.expm, SQUARE),
    "qr": (linalg.qr, SQUARE),
    "qr, tall": (linalg.qr, TALL),
    "qr, wide": (linalg.qr, WIDE),
    "qr, complete": (lambda a: linalg.qr(a, "complete"), TALL),
    "qr of zeros": (linalg.qr, np.triu(np.ones((3, 3), np.float32), 1)),
    "qr of large elements": (linalg.qr, 1e25 * TALL),
    "products with q": (lambda a, b: jax.scipy.sparse.linalg.gmres(a, b)[0], SQUARE, RIGHT[:, 0]),
    "eigenvectors": (products_of_eigenvectors, POSITIVE),
    "eigenvectors, equal values": (products_of_eigenvectors, np.ones((6, 6), np.float32)),
    "eigenvalues of one": (linalg.eigvalsh, POSITIVE[:1, :1]),
    "eigenvalues of large elements": (linalg.eigvalsh, 1e25 * POSITIVE),
    "eigenvalues of halves": (
        lambda a: [linalg.eigvalsh(a, half, symmetrize_input=False) for half in "LU"],
        SQUARE,
    ),
    "singular vectors, tall": (products_of_singular_vectors, TALL),
    "singular vectors, wide": (products_of_singular_vectors, WIDE),
    "singular vectors, full": (full_products, TALL),
    "singular vectors, of low rank": (full_products, TALL[:, :2] @ WIDE[:2]),
    "singular vectors of zeros": (full_products, np.zeros((4, 3), np.float32)),
    "singular values of large elements": (singular_values, 1e30 * SQUARE),
    "singular values of a batch": (singular_values, BATCH),
    "least squares": (lambda a, b: linalg.lstsq(a, b)[0], TALL, normal(6, 2)),
    "gradient of cholesky": (gradient(linalg.cholesky), POSITIVE),
    "gradient of inverses": (gradient(linalg.inv), BATCH),
    "gradient of qr": (gradient(linalg.qr), TALL),
    "gradient of eigenvalues": (gradient(linalg.eigvalsh), POSITIVE),
    "gradient of singular values": (gradient(singular_values), TALL),
}


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    function, *arguments = CASES[case]
    program = shard.from_jax(function, *arguments)
    expected = jax.tree.leaves(jax.jit(function)(*arguments))
    name = program.arguments[0].name
    for hint in (P(0), P(None, 0)):
        results = jax.tree.leaves(program.partition(Grid(2), {name: hint})(*arguments))
        for result, wanted in zip(results, expected, strict=True):
            result, wanted = np.asarray(result), np.asarray(wanted)
            assert result.dtype == wanted.dtype
            size = np.abs(wanted[np.isfinite(wanted)]).max(initial=0)
            np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=3e-5 * size)


def test_a_part_of_the_vectors():
    # JAX itself has it on other devices only.
    def largest(a):
        u, s, vt = jax.lax.linalg.svd(a, full_matrices=False, subset_by_index=(0, 2))[:3]
        return u, s, vt, jax.lax.linalg.eigh(a, subset_by_index=(2, 5))[1]

    u, s, vt, values = shard.from_jax(largest, POSITIVE).partition(Grid(2), {"a": P(0)})(POSITIVE)
    np.testing.assert_allclose(s, np.linalg.svd(POSITIVE)[1][:2], rtol=1e-4)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(POSITIVE)[2:], rtol=1e-4)
    assert u.shape == (5, 2)
    assert vt.shape == (2, 5)


def test_a_split_batch_sends_nothing():
    for function in (linalg.cholesky, linalg.inv):
        program = shard.from_jax(function, BATCH)
        assert program.partition(Grid(2), {"a": P(0)}).collectives.bytes == 0


def test_steps_send_rows():
    # 16 steps, of one column of 16 elements and few numbers each.
    a = np.eye(16, dtype=np.float32)
    program = shard.from_jax(linalg.cholesky, a)
    for hint in (P(0), P(None, 0)):
        assert program.partition(Grid(2), {"a": hint}).collectives.bytes <= 16 * (16 + 16) * 4


def test_complex_matrices_are_refused():
    place = r"test_jax_linear_algebra.py:\d+:\d+: calls the function 'cholesky of complex matrices'"
    with pytest.raises(shard.ProgramError, match=place):
        shard.from_jax(lambda a: linalg.cholesky(a), SQUARE.astype(np.complex64))
