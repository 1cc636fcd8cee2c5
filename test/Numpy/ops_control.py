"""Regions around ops that overwrite their operand: each result keeps its own elements.

What loops carry, branches yield and functions return may be one value several times, a
value from outside, or a view. Its buffer must not be shared with what another op writes.
"""

import numpy as np

from cases import Arg, Case, Result, program
from values import I64

EXTENT = 4
TENSOR, INDEX = f"tensor<{EXTENT}xi64>", "index"


class Writer:
    """Writes ops and computes them: each is a line of text and a function that changes
    `env`, from names to values. `scope` has the names that may be used."""

    total = 0

    def __init__(self, random, functions):
        self.random, self.functions = random, functions
        self.lines, self.steps, self.count, self.depth = [], [], 0, 0
        self.scope = []

    def fresh(self):
        Writer.total += 1
        return f"%v{Writer.total}"

    def pick(self):
        # Mostly what was made last: what is written in place has other uses then.
        if self.random.chance(60):
            return self.scope[-1 - self.random.between(0, min(3, len(self.scope)) - 1)]
        return self.random.one_of(self.scope)

    def emit(self, text, step):
        self.lines.append("  " * self.depth + text)
        self.steps.append(step)

    def define(self, text, compute, *operands):
        name = self.fresh()
        self.emit(f"{name} = {text}",
                  lambda env: env.__setitem__(name, compute(*(env[o] for o in operands))))
        return name

    def add(self, *args):
        self.scope.append(self.define(*args))

    def index(self, limit, loops):
        if loops and self.random.chance(70):
            loop = self.random.one_of(loops)
            many = self.define(f"arith.constant {limit} : index", lambda: limit)
            return self.define(f"arith.remui {loop}, {many} : index", lambda a, b: a % b, loop, many)
        value = self.random.between(0, limit - 1)
        return self.define(f"arith.constant {value} : index", lambda: value)

    def block(self, body):
        """The lines and the steps of what `body` writes, which nothing outside may use."""
        before = self.lines, self.steps, list(self.scope)
        self.lines, self.steps = [], []
        self.depth += 1
        result = body()
        self.depth -= 1
        inner = self.lines, self.steps
        self.lines, self.steps, self.scope = before
        return result, *inner

    def yields(self, count):
        """Names to hand on, which may be equal ones."""
        first = self.pick()
        return [first if self.random.chance(40) else self.pick() for _ in range(count)]

def run(steps, env):
    for step in steps:
        step(env)


def with_item(array, item, place):
    array = array.copy()
    array[place] = item
    return array


# ---- ops that write in place where they may ------------------------------------------

def elementwise(w, loops):
    a, b = w.pick(), w.pick()
    name, compute = w.random.one_of([("addi", np.add), ("muli", np.multiply), ("subi", np.subtract),
                                     ("maxsi", np.maximum), ("xori", np.bitwise_xor)])
    w.add(f"arith.{name} {a}, {b} : {TENSOR}", compute, a, b)


def accumulate(w, loops):
    a, b = w.pick(), w.pick()
    name = w.fresh()
    w.emit(f"{name} = linalg.map {{ arith.addi }} ins({a}, {b} : {TENSOR}, {TENSOR}) "
           f"outs({b} : {TENSOR})",
           lambda env: env.__setitem__(name, env[a] + env[b]))
    w.scope.append(name)


def insert(w, loops):
    a, b = w.pick(), w.pick()
    place, other = w.index(EXTENT, loops), w.index(EXTENT, loops)
    item = w.define(f"tensor.extract {b}[{other}] : {TENSOR}", lambda x, i: x[i], b, other)
    three = w.define("arith.constant 3 : i64", lambda: np.int64(3))
    item = w.define(f"arith.muli {item}, {three} : i64", np.multiply, item, three)
    w.add(f"tensor.insert {item} into {a}[{place}] : {TENSOR}", with_item, a, item, place)


