//===- ReturnedSums.h - Results of functions that are sums ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that splits a reduction ends in an all_reduce, or, if its result is wanted split by
// the same axes, in a reduce_scatter, which sends half as much. The result of a function
// without a hint is wanted by nobody. It gets the layout of the first argument of its own type
// that it is computed from, if that layout makes a reduce_scatter of the all_reduce: the
// result of a layer is split like its input, a gradient like the weight.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_RETURNEDSUMS_H
#define SHARD_LIB_PROPAGATION_RETURNEDSUMS_H

#include "ReadProgram.h"

#include "shard/Propagation/Engine.h"

namespace shard::propagation {

/// Adds to `program` an edge from an argument to each open function result that is to have its
/// layout. `solution` is that of the program as it is written, with numbers of `shardings`.
/// Returns whether there are new edges: the program is then to be solved again.
bool tieReturnedSums(ReadProgram &program, const Solution &solution,
                     llvm::ArrayRef<Sharding> shardings);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_RETURNEDSUMS_H
