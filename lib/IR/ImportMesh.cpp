//===- ImportMesh.cpp - Reads programs of the mesh dialect ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ImportMesh.h"

#include "MeshRfc.h"

#include "shard/Geometry/ReductionKind.h"
#include "shard/IR/ShardOps.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace shard {

namespace {
class MeshRewriter : public MeshRfcReader {
public:
  MeshRewriter(StringRef text, TextError error) : MeshRfcReader(text, error) {}

private:
  void colon() override { inMeshOp = false; }

  LogicalResult attributeOrType(size_t start, char sigil,
                                StringRef name) override {
    if (sigil == '!' && name == "mesh.sharding") {
      out += "!shard.sharding";
      return success();
    }
    if (sigil == '#' && name == "mesh.partial") {
      StringRef kind;
      if (!consume("<") || (kind = takeWhile(isIdentifier)).empty() ||
          !consume(">"))
        return fail(start, "expected #mesh.partial<kind>");
      out += ("#shard<partial " + kind + ">").str();
      return success();
    }
    if (sigil == '#' && name == "mesh.shard")
      return shardEncoding(start);
    return TextRewriter::attributeOrType(start, sigil, name);
  }

  LogicalResult word() override {
    size_t start = position;
    StringRef name = rest().take_while(isIdentifier);
    if (name.starts_with("mesh.")) {
      position += name.size();
      inMeshOp = true;
      return meshOp(start, name.drop_front(5));
    }
    if (inMeshOp && name == "mesh_axes") {
      position += name.size();
      out += "grid_axes";
      return success();
    }
    if (inMeshOp && name == "reduction") {
      copy(name.size());
      if (!consume("=") || !consume("<"))
        return success();
      StringRef kind = takeWhile(isIdentifier);
      if (!symbolizeReductionKind(std::string_view(kind.data(), kind.size())) ||
          !consume(">"))
        return fail(start, "expected reduction = <kind>");
      out += (" = " + kind).str();
      return success();
    }
    copy(name.size());
    return success();
  }

  LogicalResult meshOp(size_t start, StringRef name) {
    static const llvm::StringSet<> sameNames = {"all_gather",
                                                "all_reduce",
                                                "all_slice",
                                                "all_to_all",
                                                "broadcast",
                                                "gather",
                                                "recv",
                                                "reduce",
                                                "reduce_scatter",
                                                "scatter",
                                                "send",
                                                "shift",
                                                "sharding",
                                                "get_sharding",
                                                "shard_shape",
                                                "update_halo",
                                                "process_multi_index",
                                                "process_linear_index",
                                                "neighbors_linear_indices"};
    if (name == "mesh") {
      out += "shard.grid";
      return success();
    }
    if (name == "cluster")
      return cluster(start);
    if (name == "mesh_shape" || name == "cluster_shape") {
      out += "shard.grid_shape";
      return success();
    }
    if (name == "shard")
      return shard(start);
    if (name == "annotate")
      return annotate(start);
    if (name == "idx")
      return coordinates(start, "shard.process_multi_index", " on");
    if (name == "size")
      return coordinates(start, "shard.grid_shape", "");
    if (name == "local_split")
      return localSplit(start);
    if (name == "all_reduce" && hasAttribute("device_mapping"))
      return allReduce(start);
    if (!sameNames.contains(name))
      return fail(start, "mesh." + name + " has no counterpart in shard");
    out += ("shard." + name).str();
    return success();
  }

  // More would be a mistake, not a machine: an error instead of a text of that
  // length.
  static constexpr int64_t kMaxRank = 1000;

