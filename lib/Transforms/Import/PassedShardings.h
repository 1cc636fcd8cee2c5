//===- PassedShardings.h - Shardings that functions pass on -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_PASSEDSHARDINGS_H
#define SHARD_LIB_TRANSFORMS_PASSEDSHARDINGS_H

#include "mlir/IR/BuiltinOps.h"

namespace shard {

/// Writes each `shard.sharding` that a private function returns, or gets from all of
/// its calls, where it is used, and takes it out of the function's signature. A
/// signature keeps shardings that differ between calls or are not stated.
void resolvePassedShardings(mlir::ModuleOp module);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_PASSEDSHARDINGS_H
