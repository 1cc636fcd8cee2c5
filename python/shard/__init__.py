# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Partitions tensor programs for grids of devices, runs them, proves them equal.

    >>> import shard
    >>> from shard import P
    >>> program = shard.load("mlp.mlir")
    >>> part = program.partition(shard.Grid(data=2, model=2), {"arg1": P(None, "model")})
    >>> print(part.collectives)
    >>> y = part(x, w1, w2)
    >>> part.verify()

docs/Python.md is the guide.
"""

from shard._errors import (
    Diagnostic,
    HintError,
    ProgramError,
    RunError,
    ShardError,
    VerificationError,
)
from shard._from_jax import from_jax
from shard._from_torch import from_torch
from shard._grid import OPEN, Grid, P
from shard._ops import OpInfo
from shard._partition import Memory, Partition
from shard._program import Program, load
from shard._report import Collective, CollectiveTable, Report, ValueInfo
from shard._version import __version__

__all__ = [
    "OPEN",
    "Collective",
    "CollectiveTable",
    "Diagnostic",
    "Grid",
    "HintError",
    "Memory",
    "OpInfo",
    "P",
    "Partition",
    "Program",
    "ProgramError",
    "Report",
    "RunError",
    "ShardError",
    "ValueInfo",
    "VerificationError",
    "__version__",
    "from_jax",
    "from_torch",
    "load",
]
