//===- shard-mutate.cpp - Damaged programs, no crash ------------------------===//
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
#include "ProgramMutation.h"
#include "Stages.h"
#include "TextMutation.h"
#include "TextReduction.h"

#include "shard/Fuzz/Processes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>

using namespace shard::fuzz;
namespace cl = llvm::cl;

namespace {

cl::OptionCategory category("shard-mutate options");
cl::list<std::string> paths(cl::Positional, cl::OneOrMore,
                            cl::desc("files-or-folders..."), cl::cat(category));
cl::opt<uint64_t> firstSeed("seed", cl::init(1), cl::cat(category),
                            cl::desc("Seed of the first mutant"));
cl::opt<uint64_t> mutantCount("count", cl::init(1000), cl::cat(category),
                              cl::desc("Number of mutants"));
cl::opt<bool> asTheyAre("as-they-are", cl::cat(category),
                        cl::desc("Check the inputs, change nothing"));
cl::opt<unsigned> jobs("jobs", cl::init(2), cl::cat(category),
                       cl::desc("Mutants at a time"));
cl::opt<std::string> keep("keep", cl::value_desc("folder"), cl::cat(category),
                          cl::desc("Where reduced failures go; without it they "
                                   "are printed"));
cl::opt<unsigned> keepMost("keep-most", cl::init(20), cl::cat(category),
                           cl::desc("Look closer at this many failures"));
cl::opt<std::string>
    peer("mlir-opt", cl::init("mlir-opt"), cl::cat(category),
         cl::desc("What fails in it alike is no failure of this project"));

/// A program of an input file.
struct Input {
  std::string name, text;
};

struct Failure {
  uint64_t seed;
  Outcome outcome;
  Place place;
  std::string program;
  bool upstream = false;
};

/// What the last line tells.
struct Counts {
  uint64_t finished = 0, valid = 0;
  unsigned ours = 0, upstream = 0, unmade = 0;
};

/// Inputs longer than this are taken rarely: each takes seconds.
constexpr size_t longInput = 100000;

} // namespace

static void addFile(const std::string &path, std::vector<Input> &inputs) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return;
  // The parts of --split-input-file and of split-file.
  std::string text;
  auto flush = [&] {
    if (!tokenize(text).empty())
      inputs.push_back({path, text});
    text.clear();
  };
  llvm::StringRef rest = (*buffer)->getBuffer();
  while (!rest.empty()) {
    auto [line, tail] = rest.split('\n');
    rest = tail;
    if (line.starts_with("// -----") || line.starts_with("//---") ||
        line.starts_with("#---"))
      flush();
    else if (!line.starts_with("# "))
      text += line.str() + "\n";
  }
  flush();
}

static bool readInputs(std::vector<Input> &inputs) {
  for (const std::string &path : paths) {
    if (!llvm::sys::fs::is_directory(path)) {
      if (!llvm::sys::fs::exists(path)) {
        llvm::errs() << "shard-mutate: no file or folder '" << path << "'\n";
        return false;
      }
      addFile(path, inputs);
      continue;
    }
    std::vector<std::string> files;
    std::error_code error;
    for (llvm::sys::fs::recursive_directory_iterator it(path, error), end;
         it != end && !error; it.increment(error)) {
      llvm::StringRef extension = llvm::sys::path::extension(it->path());
      if (extension == ".mlir" || extension == ".test")
        files.push_back(it->path());
    }
    std::sort(files.begin(), files.end());
    for (const std::string &file : files)
      addFile(file, inputs);
  }
  if (inputs.empty())
    llvm::errs() << "shard-mutate: no programs\n";
  return !inputs.empty();
}

/// The mutant of `seed`.
static std::string mutant(uint64_t seed, const std::vector<Input> &inputs,
                          const Vocabulary &vocabulary,
                          mlir::MLIRContext &context) {
  if (asTheyAre)
    return inputs[seed - firstSeed].text;
  Random random(seed);
  const Input *input = &random.oneOf(inputs);
  while (input->text.size() > longInput && !random.chance(2))
    input = &random.oneOf(inputs);
  if (random.chance(50))
    if (std::optional<std::string> text =
            mutateProgram(context, input->text, random))
      return *text;
  return mutateText(input->text, random, vocabulary);
}

/// `program` with an attribute of MLIR in the place of each one of ours, without the lines that
/// begin with an op of ours, and with ops of no dialect for ours in the generic form: LLVM's tool
/// knows none of them.
static std::string inWordsOfMlir(const std::string &program) {
  std::string text, renamed = program;
  constexpr llvm::StringLiteral ours = "\"shard.";
  for (size_t at = 0; (at = renamed.find(ours, at)) != std::string::npos;)
    renamed.replace(at, ours.size(), "\"unknown.");
  llvm::raw_string_ostream stream(text);
  for (llvm::StringRef rest = renamed; !rest.empty();) {
    auto [first, others] = rest.split('\n');
    rest = others;
    if (first.ltrim().starts_with("shard."))
      continue;
    size_t at;
    while ((at = first.find("#shard.")) != llvm::StringRef::npos) {
      size_t end = first.find('<', at);
      if (end == llvm::StringRef::npos)
        break;
      int64_t depth = 0;
      do {
        depth += first[end] == '<' ? 1 : first[end] == '>' ? -1 : 0;
        ++end;
      } while (depth > 0 && end < first.size());
      stream << first.take_front(at) << "#linalg.iterator_type<parallel>";
      first = first.drop_front(end);
    }
    stream << first << '\n';
  }
  return text;
}

