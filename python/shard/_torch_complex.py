# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of PyTorch on complex numbers that torch-mlir does not lower, by real and imaginary parts.

Fourier transforms are products with the matrix of the transform, which is split like any other:
each element is a sum of all, so that a transform of n elements takes n * n products.
"""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from shard._torch_trace import graphs_of

# A transform of more elements has a matrix that no memory holds.
LONGEST = 46340
# Ops that do with each part what they do with a real tensor: of several operands, and of one
# beside dimensions and places.
_SUMS = frozenset("add copy fill masked_fill rsub sub where".split())
_BY_PARTS = _SUMS | frozenset(
    """clone cumsum flip gather index index_add index_put index_select mean neg roll
    select_scatter slice_scatter sum""".split()
)
# Ops that make tensors of a real number, and of one among their arguments, with its place.
_CREATORS = frozenset(
    """empty empty_like new_empty new_ones new_zeros ones ones_like zeros zeros_like""".split()
)
_PLACES = {"scalar_tensor": 0, "full": 1, "full_like": 1, "new_full": 2}


def has_complex(exported: Any) -> bool:
    """Whether a program has complex numbers."""
    from torch.utils import _pytree as pytree

    nodes = (node for module in graphs_of(exported) for node in module.graph.nodes)
    return any(_is_complex(v) for node in nodes for v in pytree.tree_leaves(node.meta.get("val")))


def by_parts(node: Any, target: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """What the op `target` of `node` gives, or None if it is lowered as it is."""
    import torch
    from torch.utils import _pytree as pytree

    if not isinstance(target, torch._ops.OpOverload):
        return None
    name = target.overloadpacket.__name__
    leaves = pytree.tree_leaves((args, dict(kwargs)))
    if not any(map(_is_complex, leaves)) and not _is_complex(node.meta.get("val")):
        return None
    if name in _CREATORS or name in _PLACES:
        return _created(name, target, args, kwargs, node.meta["val"].dtype)
    if name in _ops():
        return _ops()[name](*args, **kwargs)
    if name in _BY_PARTS:
        return _parts(target, args, kwargs)
    if name == "mul" and not all(isinstance(arg, torch.Tensor) for arg in args):
        return _product(*args)
    return None


def longest_transform(node: Any) -> int:
    """The elements along the longest dimension of a Fourier transform; 0 of another op."""
    if not getattr(node.target, "__name__", "").startswith("_fft_"):
        return 0
    values = (node.args[0].meta["val"], node.meta["val"])
    return max(int(value.shape[dim]) for value in values for dim in node.args[1])


def _is_complex(value: Any) -> bool:
    import torch

    return isinstance(value, complex) or (
        isinstance(value, torch.Tensor) and value.dtype.is_complex
    )


def _real(value: Any) -> Any:
    return value.real if _is_complex(value) else value


def _imaginary(value: Any) -> Any:
    """Zeros of a real tensor, or 0."""
    import torch

    if _is_complex(value):
        return value.imag
    return torch.zeros_like(value) if isinstance(value, torch.Tensor) else 0


def _parts(target: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """The op on the real parts and on the imaginary ones."""
    import torch
    from torch.utils import _pytree as pytree

    keywords = dict(kwargs)
    if isinstance(keywords.get("dtype"), torch.dtype):
        keywords["dtype"] = keywords["dtype"].to_real()
    name = target.overloadpacket.__name__
    is_sum = name in _SUMS
    if name in ("add", "rsub", "sub"):
        factor = keywords.pop("alpha", args[2] if len(args) > 2 else 1)
        args = list(args[:2])
        if factor != 1:
            scaled = 0 if name == "rsub" else 1
            args[scaled] = _product(args[scaled], factor)

    def imaginary(value: Any) -> Any:
        if _is_complex(value):
            return value.imag
        if isinstance(value, torch.Tensor):
            is_part = value.dtype.is_floating_point or (is_sum and value.dtype != torch.bool)
            return torch.zeros_like(value) if is_part else value
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return 0 if is_sum and is_number else value

    real, other = (pytree.tree_map(part, args) for part in (_real, imaginary))
    return torch.complex(target(*real, **keywords), target(*other, **keywords))


def _converted(x: Any, *, dtype: Any = None, **_: Any) -> Any:
    import torch

    dtype = dtype or x.dtype
    if not dtype.is_complex:
        return x.real.to(dtype)
    return torch.complex(*(part.to(dtype.to_real()) for part in (_real(x), _imaginary(x))))


def _created(name: str, target: Any, args: Any, kwargs: Mapping[str, Any], dtype: Any) -> Any:
    import torch

    real = dtype.to_real()
    keywords = {**kwargs, "dtype": real}
    args = [_real(arg) if isinstance(arg, torch.Tensor) else arg for arg in args]
    if name in _CREATORS:
        made = target(*args, **keywords)
        return torch.complex(made, torch.zeros_like(made))
    place = _PLACES[name]
    number = complex(args[place])
    parts = []
    for part in (number.real, number.imag):
        args[place] = part
        parts.append(target(*args, **keywords))
    return torch.complex(*parts)


def _product(a: Any, b: Any) -> Any:
    """Of a tensor and a number."""
    import torch

    real = _real(a) * _real(b) - _imaginary(a) * _imaginary(b)
    return torch.complex(real, _real(a) * _imaginary(b) + _imaginary(a) * _real(b))


def _abs(x: Any) -> Any:
    """Without squares of the larger part, which may overflow."""
    import torch

    real, imaginary = x.real.abs(), x.imag.abs()
    large, small = torch.maximum(real, imaginary), torch.minimum(real, imaginary)
    ratio = torch.where(large == 0, 0.0, small / large)
    found = large * torch.sqrt(1 + ratio * ratio)
    return torch.where(torch.isinf(large), math.inf, found)


def _conjugate(x: Any) -> Any:
    import torch

    return torch.complex(x.real, -x.imag) if _is_complex(x) else x


def _quotient(a: Any, b: Any) -> Any:
    import torch

    if not _is_complex(b):
        return torch.complex(_real(a) / b, _imaginary(a) / b)
    if isinstance(b, complex):
        return _product(a, 1 / b)
    # Without squares of the larger part.
    scale = torch.maximum(b.real.abs(), b.imag.abs())
    real, imaginary = b.real / scale, b.imag / scale
    size = (real * real + imaginary * imaginary) * scale
    above, beside = _real(a), _imaginary(a)
    return torch.complex(
        (above * real + beside * imaginary) / size, (beside * real - above * imaginary) / size
    )


def _exp(x: Any) -> Any:
    import torch

    size = torch.exp(x.real)
    return torch.complex(size * torch.cos(x.imag), size * torch.sin(x.imag))


def _log(x: Any) -> Any:
    import torch

    return torch.complex(torch.log(_abs(x)), torch.atan2(x.imag, x.real))


def _sqrt(x: Any) -> Any:
    """Of the half with positive real parts."""
    import torch

    size = _abs(x)
    real = torch.sqrt((size + x.real.abs()) / 2)
    beside = torch.where(real == 0, 0.0, x.imag.abs() / (2 * real))
    is_left = x.real < 0
    imaginary = torch.where(is_left, real, beside)
    return torch.complex(torch.where(is_left, beside, real), torch.copysign(imaginary, x.imag))


def _sign(x: Any) -> Any:
    import torch

    size = _abs(x)
    by = torch.where(size == 0, 1.0, size)
    return torch.complex(x.real / by, x.imag / by)


def _equal(a: Any, b: Any) -> Any:
    return (_real(a) == _real(b)) & (_imaginary(a) == _imaginary(b))


def _different(a: Any, b: Any) -> Any:
    return (_real(a) != _real(b)) | (_imaginary(a) != _imaginary(b))


def _size_of(normalization: int, count: int) -> float:
    """What a transform of `count` elements is divided by."""
    return (1.0, math.sqrt(count), float(count))[normalization]


def _waves(rows: int, columns: int, count: int, like: Any) -> tuple[Any, Any]:
    """Cosines and sines of the angles of a transform of `count` elements."""
    import torch

    places = torch.arange(rows).unsqueeze(1) * torch.arange(columns)
    angles = (places % count).to(torch.float64) * (2 * math.pi / count)
    return torch.cos(angles).to(like.dtype), torch.sin(angles).to(like.dtype)


def _transformed(x: Any, dim: int, forward: bool, kept: int) -> Any:
    """The first `kept` elements of the transform along `dim`."""
    import torch

    count = x.shape[dim]
    real = _real(x).movedim(dim, -1)
    cosines, sines = _waves(count, kept, count, real)
    sines = sines if forward else -sines
    if not _is_complex(x):
        return torch.complex(real @ cosines, -(real @ sines)).movedim(-1, dim)
    imaginary = x.imag.movedim(dim, -1)
    made = torch.complex(real @ cosines + imaginary @ sines, imaginary @ cosines - real @ sines)
    return made.movedim(-1, dim)


def _divided(x: Any, by: float) -> Any:
    return x if by == 1 else _quotient(x, by) if _is_complex(x) else x / by


def _fft(x: Any, dims: Any, normalization: int, forward: bool) -> Any:
    count = math.prod(x.shape[dim] for dim in dims)
    for dim in dims:
        x = _transformed(x, dim, forward, x.shape[dim])
    return _divided(x, _size_of(normalization, count))


def _fft_of_real(x: Any, dims: Any, normalization: int, onesided: bool) -> Any:
    count = math.prod(x.shape[dim] for dim in dims)
    *others, last = dims
    made = _transformed(x, last, True, x.shape[last] // 2 + 1 if onesided else x.shape[last])
    return _divided(_fft(made, others, 0, True), _size_of(normalization, count))


def _fft_to_real(x: Any, dims: Any, normalization: int, size: int) -> Any:
    """Of what has the first half of its elements alone; the others are their conjugates."""
    import torch

    *others, last = dims
    count = math.prod(x.shape[dim] for dim in others) * size
    x = _fft(x, others, 0, False)
    kept = size // 2 + 1
    x = x.narrow(last, 0, kept)
    real, imaginary = x.real.movedim(last, -1), x.imag.movedim(last, -1)
    cosines, sines = _waves(kept, size, size, real)
    places = torch.arange(kept)
    is_single = (places == 0) | (places * 2 == size)
    times = torch.where(is_single, 1.0, 2.0).to(real.dtype)
    made = (real * times) @ cosines - (imaginary * times) @ sines
    return _divided(made.movedim(-1, last), _size_of(normalization, count))


@cache
def _ops() -> dict[str, Callable[..., Any]]:
    return {
        "_to_copy": _converted,
        "abs": _abs,
        "_conj": _conjugate,
        "_conj_physical": _conjugate,
        "conj": _conjugate,
        "conj_physical": _conjugate,
        "resolve_conj": lambda x: x,
        "resolve_neg": lambda x: x,
        "div": _quotient,
        "reciprocal": lambda x: _quotient(1.0, x),
        "exp": _exp,
        "log": _log,
        "sqrt": _sqrt,
        "sgn": _sign,
        "eq": _equal,
        "ne": _different,
        "_fft_c2c": _fft,
        "_fft_r2c": _fft_of_real,
        "_fft_c2r": _fft_to_real,
    }
