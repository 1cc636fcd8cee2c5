//===- Options.h - The passes of a random program -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_OPTIONS_H
#define SHARD_LIB_FUZZ_OPTIONS_H

#include "shard/Pipelines/Pipelines.h"

#include <cstdint>

namespace shard::fuzz {

/// The options of propagation for a seed: sometimes another order of the directions
/// than the default.
PropagationOptions propagationOptions(uint64_t inputSeed);

/// The options of the whole pipeline for a seed.
SpmdPipelineOptions pipelineOptions(uint64_t inputSeed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_OPTIONS_H
