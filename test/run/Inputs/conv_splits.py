"""conv_splits.py GRID: prints a program with one case for each op that reads windows of
images (convolutions, pooling, gradients) and each way to split it on GRID: by one
dimension where GRID has one axis, by one or two where it has two. No extent of an image
is divided by 2 or by 3.

conv_splits.py GRID FILE: reads such a program, and shard-run's report as JSON on standard
input. Prints a row for each case: its op, the dimension that each axis of GRID splits, and
what is sent, in bytes of the device that sends most. The elements of an image that a device
needs and another one has are counted element by element; where the halos are not just
these, "needed" tells their bytes.
"""

import collections
import itertools
import json
import re
import sys

# n: images, h and w: rows and columns, g: groups, c: input channels, f: output channels,
# m: output channels of each input channel, M: of all, y and x: rows and columns of the filter.
SIZES = {"n": 3, "h": 11, "w": 7, "g": 3, "c": 5, "f": 4, "m": 2, "y": 3, "x": 3}
SIZES["M"] = SIZES["c"] * SIZES["m"]
SPLITS = {
    1: [(letter,) for letter in "nhwgcfm"],
    2: [*itertools.combinations("nhwcfg", 2), ("h", "h")],
}


class Program:
    def __init__(self, grid):
        self.grid, self.parts = grid, list(map(int, grid.split("x")))
        self.number, self.arguments, self.lines, self.results = 0, [], [], []

    def line(self, text, type):
        self.number += 1
        self.lines.append(f"  %{self.number} = {text}")
        return f"%{self.number}", type

    def argument(self, letters, sizes, split):
        """A tensor with a dimension for each letter; `split` has the letter of each axis."""
        axes = [[axis for axis, other in enumerate(split) if other == letter] for letter in letters]
        name, type = f"%a{len(self.arguments)}", tensor(sizes)
        self.arguments.append(f"{name}: {type} {{shard.sharding = #shard.sharding<@g, {axes}>}}")
        return name, type

    def filled(self, sizes, value="%zero"):
        empty, type = self.line(f"tensor.empty() : {tensor(sizes)}", tensor(sizes))
        return self.line(f"linalg.fill ins({value} : f32) outs({empty} : {type}) -> {type}", type)

    def padded(self, x, sizes, pad, value="%zero"):
        """`x` with `pad` = (low, high) rows and columns around; and its sizes."""
        low, high = pad
        grown = [n + (low + high) * (dim in (1, 2)) for dim, n in enumerate(sizes)]
        rest = ", 0" * (len(sizes) - 3)
        indices = ", ".join(f"%i{dim}: index" for dim in range(len(sizes)))
        self.number += 1
        self.lines += [
            f"  %{self.number} = tensor.pad {x[0]} low[0, {low}, {low}{rest}] high[0, {high}, {high}{rest}] {{",
            f"  ^bb0({indices}):\n    tensor.yield {value} : f32\n  }} : {x[1]} to {tensor(grown)}",
        ]
        return (f"%{self.number}", tensor(grown)), grown

    def window(self, op, x, y, out, stride=1, dilation=1, value="%zero"):
        into, type = self.filled(out, value)
        return self.line(
            f"linalg.{op} {{dilations = dense<{dilation}> : tensor<2xi64>, strides = dense<{stride}> : tensor<2xi64>}} "
            f"ins({x[0]}, {y[0]} : {x[1]}, {y[1]}) outs({into} : {type}) -> {type}",
            type,
        )

    def generic(self, loops, reads, inputs, into, body):
        """`reads` has the indices of each tensor, the last one those of the result."""
        maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({read})>" for read in reads)
        kinds = ", ".join('"parallel"' if loop in reads[-1].split(", ") else '"reduction"' for loop in loops)
        names, types = zip(*inputs)
        arguments = ", ".join(f"%x{i}: f32" for i in range(len(reads)))
        return self.line(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"ins({', '.join(names)} : {', '.join(types)}) outs({into[0]} : {into[1]}) {{ ^bb0({arguments}): {body} }} -> {into[1]}",
            into[1],
        )


PRODUCT = "%p = arith.mulf %x0, %x1 : f32 %s = arith.addf %x2, %p : f32 linalg.yield %s : f32"


