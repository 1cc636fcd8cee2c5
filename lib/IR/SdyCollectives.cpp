//===- SdyCollectives.cpp - Reads the collectives of Shardy's text --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace shard {

using Axes = SdyAxes;

namespace {
/// An all_to_all of one pair of dimensions.
struct Move {
  Axes axes;
  int64_t from, to;
};
} // namespace

bool SdyOps::isCollective(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"all_gather", "all_slice", "all_to_all", "all_reduce"}, true)
      .Cases({"reduce_scatter", "collective_permute"}, true)
      .Cases({"replicated_to_unreduced", "sharded_to_unreduced"}, true)
      .Default(false);
}

LogicalResult SdyOps::skipAxes() {
  skipSpace();
  if (rest().starts_with("["))
    return LogicalResult(brackets());
  if (!rest().starts_with("{"))
    return success();
  size_t end = rest().find('}');
  if (end == StringRef::npos)
    return fail(position, "expected '}'");
  position += end + 1;
  return success();
}

LogicalResult SdyOps::collective(size_t start, StringRef name) {
  size_t axesAt = position;
  if (failed(skipAxes()))
    return failure();
  int64_t from = -1, to = -1;
  if (name == "all_to_all" && isNext("src_dim"))
    if (failed(expect("src_dim")) || failed(expect("=")) ||
        failed(readNumber(from)) || failed(expect("tgt_dim")) ||
        failed(expect("=")) || failed(readNumber(to)))
      return failure();
  std::string operand = readOperand().str();
  SdySharding after;
  if (operand.empty())
    return fail(position, "expected a value");
  if (failed(expect("out_sharding")) || failed(expect("=")) ||
      failed(readSharding(after)))
    return failure();
  size_t end = position;
  SdySharding before = after;
  position = axesAt;
  if (failed(undo(start, name, from, to, before)))
    return failure();
  position = end;
  StringRef type = rest().ltrim();
  if (!type.consume_front(":"))
    return fail(end, "expected ':' and the type of the result");
  if (name != "collective_permute") {
    std::string input = freshValue();
    type = type.ltrim();
    size_t length = type.find_first_of(" \n}");
    insertBefore(input + " = shard.constraint " + operand + " to " +
                 str(before) + " : " + type.take_front(length).str());
    operand = input;
  }
  writeReshard(operand, after);
  return success();
}

LogicalResult SdyOps::undo(size_t start, StringRef name, int64_t from,
                           int64_t to, SdySharding &sharding) {
  if (name == "collective_permute")
    return success();
  bool perDim = name != "all_to_all" && isNext("[");
  if (name == "all_to_all")
    return undoAllToAll(start, from, to, sharding);
  std::vector<Axes> dims;
  Axes axes;
  if (perDim) {
    if (failed(readList("[", "]", [&] {
          return readAxes(sharding.mesh, dims.emplace_back(), nullptr);
        })))
      return failure();
    if (dims.size() != sharding.dims.size())
      return fail(start, "lists axes of " + Twine(dims.size()) +
                             " dimensions, but out_sharding has " +
                             Twine(sharding.dims.size()));
  } else if (failed(readAxes(sharding.mesh, axes, nullptr))) {
    return failure();
  }
  auto notMinor = [&] {
    return fail(start, "sdy." + name +
                           ": the out_sharding does not end with the axes of "
                           "the collective");
  };
  if (name == "all_reduce")
    appendAxes(sharding.unreduced, axes);
  if (name == "replicated_to_unreduced" &&
      !removeMinor(sharding.unreduced, axes))
    return notMinor();
  for (auto [dim, list] : llvm::zip(sharding.dims, dims)) {
    bool grows = name == "all_gather" || name == "sharded_to_unreduced";
    if (grows)
      appendAxes(dim.axes, list);
    else if (!removeMinor(dim.axes, list))
      return notMinor();
    if (name == "reduce_scatter")
      appendAxes(sharding.unreduced, list);
    if (name == "sharded_to_unreduced" &&
        !removeMinor(sharding.unreduced, list))
      return notMinor();
  }
  return success();
}

LogicalResult SdyOps::undoAllToAll(size_t start, int64_t from, int64_t to,
                                   SdySharding &sharding) {
  std::vector<Move> moves;
  if (isNext("[")) {
    if (failed(readList("[", "]", [&] {
          Move &move = moves.emplace_back();
          return LogicalResult::success(
              succeeded(readAxes(sharding.mesh, move.axes, nullptr)) &&
              succeeded(expect(":")) && succeeded(readNumber(move.from)) &&
              succeeded(expect("->")) && succeeded(readNumber(move.to)));
        })))
      return failure();
  } else {
    moves.push_back({{}, from, to});
    if (failed(readAxes(sharding.mesh, moves[0].axes, nullptr)))
      return failure();
  }
  int64_t rank = sharding.dims.size();
  for (const Move &move : moves) {
    if (move.from < 0 || move.from >= rank || move.to < 0 || move.to >= rank)
      return fail(start, "sdy.all_to_all names a dimension that the "
                         "out_sharding does not have");
    if (!removeMinor(sharding.dims[move.to].axes, move.axes))
      return fail(start, "sdy.all_to_all: dimension " + Twine(move.to) +
                             " of the out_sharding does not end with the "
                             "axes of the collective");
    appendAxes(sharding.dims[move.from].axes, move.axes);
  }
  return success();
}

void SdyOps::writeReshard(const std::string &operand,
                          const SdySharding &sharding) {
  const SdyMesh &mesh = meshes[sharding.mesh];
  auto number = [&](const SdyAxis &axis) -> std::string {
    for (auto [index, entry] : llvm::enumerate(mesh))
      if (entry.first == axis.name && entry.second == axis.size)
        return std::to_string(index);
    return {};
  };
  bool isWhole = sharding.replicated.empty() && !sharding.dims.empty();
  auto list = [&](const Axes &axes) {
    std::vector<std::string> numbers;
    for (const SdyAxis &axis : axes) {
      numbers.push_back(number(axis));
      isWhole &= !numbers.back().empty();
    }
    return "[" + llvm::join(numbers, ", ") + "]";
  };
  std::vector<std::string> dims;
  for (const SdyDim &dim : sharding.dims) {
    dims.push_back(list(dim.axes));
    isWhole &= !dim.open && dim.priority.empty();
  }
  std::string partial = sharding.unreduced.empty()
                            ? std::string()
                            : " partial = sum " + list(sharding.unreduced);
  if (!isWhole) {
    out += "shard.constraint " + operand + " to " + str(sharding);
    return;
  }
  std::string handle = freshValue();
  insertBefore(handle + " = shard.sharding @" + sharding.mesh +
               " split_axes = [" + llvm::join(dims, ", ") + "]" + partial +
               " : !shard.sharding");
  out += "shard.shard " + operand + " to " + handle + " annotate_for_users";
}

} // namespace shard
