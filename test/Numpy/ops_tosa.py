"""The ops of tosa, from the TOSA specification that MLIR's documentation refers to."""

import numpy as np

from cases import Arg, Case, Result, op
from ops_arith import binary_float, compute_narrow, ordered, over_ints
from ops_linalg import sum_tolerance
from ops_math import FUNCTIONS, domain, libm_tolerance, rsqrt_tolerance, wide
from ops_structured import plain, product_case
from values import BF16, F16, F32, FLOATS, I1, I8, I16, I32, I64, LONG, round_to, ulp, wrap

TOSA_FLOATS = [F32, F16, BF16]
TOSA_INTS = [I8, I16, I32]


def call(name, args, result, attributes=""):
    names = ", ".join(f"${i}" for i in range(len(args)))
    types = ", ".join(f"$t{i}" for i in range(len(args)))
    return Case(args, f"%r = {name} {names}{attributes} : ({types}) -> $r0", result)


def constant(name, values, elem):
    """The definition of a constant operand of one dimension."""
    text = ", ".join(str(v) for v in values)
    kind = f"tensor<{len(values)}x{elem}>"
    return f'%{name} = "tosa.const"() {{values = dense<[{text}]> : {kind}}} : () -> {kind}\n', kind


def attributes_of(**values):
    """The dictionary of attributes; lists are arrays of i64, numbers of names are i32."""
    def text(value):
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, list):
            return f"array<i64: {', '.join(map(str, value))}>"
        return str(value)

    return " {" + ", ".join(f"{name} = {text(value)}" for name, value in values.items()) + "}"


def scaled(value, multiplier, shift, double):
    """apply_scale_32 of the specification, of whole numbers."""
    half = 1 << (shift - 1)
    if double and shift > 31:
        half += (1 << 30) if value >= 0 else -(1 << 30)
    return (value * multiplier + half) >> shift


def shape_constant(name, values):
    kind = f"!tosa.shape<{len(values)}>"
    return (f"%{name} = tosa.const_shape {{values = dense<{list(values)}> : "
            f"tensor<{len(values)}xindex>}} : () -> {kind}\n", kind)


def pair(random, elem, low=None, high=None):
    """Two arrays of one rank; extents of 1 are repeated."""
    shape = random.shape(low=1)
    other = tuple(1 if random.chance(25) else n for n in shape)
    make = lambda s: random.values(elem, s) if low is None else random.ints(elem, s, low, high)
    return random.shuffled([make(shape), make(other)])


EXACT = {"abs": np.abs, "ceil": np.ceil, "floor": np.floor, "identity": lambda x: x,
         "reciprocal": lambda x: x.dtype.type(1) / x}


@op(*("tosa." + name for name in ("abs", "ceil", "floor", "identity", "reciprocal", "cos", "erf",
                                  "exp", "log", "sin", "tanh", "rsqrt", "sigmoid")))
def unary(random, name):
    short, elem = name[5:], random.one_of(TOSA_FLOATS)
    data = domain(random, short, elem, random.shape(low=1))
    if short == "erf" and elem is BF16:
        elem, data = F32, data
    if short == "identity" and random.chance(50):
        elem = random.one_of(TOSA_INTS + [I1])
        data = random.values(elem, random.shape(low=1))
    if short == "abs" and random.chance(40):
        elem = I32
        data = random.ints(I32, random.shape(low=1), -1000, 1000)
    tolerance = 0
    if short in EXACT:
        expected = compute_narrow(elem, EXACT[short], data)
    elif short == "rsqrt":
        exact = wide(elem, lambda x: 1 / np.sqrt(x), data)
        expected, tolerance = exact, rsqrt_tolerance(elem, exact)
    elif short == "sigmoid":
        # An exponential, a sum and a quotient, each rounded; what overflows in the
        # exponential gives 0.
        data = np.clip(data, -8, 8)
        exact = wide(elem, lambda x: 1 / (1 + np.exp(-x)), data)
        expected, tolerance = exact, 4 * ulp(elem, exact)
    else:
        exact = wide(elem, FUNCTIONS[short], data)
        expected, tolerance = exact, libm_tolerance(elem, short, exact)
    return call(name, [Arg(elem, data)], Result(elem, expected, tolerance))


@op("tosa.add", "tosa.sub", "tosa.maximum", "tosa.minimum", "tosa.pow", "tosa.equal",
    "tosa.greater", "tosa.greater_equal")
