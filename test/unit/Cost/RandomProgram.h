//===- RandomProgram.h - Programs of one device ----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs of collectives, products that add to a tensor, views, branches and loops.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_UNIT_COST_RANDOMPROGRAM_H
#define SHARD_TEST_UNIT_COST_RANDOMPROGRAM_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace shard::test {

enum class Kind { Gather, Scatter, Sum, Product, View, If, For };

struct Node;

/// A block, and the values that it hands over at its end.
struct Nodes {
  std::vector<Node> ops;
  std::vector<int> yielded;
};

/// An op with one result. Values are numbers.
struct Node {
  Kind kind;
  std::vector<int> operands;
  int result = -1;
  /// What a loop carries.
  int argument = -1;
  std::vector<Nodes> regions;
};

/// A random function.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random(seed) {
    std::vector<int> visible;
    for (int i = 0; i < 3; ++i)
      visible.push_back(arguments[i] = add(1 + below(6)));
    entry = block(visible, /*depth=*/2);
    entry.yielded = {pick(visible), pick(visible)};
  }

  int64_t below(int64_t n) { return int64_t(random() % n); }

  /// Whole cache lines of rows of 4 floats.
  int64_t bufferOf(int value) const {
    return (16 * rows[value] + 63) / 64 * 64;
  }

  std::string text() const {
    std::string text = "shard.grid @g(shape = 2)\nfunc.func @main(";
    for (int argument : arguments)
      text += name(argument) + ": " + type(argument) + ", ";
    text += "%w: tensor<4x4xf32>, %c: i1, %n: index, %one: index) -> (";
    text += type(entry.yielded[0]) + ", " + type(entry.yielded[1]) + ") {\n";
    text += print(entry) + "  return " + name(entry.yielded[0]) + ", " +
            name(entry.yielded[1]) + " : " + type(entry.yielded[0]) + ", " +
            type(entry.yielded[1]) + "\n}\n";
    return text;
  }

  Nodes entry;
  int arguments[3];
  std::vector<int64_t> rows;

private:
  int add(int64_t numRows) {
    rows.push_back(numRows);
    return int(rows.size()) - 1;
  }

  int pick(const std::vector<int> &values) {
    return values[below(int64_t(values.size()))];
  }

  /// One of `values` with as many rows as `like`, which is one of them.
  int pickLike(const std::vector<int> &values, int like) {
    std::vector<int> same;
    for (int value : values)
      if (rows[value] == rows[like])
        same.push_back(value);
    return pick(same);
  }

  /// Ops that see `visible`, to which it adds what they make.
  Nodes block(std::vector<int> &visible, int depth) {
    Nodes nodes;
    for (int64_t count = 1 + below(depth == 2 ? 7 : 4); count > 0; --count) {
      nodes.ops.push_back(op(visible, depth));
      visible.push_back(nodes.ops.back().result);
    }
    return nodes;
  }

  Node op(const std::vector<int> &visible, int depth) {
    // Values that were made last are more likely.
    std::vector<int> recent(visible.end() - std::min<size_t>(4, visible.size()),
                            visible.end());
    int source = pick(below(2) ? recent : visible);
    Node made{static_cast<Kind>(below(depth > 0 ? 7 : 5)), {source}};
    int64_t numRows = rows[source];
    switch (made.kind) {
    case Kind::Gather:
      numRows *= 2;
      if (numRows > 24) {
        made.kind = Kind::Sum;
        numRows /= 2;
      }
      break;
    case Kind::Scatter:
      numRows = (numRows + 1) / 2;
      break;
    case Kind::Product:
      made.operands.push_back(pickLike(visible, source));
      if (made.operands[0] == made.operands[1])
        made.kind = Kind::Sum;
      break;
    case Kind::If:
      for (int region = 0; region < 2; ++region) {
        std::vector<int> inside = visible;
        made.regions.push_back(block(inside, depth - 1));
        made.regions.back().yielded = {pickLike(inside, source)};
      }
      made.operands.clear();
      break;
    case Kind::For: {
      std::vector<int> inside = visible;
      inside.push_back(made.argument = add(numRows));
      made.regions.push_back(block(inside, depth - 1));
      made.regions.back().yielded = {pickLike(inside, source)};
      break;
    }
    default:
      break;
    }
    made.result = add(numRows);
    return made;
  }

  static std::string name(int value) { return "%v" + std::to_string(value); }
  std::string type(int value) const {
    return "tensor<" + std::to_string(rows[value]) + "x4xf32>";
  }

  std::string print(const Nodes &nodes) const {
    std::string text;
    for (const Node &node : nodes.ops)
      text += print(node);
    return text;
  }

  std::string inRegion(const Nodes &nodes) const {
    return print(nodes) + "  scf.yield " + name(nodes.yielded[0]) + " : " +
           type(nodes.yielded[0]) + "\n";
  }

  std::string print(const Node &node) const {
    std::string result = name(node.result), to = type(node.result);
    std::string a = node.operands.empty() ? "" : name(node.operands[0]);
    std::string from = node.operands.empty() ? "" : type(node.operands[0]);
    std::string head = "  " + result + " = ";
    switch (node.kind) {
    case Kind::Gather:
      return head + "shard.all_gather " + a +
             " on @g grid_axes = [0] gather_axis = 0 : " + from + " -> " + to +
             "\n";
    case Kind::Scatter:
      return head + "shard.reduce_scatter " + a +
             " on @g grid_axes = [0] scatter_axis = 0 : " + from + " -> " + to +
             "\n";
    case Kind::Sum:
      return head + "shard.all_reduce " + a +
             " on @g grid_axes = [0] : " + from + " -> " + to + "\n";
    case Kind::Product:
      return head + "linalg.matmul ins(" + a + ", %w : " + from +
             ", tensor<4x4xf32>) outs(" + name(node.operands[1]) + " : " + to +
             ") -> " + to + "\n";
    case Kind::View: {
      std::string flat =
          "tensor<" + std::to_string(4 * rows[node.result]) + "xf32>";
      return "  " + result + "_flat = tensor.collapse_shape " + a +
             " [[0, 1]] : " + from + " into " + flat + "\n" + head +
             "tensor.expand_shape " + result + "_flat [[0, 1]] output_shape [" +
             std::to_string(rows[node.result]) + ", 4] : " + flat + " into " +
             to + "\n";
    }
    case Kind::If:
      return head + "scf.if %c -> (" + to + ") {\n" +
             inRegion(node.regions[0]) + "  } else {\n" +
             inRegion(node.regions[1]) + "  }\n";
    case Kind::For:
      return head + "scf.for %i" + std::to_string(node.result) +
             " = %one to %n step %one iter_args(" + name(node.argument) +
             " = " + a + ") -> (" + to + ") {\n" + inRegion(node.regions[0]) +
             "  }\n";
    }
    return "";
  }

  std::mt19937 random;
};

} // namespace shard::test

#endif // SHARD_TEST_UNIT_COST_RANDOMPROGRAM_H
