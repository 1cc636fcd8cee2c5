# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of n parts, one kind per function, for growth.py.

Each function of SHAPES takes n and returns the text of a program whose size is
proportional to n.
"""

T = "tensor<16x16xf32>"
GRID = "shard.grid @g(shape = 2x2)"
IDENTITY = "affine_map<(d0, d1) -> (d0, d1)>"


def hint(dims, more="", grid="g"):
    return f"{{shard.sharding = #shard.sharding<@{grid}, {dims}{more}>}}"


ROWS = hint("[[0, ?], [?]]")
COLUMNS = hint("[[?], [1]]")


def function(body, arguments="", result="%last", hints=ROWS, name="f", visibility=""):
    arguments = f", {arguments}" if arguments else ""
    lines = "\n".join("  " + line for line in body)
    return (
        f"func.func {visibility}@{name}(%in: {T} {hints}{arguments}) -> {T} {{\n"
        f"{lines}\n  return {result} : {T}\n}}\n"
    )


def chained(n, op):
    """n lines of `op(i, value before)`, each of which defines %v{i}."""
    body, last = [], "%in"
    for i in range(n):
        body += op(i, last)
        last = f"%v{i}"
    return body, last


def program(body, last, **options):
    return f"{GRID}\n{function(body, result=last, **options)}"


def chain(n):
    return program(*chained(n, lambda i, x: [f"%v{i} = arith.addf {x}, {x} : {T}"]))


def fan_out(n):
    body = [f"%v{i} = math.exp %in : {T}" for i in range(n)]
    return program(body, f"%v{n - 1}")


def arguments(n):
    extra = ", ".join(f"%a{i}: {T}" for i in range(n))
    body, last = chained(n, lambda i, x: [f"%v{i} = arith.addf {x}, %a{i} : {T}"])
    return program(body, last, arguments=extra)


def blocks(n):
    """A chain of blocks, each of which passes a tensor to the next."""
    body = [f"cf.br ^b0(%in : {T})"]
    for i in range(n):
        body += [f"^b{i}(%x{i}: {T}):", f"  %v{i} = math.exp %x{i} : {T}"]
        if i + 1 < n:
            body.append(f"  cf.br ^b{i + 1}(%v{i} : {T})")
    return program(body, f"%v{n - 1}")


def regions(n):
    """n loops, one after the other."""
    body = ["%lo = arith.constant 0 : index", "%hi = arith.constant 4 : index"]
    body.append("%one = arith.constant 1 : index")
    more, last = chained(
        n,
        lambda i, x: [
            f"%v{i} = scf.for %i{i} = %lo to %hi step %one iter_args(%x{i} = {x}) -> ({T}) {{",
            f"  %y{i} = math.tanh %x{i} : {T}",
            f"  scf.yield %y{i} : {T}",
            "}",
        ],
    )
    return program(body + more, last)


def calls(n):
    """A chain of functions that call each other."""
    text = [GRID]
    for i in range(n):
        callee = f"f{i + 1}"
        body = [f"%x = math.tanh %in : {T}"]
        if i + 1 < n:
            body.append(f"%last = func.call @{callee}(%x) : ({T}) -> {T}")
        text.append(
            function(
                body,
                result="%last" if i + 1 < n else "%x",
                hints=ROWS if i == 0 else "",
                name=f"f{i}",
                visibility="" if i == 0 else "private ",
            )
        )
    return "\n".join(text)


def one_callee(n):
    """n calls of one function."""
    callee = function(
        [f"%x = math.tanh %in : {T}"], result="%x", hints="", name="callee", visibility="private "
    )
    body, last = chained(n, lambda i, x: [f"%v{i} = func.call @callee({x}) : ({T}) -> {T}"])
    return f"{program(body, last)}\n{callee}"


def manual(n):
    """n manual computations."""
    body, last = chained(
        n,
        lambda i, x: [
            f"%v{i} = shard.manual_computation({x}) on @g in = [<@g, [[0], []]>] "
            "out = [<@g, [[0], []]>] axes = [0] "
            f"(%m{i}: tensor<8x16xf32>) {{",
            f"  %y{i} = math.tanh %m{i} : tensor<8x16xf32>",
            f"  shard.return %y{i} : tensor<8x16xf32>",
            f"}} : ({T}) -> {T}",
        ],
    )
    return program(body, last)


def groups(n):
    """n groups of two values."""
    body, last = chained(
        n,
        lambda i, x: [
            f"%v{i} = math.tanh {x} : {T}",
            f"shard.group %v{i} id = {i} : {T}",
            f"%w{i} = math.exp %in : {T}",
            f"shard.group %w{i} id = {i} : {T}",
        ],
    )
    return program(body, last)


def annotated(n):
    """A hint at each value."""
    body = ["%s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding"]
    more, last = chained(
        n,
        lambda i, x: [
            f"%w{i} = math.tanh {x} : {T}",
            f"%v{i} = shard.shard %w{i} to %s : {T}",
        ],
    )
    return program(body + more, last)


def conflicts(n):
    """Each op has operands that are split otherwise."""
    extra = f"%rows: {T} {hint('[[0], []]')}, %columns: {T} {hint('[[], [0]]')}"
    body, last = chained(
        n,
        lambda i, x: [
            f"%w{i} = arith.mulf %rows, %columns : {T}",
            f"%v{i} = arith.addf {x}, %w{i} : {T}",
        ],
    )
    return program(body, last, arguments=extra)


def priorities(n):
    """Each argument has a user priority of its own."""
    extra = ", ".join(f"%a{i}: {T} {hint(f'[[{i % 2}, ?] p{i}, [?]]')}" for i in range(n))
    body, last = chained(n, lambda i, x: [f"%v{i} = arith.addf {x}, %a{i} : {T}"])
    return program(body, last, arguments=extra)


def matmuls(n, dims="[[], [0]]", grid=GRID, more="[[0], []]", shape=T):
    extra = ", ".join(f"%a{i}: {shape} {hint(dims)}, %b{i}: {shape} {hint(more)}" for i in range(n))
    body = [
        "%c0 = arith.constant 0.0 : f32",
        f"%e = tensor.empty() : {shape}",
        f"%z = linalg.fill ins(%c0 : f32) outs(%e : {shape}) -> {shape}",
    ]
    chain_, last = chained(
        n,
        lambda i, x: [
            f"%h{i} = linalg.matmul ins({x}, %a{i} : {shape}, {shape}) "
            f"outs(%z : {shape}) -> {shape}",
            f"%v{i} = linalg.matmul ins(%h{i}, %b{i} : {shape}, {shape}) "
            f"outs(%z : {shape}) -> {shape}",
        ],
    )
    text = function(body + chain_, arguments=extra, result=last, hints="")
    return f"{grid}\n{text.replace(T, shape)}"


def partial(n):
    """Products of which every second one is a partial sum."""
    return matmuls(n)


def uneven(n):
    """The same with dimensions that the devices do not divide."""
    return matmuls(n, grid="shard.grid @g(shape = 3x2)", shape="tensor<17x17xf32>")


def eight_axes(n):
    """The same on a grid of eight axes."""
    shape = "tensor<256x256xf32>"
    grid = "shard.grid @g(shape = 2x2x2x2x2x2x2x2)"
    return matmuls(n, "[[0, 1], [2, 3]]", grid, "[[2, 3, 4], [5, 6, 7]]", shape)


def sub_axes(n):
    """Reshapes that take one axis apart and put it together again."""
    one, two = "tensor<16xf32>", "tensor<4x4xf32>"
    body = [f"%flat = tensor.extract_slice %in[0, 0] [1, 16] [1, 1] : {T} to {one}"]
    last = "%flat"
    for i in range(n):
        body += [
            f"%w{i} = tensor.expand_shape {last} [[0, 1]] output_shape [4, 4] : {one} into {two}",
            f"%v{i} = tensor.collapse_shape %w{i} [[0, 1]] : {two} into {one}",
        ]
        last = f"%v{i}"
    body.append(
        f"%last = tensor.expand_shape {last} [[0, 1]] output_shape [1, 16] : {one} into tensor<1x16xf32>"
    )
    body.append(
        f"%whole = tensor.insert_slice %last into %in[0, 0] [1, 16] [1, 1] : tensor<1x16xf32> into {T}"
    )
    text = function(body, result="%whole", hints=hint("[[?], [0, ?]]"))
    return f"shard.grid @g(shape = 8x2)\n{text}"


def wide(n):
    """Ops of twenty operands."""
    maps = ", ".join([IDENTITY] * 21)
    scalars = ", ".join(f"%a{i}: f32" for i in range(21))
    types = ", ".join([T] * 20)
    values, body = ["%in"] * 20, []
    for i in range(n):
        body.append(
            f"%v{i} = linalg.generic {{indexing_maps = [{maps}], "
            f'iterator_types = ["parallel", "parallel"]}} ins({", ".join(values[-20:])} : {types}) '
            f"outs({values[-1]} : {T}) {{ ^bb0({scalars}): %e{i} = arith.addf %a0, %a19 : f32 "
            f"linalg.yield %e{i} : f32 }} -> {T}"
        )
        values.append(f"%v{i}")
    return program(body, values[-1])


def one_wide_op(n):
    """One op of n operands."""
    whole = f"tensor<{16 * n}x16xf32>"
    extra = ", ".join(f"%a{i}: {T}" for i in range(n - 1))
    operands = ", ".join(["%in"] + [f"%a{i}" for i in range(n - 1)])
    types = ", ".join([T] * n)
    body = [
        f"%all = tensor.concat dim(0) {operands} : ({types}) -> {whole}",
        f"%last = tensor.extract_slice %all[0, 0] [16, 16] [1, 1] : {whole} to {T}",
    ]
    return program(body, "%last", arguments=extra, hints=hint("[[?], [0, ?]]"))


def windows(n):
    """Stencils along the split dimension."""
    inner = "tensor<14x16xf32>"
    body, last = chained(
        n,
        lambda i, x: [
            f"%a{i} = tensor.extract_slice {x}[0, 0] [14, 16] [1, 1] : {T} to {inner}",
            f"%b{i} = tensor.extract_slice {x}[2, 0] [14, 16] [1, 1] : {T} to {inner}",
            f"%c{i} = arith.addf %a{i}, %b{i} : {inner}",
            f"%v{i} = tensor.insert_slice %c{i} into {x}[1, 0] [14, 16] [1, 1] : {inner} into {T}",
        ],
    )
    return program(body, last)


def grid_last(n):
    """n functions in front of the grid."""
    functions = [
        function([f"%x = math.tanh %in : {T}"], result="%x", name=f"f{i}") for i in range(n)
    ]
    return "\n".join(functions) + GRID


def transposes(n):
    """Ops that move data."""
    body = [f"%e = tensor.empty() : {T}"]
    more, last = chained(
        n,
        lambda i, x: [
            f"%v{i} = linalg.transpose ins({x} : {T}) outs(%e : {T}) permutation = [1, 0]"
        ],
    )
    return program(body + more, last)


def updates(n):
    """Updates of one tensor, each by a part of the version before."""
    row = "tensor<1x16xf32>"
    body, last = chained(
        n,
        lambda i, x: [
            f"%a{i} = tensor.extract_slice {x}[{i % 16}, 0] [1, 16] [1, 1] : {T} to {row}",
            f"%v{i} = tensor.insert_slice %a{i} into {x}[{(i + 1) % 16}, 0] [1, 16] [1, 1] : {row} into {T}",
        ],
    )
    return program(body, last, hints=hint("[[?], [0, ?]]"))


def chunks(n):
    """Ops of which the halves are multiplied, and these made one tensor again."""
    half = "tensor<16x8xf32>"
    body, last = chained(
        n,
        lambda i, x: [
            f"%w{i} = arith.addf %in, %in : {T}",
            f"%l{i} = tensor.extract_slice %w{i}[0, 0] [16, 8] [1, 1] : {T} to {half}",
            f"%r{i} = tensor.extract_slice %w{i}[0, 8] [16, 8] [1, 1] : {T} to {half}",
            f"%h{i} = arith.mulf %l{i}, %r{i} : {half}",
            f"%v{i} = tensor.insert_slice %h{i} into {x}[0, 0] [16, 8] [1, 1] : {half} into {T}",
        ],
    )
    return program(body, last, hints=hint("[[0, ?], [?]]"))


SHAPES = [
    chain,
    fan_out,
    arguments,
    blocks,
    regions,
    calls,
    one_callee,
    manual,
    groups,
    annotated,
    conflicts,
    priorities,
    partial,
    uneven,
    eight_axes,
    sub_axes,
    wide,
    one_wide_op,
    windows,
    grid_last,
    transposes,
    updates,
    chunks,
]
