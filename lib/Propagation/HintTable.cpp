//===- HintTable.cpp - What the user said about shardings -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HintTable.h"

#include "mlir/IR/Dominance.h"

#include <utility>

using namespace mlir;

namespace shard::propagation {

FailureOr<bool> HintTable::isOwnGrid(FlatSymbolRefAttr symbol, Operation *from,
                                     Location location) {
  GridOp found = ::shard::getGrid(from, symbol, symbols);
  if (!found)
    return emitError(location) << "there is no grid called " << symbol;
  return found == gridOp;
}

void HintTable::addForeign(ValueId value, FlatSymbolRefAttr symbol,
                           Operation *from, Location location) {
  foreign.push_back({value, ::shard::getGrid(from, symbol, symbols), location});
}

std::vector<HintTable::GridOfValue> HintTable::gridsOfValues() const {
  std::vector<GridOfValue> all;
  for (const PlacedHint &hint : hints)
    all.push_back({hint.value, gridOp, hint.location});
  llvm::append_range(all, foreign);
  return all;
}

FailureOr<ResolvedSharding> HintTable::resolve(ShardingAttr attr, Type type,
                                               Location location) const {
  auto resolved =
      ::shard::resolve(attr, gridOp, type, [&] { return emitError(location); });
  if (failed(resolved))
    return failure();
  // The problem has a size for axes of unknown size too.
  auto known = [&](llvm::MutableArrayRef<AxisPart> axes) {
    for (AxisPart &axis : axes)
      if (axis.size == kDynamic)
        axis.size = problem.grid.shape[axis.axis];
  };
  for (ResolvedDim &dim : resolved->dims)
    known(dim.axes);
  known(resolved->partial);
  known(resolved->replicated);
  return resolved;
}

/// Whether something may be left to reduce over `axis`: over one device a value is complete.
bool HintTable::mayReduce(const AxisPart &axis) const {
  return axis.size != 1 ||
         ShapedType::isDynamic(GridOp(gridOp).getShape()[axis.axis]);
}

FailureOr<Hint> HintTable::resolveHint(ShardingAttr attr, Type type,
                                       Location location, Layout &layout) {
  auto resolved = resolve(attr, type, location);
  if (failed(resolved))
    return failure();
  Hint hint;
  for (const ResolvedDim &dim : resolved->dims) {
    DimHint &made = hint.dims.emplace_back();
    made.axes = dim.axes;
    made.open = dim.open;
    made.priority = std::max<int64_t>(dim.priority, 0);
  }
  hint.replicated.assign(resolved->replicated.begin(),
                         resolved->replicated.end());
  llvm::copy_if(resolved->partial, std::back_inserter(hint.partial),
                [&](const AxisPart &axis) { return mayReduce(axis); });
  hint.reduction = resolved->reduction;
  layout.halos.assign(resolved->halos.begin(), resolved->halos.end());
  layout.offsets.assign(resolved->offsets.begin(), resolved->offsets.end());
  return hint;
}

uint32_t HintTable::intern(Hint hint, Layout layout) {
  // The layout is about these very blocks.
  if (!layout.empty()) {
    for (DimHint &dim : hint.dims)
      dim.open = false;
    layoutOf[problem.hintTable.size()] = std::move(layout);
  }
  problem.hintTable.push_back(std::move(hint));
  return problem.hintTable.size() - 1;
}

void HintTable::add(ValueId value, Hint hint, ShardingAttr attr,
                    Location location) {
  hints.push_back({value, intern(std::move(hint)), location, attr, nullptr});
}

LogicalResult HintTable::add(ValueId value, ShardingAttr attr, Type type,
                             Operation *from, Location location, bool isPlain) {
  auto known = resolved.find({attr, type});
  if (known != resolved.end()) {
    hints.push_back(
        {value, known->second, location, attr, nullptr, kNoValue, isPlain});
    return success();
  }
  FailureOr<bool> isOwn = isOwnGrid(attr.getGrid(), from, location);
  if (failed(isOwn))
    return failure();
  if (!*isOwn) {
    addForeign(value, attr.getGrid(), from, location);
    return success();
  }
  Layout layout;
  FailureOr<Hint> hint = resolveHint(attr, type, location, layout);
  if (failed(hint))
    return failure();
  uint32_t number = intern(std::move(*hint), std::move(layout));
  hints.push_back({value, number, location, attr, nullptr, kNoValue, isPlain});
  resolved[{attr, type}] = number;
  return success();
}

LogicalResult HintTable::add(ValueId value, ShardingOp op,
                             RankedTensorType type, Location location) {
  FailureOr<bool> isOwn = isOwnGrid(op.getGridAttr(), op, location);
  if (failed(isOwn))
    return failure();
  if (!*isOwn) {
    addForeign(value, op.getGridAttr(), op, location);
    return success();
  }
  FailureOr<Sharding> sharding =
      ::shard::resolve(op, type.getRank(), [&] { return emitError(location); });
  if (failed(sharding))
    return failure();
  Hint hint;
  auto whole = [&](GridAxis axis) {
    return AxisPart::whole(axis, problem.grid.shape[axis]);
  };
  for (const AxisList &axes : sharding->dims) {
    DimHint &dim = hint.dims.emplace_back();
    dim.open = false;
    for (GridAxis axis : axes)
      dim.axes.push_back(whole(axis));
  }
  for (GridAxis axis : sharding->partial)
    if (AxisPart part = whole(axis); mayReduce(part))
      hint.partial.push_back(part);
  hint.reduction = sharding->reduction;
  Layout layout;
  layout.halos.assign(sharding->halos.begin(), sharding->halos.end());
  layout.offsets.assign(sharding->offsets.begin(), sharding->offsets.end());
  hints.push_back({value, intern(std::move(hint), std::move(layout)), location,
                   nullptr, op});
  return success();
}

bool HintTable::layoutsDiffer(uint32_t a, uint32_t b) const {
  Layout layoutA = layoutOf.lookup(a), layoutB = layoutOf.lookup(b);
  if (layoutA == layoutB)
    return false;
  if (!layoutA.empty() && !layoutB.empty())
    return true;
  // A hint that is closed everywhere means the usual blocks; one that is open
  // says nothing about them.
  const Hint &plain = problem.hintTable[layoutA.empty() ? a : b];
  return llvm::none_of(plain.dims, [](const DimHint &dim) { return dim.open; });
}

/// Joins two hints about one value. Returns the first dimension about which they
/// contradict each other, -1 if it is about something else than a dimension,
/// nothing if they agree.
static std::optional<int64_t> contradiction(Hint &into, const Hint &other) {
  for (auto [dim, pair] :
       llvm::enumerate(llvm::zip_equal(into.dims, other.dims))) {
    auto &[a, b] = pair;
    size_t common = std::min(a.axes.size(), b.axes.size());
    bool longer = b.axes.size() > a.axes.size();
    if (!std::equal(a.axes.begin(), a.axes.begin() + common, b.axes.begin()) ||
        (longer && !a.open) || (b.axes.size() < a.axes.size() && !b.open))
      return dim;
    if (longer)
      a.axes = b.axes;
    a.open = a.open && b.open;
    a.priority = std::min(a.priority, b.priority);
  }
  auto isSame = [](const auto &x, const auto &y) {
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin());
  };
  if (!isSame(into.partial, other.partial) ||
      (!into.partial.empty() && into.reduction != other.reduction))
    return -1;
  for (const AxisPart &axis : other.replicated)
    if (!llvm::is_contained(into.replicated, axis))
      into.replicated.push_back(axis);
  // Each hint uses an axis once; joined, open dimensions may use it twice.
  llvm::SmallVector<AxisPart> used(into.replicated.begin(),
                                   into.replicated.end());
  llvm::append_range(used, into.partial);
  for (const DimHint &dim : into.dims)
    for (const AxisPart &axis : dim.axes) {
      if (llvm::any_of(used, [&](const AxisPart &other) {
            return axis.overlaps(other);
          }))
        return &dim - into.dims.begin();
      used.push_back(axis);
    }
  return std::nullopt;
}

