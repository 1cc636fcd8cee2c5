# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tutorial prints what it says, and its notebooks are those of its chapters."""

import contextlib
import importlib.util
import io
import json
import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "tutorial"
_spec = importlib.util.spec_from_file_location("chapters", FOLDER / "chapters.py")
chapters = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(chapters)

REMEDY = "run docs/tutorial/chapters.py, and read whether the text around is still true"


@pytest.fixture(params=chapters.CHAPTERS, ids=lambda path: path.stem)
def chapter(request):
    text = request.param.read_text()
    if "import torch" in text:
        pytest.importorskip("torch")
    return request.param


def test_chapters_print_what_they_say(chapter):
    text = chapter.read_text()
    assert chapters.run(text) == text, REMEDY


def test_notebooks_are_those_of_the_chapters(chapter):
    book = chapters.notebook_of(chapter).read_text()
    assert book == chapters.notebook(chapter.read_text()), REMEDY


def test_notebooks_print_what_they_say(chapter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(FOLDER.parent)
    variables = {"__name__": "__main__"}
    for cell in json.loads(chapters.notebook_of(chapter).read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        if source.startswith("!"):
            # Commands; a kernel of IPython runs them in the same way.
            with monkeypatch.context() as patch:
                for name, value in {**chapters.MPI, "PATH": chapters.tool_path()}.items():
                    patch.setenv(name, value)
                assert os.system(source.replace("!", "", 1).replace("\n!", " && ")) == 0
            continue
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(source, chapter.name, "exec"), variables)
        assert out.getvalue() == "".join(
            line for output in cell["outputs"] for line in output["text"]
        )


def test_there_are_chapters():
    assert len(chapters.CHAPTERS) >= 7
