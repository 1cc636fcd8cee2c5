//===- CheckPlanText.cpp - What is printed of plans -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// People read tables of plans, so that nothing that runs sees what is wrong with them.
//
//===----------------------------------------------------------------------===//

#include "CheckPlanRuns.h"

#include "shard/Fuzz/Random.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>

namespace shard::fuzz {

static std::string join(const std::vector<std::string> &parts,
                        const std::string &between) {
  std::string text;
  for (const std::string &part : parts)
    text += (&part == &parts.front() ? "" : between) + part;
  return text;
}

static std::string listOf(const AxisList &axes) {
  std::vector<std::string> parts;
  for (GridAxis axis : axes)
    parts.push_back(std::to_string(axis));
  return "[" + join(parts, ", ") + "]";
}

static std::string listOf(const std::vector<AxisList> &dims) {
  std::vector<std::string> parts;
  for (const AxisList &axes : dims)
    parts.push_back(listOf(axes));
  return "[" + join(parts, ", ") + "]";
}

static std::string shapeOf(const std::vector<int64_t> &shape) {
  std::vector<std::string> parts;
  for (int64_t extent : shape)
    parts.push_back(extent == kDynamic ? "?" : std::to_string(extent));
  return parts.empty() ? "scalar" : join(parts, "x");
}

static std::string numberOf(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

/// What a step does: its keyword and the fields that its kind has.
static std::string actionOf(const Step &step) {
  using Kind = Step::Kind;
  static const std::map<Kind, std::string> keywords = {
      {Kind::AllGather, "all_gather"},
      {Kind::AllSlice, "all_slice"},
      {Kind::AllToAll, "all_to_all"},
      {Kind::Permute, "permute"},
      {Kind::Redistribute, "redistribute"},
      {Kind::AllReduce, "all_reduce"},
      {Kind::ReduceScatter, "reduce_scatter"},
      {Kind::MakePartial, "make_partial"},
      {Kind::EmbedPartial, "embed_partial"},
      {Kind::UpdateHalo, "update_halo"},
      {Kind::SliceHalo, "slice_halo"},
      {Kind::TrimHalo, "trim_halo"},
      {Kind::GatherOffsets, "gather_offsets"},
      {Kind::SliceOffsets, "slice_offsets"},
      {Kind::PadOffsets, "pad_offsets"},
      {Kind::TrimOffsets, "trim_offsets"}};
  std::vector<std::string> parts = {keywords.at(step.kind)};
  auto add = [&](bool has, const std::string &name, const std::string &value) {
    if (has)
      parts.push_back(name + " = " + value);
  };
  bool redistributes = step.kind == Kind::Redistribute;
  bool reduces =
      step.kind == Kind::AllReduce || step.kind == Kind::ReduceScatter ||
      step.kind == Kind::MakePartial || step.kind == Kind::EmbedPartial;
  add(!step.axes.empty(), "axes", listOf(step.axes));
  add(step.kind == Kind::Permute, "to", listOf(step.toAxes));
  add(redistributes, "from", listOf(step.fromDims));
  add(redistributes, "to", listOf(step.toDims));
  add(step.dim != -1, "dim", std::to_string(step.dim));
  add(step.concatDim != -1, "concat_dim", std::to_string(step.concatDim));
  add(reduces, "reduction",
      std::string(stringifyReductionKind(step.reduction)));
  return join(parts, " ");
}

/// Rows of cells in columns, two blanks between them, the numbers at their right.
static std::string tableOf(const std::vector<std::vector<std::string>> &rows,
                           size_t numTexts) {
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      size_t width = 0;
      for (const std::vector<std::string> &other : rows)
        width = std::max(width, other[column].size());
      std::string blanks(width - row[column].size(), ' ');
      line += column < numTexts ? "  " + row[column] + blanks
                                : "  " + blanks + row[column];
    }
    while (!line.empty() && line.back() == ' ')
      line.pop_back();
    text += line + "\n";
  }
  return text;
}

static std::string titleOf(const Grid &grid, const std::vector<int64_t> &shape,
                           int64_t elementBytes) {
  return "grid " + shapeOf(grid.shape) + ", tensor " + shapeOf(shape) + " of " +
         std::to_string(elementBytes) + "-byte elements\n";
}

