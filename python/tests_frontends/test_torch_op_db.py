# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops that PyTorch tests itself by, on its own inputs: each equal on two devices, or refused.

`op_db` of PyTorch lists some 700 ops with examples of what they take. Of each op one example runs
here, and its gradients where it has some.
"""

import os
import warnings
import zlib

import numpy as np
import pytest
import torch
from torch.utils import _pytree as pytree

import shard
from shard import Grid, P

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

# Random numbers, kinds of tensors that are no arrays of numpy, eigenvectors, whose signs nothing
# determines, what changes its arguments, and what runs on a GPU alone.
LEFT_OUT = (
    *("bernoulli", "cauchy", "dropout", "empty", "exponential", "geometric", "log_normal"),
    *("multinomial", "normal", "poisson", "rand", "rrelu", "uniform"),
    *("sparse", "chalf", "bfloat16", "cdouble", "hash_tensor"),
    *("linalg.eigh", "pca_lowrank", "svd_lowrank", "jiterator"),
    *("native_batch_norm", "_batch_norm_with_update", "nn.functional.batch_norm"),
    *("nn.functional.instance_norm", "resize_", "resize_as_"),
)

# Errors of shard.from_torch: what the values of tensors decide,
REFUSED = {
    *("allclose", "argwhere", "bincount", "combinations", "corrcoef", "cov", "equal"),
    *("masked_select", "nn.functional.gaussian_nll_loss", "nn.functional.one_hot", "nonzero"),
    *("tensor_split", "unique", "unique_consecutive"),
    # and what torch-mlir cannot lower.
    *("as_strided_scatter", "frexp", "gcd", "grid_sampler_3d", "histc", "histogram", "histogramdd"),
    *("linalg.eig", "linalg.eigvals", "linalg.ldl_factor", "linalg.ldl_factor_ex"),
    *("linalg.ldl_solve", "linalg.lstsq", "linalg.lstsq.grad_oriented", "linalg.matrix_exp"),
    *(
        "matrix_exp",
        "i0",
        "igamma",
        "igammac",
        "lcm",
        "mode",
        "nextafter",
        "nonzero_static",
        "polar",
    ),
    *("_segment_reduce.lengths", "_segment_reduce.offsets", "_upsample_bilinear2d_aa"),
    *("nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d"),
    *("nn.functional.linear_cross_entropy.chunked", "nn.functional.pdist"),
    "nn.functional.linear_cross_entropy.chunked_none",
    *(f"polygamma.polygamma_n_{n}" for n in range(5)),
    *("special.airy_ai", "special.i0e", "special.i1", "special.i1e", "special.ndtri"),
    *("special.polygamma.special_polygamma_n_0", "special.spherical_bessel_j0", "special.zeta"),
    *(f"special.{kind}bessel_{n}" for kind in ("", "modified_") for n in ("i0", "i1", "j0", "j1")),
    *(f"special.{kind}bessel_{n}" for kind in ("", "modified_") for n in ("k0", "k1", "y0", "y1")),
    *(f"special.scaled_modified_bessel_{n}" for n in ("k0", "k1")),
    *(f"special.{kind}chebyshev_polynomial_{n}" for kind in ("", "shifted_") for n in "tuvw"),
    *("special.hermite_polynomial_h", "special.hermite_polynomial_he"),
    *("special.laguerre_polynomial_l", "special.legendre_polynomial_p"),
}
GRADIENTS_REFUSED = REFUSED | {
    *("as_strided", "as_strided_copy", "digamma", "index_reduce.prod", "scatter_reduce.prod"),
    "nn.functional.pad.replicate_negative",
}

# CI runs a sixth of the ops: SHARD_ALL_OPS=1 runs all.
ALL = "SHARD_ALL_OPS" in os.environ


def name_of(op):
    return op.name + ("." + op.variant_test_name if op.variant_test_name else "")


def example_of(op):
    """A function of tensors, and tensors; None without an example of a fit size."""
    torch.manual_seed(zlib.crc32(name_of(op).encode()))
    dtype = torch.float32 if torch.float32 in op.dtypes else torch.int64
    if dtype not in op.dtypes:
        return None
    for sample in op.sample_inputs("cpu", dtype):
        leaves, spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        tensors = [leaves[i].detach().clone() for i in places]
        if not tensors or not any(1 < t.numel() for t in tensors):
            continue
        if all(0 < t.numel() <= 4000 for t in tensors):

            def function(*tensors, leaves=leaves, places=places, spec=spec):
                given = list(leaves)
                for place, tensor in zip(places, tensors, strict=True):
                    given[place] = tensor
                first, args, kwargs = pytree.tree_unflatten(given, spec)
                found = pytree.tree_leaves(op.op(first, *args, **kwargs))
                return tuple(leaf for leaf in found if isinstance(leaf, torch.Tensor))

            return function, tensors
    return None


def gradients_of(function, tensors):
    """Those of a sum of the results with weights, of all floats; None without any."""
    floats = tuple(i for i, tensor in enumerate(tensors) if tensor.is_floating_point())

    def loss(*tensors):
        total = 0
        for result in function(*tensors):
            if result.is_complex():
                result = torch.view_as_real(result.resolve_conj())
            if result.is_floating_point():
                weights = torch.linspace(0.5, 1.5, result.numel(), dtype=result.dtype)
                total = total + (result * weights.reshape(result.shape)).sum()
        return total

    def gradients(*tensors):
        return tuple(torch.func.grad(loss, argnums=floats)(*tensors))

    return gradients if floats else None


def run(function, tensors, expected):
    """Compares the results on two devices with those of PyTorch."""
    program = shard.from_torch(function, *tensors)
    splits = (
        {value.name: P(*[None] * dim, 0)}
        for value in program.arguments
        for dim, extent in enumerate(value.shape)
        if extent > 1
    )
    found = program.trees.flatten_results(program.partition(Grid(2), next(splits, {}))(*tensors))
    for result, wanted in zip(map(np.asarray, found), expected, strict=True):
        assert result.dtype == wanted.dtype
        if wanted.dtype.kind in "iub":
            np.testing.assert_array_equal(result, wanted)
            continue
        finite = wanted[np.isfinite(wanted)]
        size = np.abs(finite).max() if finite.size else 1
        np.testing.assert_allclose(result, wanted, rtol=2e-4, atol=2e-5 * size)


def is_run(op):
    name = name_of(op)
    if any(part in name for part in LEFT_OUT):
        return False
    return ALL or zlib.crc32(name.encode()) % 6 == 0


OPS = {name_of(op): op for op in op_db if is_run(op)}


@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("kind", ["results", "gradients"])
def test_op(name, kind):
    op, refused = OPS[name], REFUSED
    found = example_of(op)
    if found is None:
        pytest.skip("has no example of a fit size")
    function, tensors = found
    if kind == "gradients":
        refused = GRADIENTS_REFUSED
        function = gradients_of(function, tensors) if op.supports_autograd else None
        if function is None:
            pytest.skip("has no gradients")
    try:
        results = function(*(tensor.clone() for tensor in tensors))
        expected = [np.asarray(r.detach().resolve_neg().resolve_conj()) for r in results]
    except RuntimeError as error:
        pytest.skip(f"PyTorch itself: {error}")
    if name not in refused:
        return run(function, tensors, expected)
    with pytest.raises(shard.ProgramError):
        shard.from_torch(function, *tensors)
