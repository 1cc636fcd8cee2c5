//===- InputRounding.h - What rounding the inputs does to results -*- C++ -*-=//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_EXECUTION_INPUTROUNDING_H
#define SHARD_LIB_EXECUTION_INPUTROUNDING_H

#include "shard/Codegen/Compile.h"
#include "shard/Host/HostTensor.h"

#include <vector>

namespace shard::execution {

/// Measures how far each result of a program moves if its floating-point inputs are rounded
/// otherwise (Compare.h, `moved`). The program runs when this is first asked for, kRuns times.
class InputRounding {
public:
  /// `expected` are the results of `program` for `inputs`; all have to outlive this.
  InputRounding(const CompiledProgram &program,
                const std::vector<HostTensor> &inputs,
                const std::vector<HostTensor> &expected)
      : program(program), inputs(inputs), expected(expected) {}

  static constexpr int kRuns = 4;

  /// The root mean square of the differences that result `index` has in these runs, over its
  /// finite elements; 0 if it has none, or if a run fails.
  double movedBy(size_t index);

private:
  void measure();

  const CompiledProgram &program;
  const std::vector<HostTensor> &inputs, &expected;
  std::vector<double> moved;
};

} // namespace shard::execution

#endif // SHARD_LIB_EXECUTION_INPUTROUNDING_H
