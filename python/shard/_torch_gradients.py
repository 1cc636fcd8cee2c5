# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of PyTorch whose gradients torch-mlir lacks, in terms of others, of which it has them.

Autograd sees these others while a function is traced.
"""

import contextlib
import math
import threading
from collections.abc import Callable, Iterator
from typing import Any

from shard._torch_losses import labels_loss, margin_loss
from shard._torch_pooling import adaptive_max

# PyTorch takes one kernel of an op at a time.
_ONE_AT_A_TIME = threading.RLock()


@contextlib.contextmanager
def others_for_gradients() -> Iterator[None]:
    """Lets autograd see other ops in the place of those below, while PyTorch traces."""
    import torch
    from torch._decomp.decompositions import _grid_sampler_2d

    kernels: dict[str, Callable[..., Any]] = {
        "multilabel_margin_loss_forward": labels_loss,
        "multi_margin_loss": margin_loss,
        "grid_sampler_2d": lambda *how: _grid_sampler_2d(*how, _expand_grid=False),
        "adaptive_max_pool2d": adaptive_max,
        "adaptive_max_pool3d": adaptive_max,
        "hardshrink": _hardshrink,
        "softshrink": _softshrink,
        "_cdist_forward": _distances,
    }
    # PyTorch has a kernel in Python for this one, which is wrong: places of the target behind the
    # end count as class 0.
    wrong = torch.ops.aten.multilabel_margin_loss_forward.default
    key = torch._C.DispatchKey.Autograd
    with _ONE_AT_A_TIME:
        before = wrong.py_kernels.get(key)
        if before is labels_loss:
            # A function that is traced reads another program.
            yield
            return
        with torch.library._scoped_library("aten", "IMPL") as library:
            for name, kernel in kernels.items():
                library.impl(name, kernel, "AutogradCPU")
            try:
                wrong.py_kernels[key] = labels_loss
                wrong._dispatch_cache.clear()
                yield
            finally:
                wrong.py_kernels.pop(key)
                if before is not None:
                    wrong.py_kernels[key] = before
                wrong._dispatch_cache.clear()


def _hardshrink(x: Any, lambd: float = 0.5) -> Any:
    import torch

    return torch.where((x >= -lambd) & (x <= lambd), 0, x)


def _softshrink(x: Any, lambd: float = 0.5) -> Any:
    import torch

    return torch.where(x > lambd, x - lambd, torch.where(x < -lambd, x + lambd, x * 0))


def _distances(x: Any, y: Any, p: float, compute_mode: int | None) -> Any:
    """The p-norms of the differences of all pairs; where one is 0, so is its gradient."""
    import torch

    apart = (x.unsqueeze(-2) - y.unsqueeze(-3)).abs()
    if p == math.inf:
        return apart.amax(-1)
    if p == 0:
        return (apart != 0).to(x.dtype).sum(-1)
    if p == 1:
        return apart.sum(-1)
    total = torch.where(apart == 0, 0, torch.where(apart == 0, 1, apart) ** p).sum(-1)
    return torch.where(total == 0, 0, torch.where(total == 0, 1, total) ** (1 / p))
