//===- MoveGraph.cpp - The ops around one collective ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/MoveGraph.h"

#include "Optimize/MinCut.h"
#include "shard/Cost/Collectives.h"
#include "shard/Interfaces/ShardingInterface.h"

#include <cmath>

using namespace mlir;

namespace shard {

/// No graph has more ops: the cut of one takes more time than the graph has ops.
static constexpr size_t kMostOps = 128;

/// Of a value with more users those alone are looked at that move it themselves.
static constexpr unsigned kMostUsers = 16;

void MoveSeeds::drop(Operation *op) {
  examined.erase(op);
  if (auto at = places.find(op); at != places.end()) {
    collectives[at->second] = nullptr;
    places.erase(at);
  }
}

void MoveClaims::takeCollective(Operation *op) {
  auto at = seeds.places.find(op);
  if (at == seeds.places.end() || !seeds.collectives[at->second])
    return;
  seeds.collectives[at->second] = nullptr;
  collectives.emplace_back(at->second, op);
}

bool MoveClaims::examine(Operation *op) {
  if (!seeds.examined.insert(op).second)
    return false;
  examined.push_back(op);
  return true;
}

void MoveClaims::release() {
  last = std::exchange(seeds.next, first);
  for (auto [place, op] : collectives)
    seeds.collectives[place] = op;
  for (Operation *op : examined)
    seeds.examined.erase(op);
}

void MoveClaims::retake() {
  seeds.next = last;
  for (auto [place, op] : collectives)
    seeds.collectives[place] = nullptr;
  seeds.examined.insert(examined.begin(), examined.end());
}

MoveGraph::MoveGraph(const MovingCollective &collective, MoveSeeds &seeds,
                     Replication &replication, bool widensUnits)
    : collective(collective), seeds(seeds), claims(seeds),
      replication(replication), block(collective.like->getBlock()),
      widensUnits(widensUnits),
      links(linkSeconds(collective.gridOp, machineOf(collective.gridOp))) {
  addCollective(collective.like);
  growDown();
  if (!nodes.empty())
    choose();
}

bool MoveGraph::movesReplicatedUnits() {
  return llvm::any_of(tensors, [&](const Moved &tensor) {
    return tensor.before && tensor.collectives.empty() &&
           tensor.dims.joined >= 0 &&
           tensorTypeOf(tensor.before).getDimSize(tensor.dims.joined) == 1 &&
           replication.isReplicated(tensor.before, collective.grid,
                                    collective.axes);
  });
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// Adds the tensor that `op` moves, and what is above.
void MoveGraph::addCollective(Operation *op) {
  Value behind = op->getResult(0), before = op->getOperand(0);
  if (byBehind.count(behind) || byBehind.count(before) ||
      byBefore.count(behind))
    return;
  claims.takeCollective(op);
  MovedDims dims = MovingCollective::dimsOf(op);
  auto found = byBefore.find(before);
  if (found != byBefore.end() && !(tensors[found->second].dims == dims))
    return;
  bool isNew = found == byBefore.end();
  int number = isNew ? int(tensors.size()) : found->second;
  if (isNew) {
    tensors.push_back({dims, before, {}, {}, -1});
    byBefore[before] = number;
  }
  Moved &tensor = tensors[number];
  byBehind[behind] = number;
  tensor.collectives.push_back(op);
  if (!tensor.behind)
    tensor.behind = behind;
  pushUsers(behind);
  if (isNew)
    growUp(number);
}

void MoveGraph::pushUsers(Value behind) {
  for (Operation *user : behind.getUsers())
    if (user->getBlock() == block && visited.insert(user).second)
      pending.push(user);
}

/// Whether the tensors of `forms` are moved as the graph moves them, and each in one way.
bool MoveGraph::fits(Operation *op, bool isBehind, const OpForms &forms) const {
  auto &known = isBehind ? byBehind : byBefore;
  auto &others = isBehind ? byBefore : byBehind;
  // No tensor is in front of one collective and behind another one.
  auto fitsOne = [&](Value value, const std::optional<MovedDims> &moved) {
    auto at = known.find(value);
    // Collectives are of tensors that have a dimension.
    return !moved ||
           (cast<RankedTensorType>(value.getType()).getRank() > 0 &&
            !others.count(value) &&
            (at == known.end() || tensors[at->second].dims == *moved));
  };
  for (auto [value, moved] : llvm::zip_equal(op->getOperands(), forms.operands))
    if (!fitsOne(value, moved) || (moved && isBehind && !known.count(value)))
      return false;
  return llvm::all_of(
      llvm::zip_equal(op->getResults(), forms.results),
      [&](auto pair) { return fitsOne(std::get<0>(pair), std::get<1>(pair)); });
}

/// Whether a collective of this kind moves an operand of `op` in other dimensions.
bool MoveGraph::isMovedOtherwise(Operation *op, const OpForms &forms) const {
  for (auto [value, moved] : llvm::zip_equal(op->getOperands(), forms.operands))
    for (Operation *user : value.getUsers())
      if (moved && seeds.places.count(user) &&
          !(MovingCollective::dimsOf(user) == *moved))
        return true;
  return false;
}

/// The forms of `op`, whose operand or result `index` is moved in `dims`; null if it has
/// no two that fit the graph.
std::unique_ptr<OpForms> MoveGraph::formsOf(Operation *op, bool isBehind,
                                            bool isResult, unsigned index,
                                            MovedDims dims) {
  auto hasBoth = [&](Value value) {
    if (isBehind)
      return byBehind.count(value) > 0;
    // Above the collective, what creators make is made again.
    return !value.getDefiningOp() || !isCreator(value.getDefiningOp());
  };
  auto hasUnit = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && llvm::is_contained(tensor.getShape(), 1);
  };
  bool hasUnits = llvm::any_of(op->getOperandTypes(), hasUnit) ||
                  llvm::any_of(op->getResultTypes(), hasUnit);
  std::unique_ptr<OpForms> best;
  for (bool widens : {widensUnits, !widensUnits}) {
    if (widens && !hasUnits)
      continue;
    auto forms = std::make_unique<OpForms>(op, collective, replication,
                                           isBehind, widens);
    if (!forms->find(isResult, index, dims, hasBoth) ||
        !fits(op, isBehind, *forms))
      continue;
    bool isLast = isBehind || !isMovedOtherwise(op, *forms);
    if (!best || isLast)
      best = std::move(forms);
    if (isLast)
      break;
  }
  return best;
}

/// Adds `op`, whose operand or result `index` is moved in `dims`, if it has two forms.
bool MoveGraph::addNode(Operation *op, bool isBehind, bool isResult,
                        unsigned index, MovedDims dims) {
  if (nodes.size() >= kMostOps || !claims.examine(op))
    return false;
  std::unique_ptr<OpForms> forms = formsOf(op, isBehind, isResult, index, dims);
  if (!forms)
    return false;
  auto &known = isBehind ? byBehind : byBefore;
  Node node{op, nullptr, isBehind, {}, {}};
  node.operands.assign(op->getNumOperands(), -1);
  int number = int(nodes.size());
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    if (!forms->operands[i])
      continue;
    if (auto at = known.find(value); at != known.end()) {
      node.operands[i] = at->second;
      continue;
    }
    node.operands[i] = int(tensors.size());
    byBefore[value] = node.operands[i];
    tensors.push_back({*forms->operands[i], value, {}, {}, -1});
  }
  for (auto [value, moved] :
       llvm::zip_equal(op->getResults(), forms->results)) {
    auto at = known.find(value);
    if (at == known.end()) {
      at = known.insert({value, int(tensors.size())}).first;
      tensors.push_back({*moved,
                         isBehind ? Value() : value,
                         isBehind ? value : Value(),
                         {},
                         -1});
    }
    tensors[at->second].producer = number;
    node.results.push_back(at->second);
  }
  node.forms = std::move(forms);
  nodeOf[op] = number;
  nodes.push_back(std::move(node));
  return true;
}

