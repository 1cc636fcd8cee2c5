"""conv_nets.py resnet50|convnext_t IMAGE CHANNELS DEPTHS: prints a network of the shape of
ResNet-50 or ConvNeXt-T, for one image of IMAGE x IMAGE pixels, with CHANNELS channels in
the first stage and DEPTHS blocks in the stages, say 64 3,4,6,3. Weights are constants of
equal elements. Normalization is left out: it works on channels only.

conv_nets.py check GRID FILE: reads such a program, and shard-run's report as JSON on
standard input; rows are split by the first axis of GRID, columns by the second.
Prints a table of the halos of each window: what the device that sends most should send,
counted element by element, and what was sent.
"""

import collections
import json
import re
import sys


class Net:
    def __init__(self):
        self.lines, self.number = [], 0

    def line(self, text, type):
        self.number += 1
        self.lines.append(f"  %{self.number} = {text}")
        return f"%{self.number}", type

    @staticmethod
    def type(channels, size):
        return f"tensor<1x{channels}x{size}x{size}xf32>"

    def padded(self, x, low, high, value="%zero"):
        name, (channels, size) = x
        if low == high == 0:
            return x
        grown = (channels, size + low + high)
        self.number += 1
        self.lines += [
            f"  %{self.number} = tensor.pad {name} low[0, 0, {low}, {low}] high[0, 0, {high}, {high}] {{",
            "  ^bb0(%n: index, %c: index, %h: index, %w: index):",
            f"    tensor.yield {value} : f32",
            f"  }} : {self.type(channels, size)} to {self.type(*grown)}",
        ]
        return f"%{self.number}", grown

    def filled(self, type, value="%zero"):
        empty, _ = self.line(f"tensor.empty() : {self.type(*type)}", None)
        return self.line(
            f"linalg.fill ins({value} : f32) outs({empty} : {self.type(*type)}) -> {self.type(*type)}",
            type,
        )

    def window(self, op, x, out, weights, stride):
        into, _ = self.filled((out[0], out[1]), "%low" if "max" in op else "%zero")
        return self.line(
            f"{op} {{dilations = dense<1> : tensor<2xi64>, strides = dense<{stride}> : tensor<2xi64>}} "
            f"ins({x[0]}, {weights[0]} : {self.type(*x[1])}, {weights[1]}) "
            f"outs({into} : {self.type(*out)}) -> {self.type(*out)}",
            out,
        )

    def conv(self, x, channels, kernel, stride=1, pad=0, grouped=False):
        x = self.padded(x, pad, pad)
        inputs, size = x[1]
        shape = f"{inputs}x{kernel}x{kernel}" if grouped else f"{channels}x{inputs}x{kernel}x{kernel}"
        fan = kernel * kernel * (1 if grouped else inputs)
        type = f"tensor<{shape}xf32>"
        weights, _ = self.line(f"arith.constant dense<{1.0 / fan:e}> : {type}", None)
        op = "linalg.depthwise_conv_2d_nchw_chw" if grouped else "linalg.conv_2d_nchw_fchw"
        out = (channels, (size - kernel) // stride + 1)
        return self.window(op, x, out, (weights, type), stride)

    def max_pool(self, x, kernel, stride, pad):
        x = self.padded(x, pad, pad, "%low")
        type = f"tensor<{kernel}x{kernel}xf32>"
        shape, _ = self.line(f"tensor.empty() : {type}", None)
        out = (x[1][0], (x[1][1] - kernel) // stride + 1)
        return self.window("linalg.pooling_nchw_max", x, out, (shape, type), stride)

    def binary(self, op, a, b):
        return self.line(f"{op} {a[0]}, {b[0]} : {self.type(*a[1])}", a[1])

    def relu(self, x):
        zeros, _ = self.line(f"arith.constant dense<1.0e-1> : {self.type(*x[1])}", None)
        return self.binary("arith.maximumf", x, (zeros, None))

    def mean(self, x):
        """The mean of each channel."""
        name, (channels, size) = x
        type = f"tensor<1x{channels}xf32>"
        empty, _ = self.line(f"tensor.empty() : {type}", None)
        zeros, _ = self.line(f"linalg.fill ins(%zero : f32) outs({empty} : {type}) -> {type}", None)
        total, _ = self.line(
            f"linalg.reduce ins({name} : {self.type(channels, size)}) outs({zeros} : {type}) dimensions = [2, 3] "
            "(%in: f32, %sum: f32) { %s = arith.addf %in, %sum : f32 linalg.yield %s : f32 }",
            None,
        )
        return total, type


def resnet50(net, x, channels, depths):
    x = net.max_pool(net.relu(net.conv(x, channels, 7, 2, 3)), 3, 2, 1)
    for stage, depth in enumerate(depths):
        inner, outer = channels << stage, 4 * channels << stage
        for block in range(depth):
            stride = 2 if stage and not block else 1
            y = net.relu(net.conv(x, inner, 1))
            y = net.relu(net.conv(y, inner, 3, stride, 1))
            y = net.conv(y, outer, 1)
            skip = net.conv(x, outer, 1, stride) if not block else x
            x = net.relu(net.binary("arith.addf", y, skip))
    return x


def convnext_t(net, x, channels, depths):
    x = net.conv(x, channels, 4, 4)
    for stage, depth in enumerate(depths):
        if stage:
            x = net.conv(x, channels << stage, 2, 2)
        for _ in range(depth):
            width = x[1][0]
            y = net.conv(x, width, 7, 1, 3, grouped=True)
            y = net.conv(net.relu(net.conv(y, 4 * width, 1)), width, 1)
            x = net.binary("arith.addf", x, y)
    return x


def make(kind, image, channels, depths):
    net = Net()
    x = {"resnet50": resnet50, "convnext_t": convnext_t}[kind](
        net, ("%image", (3, image)), channels, depths
    )
    mean, type = net.mean(x)
    print(f"func.func @main(%image: {net.type(3, image)}) -> ({net.type(*x[1])}, {type}) {{")
    print("  %zero = arith.constant 0.0 : f32\n  %low = arith.constant -3.0e+38 : f32")
    print("\n".join(net.lines))
    print(f"  return {x[0]}, {mean} : {net.type(*x[1])}, {type}\n}}")


def needed(size, out, stride, kernel, pad, parts):
    """Of each device: the rows that it has, and those that it needs."""
    width, places = -(-size // parts), -(-out // parts)
    result = []
    for part in range(parts):
        has = set(range(part * width, min((part + 1) * width, size)))
        needs = set()
        for place in range(part * places, min((part + 1) * places, out)):
            needs |= set(range(place * stride - pad, place * stride - pad + kernel))
        result.append((has, needs & set(range(size))))
    return result


def most_sent(rows, columns, channels):
    """In bytes of f32, by the device that sends most."""
    most = 0
    for row in rows:
        for column in columns:
            sent = 0
            for other_row in rows:
                for other_column in columns:
                    if other_row is not row or other_column is not column:
                        sent += len(row[0] & other_row[1]) * len(column[0] & other_column[1])
            most = max(most, sent)
    return 4 * channels * most


def check(grid, path):
    rows, columns = (list(map(int, grid.split("x"))) + [1])[:2]
    report = json.load(sys.stdin)
    sent, others = collections.Counter(), collections.Counter()
    for entry in report["collectives"]:
        line = int(re.search(r":(\d+):\d+$", entry["location"]).group(1))
        if entry["kind"] in ("update_halo", "shift"):
            sent[line] += entry["bytes_sent_per_device"]
        else:
            others[entry["kind"]] += entry["bytes_sent_per_device"]
    lines = open(path).read().split("\n")
    pads = {}
    table, equal = collections.Counter(), True
    for number, line in enumerate(lines, 1):
        pad = re.match(r" *(%\d+) = tensor.pad .*low\[0, 0, (\d+)", line)
        if pad:
            pads[pad.group(1)] = int(pad.group(2))
        window = re.search(
            r"(linalg\.\w+) .*strides = dense<(\d+)>.*ins\((%\w+), .* : tensor<1x(\d+)x(\d+)x\d+xf32>, tensor<(?:\d+x)*?(\d+)x\d+xf32>\) outs\(.*-> tensor<1x\d+x(\d+)x",
            line,
        )
        if not window:
            continue
        op, stride, source, channels, size, kernel, out = window.groups()
        pad = pads.get(source, 0)
        stride, channels, size, kernel, out = map(int, (stride, channels, size, kernel, out))
        size -= 2 * pad
        formula = most_sent(
            needed(size, out, stride, kernel, pad, rows),
            needed(size, out, stride, kernel, pad, columns),
            channels,
        )
        if formula or sent[number]:
            kind = op.removeprefix("linalg.")
            table[(kind, f"{kernel}x{kernel}/{stride}", f"{size}x{size}x{channels}", formula, sent[number])] += 1
            equal &= formula == sent[number]
    for (op, kernel, shape, formula, bytes_sent), count in table.items():
        print(f"| {op} {kernel} | {shape} | {count} | {formula} | {bytes_sent} |")
    print("all equal" if equal else "not equal", "; others:", dict(sorted(others.items())), "; pass:", report["pass"])


if sys.argv[1] == "check":
    check(*sys.argv[2:])
else:
    make(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), list(map(int, sys.argv[4].split(","))))
