//===- Hints.cpp - Random hints -------------------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutHints.h"
#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

static std::string reduction(Random &rng, Elem elem) {
  static const std::vector<std::string> floats = {"sum", "sum", "sum", "max",
                                                  "min"};
  static const std::vector<std::string> integers = {"sum", "sum",  "max",
                                                    "min", "umax", "umin"};
  return rng.oneOf(isFloat(elem) ? floats : integers);
}

namespace {
/// What a random sharding says of each axis.
struct AxisChoice {
  std::vector<std::vector<std::string>> dims;
  std::vector<std::string> partial, replicated;
};
} // namespace

static void noteCut(ProgramBuilder &program, int64_t dim, int64_t size) {
  program.lastParts[dim] = std::max<int64_t>(program.lastParts[dim], 1) * size;
}

/// Splits dimensions by one part, or by both parts, of an axis of 4 devices. The other part may be
/// replicated.
static void placeHalves(ProgramBuilder &program, const std::string &axis,
                        int64_t dim, AxisChoice &choice) {
  Random &rng = program.rng;
  noteCut(program, dim, 2);
  bool isMinor = !rng.chance(50);
  choice.dims[dim].push_back(axis + (isMinor ? ":(2)2" : ":(1)2"));
  if (isMinor || !rng.chance(50)) {
    if (rng.chance(30))
      choice.replicated.push_back(axis + (isMinor ? ":(1)2" : ":(2)2"));
    return;
  }
  int64_t other = rng.between(0, int64_t(choice.dims.size()) - 1);
  choice.dims[other].push_back(axis + ":(2)2");
  noteCut(program, other, 2);
}

/// Chooses what each of `axes` does to a tensor of `rank`: as text of an attribute, if
/// `attribute`, else as text of shard.sharding, which knows less.
static AxisChoice placeAxes(ProgramBuilder &program,
                            const std::vector<int64_t> &axes, int64_t rank,
                            bool attribute, bool mayBePartial) {
  Random &rng = program.rng;
  AxisChoice result;
  result.dims.resize(rank);
  for (int64_t axis : axes) {
    std::string text = attribute && program.names && rng.chance(70)
                           ? "\"x" + std::to_string(axis) + "\""
                           : std::to_string(axis);
    bool mayCut = attribute && program.subAxes && program.grid[axis] == 4;
    if (mayBePartial && rng.chance(25)) {
      bool isPart = mayCut && rng.chance(70), isMinor = rng.chance(50);
      result.partial.push_back(text + (!isPart   ? ""
                                       : isMinor ? ":(2)2"
                                                 : ":(1)2"));
      if (isPart && rank > 0 && rng.chance(50)) {
        int64_t dim = rng.between(0, rank - 1);
        result.dims[dim].push_back(text + (isMinor ? ":(1)2" : ":(2)2"));
        noteCut(program, dim, 2);
      }
      continue;
    }
    if (rank == 0 || rng.chance(30)) {
      if (attribute && rng.chance(20)) {
        bool isPart = mayCut && rng.chance(40);
        result.replicated.push_back(text + (!isPart          ? ""
                                            : rng.chance(50) ? ":(1)2"
                                                             : ":(2)2"));
      }
      continue;
    }
    int64_t dim = rng.between(0, rank - 1);
    if (mayCut && rng.chance(40)) {
      placeHalves(program, text, dim, result);
      continue;
    }
    result.dims[dim].push_back(text);
    noteCut(program, dim, program.grid[axis]);
  }
  return result;
}

/// Writes two parts of one axis that stand side by side as that axis.
static void joinHalves(std::vector<std::string> &dim) {
  for (size_t i = 0; i + 1 < dim.size(); ++i) {
    size_t colon = dim[i].find(":(1)2");
    if (colon != std::string::npos &&
        dim[i + 1] == dim[i].substr(0, colon) + ":(2)2") {
      dim[i] = dim[i].substr(0, colon);
      dim.erase(dim.begin() + i + 1);
    }
  }
}

std::string ProgramBuilder::randomLists(int64_t rank, bool open,
                                        std::string &partial, Elem elem) {
  std::vector<int64_t> axes;
  for (int64_t axis = 0; axis < int64_t(grid.size()); ++axis)
    if (std::find(manualAxes.begin(), manualAxes.end(), axis) ==
        manualAxes.end())
      axes.push_back(axis);
  rng.shuffle(axes);
  bool attribute = open;
  bool mayBePartial = partial == "partial" && elem != Elem::I1;
  partial.clear();
  lastParts.assign(rank, 0);
  AxisChoice choice = placeAxes(*this, axes, rank, attribute, mayBePartial);
  std::vector<std::string> lists;
  bool openHere = open && rng.chance(40), priorities = open && rng.chance(10);
  for (std::vector<std::string> &dim : choice.dims) {
    joinHalves(dim);
    bool empty = dim.empty();
    if (openHere && rng.chance(60))
      dim.push_back("?");
    std::string text = "[" + join(dim) + "]";
    if (priorities && !empty && rng.chance(50))
      text += "p" + std::to_string(rng.between(0, 3));
    lists.push_back(text);
  }
  if (!choice.partial.empty()) {
    if (!attribute)
      std::sort(choice.partial.begin(), choice.partial.end());
    partial =
        "partial = " + reduction(rng, elem) + " [" + join(choice.partial) + "]";
  }
  std::string text = "[" + join(lists) + "]";
  if (attribute && !partial.empty())
    text += ", " + partial;
  if (attribute && !choice.replicated.empty())
    text += ", replicated = [" + join(choice.replicated) + "]";
  return text;
}

