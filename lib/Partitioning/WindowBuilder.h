//===- WindowBuilder.h - Where windows and blocks lie -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PARTITIONING_WINDOWBUILDER_H
#define SHARD_LIB_PARTITIONING_WINDOWBUILDER_H

#include "shard/Partitioning/Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

namespace shard {

/// Builds the indices of the windows of one source.
class WindowBuilder {
public:
  WindowBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                const WindowSource &source, const Emission &emission)
      : builder(builder), loc(loc), source(source), emission(emission),
        grid(emission.grid) {}

protected:
  int64_t parts(const AxisList &axes) const { return grid.groupSize(axes); }

  /// The extent of the window of every device; not of loops over unknown extents.
  int64_t spanOf(unsigned dim) const {
    const DimWindow &window = source.dims[dim];
    return window.window.span(
        localExtent(window.iterations, parts(window.axes)));
  }

  // What is built once for a source stays in use: nothing is built in front of it later.

  /// The position of the device along `axes`, which are not empty, major first.
  mlir::Value positionAlong(const AxisList &axes);
  DynamicBlock iterationsOf(unsigned dim);
  /// The first element that iterations of the device read, maybe outside, if it has as
  /// many as any: that of its window.
  mlir::Value startOf(unsigned dim);
  /// The elements that the iterations of the device span, none without iterations: the
  /// first one, and the one behind the last.
  std::pair<mlir::Value, mlir::Value> elementsOf(unsigned dim);

  /// The result of an op, or a number where both operands are; the one that is known, if any. What
  /// else may be simpler is left to uniteIndices, as folding takes longer than building.
  template <typename OpTy>
  mlir::Value binary(mlir::Value a, mlir::Value b) {
    auto make = [&]() -> mlir::Value {
      if (mlir::getConstantIntValue(a) && mlir::getConstantIntValue(b))
        return builder.createOrFold<OpTy>(loc, a, b);
      return OpTy::create(builder, loc, a, b);
    };
    KnownIndices *known = knownAt(builder, emission);
    if (!known)
      return make();
    mlir::Value &result = known->results[{builder.getInsertionBlock(),
                                          mlir::TypeID::get<OpTy>(), a, b}];
    return result ? result : result = make();
  }
  mlir::Value constant(int64_t number) {
    mlir::Value &known = constants[number];
    if (!known)
      known = sharedConstant(builder, loc, emission, number);
    return known;
  }
  mlir::Value sum(mlir::Value a, int64_t b) {
    return b == 0 ? a : binary<mlir::arith::AddIOp>(a, constant(b));
  }
  mlir::Value difference(mlir::Value a, mlir::Value b) {
    return binary<mlir::arith::SubIOp>(a, b);
  }
  mlir::Value clamp(mlir::Value index, int64_t low, int64_t high) {
    return clamp(index, low, constant(high));
  }
  mlir::Value clamp(mlir::Value index, int64_t low, mlir::Value high) {
    return binary<mlir::arith::MinSIOp>(
        binary<mlir::arith::MaxSIOp>(index, constant(low)), high);
  }
  mlir::Value value(mlir::OpFoldResult index) {
    return mlir::getValueOrCreateConstantIndexOp(builder, loc, index);
  }
  llvm::SmallVector<mlir::OpFoldResult> ones() {
    return llvm::SmallVector<mlir::OpFoldResult>(source.type.getRank(),
                                                 builder.getIndexAttr(1));
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const WindowSource &source;
  const Emission &emission;
  const Grid &grid;

private:
  llvm::SmallDenseMap<int64_t, mlir::Value, 8> constants;
  llvm::SmallDenseMap<unsigned, DynamicBlock, 2> iterations;
  llvm::SmallDenseMap<unsigned, mlir::Value, 2> starts;
  std::map<AxisList, mlir::Value> positions;
};

/// Puts the windows of dimension `shifted.dim` together from parts of blocks: `local` is
/// the block of this device.
mlir::Value emitShifts(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value local, const WindowSource &source,
                       const ShiftedDim &shifted, const Emission &emission);

} // namespace shard

#endif // SHARD_LIB_PARTITIONING_WINDOWBUILDER_H
