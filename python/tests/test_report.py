# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page that Partition.report and `shard-run --report=html` write."""

import itertools
import json
import re

import pytest
from browser import CHROMIUM, Browser

import shard
from shard import Grid, P

needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="there is no chromium")


def data_of(page):
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


def layers(count):
    """A chain of two-layer perceptrons; each needs one all_reduce."""
    lines = []
    arguments = ["%x: tensor<8x16xf32>"]
    value = "%x"
    for i in range(count):
        arguments.append(f'%u{i}: tensor<16x32xf32> loc("layers.{i}.up")')
        arguments.append(f'%d{i}: tensor<32x16xf32> loc("layers.{i}.down")')
        lines += [
            f"%h{i} = linalg.matmul ins({value}, %u{i} : tensor<8x16xf32>, tensor<16x32xf32>)",
            "    outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>",
            f"%t{i} = math.tanh %h{i} : tensor<8x32xf32>",
            f"%y{i} = linalg.matmul ins(%t{i}, %d{i} : tensor<8x32xf32>, tensor<32x16xf32>)",
            "    outs(%f2 : tensor<8x16xf32>) -> tensor<8x16xf32>",
            f"%n{i} = math.tanh %y{i} : tensor<8x16xf32>",
        ]
        value = f"%n{i}"
    body = "\n".join("  " + line for line in lines)
    return f"""\
func.func @main({", ".join(arguments)}) -> tensor<8x16xf32> {{
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %e2 = tensor.empty() : tensor<8x16xf32>
  %f2 = linalg.fill ins(%c : f32) outs(%e2 : tensor<8x16xf32>) -> tensor<8x16xf32>
{body}
  return {value} : tensor<8x16xf32>
}}
"""


def test_the_page_has_what_the_partition_has(megatron, tensors, tmp_path):
    page = megatron.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == page
    data = data_of(page)
    assert [row["kind"] for row in data["report"]["collectives"]] == ["all_reduce"]
    assert data["names"] == ["arg0", "up.weight", "down.weight"]
    assert data["explanation"]["reshards"]
    lines = dict(map(tuple, data["sources"]["mlp.mlir"]))
    assert "linalg.matmul ins(%t, %w2" in lines[11]
    assert not data["report"]["verified"]
    megatron.verify(*tensors)
    assert data_of(megatron.report())["report"]["verified"]


def test_the_page_needs_no_network(megatron):
    page = megatron.report()
    assert not re.search(r"(src|href)=|https?://|@import|url\(", page)


def test_text_of_a_program_cannot_end_the_data(tmp_path):
    name = "</script><script>alert(1)</script>"
    program = shard.load(
        f'func.func @main(%x: tensor<4xf32> loc("{name}")) -> tensor<4xf32> {{\n'
        "  return %x : tensor<4xf32>\n}\n"
    )
    page = program.partition(Grid(2), {0: P(0)}).report()
    assert page.count("<script") == 2
    assert data_of(page)["names"] == [name]


@needs_chromium
def test_a_click_tells_where_a_collective_comes_from(megatron, tmp_path):
    path = tmp_path / "report.html"
    megatron.report(path)
    with Browser(path) as browser:
        assert browser.texts("#title") == ["main on 4 devices"]
        assert browser.texts("#grid .device") == ["0", "1", "2", "3"]
        assert "256 B sent by each device" in browser.texts("#summary")[0]
        names = browser.texts("#values td:first-child")
        assert names == ["arg0", "up.weight", "down.weight", "result0"]
        # Rows of arg0 by data: devices 0 and 1 have the first half.
        blocks = browser.evaluate(
            "[...document.querySelectorAll('#values tr')].slice(1).map("
            "row => [...row.querySelectorAll('.block')].map(b => b.title))"
        )
        halves = ["device 0, 1", "device 2, 3"]
        columns = ["device 0, 2", "device 1, 3"]
        assert blocks == [halves, columns, columns, halves]
        assert browser.texts("#listing .badge") == ["all_reduce model: 256 B"]
        assert "linalg.matmul" in browser.texts("#listing .marked")[0]
        assert browser.evaluate("document.querySelector('#detail').hidden")
        browser.click("#collectives tr.collective")
        (detail,) = browser.texts("#detail")
        assert "all_reduce over model, 256 B" in detail
        assert "needed by result 0 of linalg.matmul at mlp.mlir:11:8" in detail
        assert "axis model in dimension 1 of operand 0 comes from the hint" in detail
        assert "through math.tanh at mlp.mlir:8:8" in detail
        # All operands are as the op wants them; whole ones would be gathered.
        assert "Resharding for this op sends 256 B." in browser.texts("#detail .instead")[0]
        assert browser.texts("#detail .instead li") == ["1792 B without splitting the op"]
        # A click on a device leaves only its blocks.
        browser.click("#grid .device")
        assert browser.evaluate("document.querySelectorAll('.block.dim').length") == 4
        browser.click("#grid .device")
        assert browser.evaluate("document.querySelectorAll('.block.dim').length") == 0
        browser.screenshot(tmp_path / "page.png")
        assert (tmp_path / "page.png").read_bytes()[1:4] == b"PNG"
        assert browser.errors == []
        assert [url for url in browser.requests if not url.startswith("file:")] == []


