#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reshards of LLVM's partition pass against the planner's.

    compare-llvm.py [--shard-opt build/bin/shard-opt] [--mlir-opt mlir-opt]
                    [--pairs]

For every ordered pair of shardings of tensor<16x16xf32> on a grid of 4 x 2: what
mlir-opt's shard-partition makes of a function that annotates its argument with the
one and its result with the other. Its collectives are executed here, on arrays of
element numbers, to see whether every device ends with its block; their bytes are
those of CostModel.h, as for the planner (shard-opt --shard-plan-reshard). Prints a
table; with --pairs also a line per pair.
"""

import argparse
import itertools
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

GRID = (4, 2)
SHAPE = (16, 16)
ELEMENT_BYTES = 4

PROGRAM = """shard.grid @grid(shape = {grid})
func.func @f(%x: {type}) -> {type} {{
  %s = shard.sharding @grid split_axes = {source} : !shard.sharding
  %a = shard.shard %x to %s : {type}
  %t = shard.sharding @grid split_axes = {target} : !shard.sharding
  %b = shard.shard %a to %t annotate_for_users : {type}
  return %b : {type}
}}
"""
OP = re.compile(r"%(\S+) = shard\.(\w+) %(\S+) on @grid(.*?) : tensor<")
CAST = re.compile(r"%(\S+) = tensor\.cast %(\S+) : tensor<(\S+)xf32> to tensor<(\S+)xf32>")
DEVICES = list(itertools.product(*map(range, GRID)))


def by_x(numbers):
    return "x".join(map(str, numbers))


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def group(device, axes):
    """The devices that differ from `device` on `axes` only, in their order."""
    members = []
    for coordinates in itertools.product(*(range(GRID[axis]) for axis in axes)):
        member = list(device)
        for axis, coordinate in zip(axes, coordinates):
            member[axis] = coordinate
        members.append(tuple(member))
    return members


def cut(block, dim, parts, position):
    """Part number `position` of a block: a list of rows of element numbers."""
    rows, columns = len(block), len(block[0])
    if (rows, columns)[dim] % parts:
        raise ValueError("does not divide")
    if dim == 0:
        height = rows // parts
        return block[position * height : (position + 1) * height]
    width = columns // parts
    return [row[position * width : (position + 1) * width] for row in block]


def join(blocks, dim):
    if dim == 0:
        return [row for block in blocks for row in block]
    return [sum(rows, []) for rows in zip(*blocks)]


def block_of(device, sharding):
    block = [[SHAPE[1] * i + j for j in range(SHAPE[1])] for i in range(SHAPE[0])]
    for dim, axes in enumerate(sharding):
        for axis in axes:
            block = cut(block, dim, GRID[axis], device[axis])
    return block


def execute(kind, attributes, blocks):
    """The blocks of all devices after a collective, and the bytes one sends."""
    number = lambda name: int(re.search(name + r" = (\d+)", attributes).group(1))
    found = re.search(r"grid_axes = \[([\d, ]*)\]", attributes)
    axes = [int(axis) for axis in found.group(1).split(",")] if found else []
    parts = product(GRID[axis] for axis in axes)
    local = blocks[DEVICES[0]]
    size = len(local) * len(local[0]) * ELEMENT_BYTES
    result = {}
    for device in DEVICES:
        members = group(device, axes)
        position = members.index(device)
        if kind == "all_gather":
            result[device] = join([blocks[m] for m in members], number("gather_axis"))
            sent = (parts - 1) * size
        elif kind == "all_slice":
            result[device] = cut(blocks[device], number("slice_axis"), parts, position)
            sent = 0
        elif kind == "all_to_all":
            pieces = [cut(blocks[m], number("split_axis"), parts, position) for m in members]
            result[device] = join(pieces, number("concat_axis"))
            sent = (parts - 1) * size / parts
        else:
            raise ValueError("unknown collective " + kind)
    return result, sent


def judge(output, source, target):
    """What mlir-opt's program does: a verdict and the bytes that a device sends."""
    values = {"arg0": {device: block_of(device, source) for device in DEVICES}}
    total = 0
    expected = {device: block_of(device, target) for device in DEVICES}
    local = expected[DEVICES[0]]
    right_type = f"tensor<{len(local)}x{len(local[0])}xf32>"
    returned = None
    unknown = False
    for line in output.splitlines():
        operation, cast = OP.search(line), CAST.search(line)
        try:
            if operation:
                name, kind, operand, attributes = operation.groups()
                values[name], sent = execute(kind, attributes, values[operand])
                total += sent
            elif cast:
                values[cast.group(1)] = values[cast.group(2)]
        except (AttributeError, KeyError, ValueError):
            unknown = True
        if line.strip().startswith("return "):
            value, returned = re.search(r"return %(\S+) : (\S+)", line).groups()
    if returned != right_type:
        return "wrong type", total
    if unknown or values.get(value) != expected:
        return "wrong blocks", total
    return "right", total


