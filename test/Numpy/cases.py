"""One-op programs: how they are described, put into modules, run and judged."""

import os
import re
import subprocess

import numpy as np

from values import BF16, bits, from_bits, mismatch

# The maker of each op, of programs of several ops, and ops that have none, with the reason.
MAKERS = {}
PROGRAMS = {}
WITHOUT = {}


def op(*names):
    """Registers a function (random, name) -> Case."""

    def register(maker):
        for name in names:
            assert name not in MAKERS, name
            MAKERS[name] = maker
        return maker

    return register


def program(name):
    """The same for programs that are no single op."""

    def register(maker):
        PROGRAMS[name] = maker
        return maker

    return register


def type_text(elem, shape, dynamic=()):
    extents = "".join(f"{'?' if i in dynamic else n}x" for i, n in enumerate(shape))
    return f"tensor<{extents}{elem.name}>"


class Arg:
    """An argument; `dynamic` has the dimensions whose extent its type does not tell."""

    def __init__(self, elem, data, dynamic=()):
        self.elem, self.data = elem, np.asarray(data, elem.dtype)
        self.dynamic = dynamic
        self.type = type_text(elem, self.data.shape, dynamic)


class Result:
    def __init__(self, elem, expected, tolerance=0, dynamic=(), free_zero=False):
        self.elem, self.expected = elem, np.asarray(expected)
        self.tolerance, self.free_zero = tolerance, free_zero
        self.type = type_text(elem, self.expected.shape, dynamic)


class Case:
    """`text` defines %r, or %r0, %r1, ... if there are several results. In it, $0 is
    the first argument and $t0 its type, $r0 the type of the first result."""

    def __init__(self, args, text, *results, module_text=""):
        self.args, self.text, self.results = args, text, results
        self.module_text = module_text

    def write(self, number, first_arg):
        def replace(match):
            kind, index = match.group(1), int(match.group(2))
            if kind == "t":
                return self.args[index].type
            if kind == "r":
                return self.results[index].type
            return f"%a{first_arg + index}"

        text = re.sub(r"\$([tr]?)(\d+)", replace, self.text)
        text = re.sub(r"%(?!a\d)([a-z]\w*)", rf"%c{number}_\1", text)
        names = [f"%c{number}_r"]
        if len(self.results) > 1:
            names = [f"%c{number}_r{i}" for i in range(len(self.results))]
        return text, names

    def label(self, number, text):
        return re.sub(r"@(\w+)", rf"@g{number}_\1", text)


def write_module(cases):
    lines, names, types, arguments, outside = [], [], [], [], []
    for number, case in enumerate(cases):
        text, results = case.write(number, len(arguments))
        if case.module_text:
            text = case.label(number, text)
            outside.append(case.label(number, case.module_text))
        lines.append(text)
        names += results
        types += [result.type for result in case.results]
        arguments += case.args
    signature = ", ".join(f"%a{i}: {arg.type}" for i, arg in enumerate(arguments))
    body = "\n".join("  " + line for text in lines for line in text.strip().splitlines())
    return ("\n".join(outside) + f"\nfunc.func @main({signature})\n    -> ({', '.join(types)}) {{\n"
            f"{body}\n  return {', '.join(names)} : {', '.join(types)}\n}}\n")


def save(path, elem, data):
    np.save(path, bits(elem, data) if elem is BF16 else data)


def load(path, elem):
    data = np.load(path)
    return from_bits(elem, data) if elem is BF16 else data.astype(elem.dtype, copy=False)


def run(shard_run, folder, cases, options=()):
    """The results of all cases. Raises RuntimeError with what shard-run says."""
    program = os.path.join(folder, "program.mlir")
    with open(program, "w") as file:
        file.write(write_module(cases))
    command = [shard_run, program, *options]
    for i, arg in enumerate(arg for case in cases for arg in case.args):
        path = os.path.join(folder, f"in{i}.npy")
        save(path, arg.elem, arg.data)
        command += ["--input", path]
    results = [result for case in cases for result in case.results]
    paths = [os.path.join(folder, f"out{i}.npy") for i in range(len(results))]
    for path in paths:
        command += ["--output", path]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr + done.stdout).strip() or f"exit code {done.returncode}")
    return [load(path, result.elem) for path, result in zip(paths, results)]


def judge(case, outputs):
    for number, (result, got) in enumerate(zip(case.results, outputs)):
        wrong = mismatch(result.elem, got, result.expected, result.tolerance, result.free_zero)
        if wrong:
            return f"result {number}: {wrong}"
    return None
