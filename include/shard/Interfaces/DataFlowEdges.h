//===- DataFlowEdges.h - Which values are handed on as others ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An edge leads from an operand to a value that receives it unchanged: an argument
// of a block, of a region or of a function, or a result of an op with regions. In
//
//   %r = scf.for ... iter_args(%x = %init) { ...; scf.yield %y }
//
// the edges are %init to %x, %init to %r, %y to %x and %y to %r. Propagation,
// partition and the check of SPMD programs all read control flow through these
// functions. scf.forall is no such op: see RegionLoopsInterface.h.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_INTERFACES_DATAFLOWEDGES_H
#define SHARD_INTERFACES_DATAFLOWEDGES_H

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace shard {

/// `operand` is handed on as `input`.
struct DataFlowEdge {
  mlir::OpOperand *operand;
  mlir::Value input;
};

/// The edges into, between and out of the regions of one op.
class RegionEdges {
public:
  explicit RegionEdges(mlir::RegionBranchOpInterface op);

  /// In the order of the points of the op where control flow branches, several of
  /// one operand possibly.
  llvm::ArrayRef<DataFlowEdge> edges() const { return list; }

  /// Per operand of the op or of a terminator in it the values that it is handed on
  /// as. They are equal, so they have one sharding.
  const llvm::MapVector<mlir::OpOperand *, llvm::SmallVector<mlir::Value, 2>> &
  byOperand() const {
    return inputs;
  }

  /// Whether edges tell all that happens to tensors: every tensor operand and
  /// result of the op and every tensor argument of a region is on an edge, and the
  /// ends of each edge have one shape.
  bool coverTensors() const { return tensorsAreCovered; }

private:
  /// Adds the edges from one point; false if it hands on another number of values
  /// than its successor takes.
  bool add(mlir::RegionBranchPoint point);
  bool coversTensors() const;

  mlir::RegionBranchOpInterface op;
  llvm::SmallVector<DataFlowEdge, 8> list;
  llvm::MapVector<mlir::OpOperand *, llvm::SmallVector<mlir::Value, 2>> inputs;
  bool tensorsAreCovered;
};

/// From operands of a terminator to arguments of the blocks it branches to, in the
/// order of the operands.
llvm::SmallVector<DataFlowEdge, 4>
branchEdges(mlir::BranchOpInterface terminator);

/// From arguments of `call` to those of `callee`, which has a body; nothing if
/// their numbers differ.
std::optional<llvm::SmallVector<DataFlowEdge, 4>>
callEdges(mlir::CallOpInterface call, mlir::FunctionOpInterface callee);

} // namespace shard

#endif // SHARD_INTERFACES_DATAFLOWEDGES_H
