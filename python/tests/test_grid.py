# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

from shard import OPEN, Grid, P


def test_grids_are_given_by_name_or_by_position():
    assert Grid(data=2, model=4).shape == (2, 4)
    assert Grid(data=2, model=4).names == ("data", "model")
    assert Grid(2, 4) == Grid([2, 4])
    assert Grid(2, 4) != Grid(data=2, model=4)
    assert Grid(3, 5).size == 15
    assert repr(Grid(data=2)) == "Grid(data=2)"
    assert Grid(np.int64(2), 4) == Grid(np.array([2, 4])) == Grid(2, 4)
    assert repr(Grid(np.int32(2))) == "Grid(2)"


@pytest.mark.parametrize("shape", [(), (0,), (-2, 2), (2.0,), (True,), (2048,), (64, 64)])
def test_grids_that_are_none(shape):
    with pytest.raises(ValueError, match="grid"):
        Grid(*shape)


def test_names_of_axes():
    with pytest.raises(ValueError, match=r"at least one axis, such as Grid\(data=2\)"):
        Grid()
    for name in ("", "a:b"):
        with pytest.raises(ValueError, match=f"'{name}' is no name of an axis"):
            Grid(**{name: 2})


def test_a_grid_has_names_for_all_axes_or_none():
    with pytest.raises(ValueError, match="not both"):
        Grid(2, model=2)


@pytest.mark.parametrize(
    ("spec", "rank", "text"),
    [
        (P(), 0, "[]"),
        (P(), 2, "[[], []]"),
        (P(None, "model"), 2, '[[], ["model"]]'),
        (P(("data", "model")), 1, '[["data", "model"]]'),
        (P(OPEN, 1), 2, "[[?], [1]]"),
        (P(("data", ...)), 3, '[["data", ?], [], []]'),
        (P("model:(2)2"), 1, '[["model":(2)2]]'),
        (P('q"x'), 1, '[["q\\"x"]]'),
        (P("a\n"), 1, '[["a\\0A"]]'),
        (P(np.int64(1), [np.int32(0)]), 2, "[[1], [0]]"),
    ],
)
def test_specs_as_text(spec, rank, text):
    assert spec.to_text(rank) == text


def test_specs_of_text():
    for spec in (P(), P(None, "model"), P(("data", "model"), None), P(0), P((1, 0))):
        assert P.from_text(spec.to_text(len(spec.dims)).replace('"', "")) == spec
    for text in ("", "[[a], []] partial = sum [b]", "[[a], []] halo = [1, 1]", "[[a:(1)2]"):
        with pytest.raises(ValueError, match="no P says"):
            P.from_text(text)


def test_meshes_that_are_none():
    assert Grid.of(Grid(2)) == Grid(2)
    with pytest.raises(TypeError, match=r"is no grid: pass a shard\.Grid, a Mesh"):
        Grid.of((2, 2))


def test_specs_are_keys():
    assert hash(P(["a", "b"])) == hash(P(("a", "b")))
    assert P(["a", "b"]) == P(("a", "b"))


def test_specs_that_are_none():
    with pytest.raises(TypeError, match="is no axis"):
        P(1.5)
    with pytest.raises(TypeError, match="is no axis"):
        P(True)
    with pytest.raises(ValueError, match="stands behind"):
        P((..., "data"))
    with pytest.raises(ValueError, match="has 2 dimensions, the tensor has 1"):
        P(None, None).to_text(1)
