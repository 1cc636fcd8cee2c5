//===- Reader.h - From the program to a problem of the engine ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to propagation. Functions that call one another and share a grid are
// read into one Problem. SSA values become values of the engine; those that must
// have one sharding become one: the source and the result of an unflagged
// shard.shard, the members of a shard.group, the block arguments and results that
// one operand feeds, a call's results and those of the function.
//
// What feeds a block argument, a function argument or a function result is an
// edge: an identity op, so that the operand may be resharded there.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_READER_H
#define SHARD_LIB_PROPAGATION_READER_H

#include "TableCache.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/RegionLoopsInterface.h"
#include "shard/Propagation/Propagation.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/PointerUnion.h"

namespace shard::propagation {

class Reader {
public:
  Reader(GridOp gridOp, Grid grid, mlir::SymbolTableCollection &symbols)
      : problem(std::move(grid)), tables(problem), gridOp(gridOp),
        symbols(symbols) {}

  /// Reads `functions`; on failure an error has been emitted.
  mlir::LogicalResult read(llvm::ArrayRef<mlir::FunctionOpInterface> functions);

  Problem problem;
  TableCache tables;

  /// Every tensor value with its number, in the order of the program.
  std::vector<std::pair<mlir::Value, ValueId>> values;
  /// Per op of the problem: the op it is, or the operand that it is an edge for;
  /// null for what is in `silent`.
  using Origin = llvm::PointerUnion<mlir::Operation *, mlir::OpOperand *>;
  std::vector<Origin> origins;

  /// Edges that ask for no reshard of an operand: hints for users, entries into
  /// manual computations. The op that they stand for.
  llvm::DenseMap<OpId, mlir::Operation *> silent;
  /// The op that `op` stands for.
  mlir::Operation *ownerOf(OpId op) const;

  /// A tensor from outside that the body of an op uses whole.
  struct Captured {
    mlir::OpOperand *use;
    mlir::Operation *anchor;
    ValueId value;
  };
  std::vector<Captured> captured;

  /// Per function result, per function: the value of the engine.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<ValueId, 1>> results;

  /// The parts of a manual computation.
  struct Manual {
    ManualComputationOp op;
    /// Per operand: the in sharding's own value, the body's argument.
    llvm::SmallVector<std::pair<ValueId, ValueId>> in;
    llvm::SmallVector<ValueId> out;
    llvm::SmallVector<AxisPart, 1> axes;
    /// Per operand and dimension the manual axes that are major there.
    llvm::SmallVector<llvm::SmallVector<llvm::SmallVector<AxisPart, 1>>> prefix;
  };
  std::vector<Manual> manual;

  /// Edges out of the body of a manual computation, whose two ends have different
  /// shapes: to its number in `manual`.
  llvm::DenseMap<OpId, unsigned> manualExits;

  /// Edges from a slice to the shared output of an scf.forall that it goes into.
  llvm::DenseSet<OpId> forallInserts;

  /// The values that an annotation, a constraint without users or a group is for,
  /// maybe several times.
  std::vector<ValueId> hinted;

  /// Halos and offsets of annotated values, which the engine does not know.
  struct Layout {
    llvm::SmallVector<int64_t> halos, offsets;
    bool empty() const { return halos.empty() && offsets.empty(); }
    bool operator==(const Layout &other) const {
      return halos == other.halos && offsets == other.offsets;
    }
  };
  llvm::DenseMap<ValueId, Layout> layouts;

  /// The value that stands for `value` after everything was read.
  ValueId find(ValueId value) const {
    if (value == kNoValue)
      return value;
    while (parent[value] != value)
      value = parent[value] = parent[parent[value]];
    return value;
  }

  /// Where the hint of a value stands, for errors of the engine.
  mlir::Location hintLocation(ValueId value);
  bool hasHint(ValueId value) const { return hintOf.count(find(value)); }
  /// "the hint [...] at file:line:col" of `value`, which has one.
  std::string describeHint(ValueId value);

