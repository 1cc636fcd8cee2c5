//===- CostModel.h - What communication costs -------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner minimises the sum of the costs of a plan's steps. A step costs
// what the device that sends most pays:
//
//     latency + bytes sent / bandwidth
//
// with the largest latency and the smallest bandwidth of the step's axes. Steps
// that send nothing are free, latency included. Bytes sent by one device of a
// group of k, in terms of its local input (padded to what is really sent):
//
//     all_gather       (k - 1) inputs: a ring, each device passes on k - 1 blocks
//     reduce_scatter   (k - 1) / k inputs
//     all_reduce       2 (k - 1) / k inputs: reduce_scatter and all_gather
//     all_to_all       (k - 1) / k inputs
//     permute          1 input; 0 where it is the identity on every device
//     broadcast        1 input: a pipelined chain
//     reduce           1 input
//     gather           1 input: what a device that is not the root sends
//     scatter          (k - 1) / k inputs: what the root sends
//     shift, send      1 input
//     update_halo      what the device sends to its neighbours: per dimension,
//                      low + high slices of the blocks widened so far, fewer where no
//                      device has neighbours on both sides
//     redistribute     what the device that sends most sends: on even shapes as much as
//                      the neediest device lacks of its new block
//     all_slice, changes to partial, cutting halos away: 0
//
// A host compiler with a better model of its machine derives from CostModel.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_RESHARDING_COSTMODEL_H
#define SHARD_RESHARDING_COSTMODEL_H

#include "shard/Geometry/Grid.h"

#include <cmath>
#include <optional>
#include <vector>

namespace shard {

/// The operations that communicate.
enum class Collective {
  AllGather,
  AllReduce,
  AllToAll,
  ReduceScatter,
  Permute,
  Broadcast,
  Gather,
  Reduce,
  Scatter,
  Shift,
  UpdateHalo,
  Redistribute,
};

/// Fractions of bytes are multiples of 1 / kByteGrains, so that sums of costs are exact and
/// plans of equal cost compare equal.
constexpr double kByteGrains = 1 << 20;

/// The bytes that the busiest device of a group of `groupSize` sends in
/// `collective`, given the bytes of its local input; not for UpdateHalo, whose
/// bytes depend on the widths. May be fractional for all_reduce.
inline double bytesSent(Collective collective, int64_t groupSize,
                        double inputBytes) {
  if (groupSize <= 1)
    return 0;
  double k = static_cast<double>(groupSize);
  switch (collective) {
  case Collective::AllGather:
    return (k - 1) * inputBytes;
  case Collective::AllReduce:
    return std::round(2 * (k - 1) * inputBytes / k * kByteGrains) / kByteGrains;
  case Collective::AllToAll:
  case Collective::ReduceScatter:
  case Collective::Scatter:
    return (k - 1) * inputBytes / k;
  case Collective::Permute:
  case Collective::Broadcast:
  case Collective::Gather:
  case Collective::Reduce:
  case Collective::Shift:
    return inputBytes;
  case Collective::UpdateHalo:
  case Collective::Redistribute:
    break;
  }
  return 0;
}

/// What a step costs, in any unit. The default counts bytes.
class CostModel {
public:
  virtual ~CostModel();

  /// The cost of one `collective` over the device group `axes` (for a permute:
  /// all axes that it names) in which a device sends at most `bytes` > 0 bytes.
  /// Must be non-negative and finite, must not decrease when `bytes` grows, and
  /// must not change during the life of a Planner.
  virtual double cost(Collective collective, const AxisList &axes,
                      double bytes) const;

  /// A number m such that every step that sends b bytes costs at least m * b.
  /// It guides the search; 0 is always right, and slow.
  virtual double leastCostPerByte() const;

  /// The number m where every step that sends b bytes costs exactly m * b, else
  /// nothing. The axes of equal size are then interchangeable, which the search
  /// makes use of.
  virtual std::optional<double> uniformCostPerByte() const;
};

/// latency + bytes / bandwidth, as at the top of this file. The lists are those
/// of `shard.grid`, one entry per axis; a missing entry means latency 0 and
/// bandwidth 1. Entries that are not positive finite numbers (latencies:
/// negative or not finite) count as missing; the verifier of `shard.grid`
/// reports them.
class LinkCostModel : public CostModel {
public:
  LinkCostModel() = default;
  LinkCostModel(std::vector<double> latency, std::vector<double> bandwidth);

  double cost(Collective collective, const AxisList &axes,
              double bytes) const override;
  double leastCostPerByte() const override;
  std::optional<double> uniformCostPerByte() const override;

private:
  std::vector<double> latency, bandwidth;
};

} // namespace shard

#endif // SHARD_RESHARDING_COSTMODEL_H