/// Adds the collectives that move `before`, or what one op makes of it.
void MoveGraph::addOtherMoves(Value before) {
  SmallVector<Operation *> found;
  bool isWide = before.hasNUsesOrMore(kMostUsers + 1);
  for (Operation *user : before.getUsers()) {
    if (seeds.places.count(user))
      found.push_back(user);
    else if (!isWide && user->getBlock() == block && user->getNumResults() == 1)
      llvm::copy_if(user->getUsers(), std::back_inserter(found),
                    [&](Operation *op) { return seeds.places.count(op); });
  }
  for (Operation *op : found)
    addCollective(op);
}

/// Adds the ops that tensor `first` is computed from, in front of the collective.
void MoveGraph::growUp(int first) {
  SmallVector<int> rising{first};
  while (!rising.empty()) {
    int number = rising.pop_back_val();
    Value before = tensors[number].before;
    Operation *op = before.getDefiningOp();
    if (!op || op->getBlock() != block || tensors[number].producer >= 0)
      continue;
    size_t known = tensors.size();
    if (!addNode(op, false, true, cast<OpResult>(before).getResultNumber(),
                 tensors[number].dims))
      continue;
    for (size_t next = known; next < tensors.size(); ++next) {
      rising.push_back(int(next));
      addOtherMoves(tensors[next].before);
    }
  }
}

