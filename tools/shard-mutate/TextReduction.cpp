//===- TextReduction.cpp - Less text that fails alike -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextReduction.h"

#include "TextMutation.h"

#include <algorithm>
#include <chrono>

using namespace shard::fuzz;

namespace {

class Reducer {
public:
  Reducer(std::string text, double seconds,
          const std::function<bool(const std::string &)> &fails)
      : best(std::move(text)), seconds(seconds), fails(fails) {}

  std::string run() {
    dropRuns(lines(), [](const std::vector<std::string> &lines) {
      std::string text;
      for (const std::string &line : lines)
        text += line;
      return text;
    });
    // The same without comments and with other white space.
    std::vector<Token> tokens = tokenize(best);
    if (accepts(join(tokens)))
      dropRuns(dropGroups(std::move(tokens)), join);
    return best;
  }

private:
  bool isOver() const {
    std::chrono::duration<double> gone = Clock::now() - begin;
    return gone.count() > seconds;
  }

  bool accepts(const std::string &text) {
    if (isOver() || !fails(text))
      return false;
    best = text;
    return true;
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> result;
    for (size_t at = 0; at < best.size();) {
      size_t end = std::min(best.find('\n', at), best.size() - 1) + 1;
      result.push_back(best.substr(at, end - at));
      at = end;
    }
    return result;
  }

  /// What is left of `pieces` after ever smaller runs of them were dropped.
  template <typename Piece, typename Join>
  std::vector<Piece> dropRuns(std::vector<Piece> pieces, const Join &joined) {
    for (size_t share = (pieces.size() + 1) / 2; share > 0; share /= 2)
      for (size_t at = 0; at < pieces.size() && !isOver();) {
        std::vector<Piece> fewer(pieces.begin(), pieces.begin() + at);
        fewer.insert(fewer.end(),
                     pieces.begin() + std::min(at + share, pieces.size()),
                     pieces.end());
        if (accepts(joined(fewer)))
          pieces = std::move(fewer);
        else
          at += share;
      }
    return pieces;
  }

  /// What is left without groups in brackets, and without what they hold.
  std::vector<Token> dropGroups(std::vector<Token> tokens) {
    for (size_t first = 0; first < tokens.size() && !isOver(); ++first) {
      size_t last = endOfGroup(tokens, first);
      if (last == first)
        continue;
      // The brackets with what is between them, or only that.
      for (size_t inner : {size_t(0), size_t(1)}) {
        std::vector<Token> fewer(tokens.begin(),
                                 tokens.begin() + first + inner);
        fewer.insert(fewer.end(), tokens.begin() + last + 1 - inner,
                     tokens.end());
        if (fewer.size() == tokens.size() || !accepts(join(fewer)))
          continue;
        tokens = std::move(fewer);
        first -= inner == 0 && first > 0;
        break;
      }
    }
    return tokens;
  }

  /// The bracket that closes the one at `first`; `first` if there is none.
  static size_t endOfGroup(const std::vector<Token> &tokens, size_t first) {
    static const std::string opening = "([{<", closing = ")]}>";
    auto kindOf = [](const Token &token, const std::string &brackets) {
      return token.text.size() == 1 ? brackets.find(token.text[0])
                                    : std::string::npos;
    };
    size_t kind = kindOf(tokens[first], opening);
    if (kind == std::string::npos)
      return first;
    size_t depth = 0;
    for (size_t at = first; at < tokens.size(); ++at) {
      if (kindOf(tokens[at], opening) == kind)
        ++depth;
      else if (kindOf(tokens[at], closing) == kind && --depth == 0)
        return at;
    }
    return first;
  }

  using Clock = std::chrono::steady_clock;

  std::string best;
  double seconds;
  const std::function<bool(const std::string &)> &fails;
  Clock::time_point begin = Clock::now();
};

} // namespace

std::string
shard::fuzz::reduceText(const std::string &text, double seconds,
                        const std::function<bool(const std::string &)> &fails) {
  return Reducer(text, seconds, fails).run();
}
