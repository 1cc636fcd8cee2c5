# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interpolation, adaptive pooling, and their gradients, as linear maps along one dimension each.

PyTorch looks elements up at computed places, and torch-mlir has no gradients of that. Where one
extent is a multiple of the other, the map is the same for each element of the smaller one: sums of
neighbours, which a split dimension exchanges borders for. Any other map is a product with a matrix.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from shard._torch_trace import nodes_of

Weights = dict[int, float]


@dataclass(frozen=True)
class _Stretch:
    """Element `times * i + k` is the sum of `weights[k][t]` times element `i + t`.

    In the place of what lies outside stands the element at the border.
    """

    times: int
    weights: Sequence[Weights]

    def apply(self, x: Any, dim: int) -> Any:
        import torch

        near = {t: _neighbours(x, dim, t) for w in self.weights for t in w}
        parts = [_weighted(w, near.__getitem__) for w in self.weights]
        return torch.stack(parts, dim + 1).flatten(dim, dim + 1)

    def transposed(self, grad: Any, dim: int) -> Any:
        parts = grad.unflatten(dim, (-1, self.times)).unbind(dim + 1)
        phases: dict[int, Weights] = {}
        for k, weights in enumerate(self.weights):
            for t, c in weights.items():
                phases.setdefault(t, {})[k] = c
        result = None
        size = parts[0].shape[dim]
        for t, weights in phases.items():
            part = _weighted(weights, parts.__getitem__)
            # What came from a neighbour goes back to it, and from the border to the border.
            moved = _moved(part, dim, t)
            for r in range(abs(t)):
                border = _only(part, dim, r if t < 0 else size - 1 - r)
                moved = moved + _moved(border, dim, -r if t < 0 else r)
            result = moved if result is None else result + moved
        return result


@dataclass(frozen=True)
class _Shrink:
    """Element `i` is the sum of `weights[p]` times element `times * i + p`."""

    times: int
    weights: Weights

    def apply(self, x: Any, dim: int) -> Any:
        parts = x.unflatten(dim, (-1, self.times))
        return _weighted(self.weights, lambda p: parts.select(dim + 1, p))

    def transposed(self, grad: Any, dim: int) -> Any:
        import torch

        none = torch.zeros_like(grad)
        parts = [grad * self.weights[p] if p in self.weights else none for p in range(self.times)]
        return torch.stack(parts, dim + 1).flatten(dim, dim + 1)


@dataclass(frozen=True)
class _Matrix:
    """Element `i` is the sum of `rows[i][j]` times element `j` of `size`."""

    size: int
    rows: Sequence[Weights]

    def _dense(self, x: Any) -> Any:
        import torch

        dense = np.zeros((len(self.rows), self.size))
        for row, weights in zip(dense, self.rows, strict=True):
            row[list(weights)] = list(weights.values())
        return torch.tensor(dense.tolist(), dtype=x.dtype)

    def apply(self, x: Any, dim: int) -> Any:
        import torch

        if all(list(row.values()) == [1.0] for row in self.rows):
            # Without the product of zero and infinity, and for integers too.
            return x.index_select(dim, torch.tensor([place for row in self.rows for place in row]))
        return (x.movedim(dim, -1) @ self._dense(x).t()).movedim(-1, dim)

    def transposed(self, grad: Any, dim: int) -> Any:
        return (grad.movedim(dim, -1) @ self._dense(grad)).movedim(-1, dim)


Map = _Stretch | _Shrink | _Matrix
# Of the place in the source that an element comes from, the weights of the elements near it.
Filter = Callable[[Any], Weights]


def _weighted(weights: Weights, part: Callable[[int], Any]) -> Any:
    """The sum of `part(i)` times `weights[i]`."""
    result = None
    for i, c in weights.items():
        term = part(i) if c == 1.0 else part(i) * c
        result = term if result is None else result + term
    return result


def _padded(x: Any, dim: int, low: int, high: int, number: float = 0) -> Any:
    import torch

    return torch.constant_pad_nd(x, [0, 0] * (x.dim() - dim - 1) + [low, high], number)


def _moved(x: Any, dim: int, distance: int) -> Any:
    """Element `i` at `i + distance`, and zeros."""
    low, high = max(-distance, 0), max(distance, 0)
    return _padded(x.narrow(dim, low, x.shape[dim] - low - high), dim, high, low)


def _only(x: Any, dim: int, place: int) -> Any:
    """Zeros but for the elements at `place`."""
    import torch

    shape = [1] * x.dim()
    shape[dim] = x.shape[dim]
    here = (torch.arange(x.shape[dim]) == place).reshape(shape)
    return torch.where(here, x, torch.zeros((), dtype=x.dtype))


def _neighbours(x: Any, dim: int, distance: int) -> Any:
    """Element `i + distance` at each `i`; outside, the element at the border."""
    import torch

    if not distance:
        return x
    size, count = x.shape[dim], abs(distance)
    border = x.narrow(dim, size - 1 if distance > 0 else 0, 1)
    border = border.expand([count if d == dim else n for d, n in enumerate(x.shape)])
    if distance > 0:
        return torch.cat([x.narrow(dim, count, size - count), border], dim)
    return torch.cat([border, x.narrow(dim, 0, size - count)], dim)


