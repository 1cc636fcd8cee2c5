# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Placements of DTensor as hints, and parameters that are DTensors."""

import pytest
import torch
from layers import Layers

import shard
from shard import Grid, P


@pytest.fixture
def mesh():
    from torch.testing._internal.distributed.fake_pg import FakeStore

    # The first of four processes; the others are not there.
    torch.distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=4)
    yield torch.distributed.init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "model"))
    torch.distributed.destroy_process_group()


@pytest.mark.parametrize("way", ["distribute_tensor", "parallelize_module", "fully_shard"])
def test_parameters_that_are_dtensors(mesh, way):
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        parallelize_module,
    )

    model = Layers()
    if way == "distribute_tensor":
        for name, placements in {
            "up.weight": [Replicate(), Shard(0)],
            "up.bias": [Replicate(), Shard(0)],
            "down.weight": [Replicate(), Shard(1)],
        }.items():
            layer, _, what = name.partition(".")
            split = distribute_tensor(model.get_parameter(name).detach(), mesh, placements)
            setattr(getattr(model, layer), what, torch.nn.Parameter(split))
        expected = ["[[model], []]", "[[model]]", "[[], [model]]"]
    elif way == "parallelize_module":
        plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
        parallelize_module(model, mesh["model"], plan)
        expected = ["[[model], []]", "[[model]]", "[[], [model]]"]
    else:
        fully_shard(model, mesh=mesh["data"])
        expected = ["[[data], []]", "[[data]]", "[[data], []]"]
    program = shard.from_torch(model, torch.zeros(4, 8))
    part = program.partition()
    assert part.grid == (
        Grid(data=2, model=2) if way == "distribute_tensor" else Grid(**{expected[1][2:-2]: 2})
    )
    shardings = {value.name: value.sharding for value in part.arguments}
    assert [shardings[name] for name in ("up.weight", "up.bias", "down.weight")] == expected
    assert program.weights["up.weight"].shape == (16, 8)
    part.verify()
    if way == "parallelize_module":
        # The module still works on its own: the hooks are back.
        assert len(model.up._forward_pre_hooks) == 1


def test_placements_of_dtensor(mesh):
    from torch.distributed.tensor import Partial, Replicate, Shard

    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 8))
    program = shard.from_torch(model, torch.zeros(4, 8))
    part = program.partition(
        mesh,
        {
            "arg0": [Shard(0), Replicate()],
            "0.weight": [Replicate(), Shard(0)],
            "0.bias": (Replicate(), Shard(0)),
            "2.weight": [Shard(1), Shard(1)],
        },
    )
    assert part.grid == Grid(data=2, model=2)
    shardings = {value.name: value.sharding for value in part.arguments}
    assert shardings["arg0"] == "[[data], []]"
    assert shardings["0.weight"] == "[[model], []]"
    assert shardings["2.weight"] == "[[], [data, model]]"
    part.verify()
    # And back.
    for value in part.arguments:
        placements = value.spec.to_placements(part.grid)
        again = program.partition(mesh, {value.name: placements})
        (same,) = (v for v in again.arguments if v.name == value.name)
        assert same.sharding == value.sharding
    for placements, message in [
        ([Shard(0)], "1 placements for Grid.*one for each of its 2 axes"),
        ([Partial(), Replicate()], "no counterpart"),
        ([Shard(-1), Replicate()], "count the dimension from 0"),
        ([Shard(2), Replicate()], "has 3 dimensions, the tensor has 2"),
    ]:
        with pytest.raises(shard.HintError, match=message):
            program.partition(mesh, {"0.weight": placements})
    with pytest.raises(ValueError, match="in another order"):
        P(("model", "data")).to_placements(part.grid)
