//===- Hints.cpp - Put shardings on a program -----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/Hints.h"

#include "OptionLoc.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Reference/Reference.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cctype>
#include <map>

using namespace mlir;
using namespace shard;
using namespace shard::execution;

//===----------------------------------------------------------------------===//
// Entry and grid
//===----------------------------------------------------------------------===//

FailureOr<func::FuncOp> shard::findEntry(ModuleOp module, StringRef name,
                                         StringRef question) {
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      candidates.push_back(function);
  if (!name.empty()) {
    for (func::FuncOp function : candidates)
      if (function.getName() == name)
        return function;
  } else {
    SmallVector<func::FuncOp> exported;
    for (func::FuncOp function : candidates) {
      if (function.getName() == "main")
        return function;
      if (function.isPublic())
        exported.push_back(function);
    }
    if (exported.size() == 1)
      return exported.front();
  }
  auto names = llvm::map_range(candidates, [](func::FuncOp function) {
    return function.getName().str();
  });
  std::string list = llvm::join(names, ", ");
  InFlightDiagnostic diagnostic = emitError(module.getLoc());
  if (name.empty())
    diagnostic << question;
  else
    diagnostic << "the module has no function '" << name << "' with a body";
  if (!list.empty())
    diagnostic << "; functions: " << list;
  else if (module.getOps<ModuleOp>().empty())
    diagnostic << "; the module defines no function";
  else
    diagnostic << "; those of the modules in it do not count: give one of "
                  "these modules in a file of its own";
  return failure();
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

namespace {

/// What a hint is about.
struct Target {
  enum Kind { Argument, Result, Operand, OpResult } kind;
  unsigned number = 0;
  Operation *op = nullptr;
  Type type;
};

/// The text of one hint, and messages about places in it.
struct HintText {
  MLIRContext *context;
  StringRef text;

  InFlightDiagnostic error(size_t offset) const {
    return emitError(optionLoc(context, "--hint", text, offset));
  }
};

} // namespace

static FailureOr<Target> findNumbered(const HintText &hint, StringRef target,
                                      StringRef kind, TypeRange types,
                                      Target::Kind targetKind) {
  // Digits only: what does not fit is larger than any count.
  unsigned number;
  if (!target.drop_front(kind.size()).getAsInteger(10, number) &&
      number < types.size())
    return Target{targetKind, number, nullptr, types[number]};
  StringRef what = targetKind == Target::Argument ? "arguments" : "results";
  return hint.error(0) << "the entry has " << types.size() << ' ' << what
                       << ", numbered from 0; there is no " << target;
}

/// Of `OP#K`, `OP#K:N` and `OP#K:resultN`: the op, and which of its values.
static FailureOr<Target> findOfOp(const HintText &hint, StringRef target,
                                  func::FuncOp entry) {
  size_t hash = target.find('#');
  StringRef name = target.split('#').first;
  auto [ordinalText, valueText] = target.split('#').second.split(':');
  bool whole = !target.drop_front(std::min(hash, target.size())).contains(':');
  bool isResult = valueText.consume_front("result") || whole;
  unsigned ordinal, number = 0;
  if (hash == StringRef::npos || ordinalText.getAsInteger(10, ordinal) ||
      (!whole && valueText.getAsInteger(10, number)))
    return hint.error(0)
           << "'" << target
           << "' is no target; write argN, resultN, OP#K, the result of the "
              "entry's K-th OP counted from 0, such as linalg.matmul#2, "
              "OP#K:resultN of an op with several, or OP#K:N, its operand N";
  SmallVector<Operation *> ops;
  entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getName().getStringRef() == name)
      ops.push_back(op);
  });
  if (ordinal >= ops.size())
    return hint.error(hash + 1)
           << "the entry has " << ops.size() << " '" << name
           << "' ops, numbered from 0; there is no " << ordinal;
  Operation *op = ops[ordinal];
  unsigned count = isResult ? op->getNumResults() : op->getNumOperands();
  StringRef what = isResult ? "results" : "operands";
  if (whole && count != 1) {
    InFlightDiagnostic diagnostic = hint.error(0);
    diagnostic << "the op has " << count << " results";
    if (count)
      diagnostic << "; write " << target << ":result0 for the first";
    diagnostic.attachNote(op->getLoc()) << "the op is here";
    return failure();
  }
  if (number >= count) {
    InFlightDiagnostic diagnostic = hint.error(target.find(':', hash) + 1);
    diagnostic << "the op has " << count << ' ' << what
               << ", numbered from 0; there is no " << number;
    diagnostic.attachNote(op->getLoc()) << "the op is here";
    return failure();
  }
  if (isResult)
    return Target{Target::OpResult, number, op,
                  op->getResult(number).getType()};
  return Target{Target::Operand, number, op, op->getOperand(number).getType()};
}

