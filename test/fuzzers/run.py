#!/usr/bin/env python3
"""Runs each libFuzzer target, and commands.py: run.py BUILD SECONDS [TARGET...]

The first inputs come from the tests and examples. Inputs that end a target are
kept in BUILD/fuzz/<target>/failures; programs among them are given to shard-mutate,
which tells those that LLVM's mlir-opt fails on as well. Exit code 1 if a target
found something that is left."""

import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = ['@grid, [["x"], [?]]', '@grid, [[0, 1], []], partial = sum [1]',
           '@grid, [["x":(2)2], [?]p1], replicated = ["y"]', "traversal=forward",
           "strategy=basic uneven=replicate op-priorities=0", "2x3", "4",
           "grid=4x2 type=tensor<16x16xf32> from=[[0],[1]] to=[[1],[0]]",
           "grid=2x2 type=tensor<8x8xf32> all",
           "grid=2 type=tensor<8x8xf32> from=[[],[]], partial = sum [0] to=[[0],[]]",
           "arg0=[[0],[]]", "result0=[[],[1]]", "linalg.add#0:1=[[0],[1]]"]


def programs():
    for folder in ("test", "docs/examples"):
        for path in sorted((root / folder).rglob("*.mlir")):
            for part in re.split(r"^// -----.*$", path.read_text(), flags=re.M):
                yield re.sub(r"^\s*//.*$\n?", "", part, flags=re.M).encode()


def files(build):
    """Arrays as numpy writes them, and what Python gives to the HTML report."""
    for kind, (descriptor, data) in enumerate((("<f4", bytes(48)), ("|b1", b"\0\1\2" * 4),
                                               ("<u2", bytes(24)), ("<i8", bytes(96)),
                                               ("<c8", bytes(96)), ("|u1", bytes(12)))):
        for order in ("False", "True"):
            header = f"{{'descr': '{descriptor}', 'fortran_order': {order}, 'shape': (3, 4), }}"
            header = header.ljust(117) + "\n"
            yield bytes([kind]) + b"\x93NUMPY\x01\0v\0" + header.encode() + data
    report = subprocess.run([str(build / "bin" / "shard-run"), "--report=json",
                             str(root / "docs/examples/one_hint.mlir")],
                            capture_output=True, check=True).stdout
    yield bytes([6]) + b'{"report": ' + report + b"}"


def seeds(build, target):
    if target == "shard-fuzz-parser":
        yield from programs()
    elif target == "shard-fuzz-passes":
        for number, text in enumerate(programs()):
            yield bytes([number % 256]) + text
    elif target == "shard-fuzz-files":
        yield from files(build)
    elif target == "shard-fuzz-options":
        for text in OPTIONS:
            for kind in range(5):
                yield bytes([kind]) + text.encode()
    else:
        for first in range(8):
            for second in range(8):
                yield bytes([first, second, 2, 1, 3, 2, 1, 0, 4, 2, 5, 1])


def run(build, seconds, target):
    if target == "commands":
        script = pathlib.Path(__file__).with_name("commands.py")
        return subprocess.run([sys.executable, script, build, str(seconds)],
                              check=False).returncode == 0
    folder = build / "fuzz" / target
    corpus, failures = folder / "corpus", folder / "failures"
    for each in (corpus, failures):
        each.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(seeds(build, target)):
        (corpus / f"seed-{number}").write_bytes(text)
    # As for the other tests; fork mode goes on behind a crash.
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:allow_user_poisoning=0",
                       LLVM_DISABLE_SYMBOLIZATION="1")
    subprocess.run([str(build / "bin" / target), "-fork=1", "-ignore_crashes=1",
                    "-ignore_timeouts=1", "-ignore_ooms=1", "-timeout=20",
                    "-rss_limit_mb=4000", f"-max_total_time={seconds}",
                    f"-artifact_prefix={failures}/", str(corpus)],
                   env=environment, stdout=subprocess.DEVNULL,
                   stderr=(folder / "log").open("w"), check=False)
    found = sorted(failures.iterdir())
    executed = re.findall(r"^#(\d+):.*cov: (\d+)", (folder / "log").read_text(), flags=re.M)
    count, coverage = executed[-1] if executed else ("?", "?")
    print(f"{target}: {count} inputs, coverage {coverage}, {len(found)} failures", flush=True)
    if not found or target not in ("shard-fuzz-parser", "shard-fuzz-passes"):
        return not found
    texts = folder / "programs"
    texts.mkdir(exist_ok=True)
    for path in found:
        data = path.read_bytes()
        data = data[1:] if target == "shard-fuzz-passes" else data
        (texts / (path.name + ".mlir")).write_bytes(data)
    return subprocess.run([str(build / "bin" / "shard-mutate"), "--as-they-are", str(texts),
                           "--keep", str(folder / "reduced")],
                          env=environment, check=False).returncode == 0


def main():
    build, seconds = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2])
    targets = sys.argv[3:] or ["shard-fuzz-parser", "shard-fuzz-passes",
                               "shard-fuzz-bytecode", "shard-fuzz-options", "shard-fuzz-files",
                               "commands"]
    return 0 if all([run(build, seconds, target) for target in targets]) else 1


if __name__ == "__main__":
    sys.exit(main())
