//===- Concat.h - Tensors that are put side by side -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iteration i of the loop over the joined dimension reads element i - begin of an
// operand that begins there in the result: a window of each operand, most iterations of
// which lie outside of it. What is there does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_CONCAT_H
#define SHARD_LIB_MODELS_CONCAT_H

#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/PartitionContext.h"

namespace shard {

/// `op` joins all its operands, in their order, along dimension `joined`.
void describeConcat(mlir::Operation *op, unsigned joined, MapBuilder &maps);

/// The tensor of which `op` joins all slices along dimension `joined` in rotated order: the
/// last ones first; null if it does something else.
mlir::Value rolledTensor(mlir::Operation *op, unsigned joined);

/// Puts the local operands side by side: where `joined` is split, each of them is its
/// window, as long as the block of the result.
llvm::LogicalResult
partitionConcat(mlir::Operation *op, unsigned joined, mlir::OpBuilder &builder,
                llvm::ArrayRef<mlir::Value> operands, PartitionContext &context,
                llvm::SmallVectorImpl<mlir::Value> &results);

/// The model of `OpTy`, the joined dimension of which `Joined` gives.
template <typename OpTy, auto Joined>
struct ConcatModel : public DescribedModel<ConcatModel<OpTy, Joined>, OpTy> {
  void describe(OpTy op, MapBuilder &maps) const {
    describeConcat(op, (op.*Joined)(), maps);
  }
  PartialRule getPartialRule(mlir::Operation *) const {
    return PartialRule::Movement;
  }
  mlir::Value getRolledTensor(mlir::Operation *op) const {
    return rolledTensor(op, (llvm::cast<OpTy>(op).*Joined)());
  }
  llvm::LogicalResult
  partition(mlir::Operation *op, mlir::OpBuilder &builder,
            llvm::ArrayRef<mlir::Value> operands, PartitionContext &context,
            llvm::SmallVectorImpl<mlir::Value> &results) const {
    return partitionConcat(op, (llvm::cast<OpTy>(op).*Joined)(), builder,
                           operands, context, results);
  }
};

} // namespace shard

#endif // SHARD_LIB_MODELS_CONCAT_H
