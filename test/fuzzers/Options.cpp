//===- Options.cpp - Shardings, hints, grids, options, plans ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The first byte of an input says what the rest is.
//
//===----------------------------------------------------------------------===//

#include "Target.h"

#include "../../tools/shard-opt/PlanReshard.h"

#include "shard/Execution/Hints.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace shard::fuzz;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  return mutateTokens(data, size, most, seed, 1);
}

static void demandError(const char *what, LogicalResult result, bool error) {
  if (failed(result) == error)
    return;
  llvm::errs() << what << (error ? " succeeds with" : " fails without")
               << " an error\n";
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  registerPasses();
  std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
  MLIRContext &context = nextContext();
  bool error = false;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "shard.grid @grid(shape = 4x2) axes [\"x\", \"y\"]\n"
      "func.func @main(%a: tensor<8x8xf32>, %b: tensor<3x?xi32>) -> "
      "tensor<8x8xf32> {\n"
      "  %0 = linalg.add ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) "
      "outs(%a : tensor<8x8xf32>) -> tensor<8x8xf32>\n"
      "  return %0 : tensor<8x8xf32>\n}\n",
      &context);
  auto main = *module->getOps<func::FuncOp>().begin();
  switch (data[0] % 5) {
  case 0: {
    Attribute attribute =
        parseAttribute("#shard.sharding<" + text + ">", &context);
    demandError("attribute", success(bool(attribute)), error);
    if (attribute) {
      main.setArgAttr(0, "shard.sharding", attribute);
      LogicalResult valid = mlir::verify(*module);
      demandError("verifier", valid, error);
    }
    return 0;
  }
  case 1: {
    std::string message;
    llvm::raw_string_ostream stream(message);
    PassManager manager(&context, ModuleOp::getOperationName());
    LogicalResult result =
        parsePassPipeline("shard-spmd{" + text + "}", manager, stream);
    demandError("options", result, error || !message.empty());
    return 0;
  }
  case 2:
    demandError("grid", shard::setGrid(*module, text), error);
    return 0;
  case 3: {
    std::string plan, message;
    llvm::raw_string_ostream output(plan), errors(message);
    int code = shard::planReshard(text, context, output, errors);
    demandError("plan", success(code == 0), error || !message.empty());
    return 0;
  }
  default:
    demandError("hint", shard::applyHints(main, text), error);
    return 0;
  }
}
