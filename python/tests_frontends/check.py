# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

import shard
from shard import P


def check(program, arguments, expected, grid, hints, keywords=None):
    """The partition, whose results are those of one device and of the framework.

    `expected` are the framework's results as arrays. They may differ by twice what
    shard-run allows between the grid and one device: both round.
    """
    part = program.partition(grid, hints)
    report = part.verify(*arguments, **(keywords or {}))
    results = program.trees.flatten_results(part(*arguments, **(keywords or {})))
    assert len(results) == len(expected) == len(report.raw["results"])
    for result, wanted, row in zip(results, expected, report.raw["results"], strict=True):
        result, wanted = np.asarray(result), np.asarray(wanted)
        assert result.shape == wanted.shape
        assert result.dtype == wanted.dtype
        if wanted.dtype.kind in "iub":
            np.testing.assert_array_equal(result, wanted)
        else:
            result, wanted = result.astype(np.float64), wanted.astype(np.float64)
            size = np.maximum(np.maximum(np.abs(result), np.abs(wanted)), row["scale"])
            assert np.all(np.abs(result - wanted) <= 2 * row["tolerance"] * size)
    return part


GRIDS = [shard.Grid(model=2), shard.Grid(model=4), shard.Grid(data=2, model=2)]


def layouts(program, grid, batch, tensor):
    """The four kinds of hints that people give, each with its name.

    `batch` are the names of the arguments that have a row for each example, `tensor` is
    the tensor-parallel layout, by patterns of names. The first axis of the grid is that of
    the batch.
    """
    first = grid.names[0]
    data = {
        v.name: P(first, *[...] * (len(v.shape) > 1)) for v in program.arguments if v.name in batch
    }
    weights = [v for v in program.arguments if v.name not in batch and v.shape]
    sharded = {v.name: P(first) for v in weights if v.shape[0] % grid.shape[0] == 0}
    assert data and sharded and tensor
    yield "data parallel", data
    yield "fsdp", data | sharded
    yield "tensor parallel", tensor
    if "data" in grid.names:
        yield "2-d", data | tensor


def check_layouts(program, arguments, expected, batch, tensor):
    """`check` under all four kinds of hints, on 2, 4 and 2x2 devices."""
    seen = set()
    for grid in GRIDS:
        for name, hints in layouts(program, grid, batch, tensor):
            check(program, arguments, expected, grid, hints)
            seen.add(name)
    assert seen == {"data parallel", "fsdp", "tensor parallel", "2-d"}
