# The lit suite of the project: every .mlir and .test file below this folder.
#
# Substitutions besides lit's own:
#   %shared_models  folder of real model files beside the checkout (feature
#                   `shard-models` when it is there)
#   %examples       docs/examples
#   %shard_src      root of the checkout
#   %shard_build    root of the build
#   %cmake %cc %cxx %python   as the project was configured
#   %numpy_python   a Python with NumPy, where there is the feature `numpy`
#   %mpirun_openmpi %mpirun_mpich   the launchers, where there are such features
#   %mpicc_openmpi %mpicc_mpich     their compilers for C
#   %hosts         test/hosts.py, which starts programs on two network namespaces
# Features: shard-models, standalone (built against an installed MLIR), asan, tsan,
#   asserts (SHARD_ASSERTIONS), cpu-LEVEL (x86-64, x86-64-v2, x86-64-v3, x86-64-v4: this
#   machine runs code for it), clang (%cc is clang), netns (network namespaces can be
#   made, see hosts.py), tun (and links with a delay between them), openmpi, mpich (the runtime library
#   for it was built, and there is a launcher), numpy.

import os
import platform
import subprocess
import sys

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
if config.assertions:
    config.available_features.add("asserts")
if config.asan:
    config.available_features.add("asan")
    config.environment["ASAN_OPTIONS"] = config.asan_options
    config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
    # UCX, which MPICH loads, patches functions that the sanitizer has replaced.
    config.environment["UCX_MEM_EVENTS"] = "n"
if config.tsan:
    config.available_features.add("tsan")
    config.environment["TSAN_OPTIONS"] = config.tsan_options
# The processor that programs are compiled for; without it, that of the machine.
if "SHARD_CPU" in os.environ:
    config.environment["SHARD_CPU"] = os.environ["SHARD_CPU"]
# glibc's malloc fills what it gives and what it takes back: elements that nothing has
# written differ from those of fresh pages, which are zero.
if not config.asan:
    config.environment["MALLOC_PERTURB_"] = "164"
# Mutation testing: the mutation that programs make, or which ones each test comes to.
if "SHARD_MUTANT" in os.environ:
    config.environment["SHARD_MUTANT"] = os.environ["SHARD_MUTANT"]
if "SHARD_MUTANT_TRACES" in os.environ:
    sys.path.append(os.path.join(config.shard_source_dir, "test", "mutants"))
    from traced_test import TracedTest
    config.test_format = TracedTest(execute_external=False)
# The levels of the x86-64 psABI that this machine has.
levels = {
    "x86-64": {"sse2"},
    "x86-64-v2": {"sse4_2", "ssse3", "popcnt", "cx16", "lahf_lm"},
    "x86-64-v3": {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"},
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}
if platform.machine() == "x86_64" and os.path.exists("/proc/cpuinfo"):
    with open("/proc/cpuinfo") as file:
        flags = {word for line in file if line.startswith("flags") for word in line.split()}
    for level, needed in levels.items():
        if not needed <= flags:
            break
        config.available_features.add("cpu-" + level)
if "clang" in os.path.basename(config.c_compiler):
    config.available_features.add("clang")
# A Python with NumPy: the one of the build, or that of Debian's package.
for python in (config.python, "/usr/bin/python3"):
    if not subprocess.run([python, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode:
        config.available_features.add("numpy")
        config.substitutions.append(("%numpy_python", python))
        break
# Debian's Python with clang's bindings, which mutation testing needs.
if not subprocess.run(["/usr/bin/python3", "-c", "import clang.cindex"],
                      stderr=subprocess.DEVNULL).returncode:
    config.available_features.add("python-clang")
for name, launcher in config.mpi_launchers.items():
    config.available_features.add(name)
    config.substitutions.append(("%mpirun_" + name, launcher))
    config.substitutions.append(("%mpicc_" + name, config.mpi_compilers[name]))

# Network namespaces as hosts: root of a machine that has them.
hosts = os.path.join(config.shard_source_dir, "test", "hosts.py")
if os.geteuid() == 0 and subprocess.run([config.python, hosts, "--check"],
                                        capture_output=True).returncode == 0:
    config.available_features.add("netns")
    if os.path.exists("/dev/net/tun"):
        config.available_features.add("tun")

config.substitutions += [
    ("%hosts", config.python + " " + hosts),
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

# `lit --param mpi=openmpi build/test/run` runs every program of these tests with one
# process per device.
mpi = lit_config.params.get("mpi")
programs = ["shard-compile", "shard-opt", "shard-run", "shard-fuzz", "shard-mutate", "shard-host",
            "shard-lsp-server", "shard-translate", "shard-bench-network"]
if mpi:
    programs.remove("shard-run")
    config.substitutions.append(
        (r"\bshard-run\b(?=\s)", " ".join([
            config.python, os.path.join(config.shard_source_dir, "test", "mpi-shard-run.py"),
            config.mpi_launchers[mpi], os.path.join(config.shard_tools_dir, "shard-run")])))

# Tests may be run by root, and with more processes than cores.
config.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                          OMPI_MCA_rmaps_base_oversubscribe="1",
                          OMPI_MCA_mpi_yield_when_idle="1")

# Our programs are named by their whole path in a failing command, so that it
# can be pasted into a shell.
llvm_config.add_tool_substitutions(
    [ToolSubst(name, unresolved="ignore") for name in programs],
    [config.shard_tools_dir])
llvm_config.add_tool_substitutions(
    ["llc", "llvm-objdump", "mlir-opt", "mlir-translate"], [config.llvm_tools_dir])
