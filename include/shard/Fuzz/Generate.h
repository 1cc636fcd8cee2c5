//===- Generate.h - Random programs -----------------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is text: valid MLIR with a grid, hints and a function @main. It
// follows from its seed alone.
//
// Floats carry integers, small enough that every intermediate value is exact
// whatever the order of its summands: results are equal bit for bit or wrong.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_FUZZ_GENERATE_H
#define SHARD_FUZZ_GENERATE_H

#include <cstdint>
#include <string>
#include <vector>

namespace shard::fuzz {

/// What programs consist of.
enum class Kind {
  Reshard,     ///< chains of shard.shard
  Collectives, ///< chains of collectives in a manual computation
  Partial,     ///< few ops on partial values
  Hints,       ///< hints that meet, calls with different hints
  Grids,       ///< two grids in one function
  Moves,       ///< collectives among ops that they may move past
  Families,    ///< few ops of one family on arguments that are split
  Batches,     ///< ops on a batch, which need no communication
  Needed,      ///< constructs that need a known number of bytes
  Choices,     ///< few ops whose shardings are to be chosen well
  Ops,         ///< straight-line code
  Control,     ///< mostly regions and calls
  Full,        ///< everything
};

/// What `--only` calls it.
const char *toString(Kind kind);

struct GenerateOptions {
  Kind kind = Kind::Full;
  /// Ops of @main, about.
  int64_t maxOps = 12;
  /// Random if empty.
  std::vector<int64_t> grid;
};

/// The largest magnitude of an element of an input of float type.
inline constexpr int64_t inputBound = 3;

/// Whether ops of tosa in the program of `seed` are lowered before it is partitioned.
inline bool lowersTosa(uint64_t seed) { return seed % 2 == 0; }

std::string generate(uint64_t seed, const GenerateOptions &options);

} // namespace shard::fuzz

#endif // SHARD_FUZZ_GENERATE_H
