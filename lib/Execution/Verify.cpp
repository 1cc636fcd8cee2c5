//===- Verify.cpp - Run a program on a grid and prove it equal ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/Verify.h"

#include "GridProgram.h"
#include "InputRounding.h"
#include "RunGrid.h"

#include "shard/Codegen/Compile.h"
#include "shard/Execution/Hints.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Models/Canonicalizations.h"
#include "shard/Partitioning/LocalOps.h"
#include "shard/Reference/Reference.h"
#include "shard/Runtime/Threads.h"

#include "mlir/Pass/PassManager.h"

#include <chrono>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace shard;
using namespace shard::execution;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A random input for argument `index`, of the shape that `options` have for it.
static FailureOr<HostTensor> makeRandomInput(func::FuncOp entry, unsigned index,
                                             const TensorSpec &spec,
                                             const RunOptions &options) {
  Location loc = entry.getArgument(index).getLoc();
  auto asked = options.shapes.find(index);
  ArrayRef<int64_t> shape = asked == options.shapes.end()
                                ? ArrayRef(spec.shape)
                                : ArrayRef(asked->second);
  if (llvm::any_of(shape, ShapedType::isDynamic))
    return emitError(loc) << "argument " << index << " has type "
                          << entry.getArgumentTypes()[index]
                          << ": an input or a shape has to say how large it is";
  std::string error;
  std::optional<HostTensor> tensor = HostTensor::make(spec.type, shape, error);
  if (!tensor)
    return emitError(loc) << "argument " << index << ": " << error;
  if (failed(checkInput(entry, index, spec.type, spec.shape, *tensor)))
    return failure();
  fillRandom(*tensor, options.seed, index);
  return std::move(*tensor);
}

LogicalResult execution::makeInputs(func::FuncOp entry, RunOptions &options,
                                    std::vector<HostTensor> &inputs) {
  auto missing = [&](const auto &numbered) {
    return !numbered.empty() &&
           numbered.rbegin()->first >= entry.getNumArguments();
  };
  if (missing(options.inputs) || missing(options.shapes))
    return entry.emitError()
           << "'" << entry.getName() << "' takes " << entry.getNumArguments()
           << " arguments; there is no argument "
           << (missing(options.inputs) ? options.inputs.rbegin()->first
                                       : options.shapes.rbegin()->first)
           << " for an input";
  for (unsigned index : llvm::seq(entry.getNumArguments())) {
    FailureOr<TensorSpec> spec = argumentSpec(entry, index);
    if (failed(spec))
      return failure();
    auto given = options.inputs.find(index);
    if (given == options.inputs.end()) {
      FailureOr<HostTensor> tensor =
          makeRandomInput(entry, index, *spec, options);
      if (failed(tensor))
        return failure();
      inputs.push_back(std::move(*tensor));
      continue;
    }
    HostTensor &tensor = given->second;
    if (failed(checkInput(entry, index, spec->type, spec->shape, tensor)))
      return failure();
    inputs.push_back(std::move(tensor));
  }
  return success();
}

static std::vector<const HostTensor *>
pointersTo(const std::vector<HostTensor> &tensors) {
  std::vector<const HostTensor *> pointers;
  for (const HostTensor &tensor : tensors)
    pointers.push_back(&tensor);
  return pointers;
}

int64_t execution::largestExtent(const std::vector<HostTensor> &tensors) {
  int64_t largest = 1;
  for (const HostTensor &tensor : tensors)
    for (int64_t extent : tensor.shape())
      largest = std::max(largest, extent);
  return largest;
}

/// Tells that the program of one device is about to run; false if it is not to.
static bool mayRunOneDevice(const RunOptions &options, RunReport &report) {
  if (!options.monitor || options.monitor("run", "one device"))
    return true;
  fail(report, "stopped on request: run");
  return false;
}

/// Runs the reference; false if that went wrong.
static bool runReference(const CompiledProgram &program,
                         const std::vector<HostTensor> &inputs,
                         RunReport &report, std::vector<HostTensor> &outputs) {
  llvm::Expected<Invocation> invocation = program.prepare(pointersTo(inputs));
  if (!invocation) {
    fail(report, llvm::toString(invocation.takeError()));
    return false;
  }
  runtime::RunOptions options;
  // One device is a grid without axes: run-time checks that fail are caught.
  runtime::RunReport run =
      runtime::runOnGrid({}, [&](int64_t) { invocation->execute(); }, options);
  report.secondsOneDevice = run.seconds;
  if (!run.ok) {
    fail(report, "on one device: " + run.error);
    return false;
  }
  if (report.gridName.empty())
    report.peakTemporaryBytes = invocation->peakBytes();
  outputs = invocation->takeResults();
  return true;
}

