# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the frontends share about arguments of functions."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any


def positional_parameters(fn: Callable[..., Any]) -> list[str]:
    """The names of those that take arguments by position; none if that is not known."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in positional]


def names_in_short(names: Sequence[str], verb: str = "is", most: int = 8) -> str:
    """`a, b are`, or `a is`; without the verb if it is empty. Of many names the first ones."""
    text = ", ".join(names[:most])
    if len(names) > most:
        text += f" and {len(names) - most} more"
    if not verb:
        return text
    return f"{text} {verb}" if len(names) == 1 else f"{text} are"


def structure_error(given: Sequence[str], wanted: Sequence[str]) -> str:
    """What is wrong with arguments whose leaves are called `given` and not `wanted`."""
    missing = [name for name in wanted if name not in given]
    unknown = [name for name in given if name not in wanted]
    parts: list[str] = []
    for name in [name for name in missing if _inside(name, unknown)]:
        parts.append(f"{name} is one value, not {len(_inside(name, unknown))} in a tree")
        unknown = [other for other in unknown if not other.startswith(f"{name}.")]
        missing.remove(name)
    for name in [name for name in unknown if _inside(name, missing)]:
        parts.append(
            f"{name} is not one value: it has {names_in_short(_inside(name, missing), '')}"
        )
        missing = [other for other in missing if not other.startswith(f"{name}.")]
        unknown.remove(name)
    if missing:
        parts.append(f"{names_in_short(missing)} missing")
    if unknown:
        parts.append(f"the program has no {names_in_short(unknown, '')}")
    if not parts:
        parts.append("the lists, tuples and dictionaries are of other kinds")
    return (
        "the arguments have another structure than those that the program was made for: "
        + "; ".join(parts)
    )


def _inside(name: str, others: Sequence[str]) -> list[str]:
    return [other for other in others if other.startswith(f"{name}.")]
