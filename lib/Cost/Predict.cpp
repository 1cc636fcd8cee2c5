//===- Predict.cpp - What a program costs before it runs -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Cost/Predict.h"

#include "shard/Cost/Links.h"
#include "shard/Cost/Ops.h"
#include "shard/IR/Overlap.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// How often
//===----------------------------------------------------------------------===//

static std::optional<int64_t> multiply(std::optional<int64_t> a,
                                       std::optional<int64_t> b) {
  int64_t product;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product))
    return std::nullopt;
  return product;
}

static Times operator*(const Times &a, const Times &b) {
  return {multiply(a.most, b.most), a.exact && b.exact};
}

/// How often each region of `op` runs in one execution of it.
static SmallVector<Times> timesOfRegions(Operation *op) {
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    if (std::optional<int64_t> trips = tripCount(loop))
      return SmallVector<Times>(op->getNumRegions(), {*trips, true});
  SmallVector<Times> times(op->getNumRegions(), {std::nullopt, false});
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return times;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    operands.emplace_back();
    matchPattern(operand, m_Constant(&operands.back()));
  }
  SmallVector<InvocationBounds> bounds;
  branch.getRegionInvocationBounds(operands, bounds);
  for (auto [at, bound] : llvm::zip(times, bounds))
    if (std::optional<unsigned> most = bound.getUpperBound())
      at = {*most, bound.getLowerBound() == *most};
  return times;
}

/// How often `block` runs in one execution of its region.
static Times timesOfBlock(mlir::Block &block) {
  if (block.isEntryBlock())
    return {};
  if (LoopLikeOpInterface::blockIsInLoop(&block))
    return {std::nullopt, false};
  return {1, false};
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

std::optional<int64_t> PredictedCollective::calls() const {
  return multiply(cost.calls, times.most);
}
std::optional<int64_t> PredictedCollective::bytes() const {
  return multiply(bytesOnce, times.most);
}

static void addTo(int64_t &sum, std::optional<int64_t> value, bool &complete) {
  if (!value) {
    complete = false;
  } else if (__builtin_add_overflow(sum, *value, &sum)) {
    sum = INT64_MAX;
    complete = false;
  }
}

/// The first op outside the dialect that uses what `op` computes.
static std::string firstUser(Operation *op) {
  // Through how many views and collectives a user is looked for.
  constexpr int kMostSteps = 32;
  Operation *at = op;
  for (int steps = 0; steps < kMostSteps && !at->use_empty(); ++steps) {
    at = *at->user_begin();
    if (!isa_and_nonnull<ShardDialect>(at->getDialect()) && !isAlias(at))
      break;
  }
  return at->getName().getStringRef().str();
}

/// The op that `op` is there for: partition says so by the name around the location.
static std::string reasonOf(Operation *op) {
  std::string reason;
  op->getLoc()->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part); name && reason.empty())
      reason = name.getName().str();
    return isa<FileLineColLoc>(part) ? WalkResult::interrupt()
                                     : WalkResult::advance();
  });
  // An annotation only passes on what its users need.
  if (reason.empty() || StringRef(reason).ends_with("shard.shard"))
    reason = firstUser(op);
  return reason;
}

namespace {

/// A device that computes and a link that sends, each one thing after another.
class Clock {
public:
  void compute(double seconds) { computing += seconds; }

  void send(Operation *op, double seconds) {
    ++sent;
    sending = std::max(computing, sending) + seconds;
    if (isStarted(op))
      ends[op->getResult(0)] = sending;
    else
      computing = sending;
  }

  void wait(Value started) {
    computing = std::max(computing, ends.lookup(started));
  }

  /// What is done between `enter` and `leave` is done so often, each time with an idle
  /// link: where it sends, the device first waits for what is under way.
  struct Mark {
    double begin, underWay;
    int64_t sent;
  };
  Mark enter() {
    Mark mark{computing, std::max(0.0, sending - computing), sent};
    sending = computing;
    return mark;
  }
  void leave(const Mark &mark, double times) {
    computing = mark.begin + (computing - mark.begin) * times;
    if (sent == mark.sent)
      sending = mark.begin + mark.underWay;
    else
      sending = computing += mark.underWay;
  }

  double now() const { return std::max(computing, sending); }
  bool hasStarted() const { return !ends.empty(); }

private:
  double computing = 0, sending = 0;
  int64_t sent = 0;
  /// When what was started is done.
  llvm::DenseMap<Value, double> ends;
};

class Predictor {
public:
  Predictor(ProgramCost &program, bool fixedMachine, bool followsCalls = true)
      : program(program), fixedMachine(fixedMachine),
        followsCalls(followsCalls) {}

