//===- PartForms.cpp - A collective and the ops around it in parts --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/PartForms.h"

#include "shard/Cost/Collectives.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/BlockLoop.h"
#include "shard/Partitioning/RotatedBlocks.h"

using namespace mlir;

namespace shard {

/// So many parts at most: each pays the latency of the collective.
static constexpr int64_t kMaxParts = 64;
/// So many ops at most stand in a chain on each side of the collective.
static constexpr size_t kMaxLinks = 4;

//===----------------------------------------------------------------------===//
// What is cut
//===----------------------------------------------------------------------===//

/// Whether `op` is a collective that does the same to each slice along `dim`.
static bool isCutCollective(Operation *op, int64_t dim) {
  if (!isa<AllGatherOp, AllReduceOp, AllToAllOp, BroadcastOp, PermuteOp,
           ReduceScatterOp, ShiftOp>(op))
    return false;
  auto input = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!input || !result || !input.hasStaticShape() ||
      !result.hasStaticShape() || input.getRank() != result.getRank())
    return false;
  for (StringRef name : {"gather_axis", "concat_axis", "split_axis",
                         "scatter_axis", "shift_axis"})
    if (auto touched = op->getAttrOfType<IntegerAttr>(name))
      if (touched.getValue().getSExtValue() == dim)
        return false;
  return input.getDimSize(dim) == result.getDimSize(dim);
}

/// The devices that stand for `count` parts. None of their grid is ever named.
static OpInParts::Group groupOf(Operation *collective, int64_t count) {
  OpInParts::Group group;
  group.grid = collective->getAttrOfType<FlatSymbolRefAttr>("grid");
  group.sizes.shape = {count};
  group.axes = {0};
  return group;
}

/// Whether the results of `cut`, which sums over the parts, may be rounded after each.
static bool mayAddParts(const OpInParts &cut, bool reorderSums) {
  return llvm::all_of(
      llvm::zip_equal(cut.table.results, cut.op->getResultTypes()),
      [&](auto pair) {
        auto [tensor, type] = pair;
        Type element = getElementTypeOrSelf(type);
        switch (tensor.reduction) {
        case ReductionKind::Average:
        case ReductionKind::Generic:
          return false;
        case ReductionKind::Sum:
        case ReductionKind::Product:
          return mayRoundEach(element) &&
                 (reorderSums || !isa<FloatType>(element));
        default:
          return true;
        }
      });
}

/// How `op` is cut into `group.parts()` parts; nothing if it is not. A collective is cut
/// as it is, so that `cut` stays empty.
static std::optional<PartForm::Link> linkOf(Operation *op, OpInParts::Dim along,
                                            const OpInParts::Group &group,
                                            bool reorderSums,
                                            std::optional<OpInParts> &cut) {
  PartForm::Link link{op, along.isResult ? -1 : int(along.number), along,
                      along.dim};
  if (isCutCollective(op, along.dim)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (along.number != 0 || type.getDimSize(along.dim) % group.parts() != 0)
      return std::nullopt;
    return link;
  }
  if (isCollective(op))
    return std::nullopt;
  cut = OpInParts::of(op, along, group);
  if (!cut || (!along.isResult && cut->table.isInit(along.number)) ||
      (cut->sums() && !mayAddParts(*cut, reorderSums)))
    return std::nullopt;
  link.resultDim = cut->resultDims.front();
  return link;
}

namespace {

/// Finds the chain of one collective along one dimension.
class ChainFinder {
public:
  ChainFinder(Operation *collective, int64_t dim, bool reorderSums)
      : collective(collective), dim(dim), reorderSums(reorderSums) {}

  /// The best chain, and the bytes that it keeps.
  std::optional<std::pair<PartForm, int64_t>> find() {
    auto type = cast<RankedTensorType>(collective->getResult(0).getType());
    int64_t extent = type.getDimSize(dim);
    for (int64_t count = 2; count <= std::min(extent, kMaxParts); ++count)
      if (extent % count == 0 && (counts.empty() || count >= 2 * counts.back()))
        counts.push_back(count);
    if (counts.empty())
      return std::nullopt;
    group = groupOf(collective, counts.front());
    links = {{collective, -1, {false, 0, dim}, dim}};
    growUp();
    size_t above = links.size() - 1;
    std::reverse(links.begin(), links.end());
    growDown();
    std::optional<std::pair<PartForm, int64_t>> best;
    for (size_t first = 0; first <= above; ++first)
      for (size_t last = above; last < links.size(); ++last) {
        if (first == last)
          continue;
        PartForm form;
        form.collective = collective;
        form.counts = counts;
        form.chain.assign(links.begin() + first, links.begin() + last + 1);
        form.chain.front().chained = -1;
        for (const PartForm::Link &link : ArrayRef(form.chain).drop_back())
          form.bytesBetween += bytesOf(link.op->getResult(0));
        int64_t bytes = std::max(bytesKept(form), bytesBeside(first, last));
        if (!best || std::make_pair(bytes, form.chain.size()) <
                         std::make_pair(best->second, best->first.chain.size()))
          best = {std::move(form), bytes};
      }
    return best;
  }

private:
  static int64_t bytesOf(Value value) {
    return isa<TensorType>(value.getType())
               ? bytesOfType(value.getType()).value_or(0)
               : 0;
  }

