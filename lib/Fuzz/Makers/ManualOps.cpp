//===- ManualOps.cpp - Manual computations in a random program -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a manual computation holds what any program holds, on local shapes,
// and collectives over the manual axes. A result that the op takes for a replica
// is reduced over those axes first: only then it is one.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "SharedOps.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

using namespace shard::fuzz;

/// Some of `axes`, at least one, in any order.
static std::vector<int64_t> someOf(Random &rng, std::vector<int64_t> axes) {
  rng.shuffle(axes);
  axes.resize(rng.between(1, axes.size()));
  return axes;
}

std::string ProgramBuilder::axisText(int64_t axis) {
  return names && rng.chance(70) ? "\"x" + std::to_string(axis) + "\""
                                 : std::to_string(axis);
}

int64_t ProgramBuilder::devices(const std::vector<int64_t> &axes) {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= grid[axis];
  return count;
}

/// The sharding of an operand or result with the manual axes `dims` in its
/// dimensions, and others behind them, now and then.
std::string
shard::fuzz::manualSharding(ProgramBuilder &program,
                            const std::vector<std::vector<int64_t>> &dims,
                            const std::vector<int64_t> &replicated,
                            const std::vector<int64_t> &partial) {
  std::vector<std::vector<std::string>> texts(dims.size());
  for (size_t dim = 0; dim < dims.size(); ++dim)
    for (int64_t axis : dims[dim])
      texts[dim].push_back(program.axisText(axis));
  auto isManual = [&](int64_t axis) {
    return std::find(program.manualAxes.begin(), program.manualAxes.end(),
                     axis) != program.manualAxes.end();
  };
  for (int64_t axis = 0; axis < int64_t(program.grid.size()); ++axis)
    if (!isManual(axis) && !dims.empty() && program.rng.chance(20))
      texts[program.rng.between(0, int64_t(dims.size()) - 1)].push_back(
          program.axisText(axis));
  bool open = program.rng.chance(60);
  std::vector<std::string> lists;
  for (std::vector<std::string> &text : texts) {
    if (open && program.rng.chance(70))
      text.push_back("?");
    lists.push_back("[" + join(text) + "]");
  }
  auto named = [&](const std::vector<int64_t> &axes) {
    std::vector<std::string> text;
    for (int64_t axis : axes)
      text.push_back(program.axisText(axis));
    return "[" + join(text) + "]";
  };
  std::string result = "<@" + program.gridName + ", [" + join(lists) + "]";
  if (!partial.empty())
    result += ", partial = sum " + named(partial);
  if (!replicated.empty())
    result += ", replicated = " + named(replicated);
  return result + ">";
}

/// `axes` reduced or gathered away: the same on all their devices.
static Val reducedOver(ProgramBuilder &program, const Val &value,
                       const std::vector<int64_t> &axes) {
  bool maySum = value.elem != Elem::I1 &&
                value.bound * program.devices(axes) <= boundLimit &&
                program.rng.chance(60);
  Val result = value;
  result.name = program.fresh();
  if (maySum)
    result.bound *= program.devices(axes);
  program.line(result.name + " = shard.all_reduce " + value.name + " on @" +
               program.gridName + " grid_axes = [" + list(axes) + "]" +
               (maySum ? "" : " reduction = max") + " : " + value.type() +
               " -> " + result.type());
  return program.add(result);
}

/// `value`, moved between the devices of the groups over `axes`.
std::string shard::fuzz::shiftAlong(Random &rng, const Shape &axes,
                                    int64_t least) {
  Shape minor(axes.begin(), axes.end() - 1);
  rng.shuffle(minor);
  minor.resize(rng.between(0, int64_t(minor.size())));
  return " shift_axis = " + std::to_string(axes.back()) +
         (minor.empty() ? "" : " minor_axes = [" + list(minor) + "]") +
         " offset = " + std::to_string(rng.between(least, 3)) + " rotate" +
         (rng.chance(30) ? " mirror" : "");
}