/// Whether `mlir-opt` fails like us at `place`: dies, does not come back, prints an
/// error and exits with 0, or exits otherwise without a word.
static bool failsUpstream(const Place &place) {
  if (place.stage == "parse" || place.stage == "import-mesh")
    if (std::string known = inWordsOfMlir(place.program);
        known != place.program &&
        failsUpstream({"", place.pipeline, std::move(known)}))
      return true;
  if (place.pipeline.empty())
    return false;
  auto program = llvm::sys::findProgramByName(peer);
  llvm::SmallString<128> file, log;
  if (!program || llvm::sys::fs::createTemporaryFile("mutant", "mlir", file) ||
      llvm::sys::fs::createTemporaryFile("mutant", "log", log))
    return false;
  {
    std::error_code error;
    llvm::raw_fd_ostream stream(file, error);
    stream << place.program;
  }
  std::string pipeline = "--pass-pipeline=" + place.pipeline;
  std::optional<llvm::StringRef> redirects[] = {"", "", log.str()};
  int status = llvm::sys::ExecuteAndWait(
      *program,
      {*program, file, pipeline, "--mlir-disable-threading",
       "--allow-unregistered-dialect"},
      std::nullopt, redirects, unsigned(timeLimit));
  bool odd = status < 0 || status >= 128;
  if (auto text = llvm::MemoryBuffer::getFile(log))
    odd |= (*text)->getBuffer().contains("error:") == (status == 0);
  llvm::sys::fs::remove(file);
  llvm::sys::fs::remove(log);
  return odd;
}

/// Runs `program` in a child that tells where it is. `place` is the last one.
static Outcome runCarefully(const std::string &program,
                            const std::vector<std::string> &stages,
                            Place &place) {
  std::string sent;
  Outcome outcome = runInChild(
      [&](const std::function<void(std::string)> &send) -> Outcome {
        auto context = makeWideContext();
        bool parsed;
        return runStages(
            *context, program, stages, parsed, [&](const Place &at) {
              send(at.stage + '\0' + at.pipeline + '\0' + at.program);
            });
      },
      sent);
  size_t first = sent.find('\0');
  size_t second =
      first == std::string::npos ? first : sent.find('\0', first + 1);
  if (second != std::string::npos)
    place = {sent.substr(0, first), sent.substr(first + 1, second - first - 1),
             sent.substr(second + 1)};
  return outcome;
}

/// The letters of a message: numbers, addresses and names differ from case to case.
static std::string sortOf(const Outcome &outcome, const Place &place) {
  std::string text = std::to_string(int(outcome.verdict)) + place.stage;
  llvm::StringRef message = outcome.message;
  for (message = message.take_front(120); !message.empty();) {
    if (message.consume_front("0x"))
      message = message.drop_while(llvm::isHexDigit);
    else if (llvm::isDigit(message.front()))
      message = message.drop_front();
    else {
      text += message.front();
      message = message.drop_front();
    }
  }
  return text;
}

/// The program with as few lines and tokens as fail alike.
static std::string reduce(const Failure &failure,
                          const std::vector<std::string> &stages) {
  std::string sort = sortOf(failure.outcome, failure.place);
  // The stage alone is faster.
  std::vector<std::string> only;
  for (const std::string &stage : stages)
    if (stage == failure.place.stage)
      only = {stage};
  auto fails = [&](const std::string &text) {
    Place place;
    Outcome outcome = runCarefully(text, only, place);
    return isFailure(outcome.verdict) && sortOf(outcome, place) == sort;
  };
  return reduceText(failure.program, 60, fails);
}

static void report(const Failure &failure, const std::string &program) {
  std::string text = "// " + std::string(failure.upstream ? "upstream, " : "") +
                     "seed " + std::to_string(failure.seed) + ", " +
                     failure.place.stage;
  if (!failure.place.pipeline.empty())
    text += " in " + failure.place.pipeline;
  text += ": " +
          std::string(failure.outcome.verdict == Verdict::Hang    ? "hangs"
                      : failure.outcome.verdict == Verdict::Crash ? "crashes: "
                                                                  : "") +
          failure.outcome.message + "\n";
  llvm::outs() << text;
  if (keep.empty()) {
    if (!failure.upstream)
      llvm::outs() << program;
    return;
  }
  llvm::SmallString<128> path(keep);
  llvm::sys::path::append(path, (failure.upstream ? "upstream-" : "mutant-") +
                                    std::to_string(failure.seed) + ".mlir");
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error)
    llvm::errs() << "shard-mutate: cannot write '" << path
                 << "': " << error.message() << "\n";
  else
    file << text << program;
}

