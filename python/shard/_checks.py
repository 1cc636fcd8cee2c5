# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of what a user passes. Numbers of numpy are numbers."""

import numbers
import operator
from typing import Any

import numpy as np


def integer(value: Any) -> int | None:
    """`value` as an int of Python; None if it is no integer. `bool` is none."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def check_timeout(timeout: Any) -> float:
    """The seconds that a device may wait, 0 for the default. Raises ValueError."""
    is_number = isinstance(timeout, numbers.Real) and not isinstance(timeout, bool)
    if is_number and 0 <= timeout < 1e9:
        return float(timeout)
    raise ValueError(
        f"timeout={timeout!r} is no time to wait; give a number of seconds above 0 and below "
        "1e9, or 0 for the default"
    )


def check_seed(seed: Any) -> int:
    """The seed. Raises ValueError if it is no integer of 64 bits."""
    number = integer(seed)
    if number is None or not 0 <= number < 2**64:
        raise ValueError(f"a seed is an integer from 0 to 2**64 - 1, not {seed!r}")
    return number


def check_text(name: str, value: Any) -> str:
    """A parameter that is a string that UTF-8 has. Raises TypeError or ValueError."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is a string, not {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} has a character that UTF-8 does not: {error}") from None
    return value


def check_flag(name: str, value: Any) -> bool:
    """A parameter that is True or False. Raises TypeError."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} is True or False, not {value!r}")
    return bool(value)
