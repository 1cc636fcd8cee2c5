//===- shard-fuzz.cpp - Random programs, one verdict ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// docs/Fuzzing.md describes the command line.
//
//===----------------------------------------------------------------------===//

#include "../Version.h"

#include "Costs.h"
#include "Failures.h"
#include "OnRanks.h"
#include "SeededFaults.h"
#include "shard/Fuzz/Check.h"
#include "shard/Fuzz/Coverage.h"
#include "shard/Fuzz/Generate.h"
#include "shard/Fuzz/Processes.h"

#include "shard/Execution/Verify.h"
#include "shard/Models/Models.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <chrono>
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#include <memory>
#include <unistd.h>

using namespace shard::fuzz;
namespace cl = llvm::cl;

cl::OptionCategory category("shard-fuzz options");

namespace {

cl::list<std::string>
    files(cl::Positional,
          cl::desc("[programs to check instead of random ones]"),
          cl::cat(category));
cl::opt<uint64_t> firstSeed("seed", cl::init(1), cl::cat(category),
                            cl::desc("Seed of the first program; the others "
                                     "follow it"));
cl::opt<uint64_t> programCount("count", cl::init(100), cl::cat(category),
                               cl::desc("Number of programs; with --seconds, "
                                        "the least"));
cl::opt<double> leastSeconds("seconds", cl::init(0), cl::cat(category),
                             cl::desc("Go on until so much time has gone"));
cl::opt<bool> stopAtFirst("stop-at-first", cl::cat(category),
                          cl::desc("Stop at the first failure, tell its "
                                   "number, reduce nothing"));
cl::opt<int64_t> maxOps("max-ops", cl::init(10), cl::cat(category),
                        cl::desc("Ops of a program, about"));
cl::opt<std::string> gridText("grid", cl::value_desc("2x3"), cl::cat(category),
                              cl::desc("Shape of the grid; random without it"));
cl::opt<int64_t> unrun("unrun", cl::init(4), cl::cat(category),
                       cl::desc("Programs beside each one that are checked, "
                                "but not run"));
cl::opt<unsigned> jobs("jobs", cl::init(2), cl::cat(category),
                       cl::desc("Programs at a time"));
cl::opt<Kind> kind(
    "only", cl::init(Kind::Full), cl::cat(category),
    cl::desc("What programs consist of"),
    cl::values(clEnumValN(Kind::Reshard, "reshard", "changes of sharding"),
               clEnumValN(Kind::Collectives, "collectives",
                          "chains of collectives"),
               clEnumValN(Kind::Partial, "partial", "partial values"),
               clEnumValN(Kind::Hints, "hints", "hints that meet"),
               clEnumValN(Kind::Grids, "grids", "two grids in one function"),
               clEnumValN(Kind::Families, "families",
                          "few ops of one family on split arguments"),
               clEnumValN(Kind::Batches, "batches",
                          "ops on a batch, without communication"),
               clEnumValN(Kind::Choices, "choices",
                          "few ops whose shardings are to be chosen well"),
               clEnumValN(Kind::Needed, "needed",
                          "constructs that need a known number of bytes"),
               clEnumValN(Kind::Moves, "moves",
                          "collectives among ops that they may move past"),
               clEnumValN(Kind::Ops, "ops", "straight-line code"),
               clEnumValN(Kind::Control, "control", "mostly regions and calls"),
               clEnumValN(Kind::Full, "full", "everything")));
cl::opt<std::string>
    cpu("cpu", cl::value_desc("processor"), cl::cat(category),
        cl::desc("The processor to generate code for, as in shard-run"));
cl::opt<bool> printOnly("print", cl::cat(category),
                        cl::desc("Print the programs; check nothing"));
cl::opt<bool> printCosts("print-costs", cl::cat(category),
                         cl::desc("Partition the programs and print what is "
                                  "predicted for each; check nothing"));
cl::opt<bool> printCoverage("coverage", cl::cat(category),
                            cl::desc("At the end, how many programs hold each "
                                     "op and each kind of collective"));
cl::opt<bool> printUncovered("uncovered-models", cl::cat(category),
                             cl::desc("List the ops with a sharding model that "
                                      "no program holds; check nothing"));
cl::opt<bool>
    stability("stability", cl::init(true), cl::cat(category),
              cl::desc("Check that a second propagation changes nothing"));
cl::opt<std::string>
    fault("fault", cl::value_desc("name"), cl::cat(category),
          cl::desc("Make this mistake on purpose; a build with "
                   "SHARD_SEEDED_FAULTS=ON only"));
cl::opt<bool> listFaults("list-faults", cl::cat(category),
                         cl::desc("Print the faults of this build"));
cl::opt<uint64_t> brokenSeed("break-generator", cl::Hidden, cl::cat(category),
                             cl::desc("Crash where the program of this seed "
                                      "is generated"));
cl::opt<bool> mpi("mpi", cl::cat(category),
                  cl::desc("Under mpirun: run the programs on its ranks and "
                           "compare them with those on threads"));
cl::opt<bool> quiet("quiet", cl::cat(category),
                    cl::desc("No progress line, no figures of time"));

using Clock = std::chrono::steady_clock;

} // namespace

