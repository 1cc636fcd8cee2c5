//===- Precise.cpp - Real numbers against a run in f64 --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Precise.h"

#include "shard/Fuzz/Random.h"

#include "shard/Codegen/Compile.h"
#include "shard/Execution/Hints.h"
#include "shard/Reference/Reference.h"
#include "shard/Runtime/Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Pass/PassManager.h"
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

/// In the body of an op with `loops` loops: 1 + (factor - 1) * cos(...), which is another
/// number for each iteration and for each `number`.
static Value factorOfIteration(OpBuilder &inside, Location loc, Value factor,
                               int64_t number, int64_t loops) {
  Type f64 = inside.getF64Type();
  auto constant = [&](double x) -> Value {
    return arith::ConstantOp::create(inside, loc, inside.getFloatAttr(f64, x));
  };
  Value angle = constant(double(number));
  for (int64_t dim = 0; dim < loops; ++dim) {
    Value index = linalg::IndexOp::create(inside, loc, dim);
    Value whole =
        arith::IndexCastOp::create(inside, loc, inside.getI64Type(), index);
    Value real = arith::SIToFPOp::create(inside, loc, f64, whole);
    Value step = constant(2.4 + 1.7 * double(dim));
    Value turned = arith::MulFOp::create(inside, loc, real, step);
    angle = arith::AddFOp::create(inside, loc, angle, turned);
  }
  Value one = constant(1.0);
  Value off = arith::SubFOp::create(inside, loc, factor, one);
  Value cosine = math::CosOp::create(inside, loc, angle);
  Value part = arith::MulFOp::create(inside, loc, off, cosine);
  return arith::AddFOp::create(inside, loc, one, part);
}

/// `value`, of dynamic shape, times another number for each element.
static Value timesFactors(OpBuilder &builder, Value value, Value factor,
                          int64_t number) {
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  Value target = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, value),
      type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inside, Location, ValueRange elements) {
    Value times =
        factorOfIteration(inside, loc, factor, number, type.getRank());
    Value product = arith::MulFOp::create(inside, loc, elements[0], times);
    linalg::YieldOp::create(inside, loc, product);
  };
  return linalg::GenericOp::create(builder, loc, target.getType(),
                                   ValueRange{value}, ValueRange{target},
                                   ArrayRef<AffineMap>{identity, identity},
                                   iterators, body)
      .getResult(0);
}

/// Adds the floats in the body of a linalg.generic that it adds or subtracts: a large one
/// may cancel there, as in `x + 1000 - 1000`, and what is left has its rounding.
static void addSummands(Operation *op, SmallVector<Value> &values) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return;
  for (Operation &inner : generic.getBody()->without_terminator())
    for (Value result : inner.getResults())
      if (result.getType().isF64() &&
          !inner.hasTrait<OpTrait::ConstantLike>() &&
          llvm::any_of(result.getUsers(),
                       llvm::IsaPred<arith::AddFOp, arith::SubFOp>))
        values.push_back(result);
}