  // mesh.cluster @m(rank = 3, dim_sizes = 2x4), or [2, 4]: sizes left out are unknown.
  LogicalResult cluster(size_t start) {
    if (!consume("@"))
      return fail(start,
                  "expected mesh.cluster @name(rank = N, dim_sizes = ...)");
    StringRef symbol = takeWhile(isIdentifier);
    int64_t rank;
    if (!consume("(") || !consume("rank") || !consume("=") ||
        takeWhile(isIdentifier).getAsInteger(10, rank) || rank < 1 ||
        rank > kMaxRank)
      return fail(start,
                  "expected mesh.cluster @name(rank = N, dim_sizes = ...)");
    SmallVector<StringRef> sizes;
    if (consume(",")) {
      if (!consume("dim_sizes") || !consume("="))
        return fail(start, "expected dim_sizes = ...");
      if (isNext("[")) {
        FailureOr<StringRef> list = brackets();
        if (failed(list))
          return failure();
        list->drop_front().drop_back().split(sizes, ',', -1,
                                             /*KeepEmpty=*/false);
        for (StringRef &size : sizes)
          size = size.trim();
      } else {
        takeWhile([](char c) {
          return llvm::isDigit(c) || c == 'x' || c == '?';
        }).split(sizes, 'x', -1, /*KeepEmpty=*/false);
      }
    }
    skipSpace();
    if (!consume(")"))
      return fail(position, "expected sizes, 2x4 or [2, 4], and ')'");
    if (static_cast<int64_t>(sizes.size()) > rank)
      return fail(start, "expected at most " + Twine(rank) + " sizes, got " +
                             Twine(sizes.size()));
    sizes.resize(rank, "?");
    out +=
        ("shard.grid @" + symbol + "(shape = " + llvm::join(sizes, "x") + ")")
            .str();
    return success();
  }

  // mesh.shard %x to <@m, [[0], [1]], partial = max[1]>: the sharding becomes an
  // op before the statement, on the same line.
  LogicalResult shard(size_t start) {
    skipSpace();
    StringRef operand = takeWhile([](char c) {
      return isIdentifier(c) || c == '%' || c == '#' || c == '-';
    });
    if (!consume("to"))
      return fail(start, "expected mesh.shard %value to ...");
    out += ("shard.shard " + operand + " to").str();
    if (!consume("<"))
      return success(); // LLVM 20: to %sharding
    if (!consume("@"))
      return fail(position, "expected the symbol of a mesh");
    StringRef symbol = takeWhile(isIdentifier);
    std::string sharding =
        ("shard.sharding @" + symbol + " split_axes = ").str();
    if (!consume(","))
      return fail(position, "expected ','");
    FailureOr<StringRef> axes = brackets();
    if (failed(axes))
      return failure();
    bool none = axes->count('[') == 1;
    sharding += none ? "[[]]" : axes->str();
    if (consume(",")) {
      if (!consume("partial") || !consume("="))
        return fail(position, "expected partial = kind[axes]");
      StringRef kind = takeWhile(isIdentifier);
      FailureOr<StringRef> partial = brackets();
      if (failed(partial))
        return failure();
      sharding += (" partial = " + kind + " " + *partial).str();
    }
    if (!consume(">"))
      return fail(position, "expected '>'");
    std::string value = freshValue();
    insertBefore(value + " = " + sharding + " : !shard.sharding");
    out += " " + value;
    return success();
  }

  /// Between the name of an op of mesh and its types.
  bool inMeshOp = false;
};
} // namespace

FailureOr<std::string>
rewriteMeshText(StringRef text,
                llvm::function_ref<void(size_t, const Twine &)> emitError) {
  return MeshRewriter(text, emitError).run();
}

/// A wish of the RFC `as_result` is for the value itself: a constraint without users.
static LogicalResult wishForResults(Operation *module) {
  module->walk([](ConstraintOp op) {
    // Nothing is verified yet: an op that takes its own result is wrong, which the verifier
    // says then.
    if (op->removeDiscardableAttr("mesh.as_result") &&
        op.getResult() != op.getInput())
      op.getResult().replaceAllUsesWith(op.getInput());
  });
  return success();
}

OwningOpRef<Operation *> importMesh(llvm::SourceMgr &source,
                                    MLIRContext *context) {
  return importText(source, context, rewriteMeshText, wishForResults);
}

} // namespace shard
