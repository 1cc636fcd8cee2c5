//===- RegionPrices.h - What the ops at a region cost ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_REGIONPRICES_H
#define SHARD_LIB_PROPAGATION_REGIONPRICES_H

#include "OpWishes.h"
#include "OpsOfValues.h"

namespace shard::propagation {

/// Prices ops by the reshards that they need as values are sharded now.
class RegionPrices {
public:
  RegionPrices(ReadProgram &program, const Solution &solution,
               SolvedShardings &solved, OpWishes &opWishes,
               const GridPropagation &out)
      : program(program), solution(solution), solved(solved),
        opWishes(opWishes), out(out) {}

  /// What the ops `touched` cost together, each as often as it runs, if that is known. A
  /// value that several ops want in one sharding is resharded once. `withWork` adds what
  /// computing takes.
  std::optional<double> of(const OpsOfValues &ops, llvm::ArrayRef<OpId> touched,
                           bool withWork = false);

  /// Which of `touched` split a loop over which a window slides: `of` does not know what
  /// their halos cost.
  llvm::SmallVector<bool> slidingOps(llvm::ArrayRef<OpId> touched);

  /// The op of the program that `op` stands for, if it is no edge.
  mlir::Operation *ownerOf(OpId op) const {
    return llvm::dyn_cast_if_present<mlir::Operation *>(program.origins[op]);
  }

private:
  /// The reshard of a value to the sharding of this number.
  struct Reshard {
    ValueId value;
    uint32_t number;
  };
  /// The operand that the only result of `op` repeats, found once for each op.
  std::optional<unsigned> repeatedBy(OpId op, mlir::Operation *owner);
  Reshard sourceOf(const OpsOfValues &ops, Reshard reshard);
  std::optional<Reshard> repeated(const TensorUse &use, const Reshard &reshard);
  bool isWantedElsewhere(const OpsOfValues &ops,
                         const llvm::SmallDenseSet<OpId> &touched,
                         const Reshard &reshard, unsigned repeats);
  mlir::Type typeOfEdge(OpId op) const;

  ReadProgram &program;
  const Solution &solution;
  SolvedShardings &solved;
  OpWishes &opWishes;
  const GridPropagation &out;
  llvm::DenseMap<OpId, std::optional<unsigned>> repeatedByOp;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_REGIONPRICES_H
