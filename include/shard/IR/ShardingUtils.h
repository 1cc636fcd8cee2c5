//===- ShardingUtils.h - From the IR to Geometry and back -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The border between attributes and SSA values on one side and the plain values
// of the Geometry floor on the other. Passes resolve shardings here once and
// work on numbers from then on.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDINGUTILS_H
#define SHARD_IR_SHARDINGUTILS_H

#include "shard/Geometry/AxisPart.h"
#include "shard/Geometry/Machine.h"
#include "shard/Geometry/Sharding.h"
#include "shard/IR/ShardOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace shard {

using EmitErrorFn = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// The nearest symbol table around `op`, or `op` itself; null if there is none. Looks past
/// ops of dialects that are not loaded, as MLIR's own search does not: what these are is
/// not known, but grids stand in modules.
mlir::Operation *symbolScope(mlir::Operation *op);

/// The grid called `symbol` as seen from `op`; null if there is none.
GridOp getGrid(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol,
               mlir::SymbolTableCollection &symbols);

/// The grid that `op`, an op of this dialect with a `grid` or a sharding,
/// refers to; null if there is none.
GridOp getGrid(mlir::Operation *op, mlir::SymbolTableCollection &symbols);

/// The grid as a plain value; fails, silently, where an axis is `?`.
mlir::FailureOr<Grid> staticGrid(GridOp grid);

/// The physical device at each position of `grid`, as it or the grid that it refines says
/// by `device_ids`; empty if position p is physical device p.
llvm::ArrayRef<int64_t> deviceIdsOf(GridOp grid,
                                    mlir::SymbolTableCollection &symbols);

/// The machine that `figures`, a `shard.machine`, describes: what it does not say is
/// as in the machine that it names, else as in the default. On failure exactly one
/// error has been emitted.
mlir::FailureOr<Machine> readMachine(mlir::DictionaryAttr figures,
                                     EmitErrorFn emitError);

/// Where `location` is in the user's program, for people: "file:line:column", else
/// the first name, else "unknown". The runtime tells collectives apart by it.
std::string describeLocation(mlir::Location location);

/// For each axis of `coarse` the axes of `fine` that it falls into, outermost
/// first, where `fine` refines `coarse` directly or through other grids, or is that
/// grid. Fails, silently, where it does not.
mlir::FailureOr<std::vector<AxisList>>
axesInRefinement(GridOp coarse, GridOp fine,
                 mlir::SymbolTableCollection &symbols);

/// Whether `op` works on a group of devices: a collective, or send and recv.
bool isCollective(mlir::Operation *op);

/// Whether the elementwise `op`, of two elements or tensors, combines as `kind` does, so
/// that the reduction of its results is `op` of the two reductions. Averages are linear.
bool combinesAs(mlir::Operation *op, ReductionKind kind);

/// Drops from `op`, and from ops in it, the promises that integers do not overflow: they are
/// made of whole values, and the summands that devices have may overflow where sums do not.
void dropOverflowFlags(mlir::Operation *op);

/// Whether an argument or a result of `function` has a hint.
bool hasSignatureHint(mlir::FunctionOpInterface function);

/// Writes those halos and offsets of `shardings` that are SSA values but
/// fold to constants (arith, tensor.dim of a static extent) as numbers. Those that
/// break the rules for numbers are an error, as they would be if written so.
mlir::LogicalResult makeShardingsStatic(llvm::ArrayRef<ShardingOp> shardings);

/// The number that stands for `value`, an i64, in the halos and offsets of a Sharding
/// (kRunTimeNumbers), and the value that a number stands for: null where it is a
/// number of its own.
int64_t runTimeNumber(mlir::Value value);
mlir::Value runTimeValue(int64_t number);

/// Marks annotations by shardings with numbers that are SSA values
/// `annotate_for_users`, but for those of values that are made where the numbers are
/// known: other values have that layout from the annotation on.
void startAtAnnotations(llvm::ArrayRef<ShardOp> annotations);

