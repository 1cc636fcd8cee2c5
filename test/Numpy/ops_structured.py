"""Products, convolutions and pooling of linalg: one evaluation of loops and maps."""

import numpy as np

from cases import Arg, Case, Result, op
from ops_linalg import sum_tolerance
from values import (BF16, F16, F32, F64, I8, I16, I32, I64, INTS, LONG, as_ints, round_to, wrap)


def windows(text, strides, dilations):
    """`text` names a tensor's dimensions by letters. In an input, x stands for the window
    x * stride + k * dilation, k the loop of the kernel of that dimension."""
    kernel = {"x": "k", "y": "h", "z": "d"}
    spatial = [letter for letter in "zyx" if letter in text]
    result = []
    for letter in text:
        if letter in spatial:
            number = spatial.index(letter)
            result.append({letter: strides[number], kernel[letter]: dilations[number]})
        else:
            result.append({letter: 1})
    return result


def plain(text):
    return [{letter: 1} for letter in text]


def extents_of(dims, sizes):
    """The shape of a tensor whose dimensions are sums of multiples of loops."""
    return tuple(sum(step * (sizes[loop] - 1) for loop, step in dim.items()) + 1 for dim in dims)


def gather(data, dims, loops, sizes):
    """The element of `data` at each point of all loops."""
    grids = dict(zip(loops, np.ogrid[tuple(slice(sizes[loop]) for loop in loops)]))
    index = tuple(sum(step * grids[loop] for loop, step in dim.items()) for dim in dims)
    whole = tuple(sizes[loop] for loop in loops)
    return np.broadcast_to(data[index] if index else data, whole)


def loops_of(*tensors):
    loops = []
    for dims in tensors:
        for dim in dims:
            loops += [loop for loop in dim if loop not in loops]
    return loops


# (type of the inputs, type of the result)
TYPES = [(F32, F32), (F64, F64), (F16, F16), (BF16, BF16), (F16, F32), (BF16, F32), (F32, F64),
         (I8, I32), (I8, I8), (I16, I32), (I32, I32), (I32, I64), (I64, I64)]


def product_case(random, text, out, left, right, zero_points=False):
    """Sums of products; `text` goes in front of ins(...)."""
    loops = loops_of(out, left, right)
    out_loops = loops_of(out)
    sizes = {loop: random.between(1, 6) for loop in loops}
    summed = tuple(i for i, loop in enumerate(loops) if loop not in out_loops)
    source, target = random.one_of(TYPES[7:] if zero_points else TYPES)
    if zero_points:
        source, target = I8, I32
    shapes = [extents_of(dims, sizes) for dims in (left, right, out)]
    terms = int(np.prod([sizes[loops[i]] for i in summed], dtype=int))
    points = [random.between(-20, 20), random.between(-20, 20)] if zero_points else [0, 0]
    if source.is_float:
        a, b = (random.floats(source, shape, scale=2.0) for shape in shapes[:2])
        if random.chance(25):
            # One element spoils what it is used for, and nothing else.
            a.reshape(-1)[random.between(0, a.size - 1)] = random.one_of([np.nan, np.inf, -np.inf])
        init = random.floats(target, shapes[2], scale=2.0)
        big = LONG
        left_values, right_values = a.astype(big), b.astype(big)
    else:
        a, b = random.ints(source, shapes[0]), random.ints(source, shapes[1])
        init = random.ints(target, shapes[2])
        # Modulo 2^64, which 2^width divides.
        left_values = a.astype(np.int64) - points[0]
        right_values = b.astype(np.int64) - points[1]
    factors = (gather(left_values, left, loops, sizes), gather(right_values, right, loops, sizes))
    with np.errstate(all="ignore"):
        product = factors[0] * factors[1]
        total = product.sum(axis=summed)
        kept = [loop for loop in loops if loop in out_loops]
        total = np.transpose(total, [kept.index(loop) for loop in out_loops])
        exact = total + init
        if source.is_float:
            magnitudes = np.abs(product).sum(axis=summed)
            magnitudes = np.transpose(magnitudes, [kept.index(loop) for loop in out_loops])
            magnitudes = np.where(np.isfinite(magnitudes), magnitudes, 0) + np.abs(init)
            result = Result(target, exact,
                            sum_tolerance(target, terms, exact, magnitudes, products=True))
        else:
            result = Result(target, exact.astype(target.dtype))
    args = [Arg(source, a), Arg(source, b), Arg(target, init)]
    scalars, names, types = "", "", ""
    if zero_points:
        scalars = "".join(f"%z{i} = arith.constant {point} : i32\n" for i, point in enumerate(points))
        names, types = ", %z0, %z1", ", i32, i32"
    return Case(args, f"{scalars}%r = {text} ins($0, $1{names} : $t0, $t1{types}) "
                "outs($2 : $t2) -> $r0", result)


