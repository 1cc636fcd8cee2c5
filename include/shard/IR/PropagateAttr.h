//===- PropagateAttr.h - Ways that hints close to propagation ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shard.constraint with the attribute "shard.propagate" is a barrier: shardings pass
// between its input and its result in the stated direction only. The constraint is about
// its result, also if nothing uses that.
//
//   %1 = shard.constraint %0 to <@mesh, [[?], [?]]> {shard.propagate = "forward"}
//       : tensor<8x8xf32>
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_PROPAGATEATTR_H
#define SHARD_IR_PROPAGATEATTR_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>

namespace mlir {
class Attribute;
class InFlightDiagnostic;
class Operation;
} // namespace mlir

namespace shard {

inline constexpr llvm::StringLiteral kPropagateAttrName = "shard.propagate";

/// Where shardings pass a barrier.
enum class Passage : uint8_t {
  None,
  /// From the input to the result.
  Forward,
  /// From the result to the input.
  Backward,
};

/// What kPropagateAttrName of `op` says; none where shardings pass both ways.
std::optional<Passage> getPassage(mlir::Operation *op);

/// Whether `attribute`, kPropagateAttrName of `op`, is as it should be.
llvm::LogicalResult
verifyPassage(mlir::Operation *op, mlir::Attribute attribute,
              llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace shard

#endif // SHARD_IR_PROPAGATEATTR_H
