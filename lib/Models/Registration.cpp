//===- Registration.cpp - All sharding models -----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Models.h"

#include "mlir/IR/DialectRegistry.h"

void shard::registerAllModels(mlir::DialectRegistry &registry) {
  registerArithModels(registry);
  registerLinalgModels(registry);
  registerTensorModels(registry);
}
