//===- CheckExplain.cpp - What propagation says of its choices ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckExplain.h"
#include "ExplainText.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Propagation/Propagation.h"
#include "shard/Transforms/Passes.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

using Reason = PropagationExplanation::Reason;

namespace {

class ExplanationCheck {
public:
  ExplanationCheck(ModuleOp module, const PropagationExplanation &explanation);

  std::string value(const PropagationExplanation::ValueEntry &entry);
  std::string reshard(const PropagationExplanation::ReshardEntry &entry);

private:
  std::string reason(const Reason &reason);
  std::string steps(const PropagationExplanation::ReshardEntry &entry,
                    const Text &from, const Text &to);
  std::string others(const PropagationExplanation::ReshardEntry &entry,
                     const Text &from, const Text &to);
  std::string unused(const PropagationExplanation::ReshardEntry &entry);
  std::string resultVerdict(const PropagationExplanation::ReshardEntry &entry,
                            const Text &from, const Text &to);
  std::string untold(const PropagationExplanation::ReshardEntry &entry,
                     const Text &from, const Text &to);
  std::string completeness(StringRef text);
  bool names(StringRef hint, StringRef axis);

  ModuleOp module;
  /// Whether no function is called: the copies of one share their places.
  bool hasCalls = false;
  /// Whether several values of the program may be one for propagation.
  bool joinsValues = false;
  std::map<std::string, SmallVector<Operation *, 1>> opsAt;
  std::map<std::string, SmallVector<StringRef, 1>> shardingAt;
};

} // namespace

/// Verdicts about ops, which depend on all of their tensors.
static const StringRef kOfOps[] = {
    "of the ways to run the op, this one reshards the fewest bytes",
    "the op cannot be split along that dimension",
    "the hint leaves that dimension whole",
    "the op is not split along that dimension"};

ExplanationCheck::ExplanationCheck(ModuleOp module,
                                   const PropagationExplanation &explanation)
    : module(module) {
  module.walk([&](Operation *op) {
    opsAt[placeOf(op->getLoc())].push_back(op);
    hasCalls |= isa<CallOpInterface>(op);
    joinsValues |= isa<CallOpInterface, RegionBranchOpInterface,
                       BranchOpInterface, ManualComputationOp, GroupOp>(op);
  });
  for (const auto &entry : explanation.values)
    shardingAt[entry.place].push_back(entry.sharding);
}

/// Whether the text of a hint names `axis`, or the axis that it is a part of, by its name or its
/// number on the grid of the hint.
bool ExplanationCheck::names(StringRef hint, StringRef axis) {
  StringRef whole = axis.split(":(").first;
  StringRef grid = hint.split("<@").second.split(',').first;
  StringRef list = hint.split("<@").second.split(',').second;
  SmallVector<std::string> spellings = {"\"" + whole.str() + "\"", whole.str()};
  for (GridOp op : module.getOps<GridOp>())
    for (size_t number = 0; number < op.getShape().size(); ++number)
      if (op.getSymName() == grid && op.axisName(number) == whole)
        spellings.push_back(std::to_string(number));
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (StringRef spelling : spellings)
    for (size_t at = list.find(spelling); at != StringRef::npos;
         at = list.find(spelling, at + 1)) {
      size_t end = at + spelling.size();
      if ((at == 0 || !isPart(list[at - 1])) &&
          (end == list.size() || !isPart(list[end])))
        return true;
    }
  return false;
}

std::string ExplanationCheck::reason(const Reason &reason) {
  if (reason.chain.size() > reason.length ||
      (reason.chain.empty() && reason.length > 0))
    return "a chain of " + std::to_string(reason.length) + " ops has " +
           std::to_string(reason.chain.size()) + " of them";
  if (!hasCalls && !reason.axis.empty() && !names(reason.hint, reason.axis))
    return "axis " + reason.axis + " is from " + reason.hint;
  return {};
}

std::string
ExplanationCheck::value(const PropagationExplanation::ValueEntry &entry) {
  Text text = parseSharding(entry.sharding);
  size_t next = 0;
  for (auto [dim, axes] : llvm::enumerate(text.dims))
    for (StringRef axis : axes) {
      if (next == entry.reasons.size())
        return "an axis has no reason";
      const Reason &why = entry.reasons[next++];
      if (why.axis != axis || why.dim != int64_t(dim) || !why.of.empty())
        return "a reason for another axis";
      if (std::string wrong = reason(why); !wrong.empty())
        return wrong;
    }
  return next == entry.reasons.size() ? "" : "a reason for no axis";
}

