//===- ProgramGrids.h - The grids of a program ------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What partition keeps for each grid of a program: a planner, and the grids that
// refine two of them, over which values move from one to the other.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_PROGRAMGRIDS_H
#define SHARD_LIB_TRANSFORMS_PROGRAMGRIDS_H

#include "shard/Partitioning/Emitter.h"
#include "shard/Resharding/CrossGrid.h"

#include <map>

namespace shard {

class ProgramGrids {
public:
  /// `root` is what is partitioned, a module or a function.
  explicit ProgramGrids(mlir::Operation *root) : root(root) {}

  /// A remark on each grid of the module `root` whose `shard.machine` describes other devices than
  /// that of the first grid does: predictions take what ops compute from the first one.
  void remarkOtherMachines();

  /// The planner of `grid`: costs are those of its links.
  Planner &plannerOf(GridOp grid);

  /// The grid with the sizes of `refinement`, of `first` and `second`: one of the two
  /// or a new one. An error at `loc` if it cannot be added.
  mlir::FailureOr<GridOp> refined(GridOp first, GridOp second,
                                  const Refinement &refinement,
                                  mlir::Location loc);

private:
  mlir::Operation *root;
  std::map<mlir::Operation *,
           std::pair<std::unique_ptr<CostModel>, std::unique_ptr<Planner>>>
      planners;
  std::map<std::pair<mlir::Operation *, std::vector<int64_t>>, GridOp> added;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_PROGRAMGRIDS_H
