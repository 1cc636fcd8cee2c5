//===- ProgramMutation.cpp - Changes of parsed programs ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramMutation.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace shard::fuzz;

static Type changed(Type type, Random &random) {
  MLIRContext *context = type.getContext();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && tensor.getRank() > 0 && random.chance(60)) {
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 8, ShapedType::kDynamic};
    SmallVector<int64_t> shape(tensor.getShape());
    shape[random.between(0, tensor.getRank() - 1)] =
        sizes[random.between(0, 6)];
    return RankedTensorType::get(shape, tensor.getElementType());
  }
  if (tensor && random.chance(30)) {
    SmallVector<int64_t> shape(tensor.getShape());
    shape.push_back(random.between(1, 3));
    return RankedTensorType::get(shape, tensor.getElementType());
  }
  Type element;
  switch (random.between(0, 6)) {
  case 0:
    element = IntegerType::get(context, 1);
    break;
  case 1:
    element = IntegerType::get(context, 32);
    break;
  case 2:
    element = Float64Type::get(context);
    break;
  case 3:
    element = BFloat16Type::get(context);
    break;
  case 4:
    element = IndexType::get(context);
    break;
  case 5:
    element = ComplexType::get(Float32Type::get(context));
    break;
  default:
    element = IntegerType::get(context, 7, IntegerType::Unsigned);
    break;
  }
  if (tensor)
    return RankedTensorType::get(tensor.getShape(), element);
  return element;
}

static Attribute changed(Attribute attribute, Random &random) {
  Builder builder(attribute.getContext());
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    SmallVector<Attribute> elements(list.begin(), list.end());
    if (elements.empty() || random.chance(20)) {
      elements.push_back(elements.empty() ? builder.getI64IntegerAttr(0)
                                          : elements.front());
      return builder.getArrayAttr(elements);
    }
    size_t at = random.between(0, int64_t(elements.size()) - 1);
    if (random.chance(30))
      elements.erase(elements.begin() + at);
    else
      elements[at] = changed(elements[at], random);
    return builder.getArrayAttr(elements);
  }
  static const int64_t numbers[] = {-1, 0, 1, 2, 3, 7, INT64_MAX, INT64_MIN};
  int64_t number = numbers[random.between(0, 7)];
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    unsigned width = integer.getValue().getBitWidth();
    return IntegerAttr::get(integer.getType(),
                            APInt(width, uint64_t(number), false, true));
  }
  if (auto dense = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    SmallVector<int64_t> values(dense.asArrayRef());
    if (values.empty() || random.chance(20))
      values.push_back(number);
    else
      values[random.between(0, int64_t(values.size()) - 1)] = number;
    return builder.getDenseI64ArrayAttr(values);
  }
  if (auto dense = dyn_cast<DenseI16ArrayAttr>(attribute)) {
    SmallVector<int16_t> values(dense.asArrayRef());
    if (values.empty() || random.chance(20))
      values.push_back(int16_t(number));
    else
      values[random.between(0, int64_t(values.size()) - 1)] = int16_t(number);
    return DenseI16ArrayAttr::get(attribute.getContext(), values);
  }
  if (auto dense = dyn_cast<DenseI32ArrayAttr>(attribute)) {
    SmallVector<int32_t> values(dense.asArrayRef());
    if (!values.empty())
      values[random.between(0, int64_t(values.size()) - 1)] = int32_t(number);
    return builder.getDenseI32ArrayAttr(values);
  }
  if (isa<SymbolRefAttr>(attribute))
    return FlatSymbolRefAttr::get(attribute.getContext(), "nothing");
  if (isa<StringAttr>(attribute))
    return builder.getStringAttr("text");
  if (auto type = dyn_cast<TypeAttr>(attribute))
    return TypeAttr::get(changed(type.getValue(), random));
  return builder.getUnitAttr();
}

namespace {

class Mutator {
public:
  Mutator(ModuleOp module, Random &random) : module(module), random(random) {
    module->walk([&](Operation *op) {
      if (op != module.getOperation())
        ops.push_back(op);
    });
  }

  bool empty() const { return ops.empty(); }

