# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of docs/Python.md and README.md run as they stand there."""

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = [
    block
    for page in ("README.md", "docs/Python.md")
    for block in re.findall(
        r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE
    )
]


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_block(number, monkeypatch, tmp_path):
    block = BLOCKS[number]
    for package in ("jax", "torch"):
        if f"import {package}" in block:
            pytest.importorskip(package)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, f"block {number}", "exec"), {})
    if "part.save(" in block:
        assert any(name.endswith(".mlir") for name in os.listdir(tmp_path))


def test_there_are_blocks():
    assert len(BLOCKS) >= 4
