//===- ReductionKind.cpp - How partial values combine ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/ReductionKind.h"

namespace shard {

namespace {
struct Name {
  ReductionKind kind;
  std::string_view keyword;
};
constexpr Name names[] = {
    {ReductionKind::Sum, "sum"},
    {ReductionKind::Max, "max"},
    {ReductionKind::Min, "min"},
    {ReductionKind::Product, "product"},
    {ReductionKind::Average, "average"},
    {ReductionKind::BitwiseAnd, "bitwise_and"},
    {ReductionKind::BitwiseOr, "bitwise_or"},
    {ReductionKind::BitwiseXor, "bitwise_xor"},
    {ReductionKind::UMin, "umin"},
    {ReductionKind::UMax, "umax"},
    {ReductionKind::Generic, "generic"},
};
} // namespace

std::string_view stringifyReductionKind(ReductionKind kind) {
  for (const Name &name : names)
    if (name.kind == kind)
      return name.keyword;
  return {};
}

std::optional<ReductionKind> symbolizeReductionKind(std::string_view keyword) {
  for (const Name &name : names)
    if (name.keyword == keyword)
      return name.kind;
  return std::nullopt;
}

std::optional<ReductionKind> symbolizeReductionKind(uint32_t value) {
  for (const Name &name : names)
    if (static_cast<uint32_t>(name.kind) == value)
      return name.kind;
  return std::nullopt;
}

bool isIdempotent(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Max:
  case ReductionKind::Min:
  case ReductionKind::UMax:
  case ReductionKind::UMin:
  case ReductionKind::BitwiseAnd:
  case ReductionKind::BitwiseOr:
    return true;
  default:
    return false;
  }
}

} // namespace shard
