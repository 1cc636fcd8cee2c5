//===- Origins.cpp - The hint that an axis comes from ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Origins.h"

#include <variant>

namespace shard::propagation {

ValueId Origins::of(ValueId value, GridAxis axis) {
  if (!options.explain && !again) {
    PropagationOptions explaining = options;
    explaining.explain = true;
    auto solved = solve(program.problem, explaining);
    again.emplace();
    if (auto *found = std::get_if<Solution>(&solved))
      again = std::move(*found);
  }
  const auto &causes = again ? again->causes : solution.causes;
  // Values that changed after propagation may have an axis from one another.
  llvm::SmallDenseSet<ValueId> passed;
  for (auto cause = causes.find({value, axis});
       cause != causes.end() && passed.insert(value).second;
       cause = causes.find({value, axis}))
    value = program.find(cause->second.source);
  return value;
}

} // namespace shard::propagation
