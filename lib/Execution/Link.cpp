//===- Link.cpp - From an object to a program -----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AheadOfTime.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace shard;
using namespace shard::execution;

static llvm::Error fail(const llvm::Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

/// What -l takes.
static std::vector<std::string> librariesOf(const AheadOfTimeOptions &options) {
  return {"shard_program", "shard_kernels",
          options.backend == "threads" ? "shard_runtime"
                                       : "shard_rt_" + options.backend};
}

llvm::Error execution::checkLink(const AheadOfTimeOptions &options) {
  if (options.compiler.empty())
    return fail(
        "no C compiler to link with was found among cc, clang, clang-22, "
        "gcc: name one by --cc, or write an object by --emit=obj");
  if (!llvm::sys::fs::can_execute(options.compiler))
    return fail("the C compiler '" + options.compiler + "' cannot be executed");
  for (const std::string &library : librariesOf(options)) {
    std::string path = options.libraryFolder + "/lib" + library + ".so";
    if (!llvm::sys::fs::exists(path))
      return fail("the library '" + path + "' is not there" +
                  (llvm::StringRef(library).starts_with("shard_rt_")
                       ? ": it is built where CMake finds that MPI"
                       : ": say by --library-dir where it is"));
  }
  return llvm::Error::success();
}

/// `path` such that no program takes it for an option or a list of options.
static std::string asOperand(llvm::StringRef path) {
  return llvm::sys::path::is_absolute(path) ? path.str() : ("./" + path).str();
}

llvm::Error execution::link(llvm::StringRef object, llvm::StringRef output,
                            const AheadOfTimeOptions &options) {
  std::vector<std::string> words = {options.compiler, asOperand(object), "-o",
                                    asOperand(output),
                                    "-L" + options.libraryFolder};
  if (options.kind == OutputKind::SharedLibrary)
    words.insert(words.begin() + 1, "-shared");
  // A shared library brings the back end along for who loads it, though it calls none of
  // its functions.
  words.insert(words.end(), {"-Xlinker", "--no-as-needed"});
  for (const std::string &library : librariesOf(options))
    words.push_back("-l" + library);
  for (const std::string &library : options.libraries)
    words.push_back(library);
  words.push_back("-lm");
  if (!options.runPath.empty())
    for (const std::string &word :
         {std::string("-Xlinker"), std::string("-rpath"),
          std::string("-Xlinker"), options.runPath})
      words.push_back(word);

  llvm::SmallString<128> messages;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("shard-compile", "txt", messages))
    return fail("cannot make a temporary file: " + code.message());
  llvm::FileRemover remover(messages);
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, messages.str(),
                                                messages.str()};
  std::string error;
  std::vector<llvm::StringRef> arguments(words.begin(), words.end());
  int code = llvm::sys::ExecuteAndWait(options.compiler, arguments,
                                       std::nullopt, redirects, 0, 0, &error);
  uint64_t size = 0;
  if (code == 0 && !llvm::sys::fs::file_size(output, size) && size == 0)
    return fail("'" + options.compiler +
                "' is no C compiler: it wrote nothing");
  if (code == 0)
    return llvm::Error::success();
  if (auto text = llvm::MemoryBuffer::getFile(messages); text && error.empty())
    error = (*text)->getBuffer().rtrim().str();
  return fail("'" + options.compiler + "' does not link: " + error);
}
