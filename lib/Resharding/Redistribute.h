//===- Redistribute.h - The plan of one step --------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RESHARDING_REDISTRIBUTE_H
#define SHARD_LIB_RESHARDING_REDISTRIBUTE_H

#include "shard/Resharding/Search.h"

#include <optional>

namespace shard {
namespace detail {

/// The step that solves `problem` at once: kind, axes, extents and dims, nothing
/// else. Nothing where partial axes change, axes that may not be used would be, or
/// groups are larger than kMaxRedistributingDevices. All extents are static.
std::optional<Step> redistributionStep(const SearchProblem &problem);

/// Of a step of the kind Redistribute.
struct RedistributionBytes {
  /// By the device that sends most, and by the one that receives most.
  double sent = 0, received = 0;
};
RedistributionBytes bytesOf(const Step &step, const Grid &grid,
                            int64_t elementBytes);

} // namespace detail
} // namespace shard

#endif // SHARD_LIB_RESHARDING_REDISTRIBUTE_H
