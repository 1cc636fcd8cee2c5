//===- OpenRegions.h - Open values that change together ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Propagation gives open values the axes that reach them first, before it knows how
// conflicts at their ops end. Of x[[a], []] and w[[], [a]] the product takes the rows of
// x, while the op computes columns because that reshards fewer bytes; if an elementwise op
// and a product that wants columns follow, both ends of the region between the products
// are resharded for nothing.
//
// A region is what pass-through ops connect: open values that take their axes from one
// another. Where an op at its border computes or wants another sharding than a value of
// the region has, the region tries that sharding, and keeps it if all ops that touch the
// region reshard fewer bytes then. A region that a function returns also tries the layouts
// of arguments of the same type (ReturnedValues.h). Axes that an op sums over, or by which it
// gathers operands, try its other loops, with what follows from that for the regions behind it
// (ReductionMoves.h).
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_OPENREGIONS_H
#define SHARD_LIB_PROPAGATION_OPENREGIONS_H

#include "OpWishes.h"

namespace shard::propagation {

/// Changes the shardings of open regions in `solution` where that costs less, and returns the
/// values that have another one then.
llvm::SmallVector<ValueId, 0>
settleRegions(ReadProgram &program, Solution &solution, SolvedShardings &solved,
              OpWishes &opWishes, const GridPropagation &out,
              const PropagationOptions &options);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_OPENREGIONS_H
