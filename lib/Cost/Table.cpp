//===- Table.cpp - Tables for people -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Cost/Table.h"

#include "llvm/Support/FormatVariadic.h"

using namespace shard;
using llvm::formatv;

std::string shard::formatBytes(int64_t bytes) {
  if (bytes < 10 * 1024)
    return formatv("{0} B", bytes).str();
  if (bytes < 10 * 1024 * 1024)
    return formatv("{0:F1} KiB", static_cast<double>(bytes) / 1024).str();
  return formatv("{0:F1} MiB", static_cast<double>(bytes) / (1024 * 1024))
      .str();
}

std::string shard::formatSeconds(double seconds) {
  return formatv("{0:F3} ms", seconds * 1e3).str();
}

void shard::printTable(llvm::ArrayRef<std::vector<std::string>> rows,
                       llvm::ArrayRef<bool> rightAligned,
                       llvm::raw_ostream &os) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const auto &row : rows) {
    std::string line = " ";
    for (size_t i = 0; i < row.size(); ++i) {
      std::string padding(widths[i] - row[i].size(), ' ');
      line +=
          " " + (rightAligned[i] ? padding + row[i] : row[i] + padding) + " ";
    }
    os << llvm::StringRef(line).rtrim() << '\n';
  }
}
