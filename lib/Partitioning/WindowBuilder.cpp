//===- WindowBuilder.cpp - Where windows and blocks lie -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowBuilder.h"

using namespace mlir;

namespace shard {

DynamicBlock WindowBuilder::iterationsOf(unsigned dim) {
  const DimWindow &window = source.dims[dim];
  return blockOf(builder, loc, grid, emission.gridSymbol, window.iterations,
                 window.axes);
}

Value WindowBuilder::startOf(unsigned dim) {
  const Window &window = source.dims[dim].window;
  Value first = value(iterationsOf(dim).offset);
  return sum(binary<arith::MulIOp>(first, constant(window.stride)),
             window.offset);
}

Value WindowBuilder::spanOfDevice(unsigned dim) {
  const Window &window = source.dims[dim].window;
  DynamicBlock block = iterationsOf(dim);
  if (std::optional<int64_t> size = getConstantIntValue(block.size))
    return constant(window.span(*size));
  Value size = value(block.size);
  Value span = sum(binary<arith::MulIOp>(size, constant(window.stride)),
                   window.reach - window.stride);
  Value isEmpty = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, size, constant(0));
  return arith::SelectOp::create(builder, loc, isEmpty, constant(0), span);
}

} // namespace shard
