# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of real matrices of JAX as loops, where JAX calls LAPACK.

The conventions are LAPACK's: pivots are the largest elements, R has the signs of Householder's
reflections. Eigenvalues of symmetric matrices and singular values come from Jacobi's rotations
of disjoint pairs of columns (R. P. Brent, F. T. Luk, "The solution of singular-value and
symmetric eigenvalue problems on multiprocessor arrays", 1985); the signs of their vectors, which
nothing determines, can differ from LAPACK's.

The steps read rows and columns by masks. On a split matrix that is a sum over the devices, of a
row's size; a slice at a place that is known only then would gather the matrix.
"""

from collections.abc import Callable
from typing import Any

# More sweeps of rotations than any matrix needs: they converge quadratically.
_SWEEPS = 30


def lower(jitted: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`jitted.lower(*args, **kwargs)`, with loops for decompositions of matrices."""
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg

    functions: dict[Any, Callable[..., Any]] = {
        linalg.cholesky_p: _cholesky,
        linalg.triangular_solve_p: _triangular_solve,
        linalg.lu_p: _lu,
        linalg.geqrf_p: _geqrf,
        linalg.householder_product_p: _householder_product,
        linalg.ormqr_p: _ormqr,
        linalg.eigh_p: _eigh,
        linalg.svd_p: _svd,
    }
    rules = tuple((primitive, _rule(primitive, fn)) for primitive, fn in functions.items())
    parameters = mlir.LoweringParameters(override_lowering_rules=rules)
    return jitted.trace(*args, **kwargs).lower(_private_parameters=parameters)


def _rule(primitive: Any, fn: Callable[..., Any]) -> Any:
    """The lowering of `primitive` by `fn`, which takes matrices without a batch."""
    import jax
    from jax._src.interpreters import mlir

    def batched(*operands: Any, **params: Any) -> Any:
        def of_one(*operands: Any) -> Any:
            return fn(*operands, **params)

        for _ in range(operands[0].ndim - 2):
            of_one = jax.vmap(of_one)
        return of_one(*operands)

    own = mlir.lower_fun(batched, multiple_results=primitive.multiple_results)

    def rule(ctx: Any, *operands: Any, **params: Any) -> Any:
        if not any(jax.numpy.iscomplexobj(aval) for aval in ctx.avals_in):
            return own(ctx, *operands, **params)
        # A call that is refused, with its place.
        types = [mlir.aval_to_ir_type(ctx.module_context, aval) for aval in ctx.avals_out]
        name = f"{primitive.name} of complex matrices"
        return mlir.custom_call(name, result_types=types, operands=operands).results

    return rule


def _places(a: Any) -> tuple[Any, Any]:
    """The rows of the elements of a matrix, as a column, and their columns, as a row."""
    import jax.numpy as jnp

    return jnp.arange(a.shape[0])[:, None], jnp.arange(a.shape[1])[None, :]


def _row(a: Any, i: Any) -> Any:
    import jax.numpy as jnp

    return jnp.where(_places(a)[0] == i, a, 0).sum(0)


def _column(a: Any, j: Any) -> Any:
    import jax.numpy as jnp

    return jnp.where(_places(a)[1] == j, a, 0).sum(1)


def _at(x: Any, i: Any) -> Any:
    """An element of a vector."""
    import jax.numpy as jnp

    return jnp.where(jnp.arange(x.shape[0]) == i, x, 0).sum()


def _cholesky(a: Any, **_: Any) -> Any:
    import jax
    import jax.numpy as jnp

    rows, columns = _places(a)

    def step(j: Any, state: Any) -> Any:
        factor, rest = state
        column = _column(rest, j)
        column = jnp.where(rows[:, 0] >= j, column / jnp.sqrt(_at(column, j)), 0)
        factor = jnp.where(columns == j, column[:, None], factor)
        return factor, rest - column[:, None] * column

    factor, _ = jax.lax.fori_loop(0, a.shape[0], step, (jnp.zeros_like(a), a))
    # Not positive definite: no element is a number, as with LAPACK.
    return jnp.where(jnp.all(jnp.diagonal(factor) > 0), factor, jnp.nan)


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
    import jax
    import jax.numpy as jnp

    if not left_side:
        b = b.T
    if transpose_a == left_side:
        a, lower = a.T, not lower
    n = a.shape[0]
    rows, _ = _places(b)

    def step(k: Any, x: Any) -> Any:
        i = k if lower else n - 1 - k
        column = _column(a, i)
        row = _row(x, i)
        if not unit_diagonal:
            row = row / _at(column, i)
        is_later = rows > i if lower else rows < i
        x = jnp.where(is_later, x - column[:, None] * row, x)
        return jnp.where(rows == i, row, x)

    x = jax.lax.fori_loop(0, n, step, b)
    return x if left_side else x.T


def _lu(a: Any) -> tuple[Any, Any, Any]:
    import jax
    import jax.numpy as jnp

    rows, columns = _places(a)
    steps = min(a.shape)

    def swapped(x: Any, k: Any, p: Any) -> Any:
        places = jnp.arange(x.shape[0])
        return jnp.where(places == k, _at(x, p), jnp.where(places == p, _at(x, k), x))

    def step(k: Any, state: Any) -> Any:
        a, pivots, order = state
        column = _column(a, k)
        p = jnp.argmax(jnp.where(rows[:, 0] >= k, jnp.abs(column), -1)).astype(jnp.int32)
        first, second = _row(a, k), _row(a, p)
        a = jnp.where(rows == k, second, jnp.where(rows == p, first, a))
        column = swapped(column, k, p)
        pivot = _at(column, k)
        # All elements below a pivot of zero are zero.
        factors = jnp.where(pivot == 0, column, column / pivot)[:, None]
        reduced = jnp.where(columns > k, a - factors * second, a)
        a = jnp.where(rows > k, jnp.where(columns == k, factors, reduced), a)
        pivots = jnp.where(jnp.arange(steps) == k, p, pivots)
        return a, pivots, swapped(order, k, p)

    start = jnp.zeros(steps, jnp.int32), jnp.arange(a.shape[0], dtype=jnp.int32)
    made: tuple[Any, Any, Any] = jax.lax.fori_loop(0, steps, step, (a, *start))
    return made


def _geqrf(a: Any) -> tuple[Any, Any]:
    import jax
    import jax.numpy as jnp

    rows, columns = _places(a)

    def step(k: Any, state: Any) -> Any:
        a, taus = state
        column = _column(a, k)
        below = jnp.where(rows[:, 0] > k, column, 0)
        is_done = jnp.all(below == 0)
        alpha = _at(column, k)
        # A norm whose squares neither overflow nor vanish.
        size = jnp.maximum(jnp.max(jnp.abs(below)), jnp.abs(alpha))
        size = jnp.where(is_done, 1, size)
        norm = size * jnp.sqrt(jnp.sum((below / size) ** 2) + (alpha / size) ** 2)
        beta = jnp.where(is_done, alpha, jnp.where(alpha < 0, norm, -norm))
        tau = jnp.where(is_done, 0, (beta - alpha) / jnp.where(is_done, 1, beta))
        below = below / jnp.where(is_done, 1, alpha - beta)
        vector = jnp.where(rows[:, 0] == k, 1, below)[:, None]
        product = jnp.sum(vector * a, 0)
        a = jnp.where((rows >= k) & (columns > k), a - tau * vector * product, a)
        reflector = jnp.where(rows == k, beta, below[:, None])
        a = jnp.where((columns == k) & (rows >= k), reflector, a)
        return a, jnp.where(jnp.arange(taus.shape[0]) == k, tau, taus)

    steps = min(a.shape)
    made: tuple[Any, Any] = jax.lax.fori_loop(0, steps, step, (a, jnp.zeros(steps, a.dtype)))
    return made


def _reflected(a: Any, taus: Any, k: Any, c: Any) -> Any:
    """The product of the k-th reflection with `c`, which is its own inverse."""
    import jax.numpy as jnp

    places = jnp.arange(a.shape[0])
    vector = jnp.where(places > k, _column(a, k), jnp.where(places == k, 1, 0))[:, None]
    return c - _at(taus, k) * vector * jnp.sum(vector * c, 0)


def _householder_product(a: Any, taus: Any) -> Any:
    import jax
    import jax.numpy as jnp

    steps = taus.shape[0]

    def step(k: Any, q: Any) -> Any:
        return _reflected(a, taus, steps - 1 - k, q)

    return jax.lax.fori_loop(0, steps, step, jnp.eye(*a.shape, dtype=a.dtype))


def _ormqr(a: Any, taus: Any, c: Any, *, left: bool, transpose: bool) -> Any:
    import jax

    steps = taus.shape[0]
    # Q^T is the product of the same reflections in the other order, and c Q is (Q^T c^T)^T.
    ascending = transpose == left

    def step(k: Any, c: Any) -> Any:
        return _reflected(a, taus, k if ascending else steps - 1 - k, c)

    made = jax.lax.fori_loop(0, steps, step, c if left else c.T)
    return made if left else made.T


def _partners(n: int) -> Any:
    """Rounds of disjoint pairs of n columns, such that all pairs meet once.

    Each row says whom a column meets: itself if none. The last of an even number of columns
    stays, and the others go around.
    """
    import numpy as np

    even = n + n % 2
    rounds = []
    for turn in range(even - 1):
        ring = [(turn + i) % (even - 1) for i in range(even - 1)] + [even - 1]
        # The first meets the one that stays, the others meet across the ring.
        pairs = [(ring[0], ring[-1])]
        pairs += [(ring[i], ring[even - 1 - i]) for i in range(1, even // 2)]
        row = list(range(even))
        for i, j in pairs:
            if i < n and j < n:
                row[i], row[j] = j, i
        rounds.append(row[:n])
    return np.array(rounds, np.int32).reshape(-1, n)


def _rotation(partners: Any, own: Any, mixed: Any) -> tuple[Any, Any]:
    """The rotation of each column with its partner: x c + x[:, partners] s.

    Args:
        partners: of each column.
        own: the elements (i, i) of the matrix that the rotations make diagonal.
        mixed: its elements (i, partner of i).

    Returns:
        The cosines c and the sines s, which differ in their signs between partners.
    """
    import jax.numpy as jnp

    is_zero = mixed == 0
    zeta = (own[partners] - own) / jnp.where(is_zero, 1, 2 * mixed)
    # Of partners with equal elements, one turns by 45 degrees and the other by -45.
    sign = jnp.where(zeta == 0, jnp.where(partners > jnp.arange(own.shape[0]), 1, -1), 0)
    sign = jnp.sign(zeta) + sign
    tangent = jnp.where(is_zero, 0, sign / (jnp.abs(zeta) + jnp.sqrt(1 + zeta * zeta)))
    cosine = 1 / jnp.sqrt(1 + tangent * tangent)
    return cosine, -tangent * cosine


def _until_diagonal(sweep: Callable[..., Any], state: Any) -> Any:
    """Calls `sweep` of a state until it has found nothing to rotate.

    It takes the state and returns it with a flag that says whether elements are left.
    """
    import jax

    def is_left(loop: Any) -> Any:
        return loop[1] & (loop[2] < _SWEEPS)

    def body(loop: Any) -> Any:
        state, is_left = sweep(loop[0])
        return state, is_left, loop[2] + 1

    return jax.lax.while_loop(is_left, body, (state, True, 0))[0]


def _eigh(a: Any, *, lower: bool, subset_by_index: Any = None, **_: Any) -> tuple[Any, Any]:
    import jax
    import jax.numpy as jnp

    n = a.shape[0]
    half = jnp.tril(a, -1) if lower else jnp.triu(a, 1)
    symmetric = half + half.T + jnp.diag(jnp.diagonal(a))
    rows, columns = _places(a)
    rounds = jnp.asarray(_partners(n))
    small = jnp.finfo(a.dtype).eps * jnp.sqrt(jnp.sum(symmetric**2)) / n

    def sweep(state: Any) -> Any:
        def turn(state: Any, partners: Any) -> Any:
            a, v = state
            mixed = jnp.where(columns == partners[:, None], a, 0).sum(1)
            mixed = jnp.where(partners == jnp.arange(n), 0, mixed)
            cosine, sine = _rotation(partners, jnp.diagonal(a), mixed)
            a = a * cosine + a[:, partners] * sine
            a = a * cosine[:, None] + a[partners, :] * sine[:, None]
            # What the rotation makes zero but for rounding.
            a = jnp.where((columns == partners[:, None]) & (rows != columns), 0, a)
            return (a, v * cosine + v[:, partners] * sine), None

        a, v = jax.lax.scan(turn, state, rounds)[0]
        return (a, v), jnp.any(jnp.where(rows == columns, 0, jnp.abs(a)) > small)

    a, v = _until_diagonal(sweep, (symmetric, jnp.eye(n, dtype=a.dtype)))
    values = jnp.diagonal(a)
    order = jnp.argsort(values)[slice(*subset_by_index or (n,))]
    return v[:, order], values[order]


def _svd(
    a: Any, *, full_matrices: bool, compute_uv: bool, subset_by_index: Any = None, **_: Any
) -> tuple[Any, ...]:
    import jax
    import jax.numpy as jnp

    if a.shape[0] < a.shape[1]:
        made = _svd(
            a.T,
            full_matrices=full_matrices,
            compute_uv=compute_uv,
            subset_by_index=subset_by_index,
        )
        return (made[0], made[2].T, made[1].T) if compute_uv else made
    m, n = a.shape
    rounds = jnp.asarray(_partners(n))
    eps = jnp.finfo(a.dtype).eps

    def sweep(state: Any) -> Any:
        def turn(state: Any, partners: Any) -> Any:
            u, v, is_left = state
            own = jnp.sum(u * u, 0)
            mixed = jnp.where(partners == jnp.arange(n), 0, jnp.sum(u * u[:, partners], 0))
            # Orthogonal within rounding.
            is_small = jnp.abs(mixed) <= eps * jnp.sqrt(own) * jnp.sqrt(own[partners])
            mixed = jnp.where(is_small, 0, mixed)
            cosine, sine = _rotation(partners, own, mixed)
            u = u * cosine + u[:, partners] * sine
            v = v * cosine + v[:, partners] * sine
            return (u, v, is_left | jnp.any(mixed != 0)), None

        u, v, is_left = jax.lax.scan(turn, (*state, False), rounds)[0]
        return (u, v), is_left

    # Squares of the elements neither overflow nor vanish.
    size = jnp.max(jnp.abs(a))
    size = jnp.where(size > 0, size, 1)
    u, v = _until_diagonal(sweep, (a / size, jnp.eye(n, dtype=a.dtype)))
    values = jnp.sqrt(jnp.sum(u * u, 0))
    order = jnp.argsort(-values)
    values = values[order]
    subset = slice(*subset_by_index or (n,))
    if not compute_uv:
        return (values[subset] * size,)
    u, v = u[:, order], v[:, order]
    u = jnp.where(values > 0, u / jnp.where(values > 0, values, 1), 0)
    # The reflections that make `u` triangular give back its columns, but for their signs, and
    # complete them where singular values are zero.
    if full_matrices:
        u = jnp.pad(u, ((0, 0), (0, m - n)))
    triangle, taus = _geqrf(u)
    signs = jnp.where(jnp.diagonal(triangle) < 0, -1, 1).astype(a.dtype)
    u = _householder_product(triangle, taus) * signs
    if full_matrices:
        return values * size, u, v.T
    return values[subset] * size, u[:, subset], v[:, subset].T
