# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of tensors as graphs of PyTorch's ops.

`torch.export` takes no gradients. `make_fx` follows the calls below autograd: what it sees of
a gradient are the ops of the backward pass. Its graph is then exported like a module.
"""

import contextlib
from collections.abc import Iterator
from typing import Any


def trace(fn: Any, tensors: list[Any]) -> tuple[Any, Any]:
    """The graph of `fn`, as a module that takes `tensors`.

    Returns it and the structure of what `fn` returns. The graph returns the leaves.
    """
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.utils import _pytree as pytree

    structures: list[Any] = []

    def flat(*values: Any) -> tuple[Any, ...]:
        leaves, structure = pytree.tree_flatten(fn(*values))
        structures.append(structure)
        return tuple(leaf.detach() for leaf in leaves)

    # Values are not known; tensors that `fn` holds itself are constants.
    trace_of = make_fx(flat, tracing_mode="fake", _allow_non_fake_inputs=True)
    with _as_if_exporting():
        graph = trace_of(*(tensor.detach() for tensor in tensors))
    return graph, structures[-1]


@contextlib.contextmanager
def _as_if_exporting() -> Iterator[None]:
    """Models of `transformers` and others ask, and branch on no values then."""
    import torch

    flags = ("_is_compiling_flag", "_is_exporting_flag")
    before = {flag: getattr(torch.compiler, flag) for flag in flags}
    try:
        for flag in flags:
            setattr(torch.compiler, flag, True)
        yield
    finally:
        for flag, value in before.items():
            setattr(torch.compiler, flag, value)
