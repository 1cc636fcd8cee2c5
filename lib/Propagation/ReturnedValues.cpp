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
  /// By argument the number of its layout, if it has one.
  llvm::SmallVector<std::optional<unsigned>, 4> arguments;
  /// One argument per distinct layout.
  llvm::SmallVector<ValueId, 4> layouts;
  /// All arguments with these layouts.
  llvm::SmallVector<std::pair<ValueId, unsigned>, 4> sources;
  unsigned numResults = 0;
  /// How many results were looked at.
  unsigned next = 0;
  /// The bits that stand for the layouts, once a result may take one.
  std::optional<size_t> bits;
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

  /// Those whose results are computed from an argument with the layout.
  std::vector<ReturnedLayout> takeComputed() {
    for (size_t first = 0; first < numBits; first += kSetSize)
      findSources(first);
    std::vector<ReturnedLayout> computed;
    for (const Candidate &candidate : candidates)
      if (candidate.isComputed)
        computed.push_back(candidate.layout);
    return computed;
  }

private:
  struct Candidate {
    ReturnedLayout layout;
    size_t bit;
    bool isComputed = false;
  };
  /// So many layouts are followed through the program at once.
  static constexpr size_t kSetSize = 64;

  void addArgument(BlockArgument argument) {
    auto entry = ofType.find(argument.getType());
    if (entry == ofType.end())
      return;
    OfType &same = entry->second;
    std::optional<unsigned> &number = same.arguments.emplace_back();
    ValueId id = program.idOf(argument);
    if (id == kNoValue)
      return;
    const auto *known = llvm::find_if(same.layouts, [&](ValueId other) {
      return solved.haveOneSharding(other, id);
    });
    unsigned found = known - same.layouts.begin();
    if (found == most)
      return;
    if (known == same.layouts.end())
      same.layouts.push_back(id);
    number = found;
    same.sources.push_back({program.find(id), found});
  }

  void addResult(OfType &same, ValueId result) {
    unsigned number = same.next++;
    if (result == kNoValue)
      return;
    std::optional<unsigned> paired;
    if (same.arguments.size() == same.numResults)
      paired = same.arguments[number];
    if (paired)
      addCandidate(same, result, *paired);
    for (unsigned layout = 0; layout < same.layouts.size(); ++layout)
      if (layout != paired)
        addCandidate(same, result, layout);
  }

  void addCandidate(OfType &same, ValueId result, unsigned layout) {
    ValueId argument = same.layouts[layout];
    if (!splitsMore(solved.shardingOf(argument), solved.shardingOf(result)))
      return;
    if (!same.bits) {
      same.bits = numBits;
      numBits += same.layouts.size();
      for (auto [source, number] : same.sources)
        sources.push_back({source, *same.bits + number});
    }
    candidates.push_back(
        {{program.find(result), program.find(argument)}, *same.bits + layout});
  }

  /// Notes which candidates with the bits [first, first + kSetSize) are computed from
  /// arguments with their layouts.
  void findSources(size_t first) {
    const Problem &problem = program.problem;
    auto isHere = [&](size_t bit) {
      return bit >= first && bit < first + kSetSize;
    };
    std::vector<uint64_t> from(problem.numValues());
    for (auto [source, bit] : sources)
      if (isHere(bit))
        from[source] |= uint64_t(1) << (bit - first);
    for (OpId op = 0; op < problem.numOps(); ++op) {
      if (!problem.isOpenBothWays(op))
        continue;
      unsigned numOperands = problem.table(op).numOperands;
      uint64_t all = 0;
      for (ValueId id : problem.tensors(op).take_front(numOperands))
        if (id != kNoValue)
          all |= from[program.find(id)];
      for (ValueId id : problem.tensors(op).drop_front(numOperands))
        if (id != kNoValue)
          from[program.find(id)] |= all;
    }
    for (Candidate &candidate : candidates)
      if (isHere(candidate.bit))
        candidate.isComputed =
            from[candidate.layout.result] >> (candidate.bit - first) & 1;
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
  std::vector<Candidate> candidates;
  std::vector<std::pair<ValueId, size_t>> sources;
  size_t numBits = 0;
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
  return finder.takeComputed();
}

} // namespace shard::propagation
