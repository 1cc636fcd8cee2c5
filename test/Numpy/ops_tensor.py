"""The ops of tensor, bufferization and ml_program."""

import numpy as np

from cases import Arg, Case, Result, op, type_text
from ops_arith import literal, some_dims
from values import F32, FLOATS, I1, I32, I64, INDEX, INTS, as_ints

ANY = FLOATS + INTS + [I1]


@op("tensor.cast")
def cast(random, name):
    elem, shape = random.one_of(ANY), random.shape()
    data = random.values(elem, shape)
    return Case([Arg(elem, data, some_dims(random, shape))], "%r = tensor.cast $0 : $t0 to $r0",
                Result(elem, data, dynamic=some_dims(random, shape)))


def merged(random, shape):
    """(groups of dimensions that follow one another, their products)"""
    groups, shape = [], list(shape)
    for dim in range(len(shape)):
        if groups and random.chance(50):
            groups[-1].append(dim)
        else:
            groups.append([dim])
    return groups, [int(np.prod([shape[d] for d in group])) for group in groups]


@op("tensor.collapse_shape", "tensor.expand_shape")
def change_rank(random, name):
    elem, shape = random.one_of(ANY), random.shape(low=1)
    groups, small = merged(random, shape)
    data = random.values(elem, shape)
    if name == "tensor.collapse_shape":
        return Case([Arg(elem, data)], f"%r = {name} $0 {groups} : $t0 into $r0",
                    Result(elem, data.reshape(small)))
    return Case([Arg(elem, data.reshape(small))],
                f"%r = {name} $0 {groups} output_shape {list(shape)} : $t0 into $r0", Result(elem, data))


@op("tensor.reshape")
def reshape(random, name):
    elem, shape = random.one_of(ANY), random.shape(low=1)
    data = random.values(elem, shape)
    expected = data.reshape(merged(random, random.shuffled(list(shape)))[1])
    dynamic = some_dims(random, expected.shape)
    return Case([Arg(elem, data), Arg(INDEX, expected.shape)],
                f"%r = tensor.reshape $0($1) : ($t0, $t1) -> $r0",
                Result(elem, expected, dynamic=dynamic))


@op("tensor.concat")
def concat(random, name):
    elem, shape = random.one_of(ANY), random.shape(low=1)
    dim = random.between(0, len(shape) - 1)
    parts = [random.values(elem, shape[:dim] + (random.between(0, 4),) + shape[dim + 1:])
             for _ in range(random.between(1, 4))]
    names = ", ".join(f"${i}" for i in range(len(parts)))
    types = ", ".join(f"$t{i}" for i in range(len(parts)))
    return Case([Arg(elem, part) for part in parts],
                f"%r = tensor.concat dim({dim}) {names} : ({types}) -> $r0",
                Result(elem, np.concatenate(parts, dim)))


@op("tensor.dim", "tensor.rank")
def sizes(random, name):
    elem, shape = random.one_of(ANY), random.shape(low=1)
    arg = Arg(elem, random.values(elem, shape), some_dims(random, shape))
    if name == "tensor.rank":
        return Case([arg], "%x = tensor.rank $0 : $t0\n%r = tensor.from_elements %x : tensor<index>",
                    Result(INDEX, len(shape)))
    dim = random.between(0, len(shape) - 1)
    return Case([arg, Arg(INDEX, dim)],
                "%i = tensor.extract $1[] : $t1\n%x = tensor.dim $0, %i : $t0\n"
                "%r = tensor.from_elements %x : tensor<index>", Result(INDEX, shape[dim]))


@op("tensor.empty", "bufferization.alloc_tensor")
def empty(random, name):
    """The elements are not defined: the extents are asked for, or all are written."""
    elem, shape = random.one_of(ANY), random.shape(low=1)
    data = random.values(elem, shape)
    if name.startswith("bufferization") and random.chance(50):
        return Case([Arg(elem, data)], f"%r = {name}() copy($0) : $t0", Result(elem, data))
    dim = random.between(0, len(shape) - 1)
    dynamic = type_text(elem, shape, [dim])
    return Case([Arg(elem, data), Arg(INDEX, shape[dim])],
                f"%n = tensor.extract $1[] : $t1\n%e = {name}(%n) : {dynamic}\n"
                f"%f = tensor.cast %e : {dynamic} to $t0\n"
                "%r = linalg.copy ins($0 : $t0) outs(%f : $t0) -> $t0", Result(elem, data))


def places(random, shape, text_of):
    """(text, arguments, position): an index of each dimension, some far out of range."""
    text, names, args, at = "", [], [], []
    for dim, extent in enumerate(shape):
        place = random.between(-3, extent + 2) if random.chance(30) else random.between(0, extent - 1)
        text += f"%i{dim} = tensor.extract ${text_of + dim}[] : $t{text_of + dim}\n"
        names.append(f"%i{dim}")
        args.append(Arg(INDEX, place))
        at.append(place)
    return text, ", ".join(names), args, at


