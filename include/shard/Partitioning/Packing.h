//===- Packing.h - Several tensors in one -----------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_PACKING_H
#define SHARD_PARTITIONING_PACKING_H

#include "mlir/IR/Builders.h"

namespace shard {

/// A tensor of one dimension that holds the elements of `tensors` one after another,
/// each in row-major order. They have static shapes and one type of elements.
mlir::Value packTensors(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::ValueRange tensors);

/// The inverse: tensors of `types` out of `packed`.
llvm::SmallVector<mlir::Value> unpackTensors(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::Value packed,
                                             mlir::TypeRange types);

} // namespace shard

#endif // SHARD_PARTITIONING_PACKING_H
