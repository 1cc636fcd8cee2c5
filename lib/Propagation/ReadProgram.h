//===- ReadProgram.h - A program as a problem of the engine -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to propagation. Functions that call one another and share a grid are
// read into one Problem (Reader.h). This is the problem, with what is needed to say
// what its solution means for the program.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_READPROGRAM_H
#define SHARD_LIB_PROPAGATION_READPROGRAM_H

#include "HintTable.h"

#include "llvm/ADT/PointerUnion.h"

namespace shard::propagation {

/// Stands for no op of the problem.
constexpr OpId kNoOp = ~OpId(0);

struct ReadProgram {
  ReadProgram(GridOp gridOp, Grid grid, mlir::SymbolTableCollection &symbols)
      : problem(std::move(grid)), tables(problem), numbers(problem, tables),
        hints(problem, numbers, gridOp, symbols), gridOp(gridOp) {}

  Problem problem;
  TableCache tables;
  ValueNumbers numbers;
  HintTable hints;
  GridOp gridOp;

  ValueId idOf(mlir::Value value) { return numbers.idOf(value); }
  ValueId find(ValueId value) const { return numbers.find(value); }

  /// Per op of the problem: the op it is, or the operand that it is an edge for;
  /// null for what is in `silent`.
  using Origin = llvm::PointerUnion<mlir::Operation *, mlir::OpOperand *>;
  std::vector<Origin> origins;
  /// Edges that ask for no reshard of an operand: hints for users, entries into
  /// manual computations. The op that they stand for.
  llvm::DenseMap<OpId, mlir::Operation *> silent;

  /// Adds an edge: `use` may be resharded to what `target` is. Does nothing unless
  /// both are tensors.
  void addEdge(mlir::OpOperand &use, ValueId target);
  /// Adds an op of the problem that stands for `use`.
  OpId addEdge(TableId table, mlir::OpOperand &use,
               llvm::ArrayRef<ValueId> operands,
               llvm::ArrayRef<ValueId> results);
  OpId addSilentEdge(TableId table, ValueId source, ValueId target,
                     mlir::Operation *op);
  /// Whether `op` passes a value on as it is, where it may be resharded.
  bool isEdge(OpId op) const;
  /// The op that `op` stands for.
  mlir::Operation *ownerOf(OpId op) const;

  /// How often what is in each op with regions is taken to run.
  llvm::DenseMap<mlir::Operation *, double> tripsIn;

  /// The annotations for users that keep an op as it is (PropagationResult::binding).
  llvm::DenseSet<mlir::Operation *> binding;

  /// The values whose shardings the program asks for.
  std::vector<ValueId> asked;
  /// Hints in regions that are not looked into, each with the op that has the region.
  std::vector<std::pair<mlir::Operation *, mlir::Operation *>> unread;

  /// A tensor from outside that the body of an op uses whole.
  struct Captured {
    mlir::OpOperand *use;
    mlir::Operation *anchor;
    ValueId value;
  };
  std::vector<Captured> captured;

  /// Per function result, per function: the value of the engine.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<ValueId, 1>> results;

  /// The same for the arguments of functions without a body.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<ValueId, 1>>
      declaredArguments;

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
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_READPROGRAM_H