/// Compares result `index`, and again with what `rounding`, if not null, measures where floats
/// differ by more than the tolerance.
static Comparison compareResult(size_t index, const HostTensor &expected,
                                const HostTensor &actual,
                                const ErrorModel &model,
                                InputRounding *rounding) {
  Comparison comparison = compareTensors(expected, actual, model);
  if (comparison.equal || comparison.tolerance == 0 || !rounding)
    return comparison;
  return compareTensors(expected, actual, model, rounding->movedBy(index));
}

/// Runs the program of one device as optimised as the grid's. It must agree with the
/// reference, which is not optimised; false if that went wrong.
static bool runOptimized(const CompiledProgram &program,
                         const std::vector<HostTensor> &inputs,
                         const std::vector<HostTensor> &expected,
                         const ErrorModel &model, InputRounding *rounding,
                         RunReport &report) {
  std::vector<HostTensor> outputs;
  if (!runReference(program, inputs, report, outputs))
    return false;
  for (size_t i = 0; i < expected.size(); ++i) {
    Comparison comparison =
        compareResult(i, expected[i], outputs[i], model, rounding);
    if (comparison.equal)
      continue;
    std::string text = ("result " + llvm::Twine(i) +
                        " on one device depends on whether the program is "
                        "optimised: ")
                           .str();
    // Integers have no rounding that a program could magnify.
    if (comparison.tolerance > 0)
      llvm::raw_string_ostream(text) << llvm::format(
          "relative error %.3e, allowed %.3e; the program magnifies rounding "
          "errors, as a softmax of large numbers does (try inputs of the size "
          "that it is made for), or ",
          comparison.maxRelative, comparison.tolerance);
    fail(report, text + "this is an error of the compiler");
    return false;
  }
  return true;
}

static void compareAll(const std::vector<HostTensor> &expected,
                       const std::vector<HostTensor> &actual,
                       const ErrorModel &model, InputRounding *rounding,
                       RunReport &report) {
  for (size_t i = 0; i < expected.size(); ++i) {
    Comparison comparison =
        compareResult(i, expected[i], actual[i], model, rounding);
    report.maxAbsolute = std::max(report.maxAbsolute, comparison.maxAbsolute);
    report.maxRelative = std::max(report.maxRelative, comparison.maxRelative);
    if (expected[i].shape() != actual[i].shape())
      fail(report, "result " + llvm::Twine(i) + " has shape " +
                       toString(actual[i].type(), actual[i].shape()) +
                       " instead of " +
                       toString(expected[i].type(), expected[i].shape()));
    report.pass &= comparison.equal;
    report.results[i].comparison = comparison;
  }
}

/// The same for programs of one device whose machine code is the same.
static std::string keyOf(ModuleOp module, StringRef entryName,
                         const RunOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << entryName << '\n'
     << options.target.cpu << '\n'
     << options.target.triple << '\n'
     << options.referenceLevel << '\n';
  // With locations: run-time checks that fail tell them.
  module.print(os, OpPrintingFlags().enableDebugInfo());
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)));
}

LogicalResult execution::compileOneDevice(ModuleOp module, StringRef entryName,
                                          const RunOptions &options, bool alone,
                                          int64_t dynamicExtent,
                                          OneDeviceCache &cache,
                                          Comparable &one) {
  eraseUnreachable(module.lookupSymbol<func::FuncOp>(entryName));
  if (failed(checkConstants(module)) ||
      failed(answerShardShapes(module, options.pipeline)) ||
      failed(lowerAffineLoops(module)) || failed(dropShardings(module)) ||
      failed(lowerTosa(module)))
    return failure();
  // A comparison of a tensor with a transposition that changes nothing is one with itself.
  dropIdentityTransposes(module);
  splatEqualOperands(module);
  one.model = deriveErrorModel(module.lookupSymbol<func::FuncOp>(entryName),
                               dynamicExtent);
  SmallVector<unsigned> levels;
  if (options.verify)
    levels.push_back(options.referenceLevel);
  bool optimizes = alone || (options.verify && options.timeOneDevice);
  if (optimizes)
    levels.push_back(options.optLevel);
  std::string key = keyOf(module, entryName, options);
  bool isKnown = cache.key == key &&
                 (!options.verify || cache.programs->reference) &&
                 (!optimizes || (cache.programs->optimized &&
                                 cache.programs->optLevel == options.optLevel));
  if (!isKnown) {
    auto compiled = compileAtLevels(
        module, entryName,
        compileWithRuntime(options, runtime::runtimeSymbols()), levels);
    if (failed(compiled))
      return failure();
    auto programs = std::make_shared<OneDevice>();
    programs->optLevel = options.optLevel;
    if (optimizes)
      programs->optimized = std::move(compiled->back());
    if (options.verify)
      programs->reference = std::move(compiled->front());
    cache = {std::move(key), std::move(programs)};
  }
  one.programs = cache.programs;
  return success();
}

