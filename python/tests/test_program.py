# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from conftest import MLP

import shard
from shard import Grid, P


def test_what_a_program_takes_and_gives(mlp):
    assert mlp.entry == "main"
    assert [v.name for v in mlp.arguments] == ["arg0", "up.weight", "down.weight"]
    assert mlp.arguments[1].shape == (16, 32)
    assert mlp.arguments[1].element_type == "f32"
    assert mlp.results[0].type == "tensor<8x16xf32>"
    assert "linalg.matmul" in mlp.text


def test_paths_text_and_bytes(tmp_path, mlp):
    path = tmp_path / "mlp.mlir"
    path.write_text(MLP)
    for source in (path, str(path), MLP, MLP.encode()):
        assert shard.load(source).text == mlp.text
    with pytest.raises(FileNotFoundError):
        shard.load("missing.mlir")
    for source in ("", b" "):
        with pytest.raises(ValueError, match="not an empty string"):
            shard.load(source)
    with pytest.raises(shard.ProgramError, match="bytecode version"):
        shard.load(b"ML\xefRjunk")


def test_errors_have_a_place():
    with pytest.raises(shard.ProgramError) as caught:
        shard.load("func.func @main() {\n  %0 = nonsense.op\n}", name="bad.mlir")
    first = caught.value.diagnostics[0]
    assert (first.file, first.line, first.severity) == ("bad.mlir", 2, "error")
    assert str(caught.value).startswith("bad.mlir:2:")


def test_an_entry_that_is_not_there():
    with pytest.raises(shard.ProgramError, match=r"no function 'other'.*functions: main"):
        shard.load(MLP, entry="other")


def test_hints_by_number_name_and_pattern(mlp):
    by_number = mlp.partition(Grid(model=4), {1: P(None, "model"), 2: P("model")})
    by_name = mlp.partition(
        Grid(model=4), {"up.weight": P(None, "model"), "down.weight": P("model")}
    )
    by_pattern = mlp.partition(
        Grid(model=4), {"*.weight": P(..., "model"), "down.weight": '[["model"], []]'}
    )
    assert by_number.text == by_name.text == by_pattern.text
    assert [v.sharding for v in by_number.arguments] == [
        "[[], []]",
        "[[], [model]]",
        "[[model], []]",
    ]


def test_hints_of_operands_and_results(mlp):
    part = mlp.partition(Grid(2), {"linalg.matmul#1:0": P(None, 0), "result0": P(0)})
    assert part.arguments[2].sharding == "[[0], []]"
    assert part.collectives.count("reduce_scatter") == 1


def test_dimensions_that_a_hint_does_not_mention_are_whole(mlp):
    assert not mlp.partition(Grid(2), {0: P(0)}).collectives
    for whole in (P(), P(None), "[]"):
        part = mlp.partition(Grid(2), {0: P(0), "linalg.matmul#0:0": whole})
        # Wherever it costs least to gather: behind the products, here.
        assert [row.kind for row in part.collectives] == ["all_gather"]
        assert part.verify().passed
    with pytest.raises(shard.HintError, match=r"3 dimensions.*rank 2"):
        mlp.partition(Grid(2), {"linalg.matmul#0:0": P(None, None, None)})


@pytest.mark.parametrize(
    ("hints", "message"),
    [
        ({"foo": P()}, "'foo' names nothing; arguments are arg0, up.weight"),
        ({"up.weigth": P()}, "'up.weigth' names nothing; did you mean 'up.weight'"),
        ({1.5: P()}, "1.5 of a hint is neither a number nor a name"),
        ({True: P()}, "True of a hint is neither a number nor a name"),
        ({-1: P()}, "no argument -1"),
        ({"": P()}, "'' names nothing"),
        ([P()], "hints are a dictionary"),
        ({7: P()}, "no argument 7"),
        ({"arg7": P()}, "no argument 7"),
        ({"result1": P()}, "no result 1"),
        ({0: P(None, None, None)}, "3 dimensions"),
        ({0: P(3)}, "names axis 3"),
        ({0: P("nobody")}, r"names axis 'nobody'; Grid\(2\) has no names"),
        ({0: P(0, 0)}, "axis 0"),
        ({0: "[["}, "is not closed"),
        ({0: 1.5}, "1.5 is no sharding; write a P"),
        ({0: [2.5]}, "2.5 is no axis"),
        ({"linalg.matmul#5:0": P()}, "linalg.matmul"),
        ({"u*": P(0), "*.weight": P(None, 0)}, "both name arg1 and differ"),
    ],
)
def test_hints_that_do_not_fit(mlp, hints, message):
    with pytest.raises(shard.HintError, match=message):
        mlp.partition(Grid(2), hints)


def test_names_of_axes_are_checked(mlp):
    with pytest.raises(shard.HintError, match=r"hint 0.*'modle'; Grid\(.*\) has data, model"):
        mlp.partition(Grid(data=2, model=2), {0: P("modle")})
    with pytest.raises(TypeError, match=r"'2x2' is no grid: pass a shard\.Grid"):
        mlp.partition("2x2")


def test_diagnostics_do_not_print_the_program(mlp):
    part = mlp.partition(Grid(2), cpu="pentium9")
    with pytest.raises(shard.ProgramError, match="unknown processor 'pentium9'") as caught:
        part.verify()
    assert "builtin.module" not in str(caught.value)


def test_a_program_without_a_grid(mlp):
    with pytest.raises(shard.ProgramError, match="no grid"):
        mlp.partition()


def test_a_grid_in_the_program():
    program = shard.load('shard.grid @g(shape = 2x3) axes ["a", "b"]\n' + MLP)
    assert program.partition().grid == Grid(a=2, b=3)
    with pytest.warns(UserWarning, match="are dropped"):
        assert program.partition(Grid(4)).grid == Grid(4)


def test_arrays_are_not_kept(mlp, tensors):
    part = mlp.partition(Grid(2), {0: P(0)})
    before = [t.copy() for t in tensors]
    part(*tensors)
    for array, copy in zip(tensors, before, strict=True):
        np.testing.assert_array_equal(array, copy)
