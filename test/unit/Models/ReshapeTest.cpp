//===- ReshapeTest.cpp - The digits of reshapes of all small shapes -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What describeReshape says of each pair of shapes of up to three dimensions: both sides give each
// combination of digits the same element, the digits give all elements, and there are as many of
// them as the header says. Shapes of different numbers of elements have those of the groups in
// front.
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/DescribedModel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

#include <numeric>
#include <set>

using namespace mlir;

namespace {

using Shape = std::vector<int64_t>;

std::vector<Shape> allShapes() {
  std::vector<Shape> shapes = {{}};
  for (size_t next = 0; next < shapes.size(); ++next)
    for (int64_t extent : {ShapedType::kDynamic, int64_t(0), int64_t(1),
                           int64_t(2), int64_t(3), int64_t(4), int64_t(6)})
      if (shapes[next].size() < 3) {
        shapes.push_back(shapes[next]);
        shapes.back().push_back(extent);
      }
  return shapes;
}

bool isPlain(llvm::ArrayRef<int64_t> shape) {
  return llvm::all_of(shape, [](int64_t extent) { return extent > 0; });
}

int64_t productOf(llvm::ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

/// The strides of the dimensions of a group, and the number of its elements.
void addStrides(llvm::ArrayRef<int64_t> group, std::set<int64_t> &strides) {
  for (size_t dim = 0; dim <= group.size(); ++dim)
    strides.insert(productOf(group.drop_front(dim)));
}

/// The extents of the digits, those of the first group first, up to the first one that has no end.
Shape digitsOf(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
  Shape digits;
  while (!from.empty() && !to.empty()) {
    size_t i = 1, j = 1;
    while (productOf(from.take_front(i)) != productOf(to.take_front(j))) {
      bool isLess = productOf(from.take_front(i)) < productOf(to.take_front(j));
      ++(isLess ? i : j);
      if (i > from.size() || j > to.size())
        return digits;
    }
    std::set<int64_t> strides;
    addStrides(from.take_front(i), strides);
    addStrides(to.take_front(j), strides);
    Shape group;
    bool areDigits = true;
    for (auto stride = strides.begin(), next = std::next(stride);
         next != strides.end(); stride = next++) {
      areDigits &= *next % *stride == 0;
      group.push_back(*next / *stride);
    }
    if (areDigits)
      digits.insert(digits.end(), group.begin(), group.end());
    from = from.drop_front(i);
    to = to.drop_front(j);
  }
  return digits;
}

/// The same of any shapes: one unknown extent in each is a digit of its own if as many elements
/// lie in front of it and within it. Other shapes that are not plain have no digits.
Shape digitsOfAny(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
  if (isPlain(from) && isPlain(to))
    return digitsOf(from, to);
  auto unknown = [](llvm::ArrayRef<int64_t> shape) {
    return llvm::find(shape, ShapedType::kDynamic) - shape.begin();
  };
  size_t i = unknown(from), j = unknown(to);
  if (i == from.size() || j == to.size())
    return {};
  auto areEqual = [](llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
    return isPlain(a) && isPlain(b) && productOf(a) == productOf(b);
  };
  if (!areEqual(from.take_front(i), to.take_front(j)) ||
      !areEqual(from.drop_front(i + 1), to.drop_front(j + 1)))
    return {};
  Shape digits = digitsOf(from.take_front(i), to.take_front(j));
  digits.push_back(ShapedType::kDynamic);
  Shape minor = digitsOf(from.drop_front(i + 1), to.drop_front(j + 1));
  digits.insert(digits.end(), minor.begin(), minor.end());
  return digits;
}

int64_t elementAt(AffineMap map, const Shape &shape,
                  llvm::ArrayRef<int64_t> digits) {
  int64_t element = 0;
  for (auto [index, extent] : llvm::zip_equal(map.compose(digits), shape)) {
    EXPECT_GE(index, 0);
    EXPECT_LT(index, extent);
    element = element * extent + index;
  }
  return element;
}

} // namespace

TEST(ReshapeTest, DigitsOfAllSmallShapes) {
  MLIRContext context;
  OpBuilder builder(&context);
  std::vector<Shape> shapes = allShapes();
  for (const Shape &from : shapes)
    for (const Shape &to : shapes) {
      bool arePlain = isPlain(from) && isPlain(to);
      Type element = builder.getF32Type();
      OwningOpRef<UnrealizedConversionCastOp> whole =
          UnrealizedConversionCastOp::create(
              builder, builder.getUnknownLoc(),
              RankedTensorType::get(from, element), ValueRange());
      OwningOpRef<UnrealizedConversionCastOp> op =
          UnrealizedConversionCastOp::create(builder, builder.getUnknownLoc(),
                                             RankedTensorType::get(to, element),
                                             whole->getResult(0));
      shard::MapBuilder maps(op.get());
      shard::describeReshape(from, to, maps, maps.operand(0), maps.result(0));
      Shape extents;
      for (const shard::Loop &loop : maps.loops) {
        EXPECT_EQ(loop.kind, shard::LoopKind::Parallel);
        extents.push_back(loop.extent);
      }
      ASSERT_EQ(extents, digitsOfAny(from, to))
          << testing::PrintToString(from) << " to "
          << testing::PrintToString(to);
      if (!arePlain || productOf(from) != productOf(to))
        continue;
      SmallVector<AffineMap> both = maps.maps();
      std::set<int64_t> elements;
      for (int64_t point = 0; point < productOf(extents); ++point) {
        Shape digits(extents.size());
        int64_t rest = point;
        for (size_t digit = 0; digit < digits.size(); ++digit) {
          digits[digit] = rest % extents[digit];
          rest /= extents[digit];
        }
        int64_t place = elementAt(both[0], from, digits);
        ASSERT_EQ(place, elementAt(both[1], to, digits))
            << testing::PrintToString(from) << " to "
            << testing::PrintToString(to);
        ASSERT_TRUE(elements.insert(place).second);
      }
    }
}
