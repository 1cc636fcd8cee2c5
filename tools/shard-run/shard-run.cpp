//===- shard-run.cpp - Run a program on a grid and prove it equal ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A command line around shard/Execution/Verify.h; docs/shard-run.md describes it.
//
//===----------------------------------------------------------------------===//

#include "../Common/Extensions.h"
#include "../Common/Program.h"
#include "../Common/Progress.h"
#include "../Common/PropagationFlags.h"
#include "../Version.h"

#include "shard/Codegen/Compile.h"
#include "shard/Execution/HtmlReport.h"
#include "shard/Execution/Verify.h"
#include "shard/Host/Npy.h"
#include "shard/Host/NpyOutput.h"
#include "shard/Reference/Reference.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdlib>

using namespace mlir;
using shard::errorAtOption;
namespace cl = llvm::cl;

namespace {

cl::OptionCategory &category = shard::toolOptions();

cl::list<std::string>
    inputs("input", cl::value_desc("x.npy"), cl::cat(category),
           cl::desc("The next argument, from a file; arguments without a file "
                    "are random. N=x.npy is argument N"));
cl::list<std::string>
    shapes("shape", cl::value_desc("N=16x8"), cl::cat(category),
           cl::desc("The shape of random argument N, which one with dynamic "
                    "dimensions needs"));
cl::list<std::string> outputs("output", cl::value_desc("y.npy"),
                              cl::cat(category),
                              cl::desc("Where to write the next result; "
                                       "N=y.npy is for result N"));
/// The files of --output by the number of the result; empty for one without.
std::vector<std::string> outputFiles;
cl::opt<uint64_t> seed("seed", cl::init(0), cl::cat(category),
                       cl::desc("Seed of the random inputs"));
cl::opt<bool> verifyRun("verify", cl::cat(category),
                        cl::desc("Compare with a run on one device"));
cl::opt<bool> printPartitioned("print-partitioned", cl::cat(category),
                               cl::desc("Print the program of one device"));
cl::opt<std::string>
    link("link", cl::value_desc("bytes per second,seconds"), cl::cat(category),
         cl::desc("An artificial link between the threads: what each "
                  "collective takes of a device besides, by the bytes that it "
                  "sends and by itself"));
cl::opt<double> timeout("timeout", cl::value_desc("seconds"), cl::init(0),
                        cl::cat(category),
                        cl::desc("How long a device may wait for others at one "
                                 "collective"));

cl::opt<std::string> cpu(
    "cpu", cl::value_desc("processor"), cl::cat(category),
    cl::desc("The processor to generate code for: native (default), x86-64, "
             "x86-64-v2, x86-64-v3, x86-64-v4, or another name that LLVM "
             "knows; without it, that of $SHARD_CPU"));
enum class RuntimeKind { Auto, Threads, Mpi };
cl::opt<RuntimeKind> runtimeKind(
    "runtime", cl::init(RuntimeKind::Auto), cl::cat(category),
    cl::desc("What runs the devices"),
    cl::values(clEnumValN(RuntimeKind::Auto, "auto",
                          "processes if a launcher of MPI has started several, "
                          "else threads"),
               clEnumValN(RuntimeKind::Threads, "threads",
                          "threads of this process"),
               clEnumValN(RuntimeKind::Mpi, "mpi",
                          "processes that a launcher of MPI has started")));

cl::opt<bool> mpiDialect(
    "mpi-dialect", cl::cat(category),
    cl::desc("Lower collectives to messages of LLVM's dialect mpi "
             "(convert-shard-to-mpi) instead of calls of the runtime"));

enum class ReportKind { Text, Json, Html };
cl::opt<ReportKind> reportKind(
    "report", cl::init(ReportKind::Text), cl::cat(category),
    cl::desc("What to print"),
    cl::values(clEnumValN(ReportKind::Text, "text", "tables for people"),
               clEnumValN(ReportKind::Json, "json", "one JSON object"),
               clEnumValN(ReportKind::Html, "html", "one page for a browser")));

enum class ColorMode { Auto, Always, Never };

/// --color. LLVM registers an option of this name that knows no `auto`; this one takes
/// its place, so it is made when main runs.
cl::opt<ColorMode> &colorMode() {
  static cl::opt<ColorMode> option(
      "color", cl::init(ColorMode::Auto), cl::cat(category),
      cl::desc("Whether the text report draws shardings in colors"),
      cl::values(clEnumValN(ColorMode::Auto, "auto",
                            "on a terminal, unless NO_COLOR is set"),
                 clEnumValN(ColorMode::Always, "always", "also into a file"),
                 clEnumValN(ColorMode::Never, "never", "not at all")));
  return option;
}

bool drawsColors() {
  if (colorMode() != ColorMode::Auto)
    return colorMode() == ColorMode::Always;
  const char *unwanted = std::getenv("NO_COLOR");
  return llvm::outs().has_colors() && !(unwanted && *unwanted);
}

/// Takes `text`, x.npy or N=x.npy, apart: the number, `next` if there is none, and the path.
std::pair<unsigned, llvm::StringRef> numberAndPath(llvm::StringRef text,
                                                   unsigned next) {
  auto [head, path] = text.split('=');
  unsigned number;
  if (!path.empty() && !head.getAsInteger(10, number))
    return {number, path};
  return {next, text};
}

/// Reads the files of --input.
LogicalResult readInputs(func::FuncOp entry, shard::RunOptions &options) {
  MLIRContext *context = entry.getContext();
  unsigned next = 0;
  for (const std::string &text : inputs) {
    auto [number, path] = numberAndPath(text, next);
    next = number + 1;
    if (number >= entry.getNumArguments())
      return errorAtOption(context, "--input", text)
             << "'" << entry.getName() << "' takes " << entry.getNumArguments()
             << " arguments, numbered from 0; there is no argument " << number;
    Type type = entry.getArgumentTypes()[number];
    std::optional<shard::TensorSpec> spec = shard::getTensorSpec(type);
    std::string error;
    // Of processes, each reads its own blocks only.
    std::optional<shard::HostTensor> tensor =
        (options.processes ? shard::mapNpy : shard::readNpy)(
            path.str(), spec ? spec->type : shard::ElementType::F32, error);
    if (!tensor)
      return errorAtOption(context, "--input", text) << error;
    if (!options.inputs.try_emplace(number, std::move(*tensor)).second)
      return errorAtOption(context, "--input", text)
             << "argument " << number << " has two inputs";
  }
  return success();
}

/// Reads the shapes of --shape.
LogicalResult readShapes(func::FuncOp entry, shard::RunOptions &options) {
  for (const std::string &text : shapes) {
    auto problem = [&] {
      return errorAtOption(entry.getContext(), "--shape", text);
    };
    auto [head, list] = llvm::StringRef(text).split('=');
    unsigned number;
    if (list.empty() || head.getAsInteger(10, number))
      return problem() << "is not an argument's number and its shape, such as "
                          "0=16x8";
    if (number >= entry.getNumArguments())
      return problem() << "'" << entry.getName() << "' takes "
                       << entry.getNumArguments()
                       << " arguments, numbered from 0; there is no argument "
                       << number;
    if (options.inputs.count(number))
      return problem() << "argument " << number << " has an input";
    std::vector<int64_t> shape;
    for (llvm::StringRef extent : llvm::split(list, 'x'))
      if (extent.getAsInteger(10, shape.emplace_back()) || shape.back() < 0)
        return problem() << "'" << extent << "' is not an extent";
    if (!options.shapes.try_emplace(number, std::move(shape)).second)
      return problem() << "argument " << number << " has two shapes";
  }
  return success();
}

/// Before anything is compiled: every --output names a result and a file that can be
/// written, which one process tries if there are several. Sets `outputFiles`.
LogicalResult readOutputs(func::FuncOp entry, bool tryFiles) {
  MLIRContext *context = entry.getContext();
  unsigned next = 0;
  if (!outputs.empty())
    outputFiles.resize(entry.getNumResults());
  for (const std::string &text : outputs) {
    auto [number, path] = numberAndPath(text, next);
    next = number + 1;
    if (number >= entry.getNumResults())
      return errorAtOption(context, "--output", text)
             << "'" << entry.getName() << "' has " << entry.getNumResults()
             << " results; there is no result " << number;
    if (path.empty())
      return errorAtOption(context, "--output", text) << "names no file";
    if (!outputFiles[number].empty())
      return errorAtOption(context, "--output", text)
             << "result " << number << " has two files";
    bool isSpecial = false;
    std::string problem = tryFiles
                              ? shard::problemOfOutput(path.str(), isSpecial)
                              : std::string();
    if (!problem.empty())
      return errorAtOption(context, "--output", text) << problem;
    outputFiles[number] = path.str();
  }
  return success();
}

/// --link is a bandwidth and a latency, which the environment hands to the runtime.
LogicalResult checkLink(MLIRContext *context) {
  if (!link.getNumOccurrences())
    return success();
  auto [bandwidth, latency] = llvm::StringRef(link).split(',');
  double rate = 0, seconds = 0;
  if (bandwidth.getAsDouble(rate) || latency.getAsDouble(seconds) ||
      !(rate >= 0) || !(seconds >= 0) || !(seconds < 1e3))
    return errorAtOption(context, "--link", link)
           << "is no link; give bytes per second and seconds, as in 1e9,1e-4";
  setenv("SHARD_RT_LINK", link.c_str(), 1);
  return success();
}

/// --timeout is a number of seconds that a device can wait.
LogicalResult checkTimeout(MLIRContext *context) {
  if (!timeout.getNumOccurrences() || (timeout > 0 && timeout < 1e9))
    return success();
  return errorAtOption(context, "--timeout", std::to_string(timeout))
         << "is no time to wait; give a number of seconds above 0 and below "
            "1e9";
}

LogicalResult writeOutputs(MLIRContext *context,
                           const shard::RunReport &report) {
  for (auto [index, path] : llvm::enumerate(outputFiles)) {
    std::string error;
    if (!path.empty() && !shard::replaceNpy(path, report.outputs[index], error))
      return errorAtOption(context, "--output", path) << error;
  }
  return success();
}

template <typename Print>
llvm::json::Value toJson(Print print) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return llvm::cantFail(llvm::json::parse(text));
}

