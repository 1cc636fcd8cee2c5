//===- TextRewriter.cpp - Rewrites the text of another dialect ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextRewriter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace shard {

TextRewriter::TextRewriter(StringRef text, StringRef dialect, TextError error)
    : text(text), dialect(dialect), error(error),
      prefix(dialect.str() + "_sharding") {
  while (text.contains("%" + prefix))
    prefix += '_';
}

FailureOr<std::string> TextRewriter::run() {
  while (position < text.size())
    if (failed(step()))
      return failure();
  return std::move(out);
}

bool TextRewriter::isIdentifier(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
}

bool TextRewriter::isValue(char c) {
  return isIdentifier(c) || c == '%' || c == '#' || c == '-';
}

void TextRewriter::copy(size_t count) {
  out += text.substr(position, count);
  position += count;
}

void TextRewriter::skipSpace() {
  while (position < text.size() && llvm::isSpace(text[position]))
    ++position;
}

bool TextRewriter::consume(StringRef token) {
  size_t start = position;
  skipSpace();
  if (rest().starts_with(token)) {
    position += token.size();
    return true;
  }
  position = start;
  return false;
}

bool TextRewriter::isNext(StringRef token) {
  return rest().ltrim().starts_with(token);
}

StringRef TextRewriter::takeWhile(llvm::function_ref<bool(char)> predicate) {
  skipSpace();
  StringRef word = rest().take_while(predicate);
  position += word.size();
  return word;
}

FailureOr<StringRef> TextRewriter::brackets() {
  skipSpace();
  int depth = 0;
  for (size_t length = 0; length < rest().size(); ++length) {
    char c = rest()[length];
    depth += (c == '[') - (c == ']');
    if (depth == 0 && c == ']') {
      StringRef list = rest().take_front(length + 1);
      position += length + 1;
      return list;
    }
    if (depth == 0)
      break;
  }
  return LogicalResult(fail(position, "expected a list of axes in brackets"));
}

std::string TextRewriter::freshValue() {
  return "%" + prefix + std::to_string(count++);
}

void TextRewriter::insertBefore(const std::string &op) {
  out.insert(statement, op + " ");
  statement += op.size() + 1;
}

bool TextRewriter::isAfterResult() const {
  return StringRef(out).rtrim().ends_with("=");
}

LogicalResult TextRewriter::word() {
  copy(rest().take_while(isIdentifier).size());
  return success();
}

LogicalResult TextRewriter::attributeOrType(size_t start, char sigil,
                                            StringRef name) {
  return fail(start, Twine(sigil) + name + " has no counterpart in shard");
}

LogicalResult
TextRewriter::keepingLines(llvm::function_ref<LogicalResult()> rewrite) {
  size_t start = position, from = statement;
  size_t before = StringRef(out).drop_front(from).count('\n');
  if (failed(rewrite()))
    return failure();
  size_t taken = text.slice(start, position).count('\n'),
         given = StringRef(out).drop_front(from).count('\n') - before;
  if (taken > given)
    out.append(taken - given, '\n');
  return success();
}

LogicalResult TextRewriter::step() {
  char c = text[position];
  if (rest().starts_with("//")) {
    copy(std::min(rest().find('\n'), rest().size()));
    return success();
  }
  if (c == '"')
    return copyString();
  if (c == '%') {
    copyValue();
    return success();
  }
  if (c == '@' || c == '^') {
    copy(1);
    copy(rest().take_while(isIdentifier).size());
    return success();
  }
  if (c == '#' || c == '!') {
    size_t start = position;
    StringRef name = rest().drop_front().take_while(isIdentifier);
    if (name != dialect && !name.starts_with(dialect + ".")) {
      copy(1 + name.size());
      return success();
    }
    return keepingLines([&] {
      position += 1 + name.size();
      return attributeOrType(start, c, name);
    });
  }
  if (llvm::isAlpha(c) || c == '_') {
    // An op without results is a statement of its own.
    if (!isAfterResult())
      statement = out.size();
    return keepingLines([&] { return word(); });
  }
  if (llvm::isDigit(c)) {
    copy(rest().take_while(isIdentifier).size());
    return success();
  }
  if (c == ':')
    colon();
  copy(1);
  return success();
}

void TextRewriter::copyValue() {
  size_t begin = out.size();
  StringRef name = rest().take_while(isValue);
  copy(name.size());
  // %a, %b = and %a:2 = begin a statement.
  StringRef behind = rest().ltrim();
  if (behind.consume_front(":"))
    behind = behind.drop_while(llvm::isDigit).ltrim();
  if (behind.starts_with("=") && !behind.starts_with("=="))
    statement = begin;
}

LogicalResult TextRewriter::copyString() {
  size_t start = position, length = 1;
  while (length < rest().size() && rest()[length] != '"')
    length += rest()[length] == '\\' ? 2 : 1;
  if (length >= rest().size())
    return fail(start, "string without an end");
  if (rest().starts_with("\"" + dialect + "."))
    return fail(start, "the generic form of " + dialect +
                           " is not read: print the custom form first");
  copy(length + 1);
  return success();
}

OwningOpRef<Operation *> importText(
    llvm::SourceMgr &source, MLIRContext *context,
    llvm::function_ref<FailureOr<std::string>(StringRef, TextError)> rewrite,
    llvm::function_ref<LogicalResult(Operation *)> finish) {
  const llvm::MemoryBuffer *buffer =
      source.getMemoryBuffer(source.getMainFileID());
  StringRef text = buffer->getBuffer(), file = buffer->getBufferIdentifier();
  FailureOr<std::string> rewritten =
      rewrite(text, [&](size_t offset, const Twine &message) {
        StringRef before = text.take_front(offset);
        size_t line = before.count('\n') + 1;
        size_t column = offset - (before.rfind('\n') + 1) + 1;
        mlir::emitError(FileLineColLoc::get(context, file, line, column))
            << message;
      });
  if (failed(rewritten))
    return nullptr;
  llvm::SourceMgr manager;
  manager.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(*rewritten, file), llvm::SMLoc());
  ParserConfig config(context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(manager, config);
  if (!module || failed(finish(*module)) || failed(mlir::verify(*module)))
    return nullptr;
  return OwningOpRef<Operation *>(module.release());
}

} // namespace shard