static std::string command(uint64_t seed) {
  std::string text = "shard-fuzz --seed " + std::to_string(seed) +
                     " --count 1 --only " + toString(kind) + " --max-ops " +
                     std::to_string(maxOps);
  if (!gridText.empty())
    text += " --grid " + gridText;
  if (!cpu.empty())
    text += " --cpu " + cpu;
  return text;
}

namespace {
/// The programs of this run: those of the files, or random ones.
struct Source {
  GenerateOptions options;
  std::vector<std::string> given;

  bool random() const { return given.empty(); }
  uint64_t count() const {
    return random() ? uint64_t(programCount) : given.size();
  }
  /// The program of a seed. Given programs are numbered from --seed on.
  std::string program(uint64_t seed) const {
    if (brokenSeed.getNumOccurrences() && seed == brokenSeed)
      std::abort();
    return random() ? generate(seed, options) : given[seed - firstSeed];
  }
};

/// Checks all programs, and counts.
class Session {
public:
  explicit Session(const Source &source) : source(source) {}

  void run();
  /// Prints what came out. Returns the exit code.
  int report();

private:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  std::function<Outcome(uint64_t)> makeWork() const;
  void note(uint64_t seed, const Outcome &outcome);
  void progress() const;

  const Source &source;
  Clock::time_point begin = Clock::now();
  std::vector<Failure> failures;
  uint64_t finished = 0, contradictions = 0;
  Coverage coverage;
};
} // namespace

std::function<Outcome(uint64_t)> Session::makeWork() const {
  std::shared_ptr<mlir::MLIRContext> context = makeContext();
  return [this, context](uint64_t seed) {
    Coverage coverage;
    // All given programs get the same inputs.
    Outcome outcome = check(*context, source.program(seed),
                            source.random() ? seed : uint64_t(firstSeed),
                            stability, &coverage);
    if (outcome.verdict == Verdict::Pass && source.random())
      outcome = checkOthers(*context, seed, source.options, unrun);
    outcome.notes = coverage.encode();
    return outcome;
  };
}

void Session::note(uint64_t seed, const Outcome &outcome) {
  ++finished;
  coverage.add(outcome.notes);
  contradictions += outcome.verdict == Verdict::Contradiction;
  if (isFailure(outcome.verdict))
    failures.push_back({seed, outcome});
}

void Session::progress() const {
  llvm::errs() << "\r" << finished << " programs, "
               << llvm::format("%.1f", double(finished) / seconds())
               << " per second, " << failures.size() << " failures, "
               << contradictions << " contradictions, " << coverage.numOps()
               << " ops, " << coverage.numCollectives() << " collectives ";
  llvm::errs().flush();
}

void Session::run() {
  double lastTick = 0;
  bool terminal = isatty(STDERR_FILENO);
  Programs programs;
  programs.first = firstSeed;
  programs.jobs = jobs;
  programs.goOn = [&](uint64_t started) {
    if (stopAtFirst && !failures.empty())
      return false;
    return started < source.count() ||
           (source.random() && seconds() < leastSeconds);
  };
  programs.makeWork = [&] { return makeWork(); };
  programs.done = [&](uint64_t seed, const Outcome &outcome) {
    note(seed, outcome);
  };
  programs.tick = [&] {
    if (quiet || !terminal || seconds() - lastTick < 1)
      return;
    lastTick = seconds();
    progress();
  };
  runAll(programs);
  llvm::sort(failures, [](const Failure &a, const Failure &b) {
    return a.seed < b.seed;
  });
  if (!quiet) {
    progress();
    llvm::errs() << "\n";
  }
}

int Session::report() {
  if (stopAtFirst && !failures.empty()) {
    const Failure &first = failures.front();
    llvm::outs() << "first failure: program " << first.seed - firstSeed + 1
                 << ", seed " << first.seed << ": "
                 << toString(first.outcome.verdict) << ": "
                 << first.outcome.message << "\n";
    return 1;
  }
  keepFailures(
      failures, [&](uint64_t seed) { return source.program(seed); },
      source.random() ? command : nullptr, stability);
  if (printCoverage)
    coverage.print(llvm::outs());
  llvm::outs() << finished << " programs, " << failures.size() << " failures, "
               << contradictions << " contradictions\n";
  return failures.empty() ? 0 : 1;
}

