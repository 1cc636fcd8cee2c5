//===- Pictures.h - Shardings drawn on a terminal ---------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_EXECUTION_PICTURES_H
#define SHARD_LIB_EXECUTION_PICTURES_H

#include "shard/Execution/Verify.h"

namespace shard {

/// Draws the blocks of each of `values` that is split: a box for each block, with the
/// devices that have it, in the color of the first of them. Blocks of dimension 0 go down,
/// those of other dimensions to the right. Values with one picture share it. `name` and a
/// number name a value. Colors are escape sequences of ANSI terminals with 256 colors.
void printPictures(llvm::StringRef name, llvm::ArrayRef<ValueReport> values,
                   llvm::raw_ostream &os);

} // namespace shard

#endif // SHARD_LIB_EXECUTION_PICTURES_H
