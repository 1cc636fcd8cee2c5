//===- Precise.cpp - Real numbers against a run in f64 --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Precise.h"

#include "Random.h"

#include "shard/Execution/Compile.h"
#include "shard/Execution/Hints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

/// Puts f64 in place of all float types of `module`.
static void widenFloats(ModuleOp module) {
  Type wide = Float64Type::get(module.getContext());
  auto widened = [](APFloat value) {
    bool exact;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &exact);
    return value;
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FloatType) -> Type { return wide; });
  replacer.addReplacement([&](FloatAttr attr) -> Attribute {
    return FloatAttr::get(wide, widened(attr.getValue()));
  });
  replacer.addReplacement(
      [&](DenseElementsAttr attr) -> std::pair<Attribute, WalkResult> {
        if (!isa<FloatType>(attr.getElementType()))
          return {attr, WalkResult::skip()};
        auto values = cast<DenseFPElementsAttr>(attr);
        return {values.mapValues(wide,
                                 [&](const APFloat &value) {
                                   return widened(value).bitcastToAPInt();
                                 }),
                WalkResult::skip()};
      });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// Multiplies every float that `entry` computes by an argument of its own, behind
/// the others. Bodies of linalg ops stay as they are.
static void addFactors(func::FuncOp entry) {
  SmallVector<Value> values;
  auto rounds = [](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    return (dialect == "arith" || dialect == "math" || dialect == "linalg") &&
           !op->hasTrait<OpTrait::ConstantLike>();
  };
  entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (rounds(op))
      for (Value result : op->getResults()) {
        auto tensor = dyn_cast<RankedTensorType>(result.getType());
        if (getElementTypeOrSelf(result.getType()).isF64() &&
            (!tensor || tensor.hasStaticShape()))
          values.push_back(result);
      }
    return dialect == "func" || dialect == "scf" ? WalkResult::advance()
                                                 : WalkResult::skip();
  });
  for (Value value : values) {
    unsigned index = entry.getNumArguments();
    (void)entry.insertArgument(index, value.getType(), {}, value.getLoc());
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    Value product = arith::MulFOp::create(builder, value.getLoc(), value,
                                          entry.getArgument(index));
    value.replaceAllUsesExcept(product, product.getDefiningOp());
  }
}

static HostTensor toDouble(const HostTensor &tensor) {
  if (!isFloat(tensor.type()))
    return tensor.clone();
  HostTensor result(ElementType::F64, tensor.shape());
  for (int64_t i = 0; i < tensor.numElements(); ++i)
    reinterpret_cast<double *>(result.data())[i] = tensor.asDouble(i);
  return result;
}

/// Ones, or what differs from one by up to `amplitude`.
static HostTensor factors(const TensorSpec &spec, double amplitude,
                          Random &rng) {
  HostTensor result(ElementType::F64, spec.shape);
  for (int64_t i = 0; i < result.numElements(); ++i)
    reinterpret_cast<double *>(result.data())[i] =
        1.0 + amplitude * double(rng.between(-1000, 1000)) / 1000.0;
  return result;
}

Outcome
shard::fuzz::comparePrecisely(ModuleOp module, func::FuncOp entry,
                              const std::map<unsigned, HostTensor> &inputs,
                              const std::vector<HostTensor> &outputs,
                              uint64_t seed) {
  OwningOpRef<ModuleOp> copy = module.clone();
  auto wide = copy->lookupSymbol<func::FuncOp>(entry.getName());
  eraseUnreachable(wide);
  if (failed(lowerTosa(*copy)) || failed(dropShardings(*copy)) ||
      failed(inlineCalls(*copy)))
    return {Verdict::Rejected, "the program for f64 cannot be made"};
  wide = copy->lookupSymbol<func::FuncOp>(entry.getName());
  ErrorModel model = deriveErrorModel(wide, 1);
  widenFloats(*copy);
  addFactors(wide);
  CompileOptions options;
  options.optLevel = 0;
  auto program = compile(*copy, entry.getName(), options);
  if (failed(program))
    return {Verdict::Rejected, "the program in f64 does not compile"};

  double amplitude =
      model.roundoff +
      std::sqrt(double(model.terms)) *
          std::min(model.roundoff, unitRoundoff(ElementType::F32));
  std::vector<HostTensor> expected;
  std::vector<double> spread;
  for (int64_t run = 0; run < 4; ++run) {
    Random rng(seed * 4 + uint64_t(run));
    std::vector<HostTensor> given;
    for (const auto &[index, input] : inputs)
      given.push_back(toDouble(input));
    llvm::ArrayRef<TensorSpec> specs = (*program)->inputs();
    for (const TensorSpec &spec : specs.drop_front(inputs.size()))
      given.push_back(factors(spec, run == 0 ? 0.0 : amplitude, rng));
    std::vector<const HostTensor *> pointers;
    for (const HostTensor &tensor : given)
      pointers.push_back(&tensor);
    auto results = (*program)->run(pointers);
    if (!results)
      return {Verdict::Rejected, "the program in f64 does not run: " +
                                     llvm::toString(results.takeError())};
    if (run == 0) {
      expected = std::move(*results);
      spread.assign(expected.size(), 0.0);
      continue;
    }
    for (size_t i = 0; i < expected.size(); ++i)
      for (int64_t e = 0; e < expected[i].numElements(); ++e)
        spread[i] = std::max(spread[i], std::fabs((*results)[i].asDouble(e) -
                                                  expected[i].asDouble(e)));
  }

  for (size_t i = 0; i < expected.size(); ++i) {
    if (!isFloat(expected[i].type()))
      continue;
    for (int64_t e = 0; e < expected[i].numElements(); ++e)
      if (!std::isfinite(expected[i].asDouble(e)))
        return {Verdict::Invalid, "a result in f64 is not finite"};
    Comparison comparison =
        compareTensors(expected[i], toDouble(outputs[i]), model);
    if (comparison.equal)
      continue;
    // As in a comparison with what shard-run allows, with the spread besides.
    for (int64_t e = 0; e < expected[i].numElements(); ++e) {
      double x = expected[i].asDouble(e), y = outputs[i].asDouble(e);
      double size = std::max({std::fabs(x), std::fabs(y), comparison.scale});
      double allowed = comparison.tolerance * size + 8 * spread[i];
      if (std::fabs(x - y) <= allowed)
        continue;
      std::string message;
      llvm::raw_string_ostream(message)
          << "result " << i << " is " << y << " instead of " << x
          << " in f64 at element " << e << "; allowed is " << allowed;
      return {Verdict::Wrong, message};
    }
  }
  return {};
}
