//===- ConstantDims.h - Dimensions that an op reads at 0 --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_CONSTANTDIMS_H
#define SHARD_LIB_MODELS_CONSTANTDIMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace shard {

/// Drops dimensions of one element that `op` reads or writes at the constant 0 from its operands
/// and results, as PyTorch keeps the dimension of a maximum that it subtracts. MLIR takes loops
/// apart only where all maps are of loops. Returns whether there are any.
bool dropConstantDims(mlir::linalg::GenericOp op,
                      mlir::PatternRewriter &rewriter);

} // namespace shard

#endif // SHARD_LIB_MODELS_CONSTANTDIMS_H
