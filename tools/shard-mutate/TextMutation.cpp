//===- TextMutation.cpp - Changes of program text ---------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextMutation.h"

#include <algorithm>
#include <cctype>

using namespace shard::fuzz;

static bool isLetter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
static bool isDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}

/// Where the token that begins at `begin` ends.
static size_t endOfToken(const std::string &text, size_t begin,
                         Token::Kind &kind) {
  auto skip = [&](size_t at) {
    while (at < text.size() && (isLetter(text[at]) || isDigit(text[at]) ||
                                text[at] == '$' || text[at] == '.'))
      ++at;
    return at;
  };
  char c = text[begin];
  if (c == '"') {
    kind = Token::String;
    size_t end = begin + 1;
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  if (c == '%' || c == '@' || c == '#' || c == '!' || c == '^') {
    size_t end = skip(begin + 1);
    kind = end == begin + 1 ? Token::Punctuation : Token::Name;
    return end;
  }
  if (isDigit(c)) {
    kind = Token::Number;
    size_t end = begin;
    while (end < text.size() &&
           (isDigit(text[end]) ||
            (text[end] == '.' && end + 1 < text.size() &&
             isDigit(text[end + 1])) ||
            ((text[end] == 'e' || text[end] == 'E') && end + 1 < text.size() &&
             (isDigit(text[end + 1]) || text[end + 1] == '+' ||
              text[end + 1] == '-')) ||
            ((text[end] == '+' || text[end] == '-') && end > begin &&
             (text[end - 1] == 'e' || text[end - 1] == 'E'))))
      ++end;
    return end;
  }
  if (isLetter(c)) {
    kind = Token::Word;
    return skip(begin);
  }
  kind = Token::Punctuation;
  for (const char *pair : {"->", "::", "=="})
    if (text.compare(begin, 2, pair) == 0)
      return begin + 2;
  return begin + 1;
}

std::vector<Token> shard::fuzz::tokenize(const std::string &text) {
  std::vector<Token> tokens;
  bool newLine = false, space = false;
  for (size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      newLine |= text[at] == '\n';
      space = true;
      ++at;
      continue;
    }
    Token::Kind kind;
    size_t end = endOfToken(text, at, kind);
    // `x` between the sizes of a shape.
    if (kind == Token::Word && text[at] == 'x' && !space && !tokens.empty() &&
        (tokens.back().kind == Token::Number || tokens.back().text == "?" ||
         tokens.back().text == "]"))
      end = at + 1;
    tokens.push_back({kind, newLine, space, text.substr(at, end - at)});
    newLine = space = false;
    at = end;
  }
  return tokens;
}

std::string shard::fuzz::join(const std::vector<Token> &tokens) {
  std::string text;
  for (const Token &token : tokens) {
    if (token.newLine)
      text += '\n';
    else if (token.space)
      text += ' ';
    text += token.text;
  }
  return text + "\n";
}

Vocabulary::Vocabulary() {
  for (const char *number :
       {"0", "1", "2", "3", "5", "7", "16", "1000003", "2147483647",
        "2147483648", "4294967296", "9223372036854775807",
        "9223372036854775808", "18446744073709551616", "1.5", "1.0e400"})
    add(number);
  add("f32 i32 i1 index bf16 i0 i65 none memref vector tensor complex "
      "partial sum max min axes shape dense unit true false "
      "( ) [ ] { } < > , : = -> * ? - x \"x\" \"\" @grid %0 #map ^bb0 !shard");
}

void Vocabulary::add(const std::string &text) {
  for (const Token &token : tokenize(text))
    if (token.text.size() <= 64 && known.insert(token.text).second)
      words[token.kind].push_back(token.text);
}

const std::string &Vocabulary::oneOf(Token::Kind kind, Random &random) const {
  return random.oneOf(words[kind]);
}

using Tokens = std::vector<Token>;

/// Behind the bracket that closes the one at `at`; `at` where none does.
static size_t endOfGroup(const Tokens &tokens, size_t at) {
  static const std::string opens = "([{<", closes = ")]}>";
  const std::string &text = tokens[at].text;
  size_t which = text.size() == 1 ? opens.find(text[0]) : std::string::npos;
  if (which == std::string::npos)
    return at;
  int depth = 0;
  for (size_t end = at; end < tokens.size(); ++end) {
    depth += tokens[end].text == text;
    depth -=
        tokens[end].text[0] == closes[which] && tokens[end].text.size() == 1;
    if (depth == 0)
      return end + 1;
  }
  return at;
}

/// The line that `at` is in, as [begin, end).
static std::pair<size_t, size_t> lineOf(const Tokens &tokens, size_t at) {
  size_t begin = at, end = at + 1;
  while (begin > 0 && !tokens[begin].newLine)
    --begin;
  while (end < tokens.size() && !tokens[end].newLine)
    ++end;
  return {begin, end};
}

static size_t somewhere(const Tokens &tokens, Random &random) {
  return size_t(random.between(0, int64_t(tokens.size()) - 1));
}

