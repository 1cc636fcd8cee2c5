# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of torch.fft by the three transforms of PyTorch that they call.

`torch.export` keeps the functions as they are called. They are defined by the documentation of
torch.fft; `n` and `s` are numbers of elements, `norm` one of "backward", "ortho" and "forward".
"""

from collections.abc import Callable, Sequence
from typing import Any


def fourier_decompositions() -> dict[Any, Any]:
    import torch

    aten = torch.ops.aten
    table: dict[Any, Any] = {
        aten.fft_fftfreq.default: _frequencies,
        aten.fft_rfftfreq.default: _frequencies_of_half,
    }
    for name, transform in _TRANSFORMS.items():
        table[getattr(aten, f"fft_{name}").default] = _of_one(transform)
        table[getattr(aten, f"fft_{name}2").default] = _of_two(transform)
        table[getattr(aten, f"fft_{name}n").default] = _of_some(transform)
    return table


def _frequencies(n: int, d: float = 1.0, *, dtype: Any = None, **_: Any) -> Any:
    import torch

    places = torch.cat([torch.arange((n + 1) // 2), torch.arange(-(n // 2), 0)])
    return places.to(dtype or torch.get_default_dtype()) / (n * d)


def _frequencies_of_half(n: int, d: float = 1.0, *, dtype: Any = None, **_: Any) -> Any:
    import torch

    return torch.arange(n // 2 + 1).to(dtype or torch.get_default_dtype()) / (n * d)


# Of a tensor, the dimensions, how many elements each shall have, and the norm.
_Transform = Callable[[Any, list[int], list[int], str | None], Any]


def _of_one(transform: _Transform) -> Callable[..., Any]:
    def decomposed(x: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
        return transform(x, [dim % x.dim()], [-1 if n is None else n], norm)

    return decomposed


def _of_some(transform: _Transform) -> Callable[..., Any]:
    def decomposed(
        x: Any,
        s: Sequence[int] | None = None,
        dim: Sequence[int] | None = None,
        norm: str | None = None,
    ) -> Any:
        if dim is None:
            dim = range(-(x.dim() if s is None else len(s)), 0)
        dims = [d % x.dim() for d in dim]
        return transform(x, dims, [-1] * len(dims) if s is None else list(s), norm)

    return decomposed


def _of_two(transform: _Transform) -> Callable[..., Any]:
    some = _of_some(transform)

    def decomposed(
        x: Any,
        s: Sequence[int] | None = None,
        dim: Sequence[int] = (-2, -1),
        norm: str | None = None,
    ) -> Any:
        return some(x, s, dim, norm)

    return decomposed


def _normalization(norm: str | None, forward: bool) -> int:
    """That of the transforms: by nothing, by the root of the number of elements, by the number."""
    backward, rest = (0, 2) if forward else (2, 0)
    return {"ortho": 1, "forward": rest}.get(norm or "backward", backward)


def _resized(x: Any, dims: Sequence[int], sizes: Sequence[int]) -> Any:
    """With so many elements along `dims`: the first ones, or zeros behind all; -1 keeps them."""
    import torch

    for dim, size in zip(dims, sizes, strict=True):
        if -1 < size < x.shape[dim]:
            x = x.narrow(dim, 0, size)
        elif size > x.shape[dim]:
            shape = list(x.shape)
            shape[dim] = size - x.shape[dim]
            x = torch.cat([x, torch.zeros(shape, dtype=x.dtype)], dim)
    return x


def _floats(x: Any) -> Any:
    import torch

    is_number = x.is_complex() or x.is_floating_point()
    return x if is_number else x.to(torch.get_default_dtype())


def _complex(x: Any) -> Any:
    x = _floats(x)
    return x if x.is_complex() else x.to(x.dtype.to_complex())


def _transformed(x: Any, dims: Sequence[int], norm: str | None, forward: bool) -> Any:
    import torch

    if not dims:
        return x
    return torch.ops.aten._fft_c2c(x, list(dims), _normalization(norm, forward), forward)


def _fft(x: Any, dims: list[int], sizes: list[int], norm: str | None) -> Any:
    return _transformed(_resized(_complex(x), dims, sizes), dims, norm, True)


def _ifft(x: Any, dims: list[int], sizes: list[int], norm: str | None) -> Any:
    return _transformed(_resized(_complex(x), dims, sizes), dims, norm, False)


def _rfft(x: Any, dims: list[int], sizes: list[int], norm: str | None) -> Any:
    import torch

    x = _resized(_floats(x), dims, sizes)
    return torch.ops.aten._fft_r2c(x, dims, _normalization(norm, True), True)


def _halves(x: Any, dims: list[int], sizes: list[int]) -> tuple[Any, int]:
    """What a transform to real numbers takes, and how many elements it gives along the last."""
    x = _complex(x)
    last = 2 * (x.shape[dims[-1]] - 1) if sizes[-1] == -1 else sizes[-1]
    return _resized(x, dims, [*sizes[:-1], last // 2 + 1]), last


def _irfft(x: Any, dims: list[int], sizes: list[int], norm: str | None) -> Any:
    import torch

    x, last = _halves(x, dims, sizes)
    return torch.ops.aten._fft_c2r(x, dims, _normalization(norm, False), last)


def _hfft(x: Any, dims: list[int], sizes: list[int], norm: str | None) -> Any:
    import torch

    x, last = _halves(x, dims, sizes)
    x = _transformed(x, dims[:-1], norm, True).conj().resolve_conj()
    return torch.ops.aten._fft_c2r(x, dims[-1:], _normalization(norm, True), last)


def _ihfft(x: Any, dims: list[int], sizes: list[int], norm: str | None) -> Any:
    import torch

    x = _resized(_floats(x), dims, sizes)
    x = torch.ops.aten._fft_r2c(x, dims[-1:], _normalization(norm, False), True)
    return _transformed(x.conj().resolve_conj(), dims[:-1], norm, False)


_TRANSFORMS: dict[str, _Transform] = {
    "fft": _fft,
    "ifft": _ifft,
    "rfft": _rfft,
    "irfft": _irfft,
    "hfft": _hfft,
    "ihfft": _ihfft,
}
