"""The ops of tosa without a sharding model, which are lowered before anything is partitioned."""

import numpy as np

from cases import Arg, Case, Result, program
from ops_linalg import sum_tolerance
from ops_tosa import (
    TOSA_FLOATS, TOSA_INTS, attributes_of, call, constant, scaled, shape_constant)
from values import BF16, F16, F32, I1, I8, I16, I32, LONG, ulp


def bounds(elem, unsigned):
    return (0, 2 ** elem.width - 1) if unsigned else (-2 ** (elem.width - 1),
                                                      2 ** (elem.width - 1) - 1)


def operand(random, args, name, values, elem):
    """A parameter: a constant, whose definition is the first result, or an argument."""
    if random.chance(60):
        text, kind = constant(name, values, elem)
        return text, "%" + name, kind
    args.append(Arg(elem, np.array(values, elem.dtype)))
    return "", f"${len(args) - 1}", f"$t{len(args) - 1}"


@program("tosa.rescale")
def rescale(random, name):
    source, target = random.one_of(TOSA_INTS), random.one_of(TOSA_INTS)
    # Only zero points of bytes are free; those of i16 and i32 are zero.
    unsigned = [e is not I32 and random.chance(25) for e in (source, target)]
    if all(unsigned):
        unsigned[random.between(0, 1)] = False
    wide, per_channel = random.chance(70), random.chance(50)
    shape = random.shape(low=1)
    count = shape[-1] if per_channel else 1
    mode = random.one_of(["SINGLE_ROUND", "DOUBLE_ROUND"] if wide else ["SINGLE_ROUND"])
    if wide:
        multipliers = [random.between(1 << 29, (1 << 30) + 999) for _ in range(count)]
        shifts = [random.between(20, 40) for _ in range(count)]
    else:
        multipliers = [random.between(1 << 13, (1 << 15) - 1) for _ in range(count)]
        shifts = [random.between(10, 25) for _ in range(count)]
    # What does not fit 32 bits after scaling is not defined.
    data = random.ints(source, shape, -2 ** 19, 2 ** 19) if source is I32 else \
        random.ints(source, shape)
    points = []
    for elem, free in zip((source, target), unsigned):
        low, high = (0, 99) if free else (-9, 9)
        points.append(random.between(low, high) if elem is I8 else 0)
    low, high = bounds(target, unsigned[1])
    whole = data.astype(np.int64) & (2 ** source.width - 1) if unsigned[0] else data.astype(np.int64)
    expected = np.empty(shape, np.int64)
    for place in np.ndindex(*shape):
        channel = place[-1] if per_channel else 0
        value = scaled(int(whole[place]) - points[0], multipliers[channel], shifts[channel],
                       mode == "DOUBLE_ROUND")
        expected[place] = min(max(value + points[1], low), high)
    args = [Arg(source, data)]
    lines, names, kinds = "", ["$0"], ["$t0"]
    for label, values, elem in (("m", multipliers, I32 if wide else I16), ("s", shifts, I8),
                                ("p", points[:1], source), ("q", points[1:], target)):
        if label in "pq":
            text, kind = constant(label, values, elem)
            used = "%" + label
        else:
            text, used, kind = operand(random, args, label, values, elem)
        lines, names, kinds = lines + text, names + [used], kinds + [kind]
    how = attributes_of(rounding_mode=mode, scale32=wide, per_channel=per_channel,
                        input_unsigned=unsigned[0], output_unsigned=unsigned[1])
    return Case(args, f"{lines}%r = tosa.rescale {', '.join(names)}{how} : ({', '.join(kinds)}) -> $r0",
                Result(target, expected.astype(target.dtype)))


@program("tosa.table")
def table(random, name):
    """That of i16 has a line between each two entries, in steps of 1 / 128."""
    elem, shape = random.one_of([I8, I16]), random.shape(low=1)
    data = random.ints(elem, shape)
    entries = random.ints(elem, (256 if elem is I8 else 513,))
    if elem is I8:
        result = Result(I8, entries[data.astype(int) + 128])
    else:
        at = data.astype(np.int64) + 32768
        first, second = (entries[(at >> 7) + i].astype(np.int64) for i in (0, 1))
        result = Result(I32, ((first << 7) + (second - first) * (at & 127)).astype(np.int32))
    return call(name, [Arg(elem, data), Arg(elem, entries)], result)


