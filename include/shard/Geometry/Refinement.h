//===- Refinement.h - Two grids over the same devices -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two grids of equal size number the same devices. Their axes are cut into atoms,
// the axes of a third grid with the same numbering, such that an axis of either
// grid is a list of atoms:
//
//     first    2 x 8       axis 0 = [0]     axis 1 = [1, 2]
//     second   4 x 4       axis 0 = [0, 1]  axis 1 = [2]
//     refined  2 x 2 x 4
//
// Where sizes clash there are no such atoms (2 x 3 and 3 x 2): the shortest run of
// axes with equal products on both sides becomes one atom, and its axes have no
// atoms of their own.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_GEOMETRY_REFINEMENT_H
#define SHARD_GEOMETRY_REFINEMENT_H

#include "shard/Geometry/Sharding.h"

#include <optional>

namespace shard {

/// The atoms of each axis of a grid, outermost first; nothing for axes that atoms
/// cannot express. Axes of size 1 have no atoms: an empty list.
using AtomsOfAxes = std::vector<std::optional<AxisList>>;

struct Refinement {
  Grid grid;
  AtomsOfAxes first, second;
};

/// The coarsest common refinement; nothing for grids of different size.
std::optional<Refinement> refine(const Grid &first, const Grid &second);

/// For each axis of `coarse` the axes of `fine` that it falls into, outermost
/// first; nothing where `fine` is no refinement of `coarse`. Every axis of `fine`
/// is in one list, those of size 1 too.
std::optional<std::vector<AxisList>> axesWithin(const Grid &coarse,
                                                const Grid &fine);

/// The axes of `other` on which the coordinates of a device on `axes` of `grid` may depend.
/// Both grids have equally many devices. Axes of size 1 are left out.
AxisList axesBehind(const Grid &other, const Grid &grid, const AxisList &axes);

/// The axes of `other` on which all devices agree that agree in their coordinates on
/// `axes` of `grid`: a part of `axesBehind`.
AxisList axesToldBy(const Grid &other, const Grid &grid, const AxisList &axes);

/// `sharding` of a tensor of `shape`, on `grid`, over the atoms of the refined
/// grid: every device holds the same block. Halos and offsets are left out.
/// Nothing where an axis has no atoms, or where its atoms would cut an uneven
/// dimension differently.
std::optional<Sharding> refine(const Sharding &sharding, const Grid &grid,
                               const std::vector<int64_t> &shape,
                               const AtomsOfAxes &atoms, const Grid &refined);

} // namespace shard

#endif // SHARD_GEOMETRY_REFINEMENT_H
