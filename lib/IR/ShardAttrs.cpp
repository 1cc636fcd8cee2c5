//===- ShardAttrs.cpp - Attributes: text and local invariants -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardAttrs.h"

#include "shard/Geometry/Sharding.h"
#include "shard/IR/ShardDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shard {

FailureOr<ReductionKind> parseReductionKind(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  std::string text;
  if (failed(parser.parseKeywordOrString(&text)))
    return failure();
  if (std::optional<ReductionKind> kind = symbolizeReductionKind(text))
    return *kind;
  return parser.emitError(loc)
         << "expected a reduction kind: sum, max, min, product, average, "
            "bitwise_and, bitwise_or, bitwise_xor, umin, umax or generic";
}

} // namespace shard

#define GET_ATTRDEF_CLASSES
#include "shard/IR/ShardAttributes.cpp.inc"

namespace shard {

void ShardDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shard/IR/ShardAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// partial, axisarray
//===----------------------------------------------------------------------===//

Attribute ReductionKindAttr::parse(AsmParser &parser, Type) {
  FailureOr<ReductionKind> kind = parseReductionKind(parser);
  if (failed(kind))
    return {};
  return ReductionKindAttr::get(parser.getContext(), *kind);
}

void ReductionKindAttr::print(AsmPrinter &printer) const {
  printer << ' ' << keyword(getValue());
}

Attribute GridAxesArrayAttr::parse(AsmParser &parser, Type) {
  SmallVector<GridAxesAttr> lists;
  SmallVector<int16_t> axes;
  auto parseAxis = [&] { return parser.parseInteger(axes.emplace_back()); };
  auto parseList = [&]() -> ParseResult {
    axes.clear();
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis))
      return failure();
    lists.push_back(GridAxesAttr::get(parser.getContext(), axes));
    return success();
  };
  // At least one list stands.
  if (parser.parseLSquare() || parser.parseCommaSeparatedList(parseList) ||
      parser.parseRSquare())
    return {};
  return GridAxesArrayAttr::get(parser.getContext(), lists);
}

void GridAxesArrayAttr::print(AsmPrinter &printer) const {
  printer << '[';
  llvm::interleaveComma(getAxes(), printer, [&](GridAxesAttr list) {
    printer << '[';
    llvm::interleaveComma(list.asArrayRef(), printer);
    printer << ']';
  });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// partial_axes
//===----------------------------------------------------------------------===//

Attribute PartialAxesAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  PartialAxesAttr result = parseBody(parser);
  if (!result || parser.parseGreater())
    return {};
  return result;
}

PartialAxesAttr PartialAxesAttr::parseBody(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<ReductionKind> kind = parseReductionKind(parser);
  SmallVector<int16_t> axes;
  auto parseAxis = [&] { return parser.parseInteger(axes.emplace_back()); };
  if (failed(kind) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis))
    return {};
  llvm::sort(axes);
  return parser.getChecked<PartialAxesAttr>(loc, parser.getContext(), *kind,
                                            axes);
}

void PartialAxesAttr::printBody(AsmPrinter &printer) const {
  printer << keyword(getKind()) << " [";
  llvm::interleaveComma(getAxes(), printer);
  printer << ']';
}

void PartialAxesAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBody(printer);
  printer << '>';
}

