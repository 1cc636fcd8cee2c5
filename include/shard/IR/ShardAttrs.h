//===- ShardAttrs.h - Attributes and the type of the dialect ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDATTRS_H
#define SHARD_IR_SHARDATTRS_H

#include "shard/Geometry/AxisPart.h"
#include "shard/Geometry/ReductionKind.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/Hashing.h"

namespace shard {

/// A list of axis numbers, outermost first.
using GridAxesAttr = mlir::DenseI16ArrayAttr;

/// The keyword of `kind`.
inline llvm::StringRef keyword(ReductionKind kind) {
  std::string_view text = stringifyReductionKind(kind);
  return {text.data(), text.size()};
}

/// Parses the keyword (or string) of a reduction kind; reports what it
/// expected.
/// Whether elements of type `element` can be combined by `kind`: bits and unsigned numbers
/// are those of integers.
bool combinesElements(ReductionKind kind, mlir::Type element);

mlir::FailureOr<ReductionKind> parseReductionKind(mlir::AsmParser &parser);

inline llvm::hash_code hash_value(ReductionKind kind) {
  return llvm::hash_value(static_cast<uint32_t>(kind));
}

} // namespace shard

#define GET_ATTRDEF_CLASSES
#include "shard/IR/ShardAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "shard/IR/ShardTypes.h.inc"

#endif // SHARD_IR_SHARDATTRS_H