/// The sharding that `op` states for a tensor of `rank`, missing trailing
/// dimensions added; halos and offsets that are SSA values are numbers of the run.
/// Fails where there are more dimensions than `rank`; tells why through `emitError` if
/// given.
mlir::FailureOr<Sharding> resolve(ShardingOp op, int64_t rank,
                                  EmitErrorFn emitError = nullptr);

/// The `shard.sharding` that defines `value`, through casts of none: null for
/// block arguments and get_sharding.
ShardingOp getShardingOp(mlir::Value value);

/// Whether `a` and `b`, of type !shard.sharding, are known to state the same.
bool equalShardings(mlir::Value a, mlir::Value b);

/// Marks each annotation of an annotation that states something else
/// `annotate_for_users`: its users get the value resharded, as in LLVM's dialect.
void reshardChains(llvm::ArrayRef<ShardOp> annotations);

/// Builds the `shard.sharding` of `sharding` on the grid called `grid`,
/// trailing unsplit dimensions left out, at least one list kept. What its numbers of
/// the run stand for must be visible there.
ShardingOp buildSharding(mlir::OpBuilder &builder, mlir::Location loc,
                         llvm::StringRef grid, const Sharding &sharding);

/// Replaces `op` by arithmetic on indices. The sharding must be a `shard.sharding`
/// of the same function; anything else is an error.
mlir::LogicalResult expandShardShape(ShardShapeOp op,
                                     mlir::SymbolTableCollection &symbols);

/// expandShardShape for all that `root` contains.
mlir::LogicalResult expandShardShapes(mlir::Operation *root,
                                      mlir::SymbolTableCollection &symbols);

struct ResolvedDim {
  llvm::SmallVector<AxisPart, 2> axes;
  bool open = false;
  /// -1 where the user gave none.
  int64_t priority = -1;
};

/// A ShardingAttr with names resolved to numbers.
struct ResolvedSharding {
  llvm::SmallVector<ResolvedDim, 4> dims;
  llvm::SmallVector<AxisPart, 2> partial;
  ReductionKind reduction = ReductionKind::Sum;
  llvm::SmallVector<AxisPart, 2> replicated;
  llvm::SmallVector<int64_t> halos;
  llvm::SmallVector<int64_t> offsets;

  /// Whether a sub-axis is mentioned.
  bool hasSubAxes = false;
};

/// Resolves and checks `sharding` on `grid`: every axis exists, none twice, no
/// overlap, sub-axes divide. With a ranked shaped `type` (may be null) also:
/// one entry per dimension; halos and offsets that fit it. On failure exactly
/// one error has been emitted.
mlir::FailureOr<ResolvedSharding> resolve(ShardingAttr sharding, GridOp grid,
                                          mlir::Type type,
                                          EmitErrorFn emitError);

/// The closed whole-axis form of `sharding`: what is open or has priority loses
/// that; fails, silently, where a sub-axis is mentioned.
mlir::FailureOr<Sharding> toSharding(const ResolvedSharding &sharding);

/// What a `shard.local` of a partitioned function says.
struct LocalSharding {
  GridOp grid;
  Grid sizes;
  Sharding sharding;
};

/// Reads `local`, of an argument or a result of `function`. Errors at `function`: the
/// grid must be there, with sizes that are known.
mlir::FailureOr<LocalSharding>
resolveLocal(mlir::FunctionOpInterface function, LocalAttr local,
             mlir::SymbolTableCollection &symbols);

/// The attribute form, axes by number, of `sharding` on the grid `grid`; every
/// dimension closed.
ShardingAttr getShardingAttr(mlir::FlatSymbolRefAttr grid,
                             const Sharding &sharding);

/// Whether `op` has a discardable attribute of this dialect, such as `shard.loops`.
bool hasHint(mlir::Operation *op);

/// The per-device type of a value of the global `type` under `sharding`, block
/// layout, halos included; dynamic where offsets differ in size.
mlir::RankedTensorType localType(mlir::RankedTensorType type, const Grid &grid,
                                 const Sharding &sharding);

} // namespace shard

#endif // SHARD_IR_SHARDINGUTILS_H
