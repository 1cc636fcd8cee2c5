//===- Check.cpp - The verdict about one program -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "CheckCalls.h"
#include "Coverage.h"
#include "Generate.h"
#include "Random.h"

#include "shard/Execution/Compile.h"
#include "shard/Execution/Hints.h"
#include "shard/Execution/Verify.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <cctype>

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

const char *shard::fuzz::toString(Verdict verdict) {
  switch (verdict) {
  case Verdict::Pass:
    return "pass";
  case Verdict::Contradiction:
    return "contradiction";
  case Verdict::Rejected:
    return "rejected";
  case Verdict::Invalid:
    return "invalid";
  case Verdict::Wrong:
    return "wrong";
  case Verdict::RunFailed:
    return "run-failed";
  case Verdict::CheckFailed:
    return "check-failed";
  case Verdict::Crash:
    return "crash";
  case Verdict::Hang:
    return "hang";
  }
  return "";
}

std::string shard::fuzz::normalized(const std::string &message) {
  std::string text;
  bool quoted = false;
  int64_t brackets = 0;
  for (char c : message) {
    if (c == '\'')
      quoted = !quoted;
    if (c == '[' || c == '<')
      ++brackets;
    if ((c == ']' || c == '>') && brackets > 0) {
      --brackets;
      continue;
    }
    if (quoted || brackets > 0 || std::isdigit(static_cast<unsigned char>(c)))
      continue;
    text += c;
  }
  return text.substr(0, 90);
}

bool shard::fuzz::sameFailure(const Outcome &a, const Outcome &b) {
  if (a.verdict != b.verdict)
    return false;
  if (a.verdict == Verdict::Wrong || a.verdict == Verdict::Crash ||
      a.verdict == Verdict::Hang)
    return true;
  return normalized(a.message) == normalized(b.message);
}

/// Errors that say that the hints cannot all be met.
static bool saysContradiction(StringRef message) {
  for (StringRef text : {"contradicts another one of the same value",
                         "too; mark one of them annotate_for_users"})
    if (message.contains(text))
      return true;
  return false;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// The first lines that differ.
static std::string difference(StringRef a, StringRef b) {
  while (!a.empty() || !b.empty()) {
    auto [lineA, restA] = a.split('\n');
    auto [lineB, restB] = b.split('\n');
    if (lineA != lineB)
      return ("'" + lineA.trim() + "' and then '" + lineB.trim() + "'").str();
    a = restA;
    b = restB;
  }
  return "nothing";
}

namespace {

/// Collects the first error.
struct Errors {
  explicit Errors(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              first.empty()) {
            first = diagnostic.str();
            if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
              where = " (line " + std::to_string(place.getLine()) +
                      ", column " + std::to_string(place.getColumn()) + ")";
          }
          return success();
        }) {}
  std::string first;
  /// Its place in the file, in words.
  std::string where;
  ScopedDiagnosticHandler handler;
};

} // namespace

static std::string oneLine(std::string text) {
  for (char &c : text)
    if (c == '\n' || c == '\t')
      c = ' ';
  return text.substr(0, 400);
}

/// The verdict about a pass that failed.
static Outcome rejected(const char *where, const Errors &errors) {
  std::string message = std::string(where) + ": " + oneLine(errors.first);
  if (errors.first.empty())
    return {Verdict::CheckFailed, message + "failed without an error"};
  if (saysContradiction(errors.first))
    return {Verdict::Contradiction, message};
  return {Verdict::Rejected, message};
}

/// Integers in floats, so that every sum is exact.
static void fillWithIntegers(HostTensor &tensor, uint64_t seed) {
  Random rng(seed);
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    auto number = rng.between(-inputBound, inputBound);
    if (tensor.type() == ElementType::F32)
      reinterpret_cast<float *>(tensor.data())[i] = float(number);
    else
      reinterpret_cast<double *>(tensor.data())[i] = double(number);
  }
}

