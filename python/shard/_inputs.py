# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inputs of a run, as the extension takes them."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from shard._errors import Diagnostic, RunError, in_python
from shard._report import ValueInfo
from shard._types import to_tensor

Input = tuple[Any, ...]

_CARRIED = re.compile(r"argument 0: '(.*)' is no type of elements in host memory", re.DOTALL)


def to_inputs(
    entry: str,
    values: Sequence[ValueInfo],
    arguments: Sequence[npt.ArrayLike | None],
    *,
    all_given: bool,
    shapes: bool,
) -> list[Input]:
    """The tensors of `arguments` for `values`, the arguments of the program.

    Args:
        entry: the name of the function.
        values: the arguments of the program.
        arguments: what the user passed.
        all_given: none may be missing or None, which stand for random tensors.
        shapes: whether to compare shapes.

    Raises:
        RunError: the arguments do not fit.
    """
    if len(arguments) > len(values) or (all_given and len(arguments) < len(values)):
        raise RunError(f"'{entry}' takes {len(values)} arguments, but {len(arguments)} are given")
    inputs: list[Input] = []
    for value, argument in zip(values, arguments, strict=False):
        if argument is None:
            if all_given:
                raise RunError(f"{value.name} is None; only `verify` takes random tensors for it")
            inputs.append((value.element_type, [], None))
            continue
        try:
            inputs.append(to_tensor(argument, value.element_type, value.name))
        except (TypeError, ValueError, OverflowError, RuntimeError) as error:
            text = str(error)
            where = "" if text.startswith(f"{value.name} ") else f"{value.name}: "
            raise RunError(where + text) from None
        if shapes:
            _check_shape(value, inputs[-1][1])
    return inputs


def _check_shape(value: ValueInfo, shape: Sequence[int]) -> None:
    """The extension would say it too, of a number instead of a name."""
    fits = len(value.shape) == len(shape) and all(
        wanted in (-1, given) for wanted, given in zip(value.shape, shape, strict=True)
    )
    if not fits:
        text = ", ".join("any" if extent == -1 else str(extent) for extent in value.shape)
        comma = "," if len(value.shape) == 1 else ""
        raise RunError(f"{value.name} takes a tensor of shape ({text}{comma}), not {tuple(shape)}")


def carry(error: Exception) -> list[Input]:
    """Inputs that no run takes, which tell the other processes of `error`.

    The processes of an MPI program tell each other before a run what is wrong with their
    inputs. A type of elements that there is not is named in what they say: here it is the text of
    the error.
    """
    return [(str(error), [1], np.zeros(1, np.uint8))]


def is_carried(diagnostics: Sequence[Diagnostic]) -> bool:
    """Whether `diagnostics` tell of an error that another process has carried."""
    return any(_CARRIED.search(diagnostic.message) for diagnostic in diagnostics)


def run_error(text: str, diagnostics: Sequence[Diagnostic] = ()) -> RunError:
    """The error of a run, with what another process has carried as it was there."""
    return RunError(_CARRIED.sub(r"\1", in_python(text)), diagnostics)
