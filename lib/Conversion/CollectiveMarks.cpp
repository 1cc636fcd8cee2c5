//===- CollectiveMarks.cpp - Which collective a call is -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveCalls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

DictionaryAttr conversion::markOf(MLIRContext *context, StringRef name,
                                  FlatSymbolRefAttr grid,
                                  ArrayRef<int64_t> axes,
                                  ArrayRef<CallArgument> arguments) {
  Builder builder(context);
  SmallVector<Attribute> lists;
  for (const CallArgument &argument : arguments) {
    SmallVector<int64_t> numbers;
    for (OpFoldResult value : argument.values)
      numbers.push_back(isa<Attribute>(value) ? *getConstantIntValue(value)
                                              : ShapedType::kDynamic);
    lists.push_back(builder.getDenseI64ArrayAttr(numbers));
  }
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("name", builder.getStringAttr(name)),
       builder.getNamedAttr("grid", grid),
       builder.getNamedAttr("axes", builder.getDenseI64ArrayAttr(axes)),
       builder.getNamedAttr("arguments", builder.getArrayAttr(lists))});
}

std::optional<CollectiveMark> conversion::readMark(Operation *op) {
  auto mark = op->getAttrOfType<DictionaryAttr>(kCollectiveMark);
  if (!mark)
    return std::nullopt;
  auto name = mark.getAs<StringAttr>("name");
  auto grid = mark.getAs<FlatSymbolRefAttr>("grid");
  auto axes = mark.getAs<DenseI64ArrayAttr>("axes");
  auto arguments = mark.getAs<ArrayAttr>("arguments");
  if (!name || !grid || !axes || !arguments)
    return std::nullopt;
  CollectiveMark read{
      name.getValue(), grid, SmallVector<int64_t>(axes.asArrayRef()), {}};
  for (Attribute argument : arguments) {
    auto numbers = dyn_cast<DenseI64ArrayAttr>(argument);
    if (!numbers)
      return std::nullopt;
    read.arguments.emplace_back(numbers.asArrayRef());
  }
  return read;
}

/// What follows the buffers of a collective, a letter for each argument: d, a dimension;
/// k, a reduction; n, a number; c, coordinates, one for each axis; s, the same or
/// nothing; a, a number of axes and the axes; p, axes for each dimension; h, two widths
/// for each dimension; w, seven numbers for each dimension or nothing; e, an extent for
/// each dimension; l, for each dimension a number of axes and the axes. In front, the
/// number of buffers. Empty: no collective.
static StringRef signatureOf(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"all_gather", "all_slice"}, "2d")
      .Case("all_to_all", "2dd")
      .Case("all_reduce", "2k")
      .Case("broadcast", "2c")
      .Cases({"gather", "scatter"}, "2dc")
      .Case("permute", "2a")
      .Case("recv", "1s")
      .Case("redistribute", "2ell")
      .Case("reduce", "2kc")
      .Case("reduce_scatter", "2kd")
      .Case("send", "1c")
      .Case("shift", "2annn")
      .Case("update_halo", "1phw")
      .Default("");
}

/// Whether `axes` are different axes of a grid of `rank`.
static bool areAxes(ArrayRef<int64_t> axes, int64_t rank) {
  llvm::SmallDenseSet<int64_t> seen;
  return llvm::all_of(axes, [&](int64_t axis) {
    return axis >= 0 && axis < rank && seen.insert(axis).second;
  });
}

/// Whether `numbers` are an argument of sort `letter` for buffers of `rank`.
static bool isArgument(char letter, ArrayRef<int64_t> numbers,
                       const CollectiveMark &mark, int64_t rank,
                       int64_t gridRank) {
  size_t numAxes = mark.axes.size();
  switch (letter) {
  case 'd':
    return numbers.size() == 1 && numbers[0] >= 0 && numbers[0] < rank;
  case 'k':
    return numbers.size() == 1 && numbers[0] >= int64_t(ReductionKind::Sum) &&
           numbers[0] <= int64_t(ReductionKind::UMax);
  case 'n':
    return numbers.size() == 1;
  case 's':
    return numbers.empty() || numbers.size() == numAxes;
  case 'c':
    return numbers.size() == numAxes;
  case 'a': {
    if (numbers.empty() || numbers[0] != int64_t(numbers.size()) - 1 ||
        !areAxes(numbers.drop_front(), gridRank))
      return false;
    return mark.name == "permute" ||
           llvm::all_of(numbers.drop_front(), [&](int64_t axis) {
             return llvm::is_contained(mark.axes, axis);
           });
  }
  case 'p': {
    int64_t sum = 0;
    for (int64_t number : numbers) {
      if (number < 0 || number > gridRank)
        return false;
      sum += number;
    }
    return int64_t(numbers.size()) == rank && sum == int64_t(numAxes);
  }
  case 'e':
    return int64_t(numbers.size()) == rank &&
           llvm::all_of(numbers, [](int64_t extent) { return extent >= 0; });
  case 'l': {
    SmallVector<int64_t> all;
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (numbers.empty() || numbers[0] < 0 ||
          numbers[0] >= int64_t(numbers.size()))
        return false;
      llvm::append_range(all, numbers.slice(1, numbers[0]));
      numbers = numbers.drop_front(1 + numbers[0]);
    }
    return numbers.empty() && areAxes(all, gridRank) &&
           llvm::all_of(all, [&](int64_t axis) {
             return llvm::is_contained(mark.axes, axis);
           });
  }
  case 'w':
    return numbers.empty() || int64_t(numbers.size()) == 7 * rank;
  default:
    return int64_t(numbers.size()) == 2 * rank;
  }
}

LogicalResult conversion::checkMark(func::FuncOp function,
                                    const CollectiveMark &mark,
                                    int64_t gridRank) {
  auto isGood = [&] {
    StringRef signature = signatureOf(mark.name);
    if (signature.empty() || !areAxes(mark.axes, gridRank) ||
        mark.arguments.size() != signature.size() - 1)
      return false;
    size_t numBuffers = signature[0] - '0', numDynamic = 0;
    ArrayRef<Type> types = function.getArgumentTypes();
    if (types.size() < numBuffers || function.getNumResults() != 0 ||
        !function.getBody().hasOneBlock())
      return false;
    auto first = dyn_cast<MemRefType>(types.front());
    for (Type type : types.take_front(numBuffers)) {
      auto buffer = dyn_cast<MemRefType>(type);
      if (!buffer || buffer.getRank() != first.getRank() ||
          buffer.getElementType() != first.getElementType())
        return false;
    }
    bool combines = signature[1] == 'k';
    if (runtimeType(first.getElementType(), combines) == 0)
      return false;
    for (auto [letter, numbers] :
         llvm::zip_equal(signature.drop_front(), mark.arguments)) {
      if (!isArgument(letter, numbers, mark, first.getRank(), gridRank))
        return false;
      int64_t dynamic = llvm::count(numbers, ShapedType::kDynamic);
      if (dynamic && !StringRef("csh").contains(letter))
        return false;
      numDynamic += dynamic;
    }
    return types.size() == numBuffers + numDynamic &&
           llvm::all_of(types.drop_front(numBuffers), llvm::IsaPred<IndexType>);
  };
  if (isGood())
    return success();
  return function.emitOpError()
         << "has an attribute \"" << kCollectiveMark
         << "\" that does not fit it; only bufferization makes such functions";
}
