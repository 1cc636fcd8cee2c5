//===- DamagedTextTest.cpp - Texts with a mistake -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Damages the programs of test/IR at each word: leaves it out, writes it twice, exchanges it
// with the next one, makes a number larger. What is read of them is a program that can be
// printed and read again, or nothing and an error; never both, and neither never.
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ImportMesh.h"
#include "shard/IR/ImportSdy.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

/// The lines of a file without comments.
std::vector<std::string> linesOf(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(SHARD_IR_PROGRAMS "/" + name);
  EXPECT_TRUE(bool(buffer)) << name;
  std::vector<std::string> lines;
  if (!buffer)
    return lines;
  SmallVector<StringRef> all;
  (*buffer)->getBuffer().split(all, '\n');
  for (StringRef line : all) {
    if (line.starts_with("// -----"))
      lines.emplace_back("// -----");
    else if (!line.trim().starts_with("//"))
      lines.push_back(line.str());
  }
  return lines;
}

/// The functions of a file, each with the lines of the file that stand outside of functions.
std::vector<std::string> functionsOf(const std::string &name) {
  std::vector<std::string> found;
  std::string outside, function;
  std::vector<std::string> functions;
  auto close = [&] {
    if (functions.empty())
      functions.emplace_back();
    for (const std::string &text : functions)
      found.push_back(outside + text);
    outside.clear();
    functions.clear();
  };
  for (const std::string &line : linesOf(name)) {
    if (line == "// -----") {
      close();
      continue;
    }
    bool begins = StringRef(line).starts_with("func.func");
    if (begins || !function.empty())
      function += line + "\n";
    else
      outside += line + "\n";
    if (line == "}" || (begins && StringRef(line).ends_with("}")) ||
        (begins && StringRef(line).contains(" private "))) {
      if (!function.empty())
        functions.push_back(function);
      function.clear();
    }
  }
  close();
  return found;
}

/// A word, a number or a sign, and where it ends.
struct Token {
  size_t begin, end;
};

std::vector<Token> tokensOf(StringRef text) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size();) {
    if (llvm::isSpace(text[at])) {
      ++at;
      continue;
    }
    size_t end = at + 1;
    if (isWord(text[at]))
      while (end < text.size() && isWord(text[end]))
        ++end;
    tokens.push_back({at, end});
    at = end;
  }
  return tokens;
}

/// Calls `visit` with every text that one mistake makes of `text`.
void forEachMistake(StringRef text,
                    function_ref<void(const std::string &)> visit) {
  std::vector<Token> tokens = tokensOf(text);
  for (auto [index, token] : llvm::enumerate(tokens)) {
    std::string before = text.substr(0, token.begin).str();
    std::string word = text.slice(token.begin, token.end).str();
    std::string after = text.substr(token.end).str();
    visit(before + after);
    visit(before + word + " " + word + after);
    int64_t number;
    if (!StringRef(word).getAsInteger(10, number)) {
      visit(before + std::to_string(number + 1) + after);
      visit(before + "-" + word + after);
    }
    if (index + 1 < tokens.size()) {
      const Token &next = tokens[index + 1];
      visit(before + text.slice(next.begin, next.end).str() +
            text.slice(token.end, next.begin).str() + word +
            text.substr(next.end).str());
    }
  }
}

struct DamagedTextTest : public testing::Test {
  DamagedTextTest() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.allowUnregisteredDialects();
  }

  static DialectRegistry registry() {
    DialectRegistry registry;
    shard::registerUpstreamDialects(registry);
    shard::registerShard(registry);
    return registry;
  }

  using Reader =
      function_ref<OwningOpRef<Operation *>(llvm::SourceMgr &, MLIRContext *)>;

  /// What `read` makes of `text`, and how many errors it reports.
  OwningOpRef<Operation *> readText(const std::string &text, Reader read) {
    errors = 0;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return success();
    });
    llvm::SourceMgr source;
    source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text),
                              llvm::SMLoc());
    return read(source, &context);
  }

  static OwningOpRef<Operation *> parse(llvm::SourceMgr &source,
                                        MLIRContext *context) {
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(source, context);
    return OwningOpRef<Operation *>(module ? module.release().getOperation()
                                           : nullptr);
  }

  static std::string print(Operation *op) {
    std::string text;
    llvm::raw_string_ostream os(text);
    op->print(os);
    return text;
  }

  void check(const std::string &text, Reader read) {
    OwningOpRef<Operation *> module = readText(text, read);
    ++(module ? numRead : numRefused);
    if (!module) {
      EXPECT_GT(errors, 0u) << "is refused without a word:\n" << text;
      return;
    }
    EXPECT_EQ(errors, 0u) << "is read in spite of an error:\n" << text;
    std::string printed = print(*module);
    OwningOpRef<Operation *> again = readText(printed, parse);
    ASSERT_TRUE(again) << "is printed as:\n" << printed << "read of:\n" << text;
    EXPECT_EQ(print(*again), printed);
  }

  void checkFile(const std::string &name, Reader read) {
    for (const std::string &text : functionsOf(name)) {
      check(text, read);
      forEachMistake(text, [&](const std::string &wrong) {
        if (!HasFailure())
          check(wrong, read);
      });
    }
    EXPECT_GT(numRead, 0);
    EXPECT_GT(numRefused, 0);
  }

  MLIRContext context;
  unsigned errors = 0;
  int64_t numRead = 0, numRefused = 0;
};

} // namespace

TEST_F(DamagedTextTest, Ops) { checkFile("superset.mlir", parse); }

TEST_F(DamagedTextTest, TextOfLlvm) { checkFile("llvm-text.mlir", parse); }

TEST_F(DamagedTextTest, Collectives) {
  checkFile("canonicalize-collectives.mlir", parse);
}

TEST_F(DamagedTextTest, Shardings) {
  checkFile("canonicalize-shardings.mlir", parse);
}

TEST_F(DamagedTextTest, ManualComputations) {
  checkFile("invalid-manual.mlir", parse);
}

TEST_F(DamagedTextTest, Mesh) {
  checkFile("import-mesh.mlir", shard::importMesh);
}

TEST_F(DamagedTextTest, MeshOfTheRfc) {
  checkFile("import-mesh-rfc.mlir", shard::importMesh);
}

TEST_F(DamagedTextTest, Sdy) {
  for (const char *name :
       {"import-sdy.mlir", "import-sdy-barrier.mlir", "import-sdy-edges.mlir",
        "import-sdy-inline.mlir", "import-sdy-named.mlir"})
    checkFile(name, shard::importSdy);
}