/// Checks all mutants, and counts them. Returns the failures.
static std::vector<Failure> checkMutants(const std::vector<Input> &inputs,
                                         const Vocabulary &vocabulary,
                                         Counts &counts) {
  uint64_t count = asTheyAre ? inputs.size() : uint64_t(mutantCount);
  std::vector<Failure> failures;
  Programs programs;
  programs.first = firstSeed;
  programs.jobs = std::max(1u, unsigned(jobs));
  programs.goOn = [&](uint64_t started) { return started < count; };
  programs.makeWork = [&]() -> std::function<Outcome(uint64_t)> {
    std::shared_ptr<mlir::MLIRContext> context = makeWideContext();
    return [&, context](uint64_t seed) {
      bool parsed = false;
      Outcome outcome =
          runStages(*context, mutant(seed, inputs, vocabulary, *context),
                    pipelines(), parsed);
      outcome.notes = parsed ? "valid" : "";
      return outcome;
    };
  };
  programs.done = [&](uint64_t seed, const Outcome &outcome) {
    ++counts.finished;
    counts.valid += outcome.notes == "valid";
    if (isFailure(outcome.verdict))
      failures.push_back({seed, outcome, {}, {}});
  };
  programs.tick = [] {};
  runAll(programs);
  return failures;
}

/// Makes the program of `failure` again; false if that ends the process: an accessor
/// of MLIR does not take what no verifier has seen.
static bool makeAgain(Failure &failure, const std::vector<Input> &inputs,
                      const Vocabulary &vocabulary) {
  // A child would print again what is not written yet.
  llvm::outs().flush();
  runInChild(
      [&](const std::function<void(std::string)> &send) -> Outcome {
        auto context = makeWideContext();
        send(mutant(failure.seed, inputs, vocabulary, *context));
        return {};
      },
      failure.program);
  return !failure.program.empty();
}

/// Runs the program of `failure` again, step by step, to find the pass that fails and
/// whether it fails upstream. Returns a program that shows it: a small one while
/// fewer than --keep-most have been reduced.
static std::string examine(Failure &failure, unsigned &reduced) {
  Outcome again = runCarefully(failure.program, pipelines(), failure.place);
  if (isFailure(again.verdict))
    failure.outcome = again;
  failure.upstream = failsUpstream(failure.place);
  if (failure.upstream || reduced >= keepMost)
    return failure.place.program;
  ++reduced;
  std::string small = reduce(failure, pipelines());
  // LLVM's tool may have stumbled over text that it does not know and that is gone
  // now.
  Place place;
  runCarefully(small, pipelines(), place);
  failure.upstream = failsUpstream(place);
  return small;
}

/// Examines all failures, and reports each sort once.
static void reportFailures(std::vector<Failure> &failures,
                           const std::vector<Input> &inputs,
                           const Vocabulary &vocabulary, Counts &counts) {
  unsigned reduced = 0;
  std::map<std::string, unsigned> sorts;
  for (Failure &failure : failures) {
    if (!makeAgain(failure, inputs, vocabulary)) {
      ++counts.unmade;
      if (sorts[failure.outcome.message]++ == 0)
        llvm::outs() << "// seed " << failure.seed
                     << ", while it was changed: " << failure.outcome.message
                     << "\n";
      continue;
    }
    std::string small = examine(failure, reduced);
    ++(failure.upstream ? counts.upstream : counts.ours);
    std::string sort = sortOf(failure.outcome, failure.place) +
                       (failure.upstream ? failure.place.pipeline : "");
    if (sorts[sort]++ > 0 || small.empty())
      continue;
    report(failure, small);
    llvm::outs().flush();
  }
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  shard::setVersionPrinter();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Damages programs and proves that every pass survives them\n");
  if (!keep.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(keep)) {
      llvm::errs() << "shard-mutate: --keep '" << keep
                   << "': " << error.message() << "\n";
      return 2;
    }
  std::vector<Input> inputs;
  if (!readInputs(inputs))
    return 2;
  if (!llvm::sys::findProgramByName(peer))
    llvm::errs()
        << "shard-mutate: there is no '" << peer
        << "': failures of MLIR itself count as ours; name LLVM's tool "
           "by --mlir-opt\n";
  Vocabulary vocabulary;
  for (const Input &input : inputs)
    if (input.text.size() <= longInput)
      vocabulary.add(input.text);
  // Reading symbols takes a second per crash.
  setenv("LLVM_DISABLE_SYMBOLIZATION", "1", 1);
  registerPasses();

  Counts counts;
  std::vector<Failure> failures = checkMutants(inputs, vocabulary, counts);
  reportFailures(failures, inputs, vocabulary, counts);
  llvm::outs() << counts.finished << " programs, " << counts.valid << " valid, "
               << counts.ours << " failures, " << counts.upstream
               << " upstream, " << counts.unmade << " not made\n";
  return counts.ours == 0 ? 0 : 1;
}
