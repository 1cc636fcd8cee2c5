//===- PlainSteps.h - Steps that need no search -----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RESHARDING_PLAINSTEPS_H
#define SHARD_LIB_RESHARDING_PLAINSTEPS_H

#include "shard/Resharding/Plan.h"

namespace shard {
namespace detail {

/// The plan that always exists: gather what is split differently, reduce,
/// slice.
bool gatherAndSlice(const Sharding &from, const Sharding &to,
                    std::vector<Step> &steps, std::string &error);

/// Joins neighbouring slices of one dimension. Slices of different dimensions
/// commute.
void joinSlices(const Grid &grid, const std::vector<int64_t> &extents,
                const Sharding &from, std::vector<Step> &steps);

} // namespace detail
} // namespace shard

#endif // SHARD_LIB_RESHARDING_PLAINSTEPS_H