def insert_slice(w, loops):
    a, b = w.pick(), w.pick()
    place, other = w.index(EXTENT - 1, loops), w.index(EXTENT - 1, loops)
    part = w.define(f"tensor.extract_slice {b}[{other}] [2] [1] : {TENSOR} to tensor<2xi64>",
                    lambda x, i: x[i:i + 2], b, other)
    w.add(f"tensor.insert_slice {part} into {a}[{place}] [2] [1] : tensor<2xi64> into {TENSOR}",
          lambda x, p, i: np.concatenate([x[:i], p, x[i + 2:]]), a, part, place)


def view(w, loops):
    a = w.pick()
    wide = w.define(f"tensor.expand_shape {a} [[0, 1]] output_shape [{EXTENT // 2}, 2] : {TENSOR} "
                    f"into tensor<{EXTENT // 2}x2xi64>", lambda x: x, a)
    w.add(f"tensor.collapse_shape {wide} [[0, 1]] : tensor<{EXTENT // 2}x2xi64> into {TENSOR}",
          lambda x: x, wide)


def constant(w, loops):
    values = [w.random.between(-9, 9) for _ in range(EXTENT)]
    w.add(f"arith.constant dense<{values}> : {TENSOR}", lambda: np.array(values))


# ---- ops with regions ----------------------------------------------------------------

def types(names):
    return ", ".join([TENSOR] * len(names))


def results(w, count):
    name = w.fresh()
    return (f"{name}:{count}" if count > 1 else name,
            [f"{name}#{i}" if count > 1 else name for i in range(count)])


def wrap(w, head, parts):
    """The text of an op with regions: lines, and separators such as `} else {`."""
    pad = "  " * w.depth
    w.lines.append(pad + head)
    for part in parts:
        w.lines += part if isinstance(part, list) else [pad + part]


def store(env, names, values):
    for name, value in zip(names, list(values)):
        env[name] = value


def body(w, loops, count, end):
    def write():
        ops(w, loops, w.random.between(1, 3))
        names = w.yields(count)
        w.lines.append("  " * w.depth + f"{end} {', '.join(names)} : {types(names)}")
        return names
    return write


def scf_for(w, loops):
    count = w.random.between(1, 3)
    inits = w.yields(count)
    low, one = w.define("arith.constant 0 : index", lambda: 0), w.define("arith.constant 1 : index", lambda: 1)
    trips = w.random.between(1, 4)
    high = w.define(f"arith.constant {trips} : index", lambda: trips)
    carried, induction = [w.fresh() for _ in inits], w.fresh()

    def inside():
        w.scope += carried
        return body(w, loops + [induction], count, "scf.yield")()
    names, lines, steps = w.block(inside)
    text, outputs = results(w, count)
    assigned = ", ".join(f"{c} = {i}" for c, i in zip(carried, inits))
    wrap(w, f"{text} = scf.for {induction} = {low} to {high} step {one} iter_args({assigned}) "
            f"-> ({types(inits)}) {{", [lines, "}"])

    def step(env):
        store(env, carried, [env[i] for i in inits])
        for i in range(trips):
            env[induction] = i
            run(steps, env)
            store(env, carried, [env[n] for n in names])
        store(env, outputs, [env[c] for c in carried])
    w.steps.append(step)
    w.scope += outputs


