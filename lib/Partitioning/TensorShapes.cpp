//===- TensorShapes.cpp - Tensor types as the planner takes them ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/TensorShapes.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace shard {

int64_t elementBytes(RankedTensorType type) {
  Type element = type.getElementType();
  if (element.isIntOrFloat())
    return std::max<int64_t>(
        1, llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * llvm::divideCeil(
                   complex.getElementType().getIntOrFloatBitWidth(), 8);
  return 8;
}

std::vector<int64_t> shapeOf(RankedTensorType type) {
  return std::vector<int64_t>(type.getShape().begin(), type.getShape().end());
}

} // namespace shard