def tensor(sizes):
    return f"tensor<{'x'.join(map(str, sizes))}xf32>"


def sizes_of(letters, **others):
    return [{**SIZES, **others}[letter] for letter in letters]


class Case:
    """An op: the letters of its image and of its filter, if it has one, and what it reads
    of the image for row or column `place` of the result, of `out(extent)`."""

    def __init__(self, image, filter="", stride=1, dilation=1, pad=1, divisor=1):
        self.image, self.filter, self.pad = image, filter, (pad, pad)
        self.stride, self.dilation, self.divisor = stride, dilation, divisor

    def out(self, extent):
        # The elements between those of an image that is read with a fraction of a step.
        extent = (extent - 1) * self.divisor + 1
        return (extent + sum(self.pad) - 2 * self.dilation - 1) // self.stride + 1

    def reads(self, place):
        places = [place * self.stride - self.pad[0] + k * self.dilation for k in range(3)]
        return {element // self.divisor for element in places if element % self.divisor == 0}

    def outs(self, letters):
        return sizes_of(letters, h=self.out(SIZES["h"]), w=self.out(SIZES["w"]))

    def image_of(self, program, split):
        return program.argument(self.image, sizes_of(self.image), split)

    def filter_of(self, program, split):
        return program.argument(self.filter, sizes_of(self.filter), split)


class Conv(Case):
    def __init__(self, op, result, *arguments, **options):
        super().__init__(*arguments, **options)
        self.op, self.result = op, result

    def build(self, program, split):
        x, sizes = program.padded(self.image_of(program, split), sizes_of(self.image), self.pad)
        y = self.filter_of(program, split)
        return program.window(self.op, x, y, self.outs(self.result), self.stride, self.dilation)


class Transposed(Case):
    """A convolution with stride 1/2: zeros between the elements of the image."""

    def __init__(self):
        super().__init__("nhwc", "yxcf", pad=1, divisor=2)

    def build(self, program, split):
        x = self.image_of(program, split)
        spread = [2 * n - 1 if letter in "hw" else n for letter, n in zip("nhwc", sizes_of("nhwc"))]
        into, type = program.filled(spread)
        sizes = ", ".join(map(str, sizes_of("nhwc")))
        x = program.line(
            f"tensor.insert_slice {x[0]} into {into}[0, 0, 0, 0] [{sizes}] [1, 2, 2, 1] : {x[1]} into {type}", type
        )
        x, _ = program.padded(x, spread, self.pad)
        return program.window("conv_2d_nhwc_hwcf", x, self.filter_of(program, split), self.outs("nhwf"))


class Pool(Case):
    """The maximum, or the mean; that of a window at a border is divided by the number of
    its elements in the image, or by that of all its elements."""

    def __init__(self, kind):
        super().__init__("nhwc", stride=2)
        self.kind = kind

    def build(self, program, split):
        low = "%low" if self.kind == "max" else "%zero"
        x, _ = program.padded(self.image_of(program, split), sizes_of("nhwc"), self.pad, low)
        shape = program.line("tensor.empty() : tensor<3x3xf32>", "tensor<3x3xf32>")
        op = "pooling_nhwc_max" if self.kind == "max" else "pooling_nhwc_sum"
        total = program.window(op, x, shape, self.outs("nhwc"), 2, 1, low)
        if self.kind == "max":
            return total
        into = program.line(f"tensor.empty() : {total[1]}", total[1])
        body = "%d = arith.constant 9.0 : f32"
        if self.kind == "mean of the image":
            body = " ".join(self.counted(dim, SIZES[letter]) for dim, letter in ((1, "h"), (2, "w")))
            body += " %n = arith.muli %n1, %n2 : index %i = arith.index_cast %n : index to i32"
            body += " %d = arith.sitofp %i : i32 to f32"
        body += " %q = arith.divf %x0, %d : f32 linalg.yield %q : f32"
        return program.generic("nhwc", ["n, h, w, c"] * 2, [total], into, body)

    @staticmethod
    def counted(dim, extent):
        """How many of three rows from 2 * i - 1 on are in the image."""
        return (
            f"%i{dim} = linalg.index {dim} : index %b{dim} = arith.muli %i{dim}, %two : index "
            f"%l{dim} = arith.maxsi %b{dim}, %one : index %t{dim} = arith.addi %b{dim}, %three : index "
            f"%e{dim} = arith.constant {extent + 1} : index "
            f"%h{dim} = arith.minsi %t{dim}, %e{dim} : index %n{dim} = arith.subi %h{dim}, %l{dim} : index"
        )


class InputGradient(Case):
    """Of the image, from that of the result: the filter is reversed."""

    def __init__(self):
        super().__init__("nhwf", "yxcf")

    def build(self, program, split):
        x, _ = program.padded(self.image_of(program, split), sizes_of("nhwf"), self.pad)
        turned = tensor(sizes_of("yxfc"))
        into = program.line(f"tensor.empty() : {turned}", turned)
        reads = ["2 - y, 2 - x, c, f", "y, x, f, c"]
        y = program.generic("yxfc", reads, [self.filter_of(program, split)], into, "linalg.yield %x0 : f32")
        return program.window("conv_2d_nhwc_hwcf", x, y, self.outs("nhwc"))


class FilterGradient(Case):
    """A convolution with the gradient of the result as filter, as long as the image."""

    def __init__(self, stride):
        super().__init__("nhwc", stride=stride)
        self.filter = "nhwf"

    def build(self, program, split):
        x, _ = program.padded(self.image_of(program, split), sizes_of("nhwc"), self.pad)
        y = program.argument("nhwf", self.outs("nhwf"), split)
        step = "" if self.stride == 1 else f" * {self.stride}"
        reads = [f"n, h{step} + y, w{step} + x, c", "n, h, w, f", "y, x, c, f"]
        return program.generic("yxcfnhw", reads, [x, y], program.filled(sizes_of("yxcf")), PRODUCT)


class Tosa(Case):
    def __init__(self, op, image, filter, result, stride=1, pad=1, divisor=1):
        super().__init__(image, filter, stride=stride, pad=pad, divisor=divisor)
        self.op, self.result = op, result

    def attributes(self):
        steps = f"stride = array<i64: {self.stride}, {self.stride}>"
        pad = "pad = array<i64: 1, 1, 1, 1>"
        if "pool" in self.op:
            return f"{'acc_type = f32, ' * ('avg' in self.op)}kernel = array<i64: 3, 3>, {pad}, {steps}"
        if "transpose" in self.op:
            return f"acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: {self.divisor}, {self.divisor}>"
        return f"acc_type = f32, dilation = array<i64: 1, 1>, {pad}, {steps}"

    def build(self, program, split):
        out = self.outs(self.result)
        names, types = zip(*self.operands(program, split, out[-1]))
        type = tensor(out)
        return program.line(
            f"tosa.{self.op} {', '.join(names)} {{{self.attributes()}}} : ({', '.join(types)}) -> {type}", type
        )

    def operands(self, program, split, channels):
        x = self.image_of(program, split)
        if self.op == "max_pool2d":
            return [x]
        zeros = [("%zeros", "tensor<1xf32>")] * 2
        if self.op == "avg_pool2d":
            return [x, *zeros]
        bias = program.line(f"arith.constant dense<0.5> : tensor<{channels}xf32>", f"tensor<{channels}xf32>")
        return [x, self.filter_of(program, split), bias, *zeros]


CASES = {
    "conv": Conv("conv_2d_nhwc_hwcf", "nhwf", "nhwc", "yxcf"),
    "conv, stride 2": Conv("conv_2d_nhwc_hwcf", "nhwf", "nhwc", "yxcf", stride=2),
    "conv, dilation 2": Conv("conv_2d_nhwc_hwcf", "nhwf", "nhwc", "yxcf", dilation=2, pad=2),
    "transposed conv": Transposed(),
    "grouped conv": Conv("conv_2d_nhwgc_gfhwc", "nhwgf", "nhwgc", "gfyxc"),
    "depthwise conv": Conv("depthwise_conv_2d_nhwc_hwc", "nhwc", "nhwc", "yxc"),
    "depthwise conv, x2": Conv("depthwise_conv_2d_nhwc_hwcm", "nhwcm", "nhwc", "yxcm"),
    "max pool": Pool("max"),
    "mean pool, all": Pool("mean"),
    "mean pool, image": Pool("mean of the image"),
    "gradient of image": InputGradient(),
    "gradient of filter": FilterGradient(1),
    "gradient of filter, stride 2": FilterGradient(2),
    "tosa.conv2d": Tosa("conv2d", "nhwc", "fyxc", "nhwf"),
    "tosa.depthwise_conv2d": Tosa("depthwise_conv2d", "nhwc", "yxcm", "nhwM"),
    "tosa.transpose_conv2d": Tosa("transpose_conv2d", "nhwc", "fyxc", "nhwf", pad=2, divisor=2),
    "tosa.max_pool2d": Tosa("max_pool2d", "nhwc", "", "nhwc", stride=2),
    "tosa.avg_pool2d": Tosa("avg_pool2d", "nhwc", "", "nhwc", stride=2),
}


def splits_of(case, parts):
    letters = set(case.image + case.filter) - set("yx")
    return [split for split in SPLITS[len(parts)] if letters.issuperset(split)]


def make(grid):
    program = Program(grid)
    for name, case in CASES.items():
        for split in splits_of(case, program.parts):
            program.lines.append(f"  // case {name} | {' '.join(split)}")
            program.results.append(case.build(program, split))
    names, types = zip(*program.results)
    print(f"shard.grid @g(shape = {grid})\nfunc.func @main({', '.join(program.arguments)}) -> ({', '.join(types)}) {{")
    print("  %zero = arith.constant 0.0 : f32\n  %low = arith.constant -3.0e+38 : f32")
    for number, word in enumerate(("one", "two", "three"), 1):
        print(f"  %{word} = arith.constant {number} : index")
    print('  %zeros = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>')
    print("\n".join(program.lines))
    print(f"  return {', '.join(names)} : {', '.join(types)}\n}}")


def block(extent, places):
    """The block at (number of parts, place) of each axis, one after another, major first."""
    begin, end, width = 0, extent, extent
    for parts, place in places:
        width = -(-width // parts)
        begin = min(begin + place * width, end)
        end = min(begin + width, end)
    return range(begin, end)


def needed(case, split, parts):
    """In bytes, of the device that sends most."""

    def coordinates(letter, device):
        return [(parts[axis], device[axis]) for axis, other in enumerate(split) if other == letter]

    def has(device):
        return [set(block(SIZES[letter], coordinates(letter, device))) for letter in case.image]

    def needs(device):
        result = has(device)
        for dim, letter in enumerate(case.image):
            if letter in "hw":
                extent = SIZES[letter]
                result[dim] = {
                    element
                    for place in block(case.out(extent), coordinates(letter, device))
                    for element in case.reads(place)
                    if 0 <= element < extent
                }
        return result

    def common(a, b):
        result = 4
        for x, y in zip(a, b):
            result *= len(x & y)
        return result

    devices = list(itertools.product(*map(range, parts)))
    most = 0
    for sender in devices:
        sent = 0
        for receiver in devices:
            # Devices with the same block of the image do not need it from each other.
            same = all(a == b for a, b, l in zip(sender, receiver, split) if l in case.image)
            apart = any(a != b for a, b, l in zip(sender, receiver, split) if l not in case.image)
            if not same and not apart:
                sent += common(has(sender), needs(receiver))
        most = max(most, sent)
    return most


def check(grid, path):
    parts = list(map(int, grid.split("x")))
    report = json.load(sys.stdin)
    cases, current = {}, None
    for number, line in enumerate(open(path), 1):
        found = re.match(r"  // case (.*)", line)
        current = found.group(1) if found else current
        cases[number] = current
    sent = collections.defaultdict(collections.Counter)
    for entry in report["collectives"]:
        line = int(re.search(r":(\d+):\d+\D*$", entry["location"]).group(1))
        sent[cases[line]][entry["kind"]] += entry["bytes_sent_per_device"]
    for name, case in CASES.items():
        for split in splits_of(case, parts):
            row = f"{name} | {' '.join(split)}"
            what = ", ".join(f"{kind} {count}" for kind, count in sorted(sent[row].items())) or "nothing"
            images = needed(case, split, parts)
            note = "" if images == sent[row]["update_halo"] else f", needed {images}"
            print(f"| {row} | {what}{note} |")
    print("pass:", report["pass"])


if len(sys.argv) == 2:
    make(sys.argv[1])
else:
    check(*sys.argv[1:])
