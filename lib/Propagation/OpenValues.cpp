//===- OpenValues.cpp - Values take what their ops want -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenValues.h"

#include "Followers.h"
#include "OpsOfValues.h"

#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace shard::propagation {

using UsesOfArguments =
    llvm::MapVector<ValueId, llvm::SmallVector<TensorUse, 2>>;

/// The uses of the arguments that no hint is for and that nothing else makes.
static UsesOfArguments findArguments(const ReadProgram &program,
                                     const Solution &solution) {
  const Problem &problem = program.problem;
  UsesOfArguments uses;
  for (const auto &[value, id] : program.numbers.values) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner()->isEntryBlock() &&
        isa_and_present<FunctionOpInterface>(
            argument.getOwner()->getParentOp()) &&
        solution.values[program.find(id)] != kReplicated)
      uses[program.find(id)];
  }
  if (uses.empty())
    return uses;
  llvm::DenseSet<ValueId> fixed = findFixed(program);
  uses.remove_if(
      [&](const auto &entry) { return fixed.contains(entry.first); });
  if (uses.empty())
    return uses;
  // Most tensors are none of these: no look-up for them.
  std::vector<bool> isArgument(problem.numValues());
  for (const auto &entry : uses)
    isArgument[entry.first] = true;
  for (OpId op = 0; op < problem.numOps(); ++op)
    for (auto [tensor, id] : llvm::enumerate(problem.tensors(op))) {
      if (id == kNoValue || !isArgument[program.find(id)] ||
          !problem.isOpenBothWays(op))
        continue;
      if (tensor < problem.table(op).numOperands)
        uses[program.find(id)].push_back({op, unsigned(tensor)});
      else
        fixed.insert(program.find(id));
    }
  uses.remove_if([&](const auto &entry) {
    return entry.second.empty() || fixed.contains(entry.first);
  });
  return uses;
}

/// Gives `value` the sharding `number`. What it has then and had not before came through `op`,
/// from a tensor that has it.
static void settle(const ReadProgram &program, Solution &solution,
                   const std::vector<Sharding> &shardings, ValueId value,
                   uint32_t number, OpId op) {
  uint32_t before = solution.values[value];
  solution.values[value] =
      shardings[number].isReplicated() ? kReplicated : number;
  for (GridAxis axis = 0; axis < GridAxis(solution.axes.size()); ++axis) {
    if (!shardings[number].isSplitBy(axis) ||
        (before != kReplicated && shardings[before].isSplitBy(axis)))
      continue;
    // Results last in an op: what a user of the op wants decides first.
    for (ValueId other : llvm::reverse(program.problem.tensors(op))) {
      if (other == kNoValue || program.find(other) == value)
        continue;
      uint32_t from = solution.values[program.find(other)];
      if (from == kReplicated || !shardings[from].isSplitBy(axis))
        continue;
      solution.settledCauses[{value, axis}] = {op, program.find(other)};
      break;
    }
  }
}

/// Whether `use` reads dimension `dim` of its operand, of `extent` elements in `parts` blocks, by
/// a window of which some device has less than half in its block.
static bool readsFarAway(const ReadProgram &program, const TensorUse &use,
                         unsigned dim, int64_t extent, int64_t parts) {
  const LoopTable &table =
      program.tables.table(program.problem.opTable[use.op]);
  const TensorLoops &operand = table.operands[use.tensor];
  if (!operand.isWindow(dim))
    return false;
  const Window &window = *operand.windows[dim];
  int64_t iterations = table.loops[operand.dims[dim].front()].extent;
  if (extent == kDynamic || iterations == kDynamic || iterations < parts)
    return false;
  int64_t width = (extent + parts - 1) / parts,
          count = (iterations + parts - 1) / parts;
  for (int64_t part : {int64_t(0), parts - 1}) {
    int64_t first = std::min(part * count, iterations),
            number = std::min(count, iterations - first);
    if (number == 0)
      continue;
    int64_t begin = window.start(first, number),
            end = begin + window.span(number);
    int64_t has = std::min(end, std::min((part + 1) * width, extent)) -
                  std::max(begin, part * width);
    if (2 * has < end - begin)
      return true;
  }
  return false;
}