def binary(random, name):
    short = name[5:]
    elem = random.one_of(TOSA_FLOATS if short == "pow" else TOSA_FLOATS + [I32])
    # Sums that overflow are not defined.
    a, b = pair(random, elem) if elem.is_float else pair(random, elem, -2 ** 30, 2 ** 30)
    args, attributes, tolerance = [Arg(elem, a), Arg(elem, b)], "", 0
    a, b = np.broadcast_arrays(a, b)
    if short in ("equal", "greater", "greater_equal"):
        return call(name, args, Result(I1, getattr(np, short)(a, b)))
    if short == "pow":
        exact = wide(elem, np.power, a, b)
        return call(name, args, Result(elem, exact, libm_tolerance(elem, "pow", exact)))
    if short in ("maximum", "minimum"):
        ignore = elem.is_float and random.chance(50)
        attributes = " {nan_mode = IGNORE}" if ignore else ""
        function = getattr(np, ("f" + short[:3]) if ignore else short)
        # Of two zeros, either is right.
        return call(name, args, Result(elem, function(a, b), free_zero=True), attributes)
    function = np.add if short == "add" else np.subtract
    return call(name, args, Result(elem, compute_narrow(elem, function, a, b)), attributes)


@op("tosa.mul")
def mul(random, name):
    elem = random.one_of(TOSA_FLOATS + TOSA_INTS)
    if elem.is_float:
        a, b, shift = *pair(random, elem), 0
        whole = np.broadcast_arrays(a, b)
        result = Result(elem, compute_narrow(elem, np.multiply, *whole))
    else:
        # i32 is shifted with rounding; what does not fit is not defined.
        shift = random.between(0, 20) if elem is I32 and random.chance(50) else 0
        bound = 2 ** (15 if elem is I32 else 7) - 1
        a, b = pair(random, elem, -bound, bound)
        half = (1 << shift) >> 1
        whole = [x.copy() for x in np.broadcast_arrays(a, b)]
        result = Result(I32, wrap(I32, over_ints(lambda x, y: (x * y + half) >> shift, elem, True,
                                                 *whole)))
    text, kind = constant("s", [shift], "i8")
    return Case([Arg(elem, a), Arg(elem, b)],
                f"{text}%r = tosa.mul $0, $1, %s : ($t0, $t1, {kind}) -> $r0", result)


@op("tosa.negate")
def negate(random, name):
    elem = random.one_of(TOSA_FLOATS + [I8, I32])
    data = random.values(elem, random.shape(low=1))
    points = [random.between(-10, 10), random.between(-10, 10)] if elem is I8 else [0, 0]
    if elem.is_float:
        result = Result(elem, -data)
    else:
        if elem is I32:
            data = np.maximum(data, -2 ** 31 + 1)
        low, high = -2 ** (elem.width - 1), 2 ** (elem.width - 1) - 1
        result = Result(elem, wrap(elem, over_ints(
            lambda x: min(max(points[1] - (x - points[0]), low), high), elem, True, data)))
    values = [f"{p}.0" if elem.is_float else p for p in points]
    first, kind = constant("p", values[:1], elem)
    second, _ = constant("q", values[1:], elem)
    return Case([Arg(elem, data)],
                f"{first}{second}%r = tosa.negate $0, %p, %q : ($t0, {kind}, {kind}) -> $r0", result)


BITS = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
        "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}


@op(*("tosa." + name for name in BITS))
def bitwise(random, name):
    elem = I1 if "logical" in name else random.one_of(TOSA_INTS)
    a, b = pair(random, elem)
    return call(name, [Arg(elem, a), Arg(elem, b)], Result(elem, BITS[name[5:]](a, b)))


@op("tosa.bitwise_not", "tosa.logical_not", "tosa.clz")
def bits_of(random, name):
    elem = {"logical": I1, "clz": I32}.get(name[5:].split("_")[0]) or random.one_of(TOSA_INTS)
    data = random.ints(elem, random.shape(low=1))
    expected = ~data
    if name == "tosa.clz":
        expected = over_ints(lambda x: 32 - x.bit_length(), I32, False, data).astype(np.int32)
    return call(name, [Arg(elem, data)], Result(elem, expected))


