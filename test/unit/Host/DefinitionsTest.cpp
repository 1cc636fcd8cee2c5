//===- DefinitionsTest.cpp - What tensors of every type hold --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is compared with its definition, for elements of every type.
//
//===----------------------------------------------------------------------===//

#include "shard/Host/Compare.h"
#include "shard/Host/HostTensor.h"
#include "shard/Host/Npy.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

using namespace shard;

namespace {

std::vector<ElementType> allTypes() {
  std::vector<ElementType> types;
  for (int type = 0; type <= static_cast<int>(ElementType::C128); ++type)
    types.push_back(static_cast<ElementType>(type));
  return types;
}

/// The bits of a type, by its name.
int64_t bitsByName(std::string_view name) {
  if (name == "index")
    return 64;
  if (name.substr(0, 7) == "complex")
    return 2 * bitsByName(name.substr(8, 3));
  size_t digit = name.find_first_of("0123456789");
  return name[0] == 'f' && name[1] == '8'
             ? 8
             : std::atoi(std::string(name.substr(digit)).c_str());
}

/// The element with the value 1.
HostTensor oneOf(ElementType type) {
  HostTensor tensor(type, {1});
  float single = 1;
  double value = 1;
  uint16_t narrow =
      type == ElementType::F16 ? floatToHalf(single) : floatToBfloat(single);
  switch (byteWidth(type)) {
  case 8:
    std::memcpy(tensor.data(), &value, 8);
    break;
  case 4:
    std::memcpy(tensor.data(), &single, 4);
    break;
  case 2:
    std::memcpy(tensor.data(), &narrow, 2);
    break;
  default:
    tensor.data()[0] = doubleToSmallFloat(type, 1);
  }
  return tensor;
}

std::vector<double> valuesOf(const HostTensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.numElements(); ++i)
    values.push_back(tensor.asDouble(i));
  return values;
}

} // namespace

TEST(DefinitionsTest, NamesTellWidthsAndKinds) {
  for (ElementType type : allTypes()) {
    std::string_view name = stringifyElementType(type);
    SCOPED_TRACE(std::string(name));
    EXPECT_EQ(byteWidth(type), (bitsByName(name) + 7) / 8);
    EXPECT_EQ(isComplex(type), name[0] == 'c');
    EXPECT_EQ(isFloat(type), name[0] == 'f' || name[0] == 'b');
    EXPECT_EQ(isSmallFloat(type), name.substr(0, 2) == "f8");
    if (isComplex(type)) {
      EXPECT_EQ(2 * byteWidth(partType(type)), byteWidth(type));
      EXPECT_TRUE(isFloat(partType(type)));
    }
  }
}

// Half of the distance between 1 and the next number; 0 where there is no rounding.
TEST(DefinitionsTest, UnitRoundoffIsHalfOfTheLastPlace) {
  for (ElementType type : allTypes()) {
    SCOPED_TRACE(std::string(stringifyElementType(type)));
    if (isComplex(type)) {
      EXPECT_EQ(unitRoundoff(type), unitRoundoff(partType(type)));
    } else if (isFloat(type)) {
      HostTensor one = oneOf(type);
      ASSERT_EQ(one.asDouble(0), 1.0);
      ++one.data()[0];
      EXPECT_EQ(unitRoundoff(type), (one.asDouble(0) - 1) / 2);
    } else {
      EXPECT_EQ(unitRoundoff(type), 0.0);
    }
  }
}

// Floats between two neighbours, and in the middle between them.
TEST(DefinitionsTest, NarrowFloatsAreTheNearest) {
  for (uint32_t bits = 0; bits < 0x7f7f; ++bits) {
    float low = bfloatToFloat(bits), high = bfloatToFloat(bits + 1);
    float middle = low / 2 + high / 2;
    EXPECT_EQ(floatToBfloat(low), bits);
    EXPECT_EQ(floatToBfloat(-low), bits | 0x8000);
    ASSERT_EQ(floatToBfloat(middle), bits + bits % 2) << bits;
    ASSERT_EQ(floatToBfloat(std::nextafter(middle, low)), bits) << bits;
    ASSERT_EQ(floatToBfloat(std::nextafter(middle, high)), bits + 1) << bits;
  }
  for (ElementType type : allTypes()) {
    if (!isSmallFloat(type))
      continue;
    SCOPED_TRACE(std::string(stringifyElementType(type)));
    for (int bits = 0; bits < 0x7f; ++bits) {
      double low = smallFloatToDouble(type, bits);
      double high = smallFloatToDouble(type, bits + 1);
      if (!std::isfinite(low) || !std::isfinite(high))
        continue;
      double middle = (low + high) / 2;
      EXPECT_EQ(doubleToSmallFloat(type, middle), bits + bits % 2);
      EXPECT_EQ(doubleToSmallFloat(type, std::nextafter(middle, low)), bits);
      EXPECT_EQ(doubleToSmallFloat(type, std::nextafter(middle, high)),
                bits + 1);
    }
    EXPECT_TRUE(std::isnan(
        smallFloatToDouble(type, doubleToSmallFloat(type, std::nan("")))));
    EXPECT_EQ(smallFloatToDouble(type, doubleToSmallFloat(type, -0.0)), 0.0);
  }
}