/// Whether all uses read the argument `value` by windows far from the blocks, in each dimension
/// that is split, such as the first rows of a table of positions. Nothing is sent if it is whole.
static bool isReadFarAway(const ReadProgram &program, const Grid &grid,
                          ValueId value, const Sharding &sharding,
                          llvm::ArrayRef<TensorUse> uses) {
  const Problem &problem = program.problem;
  llvm::ArrayRef<int64_t> extents =
      problem.shapes[problem.valueShape[value]].extents;
  return llvm::all_of(uses, [&](const TensorUse &use) {
    return llvm::all_of(llvm::enumerate(sharding.dims), [&](const auto &dim) {
      return dim.value().empty() ||
             readsFarAway(program, use, dim.index(), extents[dim.index()],
                          grid.groupSize(dim.value()));
    });
  });
}

namespace {
/// Settles arguments that no hint is for.
class ArgumentSettler {
public:
  ArgumentSettler(ReadProgram &program, Solution &solution,
                  SolvedShardings &solved, OpWishes &opWishes,
                  const std::vector<Sharding> &shardings, WantedOperand wanted)
      : program(program), solution(solution), solved(solved),
        opWishes(opWishes), shardings(shardings), wanted(wanted) {}

  void settleAll() {
    for (const auto &[value, uses] : findArguments(program, solution)) {
      uint32_t &has = solution.values[value];
      if (isReadFarAway(program, solution.grid, value, shardings[has], uses)) {
        has = kReplicated;
        disagree(uses);
        continue;
      }
      repeated.clear();
      std::optional<uint32_t> all = wantedByAll(value, uses, kMaxRepeats);
      if (!all || *all == has)
        continue;
      settle(program, solution, shardings, value, *all, uses.front().op);
      disagree(uses);
      for (const Repeated &each : repeated) {
        settle(program, solution, shardings, each.value, each.number, each.op);
        disagree(ops->of(each.value));
      }
    }
  }

private:
  /// A value in which `op` repeats an argument, and the sharding that all its uses want.
  struct Repeated {
    ValueId value;
    uint32_t number;
    OpId op;
  };
  /// So many ops behind an argument are looked through.
  static constexpr unsigned kMaxRepeats = 4;

  /// The number of the sharding that all uses of `value` want, if it is one that a value may have.
  std::optional<uint32_t>
  wantedByAll(ValueId value, llvm::ArrayRef<TensorUse> uses, unsigned depth) {
    std::optional<uint32_t> all;
    for (const TensorUse &use : uses) {
      std::optional<uint32_t> one = wantedBy(value, use, depth);
      if (!one || (all && one != all) || !shardings[*one].partial.empty() ||
          shardings[*one].hasHalosOrOffsets())
        return std::nullopt;
      all = one;
    }
    return all;
  }

  /// The sharding that `use` wants of `value`. An op that only repeats it, as a transposition of
  /// weights does, takes it as it is: what counts is what the users of its result want.
  std::optional<uint32_t> wantedBy(ValueId value, const TensorUse &use,
                                   unsigned depth) {
    std::optional<uint32_t> direct = wanted(use.op, use.tensor);
    auto *owner = dyn_cast_if_present<Operation *>(program.origins[use.op]);
    if (depth == 0 || direct != solved.numberOf(value) || !owner)
      return direct;
    auto model = dyn_cast<ShardingInterface>(owner);
    const LoopTable &table =
        program.tables.table(program.problem.opTable[use.op]);
    if (!model || model.getFlopsPerIteration() != 0 ||
        opWishes.decides(use.op, owner) ||
        findRepeated(table, owner, opWishes.madeFor(use.op, owner)) !=
            use.tensor)
      return direct;
    unsigned result = owner->getNumOperands();
    ValueId id = program.problem.tensors(use.op)[result];
    if (id == kNoValue)
      return direct;
    std::optional<Sharding> back =
        wantedOfResult(program.find(id), use, result, depth);
    return back ? solved.indexFor(*back) : direct;
  }

