# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms of JAX, on one device and on several."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.numpy import fft

import shard
from shard import Grid, P

REAL, OTHER = np.random.default_rng(7).normal(size=(2, 4, 6)).astype(np.float32)
COMPLEX = REAL + 1j * OTHER

CASES = {
    "fft": (fft.fft, COMPLEX),
    "fft of real numbers": (fft.fft, REAL),
    "fft of more elements": (lambda z: fft.fft(z, axis=0, n=8), COMPLEX),
    "ifft": (fft.ifft, COMPLEX),
    "rfft": (fft.rfft, REAL),
    "rfft of an odd number": (lambda x: fft.rfft(x[:, :5]), REAL),
    "irfft": (lambda x: fft.irfft(fft.rfft(x) * 2), REAL),
    "irfft to an odd number": (lambda x: fft.irfft(fft.rfft(x), n=5), REAL),
    "hfft": (lambda x: fft.hfft(fft.rfft(x)), REAL),
    "fft of planes": (fft.fft2, COMPLEX),
    "ifft of planes": (fft.ifftn, COMPLEX),
    "rfft of planes": (fft.rfft2, REAL),
    "irfft of planes": (lambda x: fft.irfft2(fft.rfft2(x) ** 2), REAL),
    "rows": (jax.vmap(lambda row: fft.fft(row).real), REAL),
    "gradient": (jax.grad(lambda x: jnp.abs(fft.rfft(x)).sum()), REAL),
    "gradient of both": (jax.grad(lambda x: (fft.irfft(fft.rfft(x) ** 2) ** 2).sum()), REAL),
}


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    function, x = CASES[case]
    program, expected = shard.from_jax(function, x), np.asarray(function(x))
    name = program.arguments[0].name
    for hint in (P(0), P(None, 0)):
        result = np.asarray(program.partition(Grid(2), {name: hint})(x))
        assert result.dtype == expected.dtype
        size = np.abs(expected).max()
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5 * size)


def test_too_many_elements():
    with pytest.raises(shard.ProgramError, match=r"py:\d+:\d+: a Fourier transform of 50000 elem"):
        shard.from_jax(lambda x: fft.rfft(x), jnp.zeros(50000))
