//===- SdyReader.cpp - Reads the parts of Shardy's text -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shard {

LogicalResult SdyReader::readMeshes() {
  size_t at = 0;
  while ((at = text.find("sdy.mesh", at)) != StringRef::npos) {
    size_t start = at;
    at += StringRef("sdy.mesh").size();
    StringRef line = text.take_front(start);
    line = line.drop_front(line.rfind('\n') + 1);
    if (line.contains("//") || isIdentifier(text[at]) ||
        (start && (isIdentifier(text[start - 1]) || text[start - 1] == '"')))
      continue;
    position = at;
    std::string symbol;
    SdyMesh mesh;
    std::vector<int64_t> ids;
    if (failed(readMesh(start, symbol, mesh, ids)))
      return failure();
    if (!meshes.try_emplace(symbol, std::move(mesh)).second)
      return fail(start, "mesh @" + Twine(symbol) + " stands twice");
    deviceIds[symbol] = std::move(ids);
  }
  // What names no mesh may stand in front of all that does.
  for (at = 0; (at = text.find("<mesh<", at)) != StringRef::npos;) {
    StringRef line = text.take_front(at);
    position = ++at;
    std::string symbol;
    if (!line.drop_front(line.rfind('\n') + 1).contains("//") &&
        failed(readInlineMesh(symbol)))
      return failure();
  }
  position = 0;
  return success();
}

LogicalResult SdyReader::expect(StringRef token) {
  if (consume(token))
    return success();
  skipSpace();
  return fail(position, "expected '" + token + "'");
}

LogicalResult SdyReader::readSymbol(std::string &symbol) {
  skipSpace();
  size_t start = position;
  if (!consume("@"))
    return fail(start, "expected the symbol of a mesh");
  if (consume("\""))
    return fail(start, "expected a symbol without quotes");
  symbol = takeWhile(isIdentifier).str();
  return success();
}

LogicalResult SdyReader::readString(std::string &string) {
  if (failed(expect("\"")))
    return failure();
  string = rest().take_until([](char c) { return c == '"' || c == '\n'; });
  position += string.size();
  return expect("\"");
}

LogicalResult SdyReader::readNumber(int64_t &number) {
  skipSpace();
  size_t start = position;
  if (takeWhile(llvm::isDigit).getAsInteger(10, number))
    return fail(start, "expected a number");
  return success();
}

LogicalResult SdyReader::readList(StringRef open, StringRef close,
                                  llvm::function_ref<LogicalResult()> element) {
  if (failed(expect(open)))
    return failure();
  if (consume(close))
    return success();
  do {
    if (failed(element()))
      return failure();
  } while (consume(","));
  return expect(close);
}

LogicalResult SdyReader::readMesh(size_t start, std::string &symbol,
                                  SdyMesh &mesh, std::vector<int64_t> &ids) {
  if (failed(readSymbol(symbol)) || failed(expect("=")))
    return failure();
  return readMeshBody(start, mesh, ids);
}

LogicalResult SdyReader::readMeshBody(size_t start, SdyMesh &mesh,
                                      std::vector<int64_t> &ids) {
  if (failed(expect("<")) || failed(readList("[", "]", [&] {
        auto &[name, size] = mesh.emplace_back();
        return LogicalResult::success(succeeded(readString(name)) &&
                                      succeeded(expect("=")) &&
                                      succeeded(readNumber(size)));
      })))
    return failure();
  if (consume(",") && failed(readDeviceIds(start, mesh, ids)))
    return failure();
  return expect(">");
}

LogicalResult SdyReader::readDeviceIds(size_t start, const SdyMesh &mesh,
                                       std::vector<int64_t> &ids) {
  if (failed(expect("device_ids")) || failed(expect("=")) ||
      failed(
          readList("[", "]", [&] { return readNumber(ids.emplace_back()); })))
    return failure();
  if (mesh.empty())
    return fail(start, "a mesh of one device says where a tensor lives, which "
                       "has no counterpart here: every tensor lives on all "
                       "devices of its grid");
  uint64_t devices = 1;
  for (const auto &axis : mesh)
    devices = llvm::SaturatingMultiply(devices, uint64_t(axis.second));
  if (ids.size() != devices)
    return fail(start, "the mesh has " + Twine(devices) +
                           " devices, but states " + Twine(ids.size()) +
                           " device_ids");
  if (llvm::equal(ids, llvm::seq<int64_t>(0, ids.size())))
    ids.clear();
  return success();
}

LogicalResult SdyReader::readAxes(StringRef symbol, SdyAxes &axes, bool *open) {
  auto mesh = meshes.find(symbol);
  return readList("{", "}", [&]() -> LogicalResult {
    skipSpace();
    size_t start = position;
    if (open && consume("?")) {
      *open = true;
      return success();
    }
    SdyAxis axis;
    if (failed(readString(axis.name)))
      return failure();
    auto known = llvm::find_if(mesh->second, [&](const auto &entry) {
      return entry.first == axis.name;
    });
    if (known == mesh->second.end())
      return fail(start,
                  "mesh @" + symbol + " has no axis \"" + axis.name + "\"");
    axis.size = known->second;
    if (consume(":") &&
        (failed(expect("(")) || failed(readNumber(axis.preSize)) ||
         failed(expect(")")) || failed(readNumber(axis.size))))
      return failure();
    axes.push_back(std::move(axis));
    return success();
  });
}

LogicalResult SdyReader::readSharding(SdySharding &sharding) {
  if (failed(expect("<")))
    return failure();
  skipSpace();
  size_t start = position;
  if (failed(isNext("mesh") ? readInlineMesh(sharding.mesh)
                            : readSymbol(sharding.mesh)))
    return failure();
  if (!meshes.count(sharding.mesh))
    return fail(start, "there is no sdy.mesh @" + sharding.mesh);
  if (failed(expect(",")) || failed(readList("[", "]", [&] {
        SdyDim &dim = sharding.dims.emplace_back();
        if (failed(readAxes(sharding.mesh, dim.axes, &dim.open)))
          return failure();
        if (rest().starts_with("p"))
          dim.priority = takeWhile(isIdentifier).str();
        return success();
      })))
    return failure();
  while (consume(",")) {
    bool replicated = consume("replicated");
    if (!replicated && failed(expect("unreduced")))
      return failure();
    if (failed(expect("=")) ||
        failed(readAxes(sharding.mesh,
                        replicated ? sharding.replicated : sharding.unreduced,
                        nullptr)))
      return failure();
  }
  return expect(">");
}

std::string SdyReader::str(const SdySharding &sharding) const {
  return sharding.str(meshes);
}

} // namespace shard
