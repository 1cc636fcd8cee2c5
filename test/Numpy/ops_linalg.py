"""The ops of linalg that work element by element, move elements, or reduce."""

import numpy as np

from cases import Arg, Case, Result, op
from ops_arith import compute_narrow, divide, ordered, over_ints
from ops_math import FUNCTIONS, domain, libm_tolerance, round_away, rsqrt_tolerance, wide
from values import (F16, F32, F64, FLOATS, I1, I32, INTS, LONG, as_ints, round_to, ulp, wrap)


def named(name, args, result, options="", init=None):
    """`linalg.name ins(...) outs(...)`; the init, which the op ignores, is the last
    argument."""
    ins = ", ".join(f"${i}" for i in range(len(args)))
    types = ", ".join(f"$t{i}" for i in range(len(args)))
    place = len(args)
    init = init or Arg(result.elem, np.full(result.expected.shape, 7))
    text = (f"%r = {name} {options} ins({ins} : {types}) outs(${place} : $t{place}) -> $r0")
    return Case(args + [init], text, result)


UNARY = {
    "abs": np.abs, "ceil": np.ceil, "floor": np.floor, "negf": np.negative, "round": round_away,
    "sqrt": np.sqrt, "reciprocal": lambda x: x.dtype.type(1) / x, "square": lambda x: x * x,
}
LIBM = ["exp", "log", "tanh", "erf"]


def unary(random, short):
    """(argument, result) of the function `short`."""
    elem, shape = random.one_of(FLOATS), random.shape()
    data = domain(random, short, elem, shape)
    if short in UNARY:
        result = Result(elem, compute_narrow(elem, UNARY[short], data))
    elif short == "rsqrt":
        exact = wide(elem, lambda x: 1 / np.sqrt(x), data)
        result = Result(elem, exact, rsqrt_tolerance(elem, exact))
    else:
        exact = wide(elem, FUNCTIONS[short], data)
        result = Result(elem, exact, libm_tolerance(elem, short, exact))
    return Arg(elem, data), result


BINARY = {
    "add": (np.add, lambda a, b: a + b), "sub": (np.subtract, lambda a, b: a - b),
    "mul": (np.multiply, lambda a, b: a * b), "div": (np.divide, lambda a, b: divide("div", a, b, 0)),
    "max": (lambda a, b: ordered(np.maximum, a, b), max),
    "min": (lambda a, b: ordered(np.minimum, a, b), min),
}


def binary(random, short, elem, a, b):
    """The elementwise op `short` of two arrays that fit."""
    unsigned = short.endswith("_unsigned")
    base = short.replace("_unsigned", "").replace("_signed", "")
    if short == "powf":
        exact = wide(elem, np.power, a, b)
        return Result(elem, exact, libm_tolerance(elem, "powf", exact))
    a, b = np.broadcast_arrays(a, b)
    if elem.is_float:
        return Result(elem, compute_narrow(elem, BINARY[base][0], a, b))
    return Result(elem, wrap(elem, over_ints(BINARY[base][1], elem, not unsigned, a.copy(), b.copy())))


def binary_elem(random, short):
    if short == "powf":
        return random.one_of(FLOATS)
    return random.one_of(INTS if short.endswith("unsigned") else INTS + FLOATS)


@op(*("linalg." + short for short in list(UNARY) + LIBM + ["rsqrt"]))
def linalg_unary(random, name):
    arg, result = unary(random, name[7:])
    return named(name, [arg], result)


@op("linalg.add", "linalg.sub", "linalg.mul", "linalg.div", "linalg.div_unsigned", "linalg.max",
    "linalg.min", "linalg.powf")
def linalg_binary(random, name):
    short = name[7:]
    elem, shape = binary_elem(random, short), random.shape()
    a, b = random.values(elem, shape), random.values(elem, shape)
    return named(name, [Arg(elem, a), Arg(elem, b)], binary(random, short, elem, a, b))


