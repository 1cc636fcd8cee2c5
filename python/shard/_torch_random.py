# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers of PyTorch's programs, such as those of dropout.

torch-mlir draws them from a state that each run of the program begins with 0: all calls would
have the same numbers. Here the state is an argument of the program, and a call draws it from
PyTorch's own generator.
"""

from typing import Any

_STATE = "ml_program.global private mutable @global_seed("
_HEAD = "func.func @main("


def with_seed(text: str) -> str | None:
    """The program `text` with the seed as its last argument; None if it draws no numbers."""
    if _STATE not in text:
        return None
    start = text.index(_HEAD) + len(_HEAD)
    end = _end_of_list(text, start)
    body = text.index("{\n", end) + 2
    separator = ", " if text[start:end].strip() else ""
    store = "    ml_program.global_store @global_seed = %call_seed : tensor<i64>\n"
    return f"{text[:end]}{separator}%call_seed: tensor<i64>{text[end:body]}{store}{text[body:]}"


def _end_of_list(text: str, start: int) -> int:
    """Where the parenthesis in front of `start` is closed; names of files may have others."""
    depth, at, is_quoted = 1, start, False
    while True:
        character = text[at]
        if character == '"' and text[at - 1] != "\\":
            is_quoted = not is_quoted
        elif not is_quoted:
            depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return at
        at += 1


def draw_seed() -> Any:
    """A seed for one call, which `torch.manual_seed` decides."""
    import torch

    return torch.randint(-(2**63), 2**63 - 1, (), dtype=torch.int64)