/// --report=html. `entry` is the program before it was partitioned.
LogicalResult printPage(func::FuncOp entry, const shard::RunReport &report,
                        const shard::SpmdPipelineOptions &pipeline) {
  llvm::json::Object data{{"report", toJson([&](llvm::raw_ostream &os) {
                             shard::printJson(report, os);
                           })}};
  if (!report.gridName.empty() && !shard::isPartitioned(entry)) {
    FailureOr<shard::PropagationExplanation> explanation =
        shard::explainProgram(entry, pipeline);
    if (failed(explanation))
      return failure();
    data["explanation"] =
        toJson([&](llvm::raw_ostream &os) { explanation->printJson(os); });
  }
  shard::printHtml(std::move(data), llvm::outs());
  return success();
}

/// Prints what --report asks for.
LogicalResult printReport(func::FuncOp entry, const shard::RunReport &report,
                          const shard::SpmdPipelineOptions &pipeline) {
  switch (reportKind) {
  case ReportKind::Text:
    shard::printText(report, llvm::outs(), drawsColors());
    return success();
  case ReportKind::Json:
    shard::printJson(report, llvm::outs());
    return success();
  case ReportKind::Html:
    return printPage(entry, report, pipeline);
  }
  llvm_unreachable("not a kind of report");
}

