//===- ExportPasses.cpp - Steps of export as passes -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Export/FunctionMerge.h"
#include "Export/TidyAnnotations.h"
#include "ModuleOrFunctionPass.h"

#include "shard/Transforms/Passes.h"

namespace shard {

#define GEN_PASS_DEF_SHARDMERGEFUNCTIONS
#define GEN_PASS_DEF_SHARDTIDYSHARDINGS
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardMergeFunctionsPass
    : public impl::ShardMergeFunctionsBase<ShardMergeFunctionsPass> {
  void runOnOperation() override { mergeFunctions(getOperation()); }
};

struct ShardTidyShardingsPass
    : public ModuleOrFunctionPass<
          impl::ShardTidyShardingsBase<ShardTidyShardingsPass>> {
  void runOnOperation() override { tidyHandles(getOperation()); }
};

} // namespace

} // namespace shard