static Val movedOver(ProgramBuilder &program, const Val &value,
                     const std::vector<int64_t> &axes) {
  Val result = value;
  result.name = program.fresh();
  std::string text = result.name + " = shard.",
              on = value.name + " on @" + program.gridName;
  switch (program.rng.between(0, 3)) {
  case 3:
    return passedAround(program, value, axes);
  case 0: {
    Shape to = axes;
    program.rng.shuffle(to);
    text += "permute " + on + " from_axes = [" + list(axes) + "] to_axes = [" +
            list(to) + "] : " + value.type();
    break;
  }
  case 1:
    text += "shift " + on + " grid_axes = [" + list(axes) + "]" +
            shiftAlong(program.rng, axes, 1) + " : " + value.type() + " -> " +
            value.type();
    break;
  default: {
    Shape root;
    for (int64_t axis : axes)
      root.push_back(program.rng.between(0, program.grid[axis] - 1));
    text += "broadcast " + on + " grid_axes = [" + list(axes) + "] root = [" +
            list(root) + "] : (" + value.type() + ") -> " + value.type();
  }
  }
  program.line(text);
  return program.add(result);
}

/// A loop in which the devices exchange what the loop carries, and now and then what
/// it does not change.
static bool loopOfCollectives(ProgramBuilder &program) {
  std::optional<Val> value = program.pickTensor(1);
  if (!value || numElements(value->shape) > 500)
    return false;
  std::vector<Val> outside = program.scope;
  std::vector<int64_t> axes = someOf(program.rng, program.manualAxes);
  Val zero = program.scalarConstant(Elem::Index, 0),
      one = program.scalarConstant(Elem::Index, 1),
      trips = program.scalarConstant(Elem::Index, program.rng.between(0, 3));
  Val result = *value, carried = *value;
  result.name = program.fresh();
  carried.name = program.fresh();
  program.line(result.name + " = scf.for " + program.fresh() + " = " +
               zero.name + " to " + trips.name + " step " + one.name +
               " iter_args(" + carried.name + " = " + value->name + ") -> (" +
               value->type() + ") {");
  {
    llvm::SaveAndRestore indented(program.indent, program.indent + 2);
    Val moved = movedOver(program, carried, axes);
    if (program.rng.chance(30))
      moved = movedOver(program, *value, axes);
    if (program.rng.chance(50))
      moved =
          movedOver(program, moved, someOf(program.rng, program.manualAxes));
    program.line("scf.yield " + moved.name + " : " + moved.type());
  }
  program.line("}");
  program.scope = outside;
  program.add(result);
  return true;
}

/// One collective over some of the manual axes.
static bool manualCollective(ProgramBuilder &program) {
  std::optional<Val> value = program.pickTensor(1);
  if (!value || numElements(value->shape) > 500)
    return false;
  std::vector<int64_t> axes = someOf(program.rng, program.manualAxes);
  int64_t count = program.devices(axes),
          last = int64_t(value->shape.size()) - 1;
  int64_t dim = program.rng.between(0, last),
          other = program.rng.between(0, last);
  std::string on = value->name + " on @" + program.gridName + " grid_axes = [" +
                   list(axes) + "]";
  Shape shape = value->shape;
  auto made = [&](const std::string &op, const std::string &rest) {
    program.define("shard." + op + " " + on + rest + " : " + value->type() +
                       " -> " + tensorType(value->elem, shape),
                   value->elem, shape, value->bound);
    return true;
  };
  switch (program.rng.between(0, 9)) {
  case 9:
    return withHalos(program, *value, axes).has_value();
  case 0:
  case 1:
    reducedOver(program, *value, axes);
    return true;
  case 2:
    shape[dim] *= count;
    return made("all_gather", " gather_axis = " + std::to_string(dim));
  case 3:
    if (shape[dim] % count != 0)
      return false;
    shape[dim] /= count;
    return made("all_slice", " slice_axis = " + std::to_string(dim));
  case 4:
    if (shape[dim] % count != 0)
      return false;
    shape[dim] /= count;
    shape[other] *= count;
    return made("all_to_all", " split_axis = " + std::to_string(dim) +
                                  " concat_axis = " + std::to_string(other));
  case 5:
    if (shape[dim] % count != 0 || value->elem == Elem::I1)
      return false;
    shape[dim] /= count;
    return made(
        "reduce_scatter",
        " reduction = " + std::string(program.rng.chance(50) ? "max" : "min") +
            " scatter_axis = " + std::to_string(dim));
  case 6:
    return loopOfCollectives(program);
  default:
    movedOver(program, *value, axes);
    return true;
  }
}

