//===- ReduceShapes.cpp - Smaller shapes that fail alike -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReduceShapes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;
using namespace shard::fuzz;

bool shard::fuzz::makeSplat(ModuleOp module, int64_t &step) {
  return module
      .walk([&](Operation *op) {
        if (!op->hasTrait<OpTrait::ConstantLike>())
          return WalkResult::advance();
        for (StringRef name : {"value", "values"}) {
          auto elements = dyn_cast_if_present<DenseElementsAttr>(
              op->getInherentAttr(name).value_or(Attribute()));
          if (!elements || elements.isSplat() || elements.empty() ||
              step-- != 0)
            continue;
          op->setInherentAttr(
              StringAttr::get(op->getContext(), name),
              DenseElementsAttr::get(elements.getType(),
                                     *elements.value_begin<Attribute>()));
          return WalkResult::interrupt();
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

/// A number in a text.
struct Number {
  size_t begin, end;
  int64_t value;
  /// An extent of a tensor type.
  bool extent;
};

} // namespace

static bool isDigit(char c) { return llvm::isDigit(c); }

/// The numbers that may be extents or have to fit extents.
static std::vector<Number> findNumbers(StringRef text) {
  std::vector<Number> numbers;
  bool inShape = false, inGrid = false;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\n')
      inGrid = false;
    if (text.substr(at).starts_with("shard.grid "))
      inGrid = true;
    if (text.substr(at).starts_with("tensor<")) {
      inShape = true;
      at += StringRef("tensor<").size();
      continue;
    }
    if (!isDigit(text[at])) {
      // The extents end where the element type begins.
      inShape &= text[at] == 'x' || text[at] == '?';
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && isDigit(text[end]))
      ++end;
    char before = at ? text[at - 1] : ' ';
    char after = end < text.size() ? text[end] : ' ';
    bool extent = inShape && after == 'x';
    bool alone = !llvm::isAlnum(before) &&
                 !StringRef("_.%#@^").contains(before) &&
                 !llvm::isAlnum(after) && after != '_' && after != '.';
    int64_t value;
    if ((extent || (alone && !inGrid)) &&
        !text.slice(at, end).getAsInteger(10, value))
      numbers.push_back({at, end, value, extent});
    inShape &= extent;
    at = end;
  }
  return numbers;
}

static std::string replace(StringRef text, ArrayRef<Number> numbers,
                           int64_t from, int64_t to, bool everywhere) {
  std::string result;
  size_t done = 0;
  for (const Number &number : numbers) {
    if (number.value != from || (!number.extent && !everywhere))
      continue;
    result += text.slice(done, number.begin);
    result += std::to_string(to);
    done = number.end;
  }
  return result + text.substr(done).str();
}

std::optional<std::string> shard::fuzz::shrinkExtent(const std::string &text,
                                                     int64_t step) {
  std::vector<Number> numbers = findNumbers(text);
  std::set<int64_t, std::greater<int64_t>> extents;
  for (const Number &number : numbers)
    if (number.extent && number.value > 1)
      extents.insert(number.value);
  for (int64_t from : extents)
    for (int64_t to : std::set<int64_t>{1, 2, from / 2, from - 1})
      for (bool everywhere : {false, true})
        if (to < from && step-- == 0)
          return replace(text, numbers, from, to, everywhere);
  return std::nullopt;
}