def partition(mlir_opt, source, target):
    program = PROGRAM.format(
        grid=by_x(GRID),
        type=f"tensor<{by_x(SHAPE)}xf32>",
        source=[list(axes) for axes in source],
        target=[list(axes) for axes in target],
    )
    pipeline = "--pass-pipeline=builtin.module(func.func(shard-partition))"
    process = subprocess.run(
        [mlir_opt, pipeline], input=program, capture_output=True, text=True
    )
    if process.returncode == 0:
        return judge(process.stdout, source, target)
    crashed = process.returncode < 0 or "PLEASE submit a bug report" in process.stderr
    return ("crash" if crashed else "error"), 0


def planned(shard_opt):
    """Bytes of the planner's plans by pair of shardings, and the shardings."""
    question = f"grid={by_x(GRID)} type=tensor<{by_x(SHAPE)}xf32> all"
    table = subprocess.run(
        [shard_opt, f"--shard-plan-reshard={question}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    read = lambda text: tuple(tuple(axes) for axes in eval(text))
    bytes_of = {}
    for line in table.splitlines():
        columns = re.split(r"  +", line.strip())
        if line.startswith("[["):
            bytes_of[read(columns[0]), read(columns[1])] = int(columns[3])
    return bytes_of


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shard-opt", default="build/bin/shard-opt")
    parser.add_argument(
        "--mlir-opt", default=shutil.which("mlir-opt") or shutil.which("mlir-opt-22")
    )
    parser.add_argument("--pairs", action="store_true")
    arguments = parser.parse_args()
    if not arguments.mlir_opt:
        sys.exit("there is no mlir-opt")

    ours = planned(arguments.shard_opt)
    with ThreadPoolExecutor(2) as pool:
        theirs = list(
            pool.map(lambda pair: partition(arguments.mlir_opt, *pair), ours)
        )
    verdicts = ("right", "wrong blocks", "wrong type", "error", "crash")
    rows = {verdict: [0, 0, 0, 0] for verdict in verdicts}
    for (pair, least), (verdict, sent) in zip(ours.items(), theirs):
        row = rows[verdict]
        row[0] += 1
        row[1] += sent > least
        row[2] += sent
        row[3] += least
        if arguments.pairs:
            source, target = ([list(axes) for axes in side] for side in pair)
            print(f"{str(source):<12} -> {str(target):<12} {verdict:<12} {sent:>6g} {least:>6}")
    print(
        f"LLVM's shard-partition, tensor<{by_x(SHAPE)}xf32> on {by_x(GRID)}, "
        f"{len(ours)} ordered pairs of shardings"
    )
    print(f"{'':<14}{'pairs':>6}{'dearer':>8}{'its bytes':>11}{'planner':>9}{'ratio':>7}")
    for verdict, (pairs, dearer, sent, least) in rows.items():
        judged = verdict in ("right", "wrong blocks", "wrong type")
        ratio = f"{sent / least:.2f}" if judged and least else "-"
        print(
            f"{verdict:<14}{pairs:>6}{dearer if judged else '-':>8}"
            f"{f'{sent:g}' if judged else '-':>11}{least:>9}{ratio:>7}"
        )


if __name__ == "__main__":
    main()
