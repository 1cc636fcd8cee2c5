# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of matrices of JAX, as loops where JAX calls LAPACK."""

from collections.abc import Callable
from typing import Any

from shard._linear_algebra import LinearAlgebra, State


def lower(jitted: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`jitted.lower(*args, **kwargs)`, with loops for decompositions of matrices."""
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg

    functions: dict[Any, Callable[..., Any]] = {
        linalg.cholesky_p: _cholesky,
        linalg.triangular_solve_p: _triangular_solve,
        linalg.lu_p: _lu,
        linalg.geqrf_p: lambda a: _algebra().qr(a),
        linalg.householder_product_p: lambda a, taus: _algebra().q_of(a, taus),
        linalg.ormqr_p: _ormqr,
        linalg.eigh_p: _eigh,
        linalg.svd_p: _svd,
    }
    rules = tuple((primitive, _rule(primitive, fn)) for primitive, fn in functions.items())
    parameters = mlir.LoweringParameters(override_lowering_rules=rules)
    return jitted.trace(*args, **kwargs).lower(_private_parameters=parameters)


def _rule(primitive: Any, fn: Callable[..., Any]) -> Any:
    """The lowering of `primitive` by `fn`."""
    import jax
    from jax._src.interpreters import mlir

    own = mlir.lower_fun(fn, multiple_results=primitive.multiple_results)

    def rule(ctx: Any, *operands: Any, **params: Any) -> Any:
        if not any(jax.numpy.iscomplexobj(aval) for aval in ctx.avals_in):
            return own(ctx, *operands, **params)
        # A call that is refused, with its place.
        types = [mlir.aval_to_ir_type(ctx.module_context, aval) for aval in ctx.avals_out]
        name = f"{primitive.name} of complex matrices"
        return mlir.custom_call(name, result_types=types, operands=operands).results

    return rule


def _algebra() -> LinearAlgebra:
    import jax
    import jax.numpy as jnp

    def steps(count: int, step: Callable[..., State], state: State) -> State:
        return tuple(jax.lax.fori_loop(0, count, lambda k, s: step(jnp.asarray(k), *s), state))

    def loop(condition: Callable[..., Any], body: Callable[..., State], state: State) -> State:
        return tuple(jax.lax.while_loop(lambda s: condition(*s), lambda s: body(*s), state))

    return LinearAlgebra(jnp, steps, loop, lambda x, places: jnp.take_along_axis(x, places, -1))


def _cholesky(a: Any, **_: Any) -> Any:
    import jax.numpy as jnp

    factor, steps = _algebra().cholesky(a)
    # As JAX makes it where LAPACK fails.
    return jnp.where(steps[..., None, None] == a.shape[-1], factor, jnp.nan)


def _triangular_solve(
    a: Any,
    b: Any,
    *,
    left_side: bool,
    lower: bool,
    transpose_a: bool,
    unit_diagonal: bool,
    **_: Any,
) -> Any:
    if transpose_a:
        a, lower = a.mT, not lower
    return _algebra().solve_triangular(a, b, left=left_side, lower=lower, unit=unit_diagonal)


def _lu(a: Any) -> tuple[Any, Any, Any]:
    import jax.numpy as jnp

    factors, pivots, order = _algebra().lu(a)
    return factors, pivots.astype(jnp.int32), order.astype(jnp.int32)


def _ormqr(a: Any, taus: Any, c: Any, *, left: bool, transpose: bool) -> Any:
    return _algebra().product_with_q(a, taus, c, left=left, transposed=transpose)


def _eigh(a: Any, *, lower: bool, subset_by_index: Any = None, **_: Any) -> tuple[Any, Any]:
    values, vectors = _algebra().eigh(a, lower=lower)
    subset = slice(*subset_by_index or (None,))
    return vectors[..., subset], values[..., subset]


def _svd(
    a: Any, *, full_matrices: bool, compute_uv: bool, subset_by_index: Any = None, **_: Any
) -> tuple[Any, ...]:
    u, values, vt = _algebra().svd(a, full=full_matrices, vectors=compute_uv)
    subset = slice(*subset_by_index or (None,))
    if not compute_uv:
        return (values[..., subset],)
    if full_matrices:
        return values, u, vt
    return values[..., subset], u[..., subset], vt[..., subset, :]