LogicalResult
PartialAxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        ReductionKind kind, ArrayRef<int16_t> axes) {
  // partial_axes_attr_c1
  if (axes.empty())
    return emitError() << "expected at least one partial axis";
  for (auto [index, axis] : llvm::enumerate(axes)) {
    // partial_axes_attr_c2
    if (axis < 0)
      return emitError() << "partial axis " << axis
                         << " is negative; axes count from 0";
    // partial_axes_attr_c3
    if (index && axes[index - 1] == axis)
      return emitError() << "partial axis " << axis << " stands twice";
    // partial_axes_attr_c4
    if (index && axes[index - 1] > axis)
      return emitError() << "expected sorted partial axes";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// axis
//===----------------------------------------------------------------------===//

AxisRefAttr AxisRefAttr::parseBody(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  std::string text;
  StringAttr name;
  int64_t number = -1, preSize = 0, subSize = 0;
  if (succeeded(parser.parseOptionalString(&text))) {
    name = StringAttr::get(parser.getContext(), text);
  } else {
    OptionalParseResult result = parser.parseOptionalInteger(number);
    if (!result.has_value())
      return parser.emitError(loc) << "expected an axis: a name in quotes or a "
                                      "number",
             nullptr;
    if (failed(*result))
      return {};
  }
  if (succeeded(parser.parseOptionalColon())) {
    if (parser.parseLParen() || parser.parseInteger(preSize) ||
        parser.parseRParen() || parser.parseInteger(subSize))
      return {};
    // In the attribute this is a whole axis.
    if (preSize == 0 && subSize == 0)
      return parser.emitError(loc, "sub-axis pre-size 0 is not positive"),
             nullptr;
  }
  return parser.getChecked<AxisRefAttr>(loc, parser.getContext(), name, number,
                                        preSize, subSize);
}

void AxisRefAttr::printBody(AsmPrinter &printer) const {
  if (getName())
    printer.printString(getName());
  else
    printer << getNumber();
  if (isSubAxis())
    printer << ":(" << getPreSize() << ')' << getSubSize();
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  AxisRefAttr result = parseBody(parser);
  if (!result || parser.parseGreater())
    return {};
  return result;
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBody(printer);
  printer << '>';
}

std::string AxisRefAttr::str() const {
  std::string text =
      getName() ? "\"" + getName().str() + "\"" : std::to_string(getNumber());
  if (isSubAxis())
    text += ":(" + std::to_string(getPreSize()) + ")" +
            std::to_string(getSubSize());
  return text;
}

LogicalResult AxisRefAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringAttr name, int64_t number,
                                  int64_t preSize, int64_t subSize) {
  // axis_ref_attr_c1
  if (name && name.empty())
    return emitError() << "expected a name of the axis, got an empty one";
  // axis_ref_attr_c2
  if (name && number != -1)
    return emitError() << "expected an axis by name or by number, not both";
  // axis_ref_attr_c3
  if (!name && number < 0)
    return emitError() << "axis " << number
                       << " is negative; axes count from 0";
  // axis_ref_attr_c4
  if (!name && number > std::numeric_limits<GridAxis>::max())
    return emitError() << "axis " << number << " is too large a number";
  if (preSize == 0 && subSize == 0)
    return success();
  // axis_ref_attr_c5
  if (preSize < 1)
    return emitError() << "sub-axis pre-size " << preSize << " is not positive";
  // axis_ref_attr_c6
  if (subSize < 2)
    return emitError() << "sub-axis size " << subSize << " is less than 2";
  return success();
}

//===----------------------------------------------------------------------===//
// dim
//===----------------------------------------------------------------------===//

DimShardingAttr DimShardingAttr::parseBody(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<AxisRefAttr> axes;
  bool open = false;
  int64_t priority = -1;
  auto parseEntry = [&]() -> ParseResult {
    if (open)
      return parser.emitError(parser.getCurrentLocation(),
                              "expected '?' to be the last entry");
    if (succeeded(parser.parseOptionalQuestion())) {
      open = true;
      return success();
    }
    axes.push_back(AxisRefAttr::parseBody(parser));
    return success(static_cast<bool>(axes.back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseEntry))
    return {};
  SMLoc priorityLoc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    if (!word.consume_front("p") || word.getAsInteger(10, priority) ||
        priority < 0)
      return parser.emitError(priorityLoc, "expected a priority: p0, p1, ..."),
             nullptr;
  }
  return parser.getChecked<DimShardingAttr>(loc, parser.getContext(), axes,
                                            open, priority);
}

void DimShardingAttr::printBody(AsmPrinter &printer) const {
  printer << '[';
  llvm::interleaveComma(getAxes(), printer,
                        [&](AxisRefAttr axis) { axis.printBody(printer); });
  if (getOpen())
    printer << (getAxes().empty() ? "?" : ", ?");
  printer << ']';
  if (hasPriority())
    printer << 'p' << getPriority();
}

Attribute DimShardingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  DimShardingAttr result = parseBody(parser);
  if (!result || parser.parseGreater())
    return {};
  return result;
}

void DimShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBody(printer);
  printer << '>';
}

LogicalResult
DimShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        ArrayRef<AxisRefAttr> axes, bool open,
                        int64_t priority) {
  // dim_sharding_attr_c1
  if (priority < -1)
    return emitError() << "priority " << priority << " is negative";
  return success();
}

//===----------------------------------------------------------------------===//
// sharding
//===----------------------------------------------------------------------===//

static ParseResult parseAxes(AsmParser &parser,
                             SmallVectorImpl<AxisRefAttr> &axes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    axes.push_back(AxisRefAttr::parseBody(parser));
    return success(static_cast<bool>(axes.back()));
  });
}

static void printAxes(AsmPrinter &printer, ArrayRef<AxisRefAttr> axes) {
  printer << '[';
  llvm::interleaveComma(axes, printer,
                        [&](AxisRefAttr axis) { axis.printBody(printer); });
  printer << ']';
}