  void changeOnce() {
    collectValues();
    Operation *op = random.oneOf(ops);
    switch (random.between(0, 9)) {
    case 0:
      return erase(op);
    case 1:
      return cloneOrMove(op);
    case 2:
    case 3:
      return changeOperand(op);
    case 4:
    case 5:
    case 6:
      return changeAttribute(op);
    default:
      return changeType();
    }
  }

private:
  void collectValues() {
    values.clear();
    for (Operation *op : ops) {
      for (Value result : op->getResults())
        values.push_back(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            values.push_back(argument);
    }
  }

  /// Whether `op` or an op within it defines `value`.
  static bool isWithin(Value value, Operation *op) {
    return op->isAncestor(value.getParentBlock()->getParentOp()) ||
           value.getDefiningOp() == op;
  }

  /// Another value, of the type of `value` if there is one.
  Value other(Value value) {
    std::vector<Value> alike;
    for (Value each : values)
      if (each != value && each.getType() == value.getType())
        alike.push_back(each);
    return random.oneOf(alike.empty() ? values : alike);
  }

  void erase(Operation *op) {
    if (!op->getBlock() || (op->getNumRegions() > 0 && random.chance(70)))
      return;
    // Values inside may be used outside after a change before this one. No
    // operand may become null: the printer asks for its type.
    std::vector<Value> going;
    for (Value value : values)
      if (isWithin(value, op))
        going.push_back(value);
    for (Value value : going) {
      auto isOutside = [&](OpOperand &use) {
        return !op->isAncestor(use.getOwner());
      };
      if (llvm::none_of(value.getUses(), isOutside))
        continue;
      Value replacement = other(value);
      for (int tries = 0; tries < 9 && isWithin(replacement, op); ++tries)
        replacement = other(value);
      if (isWithin(replacement, op))
        return;
      value.replaceUsesWithIf(replacement, isOutside);
    }
    llvm::erase_if(ops, [&](Operation *each) { return op->isAncestor(each); });
    op->erase();
    if (ops.empty())
      ops.push_back(module);
  }

  void cloneOrMove(Operation *op) {
    Operation *target = random.oneOf(ops);
    if (op->isAncestor(target) || !target->getBlock() || !op->getBlock())
      return;
    if (random.chance(50)) {
      op->moveBefore(target);
      return;
    }
    OpBuilder builder(target);
    ops.push_back(builder.clone(*op));
  }

  void changeOperand(Operation *op) {
    if (op->getNumOperands() == 0)
      return;
    OpOperand &operand =
        op->getOpOperand(random.between(0, op->getNumOperands() - 1));
    operand.set(other(operand.get()));
  }

  void changeAttribute(Operation *op) {
    SmallVector<NamedAttribute> list(op->getAttrDictionary().getValue());
    if (list.empty())
      return;
    NamedAttribute chosen = list[random.between(0, int64_t(list.size()) - 1)];
    NamedAttrList dictionary(op->getAttrDictionary());
    if (random.chance(25))
      dictionary.erase(chosen.getName());
    else
      dictionary.set(chosen.getName(), changed(chosen.getValue(), random));
    // An inherent attribute of the wrong kind stays as it is.
    if (failed(op->setPropertiesFromAttribute(
            dictionary.getDictionary(op->getContext()),
            [&] { return op->emitError(); })))
      return;
    op->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    if (!op->getPropertiesStorage())
      op->setAttrs(dictionary);
  }

  void changeType() {
    if (values.empty())
      return;
    Type from = random.oneOf(values).getType();
    Type to = changed(from, random);
    if (random.chance(20)) {
      Value chosen = random.oneOf(values);
      chosen.setType(to);
      return;
    }
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](Type type) -> std::optional<Type> {
      if (type == from)
        return to;
      return std::nullopt;
    });
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }

  ModuleOp module;
  Random &random;
  std::vector<Operation *> ops;
  std::vector<Value> values;
};

} // namespace

std::optional<std::string> shard::fuzz::mutateProgram(MLIRContext &context,
                                                      const std::string &text,
                                                      Random &random) {
  ScopedDiagnosticHandler silent(&context,
                                 [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      text, ParserConfig(&context, /*verifyAfterParse=*/false));
  if (!module)
    return std::nullopt;
  Mutator mutator(*module, random);
  if (mutator.empty())
    return std::nullopt;
  for (int64_t changes = random.chance(70) ? 1 : 2; changes > 0; --changes)
    mutator.changeOnce();
  std::string result;
  llvm::raw_string_ostream stream(result);
  module->print(stream, OpPrintingFlags().printGenericOpForm());
  return result;
}
