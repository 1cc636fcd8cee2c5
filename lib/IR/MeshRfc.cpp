//===- MeshRfc.cpp - Reads the text of the mesh RFC -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeshRfc.h"

#include "shard/Geometry/ReductionKind.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shard {

MeshRfcReader::MeshRfcReader(StringRef text, TextError error)
    : TextRewriter(text, "mesh", error) {
  for (StringRef name : {"mesh.cluster @", "mesh.mesh @"})
    for (size_t at = text.find(name); at != StringRef::npos;
         at = text.find(name, at + 1))
      meshes.push_back(
          text.drop_front(at + name.size()).take_while(isIdentifier).str());
}

bool MeshRfcReader::hasAttribute(StringRef word) const {
  return rest()
      .take_until([](char c) { return c == ':' || c == '\n'; })
      .contains(word);
}

LogicalResult MeshRfcReader::findMesh(size_t start, std::string &mesh) {
  if (!mesh.empty())
    return success();
  if (meshes.size() != 1)
    return fail(start, meshes.empty()
                           ? "names no mesh, and there is none; state one by "
                             "mesh.cluster"
                           : "names no mesh, and the module has several");
  mesh = meshes.front();
  return success();
}

/// [[0], [1, 2]] as "[0]", "[1, 2]"; [0, 1] as one list.
LogicalResult MeshRfcReader::readDims(std::vector<std::string> &dims) {
  FailureOr<StringRef> list = brackets();
  if (failed(list))
    return failure();
  StringRef inner = list->drop_front().drop_back().trim();
  if (!inner.contains('[')) {
    if (!inner.empty())
      dims.push_back(list->str());
    return success();
  }
  while (!inner.empty()) {
    size_t close = inner.find(']');
    if (!inner.starts_with("[") || close == StringRef::npos)
      return fail(list->data() - text.data(),
                  "expected a list of axes for each dimension, [[0], [1]]");
    dims.push_back(inner.take_front(close + 1).str());
    inner = inner.drop_front(close + 1).ltrim(" ,\n\t");
  }
  return success();
}

/// <@m, [[0], [1]], partial = sum[2]>: all but the lists may be left out.
LogicalResult MeshRfcReader::readSharding(size_t start, Parts &parts) {
  auto expected = [&] {
    return fail(start, "expected #mesh.shard<[[axes of dimension 0], ...], "
                       "partial = kind[axes]>");
  };
  if (!consume("<"))
    return expected();
  if (consume("@")) {
    parts.mesh = takeWhile(isIdentifier).str();
    if (!consume(","))
      return expected();
  }
  if (!isNext("["))
    return expected();
  if (failed(readDims(parts.dims)))
    return failure();
  if (consume(",")) {
    if (!consume("partial"))
      return expected();
    consume("=");
    StringRef kind = takeWhile(isIdentifier);
    FailureOr<StringRef> axes = brackets();
    if (failed(axes))
      return failure();
    parts.partial = ((kind.empty() ? "sum" : kind) + " " + *axes).str();
  }
  if (!consume(">"))
    return expected();
  return success();
}

/// " = true" or nothing, which means the same.
bool MeshRfcReader::readFlag() {
  return !consume("=") || takeWhile(isIdentifier) == "true";
}

LogicalResult MeshRfcReader::readPart(size_t start, Parts &parts) {
  skipSpace();
  size_t at = position;
  if (rest().starts_with("%")) {
    parts.operand = takeWhile(isValue).str();
    return success();
  }
  if (consume("@")) {
    parts.mesh = takeWhile(isIdentifier).str();
    return success();
  }
  if (rest().starts_with("["))
    return readDims(parts.dims);
  if (llvm::isDigit(rest().front())) {
    parts.dims.push_back("[" + takeWhile(llvm::isDigit).str() + "]");
    return success();
  }
  StringRef key = takeWhile(isIdentifier);
  if (key == "on")
    return success();
  if (key == "required" || key == "as_result") {
    (key == "required" ? parts.required : parts.asResult) = readFlag();
    return success();
  }
  if (!key.empty() && consume("=")) {
    if (key == "sharding") {
      if (consume("#mesh.shard"))
        return readSharding(start, parts);
      return readDims(parts.dims);
    }
    if (key == "mesh") {
      consume("@");
      parts.mesh = takeWhile(isIdentifier).str();
      return success();
    }
    if (key == "reduction") {
      bool isAngled = consume("<");
      parts.reduction = takeWhile(isIdentifier).str();
      if (!symbolizeReductionKind(parts.reduction) ||
          (isAngled && !consume(">")))
        return fail(at, "expected reduction = kind, such as sum or max");
      return success();
    }
    if (key == "device_mapping" || key == "mesh_axes" || key == "mesh_axis" ||
        key == "axis" || key == "axes") {
      if (isNext("["))
        return readDims(parts.dims);
      parts.dims.push_back("[" + takeWhile(llvm::isDigit).str() + "]");
      return success();
    }
  }
  return fail(at, "expected an attribute of the mesh RFC, a value, a mesh, or "
                  "':' and types" +
                      (key.empty() ? Twine() : ", got '" + key + "'"));
}

