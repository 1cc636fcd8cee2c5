"""Element types, random values with special ones, correct rounding, comparison."""

import numpy as np

LONG = np.longdouble


class Elem:
    """An element type of MLIR. Floats have `precision` significant bits and no quantum
    below 2^`least`; bf16, which NumPy lacks, is held as float32."""

    def __init__(self, name, dtype, width, precision=0, least=0):
        self.name, self.dtype, self.width = name, np.dtype(dtype), width
        self.precision, self.least = precision, least
        self.is_float = precision > 0

    @property
    def roundoff(self):
        return 2.0 ** -self.precision

    @property
    def unsigned(self):
        """The dtype for the bits."""
        return np.dtype(f"u{max(8, self.width) // 8}")

    def __repr__(self):
        return self.name


I1 = Elem("i1", "bool", 1)
I8, I16, I32, I64 = (Elem(f"i{w}", f"i{w // 8}", w) for w in (8, 16, 32, 64))
INDEX = Elem("index", "i8", 64)
F16 = Elem("f16", "f2", 16, 11, -24)
BF16 = Elem("bf16", "f4", 16, 8, -133)
F32 = Elem("f32", "f4", 32, 24, -149)
F64 = Elem("f64", "f8", 64, 53, -1074)
INTS = [I8, I16, I32, I64]
FLOATS = [F16, BF16, F32, F64]


def round_to(elem, exact):
    """`exact`, rounded to nearest even, once, to the float type `elem`."""
    exact = np.asarray(exact, LONG)
    with np.errstate(all="ignore"):
        finite = np.where(np.isfinite(exact), exact, LONG(0))
        exponent = np.frexp(finite)[1] - elem.precision
        quantum = np.ldexp(LONG(1), np.maximum(exponent, elem.least))
        rounded = np.rint(finite / quantum) * quantum
        largest = {"f16": 65504.0, "bf16": float.fromhex("0x1.fep127")}.get(
            elem.name, float(np.finfo(elem.dtype).max))
        rounded = np.where(np.abs(rounded) > largest, np.copysign(LONG(np.inf), rounded), rounded)
        return np.where(np.isfinite(exact), rounded, exact).astype(elem.dtype)


def ulp(elem, value):
    """The distance of neighbours at `value`."""
    value = np.asarray(value, LONG)
    finite = np.where(np.isfinite(value), value, LONG(0))
    exponent = np.frexp(finite)[1] - elem.precision
    return np.ldexp(LONG(1), np.maximum(exponent, elem.least))


def bits(elem, data):
    """The elements as unsigned integers of the same bits."""
    if elem is BF16:
        raw = np.ascontiguousarray(data, np.float32).reshape(-1).view(np.uint32)
        return np.right_shift(raw, np.uint32(16)).astype(np.uint16).reshape(np.shape(data))
    return np.asarray(data, elem.dtype).view(elem.unsigned)


def from_bits(elem, data):
    if elem is BF16:
        raw = np.asarray(data, np.uint16).astype(np.uint32).reshape(-1)
        return np.left_shift(raw, np.uint32(16)).view(np.float32).reshape(np.shape(data))
    return np.asarray(data, elem.unsigned).view(elem.dtype)


def wrap(elem, data):
    """Integers of any size, modulo 2^width, signed."""
    flat = [int(x) % (1 << elem.width) for x in np.asarray(data, object).ravel()]
    if elem is I1:
        return np.array(flat, bool).reshape(np.shape(data))
    return np.array(flat, elem.unsigned).view(elem.dtype).reshape(np.shape(data))


def as_ints(elem, data, signed=True):
    """The elements as Python's unbounded integers."""
    data = np.asarray(data)
    if elem is I1:
        data = np.where(data, -1 if signed else 1, 0)
    elif not signed:
        data = data.view(elem.unsigned)
    flat = np.empty(data.size, object)
    flat[:] = [int(x) for x in data.ravel()]
    return flat.reshape(data.shape)