@program("tosa.pad")
def pad(random, name):
    elem, shape = random.one_of(TOSA_FLOATS + TOSA_INTS + [I1]), random.shape(low=1)
    data = random.values(elem, shape)
    widths = [(random.between(0, 3), random.between(0, 3)) for _ in shape]
    number = random.one_of([True, False]) if elem is I1 else random.between(-5, 5)
    value = f"{number}.0" if elem.is_float else str(number).lower()
    first, kind = constant("v", [value], elem)
    text, shape_kind = shape_constant("s", [width for pair in widths for width in pair])
    return Case([Arg(elem, data)],
                f"{first}{text}%r = tosa.pad $0, %s, %v : ($t0, {shape_kind}, {kind}) -> $r0",
                Result(elem, np.pad(data, widths, constant_values=elem.dtype.type(number))))


@program("tosa.slice")
def part(random, name):
    elem, shape = random.one_of(TOSA_FLOATS + TOSA_INTS + [I1]), random.shape(low=1)
    data = random.values(elem, shape)
    starts = [random.between(0, n - 1) for n in shape]
    sizes = [random.between(1, n - start) for n, start in zip(shape, starts)]
    first, kind = shape_constant("b", starts)
    second, _ = shape_constant("s", sizes)
    index = tuple(slice(start, start + size) for start, size in zip(starts, sizes))
    return Case([Arg(elem, data)],
                f"{first}{second}%r = tosa.slice $0, %b, %s : ($t0, {kind}, {kind}) -> $r0",
                Result(elem, data[index]))


@program("tosa.tile")
def tile(random, name):
    elem, shape = random.one_of(TOSA_FLOATS + TOSA_INTS + [I1]), random.shape(low=1, most=4)
    data = random.values(elem, shape)
    times = [random.between(1, 3) for _ in shape]
    text, kind = shape_constant("m", times)
    return Case([Arg(elem, data)], f"{text}%r = tosa.tile $0, %m : ($t0, {kind}) -> $r0",
                Result(elem, np.tile(data, times)))


class Windows:
    """Windows over `rank` dimensions, which end where the padded input does."""

    def __init__(self, random, rank, dilated=True):
        self.kernel, self.strides, self.dilations, self.pads, self.extents, self.counts = (
            [] for _ in range(6))
        for _ in range(rank):
            kernel, stride = random.between(1, 3), random.between(1, 3)
            dilation = random.between(1, 2) if dilated else 1
            count = random.between(1, 4)
            reached = (count - 1) * stride + (kernel - 1) * dilation + 1
            low, high = (min(random.between(0, 2), kernel - 1) for _ in range(2))
            # At least one element is there.
            low = min(low, reached - 1)
            high = min(high, reached - 1 - low)
            for items, item in ((self.kernel, kernel), (self.strides, stride),
                                (self.dilations, dilation), (self.pads, (low, high)),
                                (self.extents, reached - low - high), (self.counts, count)):
                items.append(item)

    def flat_pads(self):
        return [width for pair in self.pads for width in pair]

    def padded(self, data, number):
        return np.pad(data, [(0, 0), *self.pads, (0, 0)], constant_values=number)

    def taps(self, data):
        """(offsets in the kernel, the elements there of all windows) of padded `data`."""
        for at in np.ndindex(*self.kernel):
            index = tuple(slice(a * d, a * d + (count - 1) * s + 1, s) for a, d, s, count in
                          zip(at, self.dilations, self.strides, self.counts))
            yield at, data[(slice(None), *index)]


def zero_points(random, elem):
    """The values of two zero points and the definitions of constants %p and %q."""
    points = [random.between(-9, 9), random.between(-9, 9)] if elem is I8 else [0, 0]
    values = [p if elem is I8 else f"{p}.0" for p in points]
    return points, constant("p", values[:1], elem)[0] + constant("q", values[1:], elem)[0]


