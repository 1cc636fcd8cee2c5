//===- PrintTest.cpp - Numbers of a prediction, read back -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Cost/Predict.h"
#include "shard/Cost/Table.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace shard;

namespace {

/// Numbers around all powers of 2 and 10 up to 2^62.
std::vector<int64_t> numbers() {
  std::vector<int64_t> list{0};
  for (int64_t base : {2, 10})
    for (int64_t power = 1; power < (int64_t(1) << 62) / base; power *= base)
      for (int64_t factor : {1, 5})
        for (int64_t more = -1; more <= 1; ++more)
          list.push_back(factor * power + more);
  for (int64_t unit : {1024, 1024 * 1024})
    for (int64_t more = -1; more <= 1; ++more)
      list.push_back(10 * unit + more);
  return list;
}

size_t digitsOf(llvm::StringRef text) {
  return llvm::count_if(text.split('.').first, llvm::isDigit);
}

double read(llvm::StringRef text) {
  double value = NAN;
  EXPECT_FALSE(text.getAsDouble(value)) << text.str();
  return value;
}

/// The cells of the row `name` of a printed prediction.
llvm::SmallVector<llvm::StringRef> cellsOf(llvm::StringRef text,
                                           llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> lines, cells;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (line.trim().starts_with(name)) {
      line.trim().split(cells, "  ", -1, /*KeepEmpty=*/false);
      break;
    }
  for (llvm::StringRef &cell : cells)
    cell = cell.trim();
  return cells;
}

} // namespace

// At most five digits, of the smallest unit for which these are enough; what is printed is
// the number, rounded.
TEST(PrintTest, BytesReadBack) {
  for (int64_t bytes : numbers()) {
    std::string printed = formatBytes(bytes);
    SCOPED_TRACE(printed + " of " + std::to_string(bytes));
    auto [value, unit] = llvm::StringRef(printed).split(' ');
    double factor = unit == "B" ? 1 : unit == "KiB" ? 1024 : 1024 * 1024;
    EXPECT_TRUE(unit == "B" || unit == "KiB" || unit == "MiB");
    EXPECT_LE(std::fabs(read(value) * factor - double(bytes)),
              unit == "B" ? 0 : 0.0501 * factor + 1e-9 * double(bytes));
    if (unit != "MiB")
      EXPECT_LE(digitsOf(value), 5u);
    EXPECT_EQ(unit == "B", bytes < 10240);
    if (unit != "B")
      EXPECT_EQ(unit == "KiB", bytes < 10240 * 1024);
  }
}

// Each sum of a prediction stands in its column.
TEST(PrintTest, SumsReadBack) {
  int64_t count = 0;
  for (int64_t flops : numbers()) {
    ProgramCost cost;
    cost.entry = "main";
    CostSum sum;
    sum.name = "some.op";
    sum.ops = ++count;
    sum.flops = flops;
    sum.bytesTouched = 3000 + count;
    sum.bytesSent = 5000 + count;
    sum.secondsComputing = 1e-3 * double(count);
    sum.secondsSending = 2e-3 * double(count);
    sum.complete = count % 2 == 0;
    cost.kinds = {sum};
    std::string text;
    llvm::raw_string_ostream os(text);
    printText(cost, os);
    SCOPED_TRACE(text);
    llvm::SmallVector<llvm::StringRef> cells = cellsOf(text, "some.op");
    ASSERT_EQ(cells.size(), sum.complete ? 7u : 8u);
    EXPECT_EQ(read(cells[1]), double(sum.ops));
    bool isExact = cells[2].find('e') == llvm::StringRef::npos;
    EXPECT_LE(std::fabs(read(cells[2]) - double(flops)),
              isExact ? 0 : 0.000501 * double(flops));
    EXPECT_EQ(isExact, std::to_string(flops).size() <= 5);
    EXPECT_EQ(cells[3], formatBytes(sum.bytesTouched));
    EXPECT_EQ(cells[4], formatBytes(sum.bytesSent));
    EXPECT_EQ(cells[5], formatSeconds(sum.secondsComputing));
    EXPECT_EQ(cells[6], formatSeconds(sum.secondsSending));
    if (!sum.complete)
      EXPECT_EQ(cells[7], "at least");
  }
}

// Cells of one column begin, or end, at one place.
TEST(PrintTest, ColumnsAreAligned) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printTable({{"name", "number", "x"}, {"a", "12", "y"}, {"longer", "3", ""}},
             {false, true, false}, os);
  EXPECT_EQ(text, "  name    number  x\n"
                  "  a           12  y\n"
                  "  longer       3\n");
}

// Each table is a paragraph of its own.
TEST(PrintTest, Paragraphs) {
  ProgramCost cost;
  cost.entry = "main";
  std::string text;
  llvm::raw_string_ostream os(text);
  printText(cost, os);
  llvm::SmallVector<llvm::StringRef> paragraphs;
  llvm::StringRef(text).split(paragraphs, "\n\n");
  const char *begins[] = {"program main,", "no collectives", "kind of op",
                          "place",         "in all",         "memory per"};
  ASSERT_EQ(paragraphs.size(), std::size(begins)) << text;
  for (auto [paragraph, begin] : llvm::zip(paragraphs, begins))
    EXPECT_TRUE(paragraph.ltrim(" ").starts_with(begin)) << text;
}
