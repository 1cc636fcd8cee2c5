//===- ImportSdy.cpp - Reads programs with Shardy's shardings -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ImportSdy.h"

#include "SdyReader.h"

#include "shard/IR/ShardOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace shard {

namespace {
using Axes = SdyAxes;

class SdyRewriter : public SdyReader {
public:
  SdyRewriter(StringRef text, TextError error) : SdyReader(text, error) {}

private:
  //===--------------------------------------------------------------------===//
  // Attributes
  //===--------------------------------------------------------------------===//

  LogicalResult attributeOrType(size_t start, char sigil,
                                StringRef name) override {
    if (sigil == '#' && name == "sdy.sharding") {
      SdySharding sharding;
      if (failed(readSharding(sharding)))
        return failure();
      out += "#shard.sharding" + str(sharding);
      return success();
    }
    if (sigil == '#' && name == "sdy.sharding_per_value") {
      std::vector<std::string> all;
      if (failed(expect("<")) ||
          failed(readList("[", "]",
                          [&] {
                            SdySharding sharding;
                            if (failed(readSharding(sharding)))
                              return failure();
                            all.push_back("#shard.sharding" + str(sharding));
                            return success();
                          })) ||
          failed(expect(">")))
        return failure();
      out += all.size() == 1 ? all.front() : "[" + llvm::join(all, ", ") + "]";
      return success();
    }
    return TextRewriter::attributeOrType(start, sigil, name);
  }

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  LogicalResult word() override {
    size_t start = position;
    StringRef name = rest().take_while(isIdentifier);
    if (!name.consume_front("sdy."))
      return TextRewriter::word();
    position += 4 + name.size();
    if (name == "sharding" && isNext("=")) {
      out += "shard.sharding";
      return success();
    }
    if (isNext("="))
      return fail(start, "the attribute sdy." + name +
                             " has no counterpart in shard" +
                             (name == "sharding_rule"
                                  ? "; shard.loops on the op says how its "
                                    "loops are split"
                                  : ""));
    if (name == "mesh")
      return mesh(start);
    if (name == "return") {
      out += "shard.return";
      return success();
    }
    if (name == "constant") {
      out += "arith.constant";
      return success();
    }
    if (name == "sharding_constraint")
      return constraint();
    if (name == "reshard")
      return reshard();
    if (name == "sharding_group")
      return group();
    if (name == "manual_computation")
      return manualComputation(start);
    if (name == "propagation_barrier")
      return barrier(start);
    if (isCollective(name))
      return collective(start, name);
    return fail(start,
                "sdy." + name + " has no counterpart in shard" +
                    (name == "named_computation" ? "; inline it first" : ""));
  }

  LogicalResult mesh(size_t start) {
    std::string symbol;
    SdyMesh mesh;
    std::vector<int64_t> ids;
    if (failed(readMesh(start, symbol, mesh, ids)))
      return failure();
    auto sizes = llvm::map_range(
        mesh, [](const auto &axis) { return std::to_string(axis.second); });
    auto names = llvm::map_range(
        mesh, [](const auto &axis) { return "\"" + axis.first + "\""; });
    out += "shard.grid @" + symbol + "(shape = ";
    // One device is a grid of one axis of size 1.
    out += mesh.empty() ? "1)"
                        : llvm::join(sizes, "x") + ") axes [" +
                              llvm::join(names, ", ") + "]";
    if (!ids.empty())
      out += " device_ids = [" +
             llvm::join(llvm::map_range(
                            ids, [](int64_t id) { return std::to_string(id); }),
                        ", ") +
             "]";
    return success();
  }

  StringRef readOperand() { return takeWhile(isValue); }

  LogicalResult constraint() {
    StringRef operand = readOperand();
    SdySharding sharding;
    if (failed(readSharding(sharding)))
      return failure();
    out += ("shard.constraint " + operand + " to " + str(sharding)).str();
    return success();
  }

  LogicalResult reshard() {
    StringRef operand = readOperand();
    SdySharding sharding;
    if (failed(readSharding(sharding)))
      return failure();
    writeReshard(operand.str(), sharding);
    return success();
  }