@op("tosa.arithmetic_right_shift", "tosa.logical_left_shift", "tosa.logical_right_shift")
def shift(random, name):
    elem = random.one_of(TOSA_INTS)
    shape = random.shape(low=1)
    a, b = random.ints(elem, shape), random.ints(elem, shape, 0, elem.width - 1)
    rounds = random.chance(50)
    functions = {"arithmetic_right_shift": lambda x, y: (x >> y) + (
        1 if rounds and y > 0 and x >> (y - 1) & 1 else 0),
        "logical_left_shift": lambda x, y: x << y, "logical_right_shift": lambda x, y: x >> y}
    expected = over_ints(functions[name[5:]], elem, "arith" in name, a, b)
    attributes = f" {{round = {str(rounds).lower()}}}" if "arith" in name else ""
    return call(name, [Arg(elem, a), Arg(elem, b)], Result(elem, wrap(elem, expected)), attributes)


@op("tosa.intdiv")
def intdiv(random, name):
    a, b = pair(random, I32)
    b = np.where((b == 0) | (b == -1), 3, b).astype(np.int32)
    whole = [x.copy() for x in np.broadcast_arrays(a, b)]
    expected = over_ints(lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1), I32, True,
                         *whole)
    return call(name, [Arg(I32, a), Arg(I32, b)], Result(I32, wrap(I32, expected)))


@op("tosa.select")
def select(random, name):
    elem = random.one_of(TOSA_FLOATS + TOSA_INTS + [I1])
    a, b = pair(random, elem)
    shape = np.broadcast(a, b).shape
    condition = random.ints(I1, tuple(1 if random.chance(20) else n for n in shape))
    return call(name, [Arg(I1, condition), Arg(elem, a), Arg(elem, b)],
                Result(elem, np.where(condition, a, b)))


@op("tosa.clamp")
def clamp(random, name):
    elem = random.one_of(TOSA_FLOATS + [I8, I16])
    data = random.values(elem, random.shape(low=1))
    low = random.between(-9, 3)
    high = low + random.between(0, 9)
    ending = ".0" if elem.is_float else ""
    ignore = elem.is_float and random.chance(40)
    expected = np.minimum(np.maximum(data, elem.dtype.type(low)), elem.dtype.type(high))
    if ignore:
        # NaN is skipped: the lower bound is what is left.
        expected = np.where(np.isnan(data), elem.dtype.type(low), expected)
    mode = ", nan_mode = IGNORE" if ignore else ""
    return call(name, [Arg(elem, data)], Result(elem, expected, free_zero=True),
                f" {{min_val = {low}{ending} : {elem}, max_val = {high}{ending} : {elem}{mode}}}")


@op("tosa.cast")
def cast(random, name):
    source = random.one_of(TOSA_FLOATS + TOSA_INTS + [I1])
    target = random.one_of([e for e in TOSA_FLOATS + TOSA_INTS + [I1] if e is not source and not (
        e is I1 and source.is_float or source is I1 and e.is_float)
        and {e.name, source.name} != {"f16", "bf16"}])
    data = random.values(source, random.shape(low=1))
    if target is I1:
        expected = data != 0
    elif source.is_float and target.is_float:
        expected = round_to(target, data)
    elif source.is_float:
        # To nearest even, and to the range; NaN is not defined.
        data = np.where(np.isnan(data), source.dtype.type(2.5), data)
        low, high = -2 ** (target.width - 1), 2 ** (target.width - 1) - 1
        expected = np.clip(np.rint(data.astype(LONG)), low, high).astype(target.dtype)
    elif target.is_float:
        expected = round_to(target, data)
    else:
        expected = wrap(target, over_ints(lambda x: x, source, source is not I1, data))
    return call(name, [Arg(source, data)], Result(target, expected))


@op("tosa.reduce_all", "tosa.reduce_any", "tosa.reduce_max", "tosa.reduce_min",
    "tosa.reduce_product", "tosa.reduce_sum")
def reduce(random, name):
    kind = name[12:]
    elem = I1 if kind in ("all", "any") else random.one_of(
        TOSA_FLOATS if kind == "product" else TOSA_FLOATS + [I32])
    shape = random.shape(low=1, most=20 if random.chance(30) else 6)
    axis = random.between(0, len(shape) - 1)
    attributes, tolerance = f"axis = {axis} : i32", 0
    if kind in ("sum", "product"):
        data = random.floats(elem, shape, scale=3.0 if kind == "sum" else 1.0) if elem.is_float else \
            random.ints(elem, shape, -1000, 1000)
        function = np.sum if kind == "sum" else np.prod
        exact = function(data.astype(LONG), axis=axis, keepdims=True)
        expected = exact
        if elem.is_float:
            expected = exact
            size = np.sum(np.abs(data.astype(LONG)), axis=axis, keepdims=True)
            tolerance = sum_tolerance(elem, shape[axis], exact, size if kind == "sum" else np.abs(exact))
        result = Result(elem, expected, tolerance)
    else:
        data = random.values(elem, shape)
        ignore = elem.is_float and random.chance(40)
        if ignore:
            attributes += ", nan_mode = IGNORE"
            data = data.copy()
            # A row without a number has no largest one.
            first = np.take(data, [0], axis=axis)
            np.put_along_axis(data, np.zeros(first.shape, int), np.where(np.isnan(first), 1, first), axis)
        function = {"all": np.all, "any": np.any, "max": np.fmax.reduce if ignore else np.max,
                    "min": np.fmin.reduce if ignore else np.min}[kind]
        result = Result(elem, function(data, axis=axis, keepdims=True), free_zero=True)
    return call(name, [Arg(elem, data)], result, f" {{{attributes}}}")


