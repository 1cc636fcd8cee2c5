# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of matrices of PyTorch, as loops where PyTorch calls LAPACK.

Where PyTorch raises an error on the values of a matrix, such as one that is not positive
definite or has no inverse, elements of the results are NaN or infinite.
"""

from collections.abc import Callable
from typing import Any

from shard._linear_algebra import LinearAlgebra, State
from shard._torch_trace import nodes_of


def has_matrices(exported: Any) -> bool:
    """Whether a program has ops that `by_loops` writes otherwise."""
    functions = _functions()
    return any(node.target in functions for node in nodes_of(exported))


def by_loops(target: Any, args: Any, kwargs: Any) -> Any:
    """What a decomposition of real matrices gives, or None for other ops."""
    import torch

    function = _functions().get(target)
    if function is None or not kwargs.get("pivot", True):
        return None
    if any(isinstance(x, torch.Tensor) and x.is_complex() for x in args):
        return None
    return function(*args, **kwargs)


def _functions() -> dict[Any, Callable[..., Any]]:
    import torch

    aten = torch.ops.aten
    return {
        aten._linalg_check_errors.default: lambda *_, **__: (),
        aten.linalg_cholesky_ex.default: _cholesky,
        aten.cholesky.default: lambda a, upper=False: _cholesky(a, upper)[0],
        aten.cholesky_solve.default: _cholesky_solve,
        aten.cholesky_inverse.default: _cholesky_inverse,
        aten.linalg_solve_triangular.default: _solve_triangular,
        aten.triangular_solve.default: _old_triangular_solve,
        aten.linalg_lu_factor_ex.default: _lu_factor,
        aten.linalg_lu.default: _lu,
        aten.lu_unpack.default: _lu_unpack,
        aten.linalg_lu_solve.default: _lu_solve,
        aten._linalg_solve_ex.default: _solve,
        aten.linalg_inv_ex.default: _inverse,
        aten._linalg_det.default: _determinant,
        aten._linalg_slogdet.default: _logarithm_of_determinant,
        aten.linalg_qr.default: _qr,
        aten.geqrf.default: lambda a: _algebra().qr(a),
        aten.linalg_householder_product.default: lambda a, taus: _algebra().q_of(a, taus),
        aten.ormqr.default: _ormqr,
        aten._linalg_eigh.default: _eigh,
        aten._linalg_svd.default: _svd,
        aten.linalg_pinv.atol_rtol_tensor: _pseudo_inverse,
    }


def _algebra() -> LinearAlgebra:
    import torch
    from torch._higher_order_ops.scan import scan
    from torch._higher_order_ops.while_loop import while_loop

    # The strides of a state stay what they are.
    def plain(state: Any) -> Any:
        return tuple(x.contiguous() for x in state)

    def steps(count: int, step: Callable[..., State], state: State) -> State:
        # Each iteration has to give something.
        def body(state: Any, k: Any) -> Any:
            return plain(step(k, *state)), k.clone()

        return tuple(scan(body, plain(state), torch.arange(count))[0])

    def loop(condition: Callable[..., Any], body: Callable[..., State], state: State) -> State:
        return tuple(while_loop(condition, lambda *s: plain(body(*s)), plain(state)))

    return LinearAlgebra(torch, steps, loop, lambda x, places: torch.take_along_dim(x, places, -1))


def _info(first: Any, count: int) -> Any:
    """LAPACK's number of the first step of `count` that failed, or 0."""
    import torch

    return torch.where(first == count, 0, first + 1).to(torch.int32)


def _info_of_factors(factors: Any) -> Any:
    """Of L and U: the number of the first pivot that is zero, or 0."""
    algebra = _algebra()
    return _info(algebra.first(algebra.diagonal(factors) == 0), min(factors.shape[-2:]))


