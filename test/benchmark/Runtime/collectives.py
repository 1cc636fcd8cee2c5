#!/usr/bin/env python3
"""Times collectives on threads, beside a copy of as many bytes.

    python3 test/benchmark/Runtime/collectives.py BUILD [--devices 2]

For each collective and size it runs a loop of 2,000 and one of 12,000 calls with shard-run and
takes the difference, so that compilation and start do not count. It prints microseconds per
call, and beside them those of numpy.copyto for a block of the same size on one thread. The best
of five runs counts: other programs on the machine make single runs slower.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

FEW, MANY, RUNS = 2000, 12000, 5

COLLECTIVES = {
    "all_reduce": "shard.all_reduce %x on @g grid_axes = [0] : {t} -> {t}",
    "all_to_all": "shard.all_to_all %x on @g grid_axes = [0] split_axis = 0 concat_axis = 0 "
    ": {t} -> {t}",
    "shift": "shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate : {t} -> {t}",
}

PROGRAM = """shard.grid @g(shape = {devices})
func.func @main(%a: {t} {{shard.local = #shard.local<{t}, <@g, [[]]>>}})
    -> ({t} {{shard.local = #shard.local<{t}, <@g, [[]]>>}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {calls} : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> {t} {{
    %y = {collective}
    scf.yield %y : {t}
  }}
  return %r : {t}
}}
"""


def wall_time(program: pathlib.Path, run: pathlib.Path) -> float:
    """Milliseconds that the devices take for `program`."""
    best = float("inf")
    for _ in range(RUNS):
        result = subprocess.run([run, program], capture_output=True, text=True)
        found = re.search(r"grid ([\d.]+) ms", result.stdout)
        if not found:
            sys.exit(f"shard-run failed:\n{result.stderr}")
        best = min(best, float(found.group(1)))
    return best


def copy_time(elements: int) -> float:
    """Microseconds that a copy of so many f32 takes."""
    source, target = np.ones(elements, np.float32), np.empty(elements, np.float32)
    best = float("inf")
    for _ in range(RUNS):
        start = time.perf_counter()
        for _ in range(FEW):
            np.copyto(target, source)
        best = min(best, time.perf_counter() - start)
    return 1e6 * best / FEW


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--devices", type=int, default=2)
    arguments = parser.parse_args()
    run = arguments.build / "bin" / "shard-run"
    print("collective     bytes  us per call  us per copy  ratio")
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "loop.mlir"
        for name, text in COLLECTIVES.items():
            for block in (1, 128, 2048, 8192, 32768):
                elements = block * arguments.devices
                kind = f"tensor<{elements}xf32>"
                times = []
                for calls in (FEW, MANY):
                    program.write_text(
                        PROGRAM.format(
                            devices=arguments.devices,
                            t=kind,
                            calls=calls,
                            collective=text.format(t=kind),
                        )
                    )
                    times.append(wall_time(program, run))
                call = 1e3 * (times[1] - times[0]) / (MANY - FEW)
                copy = copy_time(elements)
                print(f"{name:10} {4 * elements:9} {call:12.2f} {copy:12.2f} {copy / call:6.3f}")


if __name__ == "__main__":
    main()
