//===- Programs.h - Small programs for engine tests -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Axes are called a, b, c, ... in the order of the grid. A hint is written as
// in "a,b?|c p1|": dimensions separated by `|`, axes by commas, `?` for open, a
// priority; a sub-axis as a:(2)4. Results are printed in the same way, without
// `?`; "+sum(b)" is appended where the value is partial.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_UNIT_PROPAGATION_PROGRAMS_H
#define SHARD_TEST_UNIT_PROPAGATION_PROGRAMS_H

#include "shard/Propagation/Engine.h"

#include <gtest/gtest.h>

namespace shard::propagation {

class Program {
public:
  explicit Program(std::vector<int64_t> grid)
      : problem(Grid{std::move(grid)}) {}

  Problem problem;
  PropagationOptions options;

  ValueId value(std::vector<int64_t> shape, const std::string &text = "") {
    Shape made;
    made.extents.assign(shape.begin(), shape.end());
    ValueId id = problem.addValue(problem.addShape(made));
    if (!text.empty())
      problem.addHint(id, hint(text));
    return id;
  }
  /// 8x8.
  ValueId square(const std::string &text = "") { return value({8, 8}, text); }

  AxisPart part(const std::string &text) const {
    GridAxis axis = text[0] - 'a';
    AxisPart part{axis, 1, problem.grid.shape[axis]};
    if (text.size() > 1)
      sscanf(text.c_str() + 1, ":(%ld)%ld", &part.preSize, &part.size);
    return part;
  }

  Hint hint(const std::string &text) const {
    Hint result;
    result.dims.push_back({{}, false, 0});
    for (size_t i = 0; i < text.size();) {
      DimHint &dim = result.dims.back();
      char c = text[i];
      if (c == '|')
        result.dims.push_back({{}, false, 0});
      else if (c == '?')
        dim.open = true;
      else if (c == 'p')
        dim.priority = text[++i] - '0';
      else if (c >= 'a' && c <= 'o') {
        size_t end = text.find_first_of(",|? ", i);
        end = end == std::string::npos ? text.size() : end;
        dim.axes.push_back(part(text.substr(i, end - i)));
        i = end;
        continue;
      }
      ++i;
    }
    return result;
  }

  /// An op whose loops are letters: einsum("mk,kn->mn"), letters that the
  /// result lacks are reductions. Digits of a reshaped dimension stand in
  /// parentheses.
  OpId op(const std::string &text, std::vector<int64_t> extents,
          std::vector<ValueId> operands, std::vector<ValueId> results,
          PartialRule rule = PartialRule::None) {
    LoopTable table;
    std::string order, resultPart = text.substr(text.find('>') + 1);
    for (char c : text)
      if (c >= 'a' && c <= 'z' && order.find(c) == std::string::npos)
        order += c;
    for (size_t i = 0; i < order.size(); ++i)
      table.loops.push_back(resultPart.find(order[i]) != std::string::npos
                                ? Loop::parallel(extents[i])
                                : Loop::reduce(extents[i], ReductionKind::Sum));
    bool group = false;
    TensorLoops tensor;
    tensor.isTensor = true;
    bool inResults = false;
    auto flush = [&] {
      if (inResults)
        table.results.push_back(tensor);
      else
        table.operands.push_back(tensor);
      tensor.dims.clear();
    };
    for (char c : text) {
      if (c == ',' || c == '-')
        flush();
      else if (c == '>')
        inResults = true;
      else if (c == '(')
        group = true, tensor.dims.emplace_back();
      else if (c == ')')
        group = false;
      else if (group)
        tensor.dims.back().push_back(order.find(c));
      else
        tensor.dims.push_back({int32_t(order.find(c))});
    }
    flush();
    table.partialRule = rule;
    std::vector<ShapeId> shapes;
    for (ValueId id : operands)
      shapes.push_back(problem.valueShape[id]);
    for (ValueId id : results)
      shapes.push_back(problem.valueShape[id]);
    return problem.addOp(problem.addTable(table, shapes), operands, results);
  }

  ValueId add(ValueId left, ValueId right) {
    ValueId result = square();
    op("mn,mn->mn", {8, 8}, {left, right}, {result}, PartialRule::Additive);
    return result;
  }
  OpId addInto(ValueId left, ValueId right, ValueId result) {
    return op("mn,mn->mn", {8, 8}, {left, right}, {result},
              PartialRule::Additive);
  }
  ValueId negate(ValueId source) {
    ValueId result = square();
    op("mn->mn", {8, 8}, {source}, {result}, PartialRule::Additive);
    return result;
  }
  /// Not linear: relu, say.
  ValueId relu(ValueId source) {
    ValueId result = square();
    op("mn->mn", {8, 8}, {source}, {result});
    return result;
  }
  OpId dotInto(ValueId left, ValueId right, ValueId result) {
    return op("mk,kn->mn", {8, 8, 8}, {left, right}, {result},
              PartialRule::Multilinear);
  }
  ValueId dot(ValueId left, ValueId right) {
    ValueId result = square();
    dotInto(left, right, result);
    return result;
  }
  OpId identity(ValueId source, ValueId target) {
    const Shape &shape = problem.shapes[problem.valueShape[source]];
    ShapeId ids[] = {problem.valueShape[source], problem.valueShape[target]};
    return problem.addOp(problem.addTable(identityTable(shape.extents), ids),
                         {source}, {target});
  }

  Program &basic() {
    options.strategy = PropagationStrategy::Basic;
    return *this;
  }

  void solve() {
    auto result = propagation::solve(problem, options);
    if (HintError *found = std::get_if<HintError>(&result))
      error = found->text;
    else
      solution = std::move(std::get<Solution>(result));
  }

  std::string axis(GridAxis number) const {
    const AxisPart &origin = solution.axes[number];
    std::string name(1, 'a' + origin.axis);
    if (origin.size != problem.grid.shape[origin.axis])
      name += ":(" + std::to_string(origin.preSize) + ")" +
              std::to_string(origin.size);
    return name;
  }
  std::string list(const AxisList &axes) const {
    std::string text;
    for (GridAxis number : axes)
      text += (text.empty() ? "" : ",") + axis(number);
    return text;
  }
  /// Solves at the first call.
  std::string operator[](ValueId id) {
    if (!solved)
      solve();
    solved = true;
    if (!error.empty())
      return "error: " + error;
    const Shape &shape = problem.shapes[problem.valueShape[id]];
    Sharding sharding = solution.sharding(id, shape.extents.size());
    std::string text;
    for (size_t dim = 0; dim < sharding.dims.size(); ++dim)
      text += (dim ? "|" : "") + list(sharding.dims[dim]);
    if (!sharding.partial.empty())
      text += "+" + std::string(stringifyReductionKind(sharding.reduction)) +
              "(" + list(sharding.partial) + ")";
    return text;
  }

  Solution solution;
  std::string error;
  bool solved = false;
};

} // namespace shard::propagation

#endif // SHARD_TEST_UNIT_PROPAGATION_PROGRAMS_H
