//===- MachineAttr.cpp - The attribute shard.machine ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardingUtils.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;

namespace shard {

/// The figure of `machine` that `key` names; null if there is none.
static double *figureOf(Machine &machine, StringRef key) {
  return llvm::StringSwitch<double *>(key)
      .Case("flops8", &machine.flops8)
      .Case("flops16", &machine.flops16)
      .Case("flops32", &machine.flops32)
      .Case("flops64", &machine.flops64)
      .Case("memory_bandwidth", &machine.memoryBandwidth)
      .Case("memory", &machine.memoryBytes)
      .Case("link_bandwidth", &machine.linkBandwidth)
      .Case("link_latency", &machine.linkLatency)
      .Default(nullptr);
}

FailureOr<Machine> readMachine(DictionaryAttr figures, EmitErrorFn emitError) {
  Machine machine = knownMachines().front();
  if (Attribute named = figures.get("name")) {
    auto name = dyn_cast<StringAttr>(named);
    const Machine *known = name ? findMachine(name.str()) : nullptr;
    // dialect_attr_c17
    if (!known)
      return LogicalResult(emitError()
                           << "names the machine " << named
                           << "; known ones are " << machineNames());
    machine = *known;
  }
  for (NamedAttribute entry : figures) {
    StringRef key = entry.getName().getValue();
    if (key == "name")
      continue;
    double *figure = figureOf(machine, key);
    // dialect_attr_c18
    if (!figure)
      return LogicalResult(
          emitError()
          << "has the entry \"" << key
          << "\"; entries are name, flops8, flops16, flops32, "
             "flops64, memory_bandwidth, memory, link_bandwidth and "
             "link_latency");
    auto number = dyn_cast<FloatAttr>(entry.getValue());
    double value = number ? number.getValueAsDouble() : 0;
    bool mayBeZero = figure == &machine.linkLatency;
    // dialect_attr_c19
    if (!number || !std::isfinite(value) || value < 0 ||
        (value == 0 && !mayBeZero))
      return LogicalResult(emitError() << "expects a positive float as " << key
                                       << ", got " << entry.getValue());
    *figure = value;
  }
  return machine;
}

std::string describeLocation(Location location) {
  std::string text;
  std::string fallback;
  location->walk([&](Location part) {
    if (auto file = dyn_cast<FileLineColLoc>(part)) {
      text = (file.getFilename().getValue() + ":" + Twine(file.getLine()) +
              ":" + Twine(file.getColumn()))
                 .str();
      return WalkResult::interrupt();
    }
    if (auto name = dyn_cast<NameLoc>(part); name && fallback.empty())
      fallback = name.getName().str();
    return WalkResult::advance();
  });
  if (!text.empty())
    return text;
  return fallback.empty() ? "unknown" : fallback;
}

} // namespace shard
