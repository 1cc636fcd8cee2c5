//===- Registration.cpp - What a runner registers -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/Verify.h"

#include "shard/Codegen/Compile.h"
#include "shard/Pipelines/Registration.h"

void shard::registerRunDialects(mlir::DialectRegistry &registry) {
  registerCodegenDialects(registry);
  registerShard(registry);
}