def _cholesky(a: Any, upper: bool = False, check_errors: bool = False) -> Any:
    import torch

    factor, steps = _algebra().cholesky(a.mT if upper else a)
    is_right = (steps == a.shape[-1])[..., None, None]
    factor = torch.where(is_right, factor, torch.nan)
    return (factor.mT if upper else factor), _info(steps, a.shape[-1])


def _cholesky_solve(b: Any, factor: Any, upper: bool = False) -> Any:
    b, factor = _same_batch(b, factor.mT if upper else factor)
    algebra = _algebra()
    half = algebra.solve_triangular(factor, b, lower=True)
    return algebra.solve_triangular(factor.mT, half, lower=False)


def _cholesky_inverse(factor: Any, upper: bool = False) -> Any:
    n = factor.shape[-1]
    return _cholesky_solve(_algebra().eye(factor, n, n), factor, upper)


def _solve_triangular(
    a: Any, b: Any, *, upper: bool, left: bool = True, unitriangular: bool = False, **_: Any
) -> Any:
    a, b = _same_batch(a, b)
    return _algebra().solve_triangular(a, b, left=left, lower=not upper, unit=unitriangular)


def _old_triangular_solve(
    b: Any, a: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    a, b = _same_batch(a, b)
    matrix, lower = (a.mT, upper) if transpose else (a, not upper)
    x = _algebra().solve_triangular(matrix, b, lower=lower, unit=unitriangular)
    return x, a.clone()


def _same_batch(a: Any, b: Any) -> tuple[Any, Any]:
    """Both matrices for each element of the batches of both."""
    import torch

    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return a.expand(*batch, *a.shape[-2:]), b.expand(*batch, *b.shape[-2:])


def _lu_factor(a: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    factors, pivots, _ = _factored(a)
    return factors, pivots, _info_of_factors(factors)


def _factored(a: Any) -> tuple[Any, Any, Any]:
    """L and U, the pivots as PyTorch counts them, and the order of the rows."""
    import torch

    factors, pivots, order = _algebra().lu(a)
    return factors, (pivots + 1).to(torch.int32), order


def _lu(a: Any, *, pivot: bool = True) -> Any:
    factors, _, order = _factored(a)
    return _unpacked(factors, order)


def _lu_unpack(
    factors: Any, pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True
) -> Any:
    order = _algebra().order_of(pivots.long() - 1, factors.shape[-2])
    p, lower, upper = _unpacked(factors, order)
    empty = factors.new_zeros((0,))
    data = (lower, upper) if unpack_data else (empty, empty)
    return (p if unpack_pivots else empty), *data


def _unpacked(factors: Any, order: Any) -> tuple[Any, Any, Any]:
    """P, L and U. Row order[i] of a matrix is row i of L U."""
    import torch

    m, n = factors.shape[-2:]
    count = min(m, n)
    p = (torch.arange(m)[:, None] == order[..., None, :]).to(factors.dtype)
    lower = factors[..., :count].tril(-1) + torch.eye(m, count, dtype=factors.dtype)
    return p, lower, factors[..., :count, :].triu()


def _lu_solve(
    factors: Any, pivots: Any, b: Any, *, left: bool = True, adjoint: bool = False
) -> Any:
    if not left:
        return _lu_solve(factors, pivots, b.mT, adjoint=not adjoint).mT
    batch, b = _same_batch(factors, b)
    order = _algebra().order_of(pivots.long() - 1, factors.shape[-1])
    order = order.expand(batch.shape[:-1])
    return _solved(batch, order, b, transposed=adjoint)


def _solved(factors: Any, order: Any, b: Any, *, transposed: bool = False) -> Any:
    """X of a X = b, or of a^T X = b, for the factors of a."""
    import torch

    algebra = _algebra()
    if transposed:
        half = algebra.solve_triangular(factors.mT, b, lower=True)
        half = algebra.solve_triangular(factors.mT, half, lower=False, unit=True)
        return torch.take_along_dim(half, torch.argsort(order)[..., None], -2)
    rows = torch.take_along_dim(b, order[..., None], -2)
    half = algebra.solve_triangular(factors, rows, lower=True, unit=True)
    return algebra.solve_triangular(factors, half, lower=False)


def _solve(a: Any, b: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    import torch

    is_vector = b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])
    right = b[..., None] if is_vector else b
    factors, pivots, order = _factored(a)
    batch = torch.broadcast_shapes(a.shape[:-2], right.shape[:-2])
    all_factors = factors.expand(*batch, *factors.shape[-2:])
    all_orders = order.expand(*batch, order.shape[-1])
    if left:
        x = _solved(all_factors, all_orders, right.expand(*batch, *right.shape[-2:]))
    else:
        others = right.mT.expand(*batch, *right.mT.shape[-2:])
        x = _solved(all_factors, all_orders, others, transposed=True).mT
    return (x[..., 0] if is_vector else x), factors, pivots, _info_of_factors(factors)


def _inverse(a: Any, *, check_errors: bool = False) -> Any:
    n = a.shape[-1]
    factors, _, order = _factored(a)
    return _solved(factors, order, _algebra().eye(a, n, n)), _info_of_factors(factors)


def _sign_of_order(pivots: Any) -> Any:
    """1 for an even number of exchanges, -1 for an odd one."""
    import torch

    exchanges = (pivots != torch.arange(1, pivots.shape[-1] + 1)).sum(-1)
    return 1 - 2 * (exchanges % 2)


def _determinant(a: Any) -> Any:
    factors, pivots, _ = _factored(a)
    diagonal = _algebra().diagonal(factors)
    return diagonal.prod(-1) * _sign_of_order(pivots), factors, pivots


def _logarithm_of_determinant(a: Any) -> Any:
    factors, pivots, _ = _factored(a)
    diagonal = _algebra().diagonal(factors)
    sign = diagonal.sign().prod(-1) * _sign_of_order(pivots)
    return sign, diagonal.abs().log().sum(-1), factors, pivots


def _qr(a: Any, mode: str = "reduced") -> Any:
    algebra = _algebra()
    m, n = a.shape[-2:]
    triangle, taus = algebra.qr(a)
    columns = m if mode == "complete" else min(m, n)
    r = triangle[..., :columns, :].triu()
    if mode == "r":
        return a.new_zeros((0,)), r
    return algebra.q_of(triangle, taus, columns), r


def _ormqr(a: Any, taus: Any, c: Any, left: bool = True, transpose: bool = False) -> Any:
    return _algebra().product_with_q(a, taus, c, left=left, transposed=transpose)


def _eigh(a: Any, UPLO: str = "L", compute_v: bool = True) -> Any:  # noqa: N803 - PyTorch's name
    values, vectors = _algebra().eigh(a, lower=UPLO.upper() == "L")
    return values, vectors if compute_v else a.new_zeros((0,))


def _svd(
    a: Any,
    full_matrices: bool = False,
    compute_uv: bool = True,
    *,
    driver: str | None = None,
) -> Any:
    u, values, vt = _algebra().svd(a, full=full_matrices, vectors=compute_uv)
    if not compute_uv:
        return a.new_zeros((0,)), values, a.new_zeros((0,))
    return u, values, vt


def _pseudo_inverse(a: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    import torch

    if hermitian:
        a = a.tril() + a.tril(-1).mT
    u, values, vt = _algebra().svd(a)
    largest = values[..., :1]
    if rtol is None:
        # As PyTorch has it: zero beside a bound that is given.
        eps = torch.finfo(a.dtype).eps * max(a.shape[-2:])
        rtol = torch.where(atol > 0, 0.0, eps) if atol is not None else torch.tensor(eps)
    bound = largest * rtol.to(a.dtype)[..., None]
    if atol is not None:
        bound = torch.maximum(bound, atol.to(a.dtype)[..., None])
    inverses = torch.where(values > bound, values.reciprocal(), 0.0)
    return (vt.mT * inverses[..., None, :]) @ u.mT