/// Joins the other processes if there are some.
bool joinProcesses(int argc, char **argv,
                   shard::runtime::Processes *&processes) {
  using shard::runtime::Processes;
  if (runtimeKind == RuntimeKind::Threads)
    return true;
  std::string mpi = Processes::launcher(), error;
  if (mpi.empty() && runtimeKind == RuntimeKind::Auto)
    return true;
  // The session takes it from there.
  if (timeout > 0)
    setenv("SHARD_RT_TIMEOUT", std::to_string(timeout).c_str(), 1);
  std::string folder =
      llvm::sys::path::parent_path(
          llvm::sys::fs::getMainExecutable(
              argv[0], reinterpret_cast<void *>(&joinProcesses)))
          .str();
  for (llvm::StringRef name : {"openmpi", "mpich"})
    if (!processes && (mpi.empty() || mpi == name))
      processes = Processes::load(name.str(), folder, error);
  if (!processes) {
    llvm::WithColor::error() << error << '\n';
    return false;
  }
  // Processes with other files or options are other programs.
  std::string text;
  for (int i = 1; i < argc; ++i)
    text += std::string(argv[i]) + '\0';
  if (auto file = llvm::MemoryBuffer::getFile(shard::programPath()))
    text += (*file)->getBuffer();
  processes->setProgram(text);
  return true;
}

