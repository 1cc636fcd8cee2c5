#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutation testing: how many of the faults that a program thought of do the tests find?

    mutants.py make OUTPUT --build BUILD    writes a copy of the sources with mutations
    mutants.py run OUTPUT                   tries a random sample of them (options: --help)

`tools/dev mutants` does both and builds between. docs/Mutants.md describes the method.
"""

import argparse
import collections
import dataclasses
import hashlib
import json
import multiprocessing
import os
import pathlib
import random
import resource
import shlex
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The prover and the bindings are no part of what is tested.
LEFT_OUT = ("Fuzz", "CAPI")
TESTS = ("prover", "ranks", "unit", "lit")
# Ranks may be more than processors, and of the root of a container.
RANKS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
         "OMPI_MCA_rmaps_base_oversubscribe": "1"}
# So many programs of the prover run together. Which mutations they come to is noted, so that
# a mutation is tried on no others.
PORTION = 20


def arguments_of(command, path):
    """What clang's library needs of the command that compiles `path`."""
    arguments, parts = [], iter(shlex.split(command)[1:])
    for part in parts:
        if part == "-o":
            next(parts)
        elif part not in ("-c", "--", path) and not part.endswith("clang++-22"):
            arguments.append(part)
    return arguments


def find_one(job):
    """The mutations of one source, which may not compile. Those of a source that has not
    changed are kept in a file."""
    import mutate

    path, arguments, cache = job
    script = pathlib.Path(mutate.__file__).read_bytes()
    key = hashlib.sha256(pathlib.Path(path).read_bytes() + script).hexdigest()
    kept = cache / f"{key}.json"
    if kept.exists():
        return path, [mutate.Mutation(**entry) for entry in json.loads(kept.read_text())]
    found = mutate.candidates(path, arguments)
    write(kept, json.dumps([dataclasses.asdict(mutation) for mutation in found]))
    return path, found


def compiling_one(job):
    """Those of the mutations of one source that compile."""
    import mutate

    path, arguments, mutations = job
    return path, mutate.compiling(path, arguments, str(ROOT / "test/mutants/Mutants.h"),
                                  mutations)


def sources(build):
    database = json.loads((build / "compile_commands.json").read_text())
    found = {}
    for entry in database:
        path = pathlib.Path(entry["file"])
        if path.is_relative_to(ROOT / "lib"):
            if path.relative_to(ROOT / "lib").parts[0] not in LEFT_OUT:
                found[str(path)] = arguments_of(entry["command"], entry["file"])
    return found


