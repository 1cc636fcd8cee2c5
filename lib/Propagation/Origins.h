//===- Origins.h - The hint that an axis comes from --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_ORIGINS_H
#define SHARD_LIB_PROPAGATION_ORIGINS_H

#include "ReadProgram.h"

#include "shard/Propagation/Engine.h"

#include <optional>

namespace shard::propagation {

/// Where values have axes that `causes` lead to no hint for, because they changed after
/// propagation: notes that these came from tensors of the same ops that have them from a hint.
/// `shardings` has the shardings by number.
void completeCauses(
    const ReadProgram &program, const Solution &solution,
    const std::vector<Sharding> &shardings,
    llvm::DenseMap<std::pair<ValueId, GridAxis>, Cause> &causes);

/// Finds the hints behind shardings, for remarks. What came from where is not kept
/// unless somebody explains: the first question solves the problem once more.
class Origins {
public:
  Origins(const ReadProgram &program, const Solution &solution,
          const std::vector<Sharding> &shardings,
          const PropagationOptions &options)
      : program(program), solution(solution), shardings(shardings),
        options(options) {}

  /// The value whose hint put `axis` on `value`, through other ops or right there.
  ValueId of(ValueId value, GridAxis axis);

private:
  const ReadProgram &program;
  const Solution &solution;
  const std::vector<Sharding> &shardings;
  PropagationOptions options;
  std::optional<Solution> again;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_ORIGINS_H
