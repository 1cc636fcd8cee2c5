//===- ExplainPrint.cpp - Explanations as text and as JSON ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Propagation/Propagation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace shard::propagation {

namespace {
void printReasons(llvm::raw_ostream &os, llvm::StringRef label,
                  llvm::ArrayRef<PropagationExplanation::Reason> reasons) {
  for (const auto &reason : reasons) {
    os << "    " << label;
    if (reason.dim < 0)
      os << "the complete value";
    else if (reason.axis.empty())
      os << "no more axes";
    else
      os << "axis " << reason.axis;
    if (reason.dim >= 0)
      os << " in dimension " << reason.dim;
    if (!reason.of.empty())
      os << " of " << reason.of;
    os << ": ";
    for (const std::string &link : reason.chain)
      os << "through " << link << ", ";
    if (reason.length > reason.chain.size())
      os << "and " << reason.length - reason.chain.size() << " more ops, ";
    os << "from " << reason.hint << "\n";
  }
}

/// `text` as a string of JSON, which is UTF-8. Names of files and symbols may be any
/// bytes.
std::string utf8(llvm::StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

llvm::json::Array
toJson(llvm::ArrayRef<PropagationExplanation::Reason> reasons) {
  llvm::json::Array list;
  for (const auto &reason : reasons)
    list.push_back(llvm::json::Object{
        {"axis", utf8(reason.axis)},
        {"dimension", reason.dim},
        {"of", utf8(reason.of)},
        {"through", llvm::json::Array(llvm::map_range(reason.chain, utf8))},
        {"length", int64_t(reason.length)},
        {"hint", utf8(reason.hint)}});
  return list;
}

} // namespace

} // namespace shard::propagation

namespace shard {

void PropagationExplanation::print(llvm::raw_ostream &os) const {
  for (const ValueEntry &entry : values) {
    os << entry.value << " at " << entry.place << ": " << entry.sharding
       << "\n";
    propagation::printReasons(os, "", entry.reasons);
  }
  for (const ReshardEntry &entry : reshards) {
    if (entry.from == entry.to)
      os << "exchange by " << entry.user << ", " << entry.value << ", at "
         << entry.place << ": " << entry.from << "\n";
    else
      os << "reshard of " << entry.value << " for " << entry.user << " at "
         << entry.place << ": " << entry.from << " -> " << entry.to << "\n";
    propagation::printReasons(os, "it has ", entry.has);
    propagation::printReasons(os, "against ", entry.wants);
    os << "    decided: " << entry.verdict << "\n";
    if (!entry.steps.empty())
      os << "    so: " << entry.steps << "\n";
    for (const auto &choice : entry.instead)
      os << "    instead, " << choice.how << ": " << choice.bytes
         << " bytes for the op, not " << entry.bytesOfOp << "\n";
  }
}

void PropagationExplanation::printJson(llvm::raw_ostream &os) const {
  llvm::json::Array valueList, reshardList;
  for (const ValueEntry &entry : values)
    valueList.push_back(
        llvm::json::Object{{"value", propagation::utf8(entry.value)},
                           {"place", propagation::utf8(entry.place)},
                           {"sharding", propagation::utf8(entry.sharding)},
                           {"reasons", propagation::toJson(entry.reasons)}});
  for (const ReshardEntry &entry : reshards) {
    llvm::json::Array instead;
    for (const auto &choice : entry.instead)
      instead.push_back(llvm::json::Object{
          {"how", propagation::utf8(choice.how)}, {"bytes", choice.bytes}});
    reshardList.push_back(
        llvm::json::Object{{"value", propagation::utf8(entry.value)},
                           {"user", propagation::utf8(entry.user)},
                           {"place", propagation::utf8(entry.place)},
                           {"from", propagation::utf8(entry.from)},
                           {"to", propagation::utf8(entry.to)},
                           {"has", propagation::toJson(entry.has)},
                           {"wants", propagation::toJson(entry.wants)},
                           {"verdict", propagation::utf8(entry.verdict)},
                           {"steps", propagation::utf8(entry.steps)},
                           {"bytes_of_op", entry.bytesOfOp},
                           {"instead", std::move(instead)}});
  }
  os << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{
                                   {"values", std::move(valueList)},
                                   {"reshards", std::move(reshardList)}}))
     << "\n";
}

} // namespace shard
