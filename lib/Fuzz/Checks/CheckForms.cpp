//===- CheckForms.cpp - Programs written and read again ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckForms.h"

#include "shard/IR/ShardBytecode.h"
#include "shard/IR/ShardDialect.h"
#include "shard/IR/ShardOps.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

std::string shard::fuzz::print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

std::string shard::fuzz::difference(StringRef a, StringRef b) {
  while (!a.empty() || !b.empty()) {
    auto [lineA, restA] = a.split('\n');
    auto [lineB, restB] = b.split('\n');
    if (lineA != lineB)
      return ("'" + lineA.trim() + "' and then '" + lineB.trim() + "'").str();
    a = restA;
    b = restB;
  }
  return "nothing";
}

static const char *nameOf(Form form) {
  switch (form) {
  case Form::Text:
    return "text";
  case Form::Generic:
    return "generic form";
  case Form::Bytecode:
    return "bytecode";
  case Form::OldBytecode:
    return "bytecode for older readers";
  }
  return "";
}

/// Fails where the program has no such form.
static LogicalResult write(ModuleOp module, Form form, std::string &written) {
  llvm::raw_string_ostream stream(written);
  if (form == Form::Generic) {
    module.print(stream, OpPrintingFlags().printGenericOpForm());
    return success();
  }
  BytecodeWriterConfig config("shard-fuzz");
  if (form == Form::OldBytecode) {
    config.setDesiredBytecodeVersion(5);
    config.setDialectVersion<ShardDialect>(std::make_unique<ShardVersion>(0));
  }
  return writeBytecodeToFile(module, stream, config);
}

std::string shard::fuzz::checkForm(ModuleOp module, StringRef text, Form form) {
  // Older readers know no device_ids and no uneven_dynamic.
  if (form == Form::OldBytecode &&
      llvm::any_of(module.getOps<GridOp>(), [](GridOp grid) {
        return grid.getDeviceIdsAttr() || grid.getUnevenDynamic();
      }))
    form = Form::Bytecode;
  std::string name = nameOf(form), written;
  if (form != Form::Text && failed(write(module, form, written)))
    return name + " cannot be written";
  OwningOpRef<ModuleOp> read = parseSourceString<ModuleOp>(
      form == Form::Text ? text : StringRef(written), module.getContext());
  if (!read)
    return name + " does not read back";
  std::string again = print(*read);
  if (again != text)
    return name + " changes the program: " + difference(text, again);
  return {};
}
