"""Closed hints are obeyed or reported.

Makes small programs, each with one closed hint on one value: an argument, a result, a
value of an op of each dialect that has sharding models, an argument of a block, what a
call passes or returns, what a manual computation takes or gives. shard-opt
propagates it. Then the value must have the sharding of the hint, as the explanation
lists it, or a remark must name the place.

usage: check_hints.py shard-opt [--only TEXT] [--keep FOLDER] [--mistake]
"""

import argparse
import collections
import math
import pathlib
import re
import subprocess
import sys

# Grids, and shardings of a tensor of each rank.
GRIDS = {"4": ["[[0]]", "[[0], []]", "[[], [0]]", "[[], []]", "[[]]"],
         "2x2": ["[[0], [1]]", "[[1], [0]]", "[[0, 1], []]", "[[1, 0]]", "[[], [1]]"]}


def rank_of(sharding):
    return len(re.findall(r"\[[^\[\]]*\]", sharding))


# Each op: what it needs in front, its text, and the type of its result. %a, %b are
# 8x8xf32, %v is 8xf32, %i is 8x8xi32, %s is f32.
OPS = {
    "linalg.matmul": ("%e = tensor.empty() : tensor<8x8xf32>\n%f = linalg.fill ins(%s : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>",
                      "linalg.matmul @ ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>", "8x8xf32"),
    "linalg.add": ("%e = tensor.empty() : tensor<8x8xf32>",
                   "linalg.add @ ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>", "8x8xf32"),
    "linalg.fill": ("%e = tensor.empty() : tensor<8x8xf32>",
                    "linalg.fill @ ins(%s : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>", "8x8xf32"),
    "linalg.generic": ("%e = tensor.empty() : tensor<8x8xf32>",
                       "linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) attrs = @ {\n^bb0(%x: f32, %y: f32):\nlinalg.yield %x : f32\n} -> tensor<8x8xf32>", "8x8xf32"),
    "linalg.reduce": ("%e = tensor.splat %s : tensor<8xf32>",
                      "linalg.reduce ins(%a : tensor<8x8xf32>) outs(%e : tensor<8xf32>) dimensions = [1] @ (%x: f32, %y: f32) {\n%z = arith.addf %x, %y : f32\nlinalg.yield %z : f32\n}", "8xf32"),
    "linalg.transpose": ("%e = tensor.empty() : tensor<8x8xf32>",
                         "linalg.transpose ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0] @", "8x8xf32"),
    "linalg.broadcast": ("%e = tensor.empty() : tensor<8x8xf32>",
                         "linalg.broadcast ins(%v : tensor<8xf32>) outs(%e : tensor<8x8xf32>) dimensions = [0] @", "8x8xf32"),
    "linalg.softmax": ("%e = tensor.empty() : tensor<8x8xf32>",
                       "linalg.softmax @ dimension(1) ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>", "8x8xf32"),
    "tensor.empty": ("", "tensor.empty() @ : tensor<8x8xf32>", "8x8xf32"),
    "tensor.splat": ("", "tensor.splat %s @ : tensor<8x8xf32>", "8x8xf32"),
    "tensor.generate": ("", "tensor.generate {\n^bb0(%x: index, %y: index):\ntensor.yield %s : f32\n} @ : tensor<8x8xf32>", "8x8xf32"),
    "tensor.from_elements": ("", "tensor.from_elements %s, %s, %s, %s, %s, %s, %s, %s @ : tensor<8xf32>", "8xf32"),
    "tensor.extract_slice": ("", "tensor.extract_slice %a[0, 4] [8, 4] [1, 1] @ : tensor<8x8xf32> to tensor<8x4xf32>", "8x4xf32"),
    "tensor.insert_slice": ("", "tensor.insert_slice %v into %a[2, 0] [1, 8] [1, 1] @ : tensor<8xf32> into tensor<8x8xf32>", "8x8xf32"),
    "tensor.pad": ("", "tensor.pad %a low[0, 2] high[0, 2] {\n^bb0(%x: index, %y: index):\ntensor.yield %s : f32\n} @ : tensor<8x8xf32> to tensor<8x12xf32>", "8x12xf32"),
    "tensor.concat": ("", "tensor.concat dim(1) %a, %b @ : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>", "8x16xf32"),
    "tensor.cast": ("", "tensor.cast %a @ : tensor<8x8xf32> to tensor<?x8xf32>", "?x8xf32"),
    "tensor.expand_shape": ("", "tensor.expand_shape %v [[0, 1]] output_shape [4, 2] @ : tensor<8xf32> into tensor<4x2xf32>", "4x2xf32"),
    "tensor.collapse_shape": ("", "tensor.collapse_shape %a [[0, 1]] @ : tensor<8x8xf32> into tensor<64xf32>", "64xf32"),
    "tensor.gather": ("%n = arith.constant dense<1> : tensor<4x1xindex>",
                      "tensor.gather %a[%n] gather_dims([0]) @ : (tensor<8x8xf32>, tensor<4x1xindex>) -> tensor<4x8xf32>", "4x8xf32"),
    "tensor.scatter": ("%n = arith.constant dense<1> : tensor<8x1xindex>",
                       "tensor.scatter %a into %b[%n] scatter_dims([0]) unique @ : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xindex>) -> tensor<8x8xf32>", "8x8xf32"),
    "arith.constant": ("", "arith.constant @ dense<1.0> : tensor<8x8xf32>", "8x8xf32"),
    "arith.addf": ("", "arith.addf %a, %b @ : tensor<8x8xf32>", "8x8xf32"),
    "arith.select": ("%p = arith.cmpf olt, %a, %b : tensor<8x8xf32>",
                     "arith.select %p, %a, %b @ : tensor<8x8xi1>, tensor<8x8xf32>", "8x8xf32"),
    "arith.cmpf": ("", "arith.cmpf olt, %a, %b @ : tensor<8x8xf32>", "8x8xi1"),
    "arith.sitofp": ("", "arith.sitofp %i @ : tensor<8x8xi32> to tensor<8x8xf32>", "8x8xf32"),
    "math.exp": ("", "math.exp %a @ : tensor<8x8xf32>", "8x8xf32"),
    "math.fma": ("", "math.fma %a, %b, %a @ : tensor<8x8xf32>", "8x8xf32"),
    "tosa.add": ("", "tosa.add %a, %b @ : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>", "8x8xf32"),
    "tosa.reduce_sum": ("", "tosa.reduce_sum %a {axis = 1 : i32, ATTR} : (tensor<8x8xf32>) -> tensor<8x1xf32>", "8x1xf32"),
    "tosa.transpose": ("", "tosa.transpose %a {perms = array<i32: 1, 0>, ATTR} : (tensor<8x8xf32>) -> tensor<8x8xf32>", "8x8xf32"),
    "tosa.const": ("", "\"tosa.const\"() {values = dense<1.0> : tensor<8x8xf32>, ATTR} : () -> tensor<8x8xf32>", "8x8xf32"),
    "bufferization.alloc_tensor": ("", "bufferization.alloc_tensor() @ : tensor<8x8xf32>", "8x8xf32"),
    "bufferization.materialize_in_destination": ("%e = tensor.empty() : tensor<8x8xf32>",
                                                 "bufferization.materialize_in_destination %a in %e @ : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>", "8x8xf32"),
    "ml_program.global_load": ("", "ml_program.global_load @state : tensor<8x8xf32> @", "8x8xf32"),
    "ml_program.global_load_const": ("", "ml_program.global_load_const @weights : tensor<8x8xf32> @", "8x8xf32"),
    "func.call": ("", "func.call @callee(%a) @ : (tensor<8x8xf32>) -> tensor<8x8xf32>", "8x8xf32"),
    "scf.for": ("", "scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %a) -> (tensor<8x8xf32>) {\n%y = math.exp %x : tensor<8x8xf32>\nscf.yield %y : tensor<8x8xf32>\n} @", "8x8xf32"),
    "scf.if": ("", "scf.if %t -> (tensor<8x8xf32>) {\n%y = math.exp %a : tensor<8x8xf32>\nscf.yield %y : tensor<8x8xf32>\n} else {\nscf.yield %b : tensor<8x8xf32>\n} @", "8x8xf32"),
    "scf.while": ("", "scf.while (%x = %a) : (tensor<8x8xf32>) -> tensor<8x8xf32> {\nscf.condition(%t) %x : tensor<8x8xf32>\n} do {\n^bb0(%x: tensor<8x8xf32>):\n%y = math.exp %x : tensor<8x8xf32>\nscf.yield %y : tensor<8x8xf32>\n} attributes @", "8x8xf32"),
    "scf.execute_region": ("", "scf.execute_region -> tensor<8x8xf32> {\n%y = math.exp %a : tensor<8x8xf32>\nscf.yield %y : tensor<8x8xf32>\n} @", "8x8xf32"),
    "scf.index_switch": ("", "scf.index_switch %c1 @ -> tensor<8x8xf32>\ncase 1 {\nscf.yield %a : tensor<8x8xf32>\n}\ndefault {\nscf.yield %b : tensor<8x8xf32>\n}", "8x8xf32"),
    "scf.forall": ("%e = tensor.empty() : tensor<8x8xf32>",
                   "scf.forall (%k) in (8) shared_outs(%o = %e) -> (tensor<8x8xf32>) {\nscf.forall.in_parallel {\ntensor.parallel_insert_slice %v into %o[%k, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<8x8xf32>\n}\n} @", "8x8xf32"),
}

