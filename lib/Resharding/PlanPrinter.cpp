//===- PlanPrinter.cpp - Plans for people ---------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Resharding/Plan.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace shard {

const char *stringifyStepKind(Step::Kind kind) {
  switch (kind) {
  case Step::Kind::AllGather:
    return "all_gather";
  case Step::Kind::AllSlice:
    return "all_slice";
  case Step::Kind::AllToAll:
    return "all_to_all";
  case Step::Kind::Permute:
    return "permute";
  case Step::Kind::Redistribute:
    return "redistribute";
  case Step::Kind::AllReduce:
    return "all_reduce";
  case Step::Kind::ReduceScatter:
    return "reduce_scatter";
  case Step::Kind::MakePartial:
    return "make_partial";
  case Step::Kind::EmbedPartial:
    return "embed_partial";
  case Step::Kind::UpdateHalo:
    return "update_halo";
  case Step::Kind::SliceHalo:
    return "slice_halo";
  case Step::Kind::TrimHalo:
    return "trim_halo";
  case Step::Kind::GatherOffsets:
    return "gather_offsets";
  case Step::Kind::SliceOffsets:
    return "slice_offsets";
  case Step::Kind::PadOffsets:
    return "pad_offsets";
  case Step::Kind::TrimOffsets:
    return "trim_offsets";
  }
  return "unknown";
}

namespace {
std::string printAxes(const AxisList &axes) {
  std::string text = "[";
  for (size_t i = 0; i < axes.size(); ++i)
    text += (i ? ", " : "") + std::to_string(axes[i]);
  return text + "]";
}

std::string printDims(const std::vector<AxisList> &dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + printAxes(dims[i]);
  return text + "]";
}

std::string printShape(const std::vector<int64_t> &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "x" : "") + (shape[i] == kDynamic ? std::string("?")
                                                   : std::to_string(shape[i]));
  return text;
}

/// What the step does, without its result.
std::string printAction(const Step &step) {
  std::string text = stringifyStepKind(step.kind);
  if (!step.axes.empty())
    text += " axes = " + printAxes(step.axes);
  if (step.kind == Step::Kind::Permute)
    text += " to = " + printAxes(step.toAxes);
  if (step.kind == Step::Kind::Redistribute)
    text += " from = " + printDims(step.fromDims) +
            " to = " + printDims(step.toDims);
  if (step.dim >= 0)
    text += " dim = " + std::to_string(step.dim);
  if (step.concatDim >= 0)
    text += " concat_dim = " + std::to_string(step.concatDim);
  if (step.kind == Step::Kind::AllReduce ||
      step.kind == Step::Kind::ReduceScatter ||
      step.kind == Step::Kind::MakePartial ||
      step.kind == Step::Kind::EmbedPartial)
    text +=
        " reduction = " + std::string(stringifyReductionKind(step.reduction));
  return text;
}

/// Rows in columns, those from `firstNumber` on to the right.
void printRows(std::ostringstream &out,
               const std::vector<std::vector<std::string>> &rows,
               size_t firstNumber) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const auto &row : rows) {
    std::string line = " ";
    for (size_t i = 0; i < row.size(); ++i) {
      std::string padding(widths[i] - row[i].size(), ' ');
      line +=
          " " + (i >= firstNumber ? padding + row[i] : row[i] + padding) + " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  }
}

/// Whole numbers without a point, others with as few digits as tell them apart.
std::string printNumber(double value) {
  std::ostringstream out;
  out << std::setprecision(12) << value;
  return out.str();
}
} // namespace

std::string toString(const Step &step) {
  return printAction(step) + " -> " + toString(step.result) + " " +
         printShape(step.localShape);
}

std::string toString(const Plan &plan, const Grid &grid,
                     const std::vector<int64_t> &shape, int64_t elementBytes,
                     const Sharding &from, const Sharding &to) {
  std::ostringstream out;
  out << "grid " << printShape(grid.shape) << ", tensor " << printShape(shape)
      << " of " << elementBytes << "-byte elements\n";

  // Columns: what is done, sharding and local shape afterwards, bytes, peak,
  // cost.
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"step", "sharding", "local", "bytes", "peak", "cost"});
  rows.push_back({"", toString(from), printShape(localShape(grid, shape, from)),
                  "", "", ""});
  for (const Step &step : plan.steps)
    rows.push_back({printAction(step), toString(step.result),
                    printShape(step.localShape), std::to_string(step.bytesSent),
                    std::to_string(step.peakBytes), printNumber(step.cost)});
  if (plan.steps.empty())
    rows.push_back({"nothing to do", toString(to),
                    printShape(localShape(grid, shape, to)), "0", "0", "0"});
  printRows(out, rows, 3);
  out << "cost " << printNumber(plan.cost) << ", " << plan.bytesSent
      << " bytes sent per device, at least " << plan.lowerBoundBytes
      << " to be received, peak " << plan.peakBytes << " bytes"
      << (plan.optimal ? "" : ", perhaps not the cheapest plan") << "\n";
  return out.str();
}

std::optional<std::string> tableOfPlans(const Grid &grid,
                                        const std::vector<int64_t> &shape,
                                        int64_t elementBytes,
                                        const CostModel &costModel,
                                        int64_t maxPairs, std::string *error) {
  int64_t rank = static_cast<int64_t>(shape.size());
  // Each axis at every place of the lists of those before it, or nowhere.
  std::vector<Sharding> all = {Sharding::replicated(rank)};
  for (GridAxis axis = 0; axis < grid.rank(); ++axis) {
    std::vector<Sharding> more = all;
    for (const Sharding &base : all)
      for (AxisList::size_type dim = 0; dim < shape.size(); ++dim)
        for (size_t at = 0; at <= base.dims[dim].size(); ++at) {
          more.push_back(base);
          AxisList &axes = more.back().dims[dim];
          axes.insert(axes.begin() + static_cast<ptrdiff_t>(at), axis);
        }
    all = std::move(more);
    int64_t count = static_cast<int64_t>(all.size());
    if (count > maxPairs / count) {
      if (error)
        *error = "the table would have more than " + std::to_string(maxPairs) +
                 " lines";
      return std::nullopt;
    }
  }
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"from", "to", "steps", "cost", "bound", "peak"});
  double cost = 0, bound = 0;
  for (const Sharding &from : all)
    for (const Sharding &to : all) {
      std::optional<Plan> plan =
          planReshard(grid, shape, elementBytes, from, to, costModel, error);
      if (!plan)
        return std::nullopt;
      std::string steps;
      for (const Step &step : plan->steps)
        steps += (steps.empty() ? "" : ", ") +
                 std::string(stringifyStepKind(step.kind));
      rows.push_back({toString(from), toString(to), steps,
                      printNumber(plan->cost),
                      std::to_string(plan->lowerBoundBytes),
                      std::to_string(plan->peakBytes)});
      cost += plan->cost;
      bound += static_cast<double>(plan->lowerBoundBytes);
    }
  std::ostringstream out;
  out << "grid " << printShape(grid.shape) << ", tensor " << printShape(shape)
      << " of " << elementBytes << "-byte elements\n";
  printRows(out, rows, 3);
  out << rows.size() - 1 << " pairs, cost " << printNumber(cost)
      << ", lower bounds " << printNumber(bound) << "\n";
  return out.str();
}

} // namespace shard
