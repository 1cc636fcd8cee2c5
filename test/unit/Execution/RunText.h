//===- RunText.h - Programs of one device, run on given elements -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs programs without a grid on elements that a test gives by their bits.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_UNIT_EXECUTION_RUNTEXT_H
#define SHARD_TEST_UNIT_EXECUTION_RUNTEXT_H

#include "shard/Execution/Hints.h"
#include "shard/Execution/Verify.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/APInt.h"
#include "gtest/gtest.h"

#include <cstring>

namespace shard::test {

struct RunText : public testing::Test {
  RunText() : context(registry()) {}

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerRunDialects(registry);
    return registry;
  }

  /// The results of `main` of `text`.
  std::vector<HostTensor> run(const std::string &text,
                              std::vector<HostTensor> inputs) {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    if (!module)
      return {};
    RunOptions options;
    options.verify = false;
    options.keepOutputs = true;
    options.optLevel = 1;
    for (auto [index, input] : llvm::enumerate(inputs))
      options.inputs.emplace(index, std::move(input));
    mlir::FailureOr<mlir::func::FuncOp> entry = findEntry(*module, "main");
    mlir::FailureOr<RunReport> report =
        runProgram(*module, *entry, std::move(options));
    EXPECT_TRUE(succeeded(report) && report->pass) << text;
    return succeeded(report) ? std::move(report->outputs)
                             : std::vector<HostTensor>();
  }

  mlir::MLIRContext context;
};

inline ElementType typeOf(llvm::StringRef name) {
  for (int type = 0; type <= int(ElementType::C128); ++type)
    if (llvm::StringRef(stringifyElementType(static_cast<ElementType>(type))) ==
        name)
      return static_cast<ElementType>(type);
  return ElementType::F32;
}

inline unsigned widthOf(llvm::StringRef name) {
  return unsigned(8 * byteWidth(typeOf(name)));
}

/// The bits of element `i`.
inline llvm::APInt bitsOf(const HostTensor &tensor, int64_t i) {
  int64_t width = byteWidth(tensor.type());
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.data() + i * width, width);
  return llvm::APInt(unsigned(8 * width), bits);
}

inline HostTensor tensorOf(llvm::StringRef type,
                           llvm::ArrayRef<llvm::APInt> values) {
  HostTensor tensor(typeOf(type), {int64_t(values.size())});
  int64_t width = byteWidth(tensor.type());
  for (auto [i, value] : llvm::enumerate(values)) {
    uint64_t bits = value.getZExtValue();
    std::memcpy(tensor.data() + i * width, &bits, width);
  }
  return tensor;
}

} // namespace shard::test

#endif // SHARD_TEST_UNIT_EXECUTION_RUNTEXT_H