  /// Adds the ops that make what the first link takes.
  void growUp() {
    Value value = collective->getOperand(0);
    int64_t cutDim = dim;
    while (links.size() <= kMaxLinks) {
      Operation *op = value.getDefiningOp();
      if (!op || !value.hasOneUse() || isCreator(op) ||
          op->getBlock() != collective->getBlock() || op->getNumResults() != 1)
        return;
      std::optional<OpInParts> cut;
      std::optional<PartForm::Link> link =
          linkOf(op, {/*isResult=*/true, 0, cutDim}, group, reorderSums, cut);
      if (!link)
        return;
      links.back().chained = int(value.use_begin()->getOperandNumber());
      links.push_back(*link);
      // The largest operand that may be made in parts, too.
      value = {};
      for (OpOperand &operand : op->getOpOperands()) {
        int64_t split = cut ? cut->operandDims[operand.getOperandNumber()]
                            : (operand.getOperandNumber() == 0 ? cutDim : -1);
        if (split < 0 || (cut && cut->table.isInit(operand.getOperandNumber())))
          continue;
        if (!value || bytesOf(operand.get()) > bytesOf(value)) {
          value = operand.get();
          cutDim = split;
        }
      }
      if (!value)
        return;
    }
  }

  /// Adds the ops that take what the last link makes.
  void growDown() {
    for (size_t count = 0; count < kMaxLinks; ++count) {
      Operation *op = links.back().op;
      if (op->getNumResults() != 1 || links.back().resultDim < 0 ||
          !op->getResult(0).hasOneUse())
        return;
      OpOperand &use = *op->getResult(0).use_begin();
      if (use.getOwner()->getBlock() != op->getBlock())
        return;
      std::optional<OpInParts> cut;
      std::optional<PartForm::Link> link = linkOf(
          use.getOwner(),
          {/*isResult=*/false, use.getOperandNumber(), links.back().resultDim},
          group, reorderSums, cut);
      if (!link)
        return;
      links.push_back(*link);
    }
  }

  /// The most that one of the links in front of `first` and behind `last` takes and makes,
  /// whole.
  int64_t bytesBeside(size_t first, size_t last) const {
    int64_t most = 0;
    for (size_t number = 0; number < links.size(); ++number)
      if (number < first || number > last) {
        const PartForm::Link &link = links[number];
        int64_t bytes =
            link.chained < 0 ? 0 : bytesOf(link.op->getOperand(link.chained));
        for (Value result : link.op->getResults())
          bytes += bytesOf(result);
        most = std::max(most, bytes);
      }
    return most;
  }

  /// What lives while the loop runs: results, what is taken from outside and is no
  /// argument, and a part of what is between.
  static int64_t bytesKept(const PartForm &form) {
    int64_t bytes = form.bytesBetween / 16;
    for (Value result : form.chain.back().op->getResults())
      bytes += bytesOf(result);
    llvm::SmallDenseSet<Value> seen;
    for (const PartForm::Link &link : form.chain)
      for (OpOperand &operand : link.op->getOpOperands()) {
        Operation *maker = operand.get().getDefiningOp();
        if (maker && int(operand.getOperandNumber()) != link.chained &&
            !isCreator(maker) && seen.insert(operand.get()).second)
          bytes += bytesOf(operand.get());
      }
    return bytes;
  }

  Operation *collective;
  int64_t dim;
  bool reorderSums;
  OpInParts::Group group;
  SmallVector<int64_t, 8> counts;
  /// Upwards first, then in the order of the program.
  SmallVector<PartForm::Link, 8> links;
};

} // namespace

std::optional<PartForm> PartForm::of(Operation *collective, bool reorderSums) {
  if (!isCollective(collective) || collective->getNumResults() != 1)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(collective->getResult(0).getType());
  std::optional<std::pair<PartForm, int64_t>> best;
  for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
    if (!isCutCollective(collective, dim))
      continue;
    std::optional<std::pair<PartForm, int64_t>> found =
        ChainFinder(collective, dim, reorderSums).find();
    auto rank = [](const std::pair<PartForm, int64_t> &pair) {
      return std::make_pair(pair.second, pair.first.chain.back().resultDim < 0);
    };
    if (found && (!best || rank(*found) < rank(*best)))
      best = std::move(found);
  }
  if (!best)
    return std::nullopt;
  return std::move(best->first);
}

