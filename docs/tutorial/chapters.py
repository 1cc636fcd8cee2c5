#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the chapters of the tutorial and makes notebooks of them.

    PYTHONPATH=build/python python docs/tutorial/chapters.py [chapter.md...]

writes into each chapter what its programs print, and its notebook beside it. The tests of
the package check that both are current.

A block ```python is a program; all of a chapter share their variables. What it prints
stands in a block ```text behind it. A block ```console has commands behind `$ ` and what
they print. Everything runs in a folder that has only `docs`.
"""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHAPTERS = sorted(HERE.glob("*.md"))

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


def blocks(text):
    """The chapter as (kind, text) in order; the kind of prose is empty."""
    at = 0
    for match in _FENCE.finditer(text):
        if text[at : match.start()]:
            yield "", text[at : match.start()]
        yield match[1], match[2]
        at = match.end()
    if text[at:]:
        yield "", text[at:]


def tool_path():
    """$PATH with the folder of shard-run in front."""
    import shard

    folders = [Path(shard.__file__).parents[2] / "bin", Path(sys.executable).parent]
    found = [str(folder) for folder in folders if (folder / "shard-run").exists()]
    return os.pathsep.join([*found, os.environ.get("PATH", "")])


# Open MPI starts more processes than there are cores, and as root, only if told so.
MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


def _command(line, folder):
    process = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env={**os.environ, **MPI, "PATH": tool_path()},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        raise RuntimeError(f"{line}: exit code {process.returncode}\n{process.stdout}")
    return process.stdout


def run(text):
    """The chapter with what its programs and commands print now."""
    text = re.sub(r"^```\n\n+```text\n.*?^```\n", "```\n", text, flags=re.DOTALL | re.MULTILINE)
    variables = {"__name__": "__main__"}
    parts = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("docs").symlink_to(HERE.parent)
        for kind, body in blocks(text):
            printed = ""
            if kind == "python":
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    exec(compile(body, "<chapter>", "exec"), variables)
                printed = out.getvalue()
            elif kind == "console":
                commands = [line for line in body.splitlines() if line.startswith("$ ")]
                body = "".join(f"{c}\n{_command(c[2:], folder)}" for c in commands)
            parts.append(f"```{kind}\n{body}```\n" if kind else body)
            if printed:
                parts.append(f"\n```text\n{printed}```\n")
    return "".join(parts)


def notebook(text):
    """The chapter as the JSON text of a notebook."""
    cells = []
    for kind, body in blocks(text):
        lines = body.strip("\n").splitlines(keepends=True)
        if kind == "text" and cells and cells[-1]["cell_type"] == "code":
            output = {"name": "stdout", "output_type": "stream"}
            cells[-1]["outputs"] = [{**output, "text": body.splitlines(keepends=True)}]
        elif kind in ("python", "console"):
            if kind == "console":
                commands = [line for line in body.splitlines() if line.startswith("$ ")]
                lines = "\n".join("!" + line[2:] for line in commands).splitlines(keepends=True)
            cell = {"cell_type": "code", "execution_count": None, "id": f"cell-{len(cells)}"}
            cells.append({**cell, "metadata": {}, "outputs": [], "source": lines})
        elif lines:
            if kind:
                lines = [f"```{kind}\n", *body.splitlines(keepends=True), "```"]
            cell = {"cell_type": "markdown", "id": f"cell-{len(cells)}", "metadata": {}}
            cells.append({**cell, "source": lines})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1) + "\n"


def notebook_of(chapter):
    """The path of a chapter's notebook."""
    return chapter.with_suffix(".ipynb")


def main():
    """Writes the chapters that are named, or all."""
    for chapter in [Path(name).resolve() for name in sys.argv[1:]] or CHAPTERS:
        text = run(chapter.read_text())
        chapter.write_text(text)
        notebook_of(chapter).write_text(notebook(text))


if __name__ == "__main__":
    main()