/// Multiplies every float that `entry` computes by an argument of its own, behind
/// the others: one number for tensors of dynamic shape and for summands in bodies, of
/// which numbers for elements and iterations are made, else a number for each element.
static void addFactors(func::FuncOp entry) {
  SmallVector<Value> values;
  auto rounds = [](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    return (dialect == "arith" || dialect == "math" || dialect == "linalg") &&
           !op->hasTrait<OpTrait::ConstantLike>();
  };
  entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    addSummands(op, values);
    if (rounds(op))
      for (Value result : op->getResults())
        if (getElementTypeOrSelf(result.getType()).isF64())
          values.push_back(result);
    return dialect == "func" || dialect == "scf" ? WalkResult::advance()
                                                 : WalkResult::skip();
  });
  for (Value value : values) {
    unsigned index = entry.getNumArguments();
    OpBuilder builder(value.getContext());
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    bool isDynamic = tensor && !tensor.hasStaticShape();
    (void)entry.insertArgument(
        index, isDynamic ? builder.getF64Type() : value.getType(), {},
        value.getLoc());
    Value factor = entry.getArgument(index);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      uses.push_back(&use);
    builder.setInsertionPointAfterValue(value);
    // Summands of a body differ from iteration to iteration, or what they sum to would
    // move as a whole, however much of it cancels.
    auto generic = dyn_cast_or_null<linalg::GenericOp>(
        value.getParentRegion()->getParentOp());
    if (generic)
      factor = factorOfIteration(builder, value.getLoc(), factor, index,
                                 generic.getNumLoops());
    Value product = isDynamic ? timesFactors(builder, value, factor, index)
                              : arith::MulFOp::create(builder, value.getLoc(),
                                                      value, factor)
                                    .getResult();
    for (OpOperand *use : uses)
      use->set(product);
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

/// What a dynamic dimension may be: the extent of an input, or a number of the
/// program.
static int64_t largestExtent(func::FuncOp entry,
                             const std::map<unsigned, HostTensor> &inputs) {
  int64_t largest = 1;
  for (const auto &[number, input] : inputs) {
    (void)number;
    for (int64_t extent : input.shape())
      largest = std::max(largest, extent);
  }
  entry.walk([&](arith::ConstantIndexOp op) {
    if (op.value() <= 1000)
      largest = std::max(largest, op.value());
  });
  return largest;
}

namespace {
/// What the program in f64 computes, and how far its results move when every op is off
/// by a random part of one rounding.
struct PreciseRun {
  std::vector<HostTensor> results;
  /// Of each result, the furthest that an element moved.
  std::vector<double> spread;
};
} // namespace

/// The largest difference between two elements at the same place.
static double largestDifference(const HostTensor &a, const HostTensor &b) {
  double largest = 0.0;
  for (int64_t e = 0; e < a.numElements(); ++e)
    largest = std::max(largest, std::fabs(a.asDouble(e) - b.asDouble(e)));
  return largest;
}

/// Runs `program` once as it is and several times with factors that differ from one by
/// up to `amplitude`.
static llvm::Expected<PreciseRun>
runPrecisely(const CompiledProgram &program,
             const std::map<unsigned, HostTensor> &inputs, double amplitude,
             uint64_t seed) {
  constexpr int64_t kRuns = 4;
  PreciseRun precise;
  for (int64_t run = 0; run < kRuns; ++run) {
    Random rng(seed * kRuns + uint64_t(run));
    std::vector<HostTensor> given;
    for (const auto &[index, input] : inputs)
      given.push_back(toDouble(input));
    llvm::ArrayRef<TensorSpec> specs = program.inputs();
    for (const TensorSpec &spec : specs.drop_front(inputs.size()))
      given.push_back(factors(spec, run == 0 ? 0.0 : amplitude, rng));
    std::vector<const HostTensor *> pointers;
    for (const HostTensor &tensor : given)
      pointers.push_back(&tensor);
    auto results = program.run(pointers);
    if (!results)
      return results.takeError();
    if (run == 0) {
      precise.results = std::move(*results);
      precise.spread.assign(precise.results.size(), 0.0);
      continue;
    }
    for (size_t i = 0; i < precise.results.size(); ++i)
      precise.spread[i] =
          std::max(precise.spread[i],
                   largestDifference((*results)[i], precise.results[i]));
  }
  return precise;
}

/// The smallest positive number of a float type: what is less becomes this or zero.
static double smallestOf(Type element) {
  auto type = dyn_cast<FloatType>(element);
  return type ? APFloat::getSmallest(type.getFloatSemantics()).convertToDouble()
              : 0.0;
}

/// Compares `output`, of elements of type `element`, with result `number` of the run in f64, up to
/// what shard-run allows, eight times the spread and what the type cannot express.
static Outcome compareResult(const PreciseRun &precise, size_t number,
                             const HostTensor &output, Type element,
                             const ErrorModel &model) {
  const HostTensor &expected = precise.results[number];
  if (!isFloat(expected.type()))
    return {};
  for (int64_t e = 0; e < expected.numElements(); ++e)
    if (!std::isfinite(expected.asDouble(e)))
      return {Verdict::Invalid, "a result in f64 is not finite"};
  Comparison comparison = compareTensors(expected, toDouble(output), model);
  if (comparison.equal)
    return {};
  for (int64_t e = 0; e < expected.numElements(); ++e) {
    double x = expected.asDouble(e), y = output.asDouble(e);
    double size = std::max({std::fabs(x), std::fabs(y), comparison.scale});
    double allowed = comparison.tolerance * size + 8 * precise.spread[number] +
                     smallestOf(element);
    if (std::fabs(x - y) <= allowed)
      continue;
    std::string message;
    llvm::raw_string_ostream(message)
        << "result " << number << " is " << y << " instead of " << x
        << " in f64 at element " << e << "; allowed is " << allowed;
    return {Verdict::Wrong, message};
  }
  return {};
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
  ErrorModel model = deriveErrorModel(wide, largestExtent(wide, inputs));
  widenFloats(*copy);
  // Named ops sum in bodies, too.
  PassManager manager(module.getContext());
  manager.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  if (failed(manager.run(*copy)))
    return {Verdict::Rejected, "the program for f64 cannot be made"};
  wide = copy->lookupSymbol<func::FuncOp>(entry.getName());
  addFactors(wide);
  CompileOptions options;
  options.optLevel = 0;
  for (auto [name, address] : runtime::runtimeSymbols())
    options.symbols.emplace_back(name, address);
  auto program = compile(*copy, entry.getName(), options);
  if (failed(program))
    return {Verdict::Rejected, "the program in f64 does not compile"};

  double amplitude =
      model.roundoff +
      std::sqrt(double(model.terms)) *
          std::min(model.roundoff, unitRoundoff(ElementType::F32));
  llvm::Expected<PreciseRun> precise =
      runPrecisely(**program, inputs, amplitude, seed);
  if (!precise)
    return {Verdict::Rejected, "the program in f64 does not run: " +
                                   llvm::toString(precise.takeError())};
  for (size_t i = 0; i < precise->results.size(); ++i) {
    Outcome outcome =
        compareResult(*precise, i, outputs[i],
                      getElementTypeOrSelf(entry.getResultTypes()[i]), model);
    if (outcome.verdict != Verdict::Pass)
      return outcome;
  }
  return {};
}