// The ranges that the header tells, all of them used, by each part of complex elements too.
TEST(DefinitionsTest, RandomElementsFillTheirRange) {
  for (ElementType type : allTypes()) {
    SCOPED_TRACE(std::string(stringifyElementType(type)));
    HostTensor tensor(type, {4, 250});
    fillRandom(tensor, 7, 3);
    std::vector<std::vector<double>> lists(1);
    if (isComplex(type)) {
      std::vector<double> both = valuesOf(partsOf(tensor));
      lists.resize(2);
      for (size_t i = 0; i < both.size(); ++i)
        lists[i % 2].push_back(both[i]);
    } else {
      lists[0] = valuesOf(tensor);
    }
    for (const std::vector<double> &values : lists) {
      ASSERT_EQ(values.size(), 1000u);
      double least = *std::min_element(values.begin(), values.end());
      double most = *std::max_element(values.begin(), values.end());
      std::set<double> different(values.begin(), values.end());
      std::string_view name = stringifyElementType(type);
      if (type == ElementType::I1) {
        EXPECT_EQ(different, (std::set<double>{0, 1}));
      } else if (isFloat(type) || isComplex(type)) {
        EXPECT_GE(least, -1.0);
        EXPECT_LT(least, -0.9);
        // Narrow floats round what is below 1.
        EXPECT_LE(most, 1.0);
        EXPECT_GT(most, 0.9);
        EXPECT_GT(different.size(), isSmallFloat(type) ? 40u : 200u);
      } else {
        EXPECT_EQ(least, name[0] == 'u' ? 0.0 : -8.0);
        EXPECT_EQ(most, name[0] == 'u' ? 15.0 : 7.0);
        EXPECT_EQ(different.size(), 16u);
      }
    }
    // Doubles have more bits than floats.
    if (type == ElementType::F64 || type == ElementType::C128)
      EXPECT_NE(tensor.asDouble(1), double(float(tensor.asDouble(1))));
  }
}

TEST(DefinitionsTest, PoisonShowsInEveryType) {
  for (ElementType type : allTypes()) {
    SCOPED_TRACE(std::string(stringifyElementType(type)));
    HostTensor tensor(type, {8});
    fillPoison(tensor);
    std::vector<double> values =
        valuesOf(isComplex(type) ? partsOf(tensor) : tensor.clone());
    if (isFloat(type) || isComplex(type)) {
      for (double value : values)
        EXPECT_TRUE(std::isnan(value));
      continue;
    }
    // Of integers no two neighbours are the same, and some are neither 0 nor 1.
    for (size_t i = 1; i < values.size(); ++i)
      EXPECT_NE(values[i], values[i - 1]);
    if (type != ElementType::I1) {
      std::set<double> different(values.begin(), values.end());
      EXPECT_EQ(different.size(), 4u);
      double bits = double(8 * byteWidth(type));
      bool isUnsigned = stringifyElementType(type)[0] == 'u';
      EXPECT_TRUE(different.count(isUnsigned ? std::ldexp(1, bits - 1)
                                             : -std::ldexp(1, bits - 1)));
      EXPECT_TRUE(different.count(isUnsigned ? std::ldexp(1, bits) - 1 : -1) ||
                  bits == 64);
    }
  }
}