Attribute PartForm::key() const {
  MLIRContext *context = collective->getContext();
  SmallVector<Attribute> parts;
  for (const Link &link : chain) {
    parts.push_back(link.op->getName().getIdentifier());
    parts.push_back(link.op->getAttrDictionary());
    parts.push_back(Builder(context).getI64ArrayAttr(
        {link.chained, link.along.number, link.along.dim, link.resultDim}));
    for (Type type : link.op->getOperandTypes())
      parts.push_back(TypeAttr::get(type));
  }
  return ArrayAttr::get(context, parts);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {

/// Builds one iteration.
class PartBuilder {
public:
  PartBuilder(const PartForm &form, int64_t count)
      : form(form), group(groupOf(form.collective, count)) {}

  /// Whether each link can be cut.
  bool prepare() {
    for (const PartForm::Link &link : form.chain) {
      std::optional<OpInParts> cut;
      if (!linkOf(link.op, link.along, group, /*reorderSums=*/true, cut))
        return false;
      cuts.push_back(std::move(cut));
    }
    return true;
  }

  /// What the loop carries at first: the results of the last link.
  SmallVector<Value> inits(OpBuilder &builder) {
    SmallVector<Value> values;
    for (OpResult result : form.chain.back().op->getResults()) {
      Value init = cuts.back() ? cuts.back()->initOf(result) : Value();
      values.push_back(
          init ? init
               : unspecifiedTensor(builder, result.getLoc(),
                                   cast<RankedTensorType>(result.getType())));
    }
    return values;
  }

  SmallVector<Value> iteration(OpBuilder &builder, BlockPlace &place,
                               ValueRange carried) {
    SmallVector<Value> made;
    for (auto [link, cut] : llvm::zip_equal(form.chain, cuts)) {
      Value before = made.empty() ? Value() : made.front();
      bool isLast = &link == &form.chain.back();
      if (cut)
        made = partOf(builder, place, link, *cut, before,
                      isLast ? carried : ValueRange());
      else
        made = {collectivePart(builder, place, link, before)};
    }
    const PartForm::Link &last = form.chain.back();
    if (last.resultDim < 0)
      return made;
    for (auto [number, part] : llvm::enumerate(made)) {
      int64_t dim =
          cuts.back() ? cuts.back()->resultDims[number] : last.resultDim;
      part = insertBlock(builder, last.op->getLoc(), carried[number], part, dim,
                         offsetIn(builder, place, part, dim));
    }
    return made;
  }

private:
  Value offsetIn(OpBuilder &builder, BlockPlace &place, Value part,
                 int64_t dim) {
    return place.offset(builder, part.getLoc(),
                        cast<RankedTensorType>(part.getType()).getDimSize(dim));
  }

  Value slice(OpBuilder &builder, BlockPlace &place, Location loc, Value value,
              int64_t dim) {
    int64_t extent =
        cast<RankedTensorType>(value.getType()).getDimSize(dim) / group.parts();
    return sliceBlock(builder, loc, value, dim,
                      place.offset(builder, loc, extent), extent);
  }

  SmallVector<Value> partOf(OpBuilder &builder, BlockPlace &place,
                            const PartForm::Link &link, const OpInParts &cut,
                            Value before, ValueRange carried) {
    SmallVector<Value> operands(link.op->getOperands());
    for (auto [index, value] : llvm::enumerate(operands)) {
      bool isCarried = cut.table.isInit(index) && !carried.empty();
      if (isCarried)
        value = carried[cut.resultOfInit(index)];
      int64_t dim = cut.operandDims[index];
      if (before && int(index) == link.chained) {
        value = before;
        continue;
      }
      if (dim < 0)
        continue;
      Value made = isCarried ? Value() : cut.createdBlock(builder, value, dim);
      value =
          made ? made : slice(builder, place, link.op->getLoc(), value, dim);
    }
    FailureOr<SmallVector<Value>> made = cut.build(builder, operands);
    assert(succeeded(made) && "has been tried");
    return *made;
  }

  Value collectivePart(OpBuilder &builder, BlockPlace &place,
                       const PartForm::Link &link, Value before) {
    int64_t dim = link.along.dim;
    Operation *made = builder.clone(*link.op);
    // Inside the loop the operand has been made in front of the collective.
    builder.setInsertionPoint(made);
    made->setOperand(0, before ? before
                               : slice(builder, place, link.op->getLoc(),
                                       link.op->getOperand(0), dim));
    made->getResult(0).setType(
        partType(made->getResult(0).getType(), dim, group.parts()));
    builder.setInsertionPointAfter(made);
    return made->getResult(0);
  }

  const PartForm &form;
  OpInParts::Group group;
  /// Nothing for collectives.
  SmallVector<std::optional<OpInParts>, 4> cuts;
};

} // namespace

bool PartForm::build(int64_t count) const {
  PartBuilder parts(*this, count);
  if (!parts.prepare())
    return false;
  Operation *last = chain.back().op;
  OpBuilder builder(last);
  SmallVector<Value> results = loopOverBlocks(
      builder, collective->getLoc(), count, parts.inits(builder),
      [&](OpBuilder &inner, BlockPlace &place, ValueRange carried) {
        return parts.iteration(inner, place, carried);
      });
  last->replaceAllUsesWith(results);
  for (const Link &link : llvm::reverse(chain)) {
    llvm::SetVector<Value> taken(link.op->operand_begin(),
                                 link.op->operand_end());
    link.op->erase();
    eraseUnusedCreators(taken.takeVector());
  }
  return true;
}

} // namespace shard
