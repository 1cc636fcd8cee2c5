//===- Ranks.h - Random programs on the ranks of MPI ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Under mpirun every rank runs this prover with the same options. The programs of a run
// have as many devices as there are ranks, one start of mpirun proves many of them:
//
//   mpirun -n 4 shard-fuzz --mpi --count 1000
//
// They go in batches of one program for each rank. A rank runs its program alone, on
// threads, and compares it with the program of one device. Then all ranks together run
// each program that passed, and its results must be the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_FUZZ_RANKS_H
#define SHARD_FUZZ_RANKS_H

#include "shard/Runtime/Processes.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace shard::fuzz {

/// Sizes of axes that make up `devices`; they follow from `seed`.
std::vector<int64_t> gridOfDevices(uint64_t seed, int64_t devices);

struct RankPrograms {
  uint64_t firstSeed = 1, count = 0;
  /// Go on until so much time has gone.
  double seconds = 0;
  /// The program of a seed, the same on all ranks.
  std::function<std::string(uint64_t seed)> program;
};

/// Proves the programs; called by all ranks. The first one prints what came out. Returns
/// the exit code, the same on all ranks. A program that fails when it runs ends all
/// ranks with the message of the runtime, which names the seed in its places
/// ("seed-17.mlir:3:8").
int proveOnRanks(runtime::Processes &processes, const RankPrograms &programs);

} // namespace shard::fuzz

#endif // SHARD_FUZZ_RANKS_H
