//===- SdyInlineMeshes.cpp - Meshes that shardings state themselves -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sharding may state its mesh, mesh<["x"=2]>, where this dialect wants the symbol of a
// grid. Equal meshes are one, also with one that has a name. The others get a grid each,
// which stands behind the text, where no statement is cut in two, and moves from there.
//
//===----------------------------------------------------------------------===//

#include "SdyOps.h"

#include "shard/IR/ShardOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace shard {

/// On grids that stand behind the text.
static constexpr StringLiteral kInlineMark = "sdy_inline_mesh";

std::string SdyReader::gridText(StringRef symbol, const SdyMesh &mesh,
                                ArrayRef<int64_t> ids) {
  auto sizes = llvm::map_range(
      mesh, [](const auto &axis) { return std::to_string(axis.second); });
  auto names = llvm::map_range(
      mesh, [](const auto &axis) { return "\"" + axis.first + "\""; });
  std::string grid = "shard.grid @" + symbol.str() + "(shape = ";
  // One device is a grid of one axis of size 1.
  grid += mesh.empty() ? "1)"
                       : llvm::join(sizes, "x") + ") axes [" +
                             llvm::join(names, ", ") + "]";
  if (!ids.empty())
    grid += " device_ids = [" +
            llvm::join(llvm::map_range(
                           ids, [](int64_t id) { return std::to_string(id); }),
                       ", ") +
            "]";
  return grid;
}

LogicalResult SdyReader::readInlineMesh(std::string &symbol) {
  size_t start = position;
  SdyMesh mesh;
  std::vector<int64_t> ids;
  if (failed(expect("mesh")) || failed(readMeshBody(start, mesh, ids)))
    return failure();
  llvm::StringSet<> names;
  for (const auto &[name, size] : mesh)
    if (size < 1 || name.empty() || !names.insert(name).second)
      return fail(start, "the mesh has axis \"" + name +
                             "\", whose size is below 1 or whose name is "
                             "empty or stands twice");
  // The first by name, so that the order in a hash table has no say.
  for (const auto &known : meshes)
    if (known.second == mesh && deviceIds.lookup(known.first()) == ids &&
        (symbol.empty() || known.first() < symbol))
      symbol = known.first().str();
  if (!symbol.empty())
    return success();
  for (size_t number = inlineMeshes.size();; ++number) {
    symbol = "inline_mesh_" + std::to_string(number);
    if (!text.contains("@" + symbol) && !meshes.count(symbol))
      break;
  }
  inlineMeshes.push_back(symbol);
  meshes[symbol] = std::move(mesh);
  deviceIds[symbol] = std::move(ids);
  return success();
}

std::string SdyReader::inlineGrids() const {
  std::string grids;
  for (const std::string &symbol : inlineMeshes)
    grids += "\n" +
             gridText(symbol, meshes.lookup(symbol), deviceIds.lookup(symbol)) +
             " {" + kInlineMark.str() + "}";
  return grids;
}

void placeInlineGrids(Operation *root) {
  auto outer = cast<ModuleOp>(root);
  SmallVector<GridOp> grids;
  for (auto grid : outer.getOps<GridOp>())
    if (grid->removeDiscardableAttr(kInlineMark))
      grids.push_back(grid);
  auto modules = llvm::to_vector(outer.getOps<ModuleOp>());
  size_t numOps = outer.getBody()->getOperations().size();
  // A module of the text is not the outermost op any more: the grids are behind it.
  if (!grids.empty() && modules.size() == 1 && numOps == grids.size() + 1) {
    ModuleOp inner = modules.front();
    outer->setAttrs(inner->getAttrDictionary());
    outer->setLoc(inner.getLoc());
    outer.getBody()->getOperations().splice(outer.getBody()->begin(),
                                            inner.getBody()->getOperations());
    inner.erase();
  }
  for (GridOp grid : llvm::reverse(grids))
    grid->moveBefore(outer.getBody(), outer.getBody()->begin());
}

} // namespace shard