HEAD = """shard.grid @grid(shape = {grid})
ml_program.global private mutable @state(dense<0.0> : tensor<8x8xf32>) : tensor<8x8xf32>
ml_program.global private @weights(dense<1.0> : tensor<8x8xf32>) : tensor<8x8xf32>
func.func private @callee(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {{
  %0 = math.exp %x : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}}
func.func private @declared(tensor<8x8xf32>{declared_argument}) -> (tensor<8x8xf32>{declared_result})
func.func @main(%a: tensor<8x8xf32>{argument}, %b: tensor<8x8xf32>, %v: tensor<8xf32>, %i: tensor<8x8xi32>, %s: f32, %t: i1, %c0: index, %c1: index, %c4: index) -> (tensor<{type}>{result}) {{
"""


class Program:
    """A program whose hint is on the line `line` (from 1), for a value of `names`."""

    def __init__(self, name, text, sharding):
        self.name, self.text, self.sharding = name, text, sharding
        lines = text.split("\n")
        self.line = next(i for i, l in enumerate(lines, 1) if "HERE" in l)
        self.text = text.replace("HERE", "")


def attribute(sharding):
    return f"shard.sharding = #shard.sharding<@grid, {sharding}>"


def indent(text):
    return "\n".join("  " + line for line in text.split("\n")) + "\n"