// For boxes of 0 to 3 dimensions, inside tensors that are larger.
TEST(DefinitionsTest, CopyBoxCopiesElementByElement) {
  std::mt19937 random(1);
  auto upTo = [&](int64_t most) { return int64_t(random() % (most + 1)); };
  for (int round = 0; round < 400; ++round) {
    size_t rank = round % 4;
    std::vector<int64_t> box(rank), from(rank), to(rank), shape(rank),
        other(rank);
    for (size_t dim = 0; dim < rank; ++dim) {
      box[dim] = upTo(3);
      from[dim] = upTo(2);
      to[dim] = upTo(2);
      shape[dim] = from[dim] + box[dim] + upTo(1);
      other[dim] = to[dim] + box[dim] + upTo(1);
    }
    HostTensor source(ElementType::I32, shape), target(ElementType::I32, other);
    for (int32_t i = 0; i < source.numElements(); ++i)
      reinterpret_cast<int32_t *>(source.data())[i] = i + 1;
    copyBox(source, from, target, to, box);
    std::vector<int64_t> strides = rowMajorStrides(other);
    std::vector<int64_t> sourceStrides = rowMajorStrides(shape);
    for (int64_t i = 0; i < target.numElements(); ++i) {
      int64_t expected = 1;
      for (size_t dim = 0; dim < rank; ++dim) {
        int64_t at = i / strides[dim] % other[dim] - to[dim];
        if (at < 0 || at >= box[dim]) {
          expected = 0;
          break;
        }
        expected += (at + from[dim]) * sourceStrides[dim];
      }
      ASSERT_EQ(target.asDouble(i), double(expected)) << round;
    }
  }
}

TEST(DefinitionsTest, BytesOfShapes) {
  EXPECT_EQ(numBytesOf(ElementType::F32, {}), 4);
  EXPECT_EQ(numBytesOf(ElementType::C128, {3, 5}), 240);
  EXPECT_EQ(numBytesOf(ElementType::I8, {3, -1}), std::nullopt);
  EXPECT_EQ(numBytesOf(ElementType::I8, {0, -1}), std::nullopt);
  int64_t large = int64_t(1) << 40;
  EXPECT_EQ(numBytesOf(ElementType::I8, {large, large}), std::nullopt);
  EXPECT_EQ(numBytesOf(ElementType::I8, {large, large, 0}), 0);
  std::string error;
  EXPECT_FALSE(HostTensor::make(ElementType::I16, {large}, error));
  EXPECT_EQ(error, "a tensor of type 1099511627776xi16 takes 2199023255552 "
                   "bytes, which do not fit memory");
  EXPECT_FALSE(HostTensor::make(ElementType::I16, {large, large}, error));
  EXPECT_EQ(error, "a tensor of type 1099511627776x1099511627776xi16 takes "
                   "more than 2^63 bytes, which do not fit memory");
  EXPECT_EQ(toString(ElementType::F32, {2, -1}), "2x?xf32");
}

TEST(DefinitionsTest, FilesKeepEveryTypeAndRank) {
  std::string path = testing::TempDir() + "shard-npy-definitions.npy", error;
  for (ElementType type : allTypes())
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{}, {3}, {2, 3}, {2, 0, 3}, {2, 1, 3, 2}}) {
      SCOPED_TRACE(toString(type, shape));
      HostTensor tensor(type, shape);
      fillRandom(tensor, 3, 1);
      // NumPy maps what begins at a multiple of 64.
      EXPECT_EQ(npyHeader(type, shape).size() % 64, 0u);
      ASSERT_TRUE(writeNpy(path, tensor, error)) << error;
      for (auto *read : {readNpy, mapNpy}) {
        std::optional<HostTensor> copy = read(path, type, error);
        ASSERT_TRUE(copy) << error;
        EXPECT_EQ(copy->type(), type);
        EXPECT_EQ(copy->shape(), shape);
        if (tensor.numBytes())
          EXPECT_EQ(std::memcmp(copy->data(), tensor.data(), tensor.numBytes()),
                    0);
        else
          EXPECT_EQ(copy->numElements(), 0);
      }
    }
  std::remove(path.c_str());
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