def _linear(source: Any) -> Weights:
    first = math.floor(source)
    second = float(source - first)
    return {first: 1 - second, first + 1: second} if second else {first: 1.0}


def _cubic(source: Any) -> Weights:
    a, first = -0.75, math.floor(source)
    behind = float(source - first)

    def near(t: float) -> float:
        return ((a + 2) * t - (a + 3)) * t * t + 1

    def far(t: float) -> float:
        return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a

    found = (far(behind + 1), near(behind), near(1 - behind), far(2 - behind))
    return {first - 1 + i: c for i, c in enumerate(found) if c}


def _within(weights: Weights, size: int) -> Weights:
    found: Weights = {}
    for place, weight in weights.items():
        place = min(max(place, 0), size - 1)
        found[place] = found.get(place, 0.0) + weight
    return found


def _interpolation(
    n: int, m: int, corners: bool, scale: float | None, filter: Filter, real: Any
) -> Map:
    """From `n` elements to `m`. `filter` is `_linear` or `_cubic`, and `real` the type in which
    PyTorch computes the places.
    """
    if not corners and scale in (None, m / n):
        if m % n == 0:
            times = m // n
            phases = [filter((k + 0.5) / times - 0.5) for k in range(times)]
            if all(abs(t) < n for phase in phases for t in phase):
                return _Stretch(times, phases)
        elif n % m == 0 and (inner := filter((n // m - 1) / 2)).keys() <= set(range(n // m)):
            return _Shrink(n // m, inner)
    if corners:
        ratio = real(n - 1) / real(m - 1) if m > 1 else real(0)
    else:
        ratio = real(1 / scale) if scale else real(n) / real(m)
    rows = []
    for i in range(m):
        source = real(i) * ratio if corners else (real(i) + real(0.5)) * ratio - real(0.5)
        if filter is _linear:
            source = max(source, real(0))
        rows.append(_within(filter(source), n))
    return _Matrix(n, rows)


@dataclass(frozen=True)
class _Smooth:
    """A filter of antialiasing: the weight of what lies at a distance, zero from `reach` on."""

    reach: float
    weight: Callable[[Any], Any]


def _linear_at(distance: Any) -> Any:
    return max(1 - abs(distance), type(distance)(0))


def _cubic_at(distance: Any) -> Any:
    """That of Keys with a = -0.5, as PyTorch has it here, and -0.75 without antialiasing."""
    x = abs(distance)
    if x < 1:
        return (1.5 * x - 2.5) * x * x + 1
    return ((-0.5 * x + 2.5) * x - 4) * x + 2 if x < 2 else type(x)(0)


def _lanczos_at(distance: Any) -> Any:
    real = type(distance)
    x = real(math.pi) * distance
    return 3 * np.sin(x) * np.sin(x / 3) / (x * x) if x and abs(distance) < 3 else real(not x)


def _antialiased(
    n: int, m: int, corners: bool, scale: float | None, filter: _Smooth, real: Any
) -> Map:
    """From `n` elements to `m`, each a mean of what the filter reaches, more with greater `n / m`.

    One column of several rows differs from PyTorch, which gives each row of them the same.
    """
    # In the type in which PyTorch computes the weights.
    one, half = real(1), real(0.5)
    if corners:
        ratio = real(n - 1) / real(m - 1) if m > 1 else real(0)
    else:
        ratio = real(1 / scale) if scale else real(n) / real(m)
    wide = max(ratio, one)
    rows = []
    for i in range(m):
        center = ratio * (real(i) + half)
        first = max(int(center - real(filter.reach) * wide + half), 0)
        end = min(int(center + real(filter.reach) * wide + half), n)
        found = {
            j: filter.weight((real(j) - center + half) * (one / wide)) for j in range(first, end)
        }
        total = sum(found.values(), real(0)) or one
        rows.append({j: float(weight / total) for j, weight in found.items() if weight})
    if n == m and rows == [{i: 1.0} for i in range(m)]:
        return _Stretch(1, [{0: 1.0}])
    return _Matrix(n, rows)


def _nearest(n: int, m: int, scale: float | None, exact: bool) -> Map:
    if scale in (None, m / n):
        if m % n == 0:
            return _Stretch(m // n, [{0: 1.0}] * (m // n))
        if n % m == 0:
            return _Shrink(n // m, {n // m // 2 if exact else 0: 1.0})
    ratio = np.float32(1 / scale) if scale else np.float32(n) / np.float32(m)
    half = np.float32(0.5 if exact else 0)
    places = [min(math.floor((np.float32(i) + half) * ratio), n - 1) for i in range(m)]
    return _Matrix(n, [{place: 1.0} for place in places])


def _mean(n: int, m: int) -> Map:
    """Of adaptive pooling: element `i` is the mean of a window."""
    if n % m == 0:
        return _Shrink(n // m, {p: m / n for p in range(n // m)})
    windows = [range(i * n // m, -(-(i + 1) * n // m)) for i in range(m)]
    return _Matrix(n, [{j: 1 / len(window) for j in window} for window in windows])


def _apply(x: Any, maps: Sequence[Map], transposed: bool) -> Any:
    import torch

    is_small = x.is_floating_point() and x.dtype.itemsize < 4
    numbers = x.to(torch.float32) if is_small else x
    # The gradient goes the way back, so that one dimension is at its smaller size in both.
    every = list(enumerate(maps, x.dim() - len(maps)))
    for dim, each in reversed(every) if transposed else every:
        numbers = each.transposed(numbers, dim) if transposed else each.apply(numbers, dim)
    return numbers.to(x.dtype) if is_small else numbers


def _interpolations(filter: Filter | _Smooth) -> tuple[Any, Any, Any]:
    """The decompositions of an op, of its overload `vec`, and of its gradient."""
    import torch

    made: Any = _antialiased if isinstance(filter, _Smooth) else _interpolation

    def maps(dtype: Any, sizes: Any, output: Any, corners: bool, scales: Any) -> list[Map]:
        scales = scales or [None] * len(output)
        real = np.float64 if dtype == torch.float64 else np.float32
        every = zip(sizes[2:], output, scales, strict=True)
        return [made(n, m, corners, scale, filter, real) for n, m, scale in every]

    def forward(x: Any, output: Any, corners: bool, *scales: Any) -> Any:
        return _apply(x, maps(x.dtype, x.shape, output, corners, scales), False)

    def vector(x: Any, output: Any, corners: bool, factors: Any) -> Any:
        if output is None:
            output = [math.floor(n * f) for n, f in zip(x.shape[2:], factors, strict=True)]
        return _apply(x, maps(x.dtype, x.shape, output, corners, factors), False)

    def backward(grad: Any, output: Any, sizes: Any, corners: bool, *scales: Any) -> Any:
        return _apply(grad, maps(grad.dtype, sizes, output, corners, scales), True)

    return forward, vector, backward


def _nearests(exact: bool) -> tuple[Any, Any, Any]:
    def maps(sizes: Any, output: Any, scales: Any) -> list[Map]:
        scales = scales or [None] * len(output)
        every = zip(sizes[2:], output, scales, strict=True)
        return [_nearest(n, m, scale, exact) for n, m, scale in every]

    def forward(x: Any, output: Any, *scales: Any) -> Any:
        return _apply(x, maps(x.shape, output, scales), False)

    def vector(x: Any, output: Any, factors: Any) -> Any:
        if output is None:
            output = [math.floor(n * f) for n, f in zip(x.shape[2:], factors, strict=True)]
        return _apply(x, maps(x.shape, output, factors), False)

    def backward(grad: Any, output: Any, sizes: Any, *scales: Any) -> Any:
        return _apply(grad, maps(sizes, output, scales), True)

    return forward, vector, backward


def _adaptive_backward(count: int, grad: Any, x: Any) -> Any:
    sizes = zip(x.shape[-count:], grad.shape[-count:], strict=True)
    return _apply(grad, [_mean(n, m) for n, m in sizes], True)


@cache
def _resamplings() -> dict[Any, Any]:
    import torch

    aten = torch.ops.aten
    ops = {
        "upsample_linear1d": _interpolations(_linear),
        "upsample_bilinear2d": _interpolations(_linear),
        "upsample_trilinear3d": _interpolations(_linear),
        "upsample_bicubic2d": _interpolations(_cubic),
        "_upsample_bilinear2d_aa": _interpolations(_Smooth(1, _linear_at)),
        "_upsample_bicubic2d_aa": _interpolations(_Smooth(2, _cubic_at)),
        "_upsample_lanczos2d_aa": _interpolations(_Smooth(3, _lanczos_at)),
    }
    for dims in ("1d", "2d", "3d"):
        ops[f"upsample_nearest{dims}"] = _nearests(False)
        ops[f"_upsample_nearest_exact{dims}"] = _nearests(True)
    table = {
        aten._adaptive_avg_pool2d_backward.default: partial(_adaptive_backward, 2),
        aten._adaptive_avg_pool3d_backward.default: partial(_adaptive_backward, 3),
    }
    for name, (forward, vector, backward) in ops.items():
        table[getattr(aten, name).default] = forward
        table[getattr(aten, name).vec] = vector
        table[getattr(aten, name + "_backward").default] = backward
    return table


def has_resampling(exported: Any) -> bool:
    return any(node.target in _resamplings() for node in nodes_of(exported))


def interpolates_bytes(node: Any) -> bool:
    """Whether an op interpolates between integers, which PyTorch rounds in ways of its own."""
    import torch

    is_of_places = "nearest" in str(node.target) or node.target not in _resamplings()
    return not is_of_places and node.meta["val"].dtype == torch.uint8


def resampled(node: Any, target: Any, args: Any, kwargs: Any) -> Any:
    """Calls an op, those of this file in other terms.

    They are no decompositions of a table: PyTorch has some of its own, which it prefers.
    """
    return _resamplings().get(target, target)(*args, **kwargs)
