#!/usr/bin/env python3
"""Runs the programs with damaged command lines, environments and files:
commands.py BUILD SECONDS [--seed N]

A command line is one of those below with some of its words changed. Each has to end in
time with exit code 0 or 1; with 1 it has to print an error, and with 0 under --verify
the word PASS. What does not is printed, and the exit code is 1."""

import argparse
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func @main(%a: tensor<4x6xf32>, %b: tensor<6x5xf32>, %i: tensor<3xi1>) -> (tensor<4x5xf32>, tensor<3xi1>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x5xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x5xf32>) -> tensor<4x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x5xf32>) outs(%fill : tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = math.tanh %0 : tensor<4x5xf32>
  return %1, %i : tensor<4x5xf32>, tensor<3xi1>
}
"""
# Words that begin with @ are files in the folder of the run.
COMMANDS = [
    "shard-run @p.mlir --verify --hint arg0=[[0],[]] --seed 7",
    "shard-run @p.mlir --grid 2x2 --hint arg1=[[],[1]] --hint linalg.matmul#0:1=[[0],[]] --verify",
    "shard-run @p.mlir --input @a.npy --input 1=@b.npy --input 2=@i.npy --output @o.npy",
    "shard-run @p.mlir --verify --report json --entry main --timeout 20",
    "shard-run @p.mlir --report=html --color always --explain --overlap --link=1e9,1e-6",
    "shard-run @p.mlir --verify --traversal forward --strategy basic --uneven replicate --halo-steps 2",
    "shard-run @p.mlir --verify --cpu x86-64-v3 --mpi-dialect --print-partitioned --lift-constants",
    "shard-run @p.mlir --pass-pipeline builtin.module(canonicalize,cse) --shared-libs @none.so",
    "shard-run @p.mlir --runtime threads --partition-tosa --global-arguments --uneven-dynamic",
    "shard-run @p.mlir --load-dialect-plugin @none.so --load-pass-plugin @p.mlir",
    "shard-opt @p.mlir --shard-spmd --grid 4 --hint arg0=[[0],[]] -o @out.mlir",
    "shard-opt @p.mlir --sharding-propagation=traversal=forward --shard-partition --shard-report",
    "shard-opt @p.mlir --shard-spmd --shard-report=format=json",
    "shard-opt --shard-plan-reshard='grid=4x2 type=tensor<16x16xf32> from=[[0],[1]] to=[[1],[0]]'",
    "shard-opt @p.mlir --pass-pipeline=builtin.module(shard-spmd{uneven=shard})",
    "shard-opt @p.mlirbc --shard-spmd --emit-bytecode -o @out.mlirbc",
    "shard-compile @p.mlir --emit obj -o @prog.o --header @prog.h --name prog --cpu x86-64",
    "shard-compile @p.mlir --emit exe -o @prog --cc cc --rpath @folder --library-dir @folder",
    "shard-compile @p.mlir --emit obj --triple aarch64-linux-gnu --cpu generic -o @prog.o",
    "shard-opt @p.mlir --shard-spmd --shard-assign-groups=devices-per-node=2 --shard-widen-halos=steps=2",
    "shard-opt @p.mlir --shard-spmd --shard-split-collectives=parts=2 --shard-overlap-collectives=min-gain=-1",
    "shard-opt @p.mlir --shard-block-scans=blocks=2 --shard-explain=json --shard-report=machine=a100",
    "shard-opt @p.mlir --shard-spmd=halo-steps=2 --shard-lower-to-llvm=mpi=openmpi --shard-bufferize=entry=main",
    "shard-translate --import-mesh @p.mlir",
    "shard-translate --import-sdy @p.mlir -o @out.mlir",
    "shard-fuzz --seed 5 --count 2 --jobs 1 --max-ops 3 --only reshard --quiet",
]
ENVIRONMENT = ["SHARD_CPU", "SHARD_RT_TIMEOUT", "SHARD_RT_LINK", "SHARD_RT_CHECK", "NO_COLOR",
               "SHARD_RT_SILENCE", "SHARD_RT_WATCH", "TMPDIR",
               "SHARD_RT_LIBRARY", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "SLURM_NTASKS"]
# --count, --jobs and sizes of grids bound the time and memory of a run: large ones are no fault.
VALUES = ["", "0", "-1", "1", "3", "1e400", "nan", "0x10", "9223372036854775808", "2x2", "2x0",
          "-2x2", "1x1x1x1", "3x5", "arg0", "arg9=[[0]]", "arg0=[[0],[0]]", "arg0=[[7],[]]",
          "arg0=", "=[[0],[]]", "result0=[[x],[y]]", "linalg.matmul#9:1=[[],[]]", "[[", "\xff",
          "é", "main", "no_such", "builtin.module(", "func.func(cse)", "%s%n", "'", '"', "--",
          "a" * 5000, "1,1", "-1,0", "1e9,", "/dev/null", "/", "i386",
          "amdgcn-amd-amdhsa", "@folder", "@empty", "@secret", "@bytes", "@none", "@a.npy", "@p.mlir", "@p.mlirbc", "@out.mlir"]
SIGNS_OF_A_CRASH = re.compile(r"Stack dump|PLEASE submit|Sanitizer|runtime error:|Assertion|"
                              r"LLVM ERROR|terminate called|Segmentation|UNREACHABLE")


def npy(descriptor, shape, data):
    header = f"{{'descr': '{descriptor}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(11 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def write_files(folder, choose):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    files = {"p.mlir": PROGRAM.encode(), "a.npy": npy("<f4", (4, 6), bytes(range(96))),
             "b.npy": npy("<f4", (6, 5), bytes(120)), "i.npy": npy("|b1", (3,), b"\0\1\2"),
             "empty": b"", "bytes": bytes(choose.randrange(256) for _ in range(300)),
             "secret": b"x"}
    for name, data in files.items():
        if choose.random() < 0.1 and data:
            data = bytearray(data)
            for _ in range(choose.choice((1, 1, 2, 8))):
                data[choose.randrange(len(data))] = choose.randrange(256)
            if choose.random() < 0.3:
                data = data[:choose.randrange(len(data))]
        (folder / name).write_bytes(data)
    (folder / "secret").chmod(0)
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")


def mutate_word(word, choose):
    kind = choose.randrange(5)
    name, equals, value = word.partition("=")
    if kind == 0 or not word:
        return choose.choice(VALUES)
    if kind == 1 and equals:
        return name + equals + choose.choice(VALUES)
    at = choose.randrange(len(word))
    if kind == 2:
        return word[:at] + word[at + 1:]
    if kind == 3:
        return word[:at] + chr(choose.randrange(1, 128)) + word[at:]
    number = re.search(r"\d+", word)
    if not number:
        return word + choose.choice(VALUES)
    return word[:number.start()] + choose.choice(VALUES) + word[number.end():]


def command_line(choose):
    words = choose.choice(COMMANDS).replace("'", "").split(" ")
    if "shard-plan-reshard" in words[1]:
        words = [words[0], " ".join(words[1:])]
    # A program may come from a FIFO, whose writer it then waits for; an array may not.
    if choose.random() < 0.1:
        words = [re.sub(r"@\w+\.npy", "@fifo", word) for word in words]
    for _ in range(choose.choice((0, 1, 1, 1, 2, 3))):
        at = choose.randrange(1, len(words)) if len(words) > 1 else 1
        kind = choose.randrange(8)
        if at < len(words) and kind < 5:
            words[at] = mutate_word(words[at], choose)
        elif at < len(words) and kind == 5:
            del words[at]
        else:
            donor = choose.choice(COMMANDS).split(" ")
            words.insert(at, choose.choice(donor[1:]))
    # Many programs, or many at once, are what somebody asked for.
    for name in ("--count", "--jobs", "--max-ops"):
        for at, word in enumerate(words[:-1]):
            if word == name and len(words[at + 1]) > 1:
                words[at + 1] = "2"
    return words


def environment(choose):
    result = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:allow_user_poisoning=0",
                  UBSAN_OPTIONS="print_stacktrace=1", LLVM_DISABLE_SYMBOLIZATION="1")
    if choose.random() < 0.15:
        result[choose.choice(ENVIRONMENT)] = choose.choice(VALUES).split("\0")[0]
    return result


def complaint(words, code, out, err):
    """What is wrong with how a run ended, or nothing."""
    if SIGNS_OF_A_CRASH.search(out + err):
        return "crash"
    # shard-fuzz tells what it cannot take from a failure that it found.
    if code not in ((0, 1, 2) if words[0] == "shard-fuzz" else (0, 1)):
        return f"exit code {code}"
    if code != 0 and not re.search(r"error|FAIL|failed|Unknown command line|must|annot|"
                                   r"Too many|Not enough|requires|invalid|no such|shard-fuzz: ", err + out):
        return "exit code 1 without an error"
    if code == 0 and words[0] == "shard-run" and re.search(r"^error|: error:", err, re.M):
        return "an error and exit code 0"
    if code == 0 and words[0] == "shard-run" and "--verify" in words[1:] and \
            not re.search(r'PASS|"passed": true|--help|"verified"|USAGE|shard \d|<html', out):
        return "exit code 0 without PASS"
    return None


def run(build, folder, words, variables):
    paths = [word.replace("@", f"{folder}/") if re.match(r"(\d+=)?@[a-z]", word) else word
             for word in words]
    paths = [re.sub(r"^(--[a-z-]+=)@", rf"\1{folder}/", path).split("\0")[0] for path in paths]
    paths[0] = str(build / "bin" / words[0])
    try:
        done = subprocess.run(paths, env=variables, stdin=subprocess.DEVNULL, timeout=120,
                              capture_output=True, cwd=folder, check=False)
    except subprocess.TimeoutExpired:
        return "no end in 120 s", ""
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    return complaint(words, done.returncode, out, err), (err or out)[-1500:]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    build, end = options.build.resolve(), time.time() + options.seconds
    count = failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "run"
        while time.time() < end:
            choose = random.Random(options.seed + count)
            write_files(folder, choose)
            bytecode = [build / "bin/shard-opt", folder / "p.mlir", "--emit-bytecode",
                        "-o", folder / "p.mlirbc"]
            words, variables = command_line(choose), environment(choose)
            if any("@p.mlirbc" in word for word in words):
                subprocess.run(bytecode, capture_output=True, check=False)
            wrong, text = run(build, folder, words, variables)
            if wrong:
                failures += 1
                changed = {key: variables[key] for key in ENVIRONMENT if key in variables}
                print(f"seed {options.seed + count}: {wrong}: {words} {changed or ''}\n{text}\n",
                      flush=True)
            count += 1
    print(f"commands: {count} command lines from seed {options.seed}, {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
