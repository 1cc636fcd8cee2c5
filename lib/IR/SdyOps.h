//===- SdyOps.h - Reads the ops of Shardy's text ----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the ops of `sdy` that take more than a few words: collectives, and ops with
// regions. Each function is called behind the name of the op.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_IR_SDYOPS_H
#define SHARD_LIB_IR_SDYOPS_H

#include "SdyReader.h"

#include "llvm/ADT/SmallVector.h"

#include <utility>

namespace mlir {
class Operation;
} // namespace mlir

namespace shard {

class SdyOps : public SdyReader {
public:
  using SdyReader::SdyReader;

protected:
  llvm::StringRef readOperand() { return takeWhile(isValue); }
  llvm::FailureOr<llvm::StringRef> readType();
  /// A reshard is for its users, also if there are none. Parts of axes have no text in
  /// a shard.sharding.
  void writeReshard(const std::string &operand, const SdySharding &sharding);

  static bool isCollective(llvm::StringRef name);
  llvm::LogicalResult collective(size_t start, llvm::StringRef name);

  llvm::LogicalResult manualComputation(size_t start);
  /// Writes a function in front of the statement, and a call of it: see
  /// moveNamedComputations.
  llvm::LogicalResult namedComputation(size_t start);
  /// sdy.return
  void regionReturn();

private:
  /// The text between the name of a collective and its operand. The axes can only be
  /// read once the mesh is known, which the out sharding names.
  llvm::LogicalResult skipAxes();
  /// Makes `sharding`, the out sharding of a collective, that of its operand.
  llvm::LogicalResult undo(size_t start, llvm::StringRef name, int64_t from,
                           int64_t to, SdySharding &sharding);
  llvm::LogicalResult undoAllToAll(size_t start, int64_t from, int64_t to,
                                   SdySharding &sharding);

  llvm::LogicalResult readShardings(llvm::StringRef key,
                                    std::vector<SdySharding> &list);
  /// The text of a list of operands, in parentheses.
  llvm::FailureOr<llvm::StringRef> readOperands();
  /// (%a: tensor<4xf32>, %b: index), or nothing.
  llvm::LogicalResult readArguments(llvm::SmallVectorImpl<std::string> &list);
  /// Rewrites a region, with its braces.
  llvm::FailureOr<std::string> readRegion(const char *terminator);
  /// (tensor<4xf32>) -> tensor<4xf32>; adds the types of the results to `list`.
  llvm::LogicalResult
  readFunctionType(llvm::SmallVectorImpl<std::string> &list);
  /// `values`, arguments or results of a function, with their shardings, if there are any.
  llvm::FailureOr<std::string>
  withShardings(size_t start, llvm::ArrayRef<std::string> values,
                llvm::ArrayRef<SdySharding> shardings, llvm::StringRef key);

  /// What sdy.return is in each of the regions around.
  llvm::SmallVector<const char *> terminators;
};

/// On a constraint whose mesh the text did not name; see chooseMeshes.
inline constexpr llvm::StringLiteral kAnyMeshMark = "sdy_any_mesh";

/// Gives each constraint with kAnyMeshMark the mesh of the nearest sharding along the values
/// that flow in and out, if there is one, and removes the mark.
void chooseMeshes(mlir::Operation *module);

/// Puts the grids of inline meshes, which stand behind the text, where they belong.
void placeInlineGrids(mlir::Operation *root);

/// The function of each named computation stands where the computation stood, in front of
/// its call. Moves it to the symbols around it, under a name that is free.
llvm::LogicalResult moveNamedComputations(mlir::Operation *module);

} // namespace shard

#endif // SHARD_LIB_IR_SDYOPS_H
