//===- Group.h - A device's view of a device group ------------ -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the words by which programs name a group (Runtime.h, "group") mean on the
// grid that runs.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_COMMON_GROUP_H
#define SHARD_LIB_RUNTIME_COMMON_GROUP_H

#include "View.h"
#include "shard/Geometry/BlockLayout.h"
#include "shard/Geometry/Grid.h"

#include <string>
#include <vector>

namespace shard {
namespace runtime {

/// How the devices of a group reach each other. Each back end defines its own;
/// lists of axes that name the same devices in the same order share one.
struct Communicator;

/// A device's view of one of its groups, made once per list of axes.
struct Group {
  /// The words by which programs name the group.
  std::vector<int64_t> words;
  /// The program's grid with the extents of the running one.
  Grid grid;
  AxisList axes;
  /// Extents of `axes`.
  std::vector<int64_t> sizes;
  int64_t size = 1;
  /// Of this device.
  int64_t position = 0;
  /// Coordinates on `axes` of each position.
  std::vector<std::vector<int64_t>> coordinates;
  /// By position.
  std::vector<int64_t> devices;
  /// The back end's; null until it is needed.
  Communicator *communicator = nullptr;

  /// The block of a dimension of `extent` at position `p`.
  Block block(int64_t extent, int64_t p) const {
    return blockAt(extent, sizes, coordinates[p]);
  }
};

/// The number of words of a group; -1 if they are none.
int64_t numGroupWords(const int64_t *words);

/// Fills `group` for `words` as `device` of the running grid sees it; returns
/// what is wrong with the words, empty if nothing is.
std::string makeGroup(const Grid &running, int64_t device, const int64_t *words,
                      Group &group);

/// The extent of an axis of a program's grid on the running one
/// (shard_rt_grid_extent); -1 if there is none.
int64_t gridExtent(const Grid &running, int64_t rank, const int64_t *extents,
                   int64_t axis);

/// Copies the block of `whole` at `position` of the group along `dim` into
/// `part`, zeros behind it.
void cutBlock(const Group &group, int64_t position, const View &part,
              const View &whole, int64_t dim);

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_COMMON_GROUP_H