static FailureOr<Target> findTarget(const HintText &hint, StringRef target,
                                    func::FuncOp entry) {
  auto isNumbered = [&](StringRef kind) {
    StringRef number = target;
    return number.consume_front(kind) && !number.empty() &&
           llvm::all_of(number, llvm::isDigit);
  };
  if (isNumbered("arg"))
    return findNumbered(hint, target, "arg", entry.getArgumentTypes(),
                        Target::Argument);
  if (isNumbered("result"))
    return findNumbered(hint, target, "result", entry.getResultTypes(),
                        Target::Result);
  return findOfOp(hint, target, entry);
}

/// `text` with quotes around the axis names that have none. `origin` gets for
/// each character its place in `text`.
static std::string quoteNames(StringRef text, SmallVectorImpl<size_t> &origin) {
  std::string result;
  int depth = 0;
  auto emit = [&](char c, size_t at) {
    result.push_back(c);
    origin.push_back(at);
  };
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    if (c == '"') {
      size_t end = std::min(text.find('"', i + 1), text.size() - 1);
      for (; i <= end; ++i)
        emit(text[i], i);
      continue;
    }
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    bool startsWord = llvm::isAlpha(c) || c == '_';
    if (!startsWord) {
      emit(c, i++);
      continue;
    }
    // A priority stands right behind a bracket; keywords stand outside.
    bool isName = depth > 0 && (i == 0 || text[i - 1] != ']');
    size_t start = i;
    if (isName)
      emit('"', start);
    while (i < text.size() && (llvm::isAlnum(text[i]) || text[i] == '_')) {
      emit(text[i], i);
      ++i;
    }
    if (isName)
      emit('"', i - 1);
  }
  return result;
}

/// Parses the sharding behind offset `begin` of the hint. The parser's message
/// is passed on at its place in the hint.
static ShardingAttr parseSharding(const HintText &hint, size_t begin,
                                  StringRef grid) {
  std::string prefix = ("#shard.sharding<@" + grid + ", ").str();
  SmallVector<size_t> open;
  for (size_t i = begin; i < hint.text.size(); ++i) {
    if (hint.text[i] == '[')
      open.push_back(i);
    else if (hint.text[i] == ']' && !open.empty())
      open.pop_back();
    else if (hint.text[i] == ']') {
      hint.error(i) << "malformed sharding: ']' closes nothing";
      return nullptr;
    }
  }
  if (!open.empty()) {
    hint.error(open.back()) << "malformed sharding: '[' is not closed";
    return nullptr;
  }
  SmallVector<size_t> origin;
  std::string body = quoteNames(hint.text.substr(begin), origin);
  std::string full = prefix + body + ">";
  std::string message;
  size_t offset = begin;
  Attribute parsed;
  {
    ScopedDiagnosticHandler handler(hint.context, [&](Diagnostic &diagnostic) {
      if (!message.empty())
        return success();
      message = diagnostic.str();
      if (auto loc = dyn_cast<FileLineColLoc>(diagnostic.getLocation())) {
        size_t column = loc.getColumn() ? loc.getColumn() - 1 : 0;
        column = column > prefix.size() ? column - prefix.size() : 0;
        offset = begin + (column < origin.size() ? origin[column]
                                                 : hint.text.size() - begin);
      }
      return success();
    });
    parsed = parseAttribute(full, hint.context);
  }
  if (auto sharding = dyn_cast_if_present<ShardingAttr>(parsed))
    return sharding;
  // The bracket that ends the attribute is none of the hint.
  if (message == "expected '>'")
    message = "expected ', ' or the end";
  hint.error(offset) << "malformed sharding: "
                     << (message.empty() ? "no sharding" : message)
                     << "; write one list of axes per dimension, such as "
                        "[[0], []]";
  return nullptr;
}

namespace {
/// A hint that fits its target.
struct ParsedHint {
  Target target;
  ShardingAttr sharding;
  ResolvedSharding resolved;
  GridOp grid;
};
} // namespace

/// `sharding` with at least `rank` dimensions; those that are added are whole.
static ShardingAttr withRank(ShardingAttr sharding, size_t rank) {
  SmallVector<DimShardingAttr> dims(sharding.getDims());
  while (dims.size() < rank)
    dims.push_back(DimShardingAttr::get(sharding.getContext(), {},
                                        /*open=*/false, /*priority=*/-1));
  return ShardingAttr::get(sharding.getContext(), sharding.getGrid(), dims,
                           sharding.getPartialKind(), sharding.getPartialAxes(),
                           sharding.getReplicatedAxes(), sharding.getHalos(),
                           sharding.getOffsets());
}

static FailureOr<ParsedHint> parseHint(func::FuncOp entry, HintText hint,
                                       MissingDims missing) {
  StringRef text = hint.text;
  size_t equals = text.find('=');
  if (equals == StringRef::npos)
    return hint.error(0) << "a hint reads TARGET=SHARDING, such as "
                            "arg0=[[0], []]";
  FailureOr<Target> target =
      findTarget(hint, text.take_front(equals).trim(), entry);
  if (failed(target))
    return failure();
  auto module = entry->getParentOfType<ModuleOp>();
  FailureOr<GridOp> grid = findGrid(module, entry);
  if (failed(grid))
    return failure();
  if (!*grid)
    return hint.error(0)
           << "the program has no grid; give one by --grid, such as --grid 2x2";
  auto tensor = dyn_cast<RankedTensorType>(target->type);
  if (!tensor)
    return hint.error(0) << "the target has type " << target->type
                         << "; only ranked tensors have shardings";
  ShardingAttr sharding = parseSharding(hint, equals + 1, (*grid).getSymName());
  if (!sharding)
    return failure();
  if (missing == MissingDims::Whole)
    sharding = withRank(sharding, tensor.getRank());
  auto emit = [&]() { return hint.error(equals + 1); };
  FailureOr<ResolvedSharding> resolved = resolve(sharding, *grid, tensor, emit);
  if (failed(resolved))
    return failure();
  return ParsedHint{*target, sharding, std::move(*resolved), *grid};
}