/// Each axis that a value has otherwise behind the steps is named by one of them, and all that
/// they name are axes.
std::string
ExplanationCheck::steps(const PropagationExplanation::ReshardEntry &entry,
                        const Text &from, const Text &to) {
  Names words, axes;
  StringRef(entry.steps).split(words, ", ", -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    // "kind", "kind over axis", or another axis.
    StringRef last = word;
    if (word.contains(" over "))
      last = word.split(" over ").second;
    auto [first, second] = last.split(" to ");
    axes.push_back(first);
    if (!second.empty())
      axes.push_back(second);
  }
  auto check = [&](const Names &had, const Names &has) -> std::string {
    for (const auto &[list, other] :
         {std::pair{&had, &has}, std::pair{&has, &had}})
      for (StringRef axis : *list)
        if (!llvm::is_contained(*other, axis) &&
            !llvm::is_contained(axes, axis) &&
            partsOf(module, axis).value_or(1) > 1)
          return "no step is over axis " + axis.str();
    return {};
  };
  for (size_t dim = 0; dim < from.dims.size(); ++dim)
    if (std::string wrong = check(from.dims[dim], to.dims[dim]); !wrong.empty())
      return wrong;
  return check(from.partial, to.partial);
}

/// An op that adds partial values, and takes an argument of which the devices have the whole, is
/// told of with the operand that is in its way.
std::string ExplanationCheck::completeness(StringRef text) {
  if (joinsValues || !text.consume_back(" needs the complete value"))
    return {};
  auto [name, place] = text.split(" at ");
  auto ops = opsAt.find(place.str());
  if (ops == opsAt.end() || ops->second.size() != 1)
    return {};
  Operation *op = ops->second.front();
  auto model = dyn_cast<ShardingInterface>(op);
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  if (!model || op->getName().getStringRef() != name ||
      model.getPartialRule() != PartialRule::Additive)
    return {};
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BlockArgument>(operand.get()) ||
        !isa<RankedTensorType>(operand.get().getType()) ||
        (destination && destination.isDpsInit(&operand)))
      continue;
    auto known = shardingAt.find(placeOf(operand.get().getLoc()));
    if (known == shardingAt.end() ||
        llvm::none_of(known->second, [](StringRef sharding) {
          return sharding.contains("partial");
        }))
      return "operand " + std::to_string(operand.getOperandNumber()) +
             " is not partial, which nothing tells of";
  }
  return {};
}

/// The value behind the annotations of it.
static Value annotated(Value value) {
  while (auto op = value.getDefiningOp<ShardOp>())
    value = op.getSrc();
  return value;
}

/// Of an op that takes an operand otherwise than it is, each other tensor that has an axis of
/// those that change is told of.
std::string
ExplanationCheck::others(const PropagationExplanation::ReshardEntry &entry,
                         const Text &from, const Text &to) {
  auto [op, operand] = StringRef(entry.user).split(" operand ");
  unsigned number = 0;
  auto ops = opsAt.find(entry.place);
  if (joinsValues || ops == opsAt.end() || ops->second.size() != 1 ||
      operand.getAsInteger(10, number) ||
      ops->second.front()->getName().getStringRef() != op ||
      !llvm::is_contained(kOfOps, entry.verdict))
    return {};
  Operation *user = ops->second.front();
  SmallVector<Value> tensors(user->getOperands());
  if (number >= tensors.size())
    return "no such operand";
  Value own = tensors[number];
  llvm::append_range(tensors, user->getResults());
  for (Value tensor : tensors) {
    auto known = shardingAt.find(placeOf(tensor.getLoc()));
    // A constant is made for each of its users, which share its place, as results of one op do.
    Operation *def = tensor.getDefiningOp();
    bool sharesPlace = def && (!tensor.hasOneUse() || def->getNumResults() > 1);
    if (annotated(tensor) == annotated(own) || sharesPlace ||
        known == shardingAt.end() || known->second.size() != 1)
      continue;
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    auto sharding = parseSharding(known->second.front());
    // The place of an op is that of annotations of its operands, too.
    if (!type || int64_t(sharding.dims.size()) != type.getRank())
      continue;
    for (const Names &axes : sharding.dims)
      for (StringRef axis : axes) {
        bool isMoved = false;
        for (size_t dim = 0; dim < from.dims.size(); ++dim)
          isMoved |= from.splits(axis, dim) != to.splits(axis, dim);
        if (isMoved && llvm::none_of(entry.wants, [&](const Reason &reason) {
              return reason.axis == axis;
            }))
          return "nothing tells of axis " + axis.str() + " of another tensor";
      }
  }
  return {};
}

