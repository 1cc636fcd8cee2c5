//===- SdyRegions.cpp - Reads the ops with regions of Shardy's text -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyOps.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shard {

using Axes = SdyAxes;

LogicalResult SdyOps::readShardings(StringRef key,
                                    std::vector<SdySharding> &list) {
  if (failed(expect(key)) || failed(expect("=")))
    return failure();
  return readList("[", "]", [&] { return readSharding(list.emplace_back()); });
}

FailureOr<StringRef> SdyOps::readOperands() {
  skipSpace();
  size_t start = position;
  if (failed(readList("(", ")", [&] {
        if (readOperand().empty())
          return fail(position, "expected a value");
        return success();
      })))
    return failure();
  return text.slice(start, position);
}

void SdyOps::regionReturn() {
  out += terminators.empty() ? "shard.return" : terminators.pop_back_val();
}

LogicalResult SdyOps::manualComputation(size_t start) {
  FailureOr<StringRef> inputs = readOperands();
  if (failed(inputs))
    return failure();
  std::vector<SdySharding> in, results;
  if (failed(readShardings("in_shardings", in)) ||
      failed(readShardings("out_shardings", results)) ||
      failed(expect("manual_axes")) || failed(expect("=")))
    return failure();
  if (in.empty() && results.empty())
    return fail(start, "a manual_computation without operands and results has "
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
  out += "shard.manual_computation" + inputs->str() + " on @" + symbol +
         " in = " + list(in) + " out = " + list(results) + " axes = [" +
         llvm::join(names, ", ") + "]";
  terminators.push_back("shard.return");
  return success();
}

//===----------------------------------------------------------------------===//
// Named computations
//===----------------------------------------------------------------------===//

FailureOr<StringRef> SdyOps::readType() {
  skipSpace();
  size_t start = position;
  int depth = 0;
  for (char last = ' '; position < text.size(); last = text[position++]) {
    char c = text[position];
    bool closes = c == ')' || c == ']' || c == '}' || (c == '>' && last != '-');
    if (depth == 0 && (closes || c == ',' || llvm::isSpace(c)))
      break;
    depth += c == '(' || c == '[' || c == '{' || c == '<';
    depth -= closes;
  }
  if (position == start)
    return LogicalResult(fail(start, "expected a type"));
  return text.slice(start, position);
}

LogicalResult SdyOps::readArguments(SmallVectorImpl<std::string> &list) {
  if (!isNext("("))
    return success();
  return readList("(", ")", [&] {
    skipSpace();
    StringRef name = readOperand();
    if (!name.starts_with("%"))
      return fail(position - name.size(), "expected an argument");
    if (failed(expect(":")))
      return failure();
    FailureOr<StringRef> type = readType();
    if (succeeded(type))
      list.push_back((name + ": " + *type).str());
    return LogicalResult(type);
  });
}

FailureOr<std::string> SdyOps::readRegion(const char *terminator) {
  skipSpace();
  size_t start = position;
  if (!rest().starts_with("{"))
    return LogicalResult(fail(start, "expected '{'"));
  // What is inserted in front of statements stays in the region.
  std::string outer = std::exchange(out, {});
  size_t outerStatement = std::exchange(statement, 0);
  terminators.push_back(terminator);
  size_t numTerminators = terminators.size();
  int depth = 0;
  do {
    if (position >= text.size())
      return LogicalResult(fail(start, "the region has no end"));
    depth += (text[position] == '{') - (text[position] == '}');
    if (failed(step()))
      return failure();
  } while (depth > 0);
  terminators.truncate(std::min(terminators.size(), numTerminators - 1));
  statement = outerStatement;
  return std::exchange(out, std::move(outer));
}

LogicalResult SdyOps::readFunctionType(SmallVectorImpl<std::string> &list) {
  auto type = [&](SmallVectorImpl<std::string> *list) {
    FailureOr<StringRef> type = readType();
    if (succeeded(type) && list)
      list->push_back(type->str());
    return LogicalResult(type);
  };
  if (failed(readList("(", ")", [&] { return type(nullptr); })) ||
      failed(expect("->")))
    return failure();
  if (isNext("("))
    return readList("(", ")", [&] { return type(&list); });
  return type(&list);
}

FailureOr<std::string> SdyOps::withShardings(size_t start,
                                             ArrayRef<std::string> values,
                                             ArrayRef<SdySharding> shardings,
                                             StringRef key) {
  if (!shardings.empty() && shardings.size() != values.size())
    return LogicalResult(fail(start, "states " + Twine(shardings.size()) + " " +
                                         key + " for " + Twine(values.size()) +
                                         " values"));
  std::vector<std::string> list;
  for (auto [index, value] : llvm::enumerate(values)) {
    list.push_back(value);
    if (!shardings.empty())
      list.back() +=
          " {shard.sharding = #shard.sharding" + str(shardings[index]) + "}";
  }
  return "(" + llvm::join(list, ", ") + ")";
}

LogicalResult SdyOps::namedComputation(size_t start) {
  std::string name;
  if (failed(expect("<")) || failed(readString(name)) || failed(expect(">")))
    return failure();
  FailureOr<StringRef> operands = readOperands();
  std::vector<SdySharding> in, results;
  if (failed(operands) ||
      (isNext("in_shardings") && failed(readShardings("in_shardings", in))) ||
      (isNext("out_shardings") &&
       failed(readShardings("out_shardings", results))))
    return failure();
  SmallVector<std::string> arguments, resultTypes;
  if (failed(readArguments(arguments)))
    return failure();
  FailureOr<std::string> body = readRegion("func.return");
  if (failed(body))
    return failure();
  size_t behind = position;
  if (isNext("{") && failed(readRegion("")))
    return failure();
  std::string attributes = text.slice(behind, position).str();
  if (failed(expect(":")))
    return failure();
  size_t type = position;
  if (failed(readFunctionType(resultTypes)))
    return failure();
  FailureOr<std::string> taken =
      withShardings(start, arguments, in, "in_shardings");
  if (failed(taken))
    return failure();
  FailureOr<std::string> given =
      withShardings(start, resultTypes, results, "out_shardings");
  if (failed(given))
    return failure();
  std::string symbol = "@\"" + name + "\"";
  insertBefore("func.func private " + symbol + *taken + " -> " + *given + " " +
               *body);
  out += "func.call " + symbol + operands->str() + attributes + " :" +
         text.slice(type, position).str();
  return success();
}

LogicalResult moveNamedComputations(Operation *module) {
  SmallVector<FunctionOpInterface> functions;
  module->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (!function->getParentOp()->hasTrait<OpTrait::SymbolTable>())
      functions.push_back(function);
  });
  SymbolTableCollection symbols;
  for (FunctionOpInterface function : functions) {
    auto call = dyn_cast_or_null<CallOpInterface>(function->getNextNode());
    if (!call)
      return function.emitError() << "is not at the level of a module";
    Operation *outer = function->getParentOp();
    while (!outer->getParentOp()->hasTrait<OpTrait::SymbolTable>())
      outer = outer->getParentOp();
    function->remove();
    StringAttr name = symbols.getSymbolTable(outer->getParentOp())
                          .insert(function, std::next(outer->getIterator()));
    call.setCalleeFromCallable(FlatSymbolRefAttr::get(name));
  }
  return success();
}

} // namespace shard