def scf_while(w, loops):
    count = w.random.between(1, 3)
    inits = w.yields(count)
    zero = w.define("arith.constant 0 : index", lambda: 0)
    one = w.define("arith.constant 1 : index", lambda: 1)
    trips = w.random.between(1, 3)
    high = w.define(f"arith.constant {trips} : index", lambda: trips)
    tested, number, next_number = w.fresh(), w.fresh(), w.fresh()
    heads, carried = [w.fresh() for _ in inits], [w.fresh() for _ in inits]
    more = w.fresh()

    def before():
        w.scope += heads
        if w.random.chance(40):
            ops(w, loops, 1)
        passed = w.yields(count)
        pad = "  " * w.depth
        w.lines.append(f"{pad}{more} = arith.cmpi ult, {tested}, {high} : index")
        w.lines.append(f"{pad}scf.condition({more}) {', '.join([tested, *passed])} : index, {types(passed)}")
        return passed
    passed, before_lines, before_steps = w.block(before)

    def after():
        w.scope += carried
        pad = "  " * (w.depth)
        w.lines.append(f"{pad}{next_number} = arith.addi {number}, {one} : index")
        ops(w, loops + [number], w.random.between(1, 3))
        names = w.yields(count)
        w.lines.append(f"{pad}scf.yield {', '.join([next_number, *names])} : index, {types(names)}")
        return names
    names, lines, steps = w.block(after)
    text, outputs = results(w, count + 1)
    assigned = ", ".join(f"{c} = {i}" for c, i in zip([tested, *heads], [zero, *inits]))
    arguments = ", ".join([f"{number}: index"] + [f"{c}: {TENSOR}" for c in carried])
    wrap(w, f"{text} = scf.while ({assigned}) : (index, {types(inits)}) -> (index, {types(inits)}) {{",
         [before_lines, "} do {", f"^bb0({arguments}):", lines, "}"])

    def step(env):
        store(env, heads, [env[i] for i in inits])
        for i in range(trips + 1):
            env[tested] = i
            run(before_steps, env)
            if i == trips:
                break
            store(env, carried, [env[p] for p in passed])
            env[number] = i
            run(steps, env)
            store(env, heads, [env[n] for n in names])
        store(env, outputs[1:], [env[p] for p in passed])
    w.steps.append(step)
    w.scope += outputs[1:]


def condition(w, loops):
    place, limit = w.index(EXTENT, loops), w.index(EXTENT, [])
    return w.define(f"arith.cmpi ule, {place}, {limit} : index", lambda a, b: a <= b, place, limit)


def scf_if(w, loops):
    count = w.random.between(1, 3)
    test = condition(w, loops)
    first, then_lines, then_steps = w.block(body(w, loops, count, "scf.yield"))
    second, else_lines, else_steps = w.block(body(w, loops, count, "scf.yield"))
    text, outputs = results(w, count)
    wrap(w, f"{text} = scf.if {test} -> ({types(first)}) {{", [then_lines, "} else {", else_lines, "}"])

    def step(env):
        run(then_steps if env[test] else else_steps, env)
        store(env, outputs, [env[n] for n in (first if env[test] else second)])
    w.steps.append(step)
    w.scope += outputs


def scf_switch(w, loops):
    count = w.random.between(1, 2)
    number = w.index(3, loops)
    blocks = [w.block(body(w, loops, count, "scf.yield")) for _ in range(3)]
    text, outputs = results(w, count)
    wrap(w, f"{text} = scf.index_switch {number} -> {types(blocks[0][0])}",
         ["case 0 {", blocks[0][1], "}", "case 1 {", blocks[1][1], "}", "default {", blocks[2][1], "}"])

    def step(env):
        names, _, steps = blocks[min(env[number], 2)]
        run(steps, env)
        store(env, outputs, [env[n] for n in names])
    w.steps.append(step)
    w.scope += outputs


def execute_region(w, loops):
    count = w.random.between(1, 2)
    names, lines, steps = w.block(body(w, loops, count, "scf.yield"))
    text, outputs = results(w, count)
    arrow = TENSOR if count == 1 else f"({types(names)})"
    wrap(w, f"{text} = scf.execute_region -> {arrow} {{", [lines, "}"])
    w.steps.append(lambda env: (run(steps, env), store(env, outputs, [env[n] for n in names])))
    w.scope += outputs


