//===- Options.cpp - The passes of a random program ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "shard/Fuzz/Check.h"
#include "shard/Fuzz/Generate.h"

using namespace shard;

PropagationOptions shard::fuzz::propagationOptions(uint64_t inputSeed) {
  PropagationOptions options;
  if (inputSeed % 8 == 3)
    options.traversal = PropagationTraversal::ForwardBackward;
  return options;
}

int64_t shard::fuzz::splitParts(uint64_t seed) {
  return seed % 8 == 5 ? int64_t(2 + seed / 8 % 3) : 0;
}

SpmdPipelineOptions shard::fuzz::pipelineOptions(uint64_t inputSeed) {
  SpmdPipelineOptions options;
  options.lowerTosa = lowersTosa(inputSeed);
  options.propagation = propagationOptions(inputSeed);
  // One exchange of halos serves up to three steps of a stencil, or as many as are chosen.
  options.haloSteps = inputSeed / 4 % 4;
  // Every fourth program starts its collectives early, however little that hides.
  options.overlap = inputSeed % 4 == 2;
  options.overlapMinGain = 0;
  // Most of these cut what can be cut, however much that loses.
  options.decomposeMinGain = inputSeed % 16 == 2 ? 0 : -1e9;
  // Every eighth runs its collectives in parts, whatever memory that takes.
  options.splitParts = splitParts(inputSeed);
  return options;
}
