# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: names of MLIR and dtypes of numpy."""

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from shard._errors import ProgramError
from shard._report import ValueInfo

_DTYPES: dict[str, np.dtype[Any]] = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "ui8": np.dtype(np.uint8),
    "ui16": np.dtype(np.uint16),
    "ui32": np.dtype(np.uint32),
    "ui64": np.dtype(np.uint64),
    "index": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "complex<f32>": np.dtype(np.complex64),
    "complex<f64>": np.dtype(np.complex128),
    "f8E3M4": np.dtype(ml_dtypes.float8_e3m4),
    "f8E4M3": np.dtype(ml_dtypes.float8_e4m3),
    "f8E4M3B11FNUZ": np.dtype(ml_dtypes.float8_e4m3b11fnuz),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E4M3FNUZ": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f8E5M2FNUZ": np.dtype(ml_dtypes.float8_e5m2fnuz),
}


def dtype_of(element_type: str) -> np.dtype[Any]:
    """The dtype of numpy that holds `element_type`.

    Raises TypeError for a type that has no form in host memory.
    """
    try:
        return _DTYPES[element_type]
    except KeyError:
        raise TypeError(f"elements of type '{element_type}' have no form in numpy") from None


def check_types(values: Sequence[ValueInfo]) -> None:
    """Raises ProgramError if numpy has no form for the elements of one of `values`."""
    for value in values:
        if value.element_type not in _DTYPES:
            raise ProgramError(
                f"{value.name} has the type '{value.type}', which has no form in numpy: the "
                "program can be partitioned and saved here, but not run"
            )


def to_tensor(
    value: npt.ArrayLike, element_type: str, name: str
) -> tuple[str, list[int], npt.NDArray[np.uint8]]:
    """`value` as the extension takes tensors: element type, shape, bytes.

    Copies only what does not lie row by row in the byte order of this machine. An array must
    have the type that the program wants; Python numbers and lists take it, if it holds
    them: floats may be rounded, integers and bool have to be what they were.

    Raises TypeError, ValueError or OverflowError, which name no argument or begin with
    `name`.
    """
    wanted = dtype_of(element_type)
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} takes no masked array; fill it by .filled")
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.newbyteorder("=") != wanted:
            raise TypeError(
                f"{name} takes elements of {wanted.name} ({element_type}), the array has "
                f"{array.dtype.name}; convert it by .astype"
            )
        array = array.astype(wanted, copy=False)
    elif hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        return to_tensor(np.asarray(value), element_type, name)
    else:
        array = _converted(value, wanted)
    # A copy if need be; of a scalar it would have a dimension.
    array = np.ascontiguousarray(array).reshape(array.shape)
    data = array.reshape(-1).view(np.uint8)
    if wanted == np.bool_ and data.size and data.max() > 1:
        # For numpy every byte but 0 is True, for a program 1 is.
        data = (data != 0).view(np.uint8)
    return element_type, list(array.shape), data


def _converted(value: npt.ArrayLike, wanted: np.dtype[Any]) -> npt.NDArray[Any]:
    """Numbers and lists as an array of the type `wanted`."""
    array = np.asarray(value, dtype=wanted)
    if wanted.kind in "iub":
        given = np.asarray(value)
        if not np.array_equal(array, given):
            raise ValueError(f"{given.tolist()!r:.60} has numbers that {wanted.name} does not hold")
    return array


def from_tensor(tensor: tuple[str, list[int], npt.NDArray[np.uint8]]) -> npt.NDArray[Any]:
    """The array of numpy that a tensor of the extension is, without a copy."""
    element_type, shape, data = tensor
    return data.view(dtype_of(element_type)).reshape(shape)
