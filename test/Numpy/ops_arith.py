"""The ops of arith."""

import numpy as np

from cases import Arg, Case, Result, op
from values import (BF16, F16, F32, F64, FLOATS, I1, I8, I16, I32, I64, INDEX, INTS, LONG, as_ints,
                    bits, from_bits, round_to, wrap)


def some_dims(random, shape):
    """Dimensions that are dynamic: mostly none."""
    if not random.chance(20):
        return ()
    return tuple(i for i in range(len(shape)) if random.chance(50))


def elementwise(text, elem, arrays, compute, result=None, tolerance=0, random=None, **options):
    """A case of an op on arguments of one shape; `text` says what stands before the
    type, which is that of the first argument."""
    dynamic = some_dims(random, arrays[0].shape) if random else ()
    args = [Arg(elem, array, dynamic) for array in arrays]
    expected = compute(*arrays)
    return Case(args, text, Result(result or elem, expected, tolerance, dynamic, **options))


def compute_narrow(elem, function, *arrays):
    """What `function` gives on f32 for f16 and bf16, rounded: for + - * / and sqrt that is
    the exact result rounded once, as f32 has more than twice their bits."""
    if elem in (F16, BF16):
        return round_to(elem, function(*(a.astype(np.float32) for a in arrays)))
    return function(*arrays)


FLOAT_OPS = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide}


@op("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.remf")
def binary_float(random, name):
    elem, shape = random.one_of(FLOATS), random.shape()
    a, b = random.floats(elem, shape), random.floats(elem, shape)
    function = FLOAT_OPS.get(name[6:], np.fmod)
    return elementwise(f"%r = {name} $0, $1 : $t0", elem, [a, b],
                       lambda x, y: compute_narrow(elem, function, x, y), random=random)


def ordered(function, a, b):
    """Maximum or minimum with -0 below +0, so that the sign of a zero counts."""
    tie = np.signbit(a) if function in (np.maximum, np.fmax) else ~np.signbit(a)
    return np.where((a == 0) & (b == 0), np.where(tie, b, a), function(a, b))


@op("arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf")
def float_extreme(random, name):
    elem, shape = random.one_of(FLOATS), random.shape()
    a, b = random.floats(elem, shape), random.floats(elem, shape)
    text = f"%r = {name} $0, $1 : $t0"
    if "num" in name:
        function = np.fmax if "max" in name else np.fmin
    else:
        function = np.maximum if "max" in name else np.minimum
    return elementwise(text, elem, [a, b], lambda x, y: ordered(function, x, y), random=random)


@op("arith.negf")
def negf(random, name):
    elem, shape = random.one_of(FLOATS), random.shape()
    return elementwise("%r = arith.negf $0 : $t0", elem, [random.floats(elem, shape)],
                       np.negative, random=random)