/// Ops and collectives on the local values `inside`; returns what the body
/// returns, and how the op's results are sharded and typed.
static std::string manualBody(ProgramBuilder &program,
                              const std::vector<Val> &inside,
                              std::vector<Val> &results,
                              std::vector<std::string> &shardings) {
  std::string outer;
  std::swap(program.out, outer);
  std::vector<Val> outside = program.scope;
  size_t argumentsBefore = program.arguments.size();
  // Tensors from outside are captured, now and then.
  if (!program.rng.chance(40))
    program.scope.erase(std::remove_if(program.scope.begin(),
                                       program.scope.end(),
                                       [](const Val &v) { return v.tensor; }),
                        program.scope.end());
  program.scope.insert(program.scope.end(), inside.begin(), inside.end());
  llvm::SaveAndRestore blocks(program.manyBlocks, false);
  llvm::SaveAndRestore indented(program.indent, program.indent + 2);
  llvm::SaveAndRestore deeper(program.depth, program.depth + 1);
  if (program.rng.chance(30)) {
    int64_t axis = program.rng.oneOf(program.manualAxes);
    program.defineScalar("shard.process_multi_index on @" + program.gridName +
                             " axes = [" + std::to_string(axis) + "] : index",
                         Elem::Index, program.grid[axis] - 1);
  }
  for (int64_t i = program.rng.between(1, 4); i > 0; --i)
    if (!program.rng.chance(40) || !manualCollective(program))
      writeOps(program, 1);
  std::vector<Val> returned;
  for (int64_t i = program.rng.between(1, 2); i > 0; --i) {
    std::optional<Val> value = program.pickTensor();
    if (!value)
      value = inside.front();
    std::vector<std::vector<int64_t>> dims(value->shape.size());
    std::vector<int64_t> replicated, partial;
    Shape shape = value->shape;
    for (int64_t axis : program.manualAxes) {
      if (!dims.empty() && numElements(shape) * program.grid[axis] <= 1000 &&
          program.rng.chance(70)) {
        int64_t dim = program.rng.between(0, int64_t(dims.size()) - 1);
        dims[dim].push_back(axis);
        shape[dim] *= program.grid[axis];
      } else if (program.partials && value->elem != Elem::I1 &&
                 value->bound * program.devices(program.manualAxes) <=
                     boundLimit &&
                 program.rng.chance(40)) {
        partial.push_back(axis);
      } else {
        replicated.push_back(axis);
      }
    }
    Val local = *value;
    if (!replicated.empty())
      local = reducedOver(program, local, replicated);
    returned.push_back(local);
    shardings.push_back(manualSharding(program, dims, replicated, partial));
    local.shape = shape;
    local.bound *= program.devices(partial);
    results.push_back(local);
  }
  program.line("shard.return " + nameList(returned) + " : " +
               typeList(returned));
  program.scope = outside;
  program.scope.insert(program.scope.begin(),
                       program.arguments.begin() + argumentsBefore,
                       program.arguments.end());
  std::swap(program.out, outer);
  return outer;
}

