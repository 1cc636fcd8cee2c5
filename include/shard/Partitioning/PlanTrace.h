//===- PlanTrace.h - Plans in debug output ----------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_PLANTRACE_H
#define SHARD_PARTITIONING_PLANTRACE_H

#include "shard/Resharding/Plan.h"

namespace shard {

/// For planners that passes make: prints each plan under the debug type
/// "shard-planner". The planner itself does not know LLVM.
Planner::Trace planTrace();

} // namespace shard

#endif // SHARD_PARTITIONING_PLANTRACE_H
