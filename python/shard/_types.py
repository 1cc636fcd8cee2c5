# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: names of MLIR and dtypes of numpy."""

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

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


def to_tensor(
    value: npt.ArrayLike, element_type: str, name: str
) -> tuple[str, list[int], npt.NDArray[np.uint8]]:
    """`value` as the extension takes tensors: element type, shape, bytes.

    Copies only what is not contiguous. Python numbers and lists take the type that the
    program wants; an array must have it.
    """
    wanted = dtype_of(element_type)
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype != wanted:
            raise TypeError(
                f"{name} takes elements of {wanted.name} ({element_type}), the array has "
                f"{array.dtype.name}; convert it by .astype"
            )
    elif hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        return to_tensor(np.asarray(value), element_type, name)
    else:
        array = np.asarray(value, dtype=wanted)
    array = np.ascontiguousarray(array).reshape(array.shape)
    return element_type, list(array.shape), array.reshape(-1).view(np.uint8)


def from_tensor(tensor: tuple[str, list[int], npt.NDArray[np.uint8]]) -> npt.NDArray[Any]:
    """The array of numpy that a tensor of the extension is, without a copy."""
    element_type, shape, data = tensor
    return data.view(dtype_of(element_type)).reshape(shape)
