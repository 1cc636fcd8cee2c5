//===- ToyPlugin.cpp - A dialect and a pass of a user ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `toy.twice` and its lowering to arith, and a C function for --shared-libs.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/Compiler.h"

using namespace mlir;

namespace {

class TwiceOp : public Op<TwiceOp, OpTrait::OneResult, OpTrait::OneOperand,
                          OpTrait::SameOperandsAndResultType> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "toy.twice"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  static ParseResult parse(OpAsmParser &parser, OperationState &state) {
    OpAsmParser::UnresolvedOperand operand;
    Type type;
    return failure(parser.parseOperand(operand) ||
                   parser.parseColonType(type) ||
                   parser.resolveOperand(operand, type, state.operands) ||
                   parser.addTypeToList(type, state.types));
  }
  void print(OpAsmPrinter &printer) {
    printer << ' ' << getOperation()->getOperand(0) << " : "
            << getOperation()->getResult(0).getType();
  }
};

class ToyDialect : public Dialect {
public:
  explicit ToyDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ToyDialect>()) {
    addOperations<TwiceOp>();
  }
  static StringRef getDialectNamespace() { return "toy"; }
};

struct LowerToy : public PassWrapper<LowerToy, OperationPass<ModuleOp>> {
  StringRef getArgument() const override { return "toy-lower"; }
  StringRef getDescription() const override { return "Lowers toy to arith"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }
  void runOnOperation() override {
    getOperation().walk([](TwiceOp op) {
      OpBuilder builder(op);
      Value x = op->getOperand(0);
      op->getResult(0).replaceAllUsesWith(
          arith::AddFOp::create(builder, op.getLoc(), x, x).getResult());
      op.erase();
    });
  }
};

} // namespace

MLIR_DECLARE_EXPLICIT_TYPE_ID(ToyDialect)
MLIR_DEFINE_EXPLICIT_TYPE_ID(ToyDialect)
MLIR_DECLARE_EXPLICIT_TYPE_ID(TwiceOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(TwiceOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(LowerToy)
MLIR_DEFINE_EXPLICIT_TYPE_ID(LowerToy)

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, "toy", "1",
      [](mlir::DialectRegistry *registry) { registry->insert<ToyDialect>(); }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "toy", "1",
          [] { PassRegistration<LowerToy>(); }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT float toyHalf(float value) {
  return value / 2;
}
