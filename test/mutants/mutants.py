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
import re
import resource
import shlex
import shutil
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The prover and the bindings are no part of what is tested.
LEFT_OUT = ("Fuzz", "CAPI")
TESTS = ("prover", "costs", "ranks", "unit", "lit")
# Ranks may be more than processors, and of the root of a container.
RANKS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
         "OMPI_MCA_rmaps_base_oversubscribe": "1"}
# So many programs of the prover run together. Which mutations they come to is noted, so that
# a mutation is tried on no others.
PORTION = 20
# Of so many portions of the prover's, one is of programs whose shardings are to be chosen.
CHOICES = 6
# So many programs are partitioned together to compare what they cost.
COSTS_PORTION = 100
# Lit tests run together that take so many seconds.
BATCH_SECONDS = 10
# A part hangs if it takes so many times as long as without a mutation, and 10 seconds.
SLOWER = 10
# Tests of ctest that take minutes and run the programs of lit tests.
NO_UNIT_TESTS = "ShardMpi(Run|Repeat|Faults|Fail)"


def arguments_of(command, path):
    """What clang's library needs of the command that compiles `path`."""
    arguments, parts = [], iter(shlex.split(command)[1:])
    for part in parts:
        if part == "-o":
            next(parts)
        elif part not in ("-c", "--", path) and not part.endswith("clang++-22"):
            arguments.append(part)
    return arguments


def without_header(arguments):
    """The arguments without those of the precompiled header, and the source of the header."""
    rest, header, parts = [], None, iter(arguments)
    for part in parts:
        if part == "-Xclang":
            value = next(parts)
            header = value if value.endswith(".hxx") else header
        else:
            rest.append(part)
    return rest, header


def precompile(job):
    """Precompiles a header for libclang, which does not read what the compiler wrote. Files are
    parsed ten times as fast with it."""
    import clang.cindex as ci

    header, arguments, output = job
    if not output.exists():
        unit = ci.Index.create().parse(header, ["-x", "c++-header", *arguments],
                                       options=ci.TranslationUnit.PARSE_INCOMPLETE)
        output.parent.mkdir(parents=True, exist_ok=True)
        unit.save(str(output))


def with_headers(pool, commands, cache):
    """The commands of each source, with headers that libclang has precompiled."""
    jobs = {}

    def with_header(arguments):
        rest, header = without_header(arguments)
        if not header:
            return rest
        # The compiler's file is newer than all headers in it.
        stamp = os.stat(header + ".pch").st_mtime_ns
        key = hashlib.sha256(repr((header, rest, stamp)).encode()).hexdigest()
        output = cache / f"{key}.pch"
        jobs[output] = (header, rest, output)
        return [*rest, "-include-pch", str(output)]

    result = {path: [with_header(arguments) for arguments in ways]
              for path, ways in commands.items()}
    pool.map(precompile, jobs.values())
    return result


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


def compiling(path, ways, mutations):
    """Those of the mutations of one source that compile in each of the `ways` that it is compiled,
    such as with each MPI."""
    import mutate

    for arguments in ways:
        mutations = mutate.compiling(path, arguments, str(ROOT / "test/mutants/Mutants.h"),
                                     mutations)
    return mutations


def sources(build):
    """What each source is compiled with, once for each library that has it."""
    database = json.loads((build / "compile_commands.json").read_text())
    found = collections.defaultdict(list)
    for entry in database:
        path = pathlib.Path(entry["file"])
        if path.is_relative_to(ROOT / "lib"):
            if path.relative_to(ROOT / "lib").parts[0] not in LEFT_OUT:
                found[str(path)].append(arguments_of(entry["command"], entry["file"]))
    return found