static void eraseToken(Tokens &tokens, size_t at, Random &,
                       const Vocabulary &) {
  tokens.erase(tokens.begin() + at);
}

static void doubleToken(Tokens &tokens, size_t at, Random &,
                        const Vocabulary &) {
  tokens.insert(tokens.begin() + at, Token(tokens[at]));
}

static void swapTokens(Tokens &tokens, size_t at, Random &random,
                       const Vocabulary &) {
  std::swap(tokens[at].text, tokens[somewhere(tokens, random)].text);
}

static void replaceToken(Tokens &tokens, size_t at, Random &random,
                         const Vocabulary &vocabulary) {
  tokens[at].text = vocabulary.oneOf(tokens[at].kind, random);
}

static void insertToken(Tokens &tokens, size_t at, Random &random,
                        const Vocabulary &vocabulary) {
  Token token = tokens[at];
  token.kind = Token::Kind(random.between(0, Token::Punctuation));
  token.text = vocabulary.oneOf(token.kind, random);
  tokens.insert(tokens.begin() + at, token);
}

static void eraseLine(Tokens &tokens, size_t at, Random &, const Vocabulary &) {
  auto [begin, end] = lineOf(tokens, at);
  tokens.erase(tokens.begin() + begin, tokens.begin() + end);
}

static void copyLine(Tokens &tokens, size_t at, Random &random,
                     const Vocabulary &) {
  auto [begin, end] = lineOf(tokens, at);
  Tokens line(tokens.begin() + begin, tokens.begin() + end);
  size_t target = lineOf(tokens, somewhere(tokens, random)).first;
  tokens.insert(tokens.begin() + target, line.begin(), line.end());
}

/// Erases a group in brackets, or what is in it.
static void eraseGroup(Tokens &tokens, size_t at, Random &random,
                       const Vocabulary &) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    size_t begin = (at + i) % tokens.size(), end = endOfGroup(tokens, begin);
    if (end <= begin + 1)
      continue;
    bool inside = random.chance(50);
    tokens.erase(tokens.begin() + begin + inside,
                 tokens.begin() + end - inside);
    return;
  }
}

/// A group other than that at `begin` with the same brackets, at `other` or behind it;
/// empty if there is none.
static Tokens groupLike(const Tokens &tokens, size_t begin, size_t other) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    size_t from = (other + i) % tokens.size();
    if (from == begin || tokens[from].text != tokens[begin].text)
      continue;
    size_t to = endOfGroup(tokens, from);
    if (to > from + 1)
      return Tokens(tokens.begin() + from, tokens.begin() + to);
  }
  return {};
}

/// Puts one group in place of another one with the same brackets.
static void replaceGroup(Tokens &tokens, size_t at, Random &random,
                         const Vocabulary &) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    size_t begin = (at + i) % tokens.size(), end = endOfGroup(tokens, begin);
    if (end <= begin + 1)
      continue;
    Tokens group = groupLike(tokens, begin, somewhere(tokens, random));
    if (group.empty())
      return;
    tokens.erase(tokens.begin() + begin, tokens.begin() + end);
    tokens.insert(tokens.begin() + begin, group.begin(), group.end());
    return;
  }
}

/// Replaces one number, word or name wherever it stands: programs often stay valid.
static void replaceEverywhere(Tokens &tokens, size_t at, Random &random,
                              const Vocabulary &vocabulary) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token &chosen = tokens[(at + i) % tokens.size()];
    if (chosen.kind == Token::Punctuation ||
        (chosen.kind == Token::Name && random.chance(80)))
      continue;
    std::string from = chosen.text;
    std::string to = vocabulary.oneOf(chosen.kind, random);
    if (chosen.kind == Token::Number && random.chance(60))
      to = std::to_string(random.between(0, 9));
    for (Token &each : tokens)
      if (each.text == from)
        each.text = to;
    return;
  }
}

/// A change of `tokens`, at `at` or at a place that it finds from there.
using Change = void (*)(Tokens &tokens, size_t at, Random &random,
                        const Vocabulary &vocabulary);

static void changeOnce(Tokens &tokens, Random &random,
                       const Vocabulary &vocabulary) {
  // Each as often as it stands here.
  static const std::vector<Change> changes = {
      eraseToken,       doubleToken,  swapTokens,        replaceToken,
      replaceToken,     insertToken,  eraseLine,         copyLine,
      eraseGroup,       replaceGroup, replaceEverywhere, replaceEverywhere,
      replaceEverywhere};
  if (tokens.empty()) {
    tokens = tokenize(vocabulary.oneOf(Token::Word, random));
    return;
  }
  size_t at = somewhere(tokens, random);
  random.oneOf(changes)(tokens, at, random, vocabulary);
}

std::string shard::fuzz::mutateText(const std::string &text, Random &random,
                                    const Vocabulary &vocabulary) {
  Tokens tokens = tokenize(text);
  for (int64_t changes = random.chance(70) ? 1 : random.between(2, 3);
       changes > 0; --changes)
    changeOnce(tokens, random, vocabulary);
  return join(tokens);
}
