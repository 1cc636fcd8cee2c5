//===- UnusedResults.h - Results of linalg.generic nobody uses --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All results of an op are split alike, so that one that cannot be combined over devices keeps
// a loop whole for the others, too.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_UNUSEDRESULTS_H
#define SHARD_MODELS_UNUSEDRESULTS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Drops the results of `linalg.generic` ops in `root` that nothing uses and that the other
/// results do not need, with what the body computes for them. Ops with attributes of other
/// dialects, which may be hints, stay. Returns whether there are any.
bool dropUnusedResults(mlir::Operation *root);

} // namespace shard

#endif // SHARD_MODELS_UNUSEDRESULTS_H
