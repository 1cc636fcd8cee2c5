//===- ReturnedValues.cpp - Layouts for open function results -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReturnedValues.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace shard::propagation {

namespace {

/// The arguments and results of one type in one function.
struct OfType {
  llvm::SmallVector<ValueId, 4> arguments;
  /// One argument per distinct layout.
  llvm::SmallVector<ValueId, 4> layouts;
  unsigned numResults = 0;
  /// How many results were looked at.
  unsigned next = 0;
};

class LayoutFinder {
public:
  LayoutFinder(ReadProgram &program, const SolvedShardings &solved,
               unsigned most)
      : program(program), solved(solved), most(most) {}

  void find(FunctionOpInterface function, llvm::ArrayRef<ValueId> results) {
    ofType.clear();
    for (Type type : function.getResultTypes())
      ++ofType[type].numResults;
    for (BlockArgument argument : function.getArguments())
      addArgument(argument);
    for (auto [type, result] :
         llvm::zip_equal(function.getResultTypes(), results))
      addResult(ofType[type], result);
  }

  std::vector<ReturnedLayout> found;

private:
  void addArgument(BlockArgument argument) {
    auto entry = ofType.find(argument.getType());
    if (entry == ofType.end())
      return;
    OfType &same = entry->second;
    ValueId id = program.idOf(argument);
    same.arguments.push_back(id);
    if (id != kNoValue && same.layouts.size() < most &&
        llvm::none_of(same.layouts, [&](ValueId known) {
          return solved.haveOneSharding(known, id);
        }))
      same.layouts.push_back(id);
  }

  void addResult(OfType &same, ValueId result) {
    unsigned number = same.next++;
    if (result == kNoValue)
      return;
    llvm::SmallVector<ValueId, 4> order;
    if (same.arguments.size() == same.numResults &&
        same.arguments[number] != kNoValue)
      order.push_back(same.arguments[number]);
    llvm::append_range(order, same.layouts);
    order.truncate(std::min<size_t>(order.size(), most));
    for (ValueId argument : order)
      if (splitsMore(solved.shardingOf(argument), solved.shardingOf(result)))
        found.push_back({program.find(result), program.find(argument)});
  }

  static bool splitsMore(const Sharding &wanted, const Sharding &has) {
    return wanted.partial.empty() && !wanted.hasHalosOrOffsets() &&
           wanted.dims != has.dims &&
           llvm::all_of(
               llvm::zip_equal(wanted.dims, has.dims), [](const auto &dims) {
                 const auto &[more, less] = dims;
                 return less.size() <= more.size() &&
                        std::equal(less.begin(), less.end(), more.begin());
               });
  }

  ReadProgram &program;
  const SolvedShardings &solved;
  unsigned most;
  llvm::DenseMap<Type, OfType> ofType;
};

} // namespace

std::vector<ReturnedLayout> findReturnedLayouts(ReadProgram &program,
                                                const SolvedShardings &solved,
                                                unsigned most) {
  LayoutFinder finder(program, solved, most);
  for (const auto &[op, results] : program.results)
    if (auto function = dyn_cast<FunctionOpInterface>(op);
        function && !function.isExternal())
      finder.find(function, results);
  return std::move(finder.found);
}

} // namespace shard::propagation
