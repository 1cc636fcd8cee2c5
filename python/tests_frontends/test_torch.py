# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import fnmatch

import numpy as np
import pytest
import torch
import transformers
from check import check, check_layouts
from layers import Layers
from torch.utils import _pytree as pytree

import shard
from shard import Grid, P

IDS = torch.arange(16).reshape(2, 8) * 5 % 64
COMMON = {"attn_implementation": "eager"}


def llama():
    config = transformers.LlamaConfig(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        use_cache=False,
        **COMMON,
    )
    return transformers.LlamaForCausalLM(config), (IDS,)


def gpt2():
    config = transformers.GPT2Config(
        vocab_size=64, n_positions=32, n_embd=32, n_layer=2, n_head=4, use_cache=False, **COMMON
    )
    return transformers.GPT2LMHeadModel(config), (IDS,)


def bert():
    config = transformers.BertConfig(
        vocab_size=64,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        **COMMON,
    )
    return transformers.BertModel(config), (IDS,)


def mixtral():
    config = transformers.MixtralConfig(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        num_local_experts=4,
        num_experts_per_tok=2,
        use_cache=False,
        experts_implementation="batched_mm",
        **COMMON,
    )
    return transformers.MixtralForCausalLM(config), (IDS,)


def vit():
    config = transformers.ViTConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        image_size=16,
        patch_size=4,
        **COMMON,
    )
    return transformers.ViTModel(config), (torch.randn(2, 3, 16, 16),)


def t5():
    config = transformers.T5Config(
        vocab_size=64, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4
    )
    return transformers.T5EncoderModel(config), (IDS,)


def t5_with_decoder():
    config = transformers.T5Config(
        vocab_size=64,
        d_model=32,
        d_kv=8,
        d_ff=48,
        num_layers=2,
        num_decoder_layers=2,
        num_heads=4,
        use_cache=False,
        decoder_start_token_id=0,
    )
    return transformers.T5Model(config), (IDS, None, IDS.roll(1, 1))


def whisper():
    config = transformers.WhisperConfig(
        vocab_size=64,
        pad_token_id=0,
        d_model=32,
        encoder_layers=2,
        decoder_layers=1,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=48,
        decoder_ffn_dim=48,
        num_mel_bins=8,
        max_source_positions=16,
        **COMMON,
    )
    return transformers.WhisperModel(config).encoder, (torch.randn(2, 8, 32),)


class BasicBlock(torch.nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(outputs)
        self.conv2 = torch.nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = torch.nn.BatchNorm2d(outputs)
        self.shortcut = torch.nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = torch.nn.Sequential(
                torch.nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                torch.nn.BatchNorm2d(outputs),
            )

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


def resnet18():
    """All 18 layers, at their full width; images are small."""

    def stage(inputs, outputs, stride):
        return torch.nn.Sequential(
            BasicBlock(inputs, outputs, stride), BasicBlock(outputs, outputs, 1)
        )

    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 64, 7, 2, 3, bias=False),
        torch.nn.BatchNorm2d(64),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(3, 2, 1),
        stage(64, 64, 1),
        stage(64, 128, 2),
        stage(128, 256, 2),
        stage(256, 512, 2),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Linear(512, 1000),
    )
    assert sum(p.numel() for p in model.parameters()) == 11_689_512
    return model, (torch.randn(4, 3, 32, 32),)


class TwoConvolutions(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(inputs, outputs, 3, 1, 1)
        self.bn1 = torch.nn.BatchNorm2d(outputs)
        self.conv2 = torch.nn.Conv2d(outputs, outputs, 3, 1, 1)
        self.bn2 = torch.nn.BatchNorm2d(outputs)

    def forward(self, x):
        return torch.relu(self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x))))))