/// A type, without the parentheses around a list of one.
static StringRef plain(StringRef type) {
  type = type.trim();
  if (type.consume_front("("))
    type.consume_back(")");
  return type;
}

LogicalResult MeshRfcReader::readTypes(size_t start, Parts &parts) {
  // Attributes of types are rewritten too.
  std::string before;
  std::swap(before, out);
  size_t begin = statement;
  LogicalResult result = success();
  int depth = 0;
  while (succeeded(result) && position < text.size()) {
    char c = text[position];
    if (c == '\n' || c == '}' || rest().starts_with("//"))
      break;
    bool isArrow = rest().starts_with("->");
    if (depth == 0 && (isArrow || c == ' ') &&
        !StringRef(out).rtrim().ends_with("->") && !out.empty() && !isArrow &&
        !rest().ltrim().starts_with("->"))
      break;
    if (isArrow) {
      copy(2);
      continue;
    }
    depth += (c == '<' || c == '(') - (c == '>' || c == ')');
    result = step();
  }
  std::swap(before, out);
  statement = begin;
  if (failed(result))
    return failure();
  auto [from, to] = StringRef(before).split("->");
  parts.from = plain(from);
  parts.to = to.trim().empty() ? parts.from : plain(to).str();
  if (parts.from.empty())
    return fail(start, "expected ':' and types");
  return success();
}

LogicalResult MeshRfcReader::read(size_t start, Parts &parts) {
  while (!consume(":")) {
    if (consume("(") || consume(")") || consume("{") || consume("}") ||
        consume(","))
      continue;
    skipSpace();
    if (position >= text.size())
      return fail(start, "expected ':' and types");
    if (failed(readPart(start, parts)))
      return failure();
  }
  skipSpace();
  if (failed(readTypes(start, parts)))
    return failure();
  return findMesh(start, parts.mesh);
}

/// The extents in the text of a tensor type, nothing if it is none.
static std::optional<std::vector<std::string>> extentsOf(StringRef type) {
  if (!type.consume_front("tensor<"))
    return std::nullopt;
  std::vector<std::string> extents;
  while (true) {
    auto [extent, tail] = type.split('x');
    if (extent != "?" &&
        (extent.empty() || !llvm::all_of(extent, llvm::isDigit)))
      return extents;
    extents.push_back(extent.str());
    type = tail;
  }
}

LogicalResult MeshRfcReader::shardEncoding(size_t start) {
  Parts parts;
  if (failed(readSharding(start, parts)) || failed(findMesh(start, parts.mesh)))
    return failure();
  // The type that is being written has no end yet.
  size_t tensor = StringRef(out).rfind("tensor<");
  StringRef type = tensor == StringRef::npos
                       ? StringRef()
                       : StringRef(out).drop_front(tensor);
  auto extents = extentsOf(type);
  if (!extents || type.count('<') <= type.count('>'))
    return fail(start, "#mesh.shard is read as the encoding of a tensor type "
                       "and in mesh.annotate");
  parts.dims.resize(std::max(parts.dims.size(), extents->size()), "[]");
  out += "#shard.sharding<@" + parts.mesh + ", [" +
         llvm::join(parts.dims, ", ") + "]" +
         (parts.partial.empty() ? "" : ", partial = " + parts.partial) + ">";
  return success();
}

