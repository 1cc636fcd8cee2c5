//===- PlanTrace.cpp - Plans in debug output ------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/PlanTrace.h"

#include "llvm/Support/Debug.h"
#include "llvm/Support/raw_ostream.h"

#define DEBUG_TYPE "shard-planner"

namespace shard {

Planner::Trace planTrace() {
  LLVM_DEBUG(return [](const std::string &text) { llvm::dbgs() << text; });
  return nullptr;
}

} // namespace shard
