//===- HintCuts.h - Cutting axes where hints need it ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_HINTCUTS_H
#define SHARD_LIB_PROPAGATION_HINTCUTS_H

#include "shard/Propagation/AxisLists.h"
#include "shard/Propagation/Engine.h"

namespace shard::propagation {

/// Cuts the axes of `atoms` at the ends of the parts that manual computations and
/// hints name, in the order of Engine.h; cuts that earlier ones exclude are left
/// out.
void cutForHints(const Problem &problem, AtomSpace &atoms);

/// Keeps the blocks that hints state for dimensions that they split unevenly: what
/// propagation cuts later must not change which elements a device has of them.
void keepHintedBlocks(const Problem &problem, AtomSpace &atoms);

/// Whose hint has a cut that excludes `part`, which `atoms` cannot express;
/// kNoValue if none has.
ValueId excluder(const Problem &problem, const AtomSpace &atoms,
                 const AxisPart &part);

/// What open dimensions of hints lose, at most once per distinct hint.
std::vector<Solution::DroppedPart> droppedParts(const Problem &problem,
                                                const AtomSpace &atoms);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_HINTCUTS_H