def program(grid, body, returned, argument="", result="", declared_argument="",
            declared_result="", type="8x8xf32"):
    braces = lambda text: " {" + text + "}" if text else ""
    return (HEAD.format(grid=grid, type=type, argument=braces(argument), result=braces(result),
                        declared_argument=braces(declared_argument),
                        declared_result=braces(declared_result))
            + indent(body) + f"  return {returned} : tensor<{type}>\n}}\n")


def op_programs(grid, sharding):
    """The hint as an attribute of the op, and as an annotation of its result."""
    state = f"%h = shard.sharding @grid split_axes = {sharding} : !shard.sharding\n"
    for name, (before, text, type) in OPS.items():
        if type.count("x") != rank_of(sharding):
            continue
        before = before + "\n" if before else ""
        plain = text.replace("ATTR", "").replace(", }", "}")
        plain = plain.replace(" attrs = @", "").replace(" attributes @", "").replace(" @ ", " ").removesuffix(" @")
        plain = plain.replace("() @", "()")
        value = text.replace("ATTR", attribute(sharding))
        value = re.sub(r" @( |$)", " {" + attribute(sharding) + r"}\1", value)
        use = f"\n%u = shard.shard %r to %h : tensor<{type}>  HERE"
        first = lambda s: s.replace("\n", "HERE\n", 1) if "\n" in s else s + "HERE"
        if name != "func.call":
            yield Program(f"{name} attribute",
                          program(grid, before + first("%r = " + value), "%r", type=type).replace("HERE", " HERE"),
                          sharding)
        yield Program(f"{name} annotation",
                      program(grid, state + before + "%r = " + plain + use, "%u", type=type), sharding)
        wish = f"\n%u = shard.constraint %r to <@grid, {sharding}> : tensor<{type}>  HERE"
        yield Program(f"{name} constraint",
                      program(grid, before + "%r = " + plain + wish, "%u", type=type), sharding)


