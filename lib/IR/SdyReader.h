//===- SdyReader.h - Reads the parts of Shardy's text -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads meshes, axes and shardings of `sdy` at the position of a TextRewriter.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_IR_SDYREADER_H
#define SHARD_LIB_IR_SDYREADER_H

#include "SdySharding.h"
#include "TextRewriter.h"

namespace shard {

class SdyReader : public TextRewriter {
public:
  SdyReader(llvm::StringRef text, TextError error)
      : TextRewriter(text, "sdy", error) {}

  /// The meshes of the program, which may stand behind their uses.
  llvm::LogicalResult readMeshes();

  /// The grids of meshes that shardings state inline; see placeInlineGrids.
  std::string inlineGrids() const;

protected:
  llvm::LogicalResult expect(llvm::StringRef token);

  llvm::LogicalResult readSymbol(std::string &symbol);

  llvm::LogicalResult readString(std::string &string);

  llvm::LogicalResult readNumber(int64_t &number);

  llvm::LogicalResult
  readList(llvm::StringRef open, llvm::StringRef close,
           llvm::function_ref<llvm::LogicalResult()> element);

  /// @m = <["x"=2, "y"=4], device_ids=[...]>; `ids` stay empty if they are 0, 1, 2, ...
  llvm::LogicalResult readMesh(size_t start, std::string &symbol, SdyMesh &mesh,
                               std::vector<int64_t> &ids);

  /// <["x"=2, "y"=4], device_ids=[...]>
  llvm::LogicalResult readMeshBody(size_t start, SdyMesh &mesh,
                                   std::vector<int64_t> &ids);

  /// mesh<["x"=2]>: `symbol` is that of an equal mesh, or a new one.
  llvm::LogicalResult readInlineMesh(std::string &symbol);

  llvm::LogicalResult readDeviceIds(size_t start, const SdyMesh &mesh,
                                    std::vector<int64_t> &ids);

  /// {"x", "y":(1)2, ?}; `open` is null where no '?' may stand.
  llvm::LogicalResult readAxes(llvm::StringRef symbol, SdyAxes &axes,
                               bool *open);

  /// <@m, [{"x"}, {"y", ?}p1], replicated={"z"}, unreduced={"w"}>
  llvm::LogicalResult readSharding(SdySharding &sharding);

  std::string str(const SdySharding &sharding) const;

  /// shard.grid @symbol(...)
  static std::string gridText(llvm::StringRef symbol, const SdyMesh &mesh,
                              llvm::ArrayRef<int64_t> ids);

  llvm::StringMap<SdyMesh> meshes;
  llvm::StringMap<std::vector<int64_t>> deviceIds;
  /// Symbols of meshes without a name of their own.
  std::vector<std::string> inlineMeshes;
};

} // namespace shard

#endif // SHARD_LIB_IR_SDYREADER_H
