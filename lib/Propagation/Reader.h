//===- Reader.h - From the program to a problem of the engine ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to propagation. SSA values become values of the engine; those that must
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

#include "ManualReader.h"

#include "shard/IR/PropagateAttr.h"
#include "shard/Interfaces/RegionLoopsInterface.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace shard::propagation {

class Reader {
public:
  /// `crossings` are the annotations that move a value from one grid to another.
  Reader(ReadProgram &program, GridOp gridOp,
         mlir::SymbolTableCollection &symbols,
         const llvm::DenseSet<mlir::Operation *> &crossings)
      : program(program), problem(program.problem), tables(program.tables),
        numbers(program.numbers), hints(program.hints), gridOp(gridOp),
        symbols(symbols), crossings(crossings) {}

  /// Reads `functions`; on failure an error has been emitted.
  mlir::LogicalResult read(llvm::ArrayRef<mlir::FunctionOpInterface> functions);

private:
  mlir::LogicalResult declare(mlir::FunctionOpInterface function);
  mlir::LogicalResult declareTensor(mlir::FunctionOpInterface function,
                                    ValueId id, ShardingAttr attr,
                                    mlir::Type type, mlir::Location location,
                                    const llvm::Twine &what);
  /// Fills in how often each op runs.
  void countTrips();
  mlir::LogicalResult readRegion(mlir::Region &region);
  mlir::LogicalResult readOp(mlir::Operation *op);
  void readTableOp(mlir::Operation *op);
  mlir::LogicalResult readRegionLoops(RegionLoopsInterface loops);

  mlir::LogicalResult readShardOp(mlir::Operation *op);
  mlir::LogicalResult readAnnotation(ShardOp op);
  mlir::LogicalResult readConstraint(ConstraintOp op);
  mlir::LogicalResult readGroup(GroupOp op);
  void addReshard(mlir::Operation *op, ValueId source, ValueId target,
                  std::optional<Passage> passage = std::nullopt);
  mlir::LogicalResult tieToAsked(ShardOp annotation, ValueId target);

  ValueId idOf(mlir::Value value) { return numbers.idOf(value); }

  ReadProgram &program;
  Problem &problem;
  TableCache &tables;
  ValueNumbers &numbers;
  HintTable &hints;
  GridOp gridOp;
  mlir::SymbolTableCollection &symbols;
  const llvm::DenseSet<mlir::Operation *> &crossings;
  /// Of functions that are called in bodies of manual computations.
  ManualScopes scopes;
  llvm::DenseMap<std::pair<mlir::Operation *, int64_t>, ValueId> groups;
  mlir::Operation *function = nullptr;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_READER_H
