//===- ModuleOrFunctionPass.h - Base of the passes --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_MODULEORFUNCTIONPASS_H
#define SHARD_LIB_TRANSFORMS_MODULEORFUNCTIONPASS_H

#include "shard/IR/ShardDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace shard {

/// A pass on modules and on functions, whatever ops these are.
///
/// Our dialect comes by an extension: naming it as a dependent dialect would be
/// fatal in hosts that have LLVM's dialect of the same name. The others are those
/// of the ops that models and the emitter build.
template <typename Base>
struct ModuleOrFunctionPass : public Base {
  using Base::Base;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registerShardDialect(registry);
    registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                    mlir::linalg::LinalgDialect, mlir::scf::SCFDialect,
                    mlir::tensor::TensorDialect>();
  }
  bool canScheduleOn(mlir::RegisteredOperationName name) const override {
    return name.getStringRef() == mlir::ModuleOp::getOperationName() ||
           name.hasInterface<mlir::FunctionOpInterface>();
  }
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_MODULEORFUNCTIONPASS_H
