//===- Registration.cpp - All sharding models -----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Models.h"

#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"

void shard::registerAllModels(mlir::DialectRegistry &registry) {
  registerArithModels(registry);
  registerBufferizationModels(registry);
  registerCollectiveModels(registry);
  registerLinalgModels(registry);
  registerMLProgramModels(registry);
  registerScfModels(registry);
  registerTensorModels(registry);
  registerTosaModels(registry);
  // Rewrites of the models ask reshapes and pads for the shapes of their results. A host that
  // has not registered this would get other programs than one that has.
  mlir::tensor::registerInferTypeOpInterfaceExternalModels(registry);
}

std::vector<std::string> shard::modelledOps(mlir::MLIRContext &context) {
  std::vector<std::string> names;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations())
    if (op.hasInterface<ShardingInterface>())
      names.push_back(op.getStringRef().str());
  llvm::sort(names);
  return names;
}
