//===- BlockLoop.h - A loop over blocks of tensors -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_BLOCKLOOP_H
#define SHARD_PARTITIONING_BLOCKLOOP_H

#include "mlir/IR/Builders.h"

namespace shard {

/// The blocks that one iteration of a loop works on: all first ones, all second ones, ...
class BlockPlace {
public:
  explicit BlockPlace(mlir::Value number) : number(number) {}

  /// The first element of the block in a dimension where blocks have `extent` elements.
  mlir::Value offset(mlir::OpBuilder &builder, mlir::Location loc,
                     int64_t extent);

private:
  mlir::Value number;
  llvm::SmallDenseMap<int64_t, mlir::Value, 2> offsets;
};

/// Builds a loop of `count` iterations, which carries values that begin as `inits`. `body`
/// builds one iteration from the values that the one before has left, and returns those
/// that it leaves. Returns the last ones.
llvm::SmallVector<mlir::Value>
loopOverBlocks(mlir::OpBuilder &builder, mlir::Location loc, int64_t count,
               mlir::ValueRange inits,
               llvm::function_ref<llvm::SmallVector<mlir::Value>(
                   mlir::OpBuilder &, BlockPlace &, mlir::ValueRange)>
                   body);

} // namespace shard

#endif // SHARD_PARTITIONING_BLOCKLOOP_H
