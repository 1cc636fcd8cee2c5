# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of PyTorch and what they send where their batch or their features are split."""

import pytest
import torch
from check import check

import shard
from shard import Grid, P

nn, functional = torch.nn, torch.nn.functional


def sent(model, args, hints, grid=None):
    """The collectives of `model`, whose results are checked."""
    program = shard.from_torch(model, *args)
    with torch.no_grad():
        expected = torch.utils._pytree.tree_leaves(model(*args))
    if isinstance(model, nn.Module):
        args = (program.weights, *args)
    part = check(program, args, [e.numpy() for e in expected], grid or Grid(a=2), hints)
    return part.collectives


def test_variances_are_two_sums():
    x = torch.randn(6, 8, 12)
    for layer, groups in ((nn.LayerNorm(12), 6 * 8), (nn.GroupNorm(4, 8), 6 * 4)):
        rows = sent(layer, (x,), {"arg0": P(None, None, "a")})
        # A sum over two devices sends as many bytes as it has.
        assert [row.kind for row in rows] == ["all_reduce"] * 2
        assert rows.bytes == 2 * groups * 4
    assert len(sent(nn.GroupNorm(4, 8), (x,), {"arg0": P("a")}, Grid(a=4))) == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_variances(dtype):
    def variances(x):
        return (
            x.var(1),
            x.std(),
            torch.var_mean(x, (0, -1), correction=0, keepdim=True),
            x.std(0, correction=2),
            x[0, 0, 0].var(unbiased=False),
            x[:, :1].var(1),
        )

    x = torch.randn(6, 8, 12).to(dtype)
    part = shard.from_torch(variances, x).partition(Grid(2), {"x": P(0)})
    leaves = torch.utils._pytree.tree_leaves
    for mine, theirs in zip(leaves(part(x)), leaves(variances(x)), strict=True):
        assert mine.dtype == theirs.dtype
        close = {"rtol": 1e-2, "atol": 1e-2} if dtype == torch.bfloat16 else {}
        torch.testing.assert_close(mine, theirs, equal_nan=True, **close)


def test_stacks_of_as_many_tensors_as_devices():
    x = torch.randn(6, 8, 12)
    for dim in (0, -1):
        for hint in (P("a"), P(None, None, "a")):
            rows = sent(lambda x, dim=dim: torch.stack([x, x * 2], dim), (x,), {"x": hint})
            assert len(rows) == 0


def test_rolls_send_what_crosses_blocks():
    x = torch.randn(6, 8, 12)
    for shifts, dims, columns in ((-3, 1, 3), ((2, -1), (0, 1), 1)):
        rows = sent(lambda x, s=shifts, d=dims: x.roll(s, d), (x,), {"x": P(None, "a")})
        assert rows.bytes == columns * 6 * 12 * 4
    sent(lambda x: (x.roll(5), x.roll(0, 0)), (x,), {"x": P("a")})


def test_running_sums_exchange_totals():
    x = torch.randn(8, 12)
    rows = sent(lambda x: (x.cumsum(0), x.cumprod(0)), (x,), {"x": P("a")})
    # A total of the columns each.
    assert [row.bytes for row in rows] == [12 * 4] * 2


IMAGES = torch.randn(6, 4, 8, 12)
TOKENS = torch.randn(6, 8, 12)
LABELS = torch.arange(48).reshape(6, 8) % 12

# What sends nothing where the batch of 6 is split over 3 devices.
BATCHES = {
    "attention": (nn.MultiheadAttention(12, 4, batch_first=True), TOKENS, TOKENS, TOKENS),
    "bilinear": (nn.Upsample(scale_factor=2, mode="bilinear"), IMAGES),
    "pooling": (nn.AdaptiveAvgPool2d((3, 5)), IMAGES),
    "reflection": (nn.ReflectionPad2d(2), IMAGES),
    "unfold": (nn.Unfold(3, padding=1), IMAGES),
    "samples": (
        lambda x, g: functional.grid_sample(x, g, align_corners=False),
        IMAGES,
        torch.rand(6, 5, 7, 2) * 2 - 1,
    ),
    "columns": (lambda x, i: x[:, i], TOKENS, torch.tensor([[3, 1], [0, 7]])),
}