@op("linalg.elementwise")
def elementwise(random, name):
    kind = random.one_of(list(UNARY) + LIBM + ["rsqrt"] + ["powf", "add", "sub", "mul", "div"] +
                         ["max_signed", "min_unsigned", "max_unsigned", "div_unsigned", "select"])
    attribute = f"kind=#linalg.elementwise_kind<{kind}>"
    if kind in UNARY or kind in LIBM + ["rsqrt"]:
        arg, result = unary(random, kind)
        return named(name, [arg], result, attribute)
    if kind == "select":
        shape, elem = random.shape(), random.one_of(FLOATS + INTS)
        condition, a, b = random.ints(I1, shape), random.values(elem, shape), random.values(elem, shape)
        return named(name, [Arg(I1, condition), Arg(elem, a), Arg(elem, b)],
                     Result(elem, np.where(condition, a, b)), attribute)
    elem = binary_elem(random, kind)
    if elem.is_float and kind.endswith("signed"):
        elem = I32
    # The second operand is turned or repeated.
    shape = random.shape(low=2, high=2)
    a = random.values(elem, shape)
    turned = random.chance(50)
    b = random.values(elem, shape[::-1] if turned else shape[1:])
    maps = ["(i, j)", "(j, i)" if turned else "(j)", "(i, j)"]
    maps = ", ".join(f"affine_map<(i, j) -> {text}>" for text in maps)
    result = binary(random, kind, elem, a, b.T if turned else np.broadcast_to(b, shape))
    return named(name, [Arg(elem, a), Arg(elem, b)], result,
                 f"{attribute} indexing_maps = [{maps}]")


@op("linalg.select")
def linalg_select(random, name):
    shape, elem = random.shape(), random.one_of(FLOATS + INTS)
    condition, a, b = random.ints(I1, shape), random.values(elem, shape), random.values(elem, shape)
    return named(name, [Arg(I1, condition), Arg(elem, a), Arg(elem, b)],
                 Result(elem, np.where(condition, a, b)))


@op("linalg.copy")
def copy(random, name):
    elem = random.one_of(FLOATS + INTS + [I1])
    data = random.values(elem, random.shape())
    return named(name, [Arg(elem, data)], Result(elem, data))


@op("linalg.fill")
def fill(random, name):
    elem = random.one_of(FLOATS + INTS + [I1])
    value = Arg(elem, random.values(elem, ()))
    expected = np.full(random.shape(), value.data)
    return Case([value, Arg(elem, np.full(expected.shape, 7))],
                f"%x = tensor.extract $0[] : $t0\n"
                f"%r = linalg.fill ins(%x : {elem}) outs($1 : $t1) -> $r0", Result(elem, expected))


@op("linalg.fill_rng_2d")
def fill_rng(random, name):
    """Two steps of the linear congruential generator of the op's definition, seeded by the
    place; the number, in the middle of 2^32, is scaled to the range in f64."""
    elem, shape = random.one_of([F32, F64]), random.shape(2, 2)
    low, high, seed = random.between(-9, 0), random.between(1, 9), random.between(0, 1000)
    expected = np.empty(shape)
    for i in range(shape[0]):
        for j in range(shape[1]):
            number = seed
            for place in (i, j):
                number = int(wrap(I32, (number + place) * 1103515245 + 12345))
            expected[i, j] = (number + 2147483647.0) * ((high - low) * 2.3283064e-10) + low
    text = (f"%low = arith.constant {low}.0 : f64\n%high = arith.constant {high}.0 : f64\n"
            f"%seed = arith.constant {seed} : i32\n"
            f"%r = linalg.fill_rng_2d ins(%low, %high, %seed : f64, f64, i32) outs($0 : $t0) -> $r0")
    return Case([Arg(elem, np.zeros(shape))], text,
                Result(elem, round_to(elem, expected), ulp(elem, expected)))


@op("linalg.transpose")
def transpose(random, name):
    # MLIR's verifier crashes on one of rank 0.
    elem, shape = random.one_of(FLOATS + INTS), random.shape(low=1)
    order = random.shuffled(list(range(len(shape))))
    data = random.values(elem, shape)
    expected = np.transpose(data, order)
    return Case([Arg(elem, data), Arg(elem, np.zeros(expected.shape))],
                f"%r = linalg.transpose ins($0 : $t0) outs($1 : $t1) permutation = {order}",
                Result(elem, expected))


@op("linalg.broadcast")
def broadcast(random, name):
    elem, shape = random.one_of(FLOATS + INTS), random.shape()
    added = sorted(random.shuffled(list(range(len(shape))))[:random.between(0, len(shape))])
    data = random.values(elem, tuple(n for i, n in enumerate(shape) if i not in added))
    expected = np.broadcast_to(np.expand_dims(data, tuple(added)), shape)
    return Case([Arg(elem, data), Arg(elem, np.zeros(shape))],
                f"%r = linalg.broadcast ins($0 : $t0) outs($1 : $t1) dimensions = {added}",
                Result(elem, expected))


