# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders, signs and distances of PyTorch, on one device and on several, with NaNs too."""

import pytest
import torch

import shard
from shard import Grid, P

SORTED = torch.linspace(-1, 1, 6)

OPS = {
    "kthvalue": lambda x: x.kthvalue(2, 1),
    "kthvalue keepdim": lambda x: x.kthvalue(3, 2, keepdim=True)[0],
    "median along": lambda x: x.median(1),
    "median": lambda x: x.median(),
    "nanmedian": lambda x: x.nanmedian(2),
    "nanmedian of all": lambda x: x.nanmedian(),
    "fmax": lambda x: torch.fmax(x, x.flip(2)),
    "fmin": lambda x: torch.fmin(x, x.flip(0)),
    "angle": lambda x: torch.angle(x),
    "searchsorted": lambda x: torch.searchsorted(SORTED, x),
    "searchsorted right": lambda x: torch.searchsorted(SORTED, x, right=True, out_int32=True),
    "searchsorted rows": lambda x: torch.searchsorted(x.nan_to_num().sort(2)[0], x.flip(2)),
    "cummax": lambda x: x.cummax(1),
    "cummin": lambda x: x.cummin(2),
    "logcumsumexp": lambda x: torch.logcumsumexp(x, 1),
    "signbit": lambda x: torch.signbit(x.nan_to_num()),
    "copysign": lambda x: torch.copysign(x, x.flip(2).nan_to_num()),
    "copysign of a number": lambda x: torch.copysign(x, -2.0),
    "distances": lambda x: torch.cdist(x, x.flip(0)),
    "distances 1": lambda x: torch.cdist(x, x.flip(0)[:, :3], p=1),
    "distances 3": lambda x: torch.cdist(x, x.flip(0) + 1, p=3.0),
}


@pytest.mark.parametrize("case", OPS)
@pytest.mark.parametrize("special", [False, True])
def test_orders_and_choices(case, special):
    x = torch.randn(4, 5, 6)
    if special:
        x[1, 2, 3] = x[0, 0, 0] = float("nan")
        x[2, 2, 2], x[3, 1, 4], x[2, 3, 2] = float("inf"), -float("inf"), -0.0
    program = shard.from_torch(OPS[case], x)
    expected = torch.utils._pytree.tree_leaves(OPS[case](x))
    for grid, hint in ((1, P()), (2, P(0)), (3, P(None, 0)), (2, P(None, None, 0))):
        results = program.partition(Grid(grid), {"x": hint} if grid > 1 else {})(x)
        for result, wanted in zip(torch.utils._pytree.tree_leaves(results), expected, strict=True):
            found = torch.as_tensor(result)
            assert found.dtype == wanted.dtype
            torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5, equal_nan=True)