/// Runs a program that has no grid.
static void runAlone(func::FuncOp entry, const CompiledProgram &program,
                     const std::vector<HostTensor> &inputs, RunReport &report) {
  describeUnpartitioned(entry, report);
  // Types may have dynamic dimensions; inputs have not.
  for (auto [index, input] : llvm::enumerate(inputs)) {
    report.arguments[index].localBytes = input.numBytes();
    report.argumentBytes += input.numBytes();
  }
  if (!runReference(program, inputs, report, report.outputs))
    return;
  report.secondsGrid = report.secondsOneDevice;
  for (auto [index, output] : llvm::enumerate(report.outputs)) {
    report.results[index].localBytes = output.numBytes();
    report.resultBytes += output.numBytes();
  }
}

/// Names the first argument of random integers where the program of one device ended with an
/// error: many programs take some integers alone, such as the rows of a table, and the message of
/// their check does not tell where the numbers come from.
static void nameRandomIntegers(const std::vector<HostTensor> &inputs,
                               const RunOptions &options, RunReport &report) {
  for (auto [index, input] : llvm::enumerate(inputs))
    if (!options.inputs.count(index) && !isFloat(input.type()) &&
        !isComplex(input.type())) {
      report.error += " (argument " + std::to_string(index) +
                      " is random integers; give it an input if the program "
                      "does not take all)";
      return;
    }
}

void execution::runAndCompare(const GridProgram &program, const Comparable &one,
                              const std::vector<HostTensor> &inputs,
                              const RunOptions &options, RunReport &report) {
  report.verified = options.verify;
  std::vector<HostTensor> expected, outputs;
  if (options.verify && !mayRunOneDevice(options, report))
    return;
  if (options.verify &&
      !runReference(*one.programs->reference, inputs, report, expected))
    return nameRandomIntegers(inputs, options, report);
  std::optional<InputRounding> rounding;
  if (options.verify && options.measureRounding)
    rounding.emplace(*one.programs->reference, inputs, expected);
  if (options.verify && one.programs->optimized &&
      !runOptimized(*one.programs->optimized, inputs, expected, one.model,
                    rounding ? &*rounding : nullptr, report))
    return;
  ProcessResults results;
  bool ran =
      options.processes
          ? runOnProcesses(program, inputs, options, report, results, outputs)
          : runGrid(program, inputs, options.timeoutSeconds, options.monitor,
                    report, outputs);
  if (!ran)
    return;
  // Here all processes are, of which the first one compares.
  bool assembled = report.pass;
  if (options.verify && assembled)
    compareAll(expected, outputs, one.model, rounding ? &*rounding : nullptr,
               report);
  if (options.processes)
    writeOnProcesses(program, options, results, outputs, report);
  if (options.keepOutputs && assembled)
    report.outputs = std::move(outputs);
}

FailureOr<RunReport> shard::runProgram(ModuleOp module, func::FuncOp entry,
                                       RunOptions options) {
  // The first process compares for all.
  if (options.processes && options.processes->number() != 0)
    options.verify = false;
  OwningOpRef<ModuleOp> work = module.clone();
  StringRef entryName = entry.getName();
  if (!options.partitionAll)
    eraseUnreachable(work->lookupSymbol<func::FuncOp>(entryName));
  if (options.pipeline.lowerTosa && failed(lowerTosa(*work)))
    return failure();
  FailureOr<GridOp> gridOp = findGrid(*work);
  if (failed(gridOp))
    return failure();

  RunReport report;
  report.entry = entryName.str();
  auto begin = Clock::now();
  std::vector<HostTensor> inputs;
  if (failed(makeInputs(entry, options, inputs)))
    return failure();
  Comparable one;
  OneDeviceCache own, &cache = options.oneDevice ? *options.oneDevice : own;
  if (!*gridOp) {
    if (failed(compileOneDevice(*work, entryName, options, /*alone=*/true,
                                largestExtent(inputs), cache, one)))
      return failure();
    report.secondsCompile = secondsSince(begin);
    if (mayRunOneDevice(options, report))
      runAlone(entry, *one.programs->optimized, inputs, report);
    return report;
  }
  if (failed(checkProcesses(*gridOp, options.processes)))
    return failure();
  // The grid's program first: what is wrong with it is said before anything is
  // compiled.
  OwningOpRef<ModuleOp> whole = options.verify ? work->clone() : ModuleOp();
  FailureOr<GridProgram> program =
      partitionForGrid(*work, entryName, *gridOp, options, report);
  if (failed(program) ||
      failed(compileForGrid(*work, entryName, options, *program)) ||
      (options.verify &&
       failed(compileOneDevice(*whole, entryName, options, /*alone=*/false,
                               largestExtent(inputs), cache, one))))
    return failure();
  report.secondsCompile = secondsSince(begin);
  runAndCompare(*program, one, inputs, options, report);
  return report;
}
