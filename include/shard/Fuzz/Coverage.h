//===- Coverage.h - What the programs of a run contained -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts programs by the ops they consist of and by the kinds of collectives in
// what partition makes of them. Children count one program each and tell it as
// the notes of its outcome; the parent sums them up.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_FUZZ_COVERAGE_H
#define SHARD_FUZZ_COVERAGE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace shard::fuzz {

class Coverage {
public:
  /// Counts the ops of a program as it was generated. The bodies of linalg,
  /// tensor and tosa ops do not count, nor do ops with a sharding model that have
  /// to do with scalars only: no model is asked about either.
  void countOps(mlir::ModuleOp program);
  /// Counts the kinds of collectives of a partitioned program.
  void countCollectives(mlir::ModuleOp partitioned);

  /// As text of one line; add() takes it back, to the sums.
  std::string encode() const;
  void add(llvm::StringRef text);

  size_t numOps() const { return ops.size(); }
  size_t numCollectives() const { return collectives.size(); }
  /// Those of `names` that no program contains.
  std::vector<std::string> missing(const std::vector<std::string> &names) const;
  /// Two tables: how many programs hold each op, and each kind of collective.
  void print(llvm::raw_ostream &os) const;

private:
  /// Programs by name.
  std::map<std::string, uint64_t> ops, collectives;
};

} // namespace shard::fuzz

#endif // SHARD_FUZZ_COVERAGE_H
