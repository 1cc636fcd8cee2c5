//===- AheadOfTime.cpp - Programs that run without a compiler -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AheadOfTime.h"

#include "GridProgram.h"

#include "shard/Codegen/Compile.h"
#include "shard/Execution/Hints.h"
#include "shard/Reference/Reference.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace shard;
using namespace shard::execution;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {

/// A file under another name, in the folder where it will be.
class FileBeside {
public:
  explicit FileBeside(StringRef path) : target(path.str()) {}
  FileBeside(const FileBeside &) = delete;
  ~FileBeside() {
    if (name.empty())
      return;
    llvm::sys::fs::remove(name);
    llvm::sys::DontRemoveFileOnSignal(name);
  }

  /// Makes it, empty; says why that cannot be.
  std::error_code create() {
    if (llvm::sys::fs::is_directory(target))
      return std::make_error_code(std::errc::is_a_directory);
    int file;
    llvm::SmallString<128> path;
    std::error_code code = llvm::sys::fs::createUniqueFile(
        target + ".%%%%%%.part", file, path, llvm::sys::fs::OF_None,
        llvm::sys::fs::all_read | llvm::sys::fs::all_write);
    if (code)
      return code;
    name = path.str().str();
    llvm::sys::RemoveFileOnSignal(name);
    llvm::raw_fd_ostream(file, /*shouldClose=*/true);
    return {};
  }
  std::error_code write(StringRef text) {
    std::error_code code;
    llvm::raw_fd_ostream file(name, code);
    if (code)
      return code;
    file << text;
    file.close();
    code = file.error();
    file.clear_error();
    return code;
  }
  std::error_code giveName() {
    if (std::error_code code = llvm::sys::fs::rename(name, target))
      return code;
    llvm::sys::DontRemoveFileOnSignal(name);
    name.clear();
    return {};
  }
  const std::string &path() const { return name; }

private:
  std::string target, name;
};

} // namespace

static LogicalResult checkFile(ModuleOp module, StringRef path,
                               std::error_code code) {
  if (!code)
    return success();
  return emitError(module.getLoc())
         << "cannot write '" << path << "': " << code.message();
}

static LogicalResult checkLinked(ModuleOp module, llvm::Error error) {
  if (!error)
    return success();
  return emitError(module.getLoc()) << llvm::toString(std::move(error));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Describes an argument or result, which is of `local` type on a device.
static LogicalResult describeValue(Location loc, const llvm::Twine &what,
                                   const GridValue &value, Type local,
                                   const ValueReport &report,
                                   std::vector<ObjectValue> &values) {
  std::optional<TensorSpec> spec = getTensorSpec(local);
  if (!spec)
    return emitError(loc) << what << " has type " << local
                          << ", which has no form in host memory";
  if (llvm::any_of(spec->shape, ShapedType::isDynamic) ||
      llvm::any_of(value.shape, ShapedType::isDynamic))
    return emitError(loc)
           << what << " has type " << report.type
           << ": a program that is compiled ahead of time has tensors of fixed "
              "shapes; give all extents in the types";
  if (!numBytesOf(spec->type, value.shape) ||
      !numBytesOf(spec->type, spec->shape))
    return emitError(loc) << what << " has type " << report.type
                          << ", which takes more than 2^63 bytes";
  values.push_back({report.type,
                    report.sharding,
                    value.shape,
                    spec->shape,
                    {spec->type, value.grid, value.sharding}});
  return success();
}

static FailureOr<ObjectProgram>
describeProgram(func::FuncOp entry, const GridProgram &program,
                const RunReport &report, const AheadOfTimeOptions &options) {
  ObjectProgram table;
  table.symbol = options.name + "_program";
  table.name = entry.getName().str();
  table.grid = program.grid;
  table.deviceIds = program.deviceIds;
  table.axisNames = report.axisNames;
  for (int64_t axis = table.axisNames.size(); axis < program.grid.rank();
       ++axis)
    table.axisNames.push_back(std::to_string(axis));
  table.hasMain = options.kind == OutputKind::Executable;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (failed(describeValue(entry.getArgument(i).getLoc(),
                             "argument " + llvm::Twine(i), program.arguments[i],
                             entry.getArgumentTypes()[i], report.arguments[i],
                             table.arguments)))
      return failure();
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (failed(describeValue(entry.getLoc(), "result " + llvm::Twine(i),
                             program.results[i], entry.getResultTypes()[i],
                             report.results[i], table.results)))
      return failure();
  return table;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Partitions `module`, which is used up, and compiles it to an object.
static FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
compileObject(ModuleOp module, StringRef entryName,
              const AheadOfTimeOptions &options, ObjectProgram &table) {
  eraseUnreachable(module.lookupSymbol<func::FuncOp>(entryName));
  if (options.pipeline.lowerTosa && failed(lowerTosa(module)))
    return failure();
  FailureOr<GridOp> gridOp = findGrid(module);
  if (failed(gridOp))
    return failure();
  if (!*gridOp)
    return emitError(module.getLoc())
           << "the program has no grid to compile it for";
  RunOptions run;
  run.pipeline = options.pipeline;
  run.target = options.target;
  run.optLevel = options.optLevel;
  run.onPartitioned = options.onPartitioned;
  run.monitor = options.monitor;
  RunReport report;
  FailureOr<GridProgram> program =
      partitionForGrid(module, entryName, *gridOp, run, report);
  if (failed(program))
    return failure();
  FailureOr<ObjectProgram> described = describeProgram(
      module.lookupSymbol<func::FuncOp>(entryName), *program, report, options);
  if (failed(described) || failed(lowerTosa(module)))
    return failure();
  table = std::move(*described);
  return compileToObject(module, entryName,
                         compileWithRuntime(run, runtime::runtimeSymbols()),
                         table);
}

LogicalResult shard::compileAheadOfTime(ModuleOp module, func::FuncOp entry,
                                        const AheadOfTimeOptions &options) {
  bool links = options.kind != OutputKind::Object;
  // What is wrong with the files is said before anything is compiled.
  FileBeside object(options.output + ".o"), output(options.output),
      header(options.header);
  if ((links && (failed(checkLinked(module, checkLink(options))) ||
                 failed(checkFile(module, options.output, object.create())))) ||
      failed(checkFile(module, options.output, output.create())) ||
      failed(checkFile(module, options.header, header.create())))
    return failure();

  OwningOpRef<ModuleOp> work = module.clone();
  ObjectProgram table;
  auto code = compileObject(*work, entry.getName(), options, table);
  if (failed(code))
    return failure();
  FileBeside &compiled = links ? object : output;
  if (failed(checkFile(module, options.output,
                       compiled.write((*code)->getBuffer()))) ||
      failed(checkFile(module, options.header,
                       header.write(makeCHeader(table, options)))))
    return failure();
  if (links && (failed(askMonitor(options.monitor, module, "link", "")) ||
                failed(checkLinked(
                    module, link(object.path(), output.path(), options)))))
    return failure();
  if (failed(checkFile(module, options.output, output.giveName())))
    return failure();
  return checkFile(module, options.header, header.giveName());
}
