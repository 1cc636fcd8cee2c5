//===- ManualPrograms.cpp - Programs that are a manual computation --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that are one manual computation, with a body of another file. What every
// device holds at the end is a block of a result, so that a wrong element on any device
// is seen.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>
#include <sstream>

using namespace shard::fuzz;

/// The block of a device that the chain begins with.
static Val randomBlock(ProgramBuilder &program, Elem elem, const Shape &axes) {
  static const std::vector<int64_t> extents = {1, 2, 3, 4, 6, 8, 12};
  Val local{"", elem, true, {}};
  for (int64_t i = program.rng.between(1, 3); i > 0; --i)
    local.shape.push_back(program.rng.oneOf(extents));
  while (numElements(local.shape) > 24)
    local.shape[program.rng.between(0, int64_t(local.shape.size()) - 1)] = 2;
  // Links that cut are frequent.
  if (program.rng.chance(80))
    local.shape[program.rng.between(0, int64_t(local.shape.size()) - 1)] =
        program.devices(axes) * program.rng.between(1, 2);
  return local;
}

namespace {
/// A tensor and how manual axes split it into blocks.
struct SplitValue {
  Val value;
  std::vector<Shape> dims;
  Shape replicated;

  std::string sharding(ProgramBuilder &program) const {
    return manualSharding(program, dims, replicated, {});
  }
};
} // namespace

/// The tensor of which each device along `axes` has `block`; unless `all` axes split
/// it, some axes may replicate it.
static SplitValue wholeOf(ProgramBuilder &program, const Val &block,
                          const Shape &axes, bool all) {
  SplitValue result{block, std::vector<Shape>(block.shape.size()), {}};
  for (int64_t axis : axes) {
    if (!all && program.rng.chance(15)) {
      result.replicated.push_back(axis);
      continue;
    }
    int64_t dim = program.rng.between(0, int64_t(block.shape.size()) - 1);
    result.dims[dim].push_back(axis);
    result.value.shape[dim] *= program.grid[axis];
  }
  return result;
}

/// Writes the manual computation of `global` with the chain that `write` writes in its
/// body. Returns its results.
static std::vector<Val>
manualChain(ProgramBuilder &program, const Val &global, const std::string &in,
            const Val &local, const Shape &axes,
            std::vector<Val> (*write)(ProgramBuilder &, Val)) {
  std::string body;
  std::swap(program.out, body);
  program.indent += 2;
  std::vector<Val> returned = write(program, local), results;
  if (returned.empty())
    returned.push_back(local);
  program.line("shard.return " + nameList(returned) + " : " +
               typeList(returned));
  program.indent -= 2;
  std::swap(program.out, body);
  std::vector<std::string> outShardings, axisTexts;
  for (const Val &value : returned) {
    SplitValue result = wholeOf(program, value, axes, true);
    results.push_back(result.value);
    outShardings.push_back(result.sharding(program));
  }
  for (int64_t axis : axes)
    axisTexts.push_back(program.axisText(axis));
  program.manualAxes.clear();
  std::string name = program.fresh();
  program.line(multiple(name, results.size()) + " = shard.manual_computation(" +
               global.name + ") on @grid");
  program.line("    in = [" + in + "] out = [" + join(outShardings) +
               "] axes = [" + join(axisTexts) + "]");
  program.line("    (" + local.name + ": " + local.type() + ") {");
  program.out += body;
  std::string types = typeList(results);
  program.line("} : (" + global.type() + ") -> " +
               (results.size() > 1 ? "(" + types + ")" : types));
  for (size_t i = 0; i < results.size(); ++i)
    results[i].name =
        name + (results.size() > 1 ? "#" + std::to_string(i) : "");
  return results;
}

/// An argument that is split by half of an axis: it refines the grid, and with it all
/// collectives of the program. Made with numbers of its own: the others do not depend on it.
static void refineGrid(ProgramBuilder &program, std::vector<Val> &results) {
  auto axis = std::find(program.grid.begin(), program.grid.end(), 4);
  Random rng(program.seed ^ 0x726566696e657321ull);
  if (axis == program.grid.end() || !rng.chance(60))
    return;
  Val other = program.argument(Elem::I32, {rng.between(2, 6)}, true);
  program.givenHints[other.name] =
      "<@grid, [[" + program.axisText(axis - program.grid.begin()) +
      (rng.chance(50) ? ":(1)2" : ":(2)2") + "]]>";
  results.push_back(other);
}

