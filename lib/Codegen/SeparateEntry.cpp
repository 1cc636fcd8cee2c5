//===- SeparateEntry.cpp - Entries that the program calls too -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

void codegen::separateEntry(func::FuncOp entry) {
  auto module = entry->getParentOfType<ModuleOp>();
  if (SymbolTable::symbolKnownUseEmpty(entry, module))
    return;
  OpBuilder builder(entry);
  auto inner = func::FuncOp::create(builder, entry.getLoc(),
                                    (entry.getName() + "_called").str(),
                                    entry.getFunctionType());
  inner.setPrivate();
  inner.setArgAttrsAttr(entry.getArgAttrsAttr());
  inner.setResAttrsAttr(entry.getResAttrsAttr());
  SymbolTable table(module);
  StringAttr name = table.insert(inner, mlir::Block::iterator(entry));
  // Fails where an unregistered op may hide names; then nothing changes.
  if (failed(SymbolTable::replaceAllSymbolUses(entry, name, module))) {
    inner.erase();
    return;
  }
  inner.getBody().takeBody(entry.getBody());
  mlir::Block *body = entry.addEntryBlock();
  builder.setInsertionPointToStart(body);
  auto call = func::CallOp::create(builder, entry.getLoc(), inner,
                                   body->getArguments());
  func::ReturnOp::create(builder, entry.getLoc(), call.getResults());
}
