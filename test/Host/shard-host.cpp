//===- shard-host.cpp - A compiler that has all of MLIR, and us -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for a compiler that registers everything MLIR has, LLVM's own
// `shard` included, and then or before that this project:
//
//   shard-host ours-first|ours-last [arguments of mlir-opt]
//
//===----------------------------------------------------------------------===//

#include "shard/Pipelines/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

static void registerOurs(mlir::DialectRegistry &registry) {
  shard::registerShard(registry);
  shard::registerShardPasses();
}

int main(int argc, char **argv) {
  llvm::StringRef order = argc > 1 ? argv[1] : "";
  if (order != "ours-first" && order != "ours-last") {
    llvm::errs() << "usage: shard-host ours-first|ours-last ...\n";
    return 1;
  }

  mlir::DialectRegistry registry;
  if (order == "ours-first")
    registerOurs(registry);
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  if (order == "ours-last")
    registerOurs(registry);
  // The names are taken: nothing happens.
  shard::registerShardPassesUnderUpstreamNames();

  argv[1] = argv[0];
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc - 1, argv + 1, "A host of the shard project\n", registry));
}
