//===- PassRegistration.h - Passes and pipelines by name --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR ends the process when a name is registered twice, and when a pipeline adds a
// pass of modules to the passes of a function. What is registered here does neither:
// the first registration of a name stays, and a pipeline in the wrong place is an error.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_PASSREGISTRATION_H
#define SHARD_IR_PASSREGISTRATION_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace shard {

/// Whether the process knows a pass or a pipeline of this name.
inline bool isPassNameTaken(llvm::StringRef name) {
  return mlir::PassInfo::lookup(name) || mlir::PassPipelineInfo::lookup(name);
}

/// Registers the pass of `create` by its own argument.
inline void registerPassOnce(const mlir::PassAllocatorFunction &create) {
  if (!isPassNameTaken(create()->getArgument()))
    mlir::registerPass(create);
}

/// Registers `build` as the pipeline `name`, which runs on ops named `opName`, or on any
/// op if that is empty. To name the pipeline elsewhere is an error of the text.
inline void registerPipelineOnce(
    llvm::StringRef name, llvm::StringRef description, llvm::StringRef opName,
    const mlir::PassRegistryFunction &build,
    std::function<
        void(llvm::function_ref<void(const mlir::detail::PassOptions &)>)>
        listOptions) {
  using namespace mlir;
  if (isPassNameTaken(name))
    return;
  auto checked = [=, name = name.str(), opName = opName.str()](
                     OpPassManager &manager, StringRef options,
                     function_ref<LogicalResult(const Twine &)> errorHandler)
      -> LogicalResult {
    std::optional<StringRef> anchor = manager.getOpName();
    if (!opName.empty() && anchor && *anchor != opName)
      return errorHandler("'" + name + "' runs on '" + opName + "', not on '" +
                          *anchor + "'");
    return build(manager, options, errorHandler);
  };
  registerPassPipeline(name, description, checked, std::move(listOptions));
}

/// The same for a pipeline of modules with options of its own.
template <typename Options>
void registerModulePipelineOnce(
    llvm::StringRef name, llvm::StringRef description,
    std::function<void(mlir::OpPassManager &, const Options &)> build) {
  using namespace mlir;
  registerPipelineOnce(
      name, description, "builtin.module",
      [build](OpPassManager &manager, StringRef text,
              function_ref<LogicalResult(const Twine &)>) {
        Options options;
        if (failed(options.parseFromString(text)))
          return failure();
        build(manager, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> list) {
        list(Options());
      });
}

} // namespace shard

#endif // SHARD_IR_PASSREGISTRATION_H
