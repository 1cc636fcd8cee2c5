//===- AxisBits.h - The axes of all grids of a program in one set -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_VERIFY_AXISBITS_H
#define SHARD_LIB_TRANSFORMS_VERIFY_AXISBITS_H

#include "AxisSet.h"

#include "shard/Geometry/Grid.h"
#include "shard/IR/ShardOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace shard {

/// Gives the axes of all grids of a program a bit each; grids of one shape share theirs. A
/// set of them stands for what depends, for each of the grids, on no other axes of this one
/// than those in the set.
///
/// Example: on the grids @a of 2x4 and @b of 4x2 devices, the coordinate on axis 1 of @b depends
/// on axis 1 of @a alone. Grids of 2x3 and 3x2 devices have no such axes: what depends on an
/// axis of the one may depend on all axes of the other one.
class AxisBits {
public:
  explicit AxisBits(mlir::SymbolTableCollection &symbols) : symbols(symbols) {}

  /// Finds the grids that `function` is on. All functions are added before sets are asked for.
  void add(mlir::FunctionOpInterface function);

  /// The axes on which the coordinates on `axes` of the grid `grid`, which op `op` names, may
  /// depend.
  AxisSet axesOf(mlir::Operation *op, mlir::FlatSymbolRefAttr grid,
                 llvm::ArrayRef<int16_t> axes);

  /// Those of them that are axes of `grid` itself.
  AxisSet ownAxesOf(mlir::Operation *op, mlir::FlatSymbolRefAttr grid,
                    llvm::ArrayRef<int16_t> axes);

  /// What is left of `set` where all devices hold the same that differ in no other coordinates
  /// than those on `axes`. What is not known stays unknown.
  AxisSet endedAlong(AxisSet set, mlir::Operation *op,
                     mlir::FlatSymbolRefAttr grid,
                     llvm::ArrayRef<int16_t> axes);

  /// The axes of the grid `grid`, which op `op` names, that are in `set`, as text.
  std::string describe(mlir::Operation *op, mlir::FlatSymbolRefAttr grid,
                       AxisSet set);

private:
  /// Grids whose axes have the same bits.
  struct Shape {
    llvm::SmallVector<int64_t> sizes;
    /// Nothing where a size is not known.
    std::optional<Grid> grid;
    llvm::ArrayRef<int64_t> deviceIds;
    int16_t firstBit;
  };

  void add(GridOp grid);
  /// Null for a grid whose axes are unknown.
  const Shape *shapeOf(mlir::Operation *op, mlir::FlatSymbolRefAttr grid);
  static AxisSet bitsOf(const Shape &shape, llvm::ArrayRef<int16_t> axes);
  static AxisList axesIn(const Shape &shape, AxisSet set);
  static AxisList behind(const Shape &other, const Shape &shape,
                         const AxisList &axes);

  mlir::SymbolTableCollection &symbols;
  std::vector<Shape> shapes;
  /// By grid, the number of its shape.
  llvm::DenseMap<mlir::Operation *, size_t> numbers;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_VERIFY_AXISBITS_H