/// What a closed dimension says about the local extent.
static void checkHint(func::FuncOp original, ShardingAttr hint, Type global,
                      Type local, llvm::Twine what, std::string &error) {
  auto globalTensor = dyn_cast<RankedTensorType>(global);
  auto localTensor = dyn_cast<RankedTensorType>(local);
  if (!globalTensor || !localTensor)
    return;
  SymbolTableCollection symbols;
  GridOp grid = getGrid(original, hint.getGrid(), symbols);
  if (!grid)
    return;
  FailureOr<ResolvedSharding> resolved =
      resolve(hint, grid, global, [&]() { return original.emitError(); });
  if (failed(resolved))
    return;
  for (auto [dim, axes] : llvm::enumerate(resolved->dims)) {
    if (axes.open)
      continue;
    int64_t parts = 1;
    for (const ResolvedAxis &axis : axes.axes)
      parts *= axis.size;
    int64_t expected = localExtent(globalTensor.getDimSize(dim), parts);
    if (localTensor.getDimSize(dim) != expected) {
      llvm::raw_string_ostream(error)
          << what << " has local type " << local << ", but its hint is closed "
          << "and asks for extent " << expected << " in dimension " << dim;
      return;
    }
  }
}

/// Local types are what the recorded shardings say, and hints are honoured.
static std::string checkPartitioned(ModuleOp original, ModuleOp partitioned) {
  std::string error;
  partitioned.walk([&](func::FuncOp function) {
    SymbolTableCollection symbols;
    auto one = [&](Type type, Attribute attribute, llvm::Twine what) {
      auto local = dyn_cast_if_present<LocalAttr>(attribute);
      if (!local || !error.empty())
        return;
      GridOp grid = getGrid(function, local.getSharding().getGrid(), symbols);
      if (!grid) {
        error = (what + " names a grid that is not there").str();
        return;
      }
      FailureOr<Grid> shape = staticGrid(grid);
      FailureOr<ResolvedSharding> resolved =
          resolve(local.getSharding(), grid, local.getType(),
                  [&]() { return function.emitError(); });
      if (failed(shape) || failed(resolved))
        return;
      FailureOr<Sharding> sharding = toSharding(*resolved);
      if (failed(sharding))
        return;
      RankedTensorType expected =
          localType(cast<RankedTensorType>(local.getType()), *shape, *sharding);
      if (expected != type)
        llvm::raw_string_ostream(error)
            << what << " of '" << function.getName() << "' has type " << type
            << " where its sharding says " << expected;
    };
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      one(function.getArgumentTypes()[i], function.getArgAttr(i, "shard.local"),
          "argument " + llvm::Twine(i));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      one(function.getResultTypes()[i],
          function.getResultAttr(i, "shard.local"), "result " + llvm::Twine(i));
    // Private functions may be copies for some of their calls.
    auto hinted = original.lookupSymbol<func::FuncOp>(function.getName());
    if (!function.isPublic() || !hinted)
      return;
    for (unsigned i = 0; error.empty() && i < function.getNumArguments(); ++i)
      if (auto hint =
              hinted.getArgAttrOfType<ShardingAttr>(i, "shard.sharding"))
        checkHint(hinted, hint, hinted.getArgumentTypes()[i],
                  function.getArgumentTypes()[i], "argument " + llvm::Twine(i),
                  error);
    for (unsigned i = 0; error.empty() && i < function.getNumResults(); ++i)
      if (auto hint =
              hinted.getResultAttrOfType<ShardingAttr>(i, "shard.sharding"))
        checkHint(hinted, hint, hinted.getResultTypes()[i],
                  function.getResultTypes()[i], "result " + llvm::Twine(i),
                  error);
  });
  return error;
}

/// Propagates, and checks what it wrote.
static Outcome checkPropagation(ModuleOp module, const Errors &errors,
                                bool stability) {
  OwningOpRef<ModuleOp> annotated = module.clone();
  if (failed(annotateShardings(*annotated)))
    return rejected("propagation", errors);
  if (failed(verify(*annotated)))
    return {Verdict::CheckFailed,
            "propagation makes invalid IR: " + oneLine(errors.first)};
  std::string once = print(*annotated);
  OwningOpRef<ModuleOp> parsed =
      parseSourceString<ModuleOp>(once, module.getContext());
  if (!parsed)
    return {Verdict::CheckFailed,
            "annotated program does not parse: " + oneLine(errors.first)};
  std::string again = print(*parsed);
  if (again != once)
    return {Verdict::CheckFailed, "printing and parsing changes the program: " +
                                      oneLine(difference(once, again))};
  if (!stability)
    return {};
  if (failed(annotateShardings(*parsed)))
    return {Verdict::CheckFailed,
            "second propagation fails: " + oneLine(errors.first)};
  again = print(*parsed);
  if (again != once)
    return {Verdict::CheckFailed, "second propagation changes the program: " +
                                      oneLine(difference(once, again))};
  return {};
}