@needs_chromium
def test_hints_that_conflict(mlp, tmp_path):
    """A click tells both hints, what decided, what it costs, and what another choice would."""
    hints = {0: P("data", "model"), 1: P(None, "model"), 2: P("model")}
    part = mlp.partition(Grid(data=2, model=2), hints)
    assert [row.kind for row in part.collectives] == ["all_gather", "reduce_scatter"]
    path = tmp_path / "report.html"
    part.report(path)
    with Browser(path) as browser:
        browser.click("#collectives tr.collective")
        (detail,) = browser.texts("#detail")
        assert "arg0, for linalg.matmul operand 0: [[data], [model]] becomes [[data], []]" in detail
        assert (
            "axis model in dimension 1 of operand 1 comes from the hint "
            '#shard.sharding<@grid, [[], ["mod' in detail
        )
        assert "Decided: of the ways to run the op, this one reshards the fewest bytes." in detail
        assert "Resharding for this op sends 128 B. In other ways it would be:" in detail
        lines = browser.texts("#detail .instead li")
        assert lines[0].endswith("with operand 0 as it comes, [[data], [model]]")
        assert lines[-1].endswith("without splitting the op")
        assert browser.errors == []
    text = part.explain("arg0")
    assert "instead, with operand 0 as it comes, [[data], [model]]: " in text


@needs_chromium
def test_memory_over_time(megatron, tmp_path):
    steps = megatron.cost["memory"]["steps"]
    sizes = [step["bytes"] for step in steps]
    assert max(sizes) == megatron.cost["memory"]["temporaries"] > 0
    assert all(a != b for a, b in itertools.pairwise(sizes))
    path = tmp_path / "report.html"
    megatron.report(path)
    with Browser(path) as browser:
        bars = browser.evaluate(
            "[...document.querySelectorAll('#memory .step')].map("
            "b => [b.title, parseInt(b.style.height), b.classList.contains('peak')])"
        )
        assert [title for title, _, _ in bars] == [
            f"{step['bytes']} B: {step['op']} at {step['location']}" for step in steps
        ]
        assert [height for _, height, _ in bars] == [
            int(120 * size / max(sizes) + 0.5) for size in sizes
        ]
        assert [peak for _, _, peak in bars] == [size == max(sizes) for size in sizes]
        assert browser.errors == []


@needs_chromium
def test_repeated_layers_are_folded(tmp_path):
    program = shard.load(layers(32), name="layers.mlir")
    part = program.partition(Grid(model=4), {"layers.*.up": P(None, "model")})
    assert len(part.collectives) == 32
    path = tmp_path / "report.html"
    part.report(path)
    with Browser(path) as browser:
        assert browser.evaluate("document.querySelectorAll('tr.collective').length") == 1
        assert "(32 times)" in browser.texts("#collectives tr.collective")[0]
        names = browser.texts("#values td:first-child")
        assert names == [
            "arg0",
            "layers.*.up (32 of them)",
            "layers.*.down (32 of them)",
            "result0",
        ]
        assert browser.texts("#kinds td") == ["all_reduce", "24.0 KiB"]
        assert browser.texts("#layers td") == ["each of 32 layers, layers.mlir:10:9", "768 B"]
        assert len(browser.texts("#listing .badge")) == 1
        assert len(browser.texts("#listing .line")) <= 400
        assert browser.errors == []


@needs_chromium
def test_other_shapes_of_grids(tmp_path, mlp):
    path = tmp_path / "report.html"
    mlp.partition(Grid(3, 2, 2), {0: P((0, 2)), 1: P(None, 1)}).report(path)
    with Browser(path) as browser:
        assert len(browser.texts("#grid .device")) == 12
        assert browser.errors == []
        captions = browser.texts("#values .caption")
        assert captions[0] == "dimension 0 by 0, 2"
    mlp.partition(Grid(1), {}).report(path)
    with Browser(path) as browser:
        assert browser.texts("#title") == ["main on 1 device"]
        assert browser.texts("#collectives") == ["The program needs no communication."]
        assert browser.errors == []