def other_programs(grid, sharding):
    if rank_of(sharding) != 2:
        return
    hint = attribute(sharding)
    exp = "%r = math.exp %a : tensor<8x8xf32>"
    put = lambda text, where: text.replace(where, where + "HERE", 1)
    whole = program(grid, exp, "%r", argument=hint)
    yield Program("argument", put(whole, "index) -> (tensor<8x8xf32>) {"), sharding)
    whole = program(grid, exp, "%r", result=hint)
    yield Program("result", whole.replace("%r = math.exp", "%r = math.exp", 1)
                  .replace("}) {\n", "}) {HERE\n", 1), sharding)
    call = "%r = func.call @declared(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>"
    yield Program("declared argument",
                  program(grid, call, "%r", declared_argument=hint).replace(
                      "-> (tensor<8x8xf32>)\n", "-> (tensor<8x8xf32>)HERE\n", 1), sharding)
    yield Program("declared result",
                  program(grid, call, "%r", declared_result=hint).replace(
                      hint + "})\n", hint + "})HERE\n", 1), sharding)
    state = f"%h = shard.sharding @grid split_axes = {sharding} : !shard.sharding\n"
    note = "%u = shard.shard %x to %h : tensor<8x8xf32>  HERE"
    yield Program("scf.for argument", program(grid, state + "\n".join([
        "%r = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %a) -> (tensor<8x8xf32>) {", note,
        "%y = math.exp %u : tensor<8x8xf32>", "scf.yield %y : tensor<8x8xf32>", "}"]), "%r"), sharding)
    yield Program("scf.while argument", program(grid, state + "\n".join([
        "%r = scf.while (%x = %a) : (tensor<8x8xf32>) -> tensor<8x8xf32> {", note,
        "scf.condition(%t) %u : tensor<8x8xf32>", "} do {", "^bb0(%x2: tensor<8x8xf32>):",
        "%y = math.exp %x2 : tensor<8x8xf32>", "scf.yield %y : tensor<8x8xf32>", "}"]), "%r"), sharding)
    yield Program("scf.while body argument", program(grid, state + "\n".join([
        "%r = scf.while (%x1 = %a) : (tensor<8x8xf32>) -> tensor<8x8xf32> {",
        "scf.condition(%t) %x1 : tensor<8x8xf32>", "} do {", "^bb0(%x: tensor<8x8xf32>):", note,
        "%y = math.exp %u : tensor<8x8xf32>", "scf.yield %y : tensor<8x8xf32>", "}"]), "%r"), sharding)
    yield Program("block argument", program(grid, state + "\n".join([
        "cf.br ^next(%a : tensor<8x8xf32>)", "^next(%x: tensor<8x8xf32>):", note]), "%u"), sharding)
    yield Program("callee argument", program(grid, "%r = func.call @callee(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>", "%r")
                  .replace("@callee(%x: tensor<8x8xf32>)", "@callee(%x: tensor<8x8xf32> {" + hint + "})HERE", 1), sharding)
    yield Program("callee result", program(grid, "%r = func.call @callee(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>", "%r")
                  .replace("%x: tensor<8x8xf32>) -> tensor<8x8xf32> {", "%x: tensor<8x8xf32>) -> (tensor<8x8xf32> {" + hint + "}) {HERE", 1), sharding)
    yield Program("for users", program(grid, state + "\n".join([
        "%u = shard.shard %a to %h annotate_for_users : tensor<8x8xf32>  HERE",
        "%r = math.exp %u : tensor<8x8xf32>"]), "%r"), sharding)


