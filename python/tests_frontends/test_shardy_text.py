# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the programs in Shardy's text that we test with are Shardy's own text.

`shard-translate --import-sdy` is tested with programs that we wrote. Here Shardy's
parser and verifier, which come with jaxlib, read them too.
"""

import re
from pathlib import Path

import pytest
from jax.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir

TESTS = Path(__file__).parents[2] / "test"
FILES = sorted(TESTS.glob("Sources/shardy-*.mlir"))

# jaxlib has no linalg: its ops are written in the generic form, without their regions.
NAMED_OP = re.compile(
    r"(linalg\.\w+)\s*(\{(?:[^{}]|\{[^{}]*\})*\})?\s*"
    r"ins\(([^:()]*) : ([^()]*)\)\s*outs\((\S+) : ([^()]*)\)\s*-> *(\S+)"
)


def readable(text):
    def generic(match):
        op, attributes, inputs, types, output, output_type, result = match.groups()
        return (
            f'"{op}"({inputs}, {output}) {attributes or ""} : ({types}, {output_type}) -> {result}'
        )

    return NAMED_OP.sub(generic, text)


def parse(text):
    with make_ir_context() as context:
        context.allow_unregistered_dialects = True
        return str(ir.Module.parse(readable(text)))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_shardy_reads_what_the_import_is_tested_with(file):
    assert "sdy.mesh" in parse(file.read_text())


def test_there_are_such_files():
    assert len(FILES) >= 3


def test_shardy_rejects_other_text():
    with pytest.raises(Exception, match="expected"):
        parse('sdy.mesh @mesh = <["x"=2]> sdy.mesh oops')
