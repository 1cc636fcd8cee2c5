//===- ShardingMaker.h - Random shardings of a tensor --------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_SHARDINGMAKER_H
#define SHARD_LIB_FUZZ_SHARDINGMAKER_H

#include "shard/Fuzz/Random.h"
#include "shard/Geometry/Sharding.h"

#include <string>

namespace shard::fuzz {

/// A tensor of random shape on a random grid, and shardings of it.
class ShardingMaker {
public:
  /// On a grid of no more than `mostDevices` devices, if that is not 0; such a grid may have axes
  /// of one device.
  explicit ShardingMaker(uint64_t seed, int64_t mostDevices = 0);

  Sharding make();
  /// Gives a sharding without halos and bounds some of either, or none.
  void layOut(Sharding &sharding);
  /// Something that is wrong with `sharding`, in words; empty where it has no such part.
  std::string damage(Sharding &sharding);
  /// The same for the grid and the tensor.
  std::string damageTensor();

  Random rng;
  Grid grid;
  std::vector<int64_t> shape;
  int64_t elementBytes = 4;

private:
  void addHalos(Sharding &sharding);
  void addOffsets(Sharding &sharding);
  std::string damageAxes(Sharding &sharding);
  std::string damageNumbers(Sharding &sharding);
};

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_SHARDINGMAKER_H