@op("linalg.map")
def linalg_map(random, name):
    elem = random.one_of(FLOATS)
    shape = random.shape()
    a, b = random.floats(elem, shape), random.floats(elem, shape)
    short = random.one_of(["addf", "mulf", "maximumf"])
    base = {"addf": "add", "mulf": "mul", "maximumf": "max"}[short]
    return Case([Arg(elem, a), Arg(elem, b), Arg(elem, np.zeros(shape))],
                f"%r = linalg.map {{ arith.{short} }} ins($0, $1 : $t0, $t1) outs($2 : $t2)",
                binary(random, base, elem, a, b))


def sum_tolerance(elem, terms, total, magnitudes, products=False):
    """n additions in any order, in f32 for the narrow types, and one rounding. `products`:
    of products, each rounded too; those of narrow types to them, unless a kernel sums."""
    unit = 2.0 ** -53 if elem is F64 else 2.0 ** -24
    tolerance = (terms + 1) * unit * magnitudes
    if elem in (F32, F64):
        return tolerance
    return tolerance + (elem.roundoff * magnitudes if products else 0) + 0.51 * ulp(elem, total)


REDUCERS = {
    "arith.addf": None, "arith.maximumf": lambda a, b: ordered(np.maximum, a, b),
    "arith.minimumf": lambda a, b: ordered(np.minimum, a, b),
    "arith.maxnumf": lambda a, b: ordered(np.fmax, a, b),
    "arith.minnumf": lambda a, b: ordered(np.fmin, a, b),
    "arith.addi": lambda a, b: a + b, "arith.muli": lambda a, b: a * b,
    "arith.maxsi": np.maximum, "arith.minsi": np.minimum, "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b, "arith.xori": lambda a, b: a ^ b, "arith.maxui": None,
}


def fold(function, data, init, dims):
    """`function` over the dimensions `dims`, beginning with `init`."""
    moved = np.moveaxis(data, dims, range(len(dims)))
    moved = moved.reshape((-1,) + init.shape)
    result = init.copy()
    for part in moved:
        result = function(result, part)
    return result


@op("linalg.reduce", "linalg.generic")
def reduce(random, name):
    combiner = random.one_of(list(REDUCERS))
    is_float = combiner.endswith("f")
    elem = random.one_of(FLOATS if is_float else INTS)
    shape = random.shape(low=1, most=20 if random.chance(30) else 6)
    dims = sorted(random.shuffled(list(range(len(shape))))[:random.between(1, len(shape))])
    kept = tuple(n for i, n in enumerate(shape) if i not in dims)
    if combiner == "arith.addf":
        data, init = random.floats(elem, shape, scale=4.0), random.floats(elem, kept, scale=4.0)
        if random.chance(30):
            data = np.where(random.floats(F16, shape) > 3, random.floats(elem, shape), data)
            data = np.where(np.abs(data) > 1e4, elem.dtype.type(random.one_of([np.inf, np.nan])), data)
        exact = data.astype(LONG).sum(axis=tuple(dims)) + init
        magnitudes = np.abs(data.astype(LONG)).sum(axis=tuple(dims)) + np.abs(init)
        tolerance = sum_tolerance(elem, data.size, exact, np.where(np.isfinite(magnitudes), magnitudes, 0))
        result = Result(elem, exact, tolerance)
    elif combiner == "arith.maxui":
        data, init = random.ints(elem, shape), random.ints(elem, kept)
        result = Result(elem, fold(np.maximum, data.view(elem.unsigned), init.view(elem.unsigned),
                                   dims).view(elem.dtype))
    else:
        data, init = random.values(elem, shape), random.values(elem, kept)
        result = Result(elem, fold(REDUCERS[combiner], data, init, dims))
    args = [Arg(elem, data), Arg(elem, init)]
    if name == "linalg.reduce":
        return Case(args, f"%r = linalg.reduce {{ {combiner} }} ins($0 : $t0) outs($1 : $t1) "
                    f"dimensions = {dims}", result)
    loops = ", ".join(f"d{i}" for i in range(len(shape)))
    rest = ", ".join(f"d{i}" for i in range(len(shape)) if i not in dims)
    iterators = ", ".join('"reduction"' if i in dims else '"parallel"' for i in range(len(shape)))
    text = (f"%r = linalg.generic {{indexing_maps = [affine_map<({loops}) -> ({loops})>, "
            f"affine_map<({loops}) -> ({rest})>], iterator_types = [{iterators}]}} "
            f"ins($0 : $t0) outs($1 : $t1) {{\n^bb0(%x: {elem}, %acc: {elem}):\n"
            f"  %s = {combiner} %acc, %x : {elem}\n  linalg.yield %s : {elem}\n}} -> $r0")
    return Case(args, text, result)