/// Halos or offsets for the random sharding of `value` that was made last.
std::string ProgramBuilder::randomLayout(const Val &value, bool attribute) {
  if (!layouts || !rng.chance(40))
    return {};
  // Ragged blocks have no halos.
  bool isRagged = unevenDynamic && value.type().find('?') != std::string::npos;
  bool halos = !isRagged && rng.chance(50);
  std::function<std::string(int64_t, int64_t)> runTime;
  if (!attribute && takesArguments && rng.chance(70))
    runTime = [&](int64_t low, int64_t high) {
      return runTimeNumber(low, high);
    };
  return fuzz::randomLayout(rng, value.shape, lastParts, halos, attribute,
                            runTime);
}

/// An i64 in [low, high] that no pass knows. Those of halos are used again, so that they
/// stand in front of what is annotated by them. An iteration of a loop computes none: it has
/// those from outside and constants.
std::string ProgramBuilder::runTimeNumber(int64_t low, int64_t high) {
  auto isWidth = [&](const Val &v) {
    auto known = widths.find(v.name);
    return known != widths.end() && known->second <= high;
  };
  if (low == 0 && rng.chance(50))
    if (std::optional<Val> known = pickAny(isWidth))
      return known->name;
  if (inIteration)
    return std::to_string(rng.between(low, high));
  Val base = needScalar(Elem::I64);
  std::string rest = fresh(), number = fresh(), count = fresh(),
              first = fresh();
  line(count + " = arith.constant " + std::to_string(high - low + 1) +
       " : i64");
  line(first + " = arith.constant " + std::to_string(low) + " : i64");
  line(rest + " = arith.remui " + base.name + ", " + count + " : i64");
  line(number + " = arith.addi " + rest + ", " + first + " : i64");
  if (low == 0) {
    widths[number] = high;
    add({number, Elem::I64, false, {}, double(high)});
  }
  return number;
}

std::string ProgramBuilder::shardingAttr(const Val &value, bool mayBePartial) {
  std::string partial = mayBePartial && partials ? "partial" : "";
  std::string lists =
      randomLists(value.shape.size(), true, partial, value.elem);
  std::string layout = randomLayout(value, true);
  return "<@" + gridName + ", " + lists + (layout.empty() ? "" : ", ") +
         layout + ">";
}

std::string ProgramBuilder::shardingOp(const Val &value, bool mayBePartial) {
  std::string partial = mayBePartial && partials ? "partial" : "";
  std::string lists =
      randomLists(value.shape.size(), false, partial, value.elem);
  std::string layout = randomLayout(value, false);
  std::string name = fresh();
  line(name + " = shard.sharding @" + gridName + " split_axes = " + lists +
       (partial.empty() ? "" : " " + partial) +
       (layout.empty() ? "" : " " + layout) + " : !shard.sharding");
  return name;
}

Val ProgramBuilder::annotate(const Val &value, bool forUsers) {
  std::string sharding = shardingOp(value, true);
  Val result = value;
  result.name = fresh();
  line(result.name + " = shard.shard " + value.name + " to " + sharding +
       (forUsers ? " annotate_for_users" : "") + " : " + value.type());
  return add(result);
}

void ProgramBuilder::randomHint() {
  std::optional<Val> value = pickAny([](const Val &v) { return v.tensor; });
  if (!value)
    return;
  // The text of shard.sharding has no form for rank 0.
  int64_t what = rng.between(value->shape.empty() ? 6 : 0, 9);
  if (what < 3) {
    // A second unflagged annotation of a value may contradict the first one.
    bool seen = std::find(annotated.begin(), annotated.end(), value->name) !=
                annotated.end();
    if (seen && !contradictions)
      return;
    annotated.push_back(value->name);
    annotated.push_back(annotate(*value, false).name);
  } else if (what < 6) {
    annotated.push_back(annotate(*value, true).name);
  } else if (what < 9) {
    Val result = *value;
    result.name = fresh();
    line(result.name + " = shard.constraint " + value->name + " to " +
         shardingAttr(*value, false) + " : " + value->type());
    if (rng.chance(70))
      add(result);
  } else if (manualAxes.empty()) {
    // The body of a manual computation captures values, which a group must not
    // join with its own.
    std::optional<Val> other = pickAny([&](const Val &v) {
      return v.tensor && v.dynamic == value->dynamic &&
             v.shape == value->shape && v.name != value->name;
    });
    if (other)
      line("shard.group " + value->name + ", " + other->name +
           " id = " + std::to_string(groups++) + " : " + value->type() + ", " +
           other->type());
  }
}
