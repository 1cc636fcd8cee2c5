//===- Program.cpp - Programs and partitions, in C ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "shard/Codegen/Compile.h"
#include "shard/Execution/Hints.h"
#include "shard/Execution/HtmlReport.h"
#include "shard/Models/FoldNumbers.h"
#include "shard/Propagation/Propagation.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>

using namespace mlir;
using namespace shard;
using namespace shard::capi;

//===----------------------------------------------------------------------===//
// Diagnostics and text
//===----------------------------------------------------------------------===//

DiagnosticForwarder::DiagnosticForwarder(MLIRContext &context,
                                         ShardDiagnosticSink sink)
    : sink(sink), handler(&context, [this](Diagnostic &diagnostic) {
        ShardSeverity severity = ShardSeverityError;
        switch (diagnostic.getSeverity()) {
        case DiagnosticSeverity::Error:
          if (error.empty())
            error = diagnostic.str();
          break;
        case DiagnosticSeverity::Warning:
          severity = ShardSeverityWarning;
          break;
        case DiagnosticSeverity::Remark:
          severity = ShardSeverityRemark;
          break;
        case DiagnosticSeverity::Note:
          severity = ShardSeverityNote;
          break;
        }
        report(diagnostic, severity);
        for (Diagnostic &note : diagnostic.getNotes())
          report(note, ShardSeverityNote);
        return success();
      }) {}

void DiagnosticForwarder::report(Diagnostic &diagnostic,
                                 ShardSeverity severity) {
  if (!sink.report)
    return;
  std::string message = diagnostic.str();
  ShardDiagnostic result{severity, text(message), text(""), 0, 0};
  diagnostic.getLocation()->walk([&](Location location) {
    auto file = dyn_cast<FileLineColLoc>(location);
    if (!file)
      return WalkResult::advance();
    result.file = text(file.getFilename().getValue());
    result.line = file.getLine();
    result.column = file.getColumn();
    return WalkResult::interrupt();
  });
  sink.report(&result, sink.userData);
}

Monitor capi::toMonitor(ShardMonitor monitor) {
  if (!monitor.step)
    return {};
  return [monitor](llvm::StringRef work, llvm::StringRef step) {
    return monitor.step(text(work), text(step), monitor.userData);
  };
}

void capi::printTo(MlirStringCallback callback, void *userData,
                   llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string result;
  llvm::raw_string_ostream os(result);
  print(os);
  callback(text(result), userData);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static ValueText describe(Type type, Location location) {
  ValueText value;
  location->walk([&](Location part) {
    auto name = dyn_cast<NameLoc>(part);
    if (!name)
      return WalkResult::advance();
    value.name = name.getName().str();
    return WalkResult::interrupt();
  });
  llvm::raw_string_ostream(value.type) << type;
  if (std::optional<TensorSpec> spec = getTensorSpec(type)) {
    value.elementType = std::string(stringifyElementType(spec->type));
    for (int64_t extent : spec->shape)
      value.shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  }
  return value;
}

ShardProgram shardProgramParse(MlirStringRef source, MlirStringRef name,
                               MlirStringRef entry, ShardDiagnosticSink sink) {
  auto program = std::make_unique<Program>();
  DialectRegistry registry;
  registerRunDialects(registry);
  program->context.appendDialectRegistry(registry);
  program->context.printOpOnDiagnostic(false);
  DiagnosticForwarder forwarder(program->context, sink);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(get(source), get(name)),
      llvm::SMLoc());
  program->module = parseSourceFile<ModuleOp>(sources, &program->context);
  if (!program->module)
    return {nullptr};
  FailureOr<func::FuncOp> found = findEntry(*program->module, get(entry));
  if (failed(found))
    return {nullptr};
  program->entry = *found;
  for (BlockArgument argument : found->getArguments())
    program->arguments.push_back(
        describe(argument.getType(), argument.getLoc()));
  for (Type type : found->getResultTypes())
    program->results.push_back(
        describe(type, UnknownLoc::get(&program->context)));
  return {program.release()};
}

void shardProgramDestroy(ShardProgram program) { delete get(program); }

MlirStringRef shardProgramGetEntry(ShardProgram program) {
  return text(get(program)->entry.getName());
}

intptr_t shardProgramGetNumArguments(ShardProgram program) {
  return get(program)->arguments.size();
}

intptr_t shardProgramGetNumResults(ShardProgram program) {
  return get(program)->results.size();
}

static ShardValue toC(const ValueText &value) {
  return {text(value.name), text(value.type), text(value.elementType),
          intptr_t(value.shape.size()), value.shape.data()};
}

