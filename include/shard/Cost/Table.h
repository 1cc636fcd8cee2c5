//===- Table.h - Tables for people --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_COST_TABLE_H
#define SHARD_COST_TABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace shard {

/// "9216 B", "12.0 KiB", "3.5 MiB".
std::string formatBytes(int64_t bytes);

/// "0.125 ms".
std::string formatSeconds(double seconds);

/// Rows of cells in aligned columns; the first row is the heading. Columns that are
/// `rightAligned` hold numbers.
void printTable(llvm::ArrayRef<std::vector<std::string>> rows,
                llvm::ArrayRef<bool> rightAligned, llvm::raw_ostream &os);

} // namespace shard

#endif // SHARD_COST_TABLE_H