def convolution_case(random, name, shapes, product, terms, how):
    """A product of an input and a kernel of `shapes` with a bias, by a function of both."""
    elem = random.one_of([F32, F16, I8])
    target = I32 if elem is I8 else elem
    points, text = zero_points(random, elem)
    make = random.ints if elem is I8 else lambda e, s: random.floats(e, s, scale=2.0)
    data, kernel, bias = make(elem, shapes[0]), make(elem, shapes[1]), (
        random.ints(I32, shapes[2], -1000, 1000) if elem is I8 else make(elem, shapes[2]))
    big = np.int64 if elem is I8 else LONG
    exact = product(data.astype(big) - points[0], kernel.astype(big) - points[1]) + bias
    tolerance = 0
    if elem is not I8:
        size = product(np.abs(data.astype(LONG)), np.abs(kernel.astype(LONG))) + np.abs(bias)
        tolerance = sum_tolerance(elem, terms + 1, exact, size, products=True)
    accumulator = "i32" if elem is I8 else "f32"
    args = [Arg(elem, data), Arg(elem, kernel), Arg(target, bias)]
    kind = f"tensor<1x{elem}>"
    return Case(args, f"{text}%r = {name} $0, $1, $2, %p, %q"
                f"{attributes_of(acc_type=accumulator, **how)} : ($t0, $t1, $t2, {kind}, {kind}) "
                "-> $r0", Result(target, exact.astype(target.dtype), tolerance))


@program("tosa.conv2d")
@program("tosa.conv3d")
@program("tosa.depthwise_conv2d")
def convolution(random, name):
    windows = Windows(random, 3 if name == "tosa.conv3d" else 2)
    batch, channels, filters = (random.between(1, 3) for _ in range(3))
    image = (batch, *windows.extents, channels)
    depthwise = "depthwise" in name
    kernel = (*windows.kernel, channels, filters) if depthwise else \
        (filters, *windows.kernel, channels)
    outs = channels * filters if depthwise else filters

    def product(x, w):
        total = np.zeros((batch, *windows.counts, outs), x.dtype)
        for at, seen in windows.taps(windows.padded(x, 0)):
            if depthwise:
                total += (seen[..., None] * w[at]).reshape(total.shape)
            else:
                total += np.tensordot(seen, w[(slice(None), *at)], ([-1], [-1]))
        return total

    terms = int(np.prod(windows.kernel)) * (1 if depthwise else channels)
    how = {"pad": windows.flat_pads(), "stride": windows.strides, "dilation": windows.dilations}
    bias = (random.one_of([outs, 1]),)
    return convolution_case(random, name, (image, kernel, bias), product, terms, how)


@program("tosa.transpose_conv2d")
def transpose_conv2d(random, name):
    batch, channels, filters = (random.between(1, 3) for _ in range(3))
    extents, kernel, strides = ([random.between(1, most) for _ in range(2)] for most in (4, 3, 3))
    pads = [random.between(-(k - 1), 2) for k in kernel for _ in range(2)]
    outs = [(n - 1) * s + k + low + high for n, s, k, low, high in
            zip(extents, strides, kernel, pads[::2], pads[1::2])]
    for d, out in enumerate(outs):
        if out < 1:
            pads[2 * d + 1] += 1 - out
            outs[d] = 1

    def product(x, w):
        total = np.zeros((batch, *outs, filters), x.dtype)
        for iy, ix, ky, kx in np.ndindex(*extents, *kernel):
            oy, ox = iy * strides[0] + pads[0] + ky, ix * strides[1] + pads[2] + kx
            if 0 <= oy < outs[0] and 0 <= ox < outs[1]:
                total[:, oy, ox] += x[:, iy, ix] @ w[:, ky, kx].T
        return total

    terms = channels * int(np.prod(kernel))
    shapes = (batch, *extents, channels), (filters, *kernel, channels), (filters,)
    return convolution_case(random, name, shapes, product, terms,
                            {"out_pad": pads, "stride": strides})