def write(path, text):
    """Writes what differs, so that nothing is built again without need."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def sample_of(items, floor, per_floor, seed):
    """`per_floor` random ones of the items of each floor; all if it is 0."""
    if not per_floor:
        return items
    floors = collections.defaultdict(list)
    for item in items:
        floors[floor(item)].append(item)
    chosen = random.Random(seed)
    return [item for name in sorted(floors)
            for item in chosen.sample(floors[name], min(per_floor, len(floors[name])))]


def make(options):
    cache = options.output.resolve() / "cache"
    commands = {path: arguments
                for path, arguments in sources(options.build.resolve()).items()
                if not options.only or floor_of(name_of(path)) in options.only.split(",")}
    # libclang keeps memory; a process is replaced after some sources.
    with multiprocessing.Pool(options.jobs, maxtasksperchild=10) as pool:
        jobs = [(path, commands[path], cache) for path in sorted(commands)]
        found = [(path, mutation) for path, mutations in pool.imap(find_one, jobs)
                 for mutation in mutations]
        print(f"{len(found)} mutations in {len(commands)} files, some of which do not compile",
              flush=True)
        chosen = collections.defaultdict(list)
        for path, mutation in sample_of(found, lambda item: floor_of(name_of(item[0])),
                                        options.per_floor, options.seed):
            chosen[path].append(mutation)
        jobs = [(path, commands[path], chosen[path]) for path in sorted(chosen)]
        kept = list(pool.imap(compiling_one, jobs))
    write_copy(options.output, kept)


def name_of(path):
    return str(pathlib.Path(path).relative_to(ROOT))


def write_copy(output, kept):
    """Writes the sources with the mutations `kept`, a list for each path, and their table."""
    import mutate

    copy, table = output / "src", []
    for path, mutations in kept:
        name, text = name_of(path), pathlib.Path(path).read_text()
        for mutation in mutations:
            mutation.number = len(table) + 1
            was = text.encode()[mutation.start : mutation.end].decode()
            table.append({"number": mutation.number, "file": name, "line": mutation.line,
                          "kind": mutation.kind, "was": was, "wrong": mutation.wrong})
        if mutations:
            body, _ = mutate.render(text, mutations)
            header = copy.resolve() / "test/mutants/Mutants.h"
            write(copy / name, f'#include "{header}"\n#line 1 "{path}"\n{body}')
    mutated = {entry["file"] for entry in table}
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, text=True, check=True,
                           stdout=subprocess.PIPE).stdout.split()
    for name in files:
        if name not in mutated and (ROOT / name).is_file():
            target = copy / name
            if not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target)
    write(output / "mutants.json", json.dumps(table, indent=0))
    print(f"{len(table)} mutations in {len(mutated)} files")


class Runner:
    def __init__(self, options):
        self.options = options
        self.build = options.output.resolve() / "build"

    def commands(self, test, portion=None):
        options, lit = self.options, shutil.which("lit") or "/usr/lib/llvm-22/bin/lit"
        if test == "prover":
            first = options.seed + (portion or 0) * PORTION
            count = options.count if portion is None else PORTION
            return [str(self.build / "bin/shard-fuzz"), "--quiet", "--stop-at-first",
                    "--jobs", str(options.jobs), "--seed", str(first), "--count", str(count)]
        if test == "ranks":
            # The prover on processes of Open MPI: nothing else of it comes to lib/Runtime/Mpi.
            return ["mpirun.openmpi", "-n", "2", str(self.build / "bin/shard-fuzz"), "--mpi",
                    "--seed", str(options.seed), "--count", str(options.count // 10)]
        if test == "unit":
            return ["ctest", "--test-dir", str(self.build), "-j", str(options.jobs),
                    "--stop-on-failure", "--timeout", "300", "-LE", "mpi"]
        return [lit, "-q", "--max-failures=1", "--timeout=300", f"-j{options.jobs}",
                str(self.build / "test")]

    def run(self, test, number=None, trace=None, portion=None):
        """Whether the test passes with the mutation, the seconds that it took, and the last
        line of its output. Of the prover all programs, or those of a portion."""
        environment = dict(os.environ, **RANKS)
        if number:
            environment["SHARD_MUTANT"] = str(number)
        if trace:
            environment["SHARD_MUTANT_TRACE"] = str(trace)
        begin = time.time()
        process = subprocess.Popen(self.commands(test, portion), env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=self.options.timeout)
            passes = process.returncode == 0
        except subprocess.TimeoutExpired:
            passes, output = False, b"timeout"
        finally:
            try:
                os.killpg(process.pid, 9)
            except ProcessLookupError:
                pass
            process.wait()
        lines = output.decode(errors="replace").strip().splitlines()
        return passes, time.time() - begin, lines[-1][:160] if lines else ""

    def traced(self, test, count, portion=None):
        """The mutations that the test comes to, or that a portion of the prover's does."""
        trace = self.options.output.resolve() / f"trace-{test}"
        with open(trace, "wb") as file:
            file.truncate(count + 1)
        passes, _, last = self.run(test, trace=trace, portion=portion)
        if not passes:
            sys.exit(f"{test} fails without a mutation: "
                     f"{shlex.join(self.commands(test, portion))}: {last}")
        data = trace.read_bytes()
        return {number for number in range(1, count + 1) if data[number]}

    def reached(self, test, count):
        """The mutations that the test comes to."""
        begin = time.time()
        if test == "prover":
            self.portions = [self.traced(test, count, portion)
                             for portion in range(self.options.count // PORTION)]
            numbers = set().union(*self.portions)
        else:
            numbers = self.traced(test, count)
        print(f"{test}: {time.time() - begin:.0f} s without a mutation, comes to "
              f"{len(numbers)} of {count}", flush=True)
        return numbers

    def kills(self, test, number):
        """What the test says where it fails with the mutation; None if it passes. Of the
        prover's programs those run that lie in a portion that comes to the mutation."""
        if test != "prover":
            passes, _, last = self.run(test, number)
            return None if passes else last
        # Of the processor, so that it does not matter what else the machine does.
        end = processor_seconds() + self.options.prover_seconds
        for portion, numbers in enumerate(self.portions):
            if number in numbers and processor_seconds() < end:
                passes, _, last = self.run(test, number, portion=portion)
                if not passes:
                    return last
        return None


def processor_seconds():
    """That all processes took that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def describe(entry):
    was, wrong = (" ".join(entry[key].split())[:60] for key in ("was", "wrong"))
    change = {"": f"left out: {was}", "!": f"negated: {was}"}.get(wrong, f"{was}  ->  {wrong}")
    return f"{entry['file']}:{entry['line']}: {entry['kind']}: {change}"


def floor_of(name):
    """The floor of a source that is named from the root on."""
    return name.split("/")[1]


def summary(sample, killed):
    """Rows of killed and tried mutations by floor."""
    tried = collections.Counter(floor_of(entry["file"]) for entry in sample)
    dead = collections.Counter(floor_of(e["file"]) for e in sample if e["number"] in killed)
    print(f"\n{'floor':14}  killed  tried")
    for floor in sorted(tried):
        print(f"{floor:14}  {dead[floor]:6}  {tried[floor]:5}  {100 * dead[floor] / tried[floor]:.0f} %")
    print(f"{'all':14}  {len(killed):6}  {len(sample):5}  {100 * len(killed) / max(1, len(sample)):.0f} %")


def run(options):
    table = json.loads((options.output / "mutants.json").read_text())
    if options.only:
        table = [e for e in table if floor_of(e["file"]) in options.only.split(",")]
    runner = Runner(options)
    total = max(entry["number"] for entry in table)
    tests = [test for test in TESTS if test in options.tests.split(",")]
    reached = {test: runner.reached(test, total) for test in tests}
    somewhere = set().union(*reached.values())
    dark = [entry for entry in table if entry["number"] not in somewhere]
    print(f"{len(dark)} of {len(table)} mutations are in code that no test comes to")
    if options.unreached:
        for entry in dark:
            print(f"  {describe(entry)}")
    candidates = [entry for entry in table if entry["number"] in somewhere]
    if options.numbers:
        numbers = {int(number) for number in options.numbers.split(",")}
        candidates = [entry for entry in candidates if entry["number"] in numbers]
    sample = random.Random(options.seed).sample(candidates, min(options.sample, len(candidates)))
    print(f"sample of {len(sample)}, seed {options.seed}", flush=True)
    killed, done, end = set(), [], time.time() + options.seconds
    for entry in sample:
        if time.time() > end:
            print(f"stopped after {options.seconds} s")
            break
        number, by, said = entry["number"], None, None
        for test in tests:
            if number in reached[test]:
                said = runner.kills(test, number)
            if said is not None:
                by = test
                break
        done.append(entry)
        if by:
            killed.add(number)
        print(f"{number:6} {by or 'SURVIVES':8} {describe(entry)} {said or ''}", flush=True)
    summary(done, killed)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["make", "run"])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                        help="a build of the preset release (make)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=int, default=400, help="mutations to try")
    parser.add_argument("--per-floor", type=int, default=0,
                        help="make only so many random mutations of each floor")
    parser.add_argument("--seed", type=int, default=1, help="of the sample and of the programs")
    parser.add_argument("--count", type=int, default=2000, help="programs of the prover")
    parser.add_argument("--tests", default=",".join(TESTS), help="of these, in this order: " + ", ".join(TESTS))
    parser.add_argument("--only", default="", help="floors, separated by commas")
    parser.add_argument("--prover-seconds", type=int, default=10**9,
                        help="of the processor, for one mutation; begin no portion of programs after these")
    parser.add_argument("--timeout", type=int, default=1200, help="of one test, in seconds")
    parser.add_argument("--seconds", type=int, default=10**9, help="begin no mutation after these")
    parser.add_argument("--numbers", default="", help="try these mutations, separated by commas")
    parser.add_argument("--unreached", action="store_true", help="list code that no test comes to")
    options = parser.parse_args()
    {"make": make, "run": run}[options.command](options)


if __name__ == "__main__":
    main()
