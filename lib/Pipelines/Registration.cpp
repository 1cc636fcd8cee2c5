//===- Registration.cpp - What a tool or a host registers -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Pipelines/Registration.h"

#include "shard/IR/ShardDialect.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void shard::registerShard(DialectRegistry &registry) {
  registerShardDialect(registry);
}

void shard::registerShardPasses() {}

void shard::registerShardPassesUnderUpstreamNames() {}
