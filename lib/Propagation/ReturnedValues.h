//===- ReturnedValues.h - Layouts for open function results -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that splits a reduction ends in an all_reduce, or, if its result is wanted split by
// the same axes, in a reduce_scatter, which sends half as much. The result of a function
// without a hint is wanted by nobody. It may take the layout of an argument of its own type
// that it is computed from, which the caller has in use already: the result of a layer is then
// split like its input, a gradient like the weight.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_RETURNEDVALUES_H
#define SHARD_LIB_PROPAGATION_RETURNEDVALUES_H

#include "OpWishes.h"

namespace shard::propagation {

/// A layout that a function result may take: that of `argument`.
struct ReturnedLayout {
  ValueId result;
  ValueId argument;
};

/// The layouts that results of functions may take: those of split arguments of the same
/// type that the result is computed from, and that split all that the result is split by,
/// and more. Of each type of one function the first `most` layouts are looked at. The layouts
/// for one result are in the order in which they are to be tried. Where a function has as many
/// results as arguments of a type, the argument of the same number comes first. The others
/// follow in the order of the arguments.
std::vector<ReturnedLayout> findReturnedLayouts(ReadProgram &program,
                                                const SolvedShardings &solved,
                                                unsigned most);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_RETURNEDVALUES_H