@pytest.mark.parametrize("case", BATCHES)
def test_a_split_batch_sends_nothing(case):
    layer, *args = BATCHES[case]
    name = "arg0" if isinstance(layer, nn.Module) else 0
    assert len(sent(layer, args, {name: P("a")}, Grid(a=3))) == 0


def test_products_and_losses_keep_dimensions_apart():
    def experts(x, w):
        return torch.einsum("bsd,edf->bsef", x, w)

    def loss(x, y):
        return functional.cross_entropy(x.view(-1, 12), y.view(-1), ignore_index=3)

    w = torch.randn(4, 12, 6)
    for hints in ({"x": P(None, "a")}, {"w": P(None, None, "a")}):
        assert len(sent(experts, (TOKENS, w), hints)) == 0
    # The sum of the losses and the number of labels that count.
    rows = sent(loss, (TOKENS, LABELS), {"x": P(None, "a")})
    assert [(row.kind, row.bytes) for row in rows] == [("all_reduce", 4)] * 2


class Attention(nn.Module):
    """What is merged again behind attention is a view of its result."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(12, 36), nn.Linear(12, 12)

    def forward(self, x):
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, 3, 4).permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(x.shape))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.LSTM(12, 4, batch_first=True)

    def forward(self, x):
        return self.cells(x[:, :2])[0]


TRAINED = {
    "attention": (Attention(), TOKENS),
    "groups": (nn.ConvTranspose2d(4, 6, 3, 2, output_padding=1, groups=2), IMAGES),
    "channels": (
        nn.Sequential(nn.Conv2d(4, 4, 3, padding=1, groups=4), nn.Conv2d(4, 8, 1)),
        IMAGES,
    ),
    "channels transposed": (nn.ConvTranspose2d(4, 4, 3, 2, 1, groups=4, dilation=2), IMAGES),
    "more padding than kernel": (nn.Conv2d(4, 6, (1, 2), (2, 1), (1, 2)), IMAGES),
    # More elements behind than a stride has, and more padding than the kernel reaches.
    "transposed with a rest": (
        nn.ConvTranspose2d(4, 6, 2, 2, (1, 2), output_padding=(1, 3), dilation=4),
        IMAGES,
    ),
    "transposed and cut": (nn.ConvTranspose2d(4, 6, 1, 3, 1, output_padding=2), IMAGES),
    # PyTorch writes one number for all dimensions.
    "no padding by name": (nn.Conv2d(4, 6, 3, 2, padding="valid", groups=2), IMAGES),
    "plain without padding": (nn.Conv2d(4, 6, 3, 2, padding="valid"), IMAGES),
    "recurrent": (Recurrent(), TOKENS),
}


@pytest.mark.parametrize("case", TRAINED)
def test_gradients_of_layers(case):
    model, x = TRAINED[case]
    params = {name: p.detach() for name, p in model.named_parameters()}

    def gradients(params, x):
        def loss(params, x):
            return torch.func.functional_call(model, params, (x,)).square().mean()

        of_params, of_x = torch.func.grad(loss, argnums=(0, 1))(params, x)
        return {**of_params, "x": of_x}

    program = shard.from_torch(gradients, params, x)
    expected = [g.numpy() for g in gradients(params, x).values()]
    part = check(program, (params, x), expected, Grid(a=3), {"x": P("a")})
    assert "all_reduce" in {row.kind for row in part.collectives}


def test_numbers_for_all_dimensions():
    def transposed(x, weight):
        return torch.convolution(x, weight, None, [2], [1], [1], True, [1], 4)

    weight = torch.randn(4, 1, 3, 3)
    program = shard.from_torch(transposed, IMAGES, weight)
    expected = [transposed(IMAGES, weight).numpy()]
    check(program, (IMAGES, weight), expected, Grid(a=3), {"x": P("a")})
