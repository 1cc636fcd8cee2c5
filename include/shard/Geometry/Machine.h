//===- Machine.h - What the devices of a grid are ---------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The figures from which the time of a program is predicted. docs/Cost.md has the
// source of each figure of the machines that are known by name.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_GEOMETRY_MACHINE_H
#define SHARD_GEOMETRY_MACHINE_H

#include <string>
#include <vector>

namespace shard {

/// One device and its links. All figures are per device, in SI units: operations or
/// bytes per second, bytes, seconds.
struct Machine {
  std::string name;
  /// Floating-point or integer operations on elements of 8, 16, 32 and 64 bits. An
  /// addition and a multiplication are two operations.
  double flops8 = 0, flops16 = 0, flops32 = 0, flops64 = 0;
  /// Of the memory that holds tensors.
  double memoryBandwidth = 0, memoryBytes = 0;
  /// What a device can send, and what a step of a collective takes besides. The lists
  /// `bandwidth` and `latency` of a `shard.grid` replace them, axis by axis.
  double linkBandwidth = 0, linkLatency = 0;

  /// The operations per second on elements of `bits`.
  double flops(unsigned bits) const;
  bool operator==(const Machine &other) const;
};

/// The machines that have names; the first one is the default.
const std::vector<Machine> &knownMachines();

/// The machine called `name`; null if there is none.
const Machine *findMachine(const std::string &name);

/// The names of all known machines, in words.
std::string machineNames();

} // namespace shard

#endif // SHARD_GEOMETRY_MACHINE_H
