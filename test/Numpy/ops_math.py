"""The ops of math, and those of linalg and tosa that are the same functions."""

import math

import numpy as np

from cases import Arg, Case, Result, op
from ops_arith import compute_narrow, elementwise, ordered, over_ints
from values import F32, F64, FLOATS, I1, I32, INTS, LONG, round_to, ulp, wrap

# The largest errors of glibc's functions in ulps (its manual, "Known Maximum Errors
# in Math Functions", x86_64), f32 and f64 taken together; at least 1.
LIBM_ULPS = {"acosh": 3, "asinh": 2, "atanh": 3, "cbrt": 4, "cosh": 3, "erfc": 6, "log2": 2,
             "log10": 2, "log1p": 2, "sinh": 3, "tan": 2, "tanh": 3, "atan2": 2, "acos": 2,
             "asin": 2}


def over_doubles(function):
    def compute(x):
        flat = [function(float(v)) for v in np.asarray(x).ravel()]
        return np.array(flat, LONG).reshape(np.shape(x))

    return compute


FUNCTIONS = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh,
    "atan": np.arctan, "atanh": np.arctanh, "cbrt": np.cbrt, "cos": np.cos, "cosh": np.cosh,
    "erf": over_doubles(math.erf), "erfc": over_doubles(math.erfc), "exp": np.exp,
    "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log10": np.log10, "log1p": np.log1p,
    "log2": np.log2, "sin": np.sin, "sinh": np.sinh, "tan": np.tan, "tanh": np.tanh,
}


def libm_tolerance(elem, short, exact):
    """A function of libm is within some ulps of the type that it computes in, f32 for the
    narrow ones, whose results are then rounded."""
    known = LIBM_ULPS.get(short, 1) + (1 if short.startswith("erf") else 0)
    if elem in (F32, F64):
        return (known + 0.5) * ulp(elem, exact)
    return 0.5 * ulp(elem, exact) + known * ulp(F32, exact)


def wide(elem, function, *arrays):
    return function(*(a.astype(LONG) for a in arrays))


def libm_case(random, text, short, elem, data, **options):
    exact = wide(elem, FUNCTIONS[short], data)
    return elementwise(text, elem, [data], lambda x: exact,
                       tolerance=libm_tolerance(elem, short, exact), random=random, **options)


def domain(random, short, elem, shape):
    """Arguments for a function: any, and often where it is defined and does not overflow."""
    data = random.floats(elem, shape)
    if random.chance(60):
        data = random.floats(elem, shape, scale=random.one_of([0.3, 1.0, 5.0]))
        if short in ("log", "log2", "log10", "sqrt", "rsqrt", "acosh"):
            data = np.abs(data) + elem.dtype.type(1 if short == "acosh" else 0)
    if elem in (F32, F64):
        return data
    return round_to(elem, data)


@op(*("math." + name for name in FUNCTIONS))
def libm(random, name):
    short = name.split(".")[1]
    elem, shape = random.one_of(FLOATS), random.shape()
    return libm_case(random, f"%r = {name} $0 : $t0", short, elem, domain(random, short, elem, shape))


def round_away(x):
    """To the nearest integer, halves away from zero."""
    return np.copysign(np.floor(np.abs(x)) + (np.abs(x) - np.floor(np.abs(x)) >= 0.5), x)


EXACT = {"absf": np.abs, "ceil": np.ceil, "floor": np.floor, "round": round_away,
         "roundeven": np.rint, "trunc": np.trunc, "sqrt": np.sqrt}


@op(*("math." + name for name in EXACT))
def exact_float(random, name):
    elem, shape = random.one_of(FLOATS), random.shape()
    function = EXACT[name.split(".")[1]]
    return elementwise(f"%r = {name} $0 : $t0", elem, [random.floats(elem, shape)],
                       lambda x: compute_narrow(elem, function, x), random=random)


def rsqrt_tolerance(elem, exact):
    """A rounded square root and a rounded division."""
    return (2 if elem in (F32, F64) else 1.01) * ulp(elem, exact)


@op("math.rsqrt")
def rsqrt(random, name):
    elem = random.one_of(FLOATS)
    data = domain(random, "rsqrt", elem, random.shape())
    exact = wide(elem, lambda x: 1 / np.sqrt(x), data)
    return elementwise("%r = math.rsqrt $0 : $t0", elem, [data], lambda x: exact,
                       tolerance=rsqrt_tolerance(elem, exact), random=random)


@op("math.isfinite", "math.isinf", "math.isnan", "math.isnormal")
def classify(random, name):
    elem, shape = random.one_of(FLOATS), random.shape()
    data = random.floats(elem, shape)
    smallest = 2.0 ** (elem.least + elem.precision - 1)
    expected = {"isfinite": np.isfinite(data), "isinf": np.isinf(data), "isnan": np.isnan(data),
                "isnormal": np.isfinite(data) & (np.abs(data.astype(LONG)) >= smallest)}
    return Case([Arg(elem, data)], f"%r = {name} $0 : $t0", Result(I1, expected[name[5:]]))


