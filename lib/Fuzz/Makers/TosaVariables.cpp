//===- TosaVariables.cpp - Variables of tosa in random programs -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedOps.h"

using namespace shard::fuzz;

/// Reads a variable: what it holds from the beginning, or what was written just before. So ops that
/// are written twice, or in another order, read the same.
bool shard::fuzz::tosaVariable(ProgramBuilder &program, const Val &a, int64_t) {
  // Iterations on different devices have variables of their own.
  if (program.inIteration || a.elem == Elem::I1)
    return false;
  std::string name = "@variable" + program.fresh().substr(1);
  int64_t number = program.rng.between(-3, 3);
  program.otherFunctions += "tosa.variable " + name + " = dense<" +
                            program.literal(a.elem, number) +
                            "> : " + a.type() + "\n";
  double bound = 3;
  if (program.rng.chance(70)) {
    program.line("tosa.variable_write " + name + ", " + a.name + " : " +
                 a.type());
    bound = a.bound;
  }
  program.define("tosa.variable_read " + name + " : " + a.type(), a.elem,
                 a.shape, bound);
  return true;
}