class UNet(torch.nn.Module):
    """Two steps down and up, with a skip connection at each."""

    def __init__(self):
        super().__init__()
        self.down1 = TwoConvolutions(3, 8)
        self.down2 = TwoConvolutions(8, 16)
        self.bottom = TwoConvolutions(16, 32)
        self.expand2 = torch.nn.ConvTranspose2d(32, 16, 2, 2)
        self.up2 = TwoConvolutions(32, 16)
        self.expand1 = torch.nn.ConvTranspose2d(16, 8, 2, 2)
        self.up1 = TwoConvolutions(16, 8)
        self.out = torch.nn.Conv2d(8, 4, 1)

    def forward(self, x):
        first = self.down1(x)
        second = self.down2(torch.nn.functional.max_pool2d(first, 2))
        y = self.bottom(torch.nn.functional.max_pool2d(second, 2))
        y = self.up2(torch.cat([self.expand2(y), second], 1))
        return self.out(self.up1(torch.cat([self.expand1(y), first], 1)))


def unet():
    return UNet(), (torch.randn(4, 3, 16, 16),)


MODELS = [llama, mixtral, gpt2, bert, vit, t5, t5_with_decoder, whisper, resnet18, unet]

# The layout of Megatron, by the names that the models have for it: rows of PyTorch's weights
# are columns of the product. Of two convolutions the first one gives the channels that
# the second one sums over. GPT-2 stores its weights the other way round.
TENSOR_PARALLEL = {
    "*[qkv]_proj.weight": P("model"),
    "*gate_proj.weight": P("model"),
    "*gate_up_proj": P(None, "model"),
    "*up_proj.weight": P("model"),
    "*fc1.weight": P("model"),
    "*query.weight": P("model"),
    "*key.weight": P("model"),
    "*value.weight": P("model"),
    "*intermediate.dense.weight": P("model"),
    "*SelfAttention.[qkv].weight": P("model"),
    "*wi.weight": P("model"),
    "*conv1.weight": P("model"),
    "*conv2.weight": P(None, "model"),
    "*c_fc.weight": P(None, "model"),
    "*mlp.c_proj.weight": P("model"),
}


def tensor_parallel(program, prefix=""):
    """Those of TENSOR_PARALLEL that name something."""
    weights = [v.name for v in program.arguments if not v.name.startswith("arg")]
    return {
        prefix + pattern: spec
        for pattern, spec in TENSOR_PARALLEL.items()
        if fnmatch.filter(weights, prefix + pattern)
    }


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_models(make):
    torch.manual_seed(0)
    model, arguments = make()
    model.eval()
    program = shard.from_torch(model, *arguments)
    with torch.no_grad():
        expected = [
            t.numpy() for t in pytree.tree_leaves(model(*arguments)) if isinstance(t, torch.Tensor)
        ]
    batch = [v.name for v in program.arguments if v.name.startswith("arg")]
    check_layouts(program, (program.weights, *arguments), expected, batch, tensor_parallel(program))


def sgd(model, loss, rate=0.1):
    """A step of training as a function of the parameters and a batch."""

    def step(params, x, y):
        def of(params):
            return loss(torch.func.functional_call(model, params, (x,)), y)

        gradients, value = torch.func.grad_and_value(of)(params)
        return value, {name: p - rate * gradients[name] for name, p in params.items()}

    return step


def cross_entropy(output, wanted):
    logits = output if isinstance(output, torch.Tensor) else output.logits
    return torch.nn.functional.cross_entropy(logits.flatten(0, -2), wanted.flatten())


def train_mlp():
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 8))
    batch = (torch.randn(4, 8), torch.randn(4, 8))
    tensor = {"params.0.*": P("model"), "params.2.weight": P(None, "model")}
    return model, torch.nn.functional.mse_loss, batch, tensor


def train_convolutions():
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, 2, 1),
        torch.nn.GroupNorm(2, 8),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Linear(8, 6),
    )
    batch = (torch.randn(4, 3, 8, 8), torch.tensor([0, 5, -100, 2]))
    return model, cross_entropy, batch, {"params.0.weight": P("model")}


def train_llama():
    model, _ = llama()
    return model, cross_entropy, (IDS, IDS.roll(-1, 1)), None


@pytest.mark.parametrize(
    "make", [train_mlp, train_convolutions, train_llama], ids=lambda make: make.__name__
)
def test_train_steps(make):
    torch.manual_seed(0)
    model, loss, batch, tensor = make()
    step = sgd(model, loss)
    params = {name: p.detach() for name, p in model.named_parameters()}
    program = shard.from_torch(step, params, *batch)
    expected = [t.detach().numpy() for t in pytree.tree_leaves(step(params, *batch))]
    tensor = tensor or tensor_parallel(program, "params.")
    check_layouts(program, (params, *batch), expected, ["x", "y"], tensor)