ShardValue shardProgramGetArgument(ShardProgram program, intptr_t index) {
  return toC(get(program)->arguments[index]);
}

ShardValue shardProgramGetResult(ShardProgram program, intptr_t index) {
  return toC(get(program)->results[index]);
}

void shardProgramPrint(ShardProgram program, MlirStringCallback callback,
                       void *userData) {
  printTo(callback, userData,
          [&](llvm::raw_ostream &os) { get(program)->module->print(os); });
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

/// Gives the program of `partition` the grid and the hints of `options`.
static LogicalResult applyOptions(Partition &partition,
                                  const ShardPartitionOptions &options) {
  if (options.gridRank > 0) {
    std::vector<std::string> names;
    for (intptr_t axis = 0; options.axisNames && axis < options.gridRank;
         ++axis)
      names.push_back(get(options.axisNames[axis]).str());
    if (failed(setGrid(
            *partition.hinted,
            llvm::ArrayRef<int64_t>(options.gridShape, options.gridRank),
            names)))
      return failure();
  }
  if (options.unevenDynamic && failed(setUnevenDynamic(*partition.hinted)))
    return failure();
  std::vector<std::string> hints;
  for (intptr_t i = 0; i < options.numHints; ++i)
    hints.push_back(get(options.hints[i]).str());
  if (failed(applyHints(partition.entry, hints, MissingDims::Whole)))
    return failure();
  // The grid may not be the one that the program's own hints were written for.
  return mlir::verify(*partition.hinted);
}

/// The same for equal programs, in every process.
static std::string digestOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)));
}

ShardPartition shardProgramPartition(ShardProgram handle,
                                     const ShardPartitionOptions *options,
                                     ShardDiagnosticSink sink) {
  Program &program = *get(handle);
  DiagnosticForwarder forwarder(program.context, sink);
  auto partition = std::make_unique<Partition>();
  partition->program = &program;
  partition->hinted = program.module->clone();
  partition->entry =
      partition->hinted->lookupSymbol<func::FuncOp>(program.entry.getName());
  dropOtherFunctions(*partition->hinted, partition->entry);
  partition->target.cpu = get(options->cpu).str();
  if (failed(applyOptions(*partition, *options)))
    return {nullptr};
  RunOptions runOptions;
  runOptions.target = partition->target;
  runOptions.pipeline.haloSteps =
      options->haloSteps < 0
          ? 0
          : unsigned(std::clamp<intptr_t>(options->haloSteps, 1, 1 << 16));
  partition->processes = get(options->processes);
  runOptions.processes = partition->processes;
  runOptions.monitor = toMonitor(options->monitor);
  FailureOr<PartitionedProgram> partitioned = PartitionedProgram::make(
      *partition->hinted, partition->entry, std::move(runOptions));
  if (failed(partitioned))
    return {nullptr};
  partition->partitioned = std::move(*partitioned);
  if (partition->processes)
    partition->digest = digestOf(partition->partitioned->module());
  return {partition.release()};
}

void shardPartitionDestroy(ShardPartition partition) { delete get(partition); }

void shardPartitionPrint(ShardPartition partition, MlirStringCallback callback,
                         void *userData) {
  printTo(callback, userData, [&](llvm::raw_ostream &os) {
    get(partition)->partitioned->module().print(os);
  });
}

void shardPartitionPrintReport(ShardPartition partition,
                               MlirStringCallback callback, void *userData) {
  printTo(callback, userData, [&](llvm::raw_ostream &os) {
    printJson(get(partition)->partitioned->description(), os);
  });
}

bool shardPartitionExplain(ShardPartition handle, MlirStringCallback callback,
                           void *userData, ShardDiagnosticSink sink) {
  Partition &partition = *get(handle);
  DiagnosticForwarder forwarder(partition.program->context, sink);
  OwningOpRef<ModuleOp> copy = partition.hinted->clone();
  PropagationExplanation explanation;
  foldNumbers(*copy);
  if (failed(lowerTosa(*copy)) ||
      failed(annotateShardings(*copy, {}, &explanation)))
    return false;
  printTo(callback, userData,
          [&](llvm::raw_ostream &os) { explanation.printJson(os); });
  return true;
}

bool shardPrintHtml(MlirStringRef data, MlirStringRef sourceName,
                    MlirStringRef sourceText, MlirStringCallback callback,
                    void *userData) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(get(data));
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return false;
  }
  llvm::json::Object *object = parsed->getAsObject();
  if (!object || !object->getObject("report"))
    return false;
  printTo(callback, userData, [&](llvm::raw_ostream &os) {
    printHtml(std::move(*object), os,
              {{get(sourceName).str(), get(sourceText).str()}});
  });
  return true;
}
