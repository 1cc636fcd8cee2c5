//===- ExplainReasons.cpp - Where the axes of values come from ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainReasons.h"

using namespace mlir;

namespace shard::propagation {

/// How many ops of a chain are named; of the others only the number is printed.
static constexpr size_t kMaxChain = 8;

std::string placeOf(Location location) {
  std::string result;
  llvm::raw_string_ostream os(result);
  if (auto file = dyn_cast<FileLineColLoc>(location))
    os << file.getFilename().getValue() << ":" << file.getLine() << ":"
       << file.getColumn();
  else
    location.print(os);
  return result;
}

std::string Reasons::axisName(GridAxis axis) {
  const AxisPart &part = out.axes[axis];
  std::string name = gridOp.axisName(part.axis);
  if (part.size != gridOp.getShape()[part.axis] && out.refined)
    name +=
        ":(" + std::to_string(part.preSize) + ")" + std::to_string(part.size);
  return name;
}

std::string Reasons::text(const Sharding &sharding) {
  std::string result = "[";
  auto append = [&](const AxisList &axes) {
    result += "[";
    for (size_t i = 0; i < axes.size(); ++i)
      result += (i ? ", " : "") + axisName(axes[i]);
    result += "]";
  };
  for (size_t dim = 0; dim < sharding.dims.size(); ++dim) {
    result += dim ? ", " : "";
    append(sharding.dims[dim]);
  }
  result += "]";
  if (!sharding.partial.empty()) {
    result += " partial = " +
              std::string(stringifyReductionKind(sharding.reduction)) + " ";
    append(sharding.partial);
  }
  auto appendNumbers = [&](llvm::StringRef name,
                           llvm::ArrayRef<int64_t> numbers) {
    if (numbers.empty())
      return;
    result += " " + name.str() + " = [";
    for (size_t i = 0; i < numbers.size(); ++i)
      result += (i ? ", " : "") + (isRunTime(numbers[i])
                                       ? std::string("?")
                                       : std::to_string(numbers[i]));
    result += "]";
  };
  appendNumbers("halo", sharding.halos);
  appendNumbers("offsets", sharding.offsets);
  return result;
}

Sharding Reasons::shardingOf(ValueId id) {
  uint32_t index = solution.values[id];
  size_t rank =
      program.problem.shapes[program.problem.valueShape[id]].extents.size();
  return index == kReplicated ? Sharding::replicated(rank)
                              : out.shardings[index];
}

std::string Reasons::describe(OpId op) {
  Operation *owner = program.ownerOf(op);
  ReadProgram::Origin origin = program.origins[op];
  std::string result;
  if (!origin.isNull())
    if (auto *use = dyn_cast<OpOperand *>(origin))
      result = "operand " + std::to_string(use->getOperandNumber()) + " of ";
  return result + owner->getName().getStringRef().str() + " at " +
         placeOf(owner->getLoc());
}

Reason Reasons::reasonOf(ValueId value, GridAxis axis, int64_t dim) {
  Reason reason;
  reason.axis = axisName(axis);
  reason.dim = dim;
  llvm::SmallSetVector<ValueId, 8> path;
  // A value that changed after propagation may have its axis from one that had it from
  // this value before: the chain ends there.
  while (!path.contains(value)) {
    auto known = ends.find({value, axis});
    if (known != ends.end()) {
      reason.length += known->second.second;
      // Names the rest of the chain as far as there is room; one that leads back to where it
      // was ends there.
      ValueId at = value;
      value = known->second.first;
      while (reason.chain.size() < std::min(reason.length, kMaxChain)) {
        auto cause = solution.causes.find({at, axis});
        if (cause == solution.causes.end())
          break;
        reason.chain.push_back(describe(cause->second.op));
        at = program.find(cause->second.source);
      }
      break;
    }
    auto cause = solution.causes.find({value, axis});
    if (cause == solution.causes.end())
      break;
    if (reason.chain.size() < kMaxChain)
      reason.chain.push_back(describe(cause->second.op));
    ++reason.length;
    path.insert(value);
    value = program.find(cause->second.source);
  }
  size_t length = reason.length;
  for (ValueId passed : path)
    ends[{passed, axis}] = {value, length--};
  reason.hint = program.hints.describe(value, out.axes[axis]);
  return reason;
}

std::vector<Reason> Reasons::reasonsOf(ValueId value) {
  return reasonsOf(value, shardingOf(value));
}

std::vector<Reason> Reasons::reasonsOf(ValueId value,
                                       const Sharding &sharding) {
  std::vector<Reason> reasons;
  for (size_t dim = 0; dim < sharding.dims.size(); ++dim)
    for (GridAxis axis : sharding.dims[dim])
      reasons.push_back(reasonOf(value, axis, dim));
  return reasons;
}

std::string Reasons::tensorName(OpId op, unsigned tensor) {
  unsigned numOperands = program.problem.table(op).numOperands;
  return tensor < numOperands
             ? "operand " + std::to_string(tensor)
             : "result " + std::to_string(tensor - numOperands);
}

bool Reasons::addLimit(std::vector<Reason> &reasons, ValueId value,
                       int64_t dim) {
  auto known = hintOf.find(value);
  if (known == hintOf.end())
    return false;
  const Hint &hint = program.problem.hintTable[known->second];
  if (hint.dims.empty() ||
      (hint.dims[dim].open && hint.dims[dim].priority == 0 &&
       hint.replicated.empty()))
    return false;
  Reason reason;
  reason.dim = dim;
  reason.hint = program.hints.describe(value);
  reasons.push_back(std::move(reason));
  return true;
}

std::vector<Reason> Reasons::wishesOf(ValueId target, const Sharding &has,
                                      const Sharding &wanted) {
  std::vector<Reason> reasons = reasonsOf(target, wanted);
  auto isUsed = [&](GridAxis axis) { return wanted.isSplitBy(axis); };
  for (size_t dim = 0; dim < has.dims.size(); ++dim)
    if (!llvm::all_of(has.dims[dim], isUsed))
      addLimit(reasons, target, dim);
  return reasons;
}

bool Reasons::addLimits(std::vector<Reason> &reasons, OpId op, unsigned tensor,
                        unsigned dim) {
  const FlatTable &table = program.problem.table(op);
  if (!table.canSplit(tensor, dim))
    return false;
  llvm::ArrayRef<uint32_t> loops = table.loopsOf(tensor, dim);
  auto tensors = program.problem.tensors(op);
  for (unsigned other = 0; other < tensors.size(); ++other) {
    if (other == tensor || tensors[other] == kNoValue)
      continue;
    for (unsigned d = 0; d < table.numDims(other); ++d)
      if (llvm::any_of(
              table.loopsOf(other, d),
              [&](uint32_t loop) { return llvm::is_contained(loops, loop); }) &&
          addLimit(reasons, program.find(tensors[other]), d))
        reasons.back().of = tensorName(op, other);
  }
  return true;
}

void Reasons::addLoopReason(std::vector<Reason> &reasons, OpId op,
                            unsigned operand, uint32_t loop, GridAxis axis) {
  const FlatTable &table = program.problem.table(op);
  llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
  auto add = [&](unsigned index) {
    if (tensors[index] == kNoValue)
      return false;
    ValueId value = program.find(tensors[index]);
    Sharding sharding = shardingOf(value);
    for (unsigned dim = 0; dim < table.numDims(index); ++dim)
      if (llvm::is_contained(table.loopsOf(index, dim), loop) &&
          llvm::is_contained(sharding.dims[dim], axis)) {
        reasons.push_back(reasonOf(value, axis, dim));
        if (index != operand)
          reasons.back().of = tensorName(op, index);
        return true;
      }
    return false;
  };
  if (add(operand))
    return;
  for (unsigned index = 0; index < tensors.size(); ++index)
    if (index != operand && add(index))
      return;
}

void Reasons::addOperandReasons(std::vector<Reason> &reasons, OpId op,
                                GridAxis axis, LoopKind kind) {
  const FlatTable &table = program.problem.table(op);
  llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
  for (unsigned index = 0; index < table.numOperands; ++index) {
    if (tensors[index] == kNoValue)
      continue;
    Sharding sharding = shardingOf(tensors[index]);
    for (unsigned dim = 0; dim < table.numDims(index); ++dim) {
      bool fits = llvm::any_of(table.loopsOf(index, dim), [&](uint32_t loop) {
        return table.loops[loop].kind == kind;
      });
      if (!fits || !llvm::is_contained(sharding.dims[dim], axis))
        continue;
      Reason reason = reasonOf(tensors[index], axis, dim);
      reason.of = tensorName(op, index);
      reasons.push_back(std::move(reason));
    }
  }
}

std::string Reasons::whyReduced(ValueId value) {
  if (hintOf.count(value))
    return shardingOf(value).partial.empty()
               ? "its hint asks for the complete value"
               : "its hint asks for a value that is not partial over more";
  if (usersOf.empty())
    for (OpId op = 0; op < program.problem.numOps(); ++op)
      for (ValueId operand : program.problem.tensors(op).take_front(
               program.problem.table(op).numOperands))
        if (operand != kNoValue)
          usersOf[operand].push_back(op);
  llvm::ArrayRef<OpId> users = usersOf[value];
  for (OpId user : users) {
    const FlatTable &table = program.problem.table(user);
    Operation *owner = program.ownerOf(user);
    if (dyn_cast_if_present<OpOperand *>(program.origins[user]))
      return owner->getName().getStringRef().str() + " at " +
             placeOf(owner->getLoc()) + " hands on complete values only";
    if (table.rule == PartialRule::None)
      return describe(user) + " needs the complete value";
  }
  for (OpId user : users)
    if (std::string reason = whyComplete(user, value); !reason.empty())
      return describe(user) + " " + reason;
  return users.empty() ? "nothing uses it partial"
                       : "reducing it later would reduce no fewer bytes";
}

std::string Reasons::whyComplete(OpId user, ValueId value) {
  const FlatTable &table = program.problem.table(user);
  llvm::ArrayRef<ValueId> tensors = program.problem.tensors(user);
  for (unsigned index = 0; index < table.numOperands; ++index) {
    ValueId other = tensors[index];
    std::string name = "operand " + std::to_string(index);
    bool isInit = table.firstInit >= 0 && int(index) >= table.firstInit;
    bool isPartial = other != kNoValue && solution.couldBePartial.count(other);
    if (isInit && other == value)
      return "takes its destination, " + name + ", complete";
    if (isInit || other == value)
      continue;
    if (table.rule == PartialRule::Multilinear && isPartial)
      return "needs the complete value: " + name + " is partial too";
    if (!isPartial &&
        (table.rule == PartialRule::Additive ||
         (table.rule == PartialRule::Movement && other != kNoValue)))
      return "needs the complete value: " + name + " is not partial";
  }
  llvm::ArrayRef<ValueId> results = tensors.drop_front(table.numOperands);
  if (results.size() == 1 && solution.couldBePartial.count(results[0]))
    return "";
  if (results.size() == 1 && hintOf.count(results[0]))
    return "has a hint that asks for its complete result";
  return "needs the complete value";
}

} // namespace shard::propagation