  /// A reshard is for its users, also if there are none. Parts of axes have no text in
  /// a shard.sharding.
  void writeReshard(const std::string &operand, const SdySharding &sharding) {
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

  LogicalResult group() {
    StringRef operand = readOperand();
    int64_t number;
    if (failed(expect("group_id")) || failed(expect("=")) ||
        failed(readNumber(number)))
      return failure();
    out += ("shard.group " + operand + " id = " + Twine(number)).str();
    return success();
  }

  LogicalResult readShardings(StringRef key, std::vector<SdySharding> &list) {
    if (failed(expect(key)) || failed(expect("=")))
      return failure();
    return readList("[", "]",
                    [&] { return readSharding(list.emplace_back()); });
  }

  LogicalResult manualComputation(size_t start) {
    skipSpace();
    size_t operands = position;
    if (failed(readList("(", ")", [&] {
          if (readOperand().empty())
            return fail(position, "expected a value");
          return success();
        })))
      return failure();
    StringRef inputs = text.slice(operands, position);
    std::vector<SdySharding> in, results;
    if (failed(readShardings("in_shardings", in)) ||
        failed(readShardings("out_shardings", results)) ||
        failed(expect("manual_axes")) || failed(expect("=")))
      return failure();
    if (in.empty() && results.empty())
      return fail(start,
                  "a manual_computation without operands and results has "
                  "no mesh");
    const std::string &symbol = in.empty() ? results[0].mesh : in[0].mesh;
    skipSpace();
    size_t at = position;
    Axes axes;
    if (failed(readAxes(symbol, axes, nullptr)))
      return failure();
    const SdyMesh &mesh = meshes[symbol];
    auto numberOf = [&](const SdyAxis &axis) {
      return llvm::find_if(
                 mesh,
                 [&](const auto &entry) { return entry.first == axis.name; }) -
             mesh.begin();
    };
    auto isBefore = [&](const SdyAxis &a, const SdyAxis &b) {
      return std::pair(numberOf(a), a.preSize) <
             std::pair(numberOf(b), b.preSize);
    };
    llvm::sort(axes, isBefore);
    std::vector<std::string> names;
    for (const SdyAxis &axis : axes) {
      names.push_back("\"" + axis.name + "\"");
      if (names.size() > 1 && names[names.size() - 2] == names.back())
        return fail(at, "manual axis " + names.back() + " stands twice");
    }
    // A manual axis that a sharding does not mention does not split the value.
    for (std::vector<SdySharding> *shardings : {&in, &results})
      for (SdySharding &sharding : *shardings) {
        for (const SdyAxis &axis : axes)
          if (!sharding.mentions(axis.name))
            sharding.replicated.push_back(axis);
        llvm::sort(sharding.replicated, isBefore);
      }
    auto list = [&](const std::vector<SdySharding> &shardings) {
      return "[" +
             llvm::join(llvm::map_range(shardings,
                                        [&](const SdySharding &sharding) {
                                          return str(sharding);
                                        }),
                        ", ") +
             "]";
    };
    out += "shard.manual_computation" + inputs.str() + " on @" + symbol +
           " in = " + list(in) + " out = " + list(results) + " axes = [" +
           llvm::join(names, ", ") + "]";
    return success();
  }

  LogicalResult barrier(size_t start) {
    return fail(start, "sdy.propagation_barrier has no counterpart in shard: "
                       "state the sharding of the value on both sides by "
                       "sdy.sharding_constraint and sdy.reshard");
  }

  //===--------------------------------------------------------------------===//
  // Collectives
  //===--------------------------------------------------------------------===//

  static bool isCollective(StringRef name) {
    return llvm::StringSwitch<bool>(name)
        .Cases({"all_gather", "all_slice", "all_to_all", "all_reduce"}, true)
        .Cases({"reduce_scatter", "collective_permute"}, true)
        .Cases({"replicated_to_unreduced", "sharded_to_unreduced"}, true)
        .Default(false);
  }

  /// An all_to_all of one pair of dimensions.
  struct Move {
    Axes axes;
    int64_t from, to;
  };

  /// The text between the name of a collective and its operand. The axes can only be
  /// read once the mesh is known, which the out sharding names.
  LogicalResult skipAxes() {
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

  LogicalResult collective(size_t start, StringRef name) {
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

  /// Makes `sharding`, the out sharding of a collective, that of its operand.
  LogicalResult undo(size_t start, StringRef name, int64_t from, int64_t to,
                     SdySharding &sharding) {
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

  LogicalResult undoAllToAll(size_t start, int64_t from, int64_t to,
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
};
} // namespace

FailureOr<std::string>
rewriteSdyText(StringRef text,
               llvm::function_ref<void(size_t, const Twine &)> emitError) {
  SdyRewriter rewriter(text, emitError);
  if (failed(rewriter.readMeshes()))
    return failure();
  return rewriter.run();
}

/// Ops with one sharding per result get one annotation per result.
static LogicalResult annotateResults(Operation *module) {
  SmallVector<Operation *> ops;
  module->walk([&](Operation *op) {
    if (isa_and_present<ArrayAttr>(op->getDiscardableAttr(kShardingAttrName)))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    auto list = cast<ArrayAttr>(op->removeDiscardableAttr(kShardingAttrName));
    if (list.size() != op->getNumResults())
      return op->emitError()
             << "has " << op->getNumResults() << " results, but states "
             << list.size() << " shardings";
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (auto [result, sharding] : llvm::zip_equal(op->getResults(), list))
      ConstraintOp::create(builder, op->getLoc(), result,
                           cast<ShardingAttr>(sharding));
  }
  return success();
}

OwningOpRef<Operation *> importSdy(llvm::SourceMgr &source,
                                   MLIRContext *context) {
  return importText(source, context, rewriteSdyText, annotateResults);
}

} // namespace shard
