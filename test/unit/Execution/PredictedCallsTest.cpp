//===- PredictedCallsTest.cpp - What collectives send, told and counted ---===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random collectives of every kind, over every group of a grid, in tensors of several types.
// Of each one the prediction names as many calls of the runtime, and as many bytes, as the
// runtime counts when it runs.
//
//===----------------------------------------------------------------------===//

#include "shard/Cost/Predict.h"
#include "shard/Execution/Hints.h"
#include "shard/Execution/Verify.h"
#include "shard/Geometry/BlockLayout.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace shard;

namespace {

using Shape = std::vector<int64_t>;

std::string listOf(ArrayRef<int64_t> numbers) {
  return "[" +
         llvm::join(llvm::map_range(
                        numbers, [](int64_t n) { return std::to_string(n); }),
                    ", ") +
         "]";
}

std::string typeOf(ArrayRef<int64_t> shape, StringRef element) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element.str() + ">";
}

/// Collectives of a function that has an argument for each.
class Maker {
public:
  /// With `onePlace`, all ops stand at one place, are of kinds of which some devices send more
  /// than others, and go over all devices.
  Maker(unsigned seed, bool onePlace)
      : random(seed), onePlace(onePlace),
        gridShape(seed % 2 ? std::vector<int64_t>{2, 2}
                           : std::vector<int64_t>{2, 3}) {}

  /// The function with `count` collectives.
  std::string function(unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      addOne();
    return "shard.grid @g(shape = 2x" + std::to_string(gridShape[1]) +
           ")\nfunc.func @main(" + llvm::join(arguments, ", ") + ") -> (" +
           llvm::join(results, ", ") + ") {\n" + llvm::join(lines, "\n") +
           "\n  return " + llvm::join(values, ", ") + " : " +
           llvm::join(types, ", ") + "\n}\n";
  }

private:
  int64_t below(int64_t n) { return int64_t(random() % n); }

  void addOne() {
    const char *elements[] = {"f32", "f64", "i8",           "bf16",
                              "i64", "i16", "complex<f32>", "index"};
    element = elements[below(8)];
    const std::vector<int64_t> groups[] = {{0}, {1}, {0, 1}, {1, 0}};
    group = groups[onePlace ? 2 + below(2) : below(4)];
    size = 1;
    for (int64_t axis : group)
      size *= gridShape[axis];
    shape = {1 + below(7), 1 + below(4)};
    Shape result = shape;
    std::string text = op(result);
    std::string name = std::to_string(lines.size());
    std::string from = typeOf(shape, element), to = typeOf(result, element);
    StringRef kind = StringRef(text).split(' ').first;
    bool isRooted = kind == "broadcast" || kind == "gather" ||
                    kind == "scatter" || kind == "reduce";
    bool isSame = kind == "permute" || kind == "update_halo";
    std::string signature = isRooted ? "(" + from + ") -> " + to
                            : isSame ? from
                                     : from + " -> " + to;
    StringRef rest = StringRef(text).substr(kind.size());
    lines.push_back(llvm::formatv("  %r{0} = shard.{1} %a{0} on @g{2} : {3}",
                                  name, kind, rest, signature));
    if (onePlace)
      lines.back() += " loc(\"one.mlir\":1:1)";
    Shape whole = result;
    whole[0] *= gridShape[0] * gridShape[1];
    arguments.push_back("%a" + name + ": " + from);
    // Each device has a result of its own.
    results.push_back(to + " {shard.local = #shard.local<" +
                      typeOf(whole, element) + ", <@g, [[0, 1], []]>>}");
    values.push_back("%r" + name);
    types.push_back(to);
  }