def test_normalisation_in_training():
    """Statistics of the whole batch; the running ones are copies, which the step returns."""
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3, bias=False),
        torch.nn.BatchNorm2d(4),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Linear(4, 5),
    ).train()
    x, y = torch.randn(4, 3, 6, 6), torch.tensor([0, 3, 1, 4])
    with pytest.raises(shard.ProgramError, match=r"1\.running_mean.*functional_call with copies"):
        shard.from_torch(model, x)

    def step(params, buffers, x, y):
        def loss(params):
            changed = {name: buffer.clone() for name, buffer in buffers.items()}
            scores = torch.func.functional_call(model, (params, changed), (x,))
            return cross_entropy(scores, y), changed

        gradients, (value, changed) = torch.func.grad_and_value(loss, has_aux=True)(params)
        return value, {name: p - 0.1 * gradients[name] for name, p in params.items()}, changed

    params = {name: p.detach() for name, p in model.named_parameters()}
    buffers = {name: b.detach().clone() for name, b in model.named_buffers()}
    arguments = (params, buffers, x, y)
    program = shard.from_torch(step, *arguments)
    expected = [t.detach().numpy() for t in pytree.tree_leaves(step(*arguments))]
    assert not np.array_equal(expected[-2], buffers["1.running_var"].numpy())
    part = check(program, arguments, expected, Grid(2), {"x": P(0), "y": P(0)})
    assert {row.kind for row in part.collectives} == {"all_reduce"}


def test_gradients_of_autograd_and_adam():
    def step(params, moments, x):
        params = {name: p.requires_grad_() for name, p in params.items()}
        value = torch.tanh(x @ params["w"]).square().sum()
        (gradient,) = torch.autograd.grad(value, [params["w"]])
        m = 0.9 * moments[0] + 0.1 * gradient
        v = 0.99 * moments[1] + 0.01 * gradient**2
        return params["w"] - 0.01 * m / (v.sqrt() + 1e-3), [m, v]

    arguments = ({"w": torch.randn(8, 6)}, [torch.zeros(8, 6)] * 2, torch.randn(16, 8))
    program = shard.from_torch(step, *arguments)
    assert [v.name for v in program.arguments] == ["params.w", "moments.0", "moments.1", "x"]
    expected = [t.detach().numpy() for t in pytree.tree_leaves(step(*arguments))]
    part = check(program, arguments, expected, Grid(2), {"x": P(0)})
    assert [row.kind for row in part.collectives] == ["all_reduce"]


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_losses_of_classes(reduction):
    def both(x, target, weight):
        def loss(x):
            given = torch.nn.functional.cross_entropy(
                x, target, weight, ignore_index=2, reduction=reduction
            )
            return given.square().sum(), given

        return torch.func.grad(loss, has_aux=True)(x)

    for shape in ((5, 4), (4,), (2, 4, 3, 3)):
        torch.manual_seed(1)
        dims = [d for i, d in enumerate(shape) if i != min(1, len(shape) - 1)]
        target = torch.randint(0, 4, dims)
        arguments = (torch.randn(shape), target, torch.rand(4) + 0.5)
        expected = [t.numpy() for t in both(*arguments)]
        check(shard.from_torch(both, *arguments), arguments, expected, Grid(2), {"x": P(0)})


def test_gradient_of_a_look_up():
    def gradient(table, given, ids):
        def loss(table):
            rows = torch.nn.functional.embedding(ids, table, padding_idx=1, scale_grad_by_freq=True)
            return (rows * given).sum()

        return torch.func.grad(loss)(table)

    ids = torch.tensor([[0, 3, 1], [3, 3, 6]])
    arguments = (torch.randn(7, 4), torch.randn(2, 3, 4), ids)
    expected = [gradient(*arguments).numpy()]
    program = shard.from_torch(gradient, *arguments)
    for hints in ({"ids": P(0), "given": P(0)}, {"given": P(None, None, 0)}):
        check(program, arguments, expected, Grid(2), hints)


