//===- MeshRfc.h - Reads the text of the mesh RFC ---------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The RFC that proposed the dialect `mesh` writes some ops otherwise than LLVM 18 did:
//
//   mesh.annotate %x {sharding = #mesh.shard<[[0]]>, required = true, as_result = true}
//   tensor<4x8xf32, #mesh.shard<[[0]]>>
//   mesh.idx(0), mesh.size(0)
//   mesh.local_split %x {sharding = #mesh.shard<[[0]]>} : T -> U
//   mesh.all_reduce %x {device_mapping = [[0]], reduction = max} : T
//
// Operands may stand in parentheses, attributes in braces or bare, in any order. A
// mesh that is not named is the only one of the module.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_IR_MESHRFC_H
#define SHARD_LIB_IR_MESHRFC_H

#include "TextRewriter.h"

#include <vector>

namespace shard {

class MeshRfcReader : public TextRewriter {
protected:
  MeshRfcReader(llvm::StringRef text, TextError error);

  llvm::LogicalResult annotate(size_t start);
  /// mesh.idx or mesh.size as the op `name`, with `keyword` in front of the grid.
  llvm::LogicalResult coordinates(size_t start, llvm::StringRef name,
                                  llvm::StringRef keyword);
  llvm::LogicalResult localSplit(size_t start);
  llvm::LogicalResult allReduce(size_t start);
  /// Behind `#mesh.shard`, the encoding of a tensor type.
  llvm::LogicalResult shardEncoding(size_t start);
  /// Whether `word` stands between here and the types of the op.
  bool hasAttribute(llvm::StringRef word) const;

private:
  struct Parts {
    std::string operand;
    /// The mesh, as named or the only one.
    std::string mesh;
    /// Of the sharding: the axes of each dimension; of other ops: a list of axes.
    std::vector<std::string> dims;
    /// "sum [1]" of a sharding.
    std::string partial;
    std::string reduction;
    bool required = false, asResult = false;
    /// The types, without parentheses; one is both.
    std::string from, to;
  };
  llvm::LogicalResult read(size_t start, Parts &parts);
  llvm::LogicalResult readPart(size_t start, Parts &parts);
  llvm::LogicalResult readSharding(size_t start, Parts &parts);
  llvm::LogicalResult readTypes(size_t start, Parts &parts);
  llvm::LogicalResult readDims(std::vector<std::string> &dims);
  llvm::LogicalResult findMesh(size_t start, std::string &mesh);
  bool readFlag();

  std::vector<std::string> meshes;
};

} // namespace shard

#endif // SHARD_LIB_IR_MESHRFC_H