/// Adds the ops that take what the collectives make, in the order of the block.
void MoveGraph::growDown() {
  while (!pending.empty()) {
    Operation *op = pending.top();
    pending.pop();
    // What it takes may come from collectives that stand in front of it.
    for (; nodes.size() < kMostOps && seeds.next < seeds.collectives.size();
         ++seeds.next) {
      Operation *seed = seeds.collectives[seeds.next];
      if (seed && !seed->isBeforeInBlock(op))
        break;
      if (seed)
        addCollective(seed);
    }
    if (!pending.empty() && pending.top()->isBeforeInBlock(op)) {
      pending.push(op);
      continue;
    }
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      auto at = byBehind.find(operand);
      if (at == byBehind.end() ||
          !addNode(op, true, false, index, tensors[at->second].dims))
        continue;
      for (Value result : op->getResults())
        pushUsers(result);
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// What `tensor` in front of the collective is a slice of, if the collective gives just
/// that: it is the same on all devices of a group. Null otherwise.
Value MoveGraph::slicedSource(const Moved &tensor) const {
  auto slice = tensor.before && collective.isGather()
                   ? tensor.before.getDefiningOp<AllSliceOp>()
                   : nullptr;
  if (!slice || slice.getGridAttr() != collective.grid ||
      slice.getGridAxes() != ArrayRef<GridAxis>(collective.axes) ||
      slice.getSliceAxis().getSExtValue() != tensor.dims.joined ||
      slice.getInput().getType() !=
          collective.behind(tensorTypeOf(tensor.before), tensor.dims) ||
      !replication.isReplicated(slice.getInput(), collective.grid,
                                collective.axes))
    return {};
  return slice.getInput();
}

double MoveGraph::secondsOfMove(const Moved &tensor) const {
  if (slicedSource(tensor))
    return 0;
  RankedTensorType type =
      tensor.before
          ? tensorTypeOf(tensor.before)
          : collective.before(tensorTypeOf(tensor.behind), tensor.dims);
  Collective kind = collective.isGather()              ? Collective::AllGather
                    : isa<AllToAllOp>(collective.like) ? Collective::AllToAll
                    : isa<PermuteOp>(collective.like)  ? Collective::Permute
                                                       : Collective::Shift;
  double sent = bytesSent(kind, collective.groupSize,
                          double(bytesOfType(type).value_or(0)));
  return sent > 0 ? links.cost(kind, collective.axes, sent) : 0;
}

double MoveGraph::secondsOfSlice(const Moved &tensor) const {
  RankedTensorType type =
      tensor.before
          ? tensorTypeOf(tensor.before)
          : collective.before(tensorTypeOf(tensor.behind), tensor.dims);
  return 2 * double(bytesOfType(type).value_or(0)) /
         machineOf(collective.gridOp).memoryBandwidth;
}

/// Finds the tensors in front of an uneven collective that are known to be blocks of what it gives:
/// arguments, slices, and what ops make of one in the dimension that it has.
void MoveGraph::findBlocks() {
  for (Moved &tensor : tensors)
    tensor.isBlock =
        tensor.before &&
        replication.isBlock(tensor.before, tensor.dims.joined, collective.whole,
                            collective.grid, collective.axes);
  // What makes the operands of an op is added behind it.
  for (const Node &node : llvm::reverse(nodes))
    if (!node.isBehind && llvm::any_of(node.operands, [&](int number) {
          return number >= 0 && tensors[number].isBlock;
        }))
      for (int number : node.results)
        tensors[number].isBlock = true;
}

/// Whether users of `tensor` in front of the collective may take a slice of what is behind it. An
/// uneven collective leaves out elements at the end of blocks, which are padding for it, but may be
/// elements for another user.
bool MoveGraph::maySlice(const Moved &tensor) const {
  return collective.isGather() &&
         (collective.isEven() || !tensor.before || tensor.isBlock);
}

/// Decides which ops take their other form, and what that saves.
void MoveGraph::choose() {
  if (collective.isGather() && !collective.isEven())
    findBlocks();
  MinCut cut;
  double total = 0;
  for (const Moved &tensor : tensors)
    total += secondsOfMove(tensor) + secondsOfSlice(tensor);
  for (const Node &node : nodes)
    total += node.forms->secondsHere + node.forms->secondsThere;
  if (!(total > 0) || !std::isfinite(total))
    return;
  // Fractions of the sum of all costs are exact; the least of them is below one that
  // makes an op keep its form.
  const double scale = std::ldexp(1, 44) / total;
  const int64_t keep = 64;
  auto price = [&](double seconds) {
    return seconds > 0 ? int64_t(std::llround(seconds * scale)) : int64_t(0);
  };
  // In front is the side of the source.
  SmallVector<int> sideOf;
  int64_t asIs = 0;
  for (const Node &node : nodes) {
    int side = cut.addNode();
    sideOf.push_back(side);
    int64_t here = price(node.forms->secondsHere);
    int64_t there = price(node.forms->secondsThere) + keep;
    cut.addEdge(side, MinCut::sink, node.isBehind ? there : here);
    cut.addEdge(MinCut::source, side, node.isBehind ? here : there);
    asIs += here;
  }
  SmallVector<std::pair<int, int>> moves;
  for (const Moved &tensor : tensors) {
    int producer =
        tensor.producer < 0 ? MinCut::source : sideOf[tensor.producer];
    double seconds = secondsOfMove(tensor);
    int64_t move = std::max<int64_t>(price(seconds), 1);
    int64_t slice =
        maySlice(tensor) ? price(secondsOfSlice(tensor)) : MinCut::infinite;
    int behind = cut.addNode(), before = cut.addNode();
    cut.addEdge(producer, behind, move);
    if (seconds > 0)
      moves.emplace_back(producer, behind);
    cut.addEdge(before, producer, slice);
    auto addUsers = [&](Value value, bool isBehind) {
      if (!value)
        return;
      for (OpOperand &use : value.getUses()) {
        Operation *user = use.getOwner();
        if (!isBehind && llvm::is_contained(tensor.collectives, user))
          continue;
        int side = isBehind ? MinCut::sink : MinCut::source;
        auto at = nodeOf.find(user);
        if (at != nodeOf.end() &&
            nodes[at->second].operands[use.getOperandNumber()] >= 0)
          side = sideOf[at->second];
        cut.addEdge(behind, side, MinCut::infinite);
        cut.addEdge(side, before, MinCut::infinite);
      }
    };
    bool wasBehind = tensor.producer >= 0 && nodes[tensor.producer].isBehind;
    addUsers(tensor.before, false);
    if (wasBehind)
      addUsers(tensor.behind, true);
    for (Operation *op : tensor.collectives) {
      addUsers(op->getResult(0), true);
      asIs += wasBehind ? 0 : move;
    }
  }
  int64_t chosen = cut.solve();
  if (chosen >= asIs)
    return;
  for (auto [node, side] : llvm::zip_equal(nodes, sideOf))
    node.flips = cut.isWithSource(side) == node.isBehind;
  if (llvm::any_of(nodes, [](const auto &node) { return node.flips; }))
    saved = double(asIs - chosen) / scale;
  leavesMoves = llvm::any_of(moves, [&](std::pair<int, int> edge) {
    return cut.isWithSource(edge.first) && !cut.isWithSource(edge.second);
  });
}

} // namespace shard
