# The lit suite of the project: every .mlir and .test file below this folder.
#
# Substitutions besides lit's own:
#   %shared_models  folder of real model files beside the checkout (feature
#                   `shard-models` when it is there)
#   %examples       docs/examples
#   %shard_src      root of the checkout
#   %shard_build    root of the build
#   %cmake %cc %cxx %python   as the project was configured
# Features: shard-models, standalone (built against an installed MLIR), asan,
#   mpi (mpirun on the path).

import os
import shutil

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "shard"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "benchmark", "fuzzers", "Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.shard_source_dir, "test")
config.test_exec_root = os.path.join(config.shard_binary_dir, "test")

models = os.path.realpath(os.path.join(config.shard_source_dir, "..", "shared", "models"))
if os.path.isdir(models):
    config.available_features.add("shard-models")
if config.standalone:
    config.available_features.add("standalone")
if config.asan:
    config.available_features.add("asan")
    config.environment["ASAN_OPTIONS"] = config.asan_options
if shutil.which("mpirun"):
    config.available_features.add("mpi")

config.substitutions += [
    ("%shared_models", models),
    ("%examples", os.path.join(config.shard_source_dir, "docs", "examples")),
    ("%shard_src", config.shard_source_dir),
    ("%shard_build", config.shard_binary_dir),
    ("%cmake", config.cmake),
    ("%cc", config.c_compiler),
    ("%cxx", config.cxx_compiler),
    ("%python", config.python),
]

llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.shard_tools_dir, append_path=True)

# Our programs are named by their whole path in a failing command, so that it
# can be pasted into a shell.
llvm_config.add_tool_substitutions(
    [ToolSubst(name, unresolved="ignore")
     for name in ("shard-opt", "shard-run", "shard-fuzz", "shard-mutate", "shard-host",
                  "shard-lsp-server", "shard-translate")],
    [config.shard_tools_dir])
llvm_config.add_tool_substitutions(
    ["mlir-opt", "mlir-translate"], [config.llvm_tools_dir])
