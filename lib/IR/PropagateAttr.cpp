//===- PropagateAttr.cpp - Ways that hints close to propagation -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/PropagateAttr.h"

#include "shard/IR/ShardOps.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace shard {

static std::optional<Passage> parsePassage(Attribute attribute) {
  auto text = dyn_cast_or_null<StringAttr>(attribute);
  if (!text)
    return std::nullopt;
  return llvm::StringSwitch<std::optional<Passage>>(text.getValue())
      .Case("none", Passage::None)
      .Case("forward", Passage::Forward)
      .Case("backward", Passage::Backward)
      .Default(std::nullopt);
}

std::optional<Passage> getPassage(Operation *op) {
  return parsePassage(op->getDiscardableAttr(kPropagateAttrName));
}

LogicalResult
verifyPassage(Operation *op, Attribute attribute,
              llvm::function_ref<InFlightDiagnostic()> emitError) {
  // dialect_attr_c40
  if (!isa<ConstraintOp>(op))
    return emitError() << "is for shard.constraint only";
  // dialect_attr_c41
  if (!parsePassage(attribute))
    return emitError() << "expects \"none\", \"forward\" (from the input to "
                          "the result) or \"backward\"";
  return success();
}

} // namespace shard
