//===- MachineTest.cpp - The figures of the machines that have names ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The figures are those of the table in docs/Cost.md, which names their sources.
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Machine.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

using namespace shard;

namespace {

/// The rows of the table, by the format in which they are written.
std::vector<Machine> documentedMachines() {
  std::ifstream file(SHARD_COST_PAGE);
  std::vector<Machine> machines;
  for (std::string line; std::getline(file, line);) {
    char name[20];
    Machine m;
    double gibi = 0, giga = 0, links = 0;
    size_t bar = line.find('|', 1);
    if (bar == std::string::npos ||
        sscanf(line.c_str(), "| `%19[^`]`", name) != 1 ||
        sscanf(line.c_str() + bar,
               "| %lf T | %lf T | %lf T | %lf T | %lf GB/s, %lf GiB | %lf GB/s",
               &m.flops8, &m.flops16, &m.flops32, &m.flops64, &giga, &gibi,
               &links) != 7)
      continue;
    m.name = name;
    m.memoryBandwidth = giga * 1e9;
    m.memoryBytes = gibi * (1 << 30);
    m.linkBandwidth = links * 1e9;
    for (double *flops : {&m.flops8, &m.flops16, &m.flops32, &m.flops64})
      *flops *= 1e12;
    machines.push_back(m);
  }
  return machines;
}

} // namespace

TEST(MachineTest, FiguresAreThoseOfTheDocumentation) {
  std::vector<Machine> documented = documentedMachines();
  ASSERT_EQ(documented.size(), knownMachines().size());
  for (size_t i = 0; i < documented.size(); ++i) {
    const Machine &known = knownMachines()[i], &page = documented[i];
    EXPECT_EQ(known.name, page.name);
    EXPECT_EQ(findMachine(page.name), &known);
    // The page rounds to one digit behind the point.
    EXPECT_NEAR(known.flops8, page.flops8, 0.05e12) << known.name;
    EXPECT_NEAR(known.flops16, page.flops16, 0.05e12) << known.name;
    EXPECT_NEAR(known.flops32, page.flops32, 0.05e12) << known.name;
    EXPECT_NEAR(known.flops64, page.flops64, 0.05e12) << known.name;
    EXPECT_EQ(known.memoryBandwidth, page.memoryBandwidth) << known.name;
    EXPECT_EQ(known.memoryBytes, page.memoryBytes) << known.name;
    EXPECT_EQ(known.linkBandwidth, page.linkBandwidth) << known.name;
    EXPECT_EQ(known.linkLatency, 1e-6) << known.name;
  }
  EXPECT_EQ(findMachine("gener"), nullptr);
}

// Elements of each width are computed with as fast as those of the next wider figure.
TEST(MachineTest, OperationsByTheWidthOfElements) {
  Machine machine;
  machine.flops8 = 8;
  machine.flops16 = 16;
  machine.flops32 = 32;
  machine.flops64 = 64;
  for (unsigned bits = 1; bits <= 130; ++bits)
    EXPECT_EQ(machine.flops(bits), bits <= 8    ? 8
                                   : bits <= 16 ? 16
                                   : bits <= 32 ? 32
                                                : 64);
}

// Each figure tells machines apart.
TEST(MachineTest, Equality) {
  const Machine &machine = knownMachines().front();
  EXPECT_TRUE(machine == Machine(machine));
  for (double Machine::*figure :
       {&Machine::flops8, &Machine::flops16, &Machine::flops32,
        &Machine::flops64, &Machine::memoryBandwidth, &Machine::memoryBytes,
        &Machine::linkBandwidth, &Machine::linkLatency}) {
    Machine other = machine;
    other.*figure += 1;
    EXPECT_FALSE(machine == other);
  }
  Machine other = machine;
  other.name += "2";
  EXPECT_FALSE(machine == other);
}