def manual_programs(grid, sharding):
    """What a manual computation takes and gives, with each choice of manual axes."""
    if rank_of(sharding) != 2:
        return
    sizes = [int(size) for size in grid.split("x")]
    dims = [[int(axis) for axis in re.findall(r"\d+", dim)]
            for dim in re.findall(r"\[[^\[\]]*\]", sharding)]
    for manual in [[axis] for axis in range(len(sizes))] + [list(range(len(sizes)))][:len(sizes) - 1]:
        # Manual axes come first in a dimension.
        if any([axis in manual for axis in dim] != sorted([axis in manual for axis in dim], reverse=True)
               for dim in dims):
            continue
        local = "x".join(str(8 // math.prod(sizes[axis] for axis in dim if axis in manual))
                         for dim in dims) + "xf32"
        used = {axis for dim in dims for axis in dim}
        spare = [axis for axis in manual if axis not in used]
        stated = sharding + (f", replicated = {spare}" if spare else "")
        other = f"[[], []], replicated = {manual}"
        for taken, given, name in [(stated, other, "in"), (other, stated, "out")]:
            inside, outside = (local, "8x8xf32") if name == "in" else ("8x8xf32", local)
            body = (f"%w = tensor.empty() : tensor<{outside}>" if inside != outside
                    else f"%w = math.exp %x : tensor<{inside}>")
            yield Program(f"manual {name}, axes {manual}", program(grid, "\n".join([
                f"%r = shard.manual_computation(%a) on @grid in = [<@grid, {taken}>] "
                f"out = [<@grid, {given}>] axes = {manual} (%x: tensor<{inside}>) {{  HERE",
                body, f"shard.return %w : tensor<{outside}>", "} : (tensor<8x8xf32>) -> tensor<8x8xf32>"]), "%r"),
                sharding)


def canonical(text, sizes=()):
    """Without spaces; parts of an axis one behind the other are joined."""
    def join(match):
        parts = []
        for axis, before, size in re.findall(r"(\d+)(?::\((\d+)\)(\d+))?", match[0]):
            axis, before = int(axis), int(before or 1)
            size = int(size or sizes[axis])
            if parts and parts[-1][0] == axis and parts[-1][1] * parts[-1][2] == before:
                parts[-1][2] *= size
            else:
                parts.append([axis, before, size])
        return "[" + ",".join(
            str(axis) if size == sizes[axis] else f"{axis}:({before}){size}"
            for axis, before, size in parts) + "]"
    text = re.sub(r"\s", "", text)
    return re.sub(r"\[[^\[\]]*\]", join, text) if sizes else text


def run(tool, text, *options):
    return subprocess.run([tool, "-", *options], input=text, text=True,
                          capture_output=True, check=False)


def lines_of(stderr):
    """What is printed about each line of the input, by line."""
    by_line = collections.defaultdict(list)
    for text in stderr.split("\n"):
        # A reshard names the place of its user only.
        for line in set(re.findall(r"<stdin>:(\d+):\d+:", text)):
            by_line[int(line)].append(text)
    return by_line


def first_error(lines, printed):
    return next((text for line in lines for text in printed[line] if ": error: " in text), None)


def is_reported(line, printed):
    return any(re.search(rf"<stdin>:{line}:\d+: remark", text) for text in printed[line])


def check(program, line, printed):
    """What is wrong, or nothing. `printed` is what shard-opt says of each line."""
    if is_reported(line, printed):
        return None
    texts = printed[line]
    errors = [text for text in texts if ": error: " in text]
    if errors:
        return errors[0]
    has = set()
    for text in texts:
        stated = re.search(rf"<stdin>:{line}:\d+: (?:\[\[.*\]\] -> )?(\[\[.*\]\])$", text)
        if stated:
            has.add(canonical(stated[1], program.sizes))
    wanted = canonical(program.sharding)
    if wanted in has or (not re.search(r"\d", wanted) and not has):
        return None
    return f"hint {program.sharding}, value {sorted(has) or 'replicated'}"


def check_declared(tool, program):
    """The type of a declared function after partition tells what calls pass."""
    done = run(tool, program.text, "--shard-spmd")
    line = next((l for l in done.stdout.split("\n") if "@declared(" in l and "func.func" in l), "")
    wanted = f"<@grid, {program.sharding}>"
    is_split = re.search(r"\d", program.sharding)
    if done.returncode == 0 and (wanted in line or not is_split):
        return None
    return f"hint {program.sharding}, declared as {line.strip() or done.stderr}"


def check_manual(tool, program):
    """The values in front of and behind a manual computation are split as it says."""
    done = run(tool, program.text, "--sharding-propagation")
    line = next((l for l in done.stdout.split("\n") if "shard.manual_computation" in l), "")
    stated = {name: canonical(re.sub(r", replicated = .*?\]", "", text))
              for name, text in re.findall(r"(in|out) = \[<@\w+, (.*?)>\]", line)}
    name = program.name.split()[1].strip(",")
    partitioned = run(tool, program.text, "--shard-spmd")
    if stated.get(name) == canonical(program.sharding) and partitioned.returncode == 0:
        return None
    return f"hint {program.sharding}, {line.strip()} {done.stderr}{partitioned.stderr}"


def all_programs(only):
    for grid, shardings in GRIDS.items():
        for sharding in shardings:
            for maker in (op_programs, other_programs, manual_programs):
                for one in maker(grid, sharding):
                    if only in one.name:
                        one.sizes = [int(size) for size in grid.split("x")]
                        one.name += f", grid {grid}"
                        yield one


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    parser.add_argument("--mistake", action="store_true",
                        help="expect other shardings than those of the hints")
    options = parser.parse_args()
    programs = list(all_programs(options.only))
    text, starts = "", []
    for one in programs:
        starts.append(text.count("\n"))
        text += one.text + "// -----\n"
    done = run(options.tool, text, "--shard-explain", "--split-input-file")
    if done.returncode < 0:
        print(done.stderr[-2000:])
        sys.exit("shard-opt crashes")
    printed = lines_of(done.stderr)
    partitioned = lines_of(run(options.tool, text, "--shard-spmd", "--split-input-file").stderr)
    failures = reported = 0
    for one, start in zip(programs, starts):
        if options.mistake:
            one.sharding = one.sharding.replace("0", "7").replace("1", "7")
        if one.name.startswith("declared"):
            problem = check_declared(options.tool, one)
        elif one.name.startswith("manual"):
            problem = check_manual(options.tool, one)
        else:
            problem = check(one, start + one.line, printed)
        lines = range(start + 1, start + one.text.count("\n") + 1)
        problem = problem or first_error(lines, printed) or first_error(lines, partitioned)
        reported += is_reported(start + one.line, printed)
        if not problem:
            continue
        failures += 1
        print(f"{one.name}: {problem}")
        if options.keep:
            name = f"hint-{failures}.mlir"
            pathlib.Path(options.keep, name).write_text(one.text)
    print(f"{len(programs)} programs, {reported} hints reported, {failures} failures")


if __name__ == "__main__":
    main()