@program("tosa.max_pool2d")
def max_pool2d(random, name):
    windows, elem = Windows(random, 2, dilated=False), random.one_of([F32, F16, BF16, I8])
    shape = (random.between(1, 3), *windows.extents, random.between(1, 3))
    data = random.values(elem, shape)
    ignore = elem.is_float and random.chance(50)
    worst = -np.inf if elem.is_float else -128
    best = None
    for _, seen in windows.taps(windows.padded(data, worst)):
        pick = np.fmax if ignore else np.maximum
        best = seen if best is None else pick(best, seen)
    how = attributes_of(kernel=windows.kernel, stride=windows.strides, pad=windows.flat_pads(),
                        **({"nan_mode": "IGNORE"} if ignore else {}))
    return call(name, [Arg(elem, data)], Result(elem, best, free_zero=True), how)


def reciprocal_scale(count):
    """reciprocal_scale of the specification: a factor and a shift for a division."""
    k = (count - 1).bit_length()
    return (((1 << 30) + 1) << k) // count, 30 + k


@program("tosa.avg_pool2d")
def avg_pool2d(random, name):
    windows, elem = Windows(random, 2, dilated=False), random.one_of([F32, F16, I8])
    shape = (random.between(1, 3), *windows.extents, random.between(1, 3))
    points, text = zero_points(random, elem)
    data = random.ints(I8, shape) if elem is I8 else random.floats(elem, shape, scale=3.0)
    big = np.int64 if elem is I8 else LONG
    total = sum(seen for _, seen in windows.taps(windows.padded(data.astype(big) - points[0], 0)))
    counts = sum(seen for _, seen in windows.taps(windows.padded(np.ones(shape, np.int64), 0)))
    if elem is I8:
        expected = np.empty(total.shape, np.int8)
        for place in np.ndindex(*total.shape):
            value = scaled(int(total[place]), *reciprocal_scale(int(counts[place])), False)
            expected[place] = min(max(value + points[1], -128), 127)
        result = Result(I8, expected)
    else:
        exact = total / counts
        size = sum(seen for _, seen in windows.taps(windows.padded(np.abs(data.astype(big)), 0)))
        tolerance = sum_tolerance(elem, int(counts.max()), exact, size / counts) + ulp(elem, exact)
        result = Result(elem, exact, tolerance)
    how = attributes_of(acc_type="i32" if elem is I8 else "f32", kernel=windows.kernel,
                        stride=windows.strides, pad=windows.flat_pads())
    kind = f"tensor<1x{elem}>"
    return Case([Arg(elem, data)],
                f"{text}%r = tosa.avg_pool2d $0, %p, %q{how} : ($t0, {kind}, {kind}) -> $r0", result)


@program("tosa.fft2d")
@program("tosa.rfft2d")
def transform(random, name):
    """Sums over all elements, of products with a cosine or a sine each."""
    shape = (random.between(1, 3), 2 ** random.between(0, 3), 2 ** random.between(0, 3))
    inverse = name == "tosa.fft2d" and random.chance(50)
    data = [random.floats(F32, shape, scale=2.0) for _ in range(1 if name == "tosa.rfft2d" else 2)]
    signal = data[0].astype(complex) + (1j * data[1] if len(data) == 2 else 0)
    if name == "tosa.rfft2d":
        exact = np.fft.rfft2(signal.real)
    else:
        exact = np.fft.ifft2(signal) * shape[1] * shape[2] if inverse else np.fft.fft2(signal)
    # An angle is rounded, and is at most 2 pi.
    size = sum(np.abs(part.astype(LONG)).sum(axis=(1, 2), keepdims=True) for part in data)
    tolerance = np.broadcast_to((shape[1] * shape[2] + 40) * F32.roundoff * size, exact.shape)
    how = attributes_of(inverse=inverse) if name == "tosa.fft2d" else ""
    names = ", ".join(f"${i}" for i in range(len(data)))
    kinds = ", ".join(f"$t{i}" for i in range(len(data)))
    results = Result(F32, exact.real, tolerance), Result(F32, exact.imag, tolerance)
    return Case([Arg(F32, part) for part in data],
                f"%r0, %r1 = {name} {names}{how} : ({kinds}) -> ($r0, $r1)", *results)
