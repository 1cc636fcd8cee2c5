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

/// A tensor of `rank` 1 or 2 that holds the elements of `tensors`, each in row-major
/// order: one after another in one dimension, or, of `rows` parts of equal size of each
/// tensor, the parts of one number in one row. The tensors have static shapes and one type of
/// elements.
mlir::Value packTensors(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::ValueRange tensors, int64_t rank = 1,
                        int64_t rows = 1);

/// The inverse: tensors of `types` out of `packed`.
llvm::SmallVector<mlir::Value>
unpackTensors(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value packed,
              mlir::TypeRange types, int64_t rows = 1);

} // namespace shard

#endif // SHARD_PARTITIONING_PACKING_H
