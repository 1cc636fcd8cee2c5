# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is shown while something takes long."""

import atexit
import contextlib
import os
import sys
from collections.abc import Callable, Iterator

from shard import _shard

Progress = bool | Callable[[str, str], object] | None
"""A function of the work (`partition`, `compile`, `run`) and of its next step (the name of
a pass, `machine code`, `one device`, or nothing). True: a bar of tqdm if it is installed, else a
line on standard error. An exception of the function stops the work."""


@contextlib.contextmanager
def follow(progress: Progress) -> Iterator[Callable[[str, str], object] | None]:
    """The function to call for `progress`, as long as the work goes on."""
    if progress is None or progress is False:
        yield None
    elif progress is not True:
        if not callable(progress):
            raise TypeError(f"progress is True, False, None or a function, not {progress!r}")
        yield progress
    else:
        with _shown() as show:
            yield show


@contextlib.contextmanager
def run_steps(
    step: Callable[[str, str], object] | None, is_compiled: bool
) -> Iterator[Callable[[str, str], object] | None]:
    """The function to call for the steps of a call, the run among them.

    The extension tells of a run when devices meet, which those of some programs never do.
    """
    if step is None:
        yield None
        return
    told: list[tuple[str, str]] = []

    def tell(work: str, what: str) -> None:
        if told[-1:] != [(work, what)]:
            told.append((work, what))
            step(work, what)

    if is_compiled:
        tell("run", "")
    yield tell
    if all(work != "run" for work, _ in told):
        tell("run", "")


@contextlib.contextmanager
def _shown() -> Iterator[Callable[[str, str], object]]:
    try:
        from tqdm.auto import tqdm
    except ImportError:

        def line(work: str, step: str) -> None:
            print(f"\r\x1b[K{work} {step}".rstrip(), end="", file=sys.stderr, flush=True)

        try:
            yield line
        finally:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        return
    with tqdm(leave=False, bar_format="{desc} {n} steps, {elapsed}") as bar:

        def advance(work: str, step: str) -> None:
            bar.set_description_str(f"{work} {step}".rstrip())
            bar.update()

        yield advance


@atexit.register
def _leave() -> None:
    """Ends the process if something that was interrupted still goes on.

    Its thread must not outlive what the interpreter takes down.
    """
    if _shard.running() > 0:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)
