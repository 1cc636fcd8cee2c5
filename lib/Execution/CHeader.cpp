//===- CHeader.cpp - The C header of a compiled program -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AheadOfTime.h"

#include "shard/Host/HostTensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace shard;
using namespace shard::execution;

std::string shard::makeCName(llvm::StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name.insert(0, "_");
  return name;
}

/// `text`, which does not end a comment.
static std::string inComment(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '/' && !result.empty() && result.back() == '*')
      result += ' ';
    result += llvm::isPrint(c) ? c : '?';
  }
  return result;
}

static std::string list(llvm::ArrayRef<int64_t> values,
                        llvm::StringRef separator) {
  return llvm::join(
      llvm::map_range(values,
                      [](int64_t value) { return std::to_string(value); }),
      separator);
}

static int64_t numElements(const ObjectValue &value) {
  int64_t count = 1;
  for (int64_t extent : value.localShape)
    count *= extent;
  return count;
}

static void describe(llvm::raw_ostream &os, llvm::StringRef what,
                     llvm::ArrayRef<ObjectValue> values) {
  for (auto [index, value] : llvm::enumerate(values)) {
    int64_t bytes = numElements(value) * byteWidth(value.layout.type);
    os << " *   " << what << " " << index << ": " << inComment(value.type)
       << ", sharding " << inComment(value.sharding) << ",\n"
       << " *     block of a device "
       << toString(value.layout.type, value.localShape) << ", " << bytes
       << " bytes\n";
  }
}

static void define(llvm::raw_ostream &os, const std::string &prefix,
                   llvm::ArrayRef<ObjectValue> values) {
  for (auto [index, value] : llvm::enumerate(values)) {
    std::string name = prefix + "_" + std::to_string(index) + "_";
    int64_t count = numElements(value);
    os << "#define " << name << "RANK " << value.shape.size() << "\n";
    // C has no empty lists.
    if (!value.shape.empty())
      os << "#define " << name << "SHAPE {" << list(value.shape, ", ") << "}\n"
         << "#define " << name << "LOCAL_SHAPE {"
         << list(value.localShape, ", ") << "}\n";
    os << "#define " << name << "LOCAL_ELEMENTS " << count << "\n"
       << "#define " << name << "LOCAL_BYTES "
       << count * byteWidth(value.layout.type) << "\n";
  }
}

std::string execution::makeCHeader(const ObjectProgram &program,
                                   const AheadOfTimeOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string upper = llvm::StringRef(options.name).upper();
  os << "/* Written by shard-compile from '" << inComment(options.source)
     << "'.\n *\n"
     << " * Function '" << inComment(program.name) << "' on the grid "
     << list(program.grid.shape, "x") << " ("
     << inComment(llvm::join(program.axisNames, ", ")) << "), "
     << program.grid.numDevices() << " devices.\n"
     << " * Shardings have one list of axes for each dimension.\n *\n";
  describe(os, "argument", program.arguments);
  describe(os, "result", program.results);
  os << " *\n * Blocks lie in memory row-major and without gaps.\n */\n\n"
     << "#ifndef " << upper << "_PROGRAM_H\n#define " << upper
     << "_PROGRAM_H\n\n"
     << "#include \"shard/Standalone/Program.h\"\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
     << "extern const struct shard_program " << program.symbol << ";\n\n"
     << "#ifdef __cplusplus\n}\n#endif\n\n"
     << "#define " << upper << "_DEVICES " << program.grid.numDevices() << "\n"
     << "#define " << upper << "_GRID_RANK " << program.grid.rank() << "\n"
     << "#define " << upper << "_ARGUMENTS " << program.arguments.size() << "\n"
     << "#define " << upper << "_RESULTS " << program.results.size() << "\n\n";
  define(os, upper + "_ARGUMENT", program.arguments);
  os << "\n";
  define(os, upper + "_RESULT", program.results);
  os << "\n#endif /* " << upper << "_PROGRAM_H */\n";
  return text;
}
