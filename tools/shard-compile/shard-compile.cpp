//===- shard-compile.cpp - Compile a program ahead of time ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A command line around shard/Execution/AheadOfTime.h; docs/shard-compile.md
// describes it.
//
//===----------------------------------------------------------------------===//

#include "../Common/Extensions.h"
#include "../Common/Program.h"
#include "../Common/Progress.h"
#include "../Common/PropagationFlags.h"
#include "../Version.h"

#include "shard/Execution/AheadOfTime.h"
#include "shard/Execution/Verify.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <cstdlib>

using namespace mlir;
namespace cl = llvm::cl;
namespace path = llvm::sys::path;

using shard::OutputKind;

namespace {

cl::OptionCategory &category = shard::toolOptions();

cl::opt<std::string> output("o", cl::value_desc("file"), cl::cat(category),
                            cl::desc("What to write; default: the name of the "
                                     "program, in this folder"));
cl::opt<OutputKind>
    emitKind("emit", cl::init(OutputKind::Executable), cl::cat(category),
             cl::desc("What to write"),
             cl::values(clEnumValN(OutputKind::Executable, "exe",
                                   "an executable with a main program"),
                        clEnumValN(OutputKind::SharedLibrary, "shared",
                                   "a shared library"),
                        clEnumValN(OutputKind::Object, "obj",
                                   "an object file, for any back end")));
cl::opt<std::string> header(
    "header", cl::value_desc("file.h"), cl::cat(category),
    cl::desc("The C header; default: beside the output, named after it"));
cl::opt<std::string>
    name("name", cl::value_desc("identifier"), cl::cat(category),
         cl::desc("What the names in the header begin with; default: the name "
                  "of the output"));

enum class Backend { Threads, Mpi, OpenMpi, Mpich };
cl::opt<Backend> backend(
    "backend", cl::init(Backend::Threads), cl::cat(category),
    cl::desc("What runs the devices"),
    cl::values(clEnumValN(Backend::Threads, "threads",
                          "threads of one process"),
               clEnumValN(Backend::OpenMpi, "openmpi", "processes of Open MPI"),
               clEnumValN(Backend::Mpich, "mpich", "processes of MPICH"),
               clEnumValN(Backend::Mpi, "mpi",
                          "processes of the MPI whose library is there")));

cl::opt<std::string>
    cpu("cpu", cl::value_desc("processor"), cl::cat(category),
        cl::desc("The processor to generate code for: x86-64 (default), "
                 "x86-64-v2, x86-64-v3, x86-64-v4, native, or another name "
                 "that LLVM knows; without it, that of $SHARD_CPU"));
cl::opt<std::string>
    triple("triple", cl::value_desc("triple"), cl::cat(category),
           cl::desc("The target triple to generate an object for, with "
                    "--emit=obj; default: this machine's"));
cl::opt<std::string> compiler("cc", cl::value_desc("path"), cl::cat(category),
                              cl::desc("The C compiler that links; default: "
                                       "cc, clang, clang-22 or gcc"));
cl::opt<std::string>
    libraryFolder("library-dir", cl::value_desc("folder"), cl::cat(category),
                  cl::desc("Where libshard_program.so and the others are; "
                           "default: lib beside the folder of this program"));
cl::opt<std::string>
    runPath("rpath", cl::value_desc("folder"), cl::cat(category),
            cl::desc("Where the program looks for them when it runs, such as "
                     "'$ORIGIN'; default: where they are now"));
cl::opt<bool> printPartitioned("print-partitioned", cl::cat(category),
                               cl::desc("Print the program of one device"));

/// The path of the first of `programs` that is found.
std::string findProgram(llvm::ArrayRef<llvm::StringRef> programs) {
  for (llvm::StringRef program : programs)
    if (auto found = llvm::sys::findProgramByName(program))
      return *found;
  return {};
}

std::string findLibraries(const char *program) {
  if (!libraryFolder.empty())
    return libraryFolder;
  llvm::SmallString<128> folder(
      path::parent_path(path::parent_path(llvm::sys::fs::getMainExecutable(
          program, reinterpret_cast<void *>(&findLibraries)))));
  path::append(folder, "lib");
  return folder.str().str();
}

std::string backendName(llvm::StringRef folder) {
  switch (backend) {
  case Backend::Threads:
    return "threads";
  case Backend::OpenMpi:
    return "openmpi";
  case Backend::Mpich:
    return "mpich";
  case Backend::Mpi:
    return llvm::sys::fs::exists(folder + "/libshard_rt_openmpi.so") ? "openmpi"
                                                                     : "mpich";
  }
  llvm_unreachable("not a back end");
}

/// The processor that most machines can run code for, unless something else is asked for.
shard::CpuTarget readTarget() {
  shard::CpuTarget target{cpu, triple};
  const char *variable = std::getenv(shard::cpuVariable);
  if (target.cpu.empty() && (!variable || !*variable)) {
    llvm::Triple machine(triple.empty() ? llvm::sys::getProcessTriple()
                                        : llvm::Triple::normalize(triple));
    target.cpu =
        machine.getArch() == llvm::Triple::x86_64 ? "x86-64" : "generic";
  }
  return target;
}

/// Sets where the results go; an error if that cannot be.
LogicalResult nameFiles(MLIRContext *context,
                        shard::AheadOfTimeOptions &options) {
  options.source = shard::programPath();
  bool isFile = options.source != "-";
  llvm::StringRef stem = isFile ? path::stem(options.source) : "program";
  options.output = output;
  if (options.output.empty())
    options.output = options.kind == OutputKind::Object ? (stem + ".o").str()
                     : options.kind == OutputKind::SharedLibrary
                         ? ("lib" + stem + ".so").str()
                         : stem.str();
  llvm::SmallString<128> beside(options.output);
  path::replace_extension(beside, "h");
  options.header = header.empty() ? beside.str().str() : header;
  llvm::StringRef outputStem = path::stem(options.output);
  if (options.kind == OutputKind::SharedLibrary)
    outputStem.consume_front("lib");
  options.name = name.empty() ? shard::makeCName(outputStem) : name;
  if (options.name != shard::makeCName(options.name))
    return shard::errorAtOption(context, "--name", name)
           << "is no identifier of C, such as '" << shard::makeCName(name)
           << "'";
  if (options.header == options.output)
    return shard::errorAtOption(context, "-o", options.output)
           << "is also the name of the header; give that another one by "
              "--header";
  for (const std::string &file : {options.output, options.header}) {
    llvm::StringRef option = file == header ? "--header" : "-o";
    if (isFile && llvm::sys::fs::equivalent(file, options.source))
      return shard::errorAtOption(context, option, file)
             << "would replace the program '" << file << "'; give another name";
    // A file gets its name by a rename, which would replace a device.
    if (llvm::sys::fs::exists(file) && !llvm::sys::fs::is_directory(file) &&
        !llvm::sys::fs::is_regular_file(file))
      return shard::errorAtOption(context, option, file)
             << "is no regular file";
  }
  return success();
}

/// LLVM ends the process where it cannot generate code for a machine, as for processors
/// of 32 bits and for GPUs. Called in place of that.
void endWithoutCode(void *, const char *reason, bool) {
  llvm::StringRef firstLine = llvm::StringRef(reason).split('\n').first;
  llvm::WithColor::error() << "LLVM cannot go on: " << firstLine << '\n';
  llvm::sys::RunInterruptHandlers();
  std::_Exit(1);
}

LogicalResult run(MLIRContext &context, const char *program,
                  shard::Progress &progress) {
  shard::AheadOfTimeOptions options;
  options.kind = emitKind;
  options.target = readTarget();
  if (options.kind != OutputKind::Object && !triple.empty())
    return shard::errorAtOption(&context, "--triple", triple)
           << "code for another machine is not linked here: write an object "
              "by --emit=obj";
  auto machine = shard::createTargetMachine(options.target, 0, /*toRun=*/false);
  if (!machine)
    return shard::errorAtTarget(&context, cpu, triple)
           << llvm::toString(machine.takeError());
  if (failed(nameFiles(&context, options)))
    return failure();
  options.libraryFolder = findLibraries(program);
  options.runPath = runPath.empty() ? options.libraryFolder : runPath;
  options.backend = backendName(options.libraryFolder);
  options.compiler = compiler.empty()
                         ? findProgram({"cc", "clang", "clang-22", "gcc"})
                         : findProgram({llvm::StringRef(compiler)});
  if (!compiler.empty() && options.compiler.empty())
    return shard::errorAtOption(&context, "--cc", compiler)
           << "is no program that can be executed";
  options.libraries = shard::sharedLibraryPaths();
  options.pipeline = shard::readPipelineOptions();
  options.monitor = progress.monitor();
  if (printPartitioned)
    options.onPartitioned = [&progress](ModuleOp partitioned) {
      progress.hide();
      partitioned.print(llvm::outs());
      llvm::outs() << '\n';
    };

  FailureOr<shard::GivenProgram> given = shard::readProgram(context);
  if (failed(given))
    return failure();
  if (!given->grid)
    return emitError(given->module->getLoc())
           << "the program has no grid; give one by --grid, such as --grid 2x2";
  if (failed(shard::explainIfAsked(given->entry, options.pipeline)))
    return failure();
  return shard::compileAheadOfTime(*given->module, given->entry, options);
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::install_fatal_error_handler(endWithoutCode);
  shard::setVersionPrinter();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a program for a grid of devices to an executable, a shared "
      "library or an object, with a C header, which run without this "
      "compiler\n");
  DialectRegistry registry;
  shard::registerRunDialects(registry);
  if (!shard::loadExtensions(registry))
    return 1;
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  shard::Progress progress("shard-compile", /*shows=*/true);
  progress.hideForDiagnostics(context);
  LogicalResult result = run(context, argv[0], progress);
  llvm::outs().flush();
  return succeeded(result) ? 0 : 1;
}
