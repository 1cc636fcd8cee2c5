//===- Coverage.cpp - What the programs of a run contained ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/Coverage.h"

#include "shard/IR/ShardOps.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <set>

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

using Counts = std::map<std::string, uint64_t>;

static void addAll(Counts &counts, const std::set<std::string> &names) {
  for (const std::string &name : names)
    ++counts[name];
}

void Coverage::countOps(ModuleOp program) {
  std::set<std::string> names;
  program->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool hasTensors =
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
    if (hasTensors || !isa<ShardingInterface>(op))
      names.insert(op->getName().getStringRef().str());
    return llvm::is_contained({"linalg", "tensor", "tosa"},
                              op->getName().getDialectNamespace())
               ? WalkResult::skip()
               : WalkResult::advance();
  });
  addAll(ops, names);
}

void Coverage::countCollectives(ModuleOp partitioned) {
  std::set<std::string> names;
  partitioned->walk([&](Operation *op) {
    if (isa<PermuteOp, UpdateHaloOp>(op) ||
        (isa_and_present<ShardDialect>(op->getDialect()) &&
         op->hasAttrOfType<DenseI16ArrayAttr>("grid_axes")))
      names.insert(op->getName().stripDialect().str());
  });
  addAll(collectives, names);
}

std::string Coverage::encode() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const auto &[name, count] : ops)
    stream << "o " << name << " " << count << " ";
  for (const auto &[name, count] : collectives)
    stream << "c " << name << " " << count << " ";
  return text;
}

void Coverage::add(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (size_t i = 0; i + 2 < words.size(); i += 3) {
    uint64_t count = 0;
    if (!words[i + 2].getAsInteger(10, count))
      (words[i] == "o" ? ops : collectives)[words[i + 1].str()] += count;
  }
}

std::vector<std::string>
Coverage::missing(const std::vector<std::string> &names) const {
  std::vector<std::string> result;
  llvm::copy_if(names, std::back_inserter(result),
                [&](const std::string &name) { return !ops.count(name); });
  return result;
}

static void printTable(llvm::raw_ostream &os, llvm::StringRef title,
                       const Counts &counts) {
  std::vector<std::pair<std::string, uint64_t>> rows(counts.begin(),
                                                     counts.end());
  llvm::sort(rows, [](const auto &a, const auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  os << title << ", programs that hold it:\n";
  for (const auto &[name, count] : rows)
    os << llvm::format("%8llu  ", static_cast<unsigned long long>(count))
       << name << "\n";
}

void Coverage::print(llvm::raw_ostream &os) const {
  printTable(os, "op", ops);
  printTable(os, "collective", collectives);
}