def write(path, text):
    """Writes what differs, so that nothing is built again without need."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def copy_changed(source, target):
    """Copies what differs. The copy is newer than what was built of the one before, such as a
    source with mutations that is now one without."""
    if not target.exists() or target.read_bytes() != source.read_bytes():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def draw_files(paths, per_floor, seed):
    """How many mutations come from which file: `per_floor` draws for each floor, each of a file
    with the probability of its share of the floor's lines."""
    floors = collections.defaultdict(list)
    for path in sorted(paths):
        floors[floor_of(name_of(path))].append(path)
    chosen, counts = random.Random(seed), collections.Counter()
    for floor in sorted(floors):
        lines = [len(pathlib.Path(path).read_text().splitlines()) for path in floors[floor]]
        counts.update(chosen.choices(floors[floor], lines, k=per_floor))
    return counts


def sample_of_one(job):
    """`count` random mutations of one source that compile; all of them if `count` is 0."""
    path, ways, cache, count, seed = job
    _, found = find_one((path, ways[0], cache))
    if count:
        # Some do not compile, so more are tried.
        chosen = random.Random(f"{seed} {name_of(path)}")
        found = chosen.sample(found, min(len(found), 2 * count + 2))
    kept = compiling(path, ways, found)
    return path, kept[:count] if count else kept


def make(options):
    cache = options.output.resolve() / "cache"
    commands = {path: ways for path, ways in sources(options.build.resolve()).items()
                if not options.only or floor_of(name_of(path)) in options.only.split(",")}
    counts = dict.fromkeys(commands, 0)
    if options.per_floor:
        counts = draw_files(commands, options.per_floor, options.seed)
    print(f"parses {len(counts)} of {len(commands)} files", flush=True)
    # libclang keeps memory; a process is replaced after some sources.
    with multiprocessing.Pool(options.jobs, maxtasksperchild=10) as pool:
        commands = with_headers(pool, {path: commands[path] for path in sorted(counts)}, cache)
        jobs = [(path, commands[path], cache, counts[path], options.seed) for path in commands]
        kept = list(pool.imap(sample_of_one, jobs))
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
            copy_changed(ROOT / name, copy / name)
    write(output / "mutants.json", json.dumps(table, indent=0))
    print(f"{len(table)} mutations in {len(mutated)} files")


@dataclasses.dataclass
class Part:
    """Some programs of a test: a portion of the prover's, a unit test, a lit test."""
    name: str
    # The mutations that it comes to, and what it takes without any.
    numbers: list
    seconds: float
    # What it prints without any, if that must stay the same.
    output: str = ""


