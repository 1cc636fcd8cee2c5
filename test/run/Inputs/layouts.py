# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with the hints that tests give them.

`layouts(examples, models)` lists those of docs/examples and, if `models` is not None, of
the folder of real models. Models that are too large to run have a smaller form, with the
same ops and layers.
"""

import dataclasses
import pathlib
import re
import subprocess

# Extents of Llama-2-7B and those of its smaller form.
SMALLER = {"4096": "256", "128": "8", "64": "4", "11008": "688", "32000": "320", "2048": "64"}
LAYERS, ARGUMENTS, FIRST = 32, 11, 2
BY_ROWS, BY_COLUMNS = (1, 2, 3, 8, 9), (6, 10)


@dataclasses.dataclass
class Layout:
    """A program, the grid and the hints of it."""

    name: str
    text: str
    grid: str
    hints: list
    entry: str = ""
    # The text of the form that runs, if it is another one.
    small: str = ""

    def options(self):
        """The options of shard-run and shard-opt."""
        return ["--grid", self.grid, *(f"--hint={hint}" for hint in self.hints)]


def shrunk(text):
    """Llama-2-7B with smaller extents."""

    def shape(match):
        extents = match.group(1).split("x")
        return f"tensor<{'x'.join(SMALLER.get(e, e) for e in extents)}x{match.group(2)}>"

    def numbers(match):
        return (
            f"[{', '.join(SMALLER.get(e.strip(), e.strip()) for e in match.group(1).split(','))}]"
        )

    text = re.sub(r"tensor<([\dx]+)x(\w+)>", shape, text)
    return re.sub(r"\[([\d, ]+)\]", numbers, text)


def only(folder, name, entry):
    """The program in the file `name`, of which only `entry` is called from outside. A main
    program that calls it, the last function, is left out.
    """
    text = (folder / name).read_text()
    text = text[: text.find("func.func @main(")] if "func.func @main(" in text else text
    return re.sub(rf"func\.func @(?!{entry}\()", "func.func private @", text)


def inlined(text):
    """`text` without calls."""
    command = ["shard-opt", "-", "--inline"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def of_examples(folder):
    """The layouts of docs/examples."""
    mlp = (folder / "mlp.mlir").read_text()
    yield Layout("MLP, Megatron", mlp, "4", [])
    yield Layout(
        "MLP, batch", mlp, "3", ["arg1=[[],[]]", "arg2=[[]]", "arg3=[[],[]]", "arg0=[[0],[]]"]
    )
    attention = (folder / "attention.mlir").read_text()
    heads = [f"arg{weight}=[[],[0]]" for weight in (1, 2, 3)] + ["arg4=[[0],[]]"]
    yield Layout("attention, batch", attention, "3", ["arg0=[[0],[],[]]"])
    yield Layout("attention, sequence", attention, "4", ["arg0=[[],[0],[]]"])
    yield Layout("attention, heads", attention, "4", heads)


def of_llama(folder):
    """The block and the whole model."""
    block = (folder / "llama2_7b_block_bf16_linalg.mlir").read_text()
    hints = ["arg1=[[],[0]]", "arg5=[[0],[]]", "arg6=[[0],[]]", "arg7=[[],[0]]"]
    for grid in ("2", "4"):
        yield Layout("Llama-2-7B block, tensor parallel", block, grid, hints)
    full = (folder / "llama2_7b_full_prefill40_tosa.mlir").read_text()
    hints = []
    for layer in range(LAYERS):
        first = FIRST + ARGUMENTS * layer
        hints += [f"arg{first + weight}=[[0],[]]" for weight in BY_ROWS]
        hints += [f"arg{first + weight}=[[],[0]]" for weight in BY_COLUMNS]
    small = shrunk(full)
    yield Layout("Llama-2-7B, tensor parallel", full, "4", hints, small=small)
    hints = [*hints, "arg1=[[],[0]]"]
    yield Layout("Llama-2-7B, sequence parallel", full, "4", hints, small=small)


def of_models(folder):
    """The layouts of the real models."""
    yield from of_llama(folder)
    entry = "resnet50_bottleneck_block"
    resnet = only(folder, "tpp_resnet50-bottleneck-block.mlir", entry)
    for grid in ("3x1", "3x3", "2x2"):
        hints = ["arg0=[[],[0],[1],[]]"]
        name = "ResNet-50 block, rows and columns"
        yield Layout(name, inlined(resnet), grid, hints, entry)
        yield Layout(f"{name}, with calls", resnet, grid, hints, entry)
    decode = only(folder, "buddy_next-gqa-attention.mlir", "kernel")
    positions = ["arg1=[[],[],[0],[]]", "arg2=[[],[],[0],[]]"]
    for grid in ("2", "3", "4"):
        yield Layout("decoder step, positions", decode, grid, positions, "kernel")
    heads = ["arg1=[[],[0],[],[]]", "arg2=[[],[0],[],[]]"]
    yield Layout("decoder step, heads", decode, "2", heads, "kernel")
    ffn = only(folder, "buddy_next-ffn.mlir", "kernel")
    hidden = ["arg1=[[],[0]]", "arg3=[[],[0]]", "arg4=[[0],[]]"]
    yield Layout("feed-forward of one token, hidden", ffn, "4", hidden, "kernel")
    mlp = (folder / "tpp_mlp-3layers.mlir").read_text()
    yield Layout("three layers, batch", mlp, "4", ["arg0=[[0],[]]"])
    attention = (folder / "tpp_multi-head-attention.mlir").read_text()
    yield Layout("BERT attention, sequence", attention, "4", ["arg0=[[],[0],[]]"])
    yield Layout("BERT attention, batch", attention, "4", ["arg0=[[0],[],[]]"])


def layouts(examples, models):
    """All of them; `models` may be None."""
    yield from of_examples(pathlib.Path(examples))
    if models:
        yield from of_models(pathlib.Path(models))
