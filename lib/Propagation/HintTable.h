//===- HintTable.h - What the user said about shardings ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_HINTTABLE_H
#define SHARD_LIB_PROPAGATION_HINTTABLE_H

#include "ValueNumbers.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/IR/SymbolTable.h"

namespace shard::propagation {

/// Whether `hint` splits a dimension by `axis` or a part of it, or is partial along it.
bool namesAxis(const Hint &hint, const AxisPart &axis);

/// Collects the hints of a program, with the place where each is stated, and joins
/// those about one value.
class HintTable {
public:
  HintTable(Problem &problem, ValueNumbers &numbers, GridOp gridOp,
            mlir::SymbolTableCollection &symbols)
      : problem(problem), numbers(numbers), gridOp(gridOp), symbols(symbols) {}

  /// Records a hint on `value`, whose tensors have type `type`. The name of its
  /// grid is looked up from `from`. Errors are emitted at `location`. A value that `isPlain`
  /// takes neither halos nor offsets from other hints.
  mlir::LogicalResult add(ValueId value, ShardingAttr attr, mlir::Type type,
                          mlir::Operation *from, mlir::Location location,
                          bool isPlain = false);
  mlir::LogicalResult add(ValueId value, ShardingOp sharding,
                          mlir::RankedTensorType type, mlir::Location location);
  /// Records a hint that was derived from `attr`.
  void add(ValueId value, Hint hint, ShardingAttr attr,
           mlir::Location location);

  /// Whether `symbol`, looked up from `from`, is the grid of the problem; an error if
  /// there is no such grid.
  mlir::FailureOr<bool> isOwnGrid(mlir::FlatSymbolRefAttr symbol,
                                  mlir::Operation *from,
                                  mlir::Location location);
  /// Notes that a hint at `location` is on another grid: it is for the problem of
  /// that grid.
  void addForeign(ValueId value, mlir::FlatSymbolRefAttr symbol,
                  mlir::Operation *from, mlir::Location location);
  mlir::FailureOr<ResolvedSharding> resolve(ShardingAttr attr, mlir::Type type,
                                            mlir::Location location) const;

  /// Joins the hints about one value and writes them into the problem. Called once,
  /// after ValueNumbers::finish; emits an error where two contradict each other.
  mlir::LogicalResult finish();

  /// Where the hint of a value stands, for errors of the engine.
  mlir::Location locationOf(ValueId value) const;
  bool has(ValueId value) const { return hintOf.count(numbers.find(value)); }
  /// "the hint [...] at file:line:col" of `value`. Of several, one that names `axis`.
  std::string describe(ValueId value,
                       std::optional<AxisPart> axis = std::nullopt) const;

  /// The values that an annotation, a constraint without users or a group is for,
  /// maybe several times.
  std::vector<ValueId> annotated;
  /// The sources of annotations that reshard. They have no hint by that, but are stated
  /// even if they are whole: if such an annotation is left out because it changes nothing,
  /// a second propagation would otherwise be free to split its source.
  std::vector<ValueId> resharded;

  /// A value with a hint, and the grid of the hint.
  struct GridOfValue {
    ValueId value;
    GridOp grid;
    mlir::Location location;
  };
  /// Hints on other grids than that of the problem.
  std::vector<GridOfValue> foreign;
  /// All hints, those on the grid of the problem first.
  std::vector<GridOfValue> gridsOfValues() const;

  /// Halos and offsets of annotated values, which the engine does not know.
  struct Layout {
    llvm::SmallVector<int64_t> halos, offsets;
    bool empty() const { return halos.empty() && offsets.empty(); }
    bool operator==(const Layout &other) const {
      return halos == other.halos && offsets == other.offsets;
    }
  };
  llvm::DenseMap<ValueId, Layout> layouts;

private:
  struct PlacedHint {
    ValueId value;
    /// In the problem's table of hints.
    uint32_t hint;
    mlir::Location location;
    /// What states it: an attribute, or else a shard.sharding.
    mlir::Attribute attr;
    ShardingOp op;
    /// What `value` was before values that have one sharding became one.
    ValueId stated = kNoValue;
    /// Whether `value` is made without halos and offsets, even if the hint is open.
    bool isPlain = false;
  };

  bool mayReduce(const AxisPart &axis) const;
  mlir::FailureOr<Hint> resolveHint(ShardingAttr attr, mlir::Type type,
                                    mlir::Location location, Layout &layout);
  uint32_t intern(Hint hint, Layout layout = {});
  /// Whether one of two hints on a value asks for blocks that the other excludes.
  bool layoutsDiffer(uint32_t a, uint32_t b) const;
  std::string textOf(const PlacedHint &hint) const;
  mlir::LogicalResult checkScopes();
  mlir::LogicalResult checkRunTimeNumbers();
  mlir::LogicalResult join(PlacedHint &into, const PlacedHint &hint);

  Problem &problem;
  ValueNumbers &numbers;
  GridOp gridOp;
  mlir::SymbolTableCollection &symbols;
  std::vector<PlacedHint> hints;
  /// Of hints that have one, by their numbers.
  llvm::DenseMap<uint32_t, Layout> layoutOf;
  /// After reading: from values to their hints.
  llvm::DenseMap<ValueId, size_t> hintOf;
  /// The hints of each value behind its first one.
  llvm::DenseMap<ValueId, llvm::SmallVector<PlacedHint, 2>> further;
  /// Attributes that were resolved before: to their hints.
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, uint32_t> resolved;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_HINTTABLE_H