@op("linalg.softmax")
def softmax(random, name):
    elem = random.one_of([F32, F64])
    shape = random.shape(low=1, most=12)
    dim = random.between(0, len(shape) - 1)
    data = random.floats(elem, shape, scale=random.one_of([1.0, 20.0]))
    if random.chance(30):
        data = np.where(random.floats(F16, shape) > 3, elem.dtype.type(-np.inf), data)
    # A rounded difference moves the exponential by its rounding.
    shifted = data.astype(LONG) - data.astype(LONG).max(axis=dim, keepdims=True)
    powers = np.exp(shifted)
    exact = powers / powers.sum(axis=dim, keepdims=True)
    largest = np.where(np.isfinite(shifted), np.abs(shifted), 0).max(axis=dim, keepdims=True)
    tolerance = exact * elem.roundoff * (2 * largest + shape[dim] + 8) + ulp(elem, exact)
    return named(name, [Arg(elem, data)], Result(elem, exact, tolerance),
                 f"dimension({dim})")


def packing(random):
    """(shape of the tensor, dimensions that are tiled, tiles, order of the outer ones)"""
    shape = random.shape(low=1, high=3, most=9)
    dims = random.shuffled(list(range(len(shape))))[:random.between(1, len(shape))]
    tiles = [random.between(1, 4) for _ in dims]
    order = random.shuffled(list(range(len(shape)))) if random.chance(50) else None
    return shape, dims, tiles, order


def pack_array(data, dims, tiles, order, padding):
    """By the op's definition: pad, split each tiled dimension, move the tiles to the end."""
    widths = [(0, 0)] * data.ndim
    for dim, tile in zip(dims, tiles):
        widths[dim] = (0, -data.shape[dim] % tile)
    data = np.pad(data, widths, constant_values=padding)
    outer = [data.shape[i] // dict(zip(dims, tiles)).get(i, 1) for i in range(data.ndim)]
    places = np.indices(outer)
    result = np.empty(tuple(outer) + tuple(tiles), data.dtype)
    for inner in np.ndindex(*tiles):
        at = [places[i] for i in range(data.ndim)]
        for dim, tile, step in zip(dims, tiles, inner):
            at[dim] = at[dim] * tile + step
        result[(Ellipsis,) + inner] = data[tuple(at)]
    if order:
        result = np.transpose(result, order + list(range(len(order), result.ndim)))
    return result


def pack_text(kind, dims, tiles, order, padding=""):
    outer = f" outer_dims_perm = {order}" if order else ""
    return (f"%r = linalg.{kind} $0{padding}{outer} inner_dims_pos = {dims} "
            f"inner_tiles = {tiles} into $1 : $t0 -> $t1")


@op("linalg.pack")
def pack(random, name):
    elem = random.one_of(FLOATS + INTS)
    shape, dims, tiles, order = packing(random)
    data = random.values(elem, shape)
    padding = random.ints(I32, (), -5, 5)
    expected = pack_array(data, dims, tiles, order, padding)
    number = f"{int(padding)}.0" if elem.is_float else int(padding)
    text = (f"%x = arith.constant {number} : {elem}\n" +
            pack_text("pack", dims, tiles, order, f" padding_value(%x : {elem})"))
    return Case([Arg(elem, data), Arg(elem, np.zeros(expected.shape))], text, Result(elem, expected))


@op("linalg.unpack")
def unpack(random, name):
    elem = random.one_of(FLOATS + INTS)
    shape, dims, tiles, order = packing(random)
    data = random.values(elem, shape)
    packed = pack_array(data, dims, tiles, order, 3)
    return Case([Arg(elem, packed), Arg(elem, np.zeros(shape))],
                pack_text("unpack", dims, tiles, order), Result(elem, data))
