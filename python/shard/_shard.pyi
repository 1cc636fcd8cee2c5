# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The extension (python/src/shard.cpp)."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

_Diagnostics = list[tuple[int, str, str, int, int]]
_Value = tuple[str, str, str, list[int]]
_Progress = Callable[[str, str], object] | None
_Tensor = tuple[str, list[int], npt.NDArray[np.uint8]]

class Program:
    @property
    def entry(self) -> str: ...
    @property
    def arguments(self) -> list[_Value]: ...
    @property
    def results(self) -> list[_Value]: ...
    @property
    def text(self) -> str: ...
    @property
    def ops(self) -> str: ...

class Partition:
    @property
    def text(self) -> str: ...
    @property
    def report(self) -> str: ...
    def run(
        self,
        inputs: Sequence[tuple[Any, ...]],
        timeout: float,
        seed: int,
        verify: bool,
        progress: _Progress,
    ) -> tuple[bool, list[_Tensor], str, _Diagnostics]: ...
    def explain(self) -> tuple[bool, str, _Diagnostics]: ...

class Processes:
    @property
    def count(self) -> int: ...
    @property
    def number(self) -> int: ...
    def leave(self) -> None: ...
    def fail(self, message: str) -> NoReturn: ...

def launcher() -> str: ...
def join(mpi: str, folder: str) -> Processes: ...
def parse(source: bytes, name: str, entry: str) -> tuple[Program | None, _Diagnostics]: ...
def partition(
    program: Program,
    shape: Sequence[int],
    names: Sequence[str],
    hints: Sequence[str],
    cpu: str,
    processes: Processes | None,
    progress: _Progress,
    uneven_dynamic: bool,
    halo_steps: int,
) -> tuple[Partition | None, _Diagnostics]: ...
def print_html(data: str, source_name: str, source_text: bytes) -> str: ...
def running() -> int: ...