PRODUCTS = {
    "dot": ("", "k", "k"), "matvec": ("m", "mk", "k"), "vecmat": ("n", "k", "kn"),
    "matmul": ("mn", "mk", "kn"), "batch_matmul": ("bmn", "bmk", "bkn"),
    "batch_matvec": ("bm", "bmk", "bk"), "batch_vecmat": ("bn", "bk", "bkn"),
    "batch_reduce_matmul": ("mn", "bmk", "bkn"), "mmt4d": ("mnop", "mkoq", "nkpq"),
    "batch_mmt4d": ("bmnop", "bmkoq", "bnkpq"), "quantized_matmul": ("mn", "mk", "kn"),
    "quantized_batch_matmul": ("bmn", "bmk", "bkn"),
}


@op(*("linalg." + name for name in PRODUCTS))
def product(random, name):
    out, left, right = (plain(text) for text in PRODUCTS[name[7:]])
    return product_case(random, name, out, left, right, "quantized" in name)


@op("linalg.contract")
def contract(random, name):
    """Loops of the result come from one operand or both; others are summed."""
    loops = list("abcdef")[:random.between(2, 5)]
    left, right, out = [], [], []
    for loop in loops:
        # At least one is summed: linalg.contract wants that.
        kind = 3 if loop == "a" else random.between(0, 3)
        if kind != 1:
            left.append(loop)
        if kind != 0:
            right.append(loop)
        if kind != 3:
            out.append(loop)
    left, right, out = (random.shuffled(text) for text in (left, right, out))
    maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(text)})>"
                     for text in (left, right, out))
    return product_case(random, f"linalg.contract indexing_maps = [{maps}]", plain(out), plain(left),
                        plain(right))


# The dimensions of the result, of the input and of the kernel. n: batch, c: channels,
# f: filters, m: multiples of a channel, g: groups.
CONVOLUTIONS = {
    "conv_1d": ("x", "x", "k"), "conv_2d": ("yx", "yx", "hk"), "conv_3d": ("zyx", "zyx", "dhk"),
    "conv_1d_nwc_wcf": ("nxf", "nxc", "kcf"), "conv_1d_ncw_fcw": ("nfx", "ncx", "fck"),
    "conv_2d_nhwc_hwcf": ("nyxf", "nyxc", "hkcf"), "conv_2d_nhwc_hwcf_q": ("nyxf", "nyxc", "hkcf"),
    "conv_2d_nhwc_fhwc": ("nyxf", "nyxc", "fhkc"), "conv_2d_nhwc_fhwc_q": ("nyxf", "nyxc", "fhkc"),
    "conv_2d_nchw_fchw": ("nfyx", "ncyx", "fchk"), "conv_2d_nchw_fchw_q": ("nfyx", "ncyx", "fchk"),
    "conv_2d_ngchw_fgchw": ("ngfyx", "ngcyx", "fgchk"),
    "conv_2d_ngchw_gfchw": ("ngfyx", "ngcyx", "gfchk"),
    "conv_2d_ngchw_gfchw_q": ("ngfyx", "ngcyx", "gfchk"),
    "conv_2d_nhwgc_gfhwc": ("nyxgf", "nyxgc", "gfhkc"),
    "conv_2d_nhwgc_gfhwc_q": ("nyxgf", "nyxgc", "gfhkc"),
    "conv_3d_ndhwc_dhwcf": ("nzyxf", "nzyxc", "dhkcf"),
    "conv_3d_ndhwc_dhwcf_q": ("nzyxf", "nzyxc", "dhkcf"),
    "conv_3d_ncdhw_fcdhw": ("nfzyx", "nczyx", "fcdhk"),
    "depthwise_conv_1d_nwc_wc": ("nxc", "nxc", "kc"),
    "depthwise_conv_1d_ncw_cw": ("ncx", "ncx", "ck"),
    "depthwise_conv_1d_nwc_wcm": ("nxcm", "nxc", "kcm"),
    "depthwise_conv_2d_nhwc_hwc": ("nyxc", "nyxc", "hkc"),
    "depthwise_conv_2d_nhwc_hwc_q": ("nyxc", "nyxc", "hkc"),
    "depthwise_conv_2d_nchw_chw": ("ncyx", "ncyx", "chk"),
    "depthwise_conv_2d_nhwc_hwcm": ("nyxcm", "nyxc", "hkcm"),
    "depthwise_conv_2d_nhwc_hwcm_q": ("nyxcm", "nyxc", "hkcm"),
    "depthwise_conv_3d_ndhwc_dhwc": ("nzyxc", "nzyxc", "dhkc"),
    "depthwise_conv_3d_ncdhw_cdhw": ("nczyx", "nczyx", "cdhk"),
    "depthwise_conv_3d_ndhwc_dhwcm": ("nzyxcm", "nzyxc", "dhkcm"),
}