std::string checkPlanText(const Plan &plan, const Grid &grid,
                          const std::vector<int64_t> &shape,
                          int64_t elementBytes, const Sharding &from,
                          const Sharding &to) {
  std::vector<std::vector<std::string>> rows = {
      {"step", "sharding", "local", "bytes", "peak", "cost"},
      {"", toString(from), shapeOf(localShape(grid, shape, from)), "", "", ""}};
  std::string steps;
  for (const Step &step : plan.steps) {
    std::string after = toString(step.result), local = shapeOf(step.localShape);
    rows.push_back({actionOf(step), after, local,
                    std::to_string(step.bytesSent),
                    std::to_string(step.peakBytes), numberOf(step.cost)});
    if (toString(step) != actionOf(step) + " -> " + after + " " + local)
      return "has a step that is printed as " + toString(step);
  }
  if (plan.steps.empty())
    rows.push_back({"nothing to do", toString(to),
                    shapeOf(localShape(grid, shape, to)), "0", "0", "0"});
  std::string text =
      titleOf(grid, shape, elementBytes) + tableOf(rows, 3) + "cost " +
      numberOf(plan.cost) + ", " + std::to_string(plan.bytesSent) +
      " bytes sent per device, at least " +
      std::to_string(plan.lowerBoundBytes) + " to be received, peak " +
      std::to_string(plan.peakBytes) + " bytes" +
      (plan.optimal ? "" : ", perhaps not the cheapest plan") + "\n";
  return toString(plan, grid, shape, elementBytes, from, to) == text
             ? ""
             : "is not printed as " + text;
}

/// All shardings: each axis stands anywhere among those before it, or nowhere.
static std::vector<Sharding> allShardings(const Grid &grid, size_t rank) {
  std::vector<Sharding> all = {Sharding::replicated(int64_t(rank))};
  for (size_t axis = 0; axis < grid.shape.size(); ++axis)
    for (size_t i = all.size(); i-- > 0;)
      for (size_t dim = 0; dim < rank; ++dim)
        for (size_t at = 0; at <= all[i].dims[dim].size(); ++at) {
          Sharding more = all[i];
          more.dims[dim].insert(more.dims[dim].begin() + std::ptrdiff_t(at),
                                GridAxis(axis));
          all.push_back(more);
        }
  return all;
}

std::string checkPlanTable(uint64_t seed) {
  Random rng(seed);
  Grid grid;
  for (int64_t axes = rng.between(1, 2); axes > 0; --axes)
    grid.shape.push_back(rng.between(2, 3));
  std::vector<int64_t> shape;
  for (int64_t rank = rng.between(0, 2); rank > 0; --rank)
    shape.push_back(rng.between(1, 12));
  std::vector<Sharding> all = allShardings(grid, shape.size());
  auto pairs = int64_t(all.size() * all.size());
  std::map<std::string, int64_t> lines;
  double cost = 0, bound = 0;
  std::vector<std::vector<std::string>> rows;
  for (const Sharding &from : all)
    for (const Sharding &to : all) {
      std::optional<Plan> plan = planReshard(grid, shape, 4, from, to);
      std::vector<std::string> steps;
      for (const Step &step : plan->steps)
        steps.push_back(stringifyStepKind(step.kind));
      rows.push_back({toString(from), toString(to), join(steps, ", "),
                      numberOf(plan->cost),
                      std::to_string(plan->lowerBoundBytes),
                      std::to_string(plan->peakBytes)});
      cost += plan->cost;
      bound += double(plan->lowerBoundBytes);
    }
  // In any order of the pairs.
  rows.insert(rows.begin(), {"from", "to", "steps", "cost", "bound", "peak"});
  std::string expected = titleOf(grid, shape, 4) + tableOf(rows, 3) +
                         std::to_string(pairs) + " pairs, cost " +
                         numberOf(cost) + ", lower bounds " + numberOf(bound) +
                         "\n";
  std::string error;
  std::optional<std::string> table =
      tableOfPlans(grid, shape, 4, LinkCostModel(), pairs, &error);
  auto sorted = [](const std::string &text) {
    std::vector<std::string> lines;
    for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
      end = text.find('\n', begin);
      lines.push_back(text.substr(begin, end - begin));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  if (!table || sorted(*table) != sorted(expected))
    return "a table of plans is not " + expected + " but " +
           table.value_or(error);
  if (tableOfPlans(grid, shape, 4, LinkCostModel(), pairs - 1, &error) ||
      error.empty())
    return "a table has more lines than are asked for";
  return {};
}

} // namespace shard::fuzz