/// Whether an op with a model in the block of `value` takes it, behind annotations too. The body
/// of another op takes the complete value.
static bool isTaken(Value value) {
  // Unreachable code may have annotations in a circle.
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<Operation *> users(value.user_begin(), value.user_end());
  while (!users.empty()) {
    Operation *user = users.pop_back_val();
    if (isa<ShardOp>(user)) {
      if (seen.insert(user).second)
        llvm::append_range(users, user->getUsers());
    } else if (isa<ShardingInterface>(user) &&
               user->getBlock() == value.getParentBlock()) {
      return true;
    }
  }
  return false;
}

/// A result that is reduced because nothing takes it partial is taken by no op. With several grids
/// the op may take it on another one, where it is complete.
std::string
ExplanationCheck::unused(const PropagationExplanation::ReshardEntry &entry) {
  auto [op, result] = StringRef(entry.user).split(" result ");
  unsigned number = 0;
  auto ops = opsAt.find(entry.place);
  auto grids = module.getOps<GridOp>();
  if (entry.verdict != "nothing uses it partial" || joinsValues ||
      std::distance(grids.begin(), grids.end()) > 1 || ops == opsAt.end() ||
      ops->second.size() != 1 || result.getAsInteger(10, number) ||
      number >= ops->second.front()->getNumResults() ||
      !isTaken(ops->second.front()->getResult(number)))
    return {};
  return "an op takes it";
}

/// A result that is split otherwise than the op makes it is told of by the ways to run the op, one
/// that is only combined is not.
std::string ExplanationCheck::resultVerdict(
    const PropagationExplanation::ReshardEntry &entry, const Text &from,
    const Text &to) {
  auto ops = opsAt.find(entry.place);
  if (!StringRef(entry.user).contains(" result ") || ops == opsAt.end() ||
      ops->second.size() != 1 || !isa<ShardingInterface>(ops->second.front()))
    return {};
  if (from.dims != to.dims && entry.verdict != kOfOps[0] &&
      !StringRef(entry.verdict).contains("has no sharding model"))
    return "the verdict is not about splits, which change";
  return {};
}

/// Each axis that an operand loses or a result gets is told of.
std::string
ExplanationCheck::untold(const PropagationExplanation::ReshardEntry &entry,
                         const Text &from, const Text &to) {
  auto search = [](const Text &one, const Text &other,
                   ArrayRef<Reason> reasons) -> std::string {
    for (size_t dim = 0; dim < one.dims.size(); ++dim)
      for (StringRef axis : one.dims[dim])
        if (!other.splits(axis, dim) &&
            llvm::none_of(reasons, [&](const Reason &why) {
              return why.axis == axis && why.dim == int64_t(dim);
            }))
          return "nothing tells of axis " + axis.str() + " in dimension " +
                 std::to_string(dim);
    return {};
  };
  StringRef user = entry.user;
  return user.contains(" operand ")  ? search(from, to, entry.has)
         : user.contains(" result ") ? search(to, from, entry.wants)
                                     : std::string();
}

std::string
ExplanationCheck::reshard(const PropagationExplanation::ReshardEntry &entry) {
  if (entry.verdict.empty() || entry.value.empty() || entry.user.empty() ||
      entry.place.empty())
    return "something is not said";
  if (std::string wrong = completeness(entry.verdict); !wrong.empty())
    return wrong;
  if (std::string wrong = unused(entry); !wrong.empty())
    return wrong;
  // Values that go from one grid to another are told of by the grids, too.
  if (StringRef(entry.from + entry.to).contains(" on grid "))
    return {};
  Text from = parseSharding(entry.from), to = parseSharding(entry.to);
  if (from.dims.size() != to.dims.size())
    return "the ranks differ";
  if (entry.from == entry.to && entry.has.empty())
    return "nothing says why the op exchanges";
  // With the reduction, and the axes behind it.
  auto partialOf = [](StringRef sharding) {
    return sharding.split(" partial = ").second.split(']').first;
  };
  StringRef verdict = StringRef(entry.verdict).split("the hint ").first;
  if (partialOf(entry.from) == partialOf(entry.to) &&
      (verdict.contains(" partial") || verdict.contains(" complete") ||
       verdict.contains(" reduc")))
    return "the verdict is about partial values, which stay";
  if (from.dims == to.dims && llvm::is_contained(kOfOps, verdict))
    return "the verdict is about splits, which are the same";
  if (std::string wrong = resultVerdict(entry, from, to); !wrong.empty())
    return wrong;
  if (std::string wrong = untold(entry, from, to); !wrong.empty())
    return wrong;
  for (const Reason &why : entry.has)
    if (std::string wrong = reason(why); !wrong.empty())
      return wrong;
    else if (why.of.empty() && !why.axis.empty() &&
             !from.splits(why.axis, why.dim))
      return "it has not axis " + why.axis;
  // Axes come out of a body through what it has locally, which no chain tells of.
  bool isManual = StringRef(entry.user).starts_with("shard.manual_computation");
  for (const Reason &why : entry.wants)
    if (std::string wrong = isManual ? "" : reason(why); !wrong.empty())
      return wrong;
    else if (why.of.empty() && !why.axis.empty() &&
             !to.splits(why.axis, why.dim))
      return "not wanted is axis " + why.axis;
  for (auto &choice : entry.instead)
    if (choice.bytes < 0 || entry.bytesOfOp < 0)
      return "another choice without bytes";
  if (entry.from == entry.to)
    return {};
  std::string wrong = others(entry, from, to);
  return entry.steps.empty() || !wrong.empty() ? wrong : steps(entry, from, to);
}

