//===- PipelinesTest.cpp - The options of pipelines by name and in C++ ----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `shard-spmd` with options as text is buildSpmdPipeline with the same options in C++, defaults
// included: shard-opt takes the one, shard-run the other.
//
//===----------------------------------------------------------------------===//

#include "shard/Pipelines/Pipelines.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace shard;

namespace {

std::string print(const OpPassManager &manager) {
  std::string text;
  llvm::raw_string_ostream os(text);
  manager.printAsTextualPipeline(os);
  return text;
}

std::string byName(const std::string &options) {
  [[maybe_unused]] static bool once = (registerShardPasses(), true);
  std::string error;
  llvm::raw_string_ostream os(error);
  FailureOr<OpPassManager> manager =
      parsePassPipeline("builtin.module(shard-spmd{" + options + "})", os);
  EXPECT_TRUE(succeeded(manager)) << error;
  return succeeded(manager) ? print(*manager) : "";
}

std::string inCode(const SpmdPipelineOptions &options) {
  OpPassManager manager(ModuleOp::getOperationName());
  buildSpmdPipeline(manager, options);
  return print(manager);
}

using Change = std::function<void(SpmdPipelineOptions &)>;

} // namespace

TEST(PipelinesTest, OptionsByNameAndInCode) {
  const std::pair<const char *, Change> changes[] = {
      {"strategy=basic",
       [](auto &o) { o.propagation.strategy = PropagationStrategy::Basic; }},
      {"traversal=forward",
       [](auto &o) {
         o.propagation.traversal = PropagationTraversal::Forward;
       }},
      {"traversal=backward",
       [](auto &o) {
         o.propagation.traversal = PropagationTraversal::Backward;
       }},
      {"traversal=forward-backward",
       [](auto &o) {
         o.propagation.traversal = PropagationTraversal::ForwardBackward;
       }},
      {"uneven=replicate",
       [](auto &o) { o.propagation.uneven = UnevenPolicy::Replicate; }},
      {"op-priorities=false",
       [](auto &o) { o.propagation.opPriorities = false; }},
      {"user-priorities=false",
       [](auto &o) { o.propagation.userPriorities = false; }},
      {"global-arguments=true",
       [](auto &o) { o.partition.globalArguments = true; }},
      {"lower-tosa=false", [](auto &o) { o.lowerTosa = false; }},
      {"halo-steps=0", [](auto &o) { o.haloSteps = 0; }},
      {"halo-steps=3", [](auto &o) { o.haloSteps = 3; }},
      {"overlap=true", [](auto &o) { o.overlap = true; }}};
  std::set<std::string> different = {inCode({})};
  EXPECT_EQ(byName(""), inCode({}));
  for (const auto &[text, change] : changes) {
    SpmdPipelineOptions options;
    change(options);
    EXPECT_EQ(byName(text), inCode(options));
    EXPECT_TRUE(different.insert(inCode(options)).second) << text;
  }
  // What is stated by default is what is there without it.
  EXPECT_EQ(
      byName("strategy=aggressive traversal=backward-forward uneven=shard "
             "op-priorities=true user-priorities=true "
             "global-arguments=false lower-tosa=true halo-steps=1 "
             "overlap=false"),
      inCode({}));
}