def divide(kind, a, b, width):
    """Division of Python's integers; by 0 it gives 0, and the quotient that does not fit
    is taken modulo 2^width (docs/shard-run.md)."""
    if b == 0:
        return 0
    floor = a // b
    if kind == "floor":
        return floor
    if kind == "ceil":
        return -(-a // b)
    truncated = -(-a // b) if floor < 0 else floor
    return truncated if kind == "div" else a - b * truncated


INT_OPS = {
    "addi": lambda a, b, w: a + b,
    "subi": lambda a, b, w: a - b,
    "muli": lambda a, b, w: a * b,
    "andi": lambda a, b, w: a & b,
    "ori": lambda a, b, w: a | b,
    "xori": lambda a, b, w: a ^ b,
    "maxsi": lambda a, b, w: max(a, b),
    "minsi": lambda a, b, w: min(a, b),
    "maxui": lambda a, b, w: max(a, b),
    "minui": lambda a, b, w: min(a, b),
    "divsi": lambda a, b, w: divide("div", a, b, w),
    "divui": lambda a, b, w: divide("div", a, b, w),
    "remsi": lambda a, b, w: divide("rem", a, b, w),
    "remui": lambda a, b, w: divide("rem", a, b, w),
    "ceildivsi": lambda a, b, w: divide("ceil", a, b, w),
    "ceildivui": lambda a, b, w: divide("ceil", a, b, w),
    "floordivsi": lambda a, b, w: divide("floor", a, b, w),
    "shli": lambda a, b, w: a << b,
    "shrsi": lambda a, b, w: a >> b,
    "shrui": lambda a, b, w: a >> b,
}


def over_ints(function, elem, signed, *arrays):
    """`function` of Python's integers, elementwise; an array of objects."""
    ints = [as_ints(elem, array, signed) for array in arrays]
    flat = [function(*items) for items in zip(*(np.ravel(x) for x in ints))]
    result = np.empty(len(flat), object)
    result[:] = flat
    return result.reshape(arrays[0].shape)


@op(*("arith." + name for name in INT_OPS))
def binary_int(random, name):
    short = name[6:]
    elem, shape = random.one_of(INTS + [I1, INDEX]), random.shape()
    a, b = random.ints(elem, shape), random.ints(elem, shape)
    if short.startswith("sh"):
        # An amount of the width or more gives poison.
        b = random.ints(elem, shape, 0, elem.width - 1) if elem is not I1 else np.zeros(shape, bool)
    signed = not short.endswith("ui")
    return elementwise(
        f"%r = {name} $0, $1 : $t0", elem, [a, b],
        lambda x, y: wrap(elem, over_ints(lambda p, q: INT_OPS[short](p, q, elem.width), elem,
                                          signed, x, y)), random=random)


@op("arith.addui_extended", "arith.mulsi_extended", "arith.mului_extended")
def extended(random, name):
    elem, shape = random.one_of(INTS), random.shape()
    a, b = random.ints(elem, shape), random.ints(elem, shape)
    args = [Arg(elem, a), Arg(elem, b)]
    if "add" in name:
        total = over_ints(lambda x, y: x + y, elem, False, a, b)
        carry = np.array([x >> elem.width for x in total.ravel()], bool).reshape(shape)
        return Case(args, f"%r0, %r1 = {name} $0, $1 : $t0, $r1", Result(elem, wrap(elem, total)),
                    Result(I1, carry))
    product = over_ints(lambda x, y: x * y, elem, "si" in name, a, b)
    high = np.array([x >> elem.width for x in product.ravel()], object).reshape(shape)
    return Case(args, f"%r0, %r1 = {name} $0, $1 : $t0", Result(elem, wrap(elem, product)),
                Result(elem, wrap(elem, high)))


@op("arith.cmpi")
def cmpi(random, name):
    elem, shape = random.one_of(INTS + [I1, INDEX]), random.shape()
    a, b = random.ints(elem, shape), random.ints(elem, shape)
    compare = {"eq": "__eq__", "ne": "__ne__", "slt": "__lt__", "sle": "__le__", "sgt": "__gt__",
               "sge": "__ge__", "ult": "__lt__", "ule": "__le__", "ugt": "__gt__", "uge": "__ge__"}
    predicate = random.one_of(list(compare))
    expected = over_ints(lambda x, y: getattr(x, compare[predicate])(y), elem,
                         not predicate.startswith("u"), a, b)
    return Case([Arg(elem, a), Arg(elem, b)], f"%r = arith.cmpi {predicate}, $0, $1 : $t0",
                Result(I1, expected.astype(bool)))


@op("arith.cmpf")
def cmpf(random, name):
    elem, shape = random.one_of(FLOATS), random.shape()
    a, b = random.floats(elem, shape), random.floats(elem, shape)
    compare = {"eq": np.equal, "gt": np.greater, "ge": np.greater_equal, "lt": np.less,
               "le": np.less_equal, "ne": np.not_equal}
    predicate = random.one_of(["o" + c for c in compare] + ["u" + c for c in compare] +
                              ["ord", "uno", "false", "true"])
    neither = np.isnan(a) | np.isnan(b)
    if predicate in ("false", "true"):
        expected = np.full(shape, predicate == "true")
    elif predicate in ("ord", "uno"):
        expected = neither == (predicate == "uno")
    else:
        expected = np.where(neither, predicate[0] == "u", compare[predicate[1:]](a, b))
    return Case([Arg(elem, a), Arg(elem, b)], f"%r = arith.cmpf {predicate}, $0, $1 : $t0",
                Result(I1, expected))


@op("arith.select")
def select(random, name):
    elem, shape = random.one_of(FLOATS + INTS + [I1]), random.shape()
    scalar = random.chance(30)
    condition = random.ints(I1, () if scalar else shape)
    a, b = random.values(elem, shape), random.values(elem, shape)
    args = [Arg(I1, condition), Arg(elem, a), Arg(elem, b)]
    result = Result(elem, np.where(condition, a, b))
    if scalar:
        return Case(args, "%x = tensor.extract $0[] : $t0\n%r = arith.select %x, $1, $2 : $t1", result)
    return Case(args, "%r = arith.select $0, $1, $2 : $t0, $t1", result)


def cast(name, source, target, data, expected, random):
    dynamic = some_dims(random, data.shape)
    return Case([Arg(source, data, dynamic)], f"%r = {name} $0 : $t0 to $r0",
                Result(target, expected, dynamic=dynamic))


@op("arith.extf", "arith.truncf")
def float_cast(random, name):
    wide, narrow = random.one_of([(F32, F16), (F32, BF16), (F64, F16), (F64, BF16), (F64, F32)])
    source, target = (narrow, wide) if name == "arith.extf" else (wide, narrow)
    data = random.floats(source, random.shape())
    if name == "arith.truncf":
        # Halfway between two neighbours, or next to it.
        middle = data.astype(LONG) * (1 + LONG(2) ** -target.precision)
        data = np.where(random.state.randint(2, size=data.shape) == 0, data, round_to(source, middle))
        data = np.nextafter(data, random.one_of([data, np.full_like(data, np.inf)])).astype(
            source.dtype)
    return cast(name, source, target, data, round_to(target, data), random)


@op("arith.extsi", "arith.extui", "arith.trunci")
def int_cast(random, name):
    narrow, wide = random.one_of([(a, b) for a in [I1] + INTS for b in INTS if a.width < b.width])
    source, target = (wide, narrow) if name == "arith.trunci" else (narrow, wide)
    data = random.ints(source, random.shape())
    expected = wrap(target, as_ints(source, data, name != "arith.extui"))
    return cast(name, source, target, data, expected, random)


@op("arith.index_cast", "arith.index_castui")
def index_cast(random, name):
    elem = random.one_of([I8, I16, I32, I64])
    source, target = random.one_of([(elem, INDEX), (INDEX, elem)])
    data = random.ints(source, random.shape())
    return cast(name, source, target, data,
                wrap(target, as_ints(source, data, not name.endswith("ui"))), random)


@op("arith.sitofp", "arith.uitofp")
def int_to_float(random, name):
    source, target = random.one_of(INTS + [I1]), random.one_of(FLOATS)
    data = random.ints(source, random.shape())
    if source.width > 8 and random.chance(50):
        # Halfway between two neighbours, or next to it.
        shift = random.between(0, max(0, source.width - 2 - target.precision))
        base = (1 << target.precision) + 2 * random.between(0, 40) + 1
        near = (base << shift) + random.between(-1, 1)
        if near < 1 << (source.width - 1):
            data = np.full(data.shape, near, source.dtype)
    exact = as_ints(source, data, name == "arith.sitofp")
    expected = np.array([LONG(str(x)) for x in exact.ravel()], LONG).reshape(data.shape)
    return cast(name, source, target, data, round_to(target, expected), random)


@op("arith.fptosi", "arith.fptoui")
def float_to_int(random, name):
    source, target = random.one_of(FLOATS), random.one_of(INTS)
    low, high = -(2.0 ** (target.width - 1)), 2.0 ** (target.width - 1)
    if name == "arith.fptoui":
        low, high = 0.0, 2.0 ** target.width
    # What does not fit gives poison.
    data = random.floats(source, random.shape(), special=False)
    data = data * source.dtype.type(random.one_of([1, 1, 100]))
    data = round_to(source, data)
    inside = np.isfinite(data) & (np.trunc(data.astype(LONG)) >= low) & (data.astype(LONG) < high)
    data = np.where(inside, data, source.dtype.type(1.5))
    ints = np.array([int(x) for x in data.ravel()], object).reshape(data.shape)
    return cast(name, source, target, data, wrap(target, ints), random)


@op("arith.bitcast", "tensor.bitcast")
def bitcast(random, name):
    pairs = [(F32, I32), (F64, I64), (F16, I16), (BF16, I16), (F16, BF16)]
    if name == "tensor.bitcast":
        pairs = [pair for pair in pairs if pair[1] is not BF16]
    source, target = random.shuffled(random.one_of(pairs))
    data = random.ints(source, random.shape()) if not source.is_float else \
        random.floats(source, random.shape())
    # The bits of a NaN are not compared: give floats none.
    raw = bits(source, data)
    if target.is_float:
        raw = np.where(np.isnan(from_bits(target, raw)), 0, raw).astype(raw.dtype)
    if source.is_float:
        raw = np.where(np.isnan(from_bits(source, raw)), 0, raw).astype(raw.dtype)
    return cast(name, source, target, from_bits(source, raw), from_bits(target, raw), random)


def literal(elem, data):
    """The text of `data` in dense<...>; floats by their bits."""
    if data.ndim:
        return "[" + ", ".join(literal(elem, item) for item in data) + "]"
    if elem.is_float:
        return f"0x{int(bits(elem, data[None] if data.ndim == 0 else data)[0]):0{elem.width // 4}X}"
    return str(bool(data)).lower() if elem is I1 else str(int(data))


@op("arith.constant", "tosa.const")
def constant(random, name):
    elem = random.one_of(FLOATS + INTS + [I1])
    shape = random.shape(most=12 if random.chance(20) else 5)
    data = random.values(elem, () if random.chance(20) else shape)
    text = literal(elem, np.asarray(data))
    data = np.broadcast_to(data, shape)
    dense = f"dense<{text}> : $r0"
    if name == "tosa.const":
        return Case([], f'%r = "tosa.const"() {{values = {dense}}} : () -> $r0', Result(elem, data))
    return Case([], f"%r = arith.constant {dense}", Result(elem, data))