  /// If all users of `value`, the result of the op at `use`, want another sharding than it has:
  /// the sharding of the operand that means it.
  std::optional<Sharding> wantedOfResult(ValueId value, const TensorUse &use,
                                         unsigned result, unsigned depth) {
    if (!ops) {
      ops.emplace(program);
      fixed = findFixed(program);
    }
    llvm::SmallVector<TensorUse> uses;
    for (const TensorUse &other : ops->of(value)) {
      if (other.tensor < program.problem.table(other.op).numOperands)
        uses.push_back(other);
      else if (other.op != use.op)
        return std::nullopt;
    }
    if (fixed.contains(value))
      return std::nullopt;
    std::optional<uint32_t> all = wantedByAll(value, uses, depth - 1);
    if (!all || shardings[*all].dims == solved.shardingOf(value).dims)
      return std::nullopt;
    const LoopTable &table =
        program.tables.table(program.problem.opTable[use.op]);
    Sharding want = shardings[*all];
    std::optional<ShardingOption> option =
        optionOf(table, solution.grid, result, want);
    if (!option)
      return std::nullopt;
    repeated.push_back({value, *all, use.op});
    return tensorSharding(table, use.tensor, *option);
  }

  /// An op that takes a partial operand as it comes may want others than its loops say, so that it
  /// has no disagreement yet.
  void disagree(llvm::ArrayRef<TensorUse> uses) {
    for (const TensorUse &use : uses)
      solution.agrees[use.op] = false;
  }

  ReadProgram &program;
  Solution &solution;
  SolvedShardings &solved;
  OpWishes &opWishes;
  const std::vector<Sharding> &shardings;
  WantedOperand wanted;
  /// Read where the first argument is repeated, as it takes time.
  std::optional<OpsOfValues> ops;
  llvm::DenseSet<ValueId> fixed;
  llvm::SmallVector<Repeated, 2> repeated;
};
} // namespace

void settleArguments(ReadProgram &program, Solution &solution,
                     SolvedShardings &solved, OpWishes &opWishes,
                     const std::vector<Sharding> &shardings,
                     WantedOperand wanted) {
  ArgumentSettler(program, solution, solved, opWishes, shardings, wanted)
      .settleAll();
}

namespace {
/// Finds the values that can take the sharding of a result together with it.
class ResultSettler {
public:
  ResultSettler(const ReadProgram &program, WantedOperand wanted,
                llvm::DenseSet<ValueId> decided)
      : program(program), wanted(wanted), ops(program),
        decided(std::move(decided)) {}

  /// Whether `value`, which `op` makes, can have the sharding `number`. Adds it to
  /// `found`, and the values that it alone is passed on to, such as the result of its
  /// function.
  bool canHave(ValueId value, OpId op, uint32_t number,
               llvm::SmallVectorImpl<ValueId> &found) {
    if (decided.contains(value) || llvm::is_contained(found, value))
      return false;
    found.push_back(value);
    return llvm::all_of(ops.of(value), [&](const TensorUse &use) {
      if (use.tensor >= program.problem.table(use.op).numOperands)
        return use.op == op;
      if (wanted(use.op, use.tensor) == number)
        return true;
      llvm::ArrayRef<ValueId> tensors = program.problem.tensors(use.op);
      return program.isEdge(use.op) &&
             canHave(program.find(tensors.back()), use.op, number, found);
    });
  }

private:
  const ReadProgram &program;
  WantedOperand wanted;
  OpsOfValues ops;
  llvm::DenseSet<ValueId> decided;
};
} // namespace

llvm::SmallVector<ValueId, 0>
settleResults(const ReadProgram &program, Solution &solution,
              const std::vector<Sharding> &shardings,
              llvm::ArrayRef<ComputedResult> results, WantedOperand wanted,
              const PropagationOptions &options) {
  llvm::SmallVector<ValueId, 0> changed;
  if (results.empty())
    return changed;
  ResultSettler settler(program, wanted,
                        findDecided(program, solution, options));
  // Users first: what they compute decides what they want.
  for (const ComputedResult &result : llvm::reverse(results)) {
    llvm::SmallVector<ValueId, 4> found;
    if (!settler.canHave(program.find(result.value), result.op, result.sharding,
                         found))
      continue;
    for (ValueId value : found)
      settle(program, solution, shardings, value, result.sharding, result.op);
    changed.append(found);
  }
  return changed;
}

} // namespace shard::propagation
