//===- Unroller.h - One program with the values of all devices --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the Reference library.
//
// A manual computation, or a function of an SPMD program, is what each device does.
// The reference copies each of its ops once per device; a collective becomes ops that
// combine the copies' operands.
//
// Regions with collectives (scf.for, scf.if, scf.while, ...) cannot be copied once per
// device, as a collective inside needs the values of several devices. The devices that
// such a region connects go through one copy of it together: it carries their values
// side by side, and each op inside is copied once per device.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_REFERENCE_UNROLLER_H
#define SHARD_LIB_REFERENCE_UNROLLER_H

#include "Messages.h"
#include "UnrollCollectives.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace shard::reference {

/// What is manual around the ops that are being copied.
struct Scope {
  GridOp grid;
  AxisList axes;
  /// The program's grid with every other axis shrunk to one coordinate: axes
  /// keep their numbers, and a device stands for one manual coordinate.
  Grid devices;
  /// By device of `devices`: the copies of values of the body.
  std::vector<mlir::IRMapping> values;
  /// The devices that the ops are copied for, in ascending order.
  llvm::SmallVector<int64_t> members;
};

/// The manual axes of `entry` among those of a dimension of a sharding, major
/// first: there, no other axis comes before them.
AxisList manualAxesOf(const ResolvedDim &entry, const AxisList &manual);

/// Copies the bodies of one module.
class Unroller {
public:
  explicit Unroller(mlir::MLIRContext *context) : builder(context) {}

  /// Replaces `op`, which no other manual computation contains.
  mlir::LogicalResult unrollOutermost(ManualComputationOp op);

  /// Replaces the body of `function`, the program of each device of a grid, by one
  /// that computes for all devices. Arguments and results get their global types.
  mlir::LogicalResult unrollFunction(mlir::func::FuncOp function);

private:
  // UnrollManual.cpp
  mlir::LogicalResult unroll(ManualComputationOp op, Scope &outer);
  mlir::FailureOr<Scope> enter(ManualComputationOp op, const Scope &outer);
  mlir::LogicalResult assemble(ManualComputationOp op, unsigned index,
                               const AxisList &manual, const Scope &inner,
                               Scope &outer);

  // UnrollFunction.cpp
  mlir::LogicalResult cutArguments(mlir::func::FuncOp function,
                                   mlir::Block::BlockArgListType arguments,
                                   Scope &scope);
  mlir::FailureOr<mlir::Value> assembleResult(mlir::func::FuncOp function,
                                              unsigned number, Copies buffers);

  // UnrollOps.cpp
  mlir::LogicalResult copy(mlir::Operation *op, Scope &scope);
  mlir::LogicalResult copyForeign(mlir::Operation *op, Scope &scope);
  mlir::LogicalResult copyCollective(mlir::Operation *op, Scope &scope);
  mlir::FailureOr<Grid> devicesFor(mlir::Operation *op, const Scope &scope);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  placeOf(mlir::Operation *op, mlir::ValueRange operands, int64_t device,
          const Scope &scope);
  mlir::LogicalResult answerPlaces(mlir::Operation *clone, int64_t device,
                                   const Scope &scope);

  // UnrollRegions.cpp; `together` copies an op for all members
  bool communicates(mlir::Operation *op);
  mlir::func::FuncOp calleeOf(mlir::Operation *op);
  mlir::FailureOr<std::vector<llvm::SmallVector<int64_t>>>
  connected(mlir::Operation *op, const Scope &scope);
  mlir::LogicalResult connect(mlir::Operation *op, const Scope &scope,
                              llvm::EquivalenceClasses<int64_t> &classes,
                              unsigned depth);
  mlir::LogicalResult copyConnected(mlir::Operation *op, Scope &scope);
  mlir::LogicalResult copyTogether(mlir::Operation *op, Scope &scope);
  mlir::FailureOr<mlir::Operation *> together(mlir::scf::ForOp loop,
                                              Scope &scope);
  mlir::FailureOr<mlir::Operation *> together(mlir::scf::IfOp branch,
                                              Scope &scope);
  mlir::FailureOr<mlir::Operation *> together(mlir::scf::IndexSwitchOp choice,
                                              Scope &scope);
  mlir::FailureOr<mlir::Operation *> together(mlir::scf::WhileOp loop,
                                              Scope &scope);
  mlir::FailureOr<mlir::Operation *> together(mlir::scf::ExecuteRegionOp region,
                                              Scope &scope);
  mlir::LogicalResult copyCall(mlir::func::CallOp call, Scope &scope);
  mlir::LogicalResult copyOps(mlir::Block &block, Scope &scope);
  mlir::LogicalResult copyChosen(mlir::Operation *op, mlir::Value condition,
                                 Scope &scope, bool &isDone);
  mlir::LogicalResult fillBlock(mlir::Block &from, mlir::Block &to,
                                Scope &scope);
  mlir::LogicalResult copyBlocks(mlir::Region &from, mlir::Region &to,
                                 Scope &scope);
  mlir::LogicalResult copyTerminator(mlir::Operation *op, Scope &scope,
                                     mlir::IRMapping &blocks);
  mlir::FailureOr<mlir::Value> common(mlir::Operation *op, mlir::Value value,
                                      const Scope &scope);
  llvm::SmallVector<mlir::Value> copiesOf(mlir::ValueRange values,
                                          const Scope &scope);
  llvm::SmallVector<mlir::Type> copiesOf(mlir::TypeRange types,
                                         const Scope &scope);
  void mapCopies(mlir::ValueRange values, mlir::ValueRange copies,
                 Scope &scope);
  void addArguments(mlir::Block &from, mlir::Block &to, Scope &scope);

  mlir::OpBuilder builder;
  mlir::SymbolTableCollection symbols;
  /// The messages between ops of the block that is being filled.
  Messages *messages = nullptr;
  /// How many ops have sent.
  int64_t sends = 0;
  llvm::DenseMap<mlir::Operation *, bool> functionsThatCommunicate;
  unsigned callDepth = 0;
};

} // namespace shard::reference

#endif // SHARD_LIB_REFERENCE_UNROLLER_H