  /// The number of `value`; kNoValue for what is not a ranked tensor.
  ValueId idOf(mlir::Value value);

private:
  struct PlacedHint {
    ValueId value;
    /// In the problem's table of hints.
    uint32_t hint;
    mlir::Location location;
    /// What states it: an attribute, or else a shard.sharding.
    mlir::Attribute attr;
    ShardingOp op;
  };

  ValueId fresh(mlir::RankedTensorType type);
  void unite(ValueId a, ValueId b);
  void edge(mlir::OpOperand &use, ValueId target);
  void silentEdge(TableId table, ValueId source, ValueId target,
                  mlir::Operation *op);

  mlir::LogicalResult declare(mlir::FunctionOpInterface function);
  mlir::LogicalResult readRegion(mlir::Region &region);
  mlir::LogicalResult readOp(mlir::Operation *op);
  void readTableOp(mlir::Operation *op);
  mlir::LogicalResult readShardOp(mlir::Operation *op);
  mlir::LogicalResult tieToAsked(ShardOp annotation, ValueId target);

  // ReaderEdges.cpp
  bool readCall(mlir::Operation *op);
  bool readRegionBranch(mlir::Operation *op);
  void readBranch(mlir::Operation *op);
  mlir::LogicalResult readRegionLoops(RegionLoopsInterface loops);
  void readReturn(mlir::Operation *op);
  mlir::LogicalResult readManual(ManualComputationOp op);
  mlir::FailureOr<llvm::SmallVector<AxisPart, 1>>
  manualAxesOf(ManualComputationOp op);
  mlir::LogicalResult
  findScopes(llvm::ArrayRef<mlir::FunctionOpInterface> functions);

  // ReaderHints.cpp
  mlir::LogicalResult addHint(ValueId value, ShardingAttr attr, mlir::Type type,
                              mlir::Location location);
  mlir::LogicalResult addHint(ValueId value, ShardingOp sharding,
                              mlir::RankedTensorType type,
                              mlir::Location location);
  mlir::LogicalResult checkGrid(mlir::FlatSymbolRefAttr symbol,
                                mlir::Operation *from, mlir::Location location);
  mlir::LogicalResult checkScopes();
  mlir::LogicalResult mergeHints();
  mlir::FailureOr<ResolvedSharding> resolve(ShardingAttr attr, mlir::Type type,
                                            mlir::Location location) const;
  mlir::FailureOr<Hint> resolveHint(ShardingAttr attr, mlir::Type type,
                                    mlir::Location location, Layout *layout);

  GridOp gridOp;
  mlir::SymbolTableCollection &symbols;
  uint16_t scope = 0;
  /// Of functions that are called in bodies of manual computations: the scope of
  /// their values.
  llvm::DenseMap<mlir::Operation *, uint16_t> scopeOf;
  llvm::DenseMap<mlir::Value, ValueId> ids;
  mutable std::vector<ValueId> parent;
  std::vector<PlacedHint> hints;
  /// Of hints that have one, by their numbers.
  llvm::DenseMap<uint32_t, Layout> layoutOf;
  /// After reading: from values to their hints.
  llvm::DenseMap<ValueId, size_t> hintOf;
  /// Attributes that were resolved before: to their hints.
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, uint32_t> resolved;
  uint32_t intern(Hint hint, Layout layout = {}) {
    // The layout is about these very blocks.
    if (!layout.empty()) {
      for (DimHint &dim : hint.dims)
        dim.open = false;
      layoutOf[problem.hintTable.size()] = std::move(layout);
    }
    problem.hintTable.push_back(std::move(hint));
    return problem.hintTable.size() - 1;
  }
  /// Whether one of two hints on a value asks for blocks that the other excludes.
  bool layoutsDiffer(uint32_t a, uint32_t b) const;
  std::string textOf(PlacedHint &hint);
  llvm::DenseMap<std::pair<mlir::Operation *, int64_t>, ValueId> groups;
  mlir::Operation *function = nullptr;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_READER_H