/// Annotates a value inside the entry: an operand for its op alone, a result for all
/// its users. Open dimensions make a wish of the hint, as a constraint is one.
static void annotateValue(const ParsedHint &hint) {
  const Target &target = hint.target;
  bool isOperand = target.kind == Target::Operand;
  OpBuilder builder(target.op);
  Location loc = target.op->getLoc();
  Value value = isOperand ? target.op->getOperand(target.number)
                          : target.op->getResult(target.number);
  if (!isOperand)
    builder.setInsertionPointAfter(target.op);
  bool closed = llvm::none_of(hint.resolved.dims, [](const ResolvedDim &dim) {
    return dim.open || dim.priority >= 0;
  });
  FailureOr<Sharding> plain = toSharding(hint.resolved);
  if (!closed || failed(plain)) {
    auto constraint = ConstraintOp::create(builder, loc, value.getType(), value,
                                           hint.sharding);
    // Without users it is about the value.
    if (isOperand)
      target.op->setOperand(target.number, constraint);
    return;
  }
  auto sharding =
      buildSharding(builder, loc, GridOp(hint.grid).getSymName(), *plain);
  auto annotated = ShardOp::create(
      builder, loc, value.getType(), value, sharding.getResult(),
      isOperand ? builder.getUnitAttr() : UnitAttr());
  if (isOperand)
    target.op->setOperand(target.number, annotated);
  else
    value.replaceAllUsesExcept(annotated, annotated);
}

static void attach(const ParsedHint &hint, func::FuncOp entry) {
  const Target &target = hint.target;
  switch (target.kind) {
  case Target::Argument:
    entry.setArgAttr(target.number, kShardingAttrName, hint.sharding);
    return;
  case Target::Result:
    entry.setResultAttr(target.number, kShardingAttrName, hint.sharding);
    return;
  case Target::Operand:
  case Target::OpResult:
    annotateValue(hint);
    return;
  }
}

LogicalResult shard::applyHints(func::FuncOp entry, ArrayRef<std::string> texts,
                                MissingDims missing) {
  if (!texts.empty() && isPartitioned(entry))
    return HintText{entry.getContext(), texts.front()}.error(0)
           << "'" << entry.getName()
           << "' is partitioned already: hints are for programs of one device";
  /// By the kind, the op and the number of the target: which hint it has.
  std::map<std::tuple<int, Operation *, unsigned>, size_t> hintOf;
  std::vector<ParsedHint> hints;
  SmallVector<StringRef> sources;
  for (StringRef text : texts) {
    HintText source{entry.getContext(), text};
    FailureOr<ParsedHint> hint = parseHint(entry, source, missing);
    if (failed(hint))
      return failure();
    const Target &target = hint->target;
    auto [known, isNew] = hintOf.try_emplace(
        {target.kind, target.op, target.number}, hints.size());
    if (isNew) {
      sources.push_back(text);
      hints.push_back(std::move(*hint));
    } else if (hints[known->second].sharding != hint->sharding) {
      return source.error(0)
             << "contradicts the hint '" << sources[known->second]
             << "' of the same target; give one of them";
    }
  }
  for (const ParsedHint &hint : hints)
    attach(hint, entry);
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool shard::hasElidedValue(Operation *op) {
  return llvm::any_of(op->getAttrs(), [](NamedAttribute attribute) {
    auto value = dyn_cast<DenseResourceElementsAttr>(attribute.getValue());
    return value && !value.getRawHandle().getBlob();
  });
}

unsigned shard::liftConstants(func::FuncOp entry, int64_t threshold) {
  SmallVector<Operation *> constants;
  entry.walk([&](Operation *op) {
    if (op->getNumResults() != 1 || op->getNumOperands() ||
        !(isa<arith::ConstantOp>(op) ||
          op->getName().getStringRef() == "tosa.const"))
      return;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !type.hasStaticShape())
      return;
    // Integers are indices, masks and shapes: random ones would break programs.
    bool isLarge = isa<FloatType>(type.getElementType()) &&
                   type.getNumElements() > threshold;
    if (isLarge || hasElidedValue(op))
      constants.push_back(op);
  });
  for (Operation *op : constants) {
    unsigned index = entry.getNumArguments();
    (void)entry.insertArgument(index, op->getResult(0).getType(), {},
                               op->getLoc());
    op->getResult(0).replaceAllUsesWith(entry.getArgument(index));
    op->erase();
  }
  return constants.size();
}
