# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers and Fourier transforms of PyTorch, on one device and on several."""

import numpy as np
import pytest
import torch
from torch import fft
from torch.utils import _pytree as pytree

import shard
from shard import Grid, P

REAL = torch.randn(4, 6)
COMPLEX = torch.randn(4, 6, dtype=torch.complex64)
SPECIAL = COMPLEX.clone()
SPECIAL[0, :4] = torch.tensor([0, 1e25 + 1e25j, complex("inf"), complex(1, float("-inf"))])


def assigned(z):
    x = torch.zeros(4, 8, dtype=torch.complex64)
    x[:, :6] = z
    return x


def filtered(x, w):
    """A layer of a Fourier neural operator."""
    k = fft.rfft(x)
    out = torch.zeros(2, 3, 9, dtype=torch.complex64)
    weights = torch.view_as_complex(w)
    out[:, :, :4] = torch.einsum("bik,iok->bok", k[:, :, :4], weights)
    return fft.irfft(out, n=16)


def gradients(x, w):
    def loss(x, w):
        return (filtered(x, w) ** 2).sum()

    return torch.func.grad(loss, argnums=(0, 1))(x, w)


def spectrogram(x):
    return torch.stft(x, 8, 4, window=torch.hann_window(8), return_complex=True).abs()


LAYER = torch.randn(2, 3, 16), torch.randn(3, 3, 4, 2)
CASES = {
    "sums and products with numbers": (lambda z: (2 + 1j) * z + 3j - z / (1 - 2j), COMPLEX),
    "a number minus": (lambda z: 1 - z, COMPLEX),
    "quotients": (lambda z: z / (z.flip(0) + 2), COMPLEX),
    "of large numbers": (lambda z: (z * 1e25) / (z.flip(0) * 1e25 + 1e25), COMPLEX),
    "reciprocal": (torch.reciprocal, COMPLEX),
    "abs": (torch.abs, SPECIAL),
    "angle": (torch.angle, COMPLEX),
    "sgn": (torch.sgn, COMPLEX * (COMPLEX.real > 0)),
    "conjugates": (lambda z: (z.conj() @ z.T, z.mH @ z), COMPLEX),
    "exp": (torch.exp, COMPLEX),
    "log": (torch.log, COMPLEX),
    "sqrt": (torch.sqrt, torch.cat([COMPLEX, torch.tensor([[-4, 4, 0, -2j, 2j, -1 + 1e-4j]])])),
    "sqrt at the cut": (torch.sqrt, torch.complex(-REAL.abs(), torch.tensor(-0.0).expand(4, 6))),
    "scaled sums": (
        lambda z, x: (
            torch.add(z, x, alpha=2),
            torch.sub(x, z, alpha=2j),
            torch.rsub(z, x, alpha=3),
        ),
        COMPLEX,
        REAL,
    ),
    "scattered number": (lambda z: z.scatter(1, torch.tensor([[1], [0]]), 2.0), COMPLEX),
    "square": (lambda z: z**2, COMPLEX),
    "sums": (lambda z: (z.sum(0), z.mean(1), z.cumsum(1), z.sum()), COMPLEX),
    "norm": (torch.linalg.vector_norm, COMPLEX),
    "choices": (lambda z, x: torch.where(x > 0, z, 2 * z), COMPLEX, REAL),
    "masks": (lambda z: z.masked_fill(z.real > 0, 2.0), COMPLEX),
    "equal": (lambda z: (z == z.flip(0).flip(0), z != 1), COMPLEX),
    "assigned": (assigned, COMPLEX),
    "of real numbers": (lambda x: x.to(torch.complex64) * 1j, REAL),
    "rotations": (lambda x: torch.polar(x.abs(), x.flip(1)), REAL),
    "fft": (lambda z: (fft.fft(z), fft.ifft(z), fft.fft(z, n=8, dim=0, norm="ortho")), COMPLEX),
    "fft of planes": (lambda z: (fft.fft2(z), fft.ifftn(z, norm="forward")), COMPLEX),
    "rfft": (lambda x: (fft.rfft(x), fft.rfft2(x), fft.ihfft(x), fft.fft(x)), REAL),
    "irfft": (lambda x: (fft.irfft(fft.rfft(x) * 2), fft.irfft(fft.rfft(x), n=5)), REAL),
    "hfft": (lambda x: fft.hfft(fft.rfft(x)), REAL),
    "frequencies": (lambda x: fft.rfft(x) * fft.rfftfreq(6) + fft.fftfreq(4), REAL),
    "stft": (spectrogram, torch.randn(2, 32)),
    "layer": (filtered, *LAYER),
    "gradient of a layer": (gradients, *LAYER),
}


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    function, *tensors = CASES[case]
    expected = [np.asarray(r.resolve_conj()) for r in pytree.tree_leaves(function(*tensors))]
    program = shard.from_torch(function, *tensors)
    for value in program.arguments:
        for dim in range(len(value.shape)):
            part = program.partition(Grid(2), {value.name: P(*[None] * dim, 0)})
            results = program.trees.flatten_results(part(*tensors))
            for result, wanted in zip(map(np.asarray, results), expected, strict=True):
                assert result.dtype == wanted.dtype
                finite = np.abs(wanted[np.isfinite(wanted)])
                size = finite.max() if case != "abs" else 1
                np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5 * size)


FUNCTIONS = {
    **{
        f"{sign}{kind}fft{end}": getattr(fft, f"{sign}{kind}fft{end}")
        for sign in ("", "i")
        for kind in ("", "r", "h")
        for end in ("", "2", "n")
    },
    "of more elements": lambda x: fft.fft(x, n=8, dim=0, norm="ortho"),
    "of fewer rows": lambda x: fft.fftn(x, s=(3, -1), norm="forward"),
    "to an odd number": lambda z: fft.irfftn(z, s=(4, 5)),
    "to an odd number of conjugates": lambda z: fft.hfft2(z, s=(3, 7), norm="forward"),
    "of integers": lambda x: fft.rfft((x * 4).to(torch.int32)),
}


class Of(torch.nn.Module):
    """`torch.export` keeps the functions that a module calls."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x) * 2


@pytest.mark.parametrize("name", FUNCTIONS)
def test_module(name):
    module = Of(FUNCTIONS[name])
    takes_complex = name.startswith(("irfft", "hfft", "to an odd"))
    x = COMPLEX if takes_complex else REAL
    program, wanted = shard.from_torch(module, x), module(x).numpy()
    found = np.asarray(program.partition(Grid(2), {"x": P(0)})(program.weights, x))
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5 * np.abs(wanted).max())


def test_narrow_integers_without_a_dimension():
    x = torch.randint(0, 250, (4, 1, 6)).to(torch.uint8)
    part = shard.from_torch(lambda x: x.squeeze(1) + 3, x).partition(Grid(2), {"x": P(0)})
    np.testing.assert_array_equal(np.asarray(part(x)), x.squeeze(1).numpy() + 3)


def test_not_read():
    with pytest.raises(shard.ProgramError, match=r"'aten.tanh.default'"):
        shard.from_torch(torch.tanh, COMPLEX)
    with pytest.raises(shard.ProgramError, match=r"py:\d+: a Fourier transform of 50000 elem"):
        shard.from_torch(lambda x: fft.rfft(x), torch.zeros(50000))
