//===- CheckRemarks.cpp - What the remarks of propagation say -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainText.h"

#include "shard/IR/ShardOps.h"
#include "shard/Propagation/Propagation.h"

#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace mlir;

namespace shard::fuzz {

/// The axes of "over axis x, axis y:(2)2" or "by axis x", up to what follows.
static Names axesAfter(StringRef text, StringRef word) {
  Names axes;
  text = text.split(word).second;
  while (text.consume_front("axis ")) {
    axes.push_back(
        text.take_until([](char c) { return c == ',' || c == ' '; }));
    text = text.drop_front(axes.back().size());
    text.consume_front(", ");
  }
  return axes;
}

/// About "a dimension of extent 7 is split unevenly by axis x (4 parts, ...".
static std::string checkParts(ModuleOp module, StringRef text) {
  bool isSplit = text.contains(" is split unevenly by ");
  StringRef number = text.split(" parts").first.rsplit('(').second;
  Names axes = axesAfter(text, " by ");
  std::optional<int64_t> wanted = partsOf(module, axes);
  int64_t parts = 0, extent = 0;
  if (axes.empty() || number.getAsInteger(10, parts))
    return "no parts";
  if (wanted && *wanted > 0 && *wanted != parts)
    return std::to_string(*wanted) + " parts";
  StringRef words = text.split("a dimension of extent ").second;
  if (words.consumeInteger(10, extent))
    return isSplit ? "its extent is not known" : "";
  if (isSplit && parts > 0 && extent % parts == 0)
    return "it is split evenly";
  return {};
}

/// About "'op' cannot be split along dimension 0 of operand 1, which is gathered over axis x
/// (the hint ...". The explanation tells of the same reshard.
static std::string checkGather(const PropagationExplanation &explanation,
                               const PlacedRemark &remark) {
  StringRef text = remark.text;
  auto [op, what] =
      text.drop_front().split("' cannot be split along dimension ");
  auto [dimText, rest] = what.split(" of operand ");
  int64_t dim = 0;
  if (dimText.getAsInteger(10, dim))
    return "no dimension";
  std::string user = (op + " operand " + rest.split(',').first).str();
  Names axes = axesAfter(text, " is gathered over ");
  for (const auto &entry : explanation.reshards) {
    if (entry.place != remark.place || entry.user != user)
      continue;
    Text from = parseSharding(entry.from), to = parseSharding(entry.to);
    bool isSame = !axes.empty();
    for (StringRef axis : axes) {
      isSame &= from.splits(axis, dim);
      for (size_t other = 0; other < to.dims.size(); ++other)
        isSame &= !to.splits(axis, other);
      isSame &= llvm::any_of(
          entry.has, [&](const PropagationExplanation::Reason &reason) {
            return reason.axis == axis && text.contains(reason.hint);
          });
    }
    if (isSame)
      return {};
  }
  return "no reshard is explained so";
}

/// Where axes do not divide a dimension of the result of an elementwise op, a remark tells of such an
/// extent in so many parts, unless the op computes it by other axes. Other ops may be cut out of what
/// they read.
static std::string checkUneven(ModuleOp module,
                               const PropagationExplanation &explanation,
                               ArrayRef<PlacedRemark> remarks) {
  auto isTold = [&](int64_t extent, int64_t parts) {
    std::string begin = "a dimension of extent " + std::to_string(extent) +
                        " is split unevenly by ",
                count = "(" + std::to_string(parts) + " parts,";
    return llvm::any_of(remarks, [&](const PlacedRemark &remark) {
      StringRef text = remark.text;
      return text.starts_with(begin) && text.contains(count);
    });
  };
  std::set<std::string> otherwise;
  for (const auto &entry : explanation.reshards)
    if (StringRef(entry.user).contains(" result "))
      otherwise.insert(entry.place);
  std::map<std::string, SmallVector<RankedTensorType, 1>> resultsAt;
  module.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1)
      if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType()))
        resultsAt[placeOf(op->getLoc())].push_back(type);
  });
  for (const auto &entry : explanation.values) {
    auto results = resultsAt.find(entry.place);
    if (results == resultsAt.end() || results->second.size() != 1 ||
        otherwise.count(entry.place) ||
        StringRef(entry.sharding).contains("offsets"))
      continue;
    for (auto [extent, axes] : llvm::zip(results->second.front().getShape(),
                                         parseSharding(entry.sharding).dims)) {
      int64_t parts = partsOf(module, axes).value_or(1);
      if (extent > 1 && extent % parts != 0 && !isTold(extent, parts))
        return "no remark tells of the extent " + std::to_string(extent) +
               " at " + entry.place + ", of which there are " +
               std::to_string(parts) + " parts";
    }
  }
  return {};
}

std::string checkRemarks(ModuleOp module,
                         const PropagationExplanation &explanation,
                         ArrayRef<PlacedRemark> remarks) {
  for (const PlacedRemark &remark : remarks) {
    StringRef text = remark.text;
    std::string wrong;
    if (text.starts_with("a dimension of "))
      wrong = checkParts(module, text);
    else if (text.contains("' cannot be split along dimension "))
      wrong = checkGather(explanation, remark);
    if (!wrong.empty())
      return "the remark at " + remark.place + ": " + remark.text + ": " +
             wrong;
  }
  for (const auto &entry : explanation.reshards)
    if (entry.verdict == "the op cannot be split along that dimension" &&
        llvm::none_of(remarks, [&](const PlacedRemark &remark) {
          return remark.place == entry.place &&
                 StringRef(remark.text).contains(" cannot be split along ");
        }))
      return "no remark tells of " + entry.user + " at " + entry.place +
             ", which cannot be split";
  return checkUneven(module, explanation, remarks);
}

} // namespace shard::fuzz
