# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Architectures of `transformers` beside those of test_torch.py, with two small layers each."""

import numpy as np
import pytest
import torch
import transformers
from check import check

import shard
from shard import Grid, P

IDS = torch.arange(32).reshape(4, 8) * 5 % 61 + 3
IMAGES = torch.sin(torch.arange(4 * 3 * 32 * 32)).reshape(4, 3, 32, 32)
SOUNDS = torch.sin(torch.arange(4 * 400) * 0.7).reshape(4, 400)
TEXT = {
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
}
DECODER = TEXT | {"num_key_value_heads": 2, "bos_token_id": 1, "eos_token_id": 2}
EXPERTS = {
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "n_group": 2,
    "topk_group": 1,
    "moe_intermediate_size": 32,
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 8,
    "v_head_dim": 8,
    "first_k_dense_replace": 1,
    "num_key_value_heads": 4,
    "experts_implementation": "batched_mm",
}
WINDOWS = {
    "image_size": 32,
    "patch_size": 4,
    "embed_dim": 16,
    "depths": [2, 2],
    "num_heads": [2, 4],
    "window_size": 4,
}
STAGES = {
    "num_encoder_blocks": 2,
    "depths": [1, 1],
    "sr_ratios": [2, 1],
    "hidden_sizes": [8, 16],
    "num_attention_heads": [1, 2],
    "patch_sizes": [7, 3],
    "strides": [4, 2],
    "mlp_ratios": [2, 2],
    "decoder_hidden_size": 16,
}
SPEECH = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "conv_dim": (8, 8),
    "conv_stride": (5, 2),
    "conv_kernel": (10, 3),
    "num_feat_extract_layers": 2,
    "num_conv_pos_embeddings": 4,
    "num_conv_pos_embedding_groups": 2,
}
SCAN = {
    "vocab_size": 64,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "state_size": 8,
    "num_heads": 8,
    "head_dim": 8,
    "n_groups": 2,
    "chunk_size": 4,
}
RELATIVE = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "max_relative_positions": 8}
MODELS = {
    "Qwen3": ("ForCausalLM", DECODER | {"head_dim": 8}, IDS),
    "Gemma2": ("ForCausalLM", DECODER | {"head_dim": 8, "sliding_window": 4}, IDS),
    "Phi3": ("ForCausalLM", DECODER, IDS),
    "DeepseekV3": ("ForCausalLM", DECODER | EXPERTS, IDS),
    "Mamba2": ("ForCausalLM", SCAN, IDS),
    "Deberta": ("Model", TEXT | RELATIVE, IDS),
    "Swin": ("Model", WINDOWS, IMAGES),
    "Segformer": ("ForSemanticSegmentation", STAGES, IMAGES),
    "Wav2Vec2": ("Model", SPEECH, SOUNDS),
}


class First(torch.nn.Module):
    """The first result of a model, which has its weights far from zero."""

    def __init__(self, name):
        super().__init__()
        kind, settings, self.batch = MODELS[name]
        torch.manual_seed(0)
        config = getattr(transformers, f"{name}Config")(**settings)
        self.inner = getattr(transformers, name + kind)(config).eval()
        for weight in self.parameters():
            if weight.dim() > 1:
                torch.nn.init.normal_(weight, std=0.2)

    def forward(self, x):
        return self.inner(x).to_tuple()[0]


@pytest.mark.parametrize("name", MODELS)
def test_models(name):
    model = First(name)
    program = shard.from_torch(model, model.batch)
    with torch.no_grad():
        expected = [model(model.batch).numpy()]
    weights = program.weights
    (batch,) = (value.name for value in program.arguments if value.name not in weights)
    data = check(program, (weights, model.batch), expected, Grid(m=2), {batch: P("m")})
    assert not data.collectives
    rows = {k: P("m") for k, w in weights.items() if w.ndim > 1 and w.shape[0] % 2 == 0}
    check(program, (weights, model.batch), expected, Grid(m=2), rows)


@pytest.mark.parametrize("name", ["Qwen3", "DeepseekV3", "Deberta", "Swin", "Segformer"])
def test_gradients(name):
    model = First(name)
    params = {name: weight.detach() for name, weight in model.named_parameters()}

    def step(params, x):
        def loss(params):
            y = torch.func.functional_call(model, params, x)
            return (y * torch.cos(torch.arange(y.numel())).reshape(y.shape)).sum()

        return torch.func.grad(loss)(params)

    expected = step(params, model.batch)
    part = shard.from_torch(step, params, model.batch).partition(Grid(m=2), {"x": P("m")})
    found = part(params, model.batch)
    # Some gradients are zero but for rounding: the largest of all says how much that is. Sums in
    # another order have differed by up to 3e-5.
    largest = max(float(wanted.abs().max()) for wanted in expected.values())
    for key, wanted in expected.items():
        size = max(float(wanted.abs().max()), 1e-3 * largest)
        assert np.abs(np.asarray(found[key]) - wanted.numpy()).max() <= 1e-3 * size, key
