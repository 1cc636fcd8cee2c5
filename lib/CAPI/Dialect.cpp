//===- Dialect.cpp - The dialect and its passes, in C ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard-c/Dialect.h"

#include "shard/IR/ShardAttrs.h"
#include "shard/IR/ShardDialect.h"
#include "shard/Models/Models.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"

using namespace shard;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Shard, shard, shard::ShardDialect)

void shardRegisterModels(MlirDialectRegistry registry) {
  registerShard(*unwrap(registry));
}

void shardRegisterPasses() { registerShardPasses(); }

static ShardingAttr sharding(MlirAttribute attr) {
  return llvm::cast<ShardingAttr>(unwrap(attr));
}

bool shardAttributeIsASharding(MlirAttribute attr) {
  return llvm::isa<ShardingAttr>(unwrap(attr));
}

MlirStringRef shardShardingGetGrid(MlirAttribute attr) {
  return wrap(sharding(attr).getGrid().getValue());
}

intptr_t shardShardingGetRank(MlirAttribute attr) {
  return sharding(attr).getDims().size();
}

bool shardShardingIsOpen(MlirAttribute attr, intptr_t dim) {
  return sharding(attr).getDims()[dim].getOpen();
}

intptr_t shardShardingGetNumAxes(MlirAttribute attr, intptr_t dim) {
  return sharding(attr).getDims()[dim].getAxes().size();
}

MlirAttribute shardShardingGetAxis(MlirAttribute attr, intptr_t dim,
                                   intptr_t index) {
  return wrap(sharding(attr).getDims()[dim].getAxes()[index]);
}