bool shard::fuzz::manualComputation(ProgramBuilder &program) {
  // The run on one device copies the body once per coordinate.
  if (program.depth >= 2 || !program.manualAxes.empty())
    return false;
  std::vector<int64_t> axes;
  for (size_t axis = 0; axis < program.grid.size(); ++axis)
    axes.push_back(axis);
  axes = someOf(program.rng, axes);
  if (program.devices(axes) > 8)
    return false;
  std::vector<Val> operands, inside;
  std::vector<std::vector<std::vector<int64_t>>> splits;
  for (int64_t i = program.rng.between(1, 2); i > 0; --i) {
    Shape shape = program.randomShape(program.rng.between(1, 3));
    shape[program.rng.between(0, int64_t(shape.size()) - 1)] =
        program.devices(axes) * program.rng.between(1, 2);
    std::optional<Val> value = program.pickTensor(1);
    Val operand = value && program.rng.chance(60)
                      ? *value
                      : program.need(program.randomElem(), shape);
    std::vector<std::vector<int64_t>> dims(operand.shape.size());
    Val local = operand;
    local.name = program.fresh();
    for (int64_t axis : axes) {
      std::vector<int64_t> fits;
      for (size_t dim = 0; dim < dims.size(); ++dim)
        if (local.shape[dim] % program.grid[axis] == 0)
          fits.push_back(dim);
      if (fits.empty() || program.rng.chance(20))
        continue;
      int64_t dim = program.rng.oneOf(fits);
      dims[dim].push_back(axis);
      local.shape[dim] /= program.grid[axis];
    }
    operands.push_back(operand);
    inside.push_back(local);
    splits.push_back(dims);
  }
  program.manualAxes = axes;
  std::vector<std::string> in, outShardings, arguments, axisTexts;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::vector<int64_t> replicated = axes;
    for (const std::vector<int64_t> &dim : splits[i])
      for (int64_t axis : dim)
        replicated.erase(std::find(replicated.begin(), replicated.end(), axis));
    in.push_back(manualSharding(program, splits[i], replicated, {}));
    arguments.push_back(inside[i].name + ": " + inside[i].type());
  }
  std::vector<Val> results;
  std::string text = manualBody(program, inside, results, outShardings);
  for (int64_t axis : axes)
    axisTexts.push_back(program.axisText(axis));
  program.manualAxes.clear();
  std::string name = program.fresh();
  program.line(multiple(name, results.size()) + " = shard.manual_computation(" +
               nameList(operands) + ") on @" + program.gridName);
  program.line("    in = [" + join(in) + "]");
  program.line("    out = [" + join(outShardings) + "] axes = [" +
               join(axisTexts) + "]");
  program.line("    (" + join(arguments) + ") {");
  program.out += text;
  std::string types = typeList(results);
  program.line("} : (" + typeList(operands) + ") -> " +
               (results.size() > 1 ? "(" + types + ")" : types));
  addResults(program, name, results);
  return true;
}

std::string shard::fuzz::combinedBy(Random &rng, const Val &value) {
  static const std::vector<std::string> floats = {
      "arith.maximumf %p, %q", "arith.minimumf %q, %p", "arith.negf %q",
      "arith.select %yes, %q, %p"};
  // Some do not associate: the first device's element is combined with the second one's, and
  // the result with the third one's.
  static const std::vector<std::string> integers = {
      "arith.addi %p, %q", "arith.subi %p, %q", "arith.subi %q, %p",
      "arith.maxsi %p, %q", "arith.select %yes, %q, %p"};
  std::string type = name(value.elem);
  std::string op = rng.oneOf(isFloat(value.elem) ? floats : integers);
  return "generic combiner {\n  ^bb0(%p: " + type + ", %q: " + type + "):\n" +
         "    %yes = arith.constant true\n    %r = " + op + " : " + type +
         "\n    shard.return %r : " + type + "\n  }";
}

void shard::fuzz::registerManualMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Control, manualComputation);
}