def window_attributes(random, text, plain_windows=False):
    rank = sum(letter in text for letter in "xyz")
    strides = [1 if plain_windows else random.between(1, 3) for _ in range(rank)]
    dilations = [1 if plain_windows else random.between(1, 2) for _ in range(rank)]
    attributes = "" if plain_windows else (
        f" {{dilations = dense<{dilations}> : tensor<{rank}xi64>, "
        f"strides = dense<{strides}> : tensor<{rank}xi64>}}")
    return strides, dilations, attributes


@op(*("linalg." + name for name in CONVOLUTIONS))
def convolution(random, name):
    out, image, kernel = CONVOLUTIONS[name[7:]]
    strides, dilations, attributes = window_attributes(random, image, image == out and "n" not in out)
    return product_case(random, name + attributes, plain(out), windows(image, strides, dilations),
                        plain(kernel), name.endswith("_q"))


POOLING = ["nhwc_sum", "nhwc_max", "nhwc_max_unsigned", "nhwc_min", "nhwc_min_unsigned", "nchw_sum",
           "nchw_max", "nwc_sum", "nwc_max", "nwc_max_unsigned", "nwc_min", "nwc_min_unsigned",
           "ncw_sum", "ncw_max", "ndhwc_sum", "ndhwc_max", "ndhwc_min"]


@op(*("linalg.pooling_" + name for name in POOLING))
def pooling(random, name):
    layout, kind = name[15:].split("_", 1)
    image = layout.replace("w", "x").replace("h", "y").replace("d", "z")
    strides, dilations, attributes = window_attributes(random, image)
    left, kernel = windows(image, strides, dilations), [
        {"z": "d", "y": "h", "x": "k"}[letter] for letter in image if letter in "zyx"]
    loops = loops_of(left)
    sizes = {loop: random.between(1, 4) for loop in loops}
    out_loops = list(image)
    summed = tuple(i for i, loop in enumerate(loops) if loop not in out_loops)
    unsigned = kind.endswith("_unsigned")
    elem = random.one_of(INTS if unsigned else INTS + [F16, BF16, F32, F64])
    shape = extents_of(left, sizes)
    out_shape = tuple(sizes[loop] for loop in out_loops)
    is_sum = kind == "sum"
    make = (lambda s: random.floats(elem, s, scale=3.0)) if elem.is_float and is_sum else (
        lambda s: random.values(elem, s))
    data, init = make(shape), make(out_shape)
    window = np.zeros([sizes[loop] for loop in kernel])
    kept = [loop for loop in loops if loop in out_loops]

    def over_window(function, values):
        result = function(gather(values, left, loops, sizes), axis=summed)
        return np.transpose(result, [kept.index(loop) for loop in out_loops])

    if is_sum and elem.is_float:
        exact = over_window(np.sum, data.astype(LONG)) + init
        magnitudes = over_window(np.sum, np.abs(data.astype(LONG))) + np.abs(init)
        terms = window.size + 1
        result = Result(elem, exact, sum_tolerance(elem, terms, exact, magnitudes))
    elif is_sum:
        result = Result(elem, (over_window(np.sum, data.astype(np.int64)) + init).astype(elem.dtype))
    else:
        raw, start = (data.view(elem.unsigned), init.view(elem.unsigned)) if unsigned else (data, init)
        pick, pair = (np.max, np.maximum) if "max" in kind else (np.min, np.minimum)
        best = pair(over_window(pick, raw), start)
        # Zeros: which sign, NumPy does not say.
        result = Result(elem, best.view(elem.dtype) if unsigned else best, free_zero=True)
    return Case([Arg(elem, data), Arg(elem, window), Arg(elem, init)],
                f"%r = {name}{attributes} ins($0, $1 : $t0, $t1) outs($2 : $t2) -> $r0", result)
