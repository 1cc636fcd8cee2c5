//===- TextReduction.h - Less text that fails alike -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_MUTATE_TEXTREDUCTION_H
#define SHARD_TOOLS_MUTATE_TEXTREDUCTION_H

#include <functional>
#include <string>

namespace shard::fuzz {

/// `text` without lines, groups in brackets and tokens that `fails` does not need.
/// `fails` holds for `text` and for what is returned. Ends after `seconds`, as far
/// as it has come.
std::string reduceText(const std::string &text, double seconds,
                       const std::function<bool(const std::string &)> &fails);

} // namespace shard::fuzz

#endif // SHARD_TOOLS_MUTATE_TEXTREDUCTION_H
