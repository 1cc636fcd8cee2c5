# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a manual computation with one kind of collective along all dimensions of a tensor,
over all lists of axes of a grid of 2x3, from and to several devices:

    collective_dimensions.py KIND > program.mlir
"""

import itertools
import sys

GRID = (2, 3)
LOCAL = (6, 6, 6)
AXES = ([0], [1], [0, 1], [1, 0])


def tensor(shape):
    return "tensor<" + "x".join(map(str, shape)) + "xi32>"


def size(axes):
    product = 1
    for axis in axes:
        product *= GRID[axis]
    return product


def changed(shape, dim, factor):
    """`shape` with dimension `dim` longer by `factor`, or shorter if that is below 1."""
    result = list(shape)
    result[dim] = round(result[dim] * factor)
    return tuple(result)


def roots(axes):
    """The first device of a group, and one that is neither the first nor the last of several."""
    return [0] * len(axes), [0] * (len(axes) - 1) + [1]


class Body:
    def __init__(self):
        self.lines, self.results = [], []

    def op(self, operand, name, axes, attributes, shape, rooted=False, keep=True):
        operands, result = tensor(operand[1]), tensor(shape)
        types = f"({operands}) -> {result}" if rooted else f"{operands} -> {result}"
        value = (f"%r{len(self.lines)}", shape)
        self.lines.append(f"    {value[0]} = shard.{name} {operand[0]} on @g grid_axes = {axes}"
                          f" {attributes} : {types}")
        if keep:
            self.results.append(value)
        return value


def write(kind, body):
    x = ("%x", LOCAL)
    for axes in AXES:
        parts = size(axes)
        for dim, root in itertools.product(range(3), roots(axes)):
            first = root == [0] * len(axes)
            if kind == "all_gather" and first:
                body.op(x, kind, axes, f"gather_axis = {dim}", changed(LOCAL, dim, parts))
            elif kind == "all_slice" and first:
                body.op(x, kind, axes, f"slice_axis = {dim}", changed(LOCAL, dim, 1 / parts))
            elif kind == "reduce_scatter" and first:
                for reduction in ("sum", "max"):
                    body.op(x, kind, axes, f"reduction = {reduction} scatter_axis = {dim}",
                            changed(LOCAL, dim, 1 / parts))
            elif kind == "all_to_all" and first:
                # Of several axes one other dimension, for the sake of time.
                for other in [(dim + 1) % 3, (dim + 2) % 3][: 3 - len(axes)]:
                    shape = changed(changed(LOCAL, dim, 1 / parts), other, parts)
                    body.op(x, kind, axes, f"split_axis = {dim} concat_axis = {other}", shape)
            elif kind == "gather" and axes != [1, 0]:
                # The other devices of the group have nothing.
                whole = body.op(x, kind, axes, f"gather_axis = {dim} root = {root}",
                                changed(LOCAL, dim, parts), rooted=True, keep=False)
                body.op(whole, "broadcast", axes, f"root = {root}", whole[1], rooted=True)
            elif kind == "scatter":
                body.op(x, kind, axes, f"scatter_axis = {dim} root = {root}",
                        changed(LOCAL, dim, 1 / parts), rooted=True)
            elif kind == "reduce" and dim == 0:
                whole = body.op(x, kind, axes, f"reduction = sum root = {root}", LOCAL,
                                rooted=True, keep=False)
                body.op(whole, "broadcast", axes, f"root = {root}", LOCAL, rooted=True)


def main(kind):
    body = Body()
    write(kind, body)
    split = "<@g, [[0], [1], []]>"
    names = ", ".join(name for name, _ in body.results)
    locals_ = ", ".join(tensor(shape) for _, shape in body.results)
    wholes = ", ".join(tensor((2 * shape[0], 3 * shape[1], shape[2]))
                       for _, shape in body.results)
    outs = ", ".join([split] * len(body.results))
    whole = tensor((2 * LOCAL[0], 3 * LOCAL[1], LOCAL[2]))
    count = len(body.results)
    print(f"shard.grid @g(shape = {GRID[0]}x{GRID[1]})")
    print(f"func.func @main(%a: {whole}) -> ({wholes}) {{")
    print(f"  %m:{count} = shard.manual_computation(%a) on @g in = [{split}] out = [{outs}]"
          f" axes = [0, 1] (%x: {tensor(LOCAL)}) {{")
    print("\n".join(body.lines))
    print(f"    shard.return {names} : {locals_}")
    print(f"  }} : ({whole}) -> ({wholes})")
    print("  return " + ", ".join(f"%m#{i}" for i in range(count)) + f" : {wholes}")
    print("}")


main(sys.argv[1])
