//===- TextRewriter.h - Rewrites the text of another dialect ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the importers share: one pass over the text of a module, which copies comments,
// strings, names and all that is of other dialects as it stands, and asks the importer
// about words, attributes and types. Lines stay where they are, so that errors of the
// parser behind it point to the right ones.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_IR_TEXTREWRITER_H
#define SHARD_LIB_IR_TEXTREWRITER_H

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

#include <string>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace shard {

/// Called with an offset in the text and what is wrong there.
using TextError = llvm::function_ref<void(size_t, const llvm::Twine &)>;

class TextRewriter {
public:
  /// `dialect` is the prefix of the names of ops, attributes and types that the
  /// importer reads.
  TextRewriter(llvm::StringRef text, llvm::StringRef dialect, TextError error);
  virtual ~TextRewriter() = default;

  llvm::FailureOr<std::string> run();

protected:
  /// A word that is none of a name or an attribute: the name of an op, a keyword. By
  /// default it is copied.
  virtual llvm::LogicalResult word();
  /// `sigil` and `name` ('#' and "mesh.shard") of the dialect, at `start`; the
  /// position is behind them.
  virtual llvm::LogicalResult attributeOrType(size_t start, char sigil,
                                              llvm::StringRef name);
  /// A ':' of no name comes next.
  virtual void colon() {}

  llvm::LogicalResult fail(size_t at, const llvm::Twine &message) {
    error(at, message);
    return llvm::failure();
  }
  static bool isIdentifier(char c);
  /// A character of the name of a value, with its sigil.
  static bool isValue(char c);

  llvm::StringRef rest() const { return text.substr(position); }
  void copy(size_t count);
  void skipSpace();
  /// Consumes `token` and the space before it, if it is next.
  bool consume(llvm::StringRef token);
  /// Whether `token` is next, behind space.
  bool isNext(llvm::StringRef token);
  llvm::StringRef takeWhile(llvm::function_ref<bool(char)> predicate);
  /// A list in square brackets, with the lists in it.
  llvm::FailureOr<llvm::StringRef> brackets();
  /// A name of a value that the text does not have.
  std::string freshValue();
  /// Puts `op` before the statement that is being written, on the same line.
  void insertBefore(const std::string &op);
  /// Whether the word at hand follows the results of its op.
  bool isAfterResult() const;

  llvm::StringRef text;
  std::string dialect;
  TextError error;
  std::string out;
  size_t position = 0;
  /// Where in `out` the statement that is being written begins.
  size_t statement = 0;

  /// Rewrites what comes next: a comment, a name, a word, a character.
  llvm::LogicalResult step();

private:
  /// Runs `rewrite`, and adds the ends of lines that it left out.
  llvm::LogicalResult
  keepingLines(llvm::function_ref<llvm::LogicalResult()> rewrite);
  llvm::LogicalResult copyString();
  void copyValue();

  std::string prefix;
  int count = 0;
};

/// Rewrites the main buffer of `source` by `rewrite` and parses the result, a module;
/// null after an error, which has been emitted. `finish` runs before it is verified.
mlir::OwningOpRef<mlir::Operation *> importText(
    llvm::SourceMgr &source, mlir::MLIRContext *context,
    llvm::function_ref<llvm::FailureOr<std::string>(llvm::StringRef, TextError)>
        rewrite,
    llvm::function_ref<llvm::LogicalResult(mlir::Operation *)> finish);

} // namespace shard

#endif // SHARD_LIB_IR_TEXTREWRITER_H