static ParseResult parseNumbers(AsmParser &parser,
                                SmallVectorImpl<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(numbers.emplace_back());
  });
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  FlatSymbolRefAttr grid;
  SmallVector<DimShardingAttr> dims;
  auto parseDim = [&] {
    dims.push_back(DimShardingAttr::parseBody(parser));
    return success(static_cast<bool>(dims.back()));
  };
  if (parser.parseLess() || parser.parseAttribute(grid) ||
      parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim))
    return {};
  ReductionKindAttr kind;
  SmallVector<AxisRefAttr> partial, replicated;
  SmallVector<int64_t> halos, offsets;
  llvm::SmallDenseSet<StringRef> seen;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc wordLoc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word) || parser.parseEqual())
      return {};
    if (!seen.insert(word).second)
      return parser.emitError(wordLoc) << "'" << word << "' stands twice",
             nullptr;
    ParseResult parsed = success();
    if (word == "partial") {
      FailureOr<ReductionKind> parsedKind = parseReductionKind(parser);
      if (failed(parsedKind))
        return {};
      kind = ReductionKindAttr::get(parser.getContext(), *parsedKind);
      parsed = parseAxes(parser, partial);
    } else if (word == "replicated") {
      parsed = parseAxes(parser, replicated);
    } else if (word == "halo") {
      parsed = parseNumbers(parser, halos);
    } else if (word == "offsets") {
      parsed = parseNumbers(parser, offsets);
    } else {
      return parser.emitError(wordLoc)
                 << "expected partial, replicated, halo or offsets, got '"
                 << word << "'",
             nullptr;
    }
    if (failed(parsed))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ShardingAttr>(loc, parser.getContext(), grid, dims,
                                         kind, partial, replicated, halos,
                                         offsets);
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << '<' << getGrid() << ", [";
  llvm::interleaveComma(getDims(), printer,
                        [&](DimShardingAttr dim) { dim.printBody(printer); });
  printer << ']';
  if (getPartialKind()) {
    printer << ", partial = " << keyword(getPartialKind().getValue()) << ' ';
    printAxes(printer, getPartialAxes());
  }
  if (!getReplicatedAxes().empty()) {
    printer << ", replicated = ";
    printAxes(printer, getReplicatedAxes());
  }
  auto printNumbers = [&](StringRef word, ArrayRef<int64_t> numbers) {
    if (numbers.empty())
      return;
    printer << ", " << word << " = [";
    llvm::interleaveComma(numbers, printer);
    printer << ']';
  };
  printNumbers("halo", getHalos());
  printNumbers("offsets", getOffsets());
  printer << '>';
}

// Whether two references that spell their axis the same way overlap. A name and
// a number are compared when the grid is known.
static bool overlap(AxisRefAttr a, AxisRefAttr b) {
  auto part = [](AxisRefAttr ref) {
    return ref.isSubAxis() ? AxisPart{0, ref.getPreSize(), ref.getSubSize()}
                           : AxisPart::whole(0, kDynamic);
  };
  return a.getName() == b.getName() && a.getNumber() == b.getNumber() &&
         part(a).overlaps(part(b));
}

LogicalResult ShardingAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, FlatSymbolRefAttr grid,
    ArrayRef<DimShardingAttr> dims, ReductionKindAttr partialKind,
    ArrayRef<AxisRefAttr> partialAxes, ArrayRef<AxisRefAttr> replicatedAxes,
    ArrayRef<int64_t> halos, ArrayRef<int64_t> offsets) {
  // sharding_attr_c1
  if (static_cast<bool>(partialKind) == partialAxes.empty())
    return emitError() << "expected a reduction kind and at least one axis of "
                          "a partial sharding";
  SmallVector<AxisRefAttr> all;
  size_t split = 0;
  for (DimShardingAttr dim : dims) {
    llvm::append_range(all, dim.getAxes());
    split += !dim.getAxes().empty();
  }
  llvm::append_range(all, partialAxes);
  llvm::append_range(all, replicatedAxes);
  // sharding_attr_c2
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (overlap(all[i], all[j]))
        return emitError() << "axis " << all[i].str()
                           << (all[i] == all[j]
                                   ? " stands twice"
                                   : " overlaps axis " + all[j].str());
  // sharding_attr_c3
  if (!halos.empty() && !offsets.empty())
    return emitError() << "halo and offsets exclude each other";
  // sharding_attr_c4
  if (!halos.empty() && halos.size() != 2 * split)
    return emitError() << "expected 2 halo widths for each of " << split
                       << " split dimensions, got " << halos.size();
  // sharding_attr_c5
  for (int64_t width : halos)
    if (width < 0 || width > kMaxHalo)
      return emitError() << "halo width " << width
                         << (width < 0 ? " is negative" : " is above 2^40");
  return success();
}

} // namespace shard