namespace {

/// Compares the numbers of two tensors with the definition of Compare.h.
void expectDefinition(const std::vector<double> &x,
                      const std::vector<double> &y, bool isExact,
                      const ErrorModel &model, double unit,
                      const Comparison &result) {
  double squares = 0, finite = 0;
  for (double value : x)
    if (std::isfinite(value)) {
      squares += value * value;
      ++finite;
    }
  double scale = isExact ? 0 : finite > 0 ? std::sqrt(squares / finite) : 0;
  double roundoff = std::max(model.roundoff, unit);
  double tolerance = isExact ? 0
                             : 4 * std::sqrt(double(model.chain)) *
                                   (roundoff + std::sqrt(double(model.terms)) *
                                                   std::min(roundoff, 0x1p-24));
  int64_t mismatches = 0, nans = 0, zeros = 0;
  double absolute = 0, relative = 0, worst = -1;
  for (size_t i = 0; i < x.size(); ++i) {
    bool bothNaN = std::isnan(x[i]) && std::isnan(y[i]);
    nans += bothNaN && !isExact;
    zeros += x[i] == 0 && y[i] == 0 && std::signbit(x[i]) != std::signbit(y[i]);
    if (bothNaN || x[i] == y[i])
      continue;
    double error = std::fabs(x[i] - y[i]);
    if (!std::isfinite(error))
      error = std::numeric_limits<double>::infinity();
    double least = isExact ? 1 : scale;
    double size = std::max({std::fabs(x[i]), std::fabs(y[i]), least});
    double ratio = std::isinf(error) ? error : error / size;
    absolute = std::max(absolute, error);
    relative = std::max(relative, ratio);
    mismatches += isExact || ratio > tolerance;
    worst = std::max(worst, error);
  }
  EXPECT_EQ(result.mismatches, mismatches);
  EXPECT_EQ(result.equal, mismatches == 0);
  EXPECT_EQ(result.nans, nans);
  EXPECT_EQ(result.otherZeros, zeros);
  EXPECT_DOUBLE_EQ(result.maxAbsolute, absolute);
  EXPECT_DOUBLE_EQ(result.maxRelative, relative);
  EXPECT_DOUBLE_EQ(result.tolerance, tolerance);
  EXPECT_DOUBLE_EQ(result.scale, scale);
  if (worst < 0) {
    EXPECT_EQ(result.worst, -1);
    return;
  }
  ASSERT_GE(result.worst, 0);
  ASSERT_LT(result.worst, int64_t(x.size()));
  double a = x[result.worst], b = y[result.worst];
  double error = std::fabs(a - b);
  EXPECT_EQ(std::isfinite(error) ? error : INFINITY, worst);
  EXPECT_TRUE(result.expected == a || std::isnan(a));
  EXPECT_TRUE(result.actual == b || std::isnan(b));
}

} // namespace

TEST(DefinitionsTest, ComparisonsOfEveryType) {
  std::mt19937 random(5);
  const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
  for (int round = 0; round < 3000; ++round) {
    ElementType type =
        static_cast<ElementType>(random() % (int(ElementType::C128) + 1));
    ErrorModel model{1 + int64_t(random() % 100), 1 + int64_t(random() % 9),
                     random() % 2 ? 0x1p-11 : 0.0};
    ElementType part = isComplex(type) ? partType(type) : type;
    HostTensor x(type, {6});
    fillRandom(x, round, 0);
    HostTensor y = x.clone();
    // Neighbours of the elements, other elements, and numbers that are none.
    int64_t width = byteWidth(part), count = y.numBytes() / width;
    HostTensor noise(type, {6});
    fillRandom(noise, round, 1);
    for (int64_t i = 0; i < count; ++i) {
      uint8_t *to = y.data() + i * width;
      if (random() % 4 == 0 && type != ElementType::I1)
        to[0] ^= 1;
      else if (random() % 8 == 0)
        std::memcpy(to, noise.data() + i * width, width);
      if (part != ElementType::F32)
        continue;
      for (HostTensor *tensor : {&x, &y}) {
        auto special = static_cast<float>(specials[random() % 5]);
        if (random() % 8 == 0)
          std::memcpy(tensor->data() + i * width, &special, width);
      }
    }
    SCOPED_TRACE(toString(type, {round}));
    Comparison result = compareTensors(x, y, model);
    if (isComplex(type)) {
      // Each part is a number of its own; the worst element has one that is worst.
      Comparison parts = compareTensors(partsOf(x), partsOf(y), model);
      EXPECT_EQ(result.worst, parts.worst < 0 ? -1 : parts.worst / 2);
      result.worst = parts.worst;
      expectDefinition(valuesOf(partsOf(x)), valuesOf(partsOf(y)), false, model,
                       unitRoundoff(type), result);
    } else {
      expectDefinition(valuesOf(x), valuesOf(y), !isFloat(type), model,
                       unitRoundoff(type), result);
    }
    if (HasFailure())
      return;
  }
}
