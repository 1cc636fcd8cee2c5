//===- ShardingCheck.h - Are the planner's arguments sound ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner is called with what users wrote: nothing is assumed of it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RESHARDING_SHARDINGCHECK_H
#define SHARD_LIB_RESHARDING_SHARDINGCHECK_H

#include "shard/Geometry/Sharding.h"

#include <string>

namespace shard {
namespace detail {

/// Whether grid, shape and element size make sense; else `error` says why not.
bool checkTensor(const Grid &grid, const std::vector<int64_t> &shape,
                 int64_t elementBytes, std::string &error);

/// Whether `sharding`, called `name` in messages, fits grid and shape.
bool checkSharding(const Grid &grid, const std::vector<int64_t> &shape,
                   const Sharding &sharding, const std::string &name,
                   std::string &error);

} // namespace detail
} // namespace shard

#endif // SHARD_LIB_RESHARDING_SHARDINGCHECK_H
