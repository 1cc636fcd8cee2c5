//===- CheckCommuting.cpp - Which ops reductions pass ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are some thousands of pairs of an op and a kind of reduction, and most of them differ for
// few numbers. Programs come to few of them. So ops are asked, and computed by their folds.
//
//===----------------------------------------------------------------------===//

#include "CheckCommuting.h"

#include "shard/Fuzz/Random.h"
#include "shard/Geometry/ReductionKind.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace shard::fuzz {

/// So many ops are asked for a seed, and so many pairs of numbers tried where one says yes.
static constexpr int kOps = 12, kPairs = 24;

static constexpr ReductionKind allKinds[] = {
    ReductionKind::Sum,       ReductionKind::Max,
    ReductionKind::Min,       ReductionKind::Product,
    ReductionKind::Average,   ReductionKind::BitwiseAnd,
    ReductionKind::BitwiseOr, ReductionKind::BitwiseXor,
    ReductionKind::UMin,      ReductionKind::UMax,
    ReductionKind::Generic};

static const std::vector<std::string> &integerTypes() {
  static const std::vector<std::string> types = {"i8", "i16", "i32", "i64"};
  return types;
}

static const std::vector<std::string> &floatTypes() {
  static const std::vector<std::string> types = {"bf16", "f16", "f32", "f64"};
  return types;
}

static unsigned widthOf(const std::string &type) {
  return std::stoi(type.substr(type.find_first_of("0123456789")));
}

/// A conversion of `%a` of `type` to another type.
static std::string conversion(Random &rng, const std::string &type) {
  bool fromFloat = type.find('f') != std::string::npos;
  bool toFloat = rng.chance(50);
  const std::string &other = rng.oneOf(toFloat ? floatTypes() : integerTypes());
  bool isSigned = rng.chance(50);
  std::string name;
  if (fromFloat && toFloat) {
    if (widthOf(other) == widthOf(type))
      return {};
    name = widthOf(other) < widthOf(type) ? "truncf" : "extf";
  } else if (toFloat) {
    name = isSigned ? "sitofp" : "uitofp";
  } else if (fromFloat) {
    name = isSigned ? "fptosi" : "fptoui";
  } else {
    if (widthOf(other) == widthOf(type))
      return {};
    name = widthOf(other) < widthOf(type) ? "trunci"
           : isSigned                     ? "extsi"
                                          : "extui";
  }
  return "arith." + name + " %a : " + type + " to " + other;
}

/// A number of `type` as text.
static std::string literal(Random &rng, bool isFloat) {
  int64_t number = rng.between(-4, 4);
  return std::to_string(number) + (isFloat ? ".0" : "");
}

/// An op on `%a`, mostly beside another operand `%b`, a constant or an argument.
static std::string writeOp(Random &rng, const std::string &type) {
  static const std::vector<std::string> integers = {
      "addi",  "subi",  "muli",  "andi",  "ori",   "xori",
      "maxsi", "minsi", "maxui", "minui", "shli",  "shrui",
      "shrsi", "divsi", "divui", "remsi", "remui", "ceildivsi"};
  static const std::vector<std::string> floats = {
      "addf",     "subf",    "mulf",    "divf", "maximumf",
      "minimumf", "maxnumf", "minnumf", "remf"};
  static const std::vector<std::string> unary = {
      "math.floor", "math.ceil", "math.round", "math.roundeven",
      "math.trunc", "math.absf", "arith.negf"};
  bool isFloat = type.find('f') != std::string::npos;
  int64_t kind = rng.between(0, 9);
  if (kind < 3)
    return conversion(rng, type);
  if (kind == 3)
    return (isFloat ? rng.oneOf(unary) : "math.absi") + " %a : " + type;
  std::string first = "%a", second = "%b";
  if (rng.chance(30))
    std::swap(first, second);
  if (kind == 4)
    return "arith.select %c, " + first + ", " + second + " : " + type;
  return "arith." + rng.oneOf(isFloat ? floats : integers) + " " + first +
         ", " + second + " : " + type;
}

/// A number of `type`: a small one, one at an end of the type, or any bits.
static Attribute randomNumber(Random &rng, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  APInt bits(width, rng.next(), false, /*implicitTrunc=*/true);
  int64_t kind = rng.between(0, 3);
  auto asFloat = dyn_cast<FloatType>(type);
  if (!asFloat) {
    if (kind == 0)
      bits = rng.chance(50) ? APInt::getSignedMaxValue(width)
                            : APInt::getSignedMinValue(width);
    if (kind >= 2)
      bits = APInt(width, uint64_t(rng.between(-3, 5)), true,
                   /*implicitTrunc=*/true);
    return IntegerAttr::get(type, bits);
  }
  const llvm::fltSemantics &semantics = asFloat.getFloatSemantics();
  APFloat number(semantics, bits);
  bool negative = rng.chance(50);
  if (kind == 0)
    number = rng.chance(30)   ? APFloat::getNaN(semantics)
             : rng.chance(50) ? APFloat::getInf(semantics, negative)
                              : APFloat::getZero(semantics, negative);
  if (kind >= 2) {
    bool lost;
    number = APFloat(double(rng.between(-16, 16)) / 4);
    number.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
  }
  return FloatAttr::get(type, number);
}

