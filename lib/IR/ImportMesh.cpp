//===- ImportMesh.cpp - Reads programs of the mesh dialect ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ImportMesh.h"

#include "shard/Geometry/ReductionKind.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace shard {

namespace {
// One pass over the text: what is not of `mesh` is copied as it stands.
class Rewriter {
public:
  Rewriter(StringRef text,
           llvm::function_ref<void(size_t, const Twine &)> error)
      : text(text), error(error) {
    while (text.contains("%" + prefix))
      prefix += '_';
  }

  FailureOr<std::string> run() {
    while (position < text.size())
      if (failed(step()))
        return failure();
    return std::move(out);
  }

private:
  LogicalResult fail(size_t at, const Twine &message) {
    error(at, message);
    return failure();
  }

  static bool isIdentifier(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  }

  StringRef rest() const { return text.substr(position); }

  void copy(size_t count) {
    out += text.substr(position, count);
    position += count;
  }

  void skipSpace() {
    while (position < text.size() && llvm::isSpace(text[position]))
      ++position;
  }

  // Consumes `token` and the space before it, if it is next.
  bool consume(StringRef token) {
    size_t start = position;
    skipSpace();
    if (rest().starts_with(token)) {
      position += token.size();
      return true;
    }
    position = start;
    return false;
  }

  StringRef takeWhile(llvm::function_ref<bool(char)> predicate) {
    skipSpace();
    StringRef word = rest().take_while(predicate);
    position += word.size();
    return word;
  }

  LogicalResult step() {
    char c = text[position];
    if (rest().starts_with("//")) {
      copy(std::min(rest().find('\n'), rest().size()));
      return success();
    }
    if (c == '"')
      return copyString();
    if (c == '%') {
      size_t begin = out.size(), length = 1;
      length += rest()
                    .drop_front()
                    .take_while([](char c) {
                      return isIdentifier(c) || c == '-' || c == '#';
                    })
                    .size();
      copy(length);
      StringRef behind = rest().ltrim();
      if (behind.starts_with("=") && !behind.starts_with("=="))
        statement = begin;
      return success();
    }
    if (c == '@' || c == '^') {
      copy(1);
      copy(rest().take_while(isIdentifier).size());
      return success();
    }
    if (c == '#' || c == '!')
      return attributeOrType();
    if (llvm::isAlpha(c) || c == '_')
      return word();
    if (llvm::isDigit(c)) {
      copy(rest().take_while(isIdentifier).size());
      return success();
    }
    if (c == ':')
      inMeshOp = false;
    copy(1);
    return success();
  }

  LogicalResult copyString() {
    size_t start = position, length = 1;
    while (length < rest().size() && rest()[length] != '"')
      length += rest()[length] == '\\' ? 2 : 1;
    if (length >= rest().size())
      return fail(start, "string without an end");
    if (rest().starts_with("\"mesh."))
      return fail(start, "the generic form of mesh is not read: print the "
                         "custom form with mlir-opt first");
    copy(length + 1);
    return success();
  }

  LogicalResult attributeOrType() {
    size_t start = position;
    char sigil = text[position];
    StringRef name = rest().drop_front().take_while(isIdentifier);
    if (name != "mesh" && !name.starts_with("mesh.")) {
      copy(1 + name.size());
      return success();
    }
    if (sigil == '!' && name == "mesh.sharding") {
      position += 1 + name.size();
      out += "!shard.sharding";
      return success();
    }
    if (sigil == '#' && name == "mesh.partial") {
      position += 1 + name.size();
      StringRef kind;
      if (!consume("<") || (kind = takeWhile(isIdentifier)).empty() ||
          !consume(">"))
        return fail(start, "expected #mesh.partial<kind>");
      out += ("#shard<partial " + kind + ">").str();
      return success();
    }
    return fail(start, Twine(sigil) + name + " has no counterpart in shard");
  }

  LogicalResult word() {
    size_t start = position;
    StringRef name = rest().take_while(isIdentifier);
    bool afterResult = StringRef(out).rtrim().ends_with("=");
    if (name.starts_with("mesh.")) {
      position += name.size();
      inMeshOp = true;
      return meshOp(start, name.drop_front(5), afterResult);
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

  LogicalResult meshOp(size_t start, StringRef name, bool afterResult) {
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
      return shard(start, afterResult ? statement : out.size());
    if (!sameNames.contains(name))
      return fail(start, "mesh." + name + " has no counterpart in shard");
    out += ("shard." + name).str();
    return success();
  }

  // More would be a mistake, not a machine: an error instead of a text of that
  // length.
  static constexpr int64_t kMaxRank = 1000;

  // mesh.cluster @m(rank = 3, dim_sizes = 2x4): sizes left out are unknown.
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
      takeWhile([](char c) {
        return llvm::isDigit(c) || c == 'x' || c == '?';
      }).split(sizes, 'x', -1, /*KeepEmpty=*/false);
    }
    if (!consume(")") || static_cast<int64_t>(sizes.size()) > rank)
      return fail(start, "expected at most " + Twine(rank) + " sizes");
    sizes.resize(rank, "?");
    out +=
        ("shard.grid @" + symbol + "(shape = " + llvm::join(sizes, "x") + ")")
            .str();
    return success();
  }

  // mesh.shard %x to <@m, [[0], [1]], partial = max[1]>: the sharding becomes an
  // op before the statement, on the same line.
  LogicalResult shard(size_t start, size_t insertion) {
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
    std::string value = "%" + prefix + std::to_string(count++);
    out.insert(insertion, value + " = " + sharding + " : !shard.sharding ");
    out += " " + value;
    return success();
  }

  // A list in brackets, with the lists in it.
  FailureOr<StringRef> brackets() {
    skipSpace();
    int depth = 0;
    for (size_t length = 0; length < rest().size(); ++length) {
      char c = rest()[length];
      depth += (c == '[') - (c == ']');
      if (depth == 0 && c == ']') {
        StringRef list = rest().take_front(length + 1);
        position += length + 1;
        return list;
      }
      if (depth == 0)
        break;
    }
    return LogicalResult(fail(position, "expected a list of axes in brackets"));
  }

  StringRef text;
  llvm::function_ref<void(size_t, const Twine &)> error;
  std::string out;
  std::string prefix = "mesh_sharding";
  size_t position = 0;
  /// Where in `out` the statement with results begins.
  size_t statement = 0;
  int count = 0;
  /// Between the name of an op of mesh and its types.
  bool inMeshOp = false;
};
} // namespace

FailureOr<std::string>
rewriteMeshText(StringRef text,
                llvm::function_ref<void(size_t, const Twine &)> emitError) {
  return Rewriter(text, emitError).run();
}

OwningOpRef<Operation *> importMesh(llvm::SourceMgr &source,
                                    MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      source.getMemoryBuffer(source.getMainFileID());
  StringRef text = buffer->getBuffer(), file = buffer->getBufferIdentifier();
  FailureOr<std::string> rewritten =
      rewriteMeshText(text, [&](size_t offset, const Twine &message) {
        StringRef before = text.take_front(offset);
        size_t line = before.count('\n') + 1;
        size_t column = offset - (before.rfind('\n') + 1) + 1;
        mlir::emitError(FileLineColLoc::get(context, file, line, column))
            << message;
      });
  if (failed(rewritten))
    return nullptr;
  llvm::SourceMgr manager;
  manager.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(*rewritten, file), llvm::SMLoc());
  return OwningOpRef<Operation *>(
      parseSourceFile<ModuleOp>(manager, context).release());
}

} // namespace shard
