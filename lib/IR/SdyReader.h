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

  llvm::LogicalResult readDeviceIds(size_t start, const SdyMesh &mesh,
                                    std::vector<int64_t> &ids);

  /// {"x", "y":(1)2, ?}; `open` is null where no '?' may stand.
  llvm::LogicalResult readAxes(llvm::StringRef symbol, SdyAxes &axes,
                               bool *open);

  /// <@m, [{"x"}, {"y", ?}p1], replicated={"z"}, unreduced={"w"}>
  llvm::LogicalResult readSharding(SdySharding &sharding);

  std::string str(const SdySharding &sharding) const;

  llvm::StringMap<SdyMesh> meshes;
};

} // namespace shard

#endif // SHARD_LIB_IR_SDYREADER_H
