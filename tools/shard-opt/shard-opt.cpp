//===- shard-opt.cpp - mlir-opt with this project's dialect and passes ----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Version.h"
#include "PlanReshard.h"
#include "ProgramOptions.h"

#include "shard/Pipelines/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"

/// An LLVM that was built without assertions has no --debug-only, but our own
/// libraries have debug output all the same.
static void addDebugOnly() {
#ifndef NDEBUG
  if (llvm::cl::getRegisteredOptions().count("debug-only"))
    return;
  static std::vector<std::string> types;
  static llvm::cl::list<std::string> option(
      "debug-only", llvm::cl::CommaSeparated,
      llvm::cl::value_desc("debug types"),
      llvm::cl::desc("Print the steps of these parts: shard-propagation, "
                     "shard-partition, shard-planner"),
      llvm::cl::callback([](const std::string &type) {
        types.push_back(type);
        llvm::SmallVector<const char *> names;
        for (const std::string &name : types)
          names.push_back(name.c_str());
        llvm::DebugFlag = true;
        llvm::setCurrentDebugTypes(names.data(), names.size());
      }));
#endif
}

/// Of a question to the planner that `main` has not answered yet: for --help, and for a text
/// that is an argument of its own.
static llvm::cl::opt<std::string> planReshardText(
    "shard-plan-reshard",
    llvm::cl::value_desc("grid=4x2 type=tensor<16x16xf32> from=[[0],[1]] "
                         "to=[[1],[0]]"),
    llvm::cl::desc("Print the steps of this reshard and what they cost, or of "
                   "all, in place of from and to; takes no program"));

int main(int argc, char **argv) {
  shard::setVersionPrinter();
  addDebugOnly();
  mlir::DialectRegistry registry;
  shard::registerUpstreamDialects(registry);
  shard::registerShard(registry);
  // A question to the planner needs no program.
  for (llvm::StringRef argument : llvm::ArrayRef(argv, argc).drop_front())
    if (argument.ltrim('-').consume_front("shard-plan-reshard=")) {
      mlir::MLIRContext context(registry,
                                mlir::MLIRContext::Threading::DISABLED);
      return shard::planReshard(argument.split('=').second, context,
                                llvm::outs(), llvm::errs());
    }
  shard::registerUpstreamPasses();
  shard::registerShardPasses();
  shard::registerShardPassesUnderUpstreamNames();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Optimizer and SPMD partitioner of the shard project\n",
      registry);
  if (planReshardText.getNumOccurrences() > 0) {
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    return shard::planReshard(planReshardText, context, llvm::outs(),
                              llvm::errs());
  }
  return mlir::asMainReturnCode(
      shard::hasProgramOptions()
          ? shard::optMainWithProgramOptions(argc, argv, input, output,
                                             registry)
          : mlir::MlirOptMain(argc, argv, input, output, registry));
}
