//===- VaryingExtents.h - Which extents differ between devices --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the check of partitioned programs.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_VERIFY_VARYINGEXTENTS_H
#define SHARD_LIB_TRANSFORMS_VERIFY_VARYINGEXTENTS_H

#include "AxisSet.h"

#include "mlir/IR/Value.h"

#include <functional>

namespace shard {

/// For each dimension of a tensor the axes along which its extent varies; of a tensor
/// without a rank one set.
using ExtentSets = llvm::SmallVector<AxisSet, 2>;

/// What is known of the operands of an op.
struct ExtentRules {
  /// The axes along which a value varies, and along which its extents do.
  std::function<AxisSet(mlir::Value)> along;
  std::function<ExtentSets(mlir::Value)> extents;
};

/// All of them.
AxisSet unionOf(const ExtentSets &sets);

/// `set` for each dimension of `value`.
ExtentSets everyDim(mlir::Value value, AxisSet set);

/// The axes along which the extents of `result` vary, the result of an op without
/// regions that branch: these follow from the extents of its operands and from
/// numbers. Tensors of an elementwise op have one shape, whatever its scalars.
ExtentSets resultExtents(mlir::OpResult result, const ExtentRules &rules);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_VERIFY_VARYINGEXTENTS_H
