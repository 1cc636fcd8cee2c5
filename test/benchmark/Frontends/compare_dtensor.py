#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same functions of PyTorch and placements through DTensor and through ours.

    PYTHONPATH=build/python build/venv-frontends/bin/python \
        test/benchmark/Frontends/compare_dtensor.py

prints a table (in Markdown) of collectives and of the bytes that one device sends, counted as in
compare_xla.py. DTensor runs in four processes over gloo; its collectives are seen by a dispatch
mode in the first one. Results of both are compared with those of one device.
"""

import collections
import math
import os
import socket

import torch
import torch.multiprocessing
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor, init_device_mesh
from torch.utils._python_dispatch import TorchDispatchMode

WHOLE, ROWS, COLUMNS = Replicate(), Shard(0), Shard(1)
PROCESSES = 4
# How often the bytes of the larger side go around a ring.
WAYS = {"all_reduce": 2, "all_gather": 1, "reduce_scatter": 1, "all_to_all": 1}


def mlp(x, up, down):
    return torch.tanh(x @ up) @ down


def gradient(x, up, down):
    """Of the first weight, as a step of training needs it."""
    hidden = torch.tanh(x @ up)
    return x.t() @ ((hidden @ down @ down.t()) * (1 - hidden * hidden))


MLP = [(64, 64), (64, 256), (256, 64)]
LONG = [(1024, 64), *MLP[1:]]
PROGRAMS = {
    # Name: function, mesh, shapes, placements of arguments and of the result.
    "megatron": (mlp, {"model": 4}, MLP, [[WHOLE], [COLUMNS], [ROWS]], [WHOLE]),
    "megatron_result_by_rows": (mlp, {"model": 4}, MLP, [[WHOLE], [COLUMNS], [ROWS]], [ROWS]),
    "fsdp": (mlp, {"data": 4}, LONG, [[ROWS]] * 3, [ROWS]),
    "fsdp_and_megatron": (
        mlp,
        {"data": 2, "model": 2},
        LONG,
        [[ROWS, WHOLE], [ROWS, COLUMNS], [COLUMNS, ROWS]],
        [ROWS, WHOLE],
    ),
    "gradient_data_parallel": (
        gradient,
        {"data": 4},
        LONG,
        [[ROWS], [WHOLE], [WHOLE]],
        [WHOLE],
    ),
}


class Traffic(TorchDispatchMode):
    """Counts what the functional collectives of c10d send."""

    def __init__(self):
        super().__init__()
        self.counts = collections.Counter()
        self.sent = 0.0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if DTensor in types:
            # Its own dispatch comes first; this one then sees what it calls.
            return NotImplemented
        result = function(*args, **(kwargs or {}))
        if function.namespace == "_c10d_functional":
            self._count(function.__name__.partition(".")[0], args, result)
        return result

    def _count(self, name, args, result):
        kind = name.removesuffix("_into_tensor").removesuffix("_tensor").removesuffix("_single")
        if kind not in WAYS:  # Waits and the like.
            return
        group = torch.distributed.distributed_c10d._resolve_process_group(args[-1])
        larger = max(args[0].nbytes, result.nbytes)
        self.sent += WAYS[kind] * larger * (group.size() - 1) / group.size()
        self.counts[kind] += 1


def inputs(name):
    torch.manual_seed(0)
    return [torch.randn(shape) * 0.1 for shape in PROGRAMS[name][2]]


def run_dtensor(rank, port, results):
    """One process: runs all programs; the first one tells what was sent."""
    os.environ |= {"MASTER_ADDR": "localhost", "MASTER_PORT": str(port)}
    torch.distributed.init_process_group("gloo", rank=rank, world_size=PROCESSES)
    for name, (function, axes, _, placements, out) in PROGRAMS.items():
        mesh = init_device_mesh("cpu", tuple(axes.values()), mesh_dim_names=tuple(axes))
        given = [
            distribute_tensor(t, mesh, p) for t, p in zip(inputs(name), placements, strict=True)
        ]
        with Traffic() as traffic:
            result = function(*given).redistribute(mesh, out)
        expected = function(*inputs(name))
        torch.testing.assert_close(result.full_tensor(), expected, rtol=1e-4, atol=1e-5)
        if rank == 0:
            results[name] = (dict(traffic.counts), traffic.sent)
    torch.distributed.destroy_process_group()


def run_shard(name):
    """What ours sends, counted during a run."""
    import shard

    function, axes, _, placements, out = PROGRAMS[name]
    given = inputs(name)
    program = shard.from_torch(function, *given)
    hints = {f"arg{i}": p for i, p in enumerate(placements)} | {"result0": out}
    part = program.partition(shard.Grid(**axes), hints)
    torch.testing.assert_close(part(*given), function(*given), rtol=1e-4, atol=1e-5)
    counts = collections.Counter()
    for row in part.last_run.collectives:
        counts[row.kind] += row.calls
    return dict(counts), part.last_run.collectives.bytes


def text(counts):
    return ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())) or "none"


def main():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    with torch.multiprocessing.Manager() as manager:
        results = manager.dict()
        torch.multiprocessing.spawn(run_dtensor, (port, results), nprocs=PROCESSES)
        theirs = dict(results)
    print("| program | DTensor | sent | shard | sent |")
    print("|---|---|--:|---|--:|")
    more = []
    for name in PROGRAMS:
        (counts, sent), (ours, our_sent) = theirs[name], run_shard(name)
        print(f"| {name} | {text(counts)} | {math.ceil(sent):,} | {text(ours)} | {our_sent:,} |")
        if our_sent > sent:
            more.append(name)
    print(
        f"\n{len(more)} of them send more than DTensor" + (f": {', '.join(more)}." if more else ".")
    )


if __name__ == "__main__":
    main()
