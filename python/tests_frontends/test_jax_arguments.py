# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs of JAX take, and what is not read."""

import jax.numpy as jnp
import numpy as np
import pytest

import shard
from shard import Grid, P


def test_arrays_of_64_bits_are_arguments_of_32():
    x, i = np.arange(16.0).reshape(4, 4), np.arange(4)
    assert (x.dtype, i.dtype) == (np.float64, np.int64)
    program = shard.from_jax(lambda x, i: (x * i, i + 1), x, i)
    part = program.partition(Grid(2), {"x": P(0)})
    for arguments in ((x, i), (x.astype(np.float32), i.astype(np.int32)), (jnp.array(x), i)):
        first, second = part(*arguments)
        assert (first.dtype, second.dtype) == (jnp.float32, jnp.int32)
        np.testing.assert_array_equal(first, x * i)
        np.testing.assert_array_equal(second, i + 1)
    part.verify(x, i)
    with pytest.raises(shard.RunError, match="x takes elements of float32"):
        part(x.astype(np.float16), i)


def test_structures_that_do_not_fit():
    def scaled(params, x):
        return params["a"] * x + params["b"]

    x = jnp.arange(4.0)
    part = shard.from_jax(scaled, {"a": x, "b": x}, x).partition(Grid(2))
    for arguments, message in [
        (({"a": x}, x), r"made for: params\.b is missing$"),
        (({"a": x, "b": x, "c": x}, x), r"the program has no params\.c$"),
        (({"a": x, "b": x},), "x is missing$"),
        (({"a": x, "b": x}, [x, x]), "x is one value, not 2 in a tree$"),
        (({"a": x, "b": x}, x, x), "the program has no arg2$"),
    ]:
        with pytest.raises(shard.RunError, match=message):
            part(*arguments)
