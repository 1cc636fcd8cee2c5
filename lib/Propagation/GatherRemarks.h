//===- GatherRemarks.h - Remarks on what is gathered ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_GATHERREMARKS_H
#define SHARD_LIB_PROPAGATION_GATHERREMARKS_H

#include "ReadProgram.h"
#include "Writer.h"

namespace shard::propagation {

/// Prints `part` as an axis of `grid`, with the sub-axis that it is.
void printAxis(llvm::raw_ostream &os, const AxisPart &part, GridOp grid);

/// Adds remarks on what is gathered because an op cannot be split, one per op: on operands,
/// and on what the body of an op takes from outside. Those of ops without a model are left
/// to partition.
void addGathers(ReadProgram &program, const Solution &solution,
                const PropagationOptions &options, const GridPropagation &out,
                const WrittenReshards &reshards,
                std::vector<PropagationRemark> &remarks);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_GATHERREMARKS_H
