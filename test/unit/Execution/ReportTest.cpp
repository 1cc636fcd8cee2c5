//===- ReportTest.cpp - Who was slowest -----------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/Verify.h"

#include "gtest/gtest.h"

using namespace shard;

namespace {

/// The line of a report about these processes.
std::string lineOf(std::vector<ProcessReport> processes) {
  RunReport report;
  report.processes = std::move(processes);
  std::string text;
  llvm::raw_string_ostream os(text);
  printText(report, os);
  size_t begin = text.find("processes  ");
  return begin == std::string::npos
             ? ""
             : text.substr(begin, text.find('\n', begin) - begin);
}

} // namespace

// Work is what a process does outside of collectives; the slowest one has most of it.
TEST(ReportTest, WorkOfProcesses) {
  EXPECT_EQ(lineOf({}), "");
  EXPECT_EQ(
      lineOf({{"a", 0.010, 0.008}, {"b", 0.010, 0.004}, {"a", 0.009, 0.005}}),
      "processes           3 on 2 hosts; most work: process 1 on b, 6.000 "
      "ms, 1.50 times the mean; 4.000 ms in collectives");
  // Clocks differ: no work is negative.
  EXPECT_EQ(lineOf({{"a", 0.001, 0.002}, {"a", 0.001, 0.002}}),
            "processes           2 on 1 host; most work: process 0 on a, 0.000 "
            "ms, 1.00 times the mean; 2.000 ms in collectives");
}
