//===- SdySharding.h - Shardings as Shardy writes them ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sharding of `sdy` as read from text, and what explicit collectives do to it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_IR_SDYSHARDING_H
#define SHARD_LIB_IR_SDYSHARDING_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
#include <vector>

namespace shard {

/// The axes of a mesh, in order, with their sizes.
using SdyMesh = std::vector<std::pair<std::string, int64_t>>;

/// An axis, or the part of an axis of `size` devices with `preSize` parts outside it.
struct SdyAxis {
  std::string name;
  int64_t preSize = 1, size = 1;

  bool operator==(const SdyAxis &other) const {
    return name == other.name && preSize == other.preSize && size == other.size;
  }
};
using SdyAxes = std::vector<SdyAxis>;

struct SdyDim {
  SdyAxes axes;
  bool open = false;
  /// "p1", or empty.
  std::string priority;
};

struct SdySharding {
  std::string mesh;
  std::vector<SdyDim> dims;
  SdyAxes replicated, unreduced;

  /// Whether the axis `name`, or a part of it, stands anywhere in the sharding.
  bool mentions(llvm::StringRef name) const;

  /// "<@mesh, [...], ...>" of this dialect.
  std::string str(const llvm::StringMap<SdyMesh> &meshes) const;
};

/// Appends `more` to `axes`; parts of one axis that follow one another are joined.
void appendAxes(SdyAxes &axes, const SdyAxes &more);
/// Removes `minor` from the end of `axes`; false if they do not end with it.
bool removeMinor(SdyAxes &axes, SdyAxes minor);

} // namespace shard

#endif // SHARD_LIB_IR_SDYSHARDING_H