@op("math.copysign")
def copysign(random, name):
    elem, shape = random.one_of(FLOATS), random.shape()
    return elementwise("%r = math.copysign $0, $1 : $t0", elem,
                       [random.floats(elem, shape), random.floats(elem, shape)], np.copysign,
                       random=random)


@op("math.atan2", "math.powf")
def binary_libm(random, name):
    elem, shape = random.one_of(FLOATS), random.shape()
    a, b = random.floats(elem, shape), random.floats(elem, shape)
    if random.chance(60):
        a, b = (random.floats(elem, shape, scale=3.0) for _ in range(2))
        if name == "math.powf":
            a = np.abs(a)
    exact = wide(elem, np.arctan2 if name == "math.atan2" else np.power, a, b)
    return elementwise(f"%r = {name} $0, $1 : $t0", elem, [a, b], lambda x, y: exact,
                       tolerance=libm_tolerance(elem, name[5:], exact), random=random)


@op("math.sincos")
def sincos(random, name):
    elem = random.one_of(FLOATS)
    data = domain(random, "sin", elem, random.shape())
    results = []
    for short in ("sin", "cos"):
        exact = wide(elem, FUNCTIONS[short], data)
        results.append(Result(elem, exact, libm_tolerance(elem, short, exact)))
    return Case([Arg(elem, data)], "%r0, %r1 = math.sincos $0 : $t0", *results)


@op("math.fma")
def fma(random, name):
    elem, shape = random.one_of(FLOATS), random.shape()
    a, b, c = (random.floats(elem, shape) for _ in range(3))
    with np.errstate(all="ignore"):
        exact = a.astype(LONG) * b.astype(LONG) + c.astype(LONG)
    # The sum of NumPy's 64-bit significands is rounded; an fma in f64 may cancel.
    slack = np.abs(a.astype(LONG) * b.astype(LONG)) * LONG(2) ** -63
    tolerance = ulp(elem, exact) + np.where(np.isfinite(slack), slack, 0)
    return elementwise("%r = math.fma $0, $1, $2 : $t0", elem, [a, b, c],
                       lambda x, y, z: exact, tolerance=tolerance, random=random)


@op("math.clampf")
def clampf(random, name):
    """maxf(minf(value, min), max), as MLIR's documentation has it and its lowering does,
    which is not what the names say."""
    elem, shape = random.one_of(FLOATS), random.shape()
    arrays = [random.floats(elem, shape) for _ in range(3)]
    return elementwise(
        "%r = math.clampf $0 to [$1, $2] : $t0", elem, arrays,
        lambda x, low, high: ordered(np.maximum, ordered(np.minimum, x, low), high), random=random)


@op("math.absi", "math.ctlz", "math.ctpop", "math.cttz")
def unary_int(random, name):
    elem, shape = random.one_of(INTS), random.shape()
    w = elem.width
    functions = {"absi": abs, "ctlz": lambda x: w - x.bit_length(), "ctpop": lambda x: bin(x).count("1"),
                 "cttz": lambda x: (x & -x).bit_length() - 1 if x else w}
    signed = name == "math.absi"
    return elementwise(f"%r = {name} $0 : $t0", elem, [random.ints(elem, shape)],
                       lambda x: wrap(elem, over_ints(functions[name[5:]], elem, signed, x)),
                       random=random)


def int_power(base, exponent, width):
    """As a whole number: what 1 / base^-exponent is when it is truncated. 0 to a negative
    power is not defined."""
    if exponent >= 0:
        return pow(base, exponent, 1 << width)
    return {1: 1, -1: -1 if exponent % 2 else 1}.get(base, 0)


@op("math.ipowi")
def ipowi(random, name):
    elem, shape = random.one_of(INTS), random.shape()
    a, b = random.ints(elem, shape), random.ints(elem, shape, -3, 20)
    b = np.where(a == 0, np.abs(b), b).astype(elem.dtype)
    return elementwise("%r = math.ipowi $0, $1 : $t0", elem, [a, b],
                       lambda x, y: wrap(elem, over_ints(lambda p, q: int_power(p, q, elem.width),
                                                         elem, True, x, y)), random=random)


@op("math.fpowi")
def fpowi(random, name):
    elem, shape = random.one_of([F32, F64]), random.shape()
    base = random.floats(elem, shape, special=False)
    exponent = random.ints(I32, shape, -6, 6)
    exact = np.power(base.astype(LONG), exponent.astype(LONG))
    # At most six rounded multiplications, and a division.
    return Case([Arg(elem, base), Arg(I32, exponent)], "%r = math.fpowi $0, $1 : $t0, $t1",
                Result(elem, exact, 7 * ulp(elem, exact)))
