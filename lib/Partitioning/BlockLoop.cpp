//===- BlockLoop.cpp - A loop over blocks of tensors ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/BlockLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace shard {

Value BlockPlace::offset(OpBuilder &builder, Location loc, int64_t extent) {
  if (extent == 1)
    return number;
  Value &known = offsets[extent];
  if (!known)
    known = arith::MulIOp::create(
        builder, loc, number,
        arith::ConstantIndexOp::create(builder, loc, extent));
  return known;
}

SmallVector<Value> loopOverBlocks(
    OpBuilder &builder, Location loc, int64_t count, ValueRange inits,
    function_ref<SmallVector<Value>(OpBuilder &, BlockPlace &, ValueRange)>
        body) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto loop = scf::ForOp::create(
      builder, loc, index(0), index(count), index(1), inits,
      [&](OpBuilder &inner, Location, Value number, ValueRange carried) {
        BlockPlace place(number);
        scf::YieldOp::create(inner, loc, body(inner, place, carried));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

} // namespace shard
