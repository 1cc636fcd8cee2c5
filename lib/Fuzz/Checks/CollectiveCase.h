//===- CollectiveCase.h - A random call of the runtime ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_COLLECTIVECASE_H
#define SHARD_LIB_FUZZ_CHECKS_COLLECTIVECASE_H

#include "RuntimeBuffers.h"

#include "shard/Geometry/Grid.h"

#include <optional>
#include <string>

namespace shard::fuzz {

/// `index` with `value` in dimension `dim`.
inline Numbers with(Numbers index, int64_t dim, int64_t value) {
  index[dim] = value;
  return index;
}

/// One collective on random buffers.
class CollectiveCase {
public:
  explicit CollectiveCase(uint64_t seed);
  /// Calls it on all devices; what is wrong.
  std::string run();

private:
  /// An element of an input: of which device, at which place.
  using Source = std::optional<std::pair<int64_t, Numbers>>;
  using SourceOf = std::function<Source(int64_t device, const Numbers &index)>;
  using Call = std::function<void(const int64_t *input, const int64_t *result)>;

  void makeGather();
  void makeRaggedGather();
  void makeSlice();
  void makeBroadcast();
  void makeExchange();
  void makeShift();
  void makePermute();
  void makeHalo();
  void makeReduction();
  void makeRedistribution();

  /// Gives all devices buffers of these sizes. The runtime wants results of reductions without
  /// gaps.
  void setSizes(const Numbers &input, const Numbers &result,
                bool isContiguous = false);
  void setSizes(const std::function<Numbers(int64_t device)> &input,
                const Numbers &result, bool isContiguous = false);
  /// What comes out is what `source` names, or zero.
  void expectSources(const SourceOf &source);
  void expect(int64_t device, const Numbers &index, int64_t value);
  int64_t combine(int64_t kind, const Numbers &values) const;
  int64_t randomValue();
  AxisList randomAxes(int64_t percent);
  /// Words of the runtime: the number of axes, then these.
  static Numbers listed(const AxisList &axes);
  static int64_t wrapped(int64_t value, int64_t type);
  std::string describe() const;

  Random rng;
  Grid grid;
  AxisList axes;
  int64_t type, size;
  Numbers group;
  /// Further numbers of the call.
  Numbers numbers;
  std::string name;
  bool mayStart = false;
  /// The result is the input: the buffer of the result has its elements.
  bool isInPlace = false;
  Call call;
  std::vector<Buffer> inputs, results;
  /// For each device: places of its result, and what they have to hold.
  std::vector<std::vector<std::pair<Numbers, int64_t>>> expected;
};

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_COLLECTIVECASE_H
