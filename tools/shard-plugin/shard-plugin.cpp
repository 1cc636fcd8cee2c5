//===- shard-plugin.cpp - The dialect and passes for stock mlir-opt -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mlir-opt --load-dialect-plugin=ShardPlugin.so --load-pass-plugin=ShardPlugin.so
//            --pass-pipeline='builtin.module(shard-spmd)'
//
// mlir-opt has LLVM's passes `sharding-propagation` and `shard-partition`, so the
// project's are there as `shard-propagate` and `shard-spmdize`.
//
//===----------------------------------------------------------------------===//

#include "shard/Pipelines/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/Compiler.h"

static constexpr char version[] = SHARD_VERSION;

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, "shard", version,
      [](mlir::DialectRegistry *registry) { shard::registerShard(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "shard", version,
          [] { shard::registerShardPasses(); }};
}
