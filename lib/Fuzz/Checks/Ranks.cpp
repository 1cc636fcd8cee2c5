//===- Ranks.cpp - Random programs on the ranks of MPI --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/Ranks.h"

#include "Inputs.h"
#include "shard/Fuzz/Check.h"
#include "shard/Fuzz/Random.h"

#include "shard/Execution/Verify.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <chrono>

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

std::vector<int64_t> shard::fuzz::gridOfDevices(uint64_t seed,
                                                int64_t devices) {
  Random rng(seed ^ 0x6f6e2072616e6b73ull);
  std::vector<int64_t> sizes;
  for (int64_t prime = 2; devices > 1; ++prime)
    for (; devices % prime == 0; devices /= prime)
      if (!sizes.empty() && rng.chance(40))
        sizes.back() *= prime;
      else
        sizes.push_back(prime);
  if (rng.chance(15))
    sizes.push_back(1);
  rng.shuffle(sizes);
  return sizes;
}

namespace {

/// Collects errors instead of printing them.
struct Errors {
  explicit Errors(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              first.empty())
            first = diagnostic.str();
          return success();
        }) {}
  std::string first;
  ScopedDiagnosticHandler handler;
};

/// What a run gave, the same text for the same bits and the same calls.
std::string digestOf(const RunReport &report, bool withCalls) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const HostTensor &output : report.outputs) {
    llvm::XXH128_hash_t hash = llvm::xxh3_128bits(
        llvm::ArrayRef<uint8_t>(output.data(), output.numBytes()));
    os << toString(output.type(), output.shape()) << ' ' << hash.high64 << ' '
       << hash.low64 << '\n';
  }
  if (!withCalls)
    return text;
  // Sorted: calls that were started end in another order on ranks than with threads.
  std::vector<std::string> calls;
  for (const runtime::CallRecord &record : report.calls) {
    llvm::raw_string_ostream os(calls.emplace_back());
    os << record.kind << " at " << record.location << " over";
    for (int64_t axis : record.axes)
      os << ' ' << axis;
    os << ": " << record.count << " calls, " << record.bytes << " bytes\n";
  }
  llvm::sort(calls);
  for (const std::string &call : calls)
    text += call;
  return text;
}

/// The line in which two digests differ.
std::string difference(StringRef threads, StringRef ranks) {
  while (!threads.empty() || !ranks.empty()) {
    auto [first, restOfFirst] = threads.split('\n');
    auto [second, restOfSecond] = ranks.split('\n');
    if (first != second)
      return ("with threads '" + first + "', on ranks '" + second + "'").str();
    threads = restOfFirst;
    ranks = restOfSecond;
  }
  return {};
}

class Prover {
public:
  Prover(runtime::Processes &processes, const RankPrograms &programs)
      : processes(processes), programs(programs), context(makeContext()) {}

  int run();

private:
  bool isFirst() const { return processes.number() == 0; }
  bool goesOn(uint64_t done) const;
  void runBatch(uint64_t seed, uint64_t count);
  OwningOpRef<ModuleOp> parse(uint64_t seed);
  RunOptions optionsFor(func::FuncOp entry, uint64_t seed) const;
  std::string runAlone(uint64_t seed);
  void runTogether(uint64_t seed, StringRef expected);
  std::string runEntry(ModuleOp module, func::FuncOp entry, uint64_t seed,
                       bool mpiDialect, std::string &problem);
  void fail(uint64_t seed, const Twine &what);

  runtime::Processes &processes;
  const RankPrograms &programs;
  std::unique_ptr<MLIRContext> context;
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
  uint64_t finished = 0, failures = 0, left = 0;
};

/// Every fourth program starts its collectives early.
bool overlaps(uint64_t seed) { return seed % 4 == 2; }

/// A run of a program on the ranks.
struct RankRun {
  bool mpiDialect;
  const char *where;
};

/// The runs of the program of `seed`. The first run of a program compares the calls of the
/// ranks and has one call under way at a time; only in the second one several are started.
SmallVector<RankRun> runsOf(uint64_t seed) {
  SmallVector<RankRun> runs = {{false, ""}};
  if (overlaps(seed))
    runs.push_back({false, " when calls are started"});
  if (seed % 4 == 0)
    runs.push_back({true, " in the mpi dialect"});
  return runs;
}

/// The functions that a run may enter.
SmallVector<func::FuncOp> entriesOf(ModuleOp module) {
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      entries.push_back(function);
  return entries;
}

} // namespace

void Prover::fail(uint64_t seed, const Twine &what) {
  ++failures;
  llvm::outs() << "seed " << seed << ": " << what << "\n    mpirun -n "
               << processes.count() << " shard-fuzz --mpi --seed " << seed
               << " --count 1\n";
}

OwningOpRef<ModuleOp> Prover::parse(uint64_t seed) {
  return parseSourceString<ModuleOp>(programs.program(seed), context.get(),
                                     "seed-" + std::to_string(seed) + ".mlir");
}

