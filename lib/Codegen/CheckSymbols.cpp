//===- CheckSymbols.cpp - What machine code calls and nobody has ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckSymbols.h"

#include "Lowering.h"

#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/DynamicLibrary.h"

#include <map>

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

namespace {

/// The functions of a section by their addresses.
using FunctionTable = std::map<uint64_t, std::string>;

/// The functions of all sections of `object`, by section index.
llvm::Expected<std::map<uint64_t, FunctionTable>>
collectFunctions(const llvm::object::ObjectFile &object) {
  std::map<uint64_t, FunctionTable> functions;
  for (const llvm::object::SymbolRef &symbol : object.symbols()) {
    llvm::Expected<llvm::object::SymbolRef::Type> type = symbol.getType();
    if (!type)
      return type.takeError();
    auto section = symbol.getSection();
    if (!section)
      return section.takeError();
    if (*type != llvm::object::SymbolRef::ST_Function ||
        *section == object.section_end())
      continue;
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    auto address = symbol.getAddress();
    if (!address)
      return address.takeError();
    functions[(*section)->getIndex()][*address] = name->str();
  }
  return functions;
}

} // namespace

void *codegen::processSymbol(const std::string &name) {
  // Until the process itself has been loaded, none of its libraries is searched.
  static const bool isReady =
      !llvm::sys::DynamicLibrary::LoadLibraryPermanently(nullptr);
  return isReady ? llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(name)
                 : nullptr;
}

llvm::Expected<std::vector<NeededSymbol>>
codegen::neededSymbols(const llvm::MemoryBuffer &buffer) {
  auto object =
      llvm::object::ObjectFile::createObjectFile(buffer.getMemBufferRef());
  if (!object)
    return object.takeError();
  auto functions = collectFunctions(**object);
  if (!functions)
    return functions.takeError();
  std::map<std::string, std::string> needed;
  for (const llvm::object::SectionRef &section : (*object)->sections()) {
    auto target = section.getRelocatedSection();
    if (!target)
      return target.takeError();
    if (*target == (*object)->section_end())
      continue;
    const FunctionTable &table = (*functions)[(*target)->getIndex()];
    for (const llvm::object::RelocationRef &relocation :
         section.relocations()) {
      auto symbol = relocation.getSymbol();
      if (symbol == (*object)->symbol_end())
        continue;
      auto flags = symbol->getFlags();
      if (!flags)
        return flags.takeError();
      if (!(*flags & llvm::object::SymbolRef::SF_Undefined))
        continue;
      auto name = symbol->getName();
      if (!name)
        return name.takeError();
      auto after = table.upper_bound(relocation.getOffset());
      needed.try_emplace(name->str(), after == table.begin()
                                          ? std::string()
                                          : std::prev(after)->second);
    }
  }
  std::vector<NeededSymbol> result;
  for (auto &[name, user] : needed)
    result.push_back({name, user});
  return result;
}

LogicalResult codegen::checkSymbols(const llvm::MemoryBuffer &object,
                                    const llvm::StringMap<void *> &known,
                                    ModuleOp source) {
  auto needed = neededSymbols(object);
  if (!needed)
    return source.emitError() << "cannot read the generated code: "
                              << llvm::toString(needed.takeError());
  LogicalResult result = success();
  for (const NeededSymbol &symbol : *needed) {
    if (known.contains(symbol.name) || symbol.name == "_GLOBAL_OFFSET_TABLE_" ||
        processSymbol(symbol.name))
      continue;
    Operation *place = source;
    source.walk([&](func::FuncOp function) {
      std::string name = mangledName(function.getName());
      StringRef user = symbol.user;
      if (user.consume_front(name) &&
          (user.empty() || user.starts_with(nestMarker)))
        place = function;
    });
    InFlightDiagnostic diagnostic = place->emitError() << "machine code of ";
    if (auto function = dyn_cast<func::FuncOp>(place))
      diagnostic << "'" << function.getName() << "'";
    else
      diagnostic << "the program";
    diagnostic << " calls '" << symbol.name
               << "', which neither the program nor this process defines";
    result = failure();
  }
  return result;
}