  void visit(Region &region, const Times &times) {
    for (mlir::Block &block : region) {
      Times here = times * timesOfBlock(block);
      for (Operation &op : block)
        visit(&op, here);
    }
  }

  void finish() {
    program.kinds = sorted(kinds);
    program.places = sorted(places);
    program.total.name = program.entry;
    program.seconds = clock.now();
    program.overlaps = clock.hasStarted();
  }

private:
  void visit(Operation *op, const Times &times) {
    // Functions that call others twice, which call others twice, and so on.
    constexpr int64_t kMostVisits = int64_t(1) << 22;
    if (++visits > kMostVisits) {
      program.total.complete = false;
      return;
    }
    if (std::optional<CollectiveCost> cost = costOfCollective(op, symbols)) {
      addCollective(op, std::move(*cost), times);
      return;
    }
    if (auto wait = dyn_cast<WaitOp>(op))
      clock.wait(wait.getValue());
    addOp(op, times);
    if (auto call = dyn_cast<CallOpInterface>(op)) {
      if (!followsCalls)
        return;
      auto callee = dyn_cast_if_present<FunctionOpInterface>(
          call.resolveCallableInTable(&symbols));
      // A recursive function calls itself an unknown number of times.
      if (callee && open.insert(callee).second) {
        visit(callee.getFunctionBody(), times);
        open.erase(callee);
      } else {
        program.total.complete = false;
      }
      return;
    }
    if (op->getNumRegions() == 0)
      return;
    // The regions of other ops compute elements, which the op counts itself.
    bool flows = isa<LoopLikeOpInterface, RegionBranchOpInterface>(op);
    for (auto [region, inside] :
         llvm::zip(op->getRegions(), timesOfRegions(op))) {
      if (flows) {
        Clock::Mark mark = clock.enter();
        visit(region, times * inside);
        clock.leave(mark, double(inside.most.value_or(1)));
      } else {
        region.walk([&](Operation *inner) {
          if (auto cost = costOfCollective(inner, symbols))
            addCollective(inner, std::move(*cost), {std::nullopt, false});
        });
      }
    }
  }

  void addOp(Operation *op, const Times &times) {
    std::optional<OpCost> cost = costOfOp(op);
    if (cost && cost->flops == 0 && cost->bytesTouched == 0)
      return;
    if (cost)
      clock.compute(cost->seconds(program.machine));
    for (CostSum *sum : sumsOf(op)) {
      ++sum->ops;
      sum->complete &= cost && times.most;
      if (!cost)
        continue;
      int64_t count = times.most.value_or(1);
      addTo(sum->flops, multiply(cost->flops, count), sum->complete);
      addTo(sum->bytesTouched, multiply(cost->bytesTouched, count),
            sum->complete);
      sum->secondsComputing += cost->seconds(program.machine) * double(count);
    }
  }

  void addCollective(Operation *op, CollectiveCost cost, const Times &times) {
    GridOp grid = getGrid(op, symbols);
    PredictedCollective row;
    row.times = times;
    auto [names, isNew] = axisNames.try_emplace(grid);
    if (isNew)
      names->second = axisNamesOf(grid);
    for (int64_t axis : cost.axes)
      row.axisNames.push_back(names->second[axis]);
    row.neededBy = reasonOf(op);
    if (cost.sent) {
      row.bytesOnce = cost.sent->most(cost.groupSize);
      if (*row.bytesOnce > 0) {
        AxisList axes(cost.axes.begin(), cost.axes.end());
        // The kind has no part in the cost of links.
        row.secondsOnce = linksOf(grid).cost(Collective::Permute, axes,
                                             double(*row.bytesOnce));
      }
    }
    clock.send(op, row.secondsOnce);
    row.cost = std::move(cost);
    for (CostSum *sum : sumsOf(op)) {
      ++sum->ops;
      int64_t count = times.most.value_or(1);
      sum->complete &= times.most.has_value();
      addTo(sum->bytesSent, multiply(row.bytesOnce, count), sum->complete);
      sum->secondsSending += row.secondsOnce * double(count);
    }
    program.collectives.push_back(std::move(row));
  }

