//===- ImportSdy.cpp - Reads programs with Shardy's shardings -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ImportSdy.h"

#include "SdyOps.h"

#include "shard/IR/ShardOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shard {

namespace {
class SdyRewriter : public SdyOps {
public:
  using SdyOps::SdyOps;

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
    if (name == "sharding_rule" && isNext("="))
      return rule(start);
    if (isNext("="))
      return fail(start,
                  "the attribute sdy." + name + " has no counterpart in shard");
    if (name == "mesh")
      return mesh(start);
    if (name == "return") {
      regionReturn();
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
    if (name == "named_computation")
      return namedComputation(start);
    if (name == "propagation_barrier")
      return barrier(start);
    if (name == "data_flow_edge")
      return edge(start);
    if (isCollective(name))
      return collective(start, name);
    return fail(start, "sdy." + name + " has no counterpart in shard");
  }

  LogicalResult mesh(size_t start) {
    std::string symbol;
    SdyMesh mesh;
    std::vector<int64_t> ids;
    if (failed(readMesh(start, symbol, mesh, ids)))
      return failure();
    out += gridText(symbol, mesh, ids);
    return success();
  }

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

  LogicalResult group() {
    StringRef operand = readOperand();
    int64_t number;
    if (failed(expect("group_id")) || failed(expect("=")) ||
        failed(readNumber(number)))
      return failure();
    out += ("shard.group " + operand + " id = " + Twine(number)).str();
    return success();
  }

  /// The mesh that the text names last in front of `start`, or else first behind it.
  std::string meshAt(size_t start) const {
    auto nameAt = [&](size_t at) {
      StringRef name = text.drop_front(at).take_while(isIdentifier);
      return meshes.count(name) ? name.str() : std::string();
    };
    for (size_t at = start;
         (at = text.take_front(at).rfind("<@")) != text.npos;)
      if (std::string name = nameAt(at + 2); !name.empty())
        return name;
    for (size_t at = start; (at = text.find("<@", at)) != text.npos; at += 2)
      if (std::string name = nameAt(at + 2); !name.empty())
        return name;
    return inlineMeshes.empty() ? std::string() : inlineMeshes.front();
  }

  /// Writes a constraint of `operand` to a sharding that is open in all dimensions of the
  /// type that comes next.
  LogicalResult openConstraint(size_t start, StringRef op, StringRef operand,
                               const Twine &attributes) {
    size_t end = position;
    if (failed(expect(":")))
      return failure();
    FailureOr<StringRef> type = readType();
    if (failed(type))
      return failure();
    StringRef dims = *type;
    if (!dims.consume_front("tensor<"))
      return fail(start, op + " is for ranked tensors");
    position = end;
    SdySharding open;
    open.mesh = meshAt(start);
    if (open.mesh.empty())
      return fail(start, "no sharding names a mesh, so that there is nothing "
                         "to propagate: remove " +
                             op);
    while (true) {
      StringRef extent =
          dims.take_while([](char c) { return llvm::isDigit(c) || c == '?'; });
      if (extent.empty() || !dims.drop_front(extent.size()).starts_with("x"))
        break;
      dims = dims.drop_front(extent.size() + 1);
      open.dims.emplace_back().open = true;
    }
    out += ("shard.constraint " + operand + " to " + str(open) + " {" +
            attributes + kAnyMeshMark + "}")
               .str();
    return success();
  }

  LogicalResult barrier(size_t start) {
    StringRef operand = readOperand();
    if (failed(expect("allowed_direction")) || failed(expect("=")))
      return failure();
    skipSpace();
    size_t at = position;
    std::string direction = takeWhile(isIdentifier).lower();
    if (direction != "none" && direction != "forward" &&
        direction != "backward")
      return fail(at, "expected NONE, FORWARD or BACKWARD");
    return openConstraint(start, "sdy.propagation_barrier", operand,
                          "shard.propagate = \"" + direction + "\", ");
  }

  /// The edge itself is what propagation knows of loops and branches anyway; what it states
  /// is a wish about its users.
  LogicalResult edge(size_t start) {
    StringRef operand = readOperand();
    if (!consume("sharding"))
      return openConstraint(start, "sdy.data_flow_edge", operand, "");
    SdySharding sharding;
    if (failed(expect("=")) || failed(readSharding(sharding)))
      return failure();
    out += ("shard.constraint " + operand + " to " + str(sharding)).str();
    return success();
  }

  /// `= #sdy.op_sharding_rule<...>`. What Shardy found out itself the models tell; what a
  /// user stated is more than they know.
  LogicalResult rule(size_t start) {
    if (failed(expect("=")) || failed(expect("#sdy.op_sharding_rule")))
      return failure();
    FailureOr<StringRef> body = readType();
    if (failed(body))
      return failure();
    if (body->rtrim("> \n\t").ends_with("custom"))
      return fail(start, "a custom sdy.sharding_rule has no counterpart in "
                         "shard: give the op a sharding model "
                         "(docs/Models.md), or say by shard.loops on the op "
                         "which axes split its loops");
    out += kRuleMark;
    return success();
  }

  static constexpr StringLiteral kRuleMark = "sdy_rule";

public:
  /// Rules have no attribute of their own; a unit attribute holds their place.
  static void dropRules(Operation *module) {
    module->walk([](Operation *op) { op->removeDiscardableAttr(kRuleMark); });
  }
};
} // namespace

FailureOr<std::string>
rewriteSdyText(StringRef text,
               llvm::function_ref<void(size_t, const Twine &)> emitError) {
  SdyRewriter rewriter(text, emitError);
  if (failed(rewriter.readMeshes()))
    return failure();
  FailureOr<std::string> result = rewriter.run();
  if (succeeded(result))
    *result += rewriter.inlineGrids();
  return result;
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
  return importText(source, context, rewriteSdyText, [](Operation *module) {
    placeInlineGrids(module);
    SdyRewriter::dropRules(module);
    chooseMeshes(module);
    return success(succeeded(annotateResults(module)) &&
                   succeeded(moveNamedComputations(module)));
  });
}

} // namespace shard