@op("tosa.argmax")
def argmax(random, name):
    """The first of equal ones. Where NaN is, the specification does not say."""
    elem = random.one_of(TOSA_FLOATS + [I8])
    shape = random.shape(low=1)
    axis = random.between(0, len(shape) - 1)
    data = random.values(elem, shape)
    if elem.is_float:
        data = np.where(np.isfinite(data), data, elem.dtype.type(1))
    return call(name, [Arg(elem, data)], Result(I32, np.argmax(data, axis)),
                f" {{axis = {axis} : i32}}")


@op("tosa.concat")
def concat(random, name):
    elem, shape = random.one_of(TOSA_FLOATS + TOSA_INTS + [I1]), random.shape(low=1)
    axis = random.between(0, len(shape) - 1)
    parts = [random.values(elem, shape[:axis] + (random.between(1, 4),) + shape[axis + 1:])
             for _ in range(random.between(1, 4))]
    return call(name, [Arg(elem, part) for part in parts], Result(elem, np.concatenate(parts, axis)),
                f" {{axis = {axis} : i32}}")


@op("tosa.reverse", "tosa.transpose")
def move(random, name):
    elem, shape = random.one_of(TOSA_FLOATS + TOSA_INTS + [I1]), random.shape(low=1)
    data = random.values(elem, shape)
    if name == "tosa.reverse":
        axis = random.between(0, len(shape) - 1)
        return call(name, [Arg(elem, data)], Result(elem, np.flip(data, axis)),
                    f" {{axis = {axis} : i32}}")
    order = random.shuffled(list(range(len(shape))))
    return call(name, [Arg(elem, data)], Result(elem, np.transpose(data, order)),
                f" {{perms = array<i32: {', '.join(map(str, order))}>}}")


@op("tosa.reshape")
def reshape(random, name):
    elem, shape = random.one_of(TOSA_FLOATS + TOSA_INTS + [I1]), random.shape(low=1)
    data = random.values(elem, shape)
    new = random.shuffled(list(shape))
    if len(new) > 1:
        new = [new[0] * new[1]] + new[2:]
    text, kind = shape_constant("s", new)
    return Case([Arg(elem, data)], f"{text}%r = tosa.reshape $0, %s : ($t0, {kind}) -> $r0",
                Result(elem, data.reshape(new)))


@op("tosa.gather", "tosa.scatter")
def gather(random, name):
    elem = random.one_of(TOSA_FLOATS + TOSA_INTS)
    batches, extent, channels = (random.between(1, 5) for _ in range(3))
    count = random.between(1, extent)
    values = random.values(elem, (batches, extent, channels))
    rows = np.arange(batches)[:, None]
    if name == "tosa.gather":
        indices = random.ints(I32, (batches, random.between(1, 6)), 0, extent - 1)
        return call(name, [Arg(elem, values), Arg(I32, indices)], Result(elem, values[rows, indices]))
    indices = np.stack([random.state.permutation(extent)[:count] for _ in range(batches)])
    source, expected = random.values(elem, (batches, count, channels)), values.copy()
    expected[rows, indices] = source
    return call(name, [Arg(elem, values), Arg(I32, indices), Arg(elem, source)], Result(elem, expected))