/// `axes` on a grid whose first axis is the first two of the program's; nothing if there are none.
static std::optional<Shape> axesOfCoarse(const Shape &axes) {
  Shape coarse;
  for (size_t i = 0; i < axes.size(); ++i) {
    bool isFirst = axes[i] == 0;
    if (isFirst ? i + 1 == axes.size() || axes[i + 1] != 1 : axes[i] == 1)
      return std::nullopt;
    coarse.push_back(isFirst ? 0 : axes[i] - 1);
    i += isFirst;
  }
  return coarse;
}

/// Puts some of the collectives in `text` on a grid that the program's one refines. Made with
/// numbers of its own: other programs do not depend on it.
static void coarsenSome(ProgramBuilder &program, std::string &text) {
  static const std::string ops[] = {"all_gather", "all_slice", "all_reduce",
                                    "reduce_scatter", "all_to_all"};
  static const std::string group = " on @grid grid_axes = [";
  Random rng(program.seed ^ 0x636f61727365ull);
  size_t header = program.out.find('\n');
  // A grid with a machine has attributes of its own. Axes of one device could be part of any.
  if (program.grid.size() < 2 || program.seed % 4 == 2 || !rng.chance(75) ||
      std::count(program.grid.begin(), program.grid.end(), 1) > 0)
    return;
  bool any = false;
  for (size_t at = 0; (at = text.find(group, at)) != std::string::npos;) {
    size_t begin = at + group.size(), end = text.find(']', begin);
    std::istringstream words(text.substr(begin, end - begin));
    Shape axes;
    for (std::string word; std::getline(words, word, ',');)
      axes.push_back(std::stoll(word));
    size_t op = text.rfind("shard.", at) + std::string("shard.").size();
    bool isPlain =
        std::find(std::begin(ops), std::end(ops),
                  text.substr(op, text.find(' ', op) - op)) != std::end(ops);
    std::optional<Shape> coarse = axesOfCoarse(axes);
    if (isPlain && coarse && rng.chance(60)) {
      std::string instead = " on @coarse grid_axes = [" + list(*coarse);
      text.replace(at, end - at, instead);
      any = true;
    }
    at += 1;
  }
  if (!any)
    return;
  std::string shape = std::to_string(program.grid[0] * program.grid[1]);
  for (size_t axis = 2; axis < program.grid.size(); ++axis)
    shape += "x" + std::to_string(program.grid[axis]);
  program.out.insert(
      header,
      " {refines = @coarse}\n\nshard.grid @coarse(shape = " + shape + ")");
}

static void chainProgram(ProgramBuilder &program,
                         std::vector<Val> (*write)(ProgramBuilder &, Val)) {
  program.subAxes = false;
  static const std::vector<int64_t> percents = {0, 0, 30};
  program.argumentHintPercent = program.rng.oneOf(percents);
  static const std::vector<Elem> elems = {Elem::F32, Elem::F32, Elem::I32,
                                          Elem::I64, Elem::I16};
  Elem elem = program.rng.oneOf(elems);
  Shape axes;
  for (size_t axis = 0; axis < program.grid.size(); ++axis)
    if (program.rng.chance(85))
      axes.push_back(axis);
  if (axes.empty())
    axes.push_back(0);
  program.rng.shuffle(axes);

  Val local = randomBlock(program, elem, axes);
  SplitValue split = wholeOf(program, local, axes, false);
  Val global = program.argument(elem, split.value.shape, true);
  local.name = program.fresh();
  local.bound = global.bound;
  std::string outer;
  std::swap(program.out, outer);
  program.manualAxes = axes;
  std::string in = split.sharding(program);
  std::vector<Val> results =
      manualChain(program, global, in, local, axes, write);
  refineGrid(program, results);
  program.line("return " + nameList(results) + " : " + typeList(results));
  std::swap(program.out, outer);
  coarsenSome(program, outer);
  program.out +=
      functionHeader(program, {"main", program.arguments, results}, false) +
      outer + "}\n";
}

void shard::fuzz::collectiveProgram(ProgramBuilder &program) {
  chainProgram(program, collectiveChain);
}

void shard::fuzz::movesProgram(ProgramBuilder &program) {
  chainProgram(program, program.rng.chance(50) ? movesAmongOps
                                               : productsBesideCollectives);
}
