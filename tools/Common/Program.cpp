//===- Program.cpp - The program that a tool is given ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "Extensions.h"
#include "PropagationFlags.h"

#include "shard/Codegen/Target.h"
#include "shard/Execution/Hints.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdlib>

using namespace mlir;
namespace cl = llvm::cl;

static cl::OptionCategory &category = shard::toolOptions();

static cl::opt<std::string> inputFile(cl::Positional,
                                      cl::desc("<program.mlir>"), cl::init("-"),
                                      cl::cat(category));
static cl::opt<std::string>
    entryName("entry", cl::value_desc("function"), cl::cat(category),
              cl::desc("The function to run; default: main, or the only public "
                       "one"));
static cl::opt<std::string>
    gridShape("grid", cl::value_desc("2x2"), cl::cat(category),
              cl::desc("Shape of the grid, instead of the module's"));
static cl::opt<bool>
    unevenDynamic("uneven-dynamic", cl::cat(category),
                  cl::desc("Dynamic dimensions need not divide evenly among "
                           "the devices (uneven_dynamic of the grid)"));
static cl::list<std::string>
    hints("hint", cl::value_desc("target=sharding"), cl::cat(category),
          cl::desc("A sharding: 'arg0=[[0],[]]', 'result0=...', or of an "
                   "operand, 'linalg.matmul#2:1=...'"));
static cl::opt<bool>
    lift("lift-constants", cl::cat(category),
         cl::desc("Turn large float constants into arguments"));
static cl::opt<bool>
    partitionTosa("partition-tosa", cl::cat(category),
                  cl::desc("Partition tosa ops as such and lower them on each "
                           "device, instead of lowering them first"));

static cl::opt<unsigned>
    haloSteps("halo-steps", cl::value_desc("N"), cl::cat(category), cl::init(1),
              cl::desc("Iterations of a stencil that one exchange of halos "
                       "serves (shard-widen-halos); 0: those that are "
                       "predicted to be best"));

static cl::opt<bool> overlap(
    "overlap", cl::cat(category),
    cl::desc("Run collectives beside the ops that do not need them "
             "(shard-decompose-collectives, shard-overlap-collectives)"));

const std::string &shard::programPath() { return inputFile; }

InFlightDiagnostic shard::errorAtOption(MLIRContext *context,
                                        llvm::StringRef option,
                                        llvm::StringRef text) {
  return emitError(
      FileLineColLoc::get(context, (option + " '" + text + "'").str(), 1, 1));
}

InFlightDiagnostic shard::errorAtTarget(MLIRContext *context,
                                        llvm::StringRef cpu,
                                        llvm::StringRef triple) {
  if (!cpu.empty())
    return errorAtOption(context, "--cpu", cpu);
  const char *variable = std::getenv(cpuVariable);
  if (variable && *variable)
    return errorAtOption(context, cpuVariable, variable);
  return triple.empty() ? errorAtOption(context, "--cpu", cpu)
                        : errorAtOption(context, "--triple", triple);
}

/// A device may have no end, so that reading it takes all memory.
static bool isDevice(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  return path != "-" && !llvm::sys::fs::status(path, status) &&
         status.type() == llvm::sys::fs::file_type::character_file;
}

/// Says how a text with shardings of another project is read, if it is one.
static void adviseImport(MLIRContext &context, llvm::StringRef text) {
  for (auto [word, option] : {std::pair("sdy.", "--import-sdy"),
                              std::pair("mesh.mesh", "--import-mesh")})
    if (text.contains(word)) {
      emitRemark(FileLineColLoc::get(&context, inputFile, 1, 1))
          << "'shard-translate " << option << "' reads this text";
      return;
    }
}

static OwningOpRef<ModuleOp> parseProgram(MLIRContext &context) {
  if (isDevice(inputFile)) {
    emitError(UnknownLoc::get(&context))
        << "cannot open input file '" << inputFile << "': is a device";
    return nullptr;
  }
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(inputFile, &error);
  if (!file) {
    emitError(UnknownLoc::get(&context)) << error;
    return nullptr;
  }
  llvm::SourceMgr sources;
  unsigned text = sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    adviseImport(context, sources.getMemoryBuffer(text)->getBuffer());
  return module;
}

/// Applies --grid, --lift-constants and --hint. `entry` may become another op.
static LogicalResult changeProgram(ModuleOp module, func::FuncOp &entry) {
  if (gridShape.getNumOccurrences() > 0 &&
      failed(shard::setGrid(module, gridShape)))
    return failure();
  if (unevenDynamic && failed(shard::setUnevenDynamic(module)))
    return failure();
  if (failed(shard::readEncodings(module)))
    return failure();
  if (lift) {
    // Constants of helpers count too.
    if (failed(shard::inlineCalls(module)))
      return failure();
    FailureOr<func::FuncOp> inlined = shard::findEntry(module, entryName);
    if (failed(inlined))
      return failure();
    entry = *inlined;
    if (shard::liftConstants(entry) == 0)
      emitRemark(entry->getLoc())
          << "--lift-constants lifts nothing: '" << entry.getName()
          << "' has no float constant of more than 64 elements, and none that "
             "was elided";
  }
  return shard::applyHints(entry, hints);
}

FailureOr<shard::GivenProgram> shard::readProgram(MLIRContext &context) {
  GivenProgram program;
  program.module = parseProgram(context);
  if (!program.module || failed(runGivenPasses(*program.module)))
    return failure();
  FailureOr<func::FuncOp> entry = findEntry(*program.module, entryName);
  if (failed(entry))
    return failure();
  dropOtherFunctions(*program.module, *entry);
  if (failed(changeProgram(*program.module, *entry)))
    return failure();
  // A grid that is not the one which the program's hints were written for.
  if (failed(mlir::verify(*program.module)))
    return failure();
  FailureOr<GridOp> grid = findGrid(*program.module, *entry);
  if (failed(grid))
    return failure();
  program.entry = *entry;
  program.grid = *grid;
  return program;
}

shard::SpmdPipelineOptions shard::readPipelineOptions() {
  SpmdPipelineOptions options;
  options.lowerTosa = !partitionTosa;
  options.haloSteps = haloSteps;
  options.overlap = overlap;
  readPropagationFlags(options);
  return options;
}