class Runner:
    def __init__(self, options, count):
        self.options = options
        self.count = count
        self.build = options.output.resolve() / "build"
        self.parts = {}

    def command(self, test, names):
        options, jobs = self.options, str(self.options.jobs)
        if test == "prover":
            kind, seed = names[0].split()
            return [str(self.build / "bin/shard-fuzz"), "--quiet", "--stop-at-first", "--jobs",
                    jobs, "--only", kind, "--seed", seed, "--count", str(PORTION)]
        if test == "costs":
            return [str(self.build / "bin/shard-fuzz"), "--print-costs", "--jobs", jobs,
                    "--seed", names[0], "--count", str(COSTS_PORTION)]
        if test == "ranks":
            # The prover on processes of Open MPI: nothing else of it comes to lib/Runtime/Mpi.
            return ["mpirun.openmpi", "-n", "2", str(self.build / "bin/shard-fuzz"), "--mpi",
                    "--seed", str(options.seed), "--count", str(options.count // 10)]
        if test == "unit":
            return ["ctest", "--test-dir", str(self.build), "--timeout", "300",
                    "-R", f"^{re.escape(names[0])}$"]
        lit = shutil.which("lit") or "/usr/lib/llvm-22/bin/lit"
        return [lit, "-q", "--max-failures=1", f"-j{jobs}",
                *(str(self.build / "test" / name) for name in names)]

    def execute(self, command, timeout, **variables):
        """Whether the command succeeds in `timeout` seconds, the seconds that it takes, and its
        output."""
        begin = time.time()
        process = subprocess.Popen(command, env={**os.environ, **RANKS, **variables},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=timeout)
            passes = process.returncode == 0
        except subprocess.TimeoutExpired:
            passes, output = False, b"timeout"
        finally:
            try:
                os.killpg(process.pid, 9)
            except ProcessLookupError:
                pass
            process.wait()
        return passes, time.time() - begin, output.decode(errors="replace")

    def names(self, test):
        """The parts of a test, but for lit."""
        if test == "prover":
            seeds = range(self.options.seed, self.options.seed + self.options.count, PORTION)
            return [f"{'full' if (i + 1) % CHOICES else 'choices'} {seed}"
                    for i, seed in enumerate(seeds)]
        if test == "costs":
            last = self.options.seed + self.options.count
            return [str(seed) for seed in range(self.options.seed, last, COSTS_PORTION)]
        if test == "ranks":
            return ["all"]
        listing = subprocess.run(["ctest", "--test-dir", str(self.build), "-N"], text=True,
                                 check=True, stdout=subprocess.PIPE).stdout
        return [name for name in re.findall(r"Test +#\d+: (\S+)", listing)
                if not re.match(NO_UNIT_TESTS, name)]

    def traced(self, test):
        """The parts of a test, run without a mutation. What fails then is left out."""
        parts = []
        for name in self.names(test):
            trace = self.options.output.resolve() / f"trace-{test}"
            trace.write_bytes(bytes(self.count + 1))
            command = self.command(test, [name])
            passes, seconds, output = self.execute(command, self.options.timeout,
                                                   SHARD_MUTANT_TRACE=str(trace))
            if passes:
                parts.append(Part(name, numbers_of(trace), seconds,
                                  output if test == "costs" else ""))
            else:
                print(f"fails without a mutation: {shlex.join(command)}: {last_line(output)}",
                      flush=True)
        return parts

    def traced_lit(self):
        folder = self.options.output.resolve() / "traces"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        results = folder / "results.json"
        command = [part for part in self.command("lit", [""]) if not part.startswith("--max")]
        self.execute([*command, "--output", str(results)], None, SHARD_MUTANT_TRACES=str(folder),
                     SHARD_MUTANT_COUNT=str(self.count))
        parts = []
        for result in json.loads(results.read_text())["tests"]:
            name = result["name"].split(" :: ")[1]
            if result["code"] == "PASS":
                trace = folder / name.replace("/", "+")
                parts.append(Part(name, numbers_of(trace), result["elapsed"]))
            elif result["code"] in ("FAIL", "TIMEOUT"):
                print(f"fails without a mutation: {name}", flush=True)
        return parts

    def reached(self, test):
        """The mutations that the test comes to. They are kept in a file until the next build."""
        begin, kept = time.time(), self.options.output.resolve() / f"reached-{test}.json"
        key = [self.options.seed, self.options.count,
               os.stat(self.build / "bin/shard-fuzz").st_mtime]
        old = json.loads(kept.read_text()) if kept.exists() else {"key": []}
        if old["key"] == key:
            parts = [Part(**part) for part in old["parts"]]
        else:
            parts = self.traced_lit() if test == "lit" else self.traced(test)
            kept.write_text(json.dumps({"key": key,
                                        "parts": [dataclasses.asdict(p) for p in parts]}))
        if test not in ("prover", "costs"):
            parts.sort(key=lambda part: part.seconds)
        self.parts[test] = parts
        numbers = set().union(*(part.numbers for part in parts))
        print(f"{test}: {sum(part.seconds for part in parts):.0f} s without a mutation, comes "
              f"to {len(numbers)} of {self.count} ({time.time() - begin:.0f} s)", flush=True)
        return numbers

    def batches(self, test, number):
        """The parts that come to a mutation: names of those that run together, the seconds
        that they take without it, and what they print then if that must stay the same."""
        batch, seconds = [], 0.0
        for part in self.parts[test]:
            if number not in part.numbers:
                continue
            batch.append(part.name)
            seconds += part.seconds
            # The short lit tests together, because lit takes a second by itself.
            if test != "lit" or seconds > BATCH_SECONDS:
                yield batch, seconds, part.output
                batch, seconds = [], 0.0
        if batch:
            yield batch, seconds, ""

    def kills(self, test, number):
        """What the test says where it fails with the mutation; None if it passes, and whether
        the time was over before all of it ran."""
        # Of the processor, so that it does not matter what else the machine does.
        of_prover = test in ("prover", "costs")
        limit = self.options.prover_seconds if of_prover else self.options.test_seconds
        end = processor_seconds() + limit
        for names, seconds, expected in self.batches(test, number):
            if processor_seconds() > end:
                return None, True
            command = self.command(test, names)
            timeout = min(self.options.timeout, SLOWER * (seconds + 10))
            passes, _, output = self.execute(command, timeout, SHARD_MUTANT=str(number))
            if passes and expected and output != expected:
                return first_difference(expected, output), False
            if not passes:
                return last_line(output) or shlex.join(command[-1:]), False
        return None, False


def numbers_of(trace):
    return [number for number, byte in enumerate(trace.read_bytes()) if byte]


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1][:160] if lines else ""


def first_difference(was, now):
    pairs = zip(was.splitlines(), now.splitlines(), strict=False)
    return next((f"{a} -> {b}" for a, b in pairs if a != b), "fewer lines")[:160]


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
    rows = [(floor, dead[floor], tried[floor]) for floor in sorted(tried)]
    for name, some, total in [*rows, ("all", len(killed), len(sample))]:
        print(f"{name:14}  {some:6}  {total:5}  {100 * some / max(1, total):.0f} %")


def try_one(runner, entry, reached):
    """The test that a mutation is killed by, what it says, and the tests that ran in part."""
    short = []
    for test, numbers in reached.items():
        if entry["number"] in numbers:
            said, stopped = runner.kills(test, entry["number"])
            if said is not None:
                return test, said, short
            if stopped:
                short.append(test)
    return None, "", short


def run(options):
    table = json.loads((options.output / "mutants.json").read_text())
    runner = Runner(options, max(entry["number"] for entry in table))
    if options.only:
        table = [e for e in table if floor_of(e["file"]) in options.only.split(",")]
    reached = {test: runner.reached(test) for test in TESTS if test in options.tests.split(",")}
    somewhere = set().union(*reached.values())
    dark = [entry for entry in table if entry["number"] not in somewhere]
    print(f"{len(dark)} of {len(table)} mutations are in code that no test comes to")
    if options.unreached:
        for entry in dark:
            print(f"  {entry['number']} {describe(entry)}")
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
        by, said, short = try_one(runner, entry, reached)
        done.append(entry)
        if by:
            killed.add(entry["number"])
        elif short:
            said = f"(not all of: {', '.join(short)})"
        print(f"{entry['number']:6} {by or 'SURVIVES':8} {describe(entry)} {said}", flush=True)
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
                        help="make only so many random mutations of each floor, from random files")
    parser.add_argument("--seed", type=int, default=1, help="of the sample and of the programs")
    parser.add_argument("--count", type=int, default=2000, help="programs of the prover")
    parser.add_argument("--tests", default=",".join(TESTS),
                        help="of these, in this order: " + ", ".join(TESTS))
    parser.add_argument("--only", default="", help="floors, separated by commas")
    parser.add_argument("--prover-seconds", type=int, default=10**9,
                        help="of the processor, for one mutation; begin no portion after these")
    parser.add_argument("--test-seconds", type=int, default=10**9,
                        help="the same for the unit tests, and for the lit tests")
    parser.add_argument("--timeout", type=int, default=1200, help="of one test, in seconds")
    parser.add_argument("--seconds", type=int, default=10**9, help="begin no mutation after these")
    parser.add_argument("--numbers", default="", help="try these mutations, separated by commas")
    parser.add_argument("--unreached", action="store_true", help="list code that no test comes to")
    options = parser.parse_args()
    {"make": make, "run": run}[options.command](options)


if __name__ == "__main__":
    main()
