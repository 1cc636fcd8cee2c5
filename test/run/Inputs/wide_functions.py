"""Writes a program whose functions have COUNT tensors as arguments and results.

wide_functions.py COUNT             the program
wide_functions.py COUNT COMMAND...  runs the command, which gets --input and --output for each
                                    tensor, and compares with NumPy

@main calls @outer in a loop, with what the call before returned, and once behind it. @outer
calls @step by way of @inner; @main calls @step itself, too. @step returns early-made and
later-made tensors, one of its arguments, and a constant. All have one signature.
"""

import os
import subprocess
import sys
import tempfile

T = "tensor<4x6xf32>"
SPLIT = "{shard.sharding = #shard.sharding<@g, [[0], []]>}"


def step(tensors):
    """What @step returns."""
    import numpy as np

    count = len(tensors)
    scale, half = np.float32(0.75), np.full((4, 6), 0.5, np.float32)
    made = [tensors[(7 * i + 1) % count] * scale - tensors[i] for i in range(count - 2)]
    return made + [tensors[0], half]


def check(count, command):
    import numpy as np

    random = np.random.default_rng(3)
    tensors = [random.uniform(-4, 4, (4, 6)).astype(np.float32) for _ in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, tensor in enumerate(tensors):
            np.save(f"{folder}/x{i}.npy", tensor)
            files += ["--input", f"{folder}/x{i}.npy", "--output", f"{folder}/y{i}.npy"]
        subprocess.run(command + files, check=True, stdout=subprocess.DEVNULL)
        results = [np.load(f"{folder}/y{i}.npy") for i in range(count)]
    for _ in range(3):
        made = step(step(tensors))
        tensors = made[1:] + made[:1]
    tensors = step(tensors)
    wrong = [
        i
        for i, (is_, should) in enumerate(zip(results, step(tensors)))
        if not np.array_equal(is_, should)
    ]
    print(f"{os.path.basename(command[0])}: {count - len(wrong)} of {count} results agree")


def write(count):
    numbers = range(count)

    def names(prefix):
        return ", ".join(f"%{prefix}{i}" for i in numbers)

    types = ", ".join([T] * count)
    print("shard.grid @g(shape = 2x2)")
    print(
        f"func.func private @step(%k: f32, {', '.join(f'%a{i}: {T}' for i in numbers)}) "
        f"-> ({types}) {{"
    )
    print(f"  %s = tensor.splat %k : {T}\n  %c = arith.constant dense<0.5> : {T}")
    for i in range(count - 2):
        print(f"  %m{i} = arith.mulf %a{(7 * i + 1) % count}, %s : {T}")
        print(f"  %r{i} = arith.subf %m{i}, %a{i} : {T}")
    print(f"  return {', '.join(f'%r{i}' for i in range(count - 2))}, %a0, %c : {types}\n}}")
    for name, calls in (("inner", ["step"]), ("outer", ["inner", "step"])):
        print(f"func.func private @{name}(%k: f32, "
              f"{', '.join(f'%a{i}: {T}' for i in numbers)}) -> ({types}) {{")
        given = names("a")
        for i, callee in enumerate(calls):
            print(f"  %c{i}:{count} = call @{callee}(%k, {given}) : (f32, {types}) -> ({types})")
            given = ", ".join(f"%c{i}#{j}" for j in numbers)
        print(f"  return {given} : {types}\n}}")
    arguments = ", ".join(f"%x{i}: {T} {SPLIT if i == 0 else ''}" for i in numbers)
    print(f"func.func @main({arguments}) -> ({types}) {{")
    print("  %zero = arith.constant 0 : index\n  %one = arith.constant 1 : index")
    print("  %three = arith.constant 3 : index\n  %half = arith.constant 0.75 : f32")
    print(
        f"  %l:{count} = scf.for %i = %zero to %three step %one iter_args("
        + ", ".join(f"%y{i} = %x{i}" for i in numbers)
        + f") -> ({types}) {{"
    )
    print(f"    %n:{count} = func.call @outer(%half, {names('y')}) : (f32, {types}) -> ({types})")
    print(
        "    scf.yield " + ", ".join(f"%n#{(i + 1) % count}" for i in numbers) + f" : {types}\n  }}"
    )
    last = ", ".join(f"%l#{i}" for i in numbers)
    print(f"  %z:{count} = call @step(%half, {last}) : (f32, {types}) -> ({types})")
    last = ", ".join(f"%z#{i}" for i in numbers)
    print(f"  %q:{count} = call @inner(%half, {last}) : (f32, {types}) -> ({types})")
    print("  return " + ", ".join(f"%q#{i}" for i in numbers) + f" : {types}\n}}")


def main():
    if len(sys.argv) > 2:
        check(int(sys.argv[1]), sys.argv[2:])
    else:
        write(int(sys.argv[1]))


main()
