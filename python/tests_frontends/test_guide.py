# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of docs/Python.md and of the tutorial, those of JAX and PyTorch too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from test_docs import test_block, test_there_are_blocks  # noqa: F401
from test_tutorial import (  # noqa: F401
    chapter,
    test_chapters_print_what_they_say,
    test_notebooks_are_those_of_the_chapters,
    test_notebooks_print_what_they_say,
)
