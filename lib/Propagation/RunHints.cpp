//===- RunHints.cpp - The states that a run starts with -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HintCuts.h"
#include "Run.h"

#include "llvm/ADT/STLExtras.h"

namespace shard::propagation {

std::optional<HintError>
Run::collect(llvm::ArrayRef<AxisPart> parts, ValueId value,
             llvm::function_ref<void(uint8_t)> add) const {
  for (const AxisPart &part : parts) {
    auto found = atoms.find(part);
    if (!found) {
      ValueId other = excluder(problem, atoms, part);
      return HintError{
          value,
          "sub-axis (" + std::to_string(part.preSize) + ")" +
              std::to_string(part.size) + " of axis " +
              std::to_string(part.axis) +
              " does not combine with other sub-axes of this axis into one "
              "ordered factorisation; state one cut of the axis, or leave the "
              "dimension open",
          other};
    }
    for (uint8_t atom : *found)
      add(atom);
  }
  return std::nullopt;
}

AtomMask Run::touched(const AxisPart &part) const {
  AtomMask mask = 0;
  if (auto found = atoms.find(part)) {
    for (uint8_t atom : *found)
      mask |= AtomMask(1) << atom;
    return mask;
  }
  for (unsigned atom = 0; atom < atoms.size(); ++atom)
    if (part.overlaps(atoms[atom]))
      mask |= AtomMask(1) << atom;
  return mask;
}

ConstraintId Run::intern(Constraint made) {
  llvm::hash_code hash = llvm::hash_combine(
      made.closed, made.hidden, made.forbidden, made.partial, made.reduction,
      llvm::hash_combine_range(made.priorities));
  ConstraintId id = constraintIndex.intern(
      hash, [&](ConstraintId known) { return constraints[known] == made; });
  if (id == constraints.size())
    constraints.push_back(std::move(made));
  return id;
}

std::optional<HintError>
Run::applyScopes(llvm::SmallVectorImpl<AtomMask> &scopes) {
  scopes.assign(problem.scopes.size(), 0);
  for (size_t scope = 1; scope < scopes.size(); ++scope) {
    auto error = collect(problem.scopes[scope], kNoValue, [&](uint8_t atom) {
      scopes[scope] |= AtomMask(1) << atom;
    });
    if (error)
      return error;
  }
  if (scopes.size() > 1)
    for (ValueId value = 0; value < problem.numValues(); ++value)
      if (uint32_t scope = problem.valueScope[value]) {
        Constraint made;
        made.forbidden = scopes[scope];
        limit[value] = intern(std::move(made));
      }
  for (auto [value, dims] : problem.wholeDims) {
    Constraint made;
    made.forbidden = scopes[problem.valueScope[value]];
    made.closed = dims;
    limit[value] = intern(std::move(made));
  }
  return std::nullopt;
}

std::optional<HintError> Run::readHint(const Hint &hint, ValueId value,
                                       InitialState &made) {
  for (size_t dim = 0; dim < hint.dims.size(); ++dim) {
    const DimHint &dimHint = hint.dims[dim];
    ListId list = kEmptyList;
    auto append = [&](uint8_t atom) {
      list = lists.append(list, atom);
      made.mask |= AtomMask(1) << atom;
    };
    if (!dimHint.open)
      if (auto error = collect(dimHint.axes, value, append))
        return error;
    // As far as the axes are cut like this; droppedParts tells what is lost.
    for (const AxisPart &part : dimHint.axes) {
      if (!dimHint.open)
        break;
      auto found = atoms.find(part);
      llvm::for_each(found ? *found : atoms.startOf(part), append);
      if (!found)
        break;
    }
    made.dims.push_back(list);
    if (!dimHint.open && dim < Constraint::kMaxDims)
      made.limit.closed |= uint64_t(1) << dim;
    made.limit.priorities.push_back(options.userPriorities ? dimHint.priority
                                                           : 0);
  }
  for (const AxisPart &part : hint.replicated)
    made.limit.forbidden |= touched(part);
  if (auto error = collect(hint.partial, value, [&](uint8_t atom) {
        made.limit.partial |= AtomMask(1) << atom;
      }))
    return error;
  made.limit.forbidden |= made.limit.partial;
  if (made.limit.partial)
    made.limit.reduction = hint.reduction;
  return std::nullopt;
}

/// Makes a round per priority, with the values of which it uncovers a dimension.
void Run::planRounds(llvm::ArrayRef<int32_t> priorities) {
  for (int32_t priority : priorities)
    rounds.push_back({priority, {}});
  for (const auto &[value, number] : problem.hints) {
    for (int32_t priority : constraints[limit[value]].priorities) {
      const auto *round = llvm::lower_bound(priorities, priority);
      std::vector<ValueId> &uncovered =
          rounds[round - priorities.begin()].uncovered;
      if (priority > 0 && (uncovered.empty() || uncovered.back() != value))
        uncovered.push_back(value);
    }
  }
}

std::optional<HintError> Run::applyHints() {
  llvm::SmallVector<AtomMask, 4> scopes;
  if (auto error = applyScopes(scopes))
    return error;
  std::vector<int32_t> priorities = {0};
  // Equal hints in one scope make equal states.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>,
                 std::pair<StateId, ConstraintId>>
      done;
  for (const auto &[value, number] : problem.hints) {
    auto known = done.find({number, problem.valueScope[value]});
    if (known != done.end()) {
      std::tie(state[value], limit[value]) = known->second;
      continue;
    }
    InitialState made;
    made.limit.forbidden = scopes[problem.valueScope[value]];
    if (auto error = readHint(problem.hintTable[number], value, made))
      return error;
    llvm::append_range(priorities, made.limit.priorities);
    made.limit.hideBehind(0);
    assert(lists.areDisjoint(made.dims) && "hints use an axis once");
    state[value] = shardings.intern(made.dims, made.mask);
    limit[value] = intern(std::move(made.limit));
    done[{number, problem.valueScope[value]}] = {state[value], limit[value]};
  }
  llvm::sort(priorities);
  priorities.erase(llvm::unique(priorities), priorities.end());
  planRounds(priorities);
  spreadPartialWishes();
  return std::nullopt;
}

} // namespace shard::propagation