/// The functions that a run may enter.
static SmallVector<func::FuncOp> entriesOf(ModuleOp module) {
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      entries.push_back(function);
  return entries;
}

/// The collectives of what `entry` reaches.
static CallList listCallsFrom(ModuleOp partitioned, StringRef entry) {
  OwningOpRef<ModuleOp> copy = partitioned.clone();
  eraseUnreachable(copy->lookupSymbol<func::FuncOp>(entry));
  return listCalls(*copy);
}

/// Partitions the whole module, runs `entry` and compares.
static Outcome checkEntry(ModuleOp module, func::FuncOp entry, bool alone,
                          uint64_t inputSeed, Errors &errors,
                          Coverage *coverage) {
  RunOptions options;
  options.seed = inputSeed;
  options.optLevel = 0;
  options.timeoutSeconds = 4;
  options.partitionAll = true;
  for (auto [index, type] : llvm::enumerate(entry.getArgumentTypes())) {
    std::optional<TensorSpec> spec = getTensorSpec(type);
    if (!spec ||
        (spec->type != ElementType::F32 && spec->type != ElementType::F64))
      continue;
    HostTensor input(spec->type, spec->shape);
    fillWithIntegers(input, inputSeed + index);
    options.inputs.emplace(index, std::move(input));
  }
  std::string partitionError;
  CallList calls;
  options.onPartitioned = [&](ModuleOp partitioned) {
    calls = alone ? listCalls(partitioned)
                  : listCallsFrom(partitioned, entry.getName());
    if (coverage)
      coverage->countCollectives(partitioned);
    if (failed(verify(partitioned)))
      partitionError = "partition makes invalid IR: " + errors.first;
    else if (failed(verifySpmd(partitioned)))
      partitionError = "shard-verify-spmd: " + errors.first;
    else
      partitionError = checkPartitioned(module, partitioned);
  };
  FailureOr<RunReport> report = runProgram(module, entry, std::move(options));
  if (!partitionError.empty())
    return {Verdict::CheckFailed, oneLine(partitionError)};
  if (failed(report))
    return rejected("compile", errors);
  if (!errors.first.empty())
    return {Verdict::CheckFailed,
            "succeeded after an error: " + oneLine(errors.first)};
  if (!report->error.empty())
    return {Verdict::RunFailed, oneLine(report->error)};
  for (auto [index, result] : llvm::enumerate(report->results)) {
    if (!result.comparison)
      return {Verdict::CheckFailed, "a result was not compared"};
    const Comparison &comparison = *result.comparison;
    if (comparison.equal && comparison.maxAbsolute == 0)
      continue;
    std::string message;
    llvm::raw_string_ostream(message)
        << "result " << index << " is " << comparison.actual << " instead of "
        << comparison.expected << " at element " << comparison.worst;
    return {Verdict::Wrong, message};
  }
  if (std::string wrong = compareCalls(calls, report->calls); !wrong.empty())
    return {Verdict::CheckFailed, wrong};
  return {};
}

Outcome shard::fuzz::check(MLIRContext &context, const std::string &program,
                           uint64_t inputSeed, bool stability,
                           Coverage *coverage) {
  Errors errors(&context);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(program, &context, "program.mlir");
  if (!module)
    return {Verdict::Invalid, oneLine(errors.first) + errors.where};
  SmallVector<func::FuncOp> entries = entriesOf(*module);
  if (entries.empty())
    return {Verdict::Invalid, "no public function"};
  if (coverage)
    coverage->countOps(*module);
  for (func::FuncOp entry : entries) {
    Outcome outcome = checkEntry(*module, entry, entries.size() == 1, inputSeed,
                                 errors, coverage);
    if (outcome.verdict != Verdict::Pass)
      return outcome;
    coverage = nullptr;
  }
  return checkPropagation(*module, errors, stability);
}