def forall(w, loops):
    """Iterations insert what they read from outside, and one element of each output."""
    count = w.random.between(1, 2)
    inits, sources = w.yields(count), w.yields(count)
    outputs, number = [w.fresh() for _ in inits], w.fresh()
    text, made = results(w, count)
    pad = "  " * w.depth
    lines, reads = [], []
    for output, source in zip(outputs, sources):
        source = output if w.random.chance(50) else source
        name = w.fresh()
        lines.append(f"{pad}  {name} = tensor.extract_slice {source}[{number}] [1] [1] : {TENSOR} to tensor<1xi64>")
        twice = w.fresh()
        lines.append(f"{pad}  {twice} = arith.addi {name}, {name} : tensor<1xi64>")
        reads.append((source, twice))
    assigned = ", ".join(f"{o} = {i}" for o, i in zip(outputs, inits))
    inserts = [f"{pad}    tensor.parallel_insert_slice {twice} into {o}[{number}] [1] [1] : "
               f"tensor<1xi64> into {TENSOR}" for o, (_, twice) in zip(outputs, reads)]
    wrap(w, f"{text} = scf.forall ({number}) in (2) shared_outs({assigned}) -> ({types(inits)}) {{",
         [lines, "  scf.forall.in_parallel {", inserts, "  }", "}"])

    def step(env):
        before = dict(zip(outputs, [env[i] for i in inits]))
        arrays = []
        for output, (source, _) in zip(outputs, reads):
            read = before[source] if source in before else env[source]
            arrays.append(np.concatenate([2 * read[:2], before[output][2:]]))
        store(env, made, arrays)
    w.steps.append(step)
    w.scope += made


def call(w, loops):
    if not w.functions:
        return
    label, arity, count, compute = w.random.one_of(w.functions)
    operands = w.yields(arity)
    text, outputs = results(w, count)
    w.emit(f"{text} = func.call @{label}({', '.join(operands)}) : ({types(operands)}) -> "
           f"({', '.join([TENSOR] * count)})",
           lambda env: store(env, outputs, compute([env[o] for o in operands])))
    w.scope += outputs


SIMPLE = [elementwise, accumulate, insert, insert, insert_slice, view, constant]
REGIONS = [scf_for, scf_for, scf_while, scf_if, scf_switch, execute_region, forall, call]


def ops(w, loops, count):
    for _ in range(count):
        deep = w.depth >= 4 or w.random.chance(70)
        w.random.one_of(SIMPLE if deep else REGIONS)(w, loops)


def function(random, label, functions):
    """A private function: its text, and (label, operands, results, what computes it)."""
    arity, count = random.between(1, 2), random.between(1, 2)
    w = Writer(random, functions)
    w.depth = 1
    arguments = [w.fresh() for _ in range(arity)]
    w.scope = list(arguments)
    ops(w, [], random.between(0, 2))
    names = w.yields(count)
    signature = ", ".join(f"{a}: {TENSOR}" for a in arguments)
    text = "\n".join([f"func.func private @{label}({signature}) -> ({types(names)}) {{", *w.lines,
                      f"  return {', '.join(names)} : {types(names)}", "}"])

    def compute(values):
        env = dict(zip(arguments, values))
        run(w.steps, env)
        return [env[n] for n in names]
    return text, (label, arity, count, compute)


@program("regions")
def regions(random, name):
    Writer.total = 0
    text, functions = [], []
    for number in range(random.between(0, 2)):
        lines, made = function(random, f"f{number}", functions)
        text.append(lines)
        functions.append(made)
    w = Writer(random, functions)
    args = [Arg(I64, [random.between(-9, 9) for _ in range(EXTENT)])
            for _ in range(random.between(1, 2))]
    w.scope = [f"${i}" for i in range(len(args))]
    env = {f"${i}": arg.data for i, arg in enumerate(args)}
    ops(w, [], random.between(1, 2))
    random.one_of(REGIONS[:7])(w, [])
    ops(w, [], random.between(1, 4))
    run(w.steps, env)
    names = list(dict.fromkeys(w.scope[-6:] + [w.pick()]))
    lines, outputs = w.lines, []
    for number, value in enumerate(names):
        lines.append(f"%r{number if len(names) > 1 else ''} = tensor.cast {value} : {TENSOR} to {TENSOR}")
        outputs.append(Result(I64, env[value]))
    return Case(args, "\n".join(lines), *outputs, module_text="\n".join(text))