  /// A random op with its attributes; sets the shape of its result.
  std::string op(Shape &result) {
    std::string axes = " grid_axes = " + listOf(group);
    int64_t dim = below(2), other = 1 - dim;
    Shape root;
    for (int64_t axis : group)
      root.push_back(below(gridShape[axis]));
    std::string at = " root = " + listOf(root);
    std::string of = "_axis = " + std::to_string(dim);
    const int64_t uneven[] = {5, 5, 5, 6, 7, 8, 10};
    switch (onePlace ? uneven[below(7)] : below(11)) {
    case 0:
      result[dim] *= size;
      return "all_gather" + axes + " gather" + of;
    case 1:
      return "all_reduce" + axes;
    case 2:
      result[dim] = localExtent(shape[dim], size);
      return "reduce_scatter" + axes + " scatter" + of;
    case 3:
      result[dim] = localExtent(shape[dim], size);
      result[other] *= size;
      return "all_to_all" + axes + " split" + of +
             " concat_axis = " + std::to_string(other);
    case 4:
      return "permute from_axes = [0, 1] to_axes = [1, 0]";
    case 5: {
      int64_t axis = group[below(int64_t(group.size()))];
      std::string text =
          "shift" + axes + " shift_axis = " + std::to_string(axis);
      if (group.size() == 2 && below(2))
        text += " minor_axes = [" + std::to_string(1 - axis) + "]";
      text += " offset = " + std::to_string(below(15) - 7);
      return text + (below(2) ? " rotate" : "") + (below(2) ? " mirror" : "");
    }
    case 6:
      return "broadcast" + axes + at;
    case 7:
      result[dim] *= size;
      return "gather" + axes + " gather" + of + at;
    case 8:
      result[dim] = localExtent(shape[dim], size);
      return "scatter" + axes + " scatter" + of + at;
    case 9:
      return "reduce" + axes + at;
    default:
      return halos(result, dim);
    }
  }

  /// An exchange of halos, which may be wider than the block.
  std::string halos(Shape &result, int64_t dim) {
    int64_t low = below(3), high = below(3);
    std::string lists =
        dim == 0 ? "[" + listOf(group) + "]" : "[[], " + listOf(group) + "]";
    Shape widths = {low, high};
    shape[dim] += low + high;
    if (group.size() == 2 && below(2)) {
      lists = "[[" + std::to_string(group[0]) + "], [" +
              std::to_string(group[1]) + "]]";
      Shape more = {below(3), below(3)};
      shape[1 - dim] += more[0] + more[1];
      widths.insert(dim == 0 ? widths.end() : widths.begin(), more.begin(),
                    more.end());
    }
    result = shape;
    return "update_halo split_axes = " + lists +
           " halo_sizes = " + listOf(widths);
  }

  std::mt19937 random;
  bool onePlace;
  std::vector<int64_t> gridShape;
  std::string element;
  std::vector<int64_t> group;
  int64_t size = 1;
  Shape shape;
  std::vector<std::string> arguments, results, lines, values, types;
};

/// Compares calls and bytes of the collectives of a function. Those at one place, of one kind
/// and one group, are summed up: what counts is the device that sends most in all of them.
void expectCounted(unsigned seed, bool onePlace) {
  DialectRegistry registry;
  registerRunDialects(registry);
  MLIRContext context(registry);
  std::string text = Maker(seed, onePlace).function(/*count=*/60);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, &context, "collectives.mlir");
  ASSERT_TRUE(module) << text;
  RunOptions options;
  options.verify = false;
  options.optLevel = 0;
  std::map<CallKey, PredictedCalls> predicted;
  options.onPartitioned = [&](ModuleOp partitioned) {
    predicted = predictCalls(
        predictProgram(partitioned.lookupSymbol<func::FuncOp>("main")));
  };
  FailureOr<func::FuncOp> entry = findEntry(*module, "main");
  ASSERT_TRUE(succeeded(entry));
  FailureOr<RunReport> report = runProgram(*module, *entry, std::move(options));
  ASSERT_TRUE(succeeded(report)) << text;
  std::map<CallKey, const runtime::CallRecord *> records;
  for (const runtime::CallRecord &record : report->calls)
    records[{record.kind, record.gridShape, record.axes, record.location}] =
        &record;
  // Those that move nothing may be folded.
  EXPECT_GT(predicted.size(), onePlace ? 8u : 50u);
  EXPECT_EQ(predicted.size(), records.size());
  for (const auto &[key, calls] : predicted) {
    SCOPED_TRACE(std::get<0>(key) + " at " + std::get<3>(key) + " of " + text);
    const runtime::CallRecord *record = records[key];
    ASSERT_TRUE(record);
    EXPECT_TRUE(calls.calls.exact);
    EXPECT_EQ(calls.calls.most, record->count);
    ASSERT_TRUE(calls.bytes);
    EXPECT_EQ(*calls.bytes, record->bytes);
  }
}

} // namespace

TEST(PredictedCallsTest, AsCountedByTheRuntime) {
  for (unsigned seed = 0; seed < 6 && !HasFailure(); ++seed)
    expectCounted(seed, /*onePlace=*/false);
}

TEST(PredictedCallsTest, SumsOfOnePlace) {
  for (unsigned seed = 0; seed < 6 && !HasFailure(); ++seed)
    expectCounted(seed, /*onePlace=*/true);
}
