# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions of floats of one byte, compared with those of ml_dtypes."""

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import shard
from shard import Grid, P

FORMATS = {
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}

PROGRAM = """
func.func @main(%a: tensor<256xNAME>, %b: tensor<SIZExf32>)
    -> (tensor<256xf32>, tensor<SIZExNAME>) {
  %0 = arith.extf %a : tensor<256xNAME> to tensor<256xf32>
  %1 = arith.truncf %b : tensor<SIZExf32> to tensor<SIZExNAME>
  return %0, %1 : tensor<256xf32>, tensor<SIZExNAME>
}
"""


def probes(numbers: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """All numbers of a format, what is between two, next to that, and beyond the ends."""
    finite = np.sort(numbers[np.isfinite(numbers)])
    middle = (finite[1:] + finite[:-1]) / np.float32(2)
    up, down = np.float32(np.inf), np.float32(-np.inf)
    beyond = np.float32([1.01, 1.03, 1.0625, 1.1, 2, 1e9])
    special = np.float32([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-30, -1e-30, 1e-42])
    return np.concatenate(
        [
            finite,
            middle,
            np.nextafter(middle, up),
            np.nextafter(middle, down),
            finite[-1] * beyond,
            finite[0] * beyond,
            special,
        ]
    )


@pytest.mark.parametrize("name", FORMATS)
def test_conversions(name: str) -> None:
    every = np.arange(256, dtype=np.uint8).view(FORMATS[name])
    with np.errstate(all="ignore"):
        wide = every.astype(np.float32)
        values = probes(wide)
        narrow = values.astype(FORMATS[name])
    text = PROGRAM.replace("NAME", name).replace("SIZE", str(len(values)))
    part = shard.load(text).partition(Grid(x=2), {"arg0": P("x"), "arg1": P("x")})
    extended, truncated = part(every, values)
    numbers = ~np.isnan(wide)
    assert np.array_equal(extended.view(np.int32)[numbers], wide.view(np.int32)[numbers])
    assert np.isnan(extended[~numbers]).all()
    expected, found = narrow.astype(np.float32), truncated.astype(np.float32)
    numbers = ~np.isnan(expected)
    assert np.array_equal(found.view(np.int32)[numbers], expected.view(np.int32)[numbers])
    assert np.isnan(found[~numbers]).all()