/// What must hold is a shard.shard; a wish is a shard.constraint whose dimensions are
/// open. Importing makes a wish for the value of one that is marked `as_result`.
LogicalResult MeshRfcReader::annotate(size_t start) {
  Parts parts;
  if (failed(read(start, parts)))
    return failure();
  auto extents = extentsOf(parts.from);
  if (parts.operand.empty() || !extents)
    return fail(start, "expected mesh.annotate %tensor {sharding = "
                       "#mesh.shard<...>, required = ..., as_result = ...} : "
                       "type");
  std::string made;
  if (parts.required) {
    std::string sharding = freshValue();
    insertBefore(
        sharding + " = shard.sharding @" + parts.mesh + " split_axes = [" +
        (parts.dims.empty() ? "[]" : llvm::join(parts.dims, ", ")) + "]" +
        (parts.partial.empty() ? "" : " partial = " + parts.partial) +
        " : !shard.sharding");
    made = "shard.shard " + parts.operand + " to " + sharding +
           (parts.asResult ? "" : " annotate_for_users");
  } else {
    parts.dims.resize(std::max(parts.dims.size(), extents->size()), "[]");
    for (std::string &dim : parts.dims)
      dim = dim == "[]" ? "[?]" : dim.substr(0, dim.size() - 1) + ", ?]";
    made = "shard.constraint " + parts.operand + " to <@" + parts.mesh + ", [" +
           llvm::join(parts.dims, ", ") + "]" +
           (parts.partial.empty() ? "" : ", partial = " + parts.partial) + ">" +
           (parts.asResult ? " {mesh.as_result}" : "");
  }
  made += " : " + parts.from;
  if (parts.from == parts.to) {
    out += made;
    return success();
  }
  std::string annotated = freshValue();
  insertBefore(annotated + " = " + made);
  out += "tensor.cast " + annotated + " : " + parts.from + " to " + parts.to;
  return success();
}

LogicalResult MeshRfcReader::coordinates(size_t start, StringRef name,
                                         StringRef keyword) {
  Parts parts;
  if (failed(read(start, parts)))
    return failure();
  if (!parts.operand.empty() || parts.dims.size() > 1)
    return fail(start, "expected the number of an axis of the mesh");
  out += (name + keyword + " @" + parts.mesh + " " +
          (parts.dims.empty() ? "" : "axes = " + parts.dims[0] + " ") + ": " +
          parts.from)
             .str();
  return success();
}

LogicalResult MeshRfcReader::localSplit(size_t start) {
  Parts parts;
  if (failed(read(start, parts)))
    return failure();
  auto from = extentsOf(parts.from), to = extentsOf(parts.to);
  if (parts.operand.empty() || !from || !to || from->size() != to->size() ||
      parts.dims.size() > from->size() || !parts.partial.empty())
    return fail(start, "expected mesh.local_split %tensor {sharding = "
                       "#mesh.shard<...>} : type -> local type");
  StringRef element =
      StringRef(parts.to).drop_front(StringRef("tensor<").size());
  for (size_t i = 0; i < to->size(); ++i)
    element = element.split('x').second;
  std::string value = parts.operand, type = parts.from, op;
  // One dimension after another.
  for (auto [dim, axes] : llvm::enumerate(parts.dims)) {
    if (axes == "[]")
      continue;
    if (!op.empty()) {
      value = freshValue();
      insertBefore(value + " = " + op);
    }
    (*from)[dim] = (*to)[dim];
    std::string next =
        ("tensor<" + llvm::join(*from, "x") + "x" + element).str();
    op = "shard.all_slice " + value + " on @" + parts.mesh +
         " grid_axes = " + axes + " slice_axis = " + std::to_string(dim) +
         " : " + type + " -> " + next;
    type = next;
  }
  if (op.empty())
    return fail(start, "splits no dimension");
  out += op;
  return success();
}

LogicalResult MeshRfcReader::allReduce(size_t start) {
  Parts parts;
  if (failed(read(start, parts)))
    return failure();
  if (parts.operand.empty() || parts.dims.size() != 1)
    return fail(start,
                "expected mesh.all_reduce %value {device_mapping = "
                "[[axes]]} : type; one list of axes, because all devices "
                "take part");
  out += "shard.all_reduce " + parts.operand + " on @" + parts.mesh +
         " grid_axes = " + parts.dims[0] +
         (parts.reduction.empty() ? "" : " reduction = " + parts.reduction) +
         " : " + parts.from + " -> " + parts.to;
  return success();
}

} // namespace shard
