//===- ExplainText.h - What explanations say, as numbers --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_EXPLAINTEXT_H
#define SHARD_LIB_FUZZ_EXPLAINTEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shard {
struct PropagationExplanation;
}

namespace shard::fuzz {

using Names = llvm::SmallVector<llvm::StringRef>;

/// A remark of propagation, and its place as "file:line:column".
struct PlacedRemark {
  std::string place, text;
};

/// A sharding as the explanation prints it: "[[x], [y, z]] partial = sum [w] halo = [1, 0]". What
/// it says of halos and offsets is not read.
struct Text {
  std::vector<Names> dims;
  Names partial;

  /// Whether `axis` splits dimension `dim`.
  bool splits(llvm::StringRef axis, int64_t dim) const {
    return dim >= 0 && dim < int64_t(dims.size()) &&
           llvm::is_contained(dims[dim], axis);
  }
};

/// Reads what `Text` describes.
Text parseSharding(llvm::StringRef text);

/// "file:line:column".
std::string placeOf(mlir::Location location);

/// The number of devices along `axes`, nothing if several grids have them.
std::optional<int64_t> partsOf(mlir::ModuleOp module,
                               llvm::ArrayRef<llvm::StringRef> axes);

/// What is wrong with the remarks of propagation in `module`, of which there is an `explanation`.
std::string checkRemarks(mlir::ModuleOp module,
                         const PropagationExplanation &explanation,
                         llvm::ArrayRef<PlacedRemark> remarks);

/// Partitions `annotated`, which propagation has made of `original`. Devices exchange something at
/// exactly those places that `explanation` tells of, by the kinds of steps that it names. What is
/// wrong, in words.
std::string checkExchangesTold(mlir::ModuleOp original,
                               mlir::ModuleOp annotated,
                               const PropagationExplanation &explanation);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_EXPLAINTEXT_H
