//===- SdySharding.cpp - Shardings as Shardy writes them ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdySharding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace shard {

void appendAxes(SdyAxes &axes, const SdyAxes &more) {
  for (const SdyAxis &axis : more) {
    if (!axes.empty() && axes.back().name == axis.name &&
        axes.back().preSize * axes.back().size == axis.preSize)
      axes.back().size *= axis.size;
    else
      axes.push_back(axis);
  }
}

bool removeMinor(SdyAxes &axes, SdyAxes minor) {
  while (!minor.empty()) {
    if (axes.empty())
      return false;
    SdyAxis &last = axes.back();
    const SdyAxis &part = minor.back();
    if (last == part) {
      axes.pop_back();
    } else if (last.name == part.name && part.preSize > last.preSize &&
               part.preSize % last.preSize == 0 &&
               part.preSize * part.size == last.preSize * last.size) {
      last.size = part.preSize / last.preSize;
    } else {
      return false;
    }
    minor.pop_back();
  }
  return true;
}

static std::string text(const SdyAxis &axis, const SdyMesh &mesh) {
  std::string result = "\"" + axis.name + "\"";
  for (const auto &[name, size] : mesh)
    if (name == axis.name && size != axis.size)
      result +=
          ":(" + std::to_string(axis.preSize) + ")" + std::to_string(axis.size);
  return result;
}

static std::string text(const SdyAxes &axes, const SdyMesh &mesh) {
  return llvm::join(
      llvm::map_range(axes,
                      [&](const SdyAxis &axis) { return text(axis, mesh); }),
      ", ");
}

bool SdySharding::mentions(llvm::StringRef name) const {
  auto isNamed = [&](const SdyAxis &axis) { return axis.name == name; };
  return llvm::any_of(replicated, isNamed) ||
         llvm::any_of(unreduced, isNamed) ||
         llvm::any_of(dims, [&](const SdyDim &dim) {
           return llvm::any_of(dim.axes, isNamed);
         });
}

std::string SdySharding::str(const llvm::StringMap<SdyMesh> &meshes) const {
  SdyMesh known = meshes.lookup(mesh);
  std::string result = "<@" + mesh + ", [";
  llvm::ListSeparator separator;
  for (const SdyDim &dim : dims) {
    std::string axes = text(dim.axes, known);
    if (dim.open)
      axes += axes.empty() ? "?" : ", ?";
    result +=
        llvm::StringRef(separator).str() + "[" + axes + "]" + dim.priority;
  }
  result += "]";
  if (!unreduced.empty())
    result += ", partial = sum [" + text(unreduced, known) + "]";
  if (!replicated.empty())
    result += ", replicated = [" + text(replicated, known) + "]";
  return result + ">";
}

} // namespace shard
