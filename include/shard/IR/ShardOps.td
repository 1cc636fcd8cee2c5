//===- ShardOps.td - All ops of the shard dialect ----------*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDOPS_TD
#define SHARD_IR_SHARDOPS_TD

include "shard/IR/ShardCollectiveOps.td"
include "shard/IR/ShardGridOps.td"
include "shard/IR/ShardOverlapOps.td"
include "shard/IR/ShardReductionOps.td"
include "shard/IR/ShardRootedOps.td"
include "shard/IR/ShardShardingOps.td"

#endif // SHARD_IR_SHARDOPS_TD
