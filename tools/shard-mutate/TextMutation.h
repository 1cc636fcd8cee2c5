//===- TextMutation.h - Changes of program text ----------------------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_MUTATE_TEXTMUTATION_H
#define SHARD_TOOLS_MUTATE_TEXTMUTATION_H

#include "shard/Fuzz/Random.h"

#include <set>
#include <string>
#include <vector>

namespace shard::fuzz {

/// A token of MLIR's text. `2x3xf32` is the tokens 2 x 3 x f32.
struct Token {
  enum Kind : uint8_t { Word, Number, Name, String, Punctuation };
  Kind kind;
  /// In front of it something ends a line.
  bool newLine;
  /// In front of it stands a space or a line end.
  bool space;
  std::string text;
};

/// The tokens of `text`, of any text, without comments.
std::vector<Token> tokenize(const std::string &text);
std::string join(const std::vector<Token> &tokens);

/// Tokens to put into programs, by kind.
class Vocabulary {
public:
  Vocabulary();
  void add(const std::string &text);
  const std::string &oneOf(Token::Kind kind, Random &random) const;

private:
  std::set<std::string> known;
  std::vector<std::string> words[Token::Punctuation + 1];
};

/// `text` with one to three changes: tokens, groups in brackets and lines deleted,
/// doubled, swapped, replaced; one number, word or type replaced everywhere.
std::string mutateText(const std::string &text, Random &random,
                       const Vocabulary &vocabulary);

} // namespace shard::fuzz

#endif // SHARD_TOOLS_MUTATE_TEXTMUTATION_H
