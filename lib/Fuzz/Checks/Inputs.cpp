//===- Inputs.cpp - What a random program is run on -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "shard/Fuzz/Generate.h"
#include "shard/Fuzz/Random.h"

#include "shard/Codegen/Compile.h"

#include <limits>

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

bool shard::fuzz::isReal(func::FuncOp entry) { return entry->hasAttr("real"); }

/// No divisor by which a division traps.
template <typename T>
static void fillWithDivisors(HostTensor &tensor, uint64_t seed) {
  Random rng(seed);
  for (int64_t i = 0; i < tensor.numElements(); ++i)
    reinterpret_cast<T *>(tensor.data())[i] = T(rng.between(1, 9));
}

/// Integers in floats, so that every sum is exact, and zeros of both signs; `specials` is
/// how many of a hundred elements are none of these.
static void fillWithIntegers(HostTensor &tensor, uint64_t seed,
                             int64_t specials) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  static const std::vector<double> others = {
      std::numeric_limits<double>::quiet_NaN(), infinity, -infinity};
  Random rng(seed);
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    auto number = double(rng.between(-inputBound, inputBound));
    if (number == 0 && rng.chance(50))
      number = -0.0;
    if (specials > 0 && rng.chance(specials))
      number = rng.oneOf(others);
    if (tensor.type() == ElementType::F32)
      reinterpret_cast<float *>(tensor.data())[i] = float(number);
    else
      reinterpret_cast<double *>(tensor.data())[i] = number;
  }
}

std::map<unsigned, HostTensor> shard::fuzz::makeInputs(func::FuncOp entry,
                                                       uint64_t seed) {
  std::map<unsigned, HostTensor> inputs;
  auto extents = entry->getAttrOfType<ArrayAttr>("extents");
  for (auto [index, type] : llvm::enumerate(entry.getArgumentTypes())) {
    std::optional<TensorSpec> spec = getTensorSpec(type);
    if (!spec)
      continue;
    std::vector<int64_t> shape = spec->shape;
    if (extents && index < extents.size())
      if (auto given = dyn_cast<DenseI64ArrayAttr>(extents[index]))
        for (size_t dim = 0; dim < shape.size(); ++dim)
          if (ShapedType::isDynamic(shape[dim]) && int64_t(dim) < given.size())
            shape[dim] = given[dim];
    if (llvm::any_of(shape, ShapedType::isDynamic))
      continue;
    HostTensor input(spec->type, shape);
    bool wide =
        spec->type == ElementType::F32 || spec->type == ElementType::F64;
    if (entry->hasAttr("traps") && spec->type == ElementType::I8)
      fillWithDivisors<int8_t>(input, seed + index);
    else if (entry->hasAttr("traps") && spec->type == ElementType::I16)
      fillWithDivisors<int16_t>(input, seed + index);
    else if (entry->hasAttr("traps") && spec->type == ElementType::I32)
      fillWithDivisors<int32_t>(input, seed + index);
    else if (wide && !isReal(entry))
      // All of a block of some is NaN.
      fillWithIntegers(input, seed + index,
                       entry->hasAttr("specials") ? 15 + 60 * (seed % 2) : 0);
    else
      fillRandom(input, seed, index);
    inputs.emplace(index, std::move(input));
  }
  return inputs;
}

void shard::fuzz::eraseExtents(func::FuncOp function, unsigned argument) {
  auto extents = function->getAttrOfType<ArrayAttr>("extents");
  if (!extents || argument >= extents.size())
    return;
  SmallVector<Attribute> rest(extents.begin(), extents.end());
  rest.erase(rest.begin() + argument);
  function->setAttr("extents", ArrayAttr::get(function.getContext(), rest));
}