/// Two numbers combined by a reduction; nothing where the kind has no such numbers.
static Attribute combine(ReductionKind kind, Attribute first,
                         Attribute second) {
  if (auto a = dyn_cast<FloatAttr>(first)) {
    APFloat x = a.getValue(), y = cast<FloatAttr>(second).getValue();
    auto make = [&](const APFloat &number) {
      return FloatAttr::get(a.getType(), number);
    };
    switch (kind) {
    case ReductionKind::Sum:
      return make(x + y);
    case ReductionKind::Product:
      return make(x * y);
    case ReductionKind::Max:
      return make(llvm::maximum(x, y));
    case ReductionKind::Min:
      return make(llvm::minimum(x, y));
    default:
      return {};
    }
  }
  auto a = cast<IntegerAttr>(first);
  const APInt &x = a.getValue(), &y = cast<IntegerAttr>(second).getValue();
  auto make = [&](const APInt &number) {
    return IntegerAttr::get(a.getType(), number);
  };
  switch (kind) {
  case ReductionKind::Sum:
    return make(x + y);
  case ReductionKind::Product:
    return make(x * y);
  case ReductionKind::Max:
    return make(llvm::APIntOps::smax(x, y));
  case ReductionKind::Min:
    return make(llvm::APIntOps::smin(x, y));
  case ReductionKind::UMax:
    return make(llvm::APIntOps::umax(x, y));
  case ReductionKind::UMin:
    return make(llvm::APIntOps::umin(x, y));
  case ReductionKind::BitwiseAnd:
    return make(x & y);
  case ReductionKind::BitwiseOr:
    return make(x | y);
  case ReductionKind::BitwiseXor:
    return make(x ^ y);
  default:
    return {};
  }
}

/// What `op` gives of `operands`; nothing where it is undefined, or not known when it is compiled.
static Attribute evaluate(Operation *op, ArrayRef<Attribute> operands) {
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(operands, folded)) || folded.size() != 1)
    return {};
  if (auto value = dyn_cast<Value>(folded.front())) {
    auto *place = llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) {
      return operand.get() == value;
    });
    return place == op->getOpOperands().end()
               ? Attribute()
               : operands[place->getOperandNumber()];
  }
  auto result = cast<Attribute>(folded.front());
  return isa<IntegerAttr, FloatAttr>(result) ? result : Attribute();
}

/// Whether two numbers have the same bits, but for those of NaN.
static bool isSame(Attribute first, Attribute second) {
  auto a = dyn_cast<FloatAttr>(first), b = dyn_cast<FloatAttr>(second);
  return first == second ||
         (a && b && a.getValue().isNaN() && b.getValue().isNaN());
}

/// Tries random numbers, where `op` says that it commutes.
static std::string tryNumbers(Random &rng, Operation *op, ReductionKind kind,
                              unsigned operand) {
  for (int pair = 0; pair < kPairs; ++pair) {
    SmallVector<Attribute> first;
    for (Value value : op->getOperands()) {
      Attribute constant;
      if (!matchPattern(value, m_Constant(&constant)))
        constant = randomNumber(rng, value.getType());
      first.push_back(constant);
    }
    SmallVector<Attribute> second = first, both = first;
    first[operand] = randomNumber(rng, op->getOperand(operand).getType());
    second[operand] = randomNumber(rng, op->getOperand(operand).getType());
    both[operand] = combine(kind, first[operand], second[operand]);
    // No device has summands of such a type.
    if (!both[operand])
      return {};
    Attribute a = evaluate(op, first), b = evaluate(op, second),
              wanted = evaluate(op, both);
    Attribute given = a && b ? combine(kind, a, b) : Attribute();
    if (a && b && !given)
      return "is said to commute with a kind that its result does not have";
    if (!wanted || !given || isSame(wanted, given))
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "gives of " << first[operand] << " and " << second[operand]
       << ", reduced, " << wanted << ", but reduced behind it " << given;
    return text;
  }
  return {};
}

std::string checkCommuting(MLIRContext &context, uint64_t seed) {
  Random rng(seed ^ 0x636f6d6d757465ull);
  std::string text;
  for (int i = 0; i < kOps; ++i) {
    bool isFloat = rng.chance(40);
    const std::string &type =
        rng.oneOf(isFloat ? floatTypes() : integerTypes());
    std::string op = writeOp(rng, type);
    if (op.empty())
      continue;
    bool isConstant = rng.chance(70);
    text += "func.func private @f" + std::to_string(i) + "(%a: " + type +
            (isConstant ? "" : ", %b: " + type) + ", %c: i1) {\n";
    if (isConstant)
      text += "  %b = arith.constant " + literal(rng, isFloat) + " : " + type +
              "\n";
    text += "  %r = " + op + "\n  return\n}\n";
  }
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return "ops on scalars are refused: " + text;
  std::string wrong;
  module->walk([&](Operation *op) {
    auto told = dyn_cast<ShardingInterface>(op);
    if (!told || op->hasTrait<OpTrait::ConstantLike>() ||
        op->getNumResults() != 1)
      return WalkResult::advance();
    for (ReductionKind kind : allKinds)
      for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
        if (!told.commutesWith(kind, operand))
          continue;
        std::string why = tryNumbers(rng, op, kind, operand);
        if (why.empty())
          continue;
        llvm::raw_string_ostream(wrong)
            << *op << " commutes with " << stringifyReductionKind(kind)
            << " of operand " << operand << ": it " << why;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return wrong;
}

} // namespace shard::fuzz