def test_arguments_that_are_no_tensors():
    class Scaled(torch.nn.Module):
        def forward(self, x, mask=None, power=1, *, factors):
            y = x**power * factors["a"]
            return y if mask is None else y * mask

    x = torch.arange(4.0)
    factors = {"a": torch.tensor(3.0), "name": "a"}
    program = shard.from_torch(Scaled(), x, None, 2, factors=factors)
    assert [value.name for value in program.arguments] == ["arg0", "factors.a"]
    part = program.partition(Grid(2), {"arg0": P(0)})
    assert torch.equal(part({}, x, None, 2, factors=factors), x**2 * 3)
    with pytest.raises(shard.RunError, match="made for 2, not for 3"):
        part({}, x, None, 3, factors=factors)


def test_modules_that_change_their_arguments():
    class InPlace(torch.nn.Module):
        def forward(self, x):
            return x.add_(1) * 2

    with pytest.raises(shard.ProgramError, match=r"in place, .* return the new value"):
        shard.from_torch(InPlace(), torch.zeros(4))
    with pytest.raises(TypeError, match=r"neither a torch\.nn\.Module nor a function"):
        shard.from_torch(3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32])
def test_sort_and_topk(dtype):
    class Order(torch.nn.Module):
        def forward(self, x):
            return (
                *torch.sort(x, stable=True),
                *torch.sort(x, dim=0, descending=True, stable=True),
                *torch.topk(x, 3),
                *torch.topk(x, 2, dim=0, largest=False),
                torch.argsort(x, dim=1, stable=True),
            )

    # Different numbers: which of equal ones topk takes is not defined.
    x = (torch.arange(24) * 7 % 25 - 9).reshape(4, 6).to(dtype)
    if dtype.is_floating_point:
        x[1, 2], x[2, 3] = torch.nan, -torch.inf
    program = shard.from_torch(Order(), x)
    for hint in (P(0), P(None, 0)):
        result = program.partition(Grid(2), {"arg0": hint})({}, x)
        for mine, theirs in zip(result, Order()(x), strict=True):
            np.testing.assert_array_equal(mine.numpy(), theirs.numpy())
            assert mine.dtype == theirs.dtype


def test_results_are_tensors_in_the_structure_of_the_module():
    class Pair(torch.nn.Module):
        def forward(self, x, *, y):
            return {"sum": x + y, "both": (x.bool(), y * 2)}

    x = torch.arange(4)
    y = torch.tensor([1.5, -2, 3, 0.25], dtype=torch.bfloat16)
    program = shard.from_torch(Pair(), x, y=y)
    part = program.partition(Grid(2), {"arg0": P(0)})
    result, expected = part({}, x, y=y), Pair()(x, y=y)
    for mine, theirs in zip(pytree.tree_leaves(result), pytree.tree_leaves(expected), strict=True):
        assert mine.dtype == theirs.dtype
        assert torch.equal(mine, theirs)
    with pytest.raises(shard.RunError, match="structure"):
        part({}, x)
    with pytest.raises(shard.RunError, match="weights"):
        part()
    with pytest.raises(shard.RunError, match=r"weights, such as program\.weights, not Tensor"):
        part(torch.ones(4, 2))


def test_hints_for_lines_of_the_module():
    model = Layers()
    program = shard.from_torch(model, torch.zeros(4, 8))
    line = Layers.forward.__code__.co_firstlineno + 1
    key = f"layers.py:{line}"
    part = program.partition(Grid(model=2), {key: P(None, "model"), "result0": P()})
    shardings = {value.name: value.sharding for value in part.arguments}
    assert shardings["up.weight"] == "[[model], []]"
    assert shardings["up.bias"] == "[[model]]"
    assert shardings["down.weight"] == "[[], [model]]"
    part.verify()


def test_what_cannot_be_lowered():
    class Histogram(torch.nn.Module):
        def forward(self, x):
            return torch.histc(x, 4, 0, 1)

    with pytest.raises(shard.ProgramError, match="torch-mlir cannot lower"):
        shard.from_torch(Histogram(), torch.rand(8))