/// Ends all processes with one result. `problems` is what this one would have
/// printed, if it is not the first.
LogicalResult endTogether(shard::runtime::Processes &processes,
                          LogicalResult result, std::string problems) {
  bool isFirst = processes.number() == 0;
  if (!processes.hasStarted()) {
    if (failed(result) && problems.empty())
      problems = "failed";
    bool allWell = processes.startTogether(problems);
    if (isFirst && succeeded(result) && !allWell) {
      llvm::WithColor::error() << problems << '\n';
      result = failure();
    }
  }
  std::string word = isFirst && succeeded(result) ? "pass" : "";
  result = success(processes.broadcast(word) == "pass");
  if (failed(result))
    processes.endTogether();
  return result;
}

/// Everything after the command line has been read.
LogicalResult run(MLIRContext &context, shard::runtime::Processes *processes,
                  shard::Progress &progress) {
  bool isFirst = !processes || processes->number() == 0;
  if (failed(checkTimeout(&context)) || failed(checkLink(&context)))
    return failure();
  FailureOr<shard::GivenProgram> program = shard::readProgram(context);
  if (failed(program))
    return failure();
  ModuleOp module = *program->module;
  func::FuncOp entry = program->entry;
  if (!program->grid && (verifyRun || printPartitioned))
    return emitError(module.getLoc())
           << "the program has no grid; give one by --grid, such as --grid 2x2";
  if (!program->grid && processes && processes->count() > 1)
    return emitError(entry.getLoc())
           << "the program has no grid, but there are " << processes->count()
           << " processes; give one by --grid, such as --grid "
           << processes->count();

  auto machine = shard::createTargetMachine({cpu, ""}, 0, /*toRun=*/true);
  if (!machine)
    return shard::errorAtTarget(&context, cpu, "")
           << llvm::toString(machine.takeError());

  shard::RunOptions options;
  options.verify = verifyRun;
  options.pipeline = shard::readPipelineOptions();
  options.seed = seed;
  options.timeoutSeconds = timeout;
  options.target = {cpu, ""};
  options.mpiDialect = mpiDialect;
  options.processes = processes;
  options.keepOutputs = !processes && !outputs.empty();
  if (printPartitioned && isFirst)
    options.onPartitioned = [&progress](ModuleOp partitioned) {
      progress.hide();
      partitioned.print(llvm::outs());
      llvm::outs() << '\n';
    };
  if (failed(readOutputs(entry, /*tryFiles=*/isFirst)) ||
      failed(readInputs(entry, options)) || failed(readShapes(entry, options)))
    return failure();
  if (processes)
    options.outputFiles = outputFiles;
  if (isFirst && failed(shard::explainIfAsked(entry, options.pipeline)))
    return failure();
  options.monitor = progress.monitor();
  const shard::SpmdPipelineOptions pipeline = options.pipeline;
  FailureOr<shard::RunReport> report =
      shard::runProgram(module, entry, std::move(options));
  progress.hide();
  if (failed(report))
    return failure();
  if (!isFirst)
    return success(report->pass);
  if (failed(printReport(entry, *report, pipeline)))
    return failure();
  if (report->pass && !processes && failed(writeOutputs(&context, *report)))
    return failure();
  return success(report->pass);
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  shard::setVersionPrinter();
  if (cl::Option *known = cl::getRegisteredOptions().lookup("color"))
    known->removeArgument();
  colorMode();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Runs a program on a grid of devices, as threads of this process or as "
      "processes that mpirun has started, and proves that it computes what it "
      "computes on one\n");
  shard::runtime::Processes *processes = nullptr;
  if (!joinProcesses(argc, argv, processes))
    return 1;
  DialectRegistry registry;
  shard::registerRunDialects(registry);
  if (!shard::loadExtensions(registry))
    return 1;
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  // The first process prints what all of them find.
  std::string problems;
  llvm::raw_string_ostream problemStream(problems);
  bool isFirst = !processes || processes->number() == 0;
  SourceMgrDiagnosticHandler handler(
      sources, &context,
      isFirst ? static_cast<llvm::raw_ostream &>(llvm::errs()) : problemStream);
  shard::Progress progress("shard-run", isFirst);
  progress.hideForDiagnostics(context);
  LogicalResult result = run(context, processes, progress);
  llvm::outs().flush();
  if (processes)
    result = endTogether(*processes, result, problems);
  return succeeded(result) ? 0 : 1;
}
