//===- Machine.cpp - What the devices of a grid are -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Machine.h"

namespace shard {

double Machine::flops(unsigned bits) const {
  if (bits <= 8)
    return flops8;
  if (bits <= 16)
    return flops16;
  return bits <= 32 ? flops32 : flops64;
}

bool Machine::operator==(const Machine &other) const {
  return name == other.name && flops8 == other.flops8 &&
         flops16 == other.flops16 && flops32 == other.flops32 &&
         flops64 == other.flops64 && memoryBandwidth == other.memoryBandwidth &&
         memoryBytes == other.memoryBytes &&
         linkBandwidth == other.linkBandwidth &&
         linkLatency == other.linkLatency;
}

const std::vector<Machine> &knownMachines() {
  constexpr double kGiga = 1e9, kTera = 1e12;
  constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
  constexpr double kMicrosecond = 1e-6;
  // Operations on 8, 16, 32 and 64 bits; memory bandwidth and size; link bandwidth
  // and latency.
  static const std::vector<Machine> machines = {
      {"generic", 200 * kTera, 100 * kTera, 20 * kTera, 10 * kTera,
       1000 * kGiga, 32 * kGibi, 50 * kGiga, kMicrosecond},
      {"a100", 624 * kTera, 312 * kTera, 19.5 * kTera, 9.7 * kTera,
       2039 * kGiga, 80 * kGibi, 300 * kGiga, kMicrosecond},
      {"h100", 1979 * kTera, 989.4 * kTera, 67 * kTera, 34 * kTera,
       3350 * kGiga, 80 * kGibi, 450 * kGiga, kMicrosecond},
      {"tpu-v4", 275 * kTera, 275 * kTera, 275 * kTera / 6, 275 * kTera / 36,
       1200 * kGiga, 32 * kGibi, 270 * kGiga, kMicrosecond},
  };
  return machines;
}

const Machine *findMachine(const std::string &name) {
  for (const Machine &machine : knownMachines())
    if (machine.name == name)
      return &machine;
  return nullptr;
}

std::string machineNames() {
  std::string names;
  for (const Machine &machine : knownMachines())
    names += (names.empty() ? "" : ", ") + machine.name;
  return names;
}

} // namespace shard
