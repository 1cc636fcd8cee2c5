//===- Extensions.cpp - What others add to a program ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extensions.h"

#include "shard/Pipelines/Registration.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace cl = llvm::cl;

cl::OptionCategory &shard::toolOptions() {
  static cl::OptionCategory category("Options");
  return category;
}

static cl::list<std::string>
    dialectPlugins("load-dialect-plugin", cl::cat(shard::toolOptions()),
                   cl::value_desc("plugin.so"),
                   cl::desc("Load a dialect of the program from a plugin"));
static cl::list<std::string>
    passPlugins("load-pass-plugin", cl::cat(shard::toolOptions()),
                cl::value_desc("plugin.so"),
                cl::desc("Load passes for --pass-pipeline from a plugin"));
static cl::list<std::string> sharedLibraries(
    "shared-libs", cl::cat(shard::toolOptions()), cl::value_desc("lib.so"),
    cl::CommaSeparated,
    cl::desc("Libraries with functions that the program calls"));
static cl::opt<std::string> pipeline(
    "pass-pipeline", cl::cat(shard::toolOptions()),
    cl::value_desc("builtin.module(...)"),
    cl::desc("Passes to run on the program first, such as the lowering of a "
             "plugin's dialect"));

static bool fails(const llvm::Twine &text) {
  llvm::WithColor::error() << text << '\n';
  return false;
}

bool shard::loadExtensions(DialectRegistry &registry) {
  for (const std::string &path : dialectPlugins) {
    llvm::Expected<DialectPlugin> plugin = DialectPlugin::load(path);
    if (!plugin)
      return fails("--load-dialect-plugin '" + path +
                   "': " + llvm::toString(plugin.takeError()));
    // Two dialects of one name end the process.
    if (plugin->getPluginName() == "shard")
      return fails("--load-dialect-plugin '" + path +
                   "' has the dialect shard, which this program has itself");
    plugin->registerDialectRegistryCallbacks(registry);
  }
  if (!pipeline.empty() || !passPlugins.empty()) {
    registerUpstreamPasses();
    registerShardPasses();
    registerShardPassesUnderUpstreamNames();
  }
  for (const std::string &path : passPlugins) {
    llvm::Expected<PassPlugin> plugin = PassPlugin::load(path);
    if (!plugin)
      return fails("--load-pass-plugin '" + path +
                   "': " + llvm::toString(plugin.takeError()));
    plugin->registerPassRegistryCallbacks();
  }
  for (const std::string &path : sharedLibraries) {
    std::string error;
    if (llvm::sys::DynamicLibrary::LoadLibraryPermanently(path.c_str(), &error))
      return fails("--shared-libs '" + path + "': " + error);
  }
  return true;
}

std::vector<std::string> shard::sharedLibraryPaths() {
  return std::vector<std::string>(sharedLibraries.begin(),
                                  sharedLibraries.end());
}

LogicalResult shard::runGivenPasses(ModuleOp module) {
  if (pipeline.empty())
    return success();
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, stream);
  if (failed(parsed) || parsed->getOpAnchorName() != "builtin.module")
    return emitError(FileLineColLoc::get(
               module.getContext(), "--pass-pipeline '" + pipeline + "'", 1, 1))
           << (failed(parsed) ? problems : "is not for 'builtin.module'");
  PassManager passes(module.getContext());
  static_cast<OpPassManager &>(passes) = std::move(*parsed);
  return passes.run(module);
}
