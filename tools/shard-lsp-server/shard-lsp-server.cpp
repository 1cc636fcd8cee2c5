//===- shard-lsp-server.cpp - Editor support for programs with shard ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Version.h"

#include "shard/Pipelines/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  shard::setVersionPrinter();
  mlir::DialectRegistry registry;
  shard::registerUpstreamDialects(registry);
  shard::registerShard(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