RunOptions Prover::optionsFor(func::FuncOp entry, uint64_t seed) const {
  RunOptions options;
  options.seed = seed;
  // Optimisation is the matter of the runs on threads.
  options.optLevel = seed % 8 == 0 ? 3 : 1;
  options.timeOneDevice = false;
  options.partitionAll = true;
  // A result outside of the tolerance is a failure here.
  options.measureRounding = false;
  options.pipeline.lowerTosa = seed % 2 == 0;
  // As the runs of Check.cpp do: however little that hides, and mostly in parts.
  options.pipeline.overlap = overlaps(seed);
  options.pipeline.overlapMinGain = 0;
  options.pipeline.decomposeMinGain = seed % 16 == 2 ? 0 : -1e9;
  options.pipeline.splitParts = splitParts(seed);
  options.inputs = makeInputs(entry, seed);
  options.keepOutputs = true;
  return options;
}

/// Runs a program on threads. '+' and the digests of its entries; '-' and an error where
/// it does not run, which is a matter of shard-fuzz without --mpi; '!' and what is wrong.
std::string Prover::runAlone(uint64_t seed) {
  Errors errors(context.get());
  OwningOpRef<ModuleOp> module = parse(seed);
  if (!module)
    return "!the program is not valid: " + errors.first;
  std::string digests;
  for (func::FuncOp entry : entriesOf(*module)) {
    FailureOr<RunReport> report =
        runProgram(*module, entry, optionsFor(entry, seed));
    if (failed(report) || (!report->pass && !report->error.empty()))
      return "-" + errors.first + (failed(report) ? "" : report->error);
    if (!report->pass)
      return "!with threads, a result differs from that of one device";
    digests += digestOf(*report, /*withCalls=*/true) + '\0';
  }
  return "+" + digests;
}

/// Runs `entry` on all ranks; its digest at the first one, or the `problem`.
std::string Prover::runEntry(ModuleOp module, func::FuncOp entry, uint64_t seed,
                             bool mpiDialect, std::string &problem) {
  Errors errors(context.get());
  processes.expectStart();
  processes.setProgram("seed " + std::to_string(seed) + " " +
                       entry.getName().str() + (mpiDialect ? " mpi" : ""));
  RunOptions options = optionsFor(entry, seed);
  options.verify = false;
  options.mpiDialect = mpiDialect;
  options.processes = &processes;
  FailureOr<RunReport> report = runProgram(module, entry, std::move(options));
  if (failed(report))
    problem = errors.first.empty() ? "failed without an error" : errors.first;
  else if (!report->pass)
    problem = report->error;
  if (!processes.hasStarted())
    processes.startTogether(problem);
  return problem.empty() ? digestOf(*report, !mpiDialect) : std::string();
}

/// Runs on all ranks what gave the digests `expected` on threads.
void Prover::runTogether(uint64_t seed, StringRef expected) {
  OwningOpRef<ModuleOp> module = parse(seed);
  for (func::FuncOp entry : entriesOf(*module)) {
    auto [digest, rest] = expected.split('\0');
    expected = rest;
    for (auto [mpiDialect, where] : runsOf(seed)) {
      std::string problem;
      std::string actual = runEntry(*module, entry, seed, mpiDialect, problem);
      if (!isFirst())
        continue;
      // Of messages there are no records.
      StringRef wanted = digest;
      if (mpiDialect && wanted.starts_with(actual))
        wanted = actual;
      if (!problem.empty())
        fail(seed, Twine("runs with threads, but not on ranks") + where + ": " +
                       problem);
      else if (wanted != actual)
        fail(seed,
             Twine("differs") + where + ": " + difference(wanted, actual));
    }
  }
}

void Prover::runBatch(uint64_t seed, uint64_t count) {
  auto number = uint64_t(processes.number());
  std::vector<std::string> alone =
      processes.gather(number < count ? runAlone(seed + number) : "");
  std::string choice;
  for (uint64_t i = 0; isFirst() && i < count; ++i) {
    choice += alone[i][0];
    if (alone[i][0] == '!')
      fail(seed + i, alone[i].substr(1));
    left += alone[i][0] == '-';
  }
  choice = processes.broadcast(choice);
  for (uint64_t i = 0; i < count; ++i)
    if (choice[i] == '+')
      runTogether(seed + i, isFirst() ? StringRef(alone[i]).drop_front() : "");
}

bool Prover::goesOn(uint64_t done) const {
  std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin;
  bool more = done < programs.count || gone.count() < programs.seconds;
  return processes.broadcast(isFirst() && more ? "more" : "") == "more";
}

int Prover::run() {
  while (goesOn(finished)) {
    auto count = uint64_t(processes.count());
    if (programs.seconds == 0)
      count = std::min(count, programs.count - finished);
    runBatch(programs.firstSeed + finished, count);
    finished += count;
  }
  if (isFirst())
    llvm::outs() << finished << " programs on " << processes.count()
                 << " ranks, " << failures << " failures, " << left
                 << " that do not run\n";
  llvm::outs().flush();
  if (processes.broadcast(isFirst() && failures == 0 ? "pass" : "") == "pass")
    return 0;
  processes.endTogether();
  return 1;
}

int shard::fuzz::proveOnRanks(runtime::Processes &processes,
                              const RankPrograms &programs) {
  return Prover(processes, programs).run();
}