bool namesAxis(const Hint &hint, const AxisPart &axis) {
  auto overlaps = [&](const AxisPart &other) { return axis.overlaps(other); };
  return llvm::any_of(hint.partial, overlaps) ||
         llvm::any_of(hint.dims, [&](const DimHint &dim) {
           return llvm::any_of(dim.axes, overlaps);
         });
}

std::string HintTable::textOf(const PlacedHint &hint) const {
  std::string result;
  llvm::raw_string_ostream os(result);
  if (hint.attr)
    hint.attr.print(os, /*elideType=*/true);
  else if (hint.op)
    os << "<@" << ShardingOp(hint.op).getGrid() << ", "
       << toString(*::shard::resolve(hint.op,
                                     problem.hintTable[hint.hint].dims.size()))
       << ">";
  return result;
}

std::string HintTable::describe(ValueId value,
                                std::optional<AxisPart> axis) const {
  auto known = hintOf.find(numbers.find(value));
  if (known == hintOf.end())
    return "nowhere";
  const PlacedHint *found = &hints[known->second];
  if (auto others = further.find(numbers.find(value));
      axis && others != further.end())
    for (const PlacedHint &hint : others->second)
      if (namesAxis(problem.hintTable[hint.hint], *axis))
        found = &hint;
  const PlacedHint &hint = *found;
  std::string result = "the hint " + textOf(hint) + " at ";
  llvm::raw_string_ostream os(result);
  if (auto file = dyn_cast<FileLineColLoc>(hint.location))
    os << file.getFilename().getValue() << ":" << file.getLine() << ":"
       << file.getColumn();
  else
    hint.location.print(os);
  return result;
}