@op("tensor.extract")
def extract(random, name):
    """An index out of range is moved into range (docs/shard-run.md)."""
    elem, shape = random.one_of(ANY), random.shape(low=1)
    data = random.values(elem, shape)
    text, names, args, at = places(random, shape, 1)
    at = tuple(min(max(place, 0), extent - 1) for place, extent in zip(at, shape))
    return Case([Arg(elem, data)] + args,
                f"{text}%x = tensor.extract $0[{names}] : $t0\n%r = tensor.from_elements %x : $r0",
                Result(elem, data[at]))


@op("tensor.insert")
def insert(random, name):
    """An element out of range is not written (docs/shard-run.md)."""
    elem, shape = random.one_of(ANY), random.shape(low=1)
    data, value = random.values(elem, shape), random.values(elem, ())
    text, names, args, at = places(random, shape, 2)
    expected = data.copy()
    if all(0 <= place < extent for place, extent in zip(at, shape)):
        expected[tuple(at)] = value
    return Case([Arg(elem, data), Arg(elem, value)] + args,
                f"{text}%x = tensor.extract $1[] : $t1\n%r = tensor.insert %x into $0[{names}] : $t0",
                Result(elem, expected))


def slices(random, shape, first_arg):
    """(text, arguments, '[offsets] [sizes] [strides]', Python's slices, sizes). Offsets from
    data are moved so that the slice lies inside (docs/shard-run.md)."""
    text, args, offsets, sizes, strides, picked = "", [], [], [], [], []
    for dim, extent in enumerate(shape):
        stride = random.between(1, 3)
        size = random.between(1, (extent - 1) // stride + 1)
        last = extent - (size - 1) * stride - 1
        offset = random.between(0, last)
        if random.chance(30):
            asked = random.between(-2, extent + 2)
            number = first_arg + len(args)
            args.append(Arg(INDEX, asked))
            text += f"%o{dim} = tensor.extract ${number}[] : $t{number}\n"
            offsets.append(f"%o{dim}")
            offset = min(max(asked, 0), last)
        else:
            offsets.append(str(offset))
        sizes.append(size)
        strides.append(stride)
        picked.append(slice(offset, offset + (size - 1) * stride + 1, stride))
    return text, args, f"[{', '.join(offsets)}] {sizes} {strides}", tuple(picked), sizes


@op("tensor.extract_slice", "tensor.insert_slice")
def slicing(random, name):
    elem, shape = random.one_of(ANY), random.shape(low=1, most=9)
    data = random.values(elem, shape)
    is_insert = name == "tensor.insert_slice"
    text, args, where, picked, sizes = slices(random, shape, 2 if is_insert else 1)
    dropped = [d for d, size in enumerate(sizes) if size == 1 and random.chance(50)]
    small = [size for d, size in enumerate(sizes) if d not in dropped]
    if not is_insert:
        return Case([Arg(elem, data)] + args,
                    f"{text}%r = tensor.extract_slice $0{where} : $t0 to $r0",
                    Result(elem, data[picked].reshape(small)))
    part = random.values(elem, small)
    expected = data.copy()
    expected[picked] = part.reshape(sizes)
    return Case([Arg(elem, data), Arg(elem, part)] + args,
                f"{text}%r = tensor.insert_slice $1 into $0{where} : $t1 into $t0",
                Result(elem, expected))


@op("tensor.from_elements")
def from_elements(random, name):
    elem, shape = random.one_of(ANY), random.shape(high=2, most=3)
    data = random.values(elem, shape)
    count = data.size
    args = [Arg(elem, value) for value in data.ravel()]
    text = "".join(f"%x{i} = tensor.extract ${i}[] : $t{i}\n" for i in range(count))
    names = ", ".join(f"%x{i}" for i in range(count))
    return Case(args, f"{text}%r = tensor.from_elements {names} : $r0", Result(elem, data))


@op("tensor.splat")
def splat(random, name):
    elem, shape = random.one_of([e for e in ANY]), random.shape()
    value = random.values(elem, ())
    return Case([Arg(elem, value)], "%x = tensor.extract $0[] : $t0\n%r = tensor.splat %x : $r0",
                Result(elem, np.full(shape, value)))


@op("tensor.generate")
def generate(random, name):
    shape = random.shape(low=1)
    data = random.ints(I64, shape)
    names = [f"%i{dim}" for dim in range(len(shape))]
    text = ("%r = tensor.generate {\n^bb0(" + ", ".join(n + ": index" for n in names) + "):\n"
            f"  %e = tensor.extract $0[{', '.join(names)}] : $t0\n"
            f"  %j = arith.index_cast {names[-1]} : index to i64\n"
            "  %s = arith.addi %e, %j : i64\n  tensor.yield %s : i64\n} : $r0")
    with np.errstate(all="ignore"):
        return Case([Arg(I64, data)], text, Result(I64, data + np.arange(shape[-1])))


@op("tensor.pad")
def pad(random, name):
    """Element i of the result is element i - low of the source, as far as there is one.
    Some widths come from data."""
    elem, shape = random.one_of(ANY), random.shape(low=1)
    data, value = random.values(elem, shape), random.values(elem, ())
    low, high = ([], [])
    for extent in shape:
        before = random.between(-extent - 1, 3)
        low.append(before)
        high.append(random.between(max(-extent - 1, -extent - before), 4))
    expected = np.full([l + n + h for l, n, h in zip(low, shape, high)], value)
    places = np.indices(expected.shape)
    inside = np.ones(expected.shape, bool)
    source = []
    for dim, extent in enumerate(shape):
        at = places[dim] - low[dim]
        inside &= (at >= 0) & (at < extent)
        source.append(np.clip(at, 0, extent - 1))
    expected = np.where(inside, data[tuple(source)], expected).astype(elem.dtype)
    args, text, dynamic = [Arg(elem, data), Arg(elem, value)], "", []
    for widths in (low, high):
        for dim in range(len(shape)):
            if not random.chance(15):
                continue
            text += f"%w{len(args)} = tensor.extract ${len(args)}[] : $t{len(args)}\n"
            args_name = f"%w{len(args)}"
            args.append(Arg(INDEX, widths[dim]))
            widths[dim] = args_name
            dynamic.append(dim)
    block = ", ".join(f"%i{d}: index" for d in range(len(shape)))
    sides = [f"[{', '.join(map(str, widths))}]" for widths in (low, high)]
    text += (f"%x = tensor.extract $1[] : $t1\n%r = tensor.pad $0 low{sides[0]} high{sides[1]} {{\n"
             f"^bb0({block}):\n  tensor.yield %x : {elem}\n}} : $t0 to $r0")
    return Case(args, text, Result(elem, expected, dynamic=dynamic))


@op("tensor.gather", "tensor.scatter")
def gather(random, name):
    elem, shape = random.one_of(ANY), random.shape(low=1, high=3)
    data = random.values(elem, shape)
    dims = sorted(random.shuffled(list(range(len(shape))))[:random.between(1, len(shape))])
    space = [shape[d] for d in dims]
    batch = random.shape(high=2, most=4)
    count = int(np.prod(batch, dtype=int))
    if name == "tensor.scatter":
        # Coordinates that are unique, as the op demands.
        batch = (min(count, int(np.prod(space))),)
        flat = random.state.permutation(int(np.prod(space)))[:batch[0]]
        coordinates = np.stack(np.unravel_index(flat, space), -1)
    else:
        flat = np.array([[random.between(0, n - 1) for n in space] for _ in range(count)])
        coordinates = flat.reshape(batch + (len(dims),))
    reduced = random.chance(50)
    where = [slice(None)] * len(shape)
    for number, dim in enumerate(dims):
        where[dim] = coordinates[..., number]
    slice_shape = [1 if d in dims else n for d, n in enumerate(shape)]
    if reduced:
        slice_shape = [n for d, n in enumerate(shape) if d not in dims]
    whole = tuple(batch) + tuple(slice_shape)
    indices = Arg(random.one_of([I32, I64, INDEX]), coordinates)

    def at(place):
        index = [slice(None)] * len(shape)
        for number, dim in enumerate(dims):
            index[dim] = int(coordinates[place + (number,)])
        return tuple(index)

    if name == "tensor.gather":
        expected = np.empty(whole, elem.dtype)
        for place in np.ndindex(*batch):
            expected[place] = data[at(place)].reshape(slice_shape)
        return Case([Arg(elem, data), indices],
                    f"%r = tensor.gather $0[$1] gather_dims({dims}) : ($t0, $t1) -> $r0",
                    Result(elem, expected))
    source, expected = random.values(elem, whole), data.copy()
    for place in np.ndindex(*batch):
        expected[at(place)] = source[place].reshape([n for d, n in enumerate(shape) if d not in dims])
    return Case([Arg(elem, data), indices, Arg(elem, source)],
                f"%r = tensor.scatter $2 into $0[$1] scatter_dims({dims}) unique : "
                "($t2, $t0, $t1) -> $r0", Result(elem, expected))


@op("bufferization.materialize_in_destination")
def materialize(random, name):
    elem, shape = random.one_of(ANY), random.shape()
    data, old = random.values(elem, shape), random.values(elem, shape)
    return Case([Arg(elem, data), Arg(elem, old)], f"%r = {name} $0 in $1 : ($t0, $t1) -> $r0",
                Result(elem, data))


@op("ml_program.global_load", "ml_program.global_load_const", "ml_program.global_store")
def ml_global(random, name):
    elem, shape = random.one_of([e for e in ANY]), random.shape(low=1)
    data, stored = random.values(elem, shape), random.values(elem, shape)
    mutable = "" if name.endswith("const") else "mutable "
    kind = type_text(elem, shape)
    module = f"ml_program.global private {mutable}@g(dense<{literal(elem, data)}> : {kind}) : {kind}"
    load = name if "load" in name else "ml_program.global_load"
    text = f"%r = {load} @g : $r0"
    if name.endswith("store"):
        text = f"ml_program.global_store @g = $0 : $t0\n{text}"
        return Case([Arg(elem, stored)], text, Result(elem, stored), module_text=module)
    return Case([], text, Result(elem, data), module_text=module)