class Random:
    """RandomState gives one sequence with every version of NumPy."""

    def __init__(self, seed):
        self.state = np.random.RandomState(seed)

    def between(self, low, high):
        return int(self.state.randint(low, high + 1))

    def chance(self, percent):
        return self.state.randint(100) < percent

    def one_of(self, items):
        return items[self.state.randint(len(items))]

    def shuffled(self, items):
        return [items[i] for i in self.state.permutation(len(items))]

    def shape(self, low=0, high=4, most=7):
        return tuple(self.between(1, most) for _ in range(self.between(low, high)))

    def ints(self, elem, shape, low=None, high=None):
        """All of the range, with the extremes often, or `low` to `high`."""
        if elem is I1:
            return self.state.randint(0, 2, shape).astype(bool)
        info = np.iinfo(elem.dtype)
        if low is not None:
            return self.state.randint(low, high + 1, shape).astype(elem.dtype)
        special = [0, 1, -1, info.min, info.max, info.min + 1, 2]
        raw = np.frombuffer(self.state.bytes(int(np.prod(shape)) * elem.dtype.itemsize),
                            elem.dtype).reshape(shape)
        small = self.state.randint(-9, 10, shape).astype(elem.dtype)
        chosen = np.array(special)[self.state.randint(len(special), size=shape)].astype(elem.dtype)
        kind = self.state.randint(3, size=shape)
        return np.where(kind == 0, raw, np.where(kind == 1, small, chosen)).astype(elem.dtype)

    def floats(self, elem, shape, special=True, scale=None):
        """Numbers of many magnitudes, small integers, NaN, infinities, zeros of both
        signs, the largest and the least; `scale`: of about this size, nothing else."""
        normal = self.state.standard_normal(shape)
        if scale is not None:
            return round_to(elem, normal * scale)
        spread = normal * 10.0 ** self.state.randint(-4, 5, shape)
        whole = np.rint(normal * 3)
        half = whole + 0.5
        kind = self.state.randint(4 if special else 3, size=shape)
        least, largest = 2.0 ** elem.least, float(round_to(elem, 60000.0))
        if elem is not F16:
            largest = 3e38 if elem is not F64 else 1.7e308
        chosen = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, largest, -largest, least, -least]
        extreme = np.array(chosen)[self.state.randint(len(chosen), size=shape)]
        return round_to(elem, np.choose(kind, [spread, whole, half, extreme][:4 if special else 3]))

    def values(self, elem, shape):
        return (self.floats if elem.is_float else self.ints)(elem, shape)


def shown(values, place):
    return repr(values.ravel()[place]) if values.size else "nothing"


def mismatch(elem, got, expected, tolerance, free_zero=False):
    """Says how `got` differs from `expected`, which need not be rounded where there is a
    tolerance; None if it does not. Floats without one agree to the last bit, signs of
    zeros too unless `free_zero`; NaN agrees with every NaN."""
    expected = np.asarray(expected)
    if got.shape != expected.shape:
        return f"shape {got.shape} instead of {expected.shape}"
    if not elem.is_float:
        wrong = got != expected.astype(elem.dtype)
    else:
        x, y = got.astype(LONG), expected.astype(LONG)
        rounded = round_to(elem, y)
        y = np.where(np.isfinite(rounded), y, rounded)
        with np.errstate(all="ignore"):
            close = np.abs(x - y) <= np.asarray(tolerance, LONG)
            close |= (np.isnan(x) & np.isnan(y)) | ((x == y) & np.isinf(x))
            exact = np.asarray(tolerance) == 0
            if not free_zero:
                close &= ~(exact & (x == 0) & (np.signbit(x) != np.signbit(y)))
        wrong = ~close
    count = int(np.count_nonzero(wrong))
    if not count:
        return None
    place = int(np.flatnonzero(wrong.ravel())[0])
    return (f"{count} of {wrong.size} elements differ; at {place}: "
            f"{shown(got, place)} instead of {shown(expected, place)}")
