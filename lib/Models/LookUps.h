//===- LookUps.h - Extracted slices become gathers --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_LOOKUPS_H
#define SHARD_LIB_MODELS_LOOKUPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace shard {

/// `op`, in whose body `extract` stands, with `tensor` as its last input, read by `map`;
/// its element takes the place of `extract`.
mlir::linalg::GenericOp withInput(mlir::linalg::GenericOp op,
                                  mlir::tensor::ExtractOp extract,
                                  mlir::Value tensor, mlir::AffineMap map,
                                  mlir::IRRewriter &rewriter);

/// Makes a tensor.gather of `extract` if it looks up slices, and of what it finds an
/// input. Returns the new op, or null.
mlir::linalg::GenericOp raiseLookUp(mlir::linalg::GenericOp op,
                                    mlir::tensor::ExtractOp extract,
                                    mlir::IRRewriter &rewriter);

} // namespace shard

#endif // SHARD_LIB_MODELS_LOOKUPS_H
