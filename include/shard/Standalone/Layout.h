//===- Layout.h - Shardings in tables of numbers ----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of a program that was compiled ahead of time is described by numbers
// (shard_program_value::layout): the compiler writes them, the program reads them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_STANDALONE_LAYOUT_H
#define SHARD_STANDALONE_LAYOUT_H

#include "shard/Geometry/Sharding.h"
#include "shard/Host/ElementType.h"

namespace shard {

struct ValueLayout {
  ElementType type = ElementType::F32;
  /// What the axes of `sharding` are of: the program's grid or a refinement of it.
  Grid grid;
  Sharding sharding;
};

std::vector<int64_t> encodeLayout(const ValueLayout &layout);
/// `words` are those of a layout of a value of `rank`.
ValueLayout decodeLayout(const int64_t *words, int64_t rank);

} // namespace shard

#endif // SHARD_STANDALONE_LAYOUT_H