/// No hint splits a value by an axis that is manual around it, or where its function is
/// called. The verifier sees to the annotations that stand in bodies with their axes.
LogicalResult HintTable::checkScopes() {
  for (const PlacedHint &hint : hints) {
    const auto &manual = problem.scopes[problem.valueScope[hint.value]];
    if (manual.empty())
      continue;
    llvm::SmallVector<AxisPart> used(
        problem.hintTable[hint.hint].partial.begin(),
        problem.hintTable[hint.hint].partial.end());
    for (const DimHint &dim : problem.hintTable[hint.hint].dims)
      llvm::append_range(used, dim.axes);
    for (const AxisPart &axis : used)
      if (llvm::any_of(manual, [&](const AxisPart &other) {
            return axis.overlaps(other);
          }))
        return emitError(hint.location)
               << "the hint " << textOf(hint) << " names axis "
               << gridOp.axisName(axis.axis) << ", which is manual here";
  }
  return success();
}

/// Makes `into` say what `hint`, about the same value, says too.
LogicalResult HintTable::join(PlacedHint &into, const PlacedHint &hint) {
  bool isPlain = into.isPlain || hint.isPlain;
  if (into.hint == hint.hint) {
    into.isPlain = isPlain;
    return success();
  }
  Hint joined = problem.hintTable[into.hint];
  std::optional<int64_t> dim =
      contradiction(joined, problem.hintTable[hint.hint]);
  bool hasLayout = !layoutOf.lookup(into.hint).empty() ||
                   !layoutOf.lookup(hint.hint).empty();
  bool differ =
      !dim && ((isPlain && hasLayout) || layoutsDiffer(into.hint, hint.hint));
  if (!dim && !differ) {
    Layout layout = layoutOf.lookup(into.hint);
    if (layout.empty()) {
      layout = layoutOf.lookup(hint.hint);
      // The layout's numbers are those of the op that states it.
      if (!layout.empty())
        into = hint;
    }
    into.hint = intern(std::move(joined), layout);
    into.isPlain = isPlain;
    return success();
  }
  InFlightDiagnostic diagnostic =
      emitError(hint.location)
      << "sharding " << textOf(hint) << " contradicts another one of "
      << (into.stated == hint.stated
              ? "the same value"
              : "a value that a group, loop, branch or call ties to this one,");
  if (differ)
    diagnostic << " in its halos or offsets";
  else if (*dim >= 0)
    diagnostic << " in dimension " << *dim;
  else
    diagnostic << " in its partial axes";
  diagnostic << "; where only some users want it, annotate it for users";
  diagnostic.attachNote(into.location)
      << "the other one, " << textOf(into) << ", is here";
  return diagnostic;
}

/// Halos and offsets that are values of the program are there when a value is made that
/// has them. Of an annotation they are; a group may tie its result to other values.
LogicalResult HintTable::checkRunTimeNumbers() {
  llvm::DenseMap<ValueId, const PlacedHint *> laidOut;
  for (const PlacedHint &hint : hints)
    if (ShardingOp op = hint.op; op && op->getNumOperands() != 0)
      laidOut.try_emplace(hint.value, &hint);
  if (laidOut.empty())
    return success();
  DominanceInfo dominance;
  for (const auto &[value, id] : numbers.values) {
    const PlacedHint *hint = laidOut.lookup(numbers.find(id));
    if (!hint)
      continue;
    Operation *def = value.getDefiningOp();
    ShardingOp op = hint->op;
    if (def && llvm::all_of(op->getOperands(), [&](Value number) {
          return dominance.properlyDominates(number, def);
        }))
      continue;
    InFlightDiagnostic diagnostic =
        emitError(hint->location)
        << "sharding " << textOf(*hint)
        << " has halos or offsets that are not known where another value is "
           "made that is tied to this one; state a sharding of that value "
           "instead of a group";
    diagnostic.attachNote(value.getLoc()) << "the other value";
    return diagnostic;
  }
  return success();
}

LogicalResult HintTable::finish() {
  if (failed(checkScopes()))
    return failure();
  std::vector<PlacedHint> merged;
  for (PlacedHint &hint : hints) {
    hint.stated = std::exchange(hint.value, numbers.find(hint.value));
    auto [entry, isNew] = hintOf.try_emplace(hint.value, merged.size());
    if (isNew) {
      merged.push_back(std::move(hint));
      continue;
    }
    further[hint.value].push_back(hint);
    if (failed(join(merged[entry->second], hint)))
      return failure();
  }
  hints = std::move(merged);
  if (failed(checkRunTimeNumbers()))
    return failure();
  for (const PlacedHint &hint : hints)
    problem.hints.emplace_back(hint.value, hint.hint);
  for (const PlacedHint &hint : hints)
    if (Layout layout = layoutOf.lookup(hint.hint); !layout.empty())
      layouts[hint.value] = std::move(layout);
  return success();
}

Location HintTable::locationOf(ValueId value) const {
  auto known = hintOf.find(numbers.find(value));
  if (known != hintOf.end())
    return hints[known->second].location;
  return GridOp(gridOp).getLoc();
}

} // namespace shard::propagation