  const LinkCostModel &linksOf(GridOp grid) {
    auto found = links.find(grid);
    if (found == links.end()) {
      Machine machine = fixedMachine ? program.machine : machineOf(grid);
      found = links.try_emplace(grid, linkSeconds(grid, machine)).first;
    }
    return found->second;
  }

  std::array<CostSum *, 3> sumsOf(Operation *op) {
    CostSum &kind = kinds[op->getName().getStringRef().str()];
    CostSum &place = places[lineOf(op)];
    return {&kind, &place, &program.total};
  }

  /// The line of the source, without the column.
  static std::string lineOf(Operation *op) {
    std::string place = describeLocation(op->getLoc());
    size_t colon = place.rfind(':');
    return colon == std::string::npos ? place : place.substr(0, colon);
  }

  static std::vector<CostSum>
  sorted(llvm::MapVector<std::string, CostSum, std::map<std::string, unsigned>>
             &sums) {
    std::vector<CostSum> list;
    for (auto &[name, sum] : sums) {
      list.push_back(sum);
      list.back().name = name;
    }
    llvm::sort(list, [](const CostSum &a, const CostSum &b) {
      double first = a.secondsComputing + a.secondsSending;
      double second = b.secondsComputing + b.secondsSending;
      return first != second ? first > second : a.name < b.name;
    });
    return list;
  }

  ProgramCost &program;
  bool fixedMachine, followsCalls;
  int64_t visits = 0;
  Clock clock;
  SymbolTableCollection symbols;
  llvm::SmallPtrSet<Operation *, 4> open;
  llvm::DenseMap<Operation *, std::vector<std::string>> axisNames;
  llvm::DenseMap<Operation *, LinkCostModel> links;
  llvm::MapVector<std::string, CostSum, std::map<std::string, unsigned>> kinds,
      places;
};

} // namespace

/// A program without its costs.
static ProgramCost programOf(FunctionOpInterface entry) {
  ProgramCost program;
  program.entry = entry.getName().str();
  GridOp grid;
  // Other functions may be changing.
  if (Operation *table = SymbolTable::getNearestSymbolTable(entry))
    for (GridOp op : table->getRegion(0).getOps<GridOp>())
      if (!grid)
        grid = op;
  program.machine = knownMachines().front();
  if (grid) {
    GridOp base = baseOf(grid);
    program.gridName = base.getSymName().str();
    program.gridShape.assign(base.getShape().begin(), base.getShape().end());
    program.machine = machineOf(base);
  }
  return program;
}

ProgramCost predictProgram(FunctionOpInterface entry,
                           std::optional<Machine> machine) {
  ProgramCost program = programOf(entry);
  if (machine)
    program.machine = *machine;
  Predictor predictor(program, machine.has_value());
  predictor.visit(entry.getFunctionBody(), {});
  predictor.finish();
  program.memory = memoryOf(entry);
  return program;
}

double predictSeconds(FunctionOpInterface function) {
  ProgramCost program = programOf(function);
  Predictor predictor(program, /*fixedMachine=*/false, /*followsCalls=*/false);
  predictor.visit(function.getFunctionBody(), {});
  predictor.finish();
  return program.seconds;
}

std::map<CallKey, PredictedCalls> predictCalls(const ProgramCost &cost) {
  std::map<CallKey, PredictedCalls> calls;
  std::map<CallKey, std::pair<SentBytes, int64_t>> sums;
  for (const PredictedCollective &row : cost.collectives) {
    CallKey key(row.cost.kind, row.cost.gridShape, row.cost.axes,
                row.cost.location);
    auto [it, isNew] = calls.try_emplace(key);
    PredictedCalls &sum = it->second;
    if (isNew)
      sum.calls.most = 0;
    std::optional<int64_t> count = row.calls();
    if (!count || !sum.calls.most)
      sum.calls = {std::nullopt, false};
    else
      *sum.calls.most += *count;
    sum.calls.exact &= row.times.exact;
    auto &[sent, groupSize] = sums[key];
    groupSize = row.cost.groupSize;
    if (!row.cost.sent || !row.times.most ||
        !sent.add(*row.cost.sent, *row.times.most))
      sum.bytes = std::nullopt;
    if (sum.neededBy.empty())
      sum.neededBy = row.neededBy;
    else if (!StringRef(sum.neededBy).contains(row.neededBy))
      sum.neededBy += ", " + row.neededBy;
  }
  for (auto &[key, sum] : calls)
    if (sum.bytes)
      sum.bytes = sums[key].first.most(sums[key].second);
  return calls;
}

} // namespace shard