@op("tosa.matmul")
def matmul(random, name):
    elem = random.one_of([F32, F16, I8])
    b, m, k, n = (random.between(1, 6) for _ in range(4))
    shapes = (b, m, k), (b, k, n)
    points = [random.between(-9, 9), random.between(-9, 9)] if elem is I8 else [0, 0]
    if elem is I8:
        x, y = (random.ints(I8, shape) for shape in shapes)
        expected = np.matmul(x.astype(np.int64) - points[0], y.astype(np.int64) - points[1])
        result = Result(I32, expected)
    else:
        x, y = (random.floats(elem, shape, scale=2.0) for shape in shapes)
        exact = np.matmul(x.astype(LONG), y.astype(LONG))
        size = np.matmul(np.abs(x.astype(LONG)), np.abs(y.astype(LONG)))
        target = random.one_of([elem, F32])
        result = Result(target, exact, sum_tolerance(target, k, exact, size, products=True))
    values = [p if elem is I8 else f"{p}.0" for p in points]
    first, kind = constant("p", values[:1], elem)
    second, _ = constant("q", values[1:], elem)
    return Case([Arg(elem, x), Arg(elem, y)], f"{first}{second}%r = tosa.matmul $0, $1, %p, %q : "
                f"($t0, $t1, {kind}, {kind}) -> $r0", result)


@op("tosa.resize")
def resize(random, name):
    """Output y lies at (y * d + offset) / n of the input, between its rows iy and iy + 1."""
    bilinear, elem = random.chance(50), random.one_of([F32, I8])
    batch, channels = random.between(1, 3), random.between(1, 3)
    sizes, numbers, down, offsets, borders, outs = [], [], [], [], [], []
    for _ in range(2):
        size, n, d = random.between(1, 5), random.between(1, 4), random.between(1, 3)
        offset = random.between(0, min(n - 1, (size - 1) * n))
        border = random.between(0, n - 1)
        # The last output must end in a whole number.
        border += -((size - 1) * n - offset + border) % d
        outs.append(((size - 1) * n - offset + border) // d + 1)
        for items, item in zip((sizes, numbers, down, offsets, borders),
                               (size, n, d, offset, border)):
            items.append(item)
    data = random.floats(elem, (batch, *sizes, channels), special=not bilinear) if elem is F32 else \
        random.ints(elem, (batch, *sizes, channels))
    if elem is F32 and bilinear:
        data = np.clip(data, -1e6, 1e6)
    expected = np.empty((batch, *outs, channels), LONG)
    limit = [size - 1 for size in sizes]
    for oy, ox in np.ndindex(*outs):
        places, rest = [], []
        for i, o in enumerate((oy, ox)):
            at = o * down[i] + offsets[i]
            places.append(at // numbers[i])
            rest.append(at % numbers[i])
        near = [min(max(p, 0), m) for p, m in zip(places, limit)]
        far = [min(max(p + 1, 0), m) for p, m in zip(places, limit)]
        if not bilinear:
            picked = [f if 2 * r >= n else p for p, f, r, n in zip(near, far, rest, numbers)]
            expected[:, oy, ox] = data[:, picked[0], picked[1]]
            continue
        total = 0
        for y, wy in ((near[0], numbers[0] - rest[0]), (far[0], rest[0])):
            for x, wx in ((near[1], numbers[1] - rest[1]), (far[1], rest[1])):
                total = total + data[:, y, x].astype(LONG) * wy * wx
        expected[:, oy, ox] = total / (numbers[0] * numbers[1] if elem is F32 else 1)
    target = I32 if bilinear and elem is I8 else elem
    # Two weights and their products and sums are rounded.
    tolerance = 12 * F32.roundoff * np.abs(data).max() if bilinear and elem is F32 else 0
    text = ""
    for name_, values in (("s", [numbers[0], down[0], numbers[1], down[1]]), ("o", offsets),
                          ("b", borders)):
        text += shape_constant(name_, values)[0]
    mode = "BILINEAR" if bilinear else "NEAREST_NEIGHBOR"
    return Case([Arg(elem, data)],
                f"{text}%r = tosa.resize $0, %s, %o, %b {{mode = {mode}}} : "
                "($t0, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> $r0",
                Result(target, expected.astype(target.dtype), tolerance))


@op("tosa.apply_scale")
def apply_scale(random, name):
    shape = random.shape(low=1)
    data = random.ints(I32, shape, -2 ** 19, 2 ** 19)
    multipliers = random.ints(I32, shape, 1 << 29, (1 << 30) + 999)
    shifts = random.ints(I8, shape, 20, 40)
    mode = random.one_of(["SINGLE_ROUND", "DOUBLE_ROUND"])
    expected = [scaled(int(x), int(m), int(s), mode == "DOUBLE_ROUND")
                for x, m, s in zip(data.flat, multipliers.flat, shifts.flat)]
    return call(name, [Arg(I32, data), Arg(I32, multipliers), Arg(I8, shifts)],
                Result(I32, np.array(expected).reshape(shape)), attributes_of(rounding_mode=mode))