/// What is wrong with `explanation` by itself, of a program with the grids of `module`.
static std::string checkExplanation(ModuleOp module,
                                    const PropagationExplanation &explanation) {
  ExplanationCheck check(module, explanation);
  for (const auto &entry : explanation.values)
    if (std::string wrong = check.value(entry); !wrong.empty())
      return "the explanation of " + entry.value + " at " + entry.place + ", " +
             entry.sharding + ": " + wrong;
  for (const auto &entry : explanation.reshards)
    if (std::string wrong = check.reshard(entry); !wrong.empty())
      return "the explanation of " + entry.value + " for " + entry.user +
             " at " + entry.place + ", " + entry.from + " -> " + entry.to +
             " by " + entry.steps + ": " + wrong;
  return {};
}

/// Propagates in `module`, and collects what it tells.
static LogicalResult propagate(ModuleOp module,
                               const PropagationOptions &options,
                               PropagationExplanation *explanation,
                               std::vector<PlacedRemark> &remarks) {
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
          remarks.push_back(
              {placeOf(diagnostic.getLocation()), diagnostic.str()});
        return failure();
      });
  return annotateShardings(module, options, explanation);
}

/// Checks what is told of exchanges. Partition knows the numbers for which shard.shard_shape asks; as
/// in pipelines, propagation gets them, too.
static std::string checkExchanges(ModuleOp original, ModuleOp annotated,
                                  const PropagationExplanation &explanation,
                                  const PropagationOptions &options) {
  bool asks =
      original.walk([](ShardShapeOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!asks)
    return checkExchangesTold(original, annotated, explanation);
  OwningOpRef<ModuleOp> prepared = original.clone();
  PassManager manager(original.getContext());
  manager.addPass(createShardFoldNumbers());
  if (failed(manager.run(*prepared)))
    return "shard-fold-numbers fails";
  OwningOpRef<ModuleOp> told = prepared->clone();
  PropagationExplanation again;
  std::vector<PlacedRemark> remarks;
  if (failed(propagate(*told, options, &again, remarks)))
    return "propagation fails behind shard-fold-numbers";
  return checkExchangesTold(*prepared, *told, again);
}

FailureOr<std::string>
shard::fuzz::checkTold(ModuleOp module, const PropagationOptions &options) {
  OwningOpRef<ModuleOp> original = module.clone();
  std::vector<PlacedRemark> remarks, without;
  PropagationExplanation explanation;
  if (failed(propagate(module, options, &explanation, remarks)))
    return failure();
  std::string wrong = checkExplanation(*original, explanation);
  if (wrong.empty())
    wrong = checkRemarks(*original, explanation, remarks);
  if (wrong.empty())
    wrong = checkExchanges(*original, module, explanation, options);
  // Where nothing is explained, remarks find their hints in another way.
  auto isGather = [](const PlacedRemark &remark) {
    return StringRef(remark.text).contains(" is gathered over ");
  };
  if (!wrong.empty() || llvm::none_of(remarks, isGather))
    return wrong;
  OwningOpRef<ModuleOp> again = original->clone();
  if (failed(propagate(*again, options, nullptr, without)))
    return failure();
  // Of several hints behind an axis any one may be named, but one must be.
  auto textOf = [](const PlacedRemark &remark) {
    return StringRef(remark.text).split(" (the hint").first;
  };
  for (const auto &[one, other] : llvm::zip(remarks, without))
    if (one.place != other.place || textOf(one) != textOf(other))
      return "with --shard-explain a remark is " + one.text + " at " +
             one.place + ", and without it is " + other.text + " at " +
             other.place;
  return remarks.size() == without.size()
             ? std::string()
             : "with --shard-explain there are other remarks";
}
