# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of real matrices as loops, of arrays of JAX and of PyTorch.

The conventions are LAPACK's: pivots are the largest elements, R has the signs of Householder's
reflections. Eigenvalues of symmetric matrices and singular values come from Jacobi's rotations
of disjoint pairs of columns (R. P. Brent, F. T. Luk, "The solution of singular-value and
symmetric eigenvalue problems on multiprocessor arrays", 1985); the signs of their vectors, which
nothing determines, can differ from LAPACK's.

The steps read rows and columns by masks. On a split matrix that is a sum over the devices, of a
row's size; a slice at a place that is known only then would gather the matrix.

All functions take batches of matrices, `[..., rows, columns]`.
"""

from collections.abc import Callable
from typing import Any

# More sweeps of rotations than any matrix needs: they converge quadratically.
_SWEEPS = 30

State = tuple[Any, ...]


class LinearAlgebra:
    """The functions for one kind of arrays.

    Args:
        xp: `jax.numpy` or `torch`.
        steps: `steps(count, step, state)`, a loop that is done `count` times. `step` takes the
            number of the iteration and the arrays of the state, and gives those of the next.
        loop: `loop(condition, body, state)`, a while loop on the arrays of a state.
        take: `take(x, places)`, elements of the last dimension of `x` for each batch.
    """

    def __init__(
        self,
        xp: Any,
        steps: Callable[[int, Callable[..., State], State], State],
        loop: Callable[[Callable[..., Any], Callable[..., State], State], State],
        take: Callable[[Any, Any], Any],
    ) -> None:
        self._xp, self._steps_of, self._loop, self._take = xp, steps, loop, take

    def cholesky(self, a: Any) -> tuple[Any, Any]:
        """The lower factor of what the lower triangles hold, and how many steps were right.

        If that is less than the number of rows, the matrix is not positive definite.
        """
        xp = self._xp
        rows, columns = self._places(a)

        def step(j: Any, factor: Any, rest: Any) -> State:
            column = self._column(rest, j)
            column = xp.where(rows[:, 0] >= j, column / xp.sqrt(self._at(column, j)[..., None]), 0)
            factor = xp.where(columns == j, column[..., None], factor)
            return factor, rest - column[..., None] * column[..., None, :]

        factor = self._steps(a.shape[-1], step, (xp.zeros_like(a), a + 0))[0]
        return factor, self.first(~(self.diagonal(factor) > 0))

    def first(self, flags: Any) -> Any:
        """The place of the first flag that is set in each row; their number, if none is."""
        xp = self._xp
        count = flags.shape[-1]
        places = xp.where(flags, xp.arange(count), count)
        return xp.amin(places, -1) if count else places.sum(-1)

    def solve_triangular(
        self, a: Any, b: Any, *, left: bool = True, lower: bool, unit: bool = False
    ) -> Any:
        """X of a X = b, or of X a = b, for a triangle of `a`."""
        xp = self._xp
        if not left:
            solved = self.solve_triangular(a.mT, b.mT, lower=not lower, unit=unit)
            return solved.mT
        n = a.shape[-1]
        rows = self._places(b)[0]

        def step(k: Any, x: Any) -> State:
            i = k if lower else n - 1 - k
            column = self._column(a, i)
            row = self._row(x, i)
            if not unit:
                row = row / self._at(column, i)[..., None]
            is_later = rows > i if lower else rows < i
            row = row[..., None, :]
            x = xp.where(is_later, x - column[..., None] * row, x)
            return (xp.where(rows == i, row, x),)

        return self._steps(n, step, (b + 0,))[0]

    def lu(self, a: Any) -> tuple[Any, Any, Any]:
        """L and U in one matrix, the pivots, and the order of rows that they make."""
        xp = self._xp
        rows, columns = self._places(a)
        count = min(a.shape[-2:])
        order = xp.broadcast_to(xp.arange(a.shape[-2]), a.shape[:-1]) + 0
        pivots = xp.broadcast_to(xp.arange(count), (*a.shape[:-2], count)) + 0

        def step(k: Any, a: Any, pivots: Any, order: Any) -> State:
            column = self._column(a, k)
            p = xp.argmax(xp.where(rows[:, 0] >= k, abs(column), -1), -1)
            here = p[..., None, None]
            first, second = self._row(a, k)[..., None, :], self._row(a, p)[..., None, :]
            a = xp.where(rows == k, second, xp.where(rows == here, first, a))
            column = self.swapped(column, k, p)
            pivot = self._at(column, k)[..., None]
            # All elements below a pivot of zero are zero.
            factors = xp.where(pivot == 0, column, column / pivot)[..., None]
            reduced = xp.where(columns > k, a - factors * second, a)
            a = xp.where(rows > k, xp.where(columns == k, factors, reduced), a)
            pivots = xp.where(xp.arange(count) == k, p[..., None], pivots)
            return a, pivots, self.swapped(order, k, p)

        made = self._steps(count, step, (a + 0, pivots, order))
        return made[0], made[1], made[2]

    def swapped(self, x: Any, i: Any, j: Any) -> Any:
        """Vectors with two elements in each other's place."""
        first, second = self._at(x, i)[..., None], self._at(x, j)[..., None]
        places = self._xp.arange(x.shape[-1])
        others = self._xp.where(places == j[..., None], first, x)
        return self._xp.where(places == i, second, others)

    def order_of(self, pivots: Any, n: int) -> Any:
        """The order of n rows that pivots make."""
        xp = self._xp

        def step(k: Any, order: Any) -> State:
            return (self.swapped(order, k, self._at(pivots, k)),)

        order = xp.broadcast_to(xp.arange(n), (*pivots.shape[:-1], n)) + 0
        return self._steps(pivots.shape[-1], step, (order,))[0]

    def qr(self, a: Any) -> tuple[Any, Any]:
        """R and below it the vectors of Householder's reflections, and their factors."""
        xp = self._xp
        rows, columns = self._places(a)
        count = min(a.shape[-2:])

        def step(k: Any, a: Any, taus: Any) -> State:
            column = self._column(a, k)
            below = xp.where(rows[:, 0] > k, column, 0)
            alpha = self._at(column, k)[..., None]
            # A norm whose squares neither overflow nor vanish.
            size = xp.amax(abs(xp.where(rows[:, 0] >= k, column, 0)), -1)[..., None]
            is_done = (below == 0).all(-1)[..., None]
            size = xp.where(is_done, 1, size)
            squares = ((below / size) ** 2).sum(-1)[..., None] + (alpha / size) ** 2
            norm = size * xp.sqrt(squares)
            beta = xp.where(is_done, alpha, xp.where(alpha < 0, norm, -norm))
            tau = xp.where(is_done, 0, (beta - alpha) / xp.where(is_done, 1, beta))
            below = below / xp.where(is_done, 1, alpha - beta)
            vector = xp.where(rows[:, 0] == k, 1, below)[..., None]
            product = (vector * a).sum(-2)[..., None, :]
            reflected = a - tau[..., None] * vector * product
            a = xp.where((rows >= k) & (columns > k), reflected, a)
            vector = xp.where(rows == k, beta[..., None], below[..., None])
            a = xp.where((columns == k) & (rows >= k), vector, a)
            return a, xp.where(xp.arange(count) == k, tau, taus)

        made = self._steps(count, step, (a + 0, xp.zeros_like(self.diagonal(a))))
        return made[0], made[1]

    def q_of(self, a: Any, taus: Any, columns: int | None = None) -> Any:
        """Q of the reflections of `qr`, with as many columns as `a` if not told."""
        rows = a.shape[-2]
        unit = self.eye(a, rows, a.shape[-1] if columns is None else columns)
        return self.product_with_q(a, taus, unit)

    def product_with_q(
        self, a: Any, taus: Any, c: Any, *, left: bool = True, transposed: bool = False
    ) -> Any:
        """Q c for the reflections of `qr`; c Q without `left`, and of Q^T with `transposed`."""
        if not left:
            # c Q is (Q^T c^T)^T.
            return self.product_with_q(a, taus, c.mT, transposed=not transposed).mT
        xp = self._xp
        count = taus.shape[-1]
        places = xp.arange(a.shape[-2])

        def step(k: Any, c: Any) -> State:
            k = k if transposed else count - 1 - k
            column = self._column(a, k)
            vector = xp.where(places > k, column, xp.where(places == k, 1, 0))[..., None]
            product = (vector * c).sum(-2)[..., None, :]
            return (c - self._at(taus, k)[..., None, None] * vector * product,)

        return self._steps(count, step, (c,))[0]

    def eye(self, like: Any, rows: int, columns: int) -> Any:
        """Unit matrices for the batch of `like`, of its type."""
        xp = self._xp
        shape = (*like.shape[:-2], rows, columns)
        return xp.broadcast_to(xp.eye(rows, columns, dtype=like.dtype), shape) + 0

    def eigh(self, a: Any, *, lower: bool = True) -> tuple[Any, Any]:
        """The eigenvalues, ascending, and eigenvectors of what a triangle holds."""
        xp = self._xp
        n = a.shape[-1]
        rows, columns = self._places(a)
        half = xp.where(rows > columns if lower else rows < columns, a, 0)
        a, size = self._scaled(half + half.mT + xp.where(rows == columns, a, 0))
        small = xp.finfo(a.dtype).eps / max(n, 1) * xp.sqrt((a * a).sum(-1).sum(-1))
        small = small[..., None, None]

        def turn(r: Any, a: Any, v: Any) -> State:
            partners = self._partners(n, r)
            is_pair = (columns == partners[:, None]) & (rows != columns)
            mixed = xp.where(is_pair, a, 0).sum(-1)
            cosine, sine = self._rotation(partners, self.diagonal(a), mixed)
            a = self._turned(a, partners, cosine, sine)
            a = self._turned(a.mT, partners, cosine, sine)
            # What the rotation makes zero but for rounding.
            a = xp.where(is_pair, 0, a)
            return a, self._turned(v, partners, cosine, sine)

        def sweep(a: Any, v: Any) -> tuple[State, Any]:
            a, v = self._steps(self._rounds(n), turn, (a, v))
            return (a, v), (abs(xp.where(rows == columns, 0, a)) > small).any()

        state = a, self.eye(a, n, n)
        a, v = self._until_diagonal(sweep, state) if n > 1 else state
        values = self.diagonal(a)
        order = xp.argsort(values)
        return self._take(values, order) * size, self._take(v, order[..., None, :])

    def svd(self, a: Any, *, full: bool = False, vectors: bool = True) -> tuple[Any, Any, Any]:
        """U, the singular values, descending, and V^T; no U and V^T without `vectors`."""
        xp = self._xp
        m, n = a.shape[-2:]
        if m < n:
            u, values, vt = self.svd(a.mT, full=full, vectors=vectors)
            return (vt.mT, values, u.mT) if vectors else (None, values, None)
        u, size = self._scaled(a)
        v = self.eye(a, n, n)
        if n > 1:
            u, v = self._orthogonal_columns(u, v)
        values = xp.sqrt((u * u).sum(-2))
        order = xp.argsort(-values)
        values = self._take(values, order)
        if not vectors:
            return None, values * size, None
        u, v = self._take(u, order[..., None, :]), self._take(v, order[..., None, :])
        norms = values[..., None, :]
        u = xp.where(norms > 0, u / xp.where(norms > 0, norms, 1), 0)
        # The reflections that make `u` triangular give back its columns, but for their signs,
        # and complete them where singular values are zero.
        if full:
            u = xp.concat((u, xp.zeros_like(self.eye(a, m, m - n))), axis=-1)
        triangle, taus = self.qr(u)
        signs = xp.where(self.diagonal(triangle) < 0, -1, 1)[..., None, :]
        u = self.q_of(triangle, taus)
        return u * signs, values * size, v.mT

    def _scaled(self, a: Any) -> tuple[Any, Any]:
        """`a` by its largest element, so that squares neither overflow nor vanish, and that."""
        xp = self._xp
        size = xp.amax(xp.amax(abs(a), -1), -1) if a.shape[-1] else abs(a).sum(-1).sum(-1)
        size = xp.where(size > 0, size, 1)[..., None]
        return a / size[..., None], size

    def _orthogonal_columns(self, u: Any, v: Any) -> State:
        """`u` with orthogonal columns, by rotations that are applied to `v`, too."""
        xp = self._xp
        m, n = u.shape[-2:]
        # Orthogonal within rounding.
        small = xp.finfo(u.dtype).eps * m**0.5

        def turn(r: Any, u: Any, v: Any) -> State:
            partners = self._partners(n, r)
            own = (u * u).sum(-2)
            mixed = (u * u[..., partners]).sum(-2)
            is_small = abs(mixed) <= small * xp.sqrt(own) * xp.sqrt(own[..., partners])
            mixed = xp.where((partners == xp.arange(n)) | is_small, 0, mixed)
            cosine, sine = self._rotation(partners, own, mixed)
            return self._turned(u, partners, cosine, sine), self._turned(v, partners, cosine, sine)

        def sweep(u: Any, v: Any) -> tuple[State, Any]:
            u, v = self._steps(self._rounds(n), turn, (u, v))
            products = u.mT @ u
            norms = xp.sqrt(self.diagonal(products))
            rows, columns = self._places(products)
            products = xp.where(rows == columns, 0, abs(products))
            return (u, v), (products > small * norms[..., None] * norms[..., None, :]).any()

        return self._until_diagonal(sweep, (u, v))

    def diagonal(self, a: Any) -> Any:
        rows, columns = self._places(a)
        count = min(a.shape[-2:])
        return self._xp.where(rows == columns, a, 0).sum(-1)[..., :count]

    def _places(self, a: Any) -> tuple[Any, Any]:
        """The rows of the elements of a matrix, as a column, and their columns, as a row."""
        return self._xp.arange(a.shape[-2])[:, None], self._xp.arange(a.shape[-1])[None, :]

    def _row(self, a: Any, i: Any) -> Any:
        rows = self._places(a)[0]
        return self._xp.where(rows == i[..., None, None], a, 0).sum(-2)

    def _column(self, a: Any, j: Any) -> Any:
        columns = self._places(a)[1]
        return self._xp.where(columns == j, a, 0).sum(-1)

    def _at(self, x: Any, i: Any) -> Any:
        """Elements of vectors."""
        places = self._xp.arange(x.shape[-1])
        return self._xp.where(places == i[..., None], x, 0).sum(-1)

    def _steps(self, count: int, step: Callable[..., State], state: State) -> State:
        """The state after `count` calls of `step`, with their numbers."""
        return self._steps_of(count, step, state) if count else state

    def _until_diagonal(self, sweep: Callable[..., tuple[State, Any]], state: State) -> State:
        """Calls `sweep` of a state until it says that nothing is left to rotate."""
        zero = self._xp.zeros_like(self._xp.arange(1)[0])

        def is_left(k: Any, is_left: Any, *_: Any) -> Any:
            return is_left & (k < _SWEEPS)

        def body(k: Any, _: Any, *state: Any) -> State:
            state, is_left = sweep(*state)
            return (k + 1, is_left, *state)

        return self._loop(is_left, body, (zero, zero == 0, *state))[2:]

    def _rounds(self, n: int) -> int:
        """The number of rounds in which each pair of n columns meets once."""
        return n - 1 + n % 2

    def _partners(self, n: int, r: Any) -> Any:
        """Whom each of n columns meets in a round: itself, if none.

        Columns meet whose sum is twice the round, modulo an odd number. Of an even number of
        columns the last one meets who is left.
        """
        xp = self._xp
        places = xp.arange(n)
        odd = self._rounds(n)
        others = (2 * r - places + odd) % odd
        if n % 2:
            return others
        return xp.where(places == n - 1, r, xp.where(places == r, n - 1, others))

    def _turned(self, x: Any, partners: Any, cosine: Any, sine: Any) -> Any:
        return x * cosine[..., None, :] + x[..., partners] * sine[..., None, :]

    def _rotation(self, partners: Any, own: Any, mixed: Any) -> tuple[Any, Any]:
        """The rotation of each column with its partner: x c + x[..., partners] s.

        Args:
            partners: of each column.
            own: the elements (i, i) of the matrix that the rotations make diagonal.
            mixed: its elements (i, partner of i), zero for a column that meets itself.

        Returns:
            The cosines c and the sines s, which differ in their signs between partners.
        """
        xp = self._xp
        is_zero = mixed == 0
        zeta = (own[..., partners] - own) / xp.where(is_zero, 1, 2 * mixed)
        # Of partners with equal elements, one turns by 45 degrees and the other by -45.
        equal = xp.where(partners > xp.arange(own.shape[-1]), 1, -1)
        sign = xp.where(zeta == 0, equal, xp.sign(zeta))
        tangent = xp.where(is_zero, 0, sign / (abs(zeta) + xp.sqrt(1 + zeta * zeta)))
        cosine = 1 / xp.sqrt(1 + tangent * tangent)
        return cosine, -tangent * cosine