static bool bad(const llvm::Twine &what) {
  llvm::errs() << "shard-fuzz: " << what << "\n";
  return false;
}

/// Whether the options make sense; prints what does not. Sets the processor and the
/// fault that this process and its children take from the environment.
static bool checkOptions() {
  if (jobs < 1 || jobs > 256)
    return bad("--jobs " + llvm::Twine(jobs) + ": expected 1 to 256");
  if (maxOps < 1 || maxOps > 10000)
    return bad("--max-ops " + llvm::Twine(maxOps) + ": expected 1 to 10000");
  if (!(leastSeconds >= 0))
    return bad("--seconds: expected a number from 0 on");
  if (!checkFailureOptions())
    return false;
  if (!cpu.empty())
    setenv(shard::cpuVariable, cpu.c_str(), /*overwrite=*/1);
  auto machine = shard::createTargetMachine({}, 0, /*toRun=*/true);
  if (!machine)
    return bad(llvm::toString(machine.takeError()));
  if (!listFaults && !fault.empty() && !seedFault(fault))
    return bad("--fault '" + fault +
               "': this build has no such fault (--list-faults); faults are in "
               "a build with SHARD_SEEDED_FAULTS=ON");
  return true;
}

/// The sizes of --grid; empty without it.
static bool readGrid(std::vector<int64_t> &grid) {
  constexpr int64_t kMaxDevices = 64;
  constexpr size_t kMaxAxes = 6;
  int64_t devices = 1;
  llvm::SmallVector<llvm::StringRef> sizes;
  if (!gridText.empty())
    llvm::StringRef(gridText).split(sizes, 'x');
  for (llvm::StringRef size : sizes) {
    int64_t number = 0;
    if (size.getAsInteger(10, number) || number < 1)
      return bad("--grid '" + gridText + "': expected sizes such as 2x3");
    grid.push_back(number);
    devices =
        number > kMaxDevices / devices ? kMaxDevices + 1 : devices * number;
  }
  if (devices > kMaxDevices || grid.size() > kMaxAxes)
    return bad("--grid '" + gridText + "': expected at most " +
               llvm::Twine(kMaxDevices) + " devices and " +
               llvm::Twine(kMaxAxes) + " axes");
  return true;
}

static bool readSource(Source &source) {
  source.options.kind = kind;
  source.options.maxOps = maxOps;
  if (!readGrid(source.options.grid))
    return false;
  for (const std::string &file : files) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer)
      return bad("cannot read '" + file + "': " + buffer.getError().message());
    source.given.push_back((*buffer)->getBuffer().str());
  }
  return true;
}

/// Lists the ops with a model that no program has. Returns the exit code.
static int listUncovered(const Source &source) {
  Coverage coverage;
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  for (uint64_t i = 0; i < source.count(); ++i) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        source.program(firstSeed + i), context.get());
    if (!module)
      return 1;
    coverage.countOps(*module);
  }
  context->loadAllAvailableDialects();
  for (const std::string &name : coverage.missing(shard::modelledOps(*context)))
    llvm::outs() << name << "\n";
  if (printCoverage)
    coverage.print(llvm::outs());
  return 0;
}

/// Lets malloc fill what it gives and what it takes back, so that an element that nothing
/// has written shows: fresh pages are zero, which often is the right element.
static void fillFreshMemory() {
#ifdef M_PERTURB
  // malloc gives bytes of the complement, 0x5b: an odd number in each integer type.
  mallopt(M_PERTURB, 0xa4);
#endif
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  fillFreshMemory();
  shard::setVersionPrinter();
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(argc, argv,
                                   "Proves by random programs that a grid "
                                   "computes what one device does\n",
                                   &llvm::errs()))
    return 2;
  if (!checkOptions())
    return 2;
  if (listFaults) {
    for (const SeededFault &fault : seededFaults())
      llvm::outs() << fault.name << ": " << fault.description << "\n";
    return 0;
  }
  Source source;
  if (!readSource(source))
    return 2;
  if (printOnly) {
    for (uint64_t i = 0; i < source.count(); ++i)
      llvm::outs() << source.program(firstSeed + i);
    return 0;
  }
  if (printUncovered)
    return listUncovered(source);
  if (printCosts)
    return listCosts(firstSeed, source.count(), jobs,
                     [&](uint64_t seed) { return source.program(seed); });
  if (mpi)
    return proveUnderMpi(
        {argv, argv + argc}, source.options, !source.random(),
        {firstSeed, programCount, leastSeconds, /*program=*/{}});
  Session session(source);
  session.run();
  return session.report();
}
