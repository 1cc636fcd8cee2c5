//===- CollectiveRunTest.cpp - Lowered collectives, run on a grid ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op is bufferized, lowered, compiled and run by threads on a grid of 2x4.
// What the runtime does with its arguments has tests of its own; here it is
// about the arguments: every attribute of every op has to arrive.
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Compile.h"
#include "shard/Conversion/Conversion.h"
#include "shard/Geometry/Grid.h"
#include "shard/IR/ShardDialect.h"
#include "shard/Runtime/Threads.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cstring>
#include <functional>

using namespace mlir;
using namespace shard;

namespace {

const Grid grid{{2, 4}};

using Values = std::vector<double>;
using PerDevice = std::vector<Values>;

/// Compiles `@main(tensor of shape, index) -> tensor` and runs it: element i of
/// the input of device d is 100 d + i, the index is `number`.
struct Program {
  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<CompiledProgram> code;
  std::vector<HostTensor> inputs;
  HostTensor number;
  PerDevice results;
  runtime::RunReport report;

  Program(const std::string &body, std::vector<int64_t> shape,
          int64_t index = 0, ElementType type = ElementType::F32) {
    registerShardDialect(registry);
    registerCodegenDialects(registry);
    registerBufferizableOpInterfaceExternalModels(registry);
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
    auto module = parseSourceString<ModuleOp>("shard.grid @g(shape = 2x4)\n"
                                              "shard.grid @u(shape = 2x?)\n" +
                                                  body,
                                              context.get(), "program.mlir");
    if (!module) {
      ADD_FAILURE() << "does not parse";
      return;
    }
    CompileOptions options;
    options.optLevel = 1;
    for (auto [name, address] : runtime::runtimeSymbols())
      options.symbols.emplace_back(name, address);
    auto compiled = compile(*module, "main", options);
    if (failed(compiled)) {
      ADD_FAILURE() << "does not compile";
      return;
    }
    code = std::move(*compiled);
    for (int64_t d = 0; d < grid.numDevices(); ++d) {
      inputs.emplace_back(type, shape);
      for (int64_t i = 0; i < inputs[d].numElements(); ++i) {
        float value = float(100 * d + i);
        if (type == ElementType::F32)
          memcpy(inputs[d].data() + 4 * i, &value, 4);
        else
          inputs[d].data()[i] = uint8_t(5 * d + i);
      }
    }
    number = HostTensor(ElementType::Index, {});
    memcpy(number.data(), &index, sizeof(index));
    run();
  }

  void run() {
    std::vector<Invocation> invocations;
    for (int64_t d = 0; d < grid.numDevices(); ++d) {
      auto invocation = code->prepare({&inputs[d], &number});
      if (!invocation) {
        ADD_FAILURE() << llvm::toString(invocation.takeError());
        return;
      }
      invocations.push_back(std::move(*invocation));
    }
    report = runtime::runOnGrid(grid.shape,
                                [&](int64_t d) { invocations[d].execute(); });
    if (!report.ok)
      return;
    for (Invocation &invocation : invocations) {
      Values values;
      for (HostTensor &tensor : invocation.takeResults())
        for (int64_t i = 0; i < tensor.numElements(); ++i)
          values.push_back(tensor.asDouble(i));
      results.push_back(values);
    }
  }
};

/// `fn(coordinate 0, coordinate 1)` on every device.
PerDevice onDevices(const std::function<Values(int64_t, int64_t)> &fn) {
  PerDevice result;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 4; ++j)
      result.push_back(fn(i, j));
  return result;
}

/// The inputs of devices, each given by its coordinates, one after another.
double in(int64_t i, int64_t j, int64_t element) {
  return double(100 * (4 * i + j) + element);
}

std::string mainOf(const std::string &from, const std::string &op,
                   const std::string &to) {
  return "func.func @main(%a: " + from + ", %n: index) -> " + to +
         " {\n  %0 = " + op + "\n  return %0 : " + to + "\n}\n";
}

#define EXPECT_RUNS(program, expected)                                         \
  EXPECT_TRUE((program).report.ok) << (program).report.error;                  \
  EXPECT_EQ((program).results, expected)

TEST(Lowered, AllGather) {
  // Axis 1 is the outer one.
  Program p(mainOf("tensor<1x2xf32>",
                   "shard.all_gather %a on @g grid_axes = [1, 0] gather_axis = "
                   "1 : tensor<1x2xf32> -> tensor<1x15xf32>",
                   "tensor<1x15xf32>"),
            {1, 2});
  EXPECT_RUNS(p, onDevices([](int64_t, int64_t) {
                Values values;
                for (int64_t j = 0; j < 4; ++j)
                  for (int64_t i = 0; i < 2; ++i)
                    for (int64_t e = 0; e < 2; ++e)
                      values.push_back(in(i, j, e));
                values.pop_back();
                return values;
              }));
  ASSERT_EQ(p.report.calls.size(), 1u);
  EXPECT_EQ(p.report.calls[0].kind, "all_gather");
  EXPECT_EQ(p.report.calls[0].axes, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(p.report.calls[0].location, "program.mlir:4:8");
  EXPECT_EQ(p.report.calls[0].bytes, 7 * 8);
}

TEST(Lowered, AllSlice) {
  Program p(mainOf("tensor<2x4xf32>",
                   "shard.all_slice %a on @g grid_axes = [1] slice_axis = 1 : "
                   "tensor<2x4xf32> -> tensor<2x1xf32>",
                   "tensor<2x1xf32>"),
            {2, 4});
  EXPECT_RUNS(p, onDevices([](int64_t i, int64_t j) {
                return Values{in(i, j, j), in(i, j, 4 + j)};
              }));
}

TEST(Lowered, AllToAll) {
  Program p(mainOf("tensor<2x1xf32>",
                   "shard.all_to_all %a on @g grid_axes = [0] split_axis = 0 "
                   "concat_axis = 1 : tensor<2x1xf32> -> tensor<1x2xf32>",
                   "tensor<1x2xf32>"),
            {2, 1});
  EXPECT_RUNS(p, onDevices([](int64_t i, int64_t j) {
                return Values{in(0, j, i), in(1, j, i)};
              }));
}

TEST(Lowered, Permute) {
  Program p(mainOf("tensor<1xf32>",
                   "shard.permute %a on @g from_axes = [0, 1] to_axes = [1, 0] "
                   ": tensor<1xf32>",
                   "tensor<1xf32>"),
            {1});
  EXPECT_RUNS(p, onDevices([](int64_t i, int64_t j) {
                return Values{100.0 * double(2 * j + i)};
              }));
}

TEST(Lowered, Shift) {
  Program rotated(
      mainOf("tensor<1xf32>",
             "shard.shift %a on @g grid_axes = [0, 1] shift_axis = "
             "1 offset = -1 rotate : tensor<1xf32> -> tensor<1xf32>",
             "tensor<1xf32>"),
      {1});
  EXPECT_RUNS(rotated, onDevices([](int64_t i, int64_t j) {
                return Values{in(i, (j + 1) % 4, 0)};
              }));
  Program open(mainOf("tensor<1xf32>",
                      "shard.shift %a on @g grid_axes = [1] shift_axis = 1 "
                      "offset = 2 : tensor<1xf32> -> tensor<1xf32>",
                      "tensor<1xf32>"),
               {1});
  EXPECT_RUNS(open, onDevices([](int64_t i, int64_t j) {
                return Values{j < 2 ? 0 : in(i, j - 2, 0)};
              }));
}

TEST(Lowered, BroadcastFromADynamicRoot) {
  Program p(mainOf("tensor<2xf32>",
                   "shard.broadcast %a on @g grid_axes = [0, 1] root = [1, %n] "
                   ": (tensor<2xf32>, index) -> tensor<2xf32>",
                   "tensor<2xf32>"),
            {2}, 3);
  EXPECT_RUNS(p, onDevices([](int64_t, int64_t) {
                return Values{in(1, 3, 0), in(1, 3, 1)};
              }));
}

TEST(Lowered, GatherAndScatter) {
  Program gather(mainOf("tensor<1xf32>",
                        "shard.gather %a on @g grid_axes = [1] gather_axis = 0 "
                        "root = [%n] : (tensor<1xf32>, index) -> tensor<4xf32>",
                        "tensor<4xf32>"),
                 {1}, 2);
  for (int64_t i = 0; i < 2; ++i)
    EXPECT_EQ(gather.results[4 * i + 2],
              (Values{in(i, 0, 0), in(i, 1, 0), in(i, 2, 0), in(i, 3, 0)}));
  Program scatter(
      mainOf("tensor<4xf32>",
             "shard.scatter %a on @g grid_axes = [1] scatter_axis = 0 root = "
             "[1] : (tensor<4xf32>) -> tensor<1xf32>",
             "tensor<1xf32>"),
      {4});
  EXPECT_RUNS(scatter, onDevices([](int64_t i, int64_t j) {
                return Values{in(i, 1, j)};
              }));
}

TEST(Lowered, Reductions) {
  Program sum(mainOf("tensor<2xf32>",
                     "shard.all_reduce %a on @g grid_axes = [1] : "
                     "tensor<2xf32> -> tensor<2xf64>",
                     "tensor<2xf64>"),
              {2});
  EXPECT_RUNS(sum, onDevices([](int64_t i, int64_t) {
                Values values = {0, 0};
                for (int64_t e = 0; e < 2; ++e)
                  for (int64_t j = 0; j < 4; ++j)
                    values[e] += in(i, j, e);
                return values;
              }));
  Program least(mainOf("tensor<1xf32>",
                       "shard.reduce %a on @g grid_axes = [0] reduction = min "
                       "root = [1] : (tensor<1xf32>) -> tensor<1xf32>",
                       "tensor<1xf32>"),
                {1});
  for (int64_t j = 0; j < 4; ++j)
    EXPECT_EQ(least.results[4 + j], Values{in(0, j, 0)});
  Program scattered(
      mainOf("tensor<2x2xf32>",
             "shard.reduce_scatter %a on @g grid_axes = [0] reduction = max "
             "scatter_axis = 1 : tensor<2x2xf32> -> tensor<2x1xf32>",
             "tensor<2x1xf32>"),
      {2, 2});
  EXPECT_RUNS(scattered, onDevices([](int64_t i, int64_t j) {
                return Values{in(1, j, i), in(1, j, 2 + i)};
              }));
}

TEST(Lowered, BitwiseReductionOfBytes) {
  Program p(mainOf("tensor<3xi8>",
                   "shard.all_reduce %a on @g grid_axes = [0] reduction = "
                   "bitwise_xor : tensor<3xi8> -> tensor<3xi8>",
                   "tensor<3xi8>"),
            {3}, 0, ElementType::I8);
  EXPECT_RUNS(p, onDevices([](int64_t, int64_t j) {
                Values values;
                for (int64_t e = 0; e < 3; ++e)
                  values.push_back(double((5 * j + e) ^ (5 * (4 + j) + e)));
                return values;
              }));
}

TEST(Lowered, SendAndReceive) {
  // Coordinate 1 sends to coordinate 0 of axis 0.
  Program p(R"mlir(
    func.func @main(%a: tensor<1xf32>, %n: index) -> tensor<1xf32> {
      %c1 = arith.constant 1 : index
      %i = shard.process_multi_index on @g axes = [0] : index
      %sends = arith.cmpi eq, %i, %c1 : index
      %r = scf.if %sends -> tensor<1xf32> {
        %s = shard.send %a on @g grid_axes = [0] destination = [%n] : (tensor<1xf32>, index) -> tensor<1xf32>
        scf.yield %s : tensor<1xf32>
      } else {
        %s = shard.recv %a on @g grid_axes = [0] source = [1] : (tensor<1xf32>) -> tensor<1xf32>
        scf.yield %s : tensor<1xf32>
      }
      return %r : tensor<1xf32>
    }
  )mlir",
            {1}, 0);
  EXPECT_RUNS(
      p, onDevices([](int64_t, int64_t j) { return Values{in(1, j, 0)}; }));
}

TEST(Lowered, UpdateHalo) {
  // The argument is read again: the caller's buffer stays as it is.
  Program p(R"mlir(
    func.func @main(%a: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
      %w = arith.index_cast %n : index to i64
      %r = shard.update_halo %a on @g split_axes = [[1]] halo_sizes = [1, %w] : tensor<4xf32>
      return %r, %a : tensor<4xf32>, tensor<4xf32>
    }
  )mlir",
            {4}, 2);
  EXPECT_RUNS(p, onDevices([](int64_t i, int64_t j) {
                // One element in the middle, one halo before, two behind.
                return Values{j > 0 ? in(i, j - 1, 1) : in(i, j, 0),
                              in(i, j, 1),
                              j < 3 ? in(i, j + 1, 1) : in(i, j, 2),
                              j < 2 ? in(i, j + 2, 1) : in(i, j, 3),
                              in(i, j, 0),
                              in(i, j, 1),
                              in(i, j, 2),
                              in(i, j, 3)};
              }));
}

TEST(Lowered, ProcessAndGrid) {
  Program p(R"mlir(
    func.func @main(%a: tensor<1xf32>, %n: index) -> tensor<8xindex> {
      %i:2 = shard.process_multi_index on @u : index, index
      %j = shard.process_multi_index on @g axes = [1] : index
      %l = shard.process_linear_index on @g : index
      %s:2 = shard.grid_shape @u : index, index
      %down, %up = shard.neighbors_linear_indices on @g[%i#0, %i#1] split_axes = [1] : index, index
      %r = tensor.from_elements %i#0, %i#1, %j, %l, %s#0, %s#1, %down, %up : tensor<8xindex>
      return %r : tensor<8xindex>
    }
  )mlir",
            {1});
  EXPECT_RUNS(p, onDevices([](int64_t i, int64_t j) {
                double linear = double(4 * i + j);
                return Values{double(i),
                              double(j),
                              double(j),
                              linear,
                              2,
                              4,
                              j > 0 ? linear - 1 : -1,
                              j < 3 ? linear + 1 : -1};
              }));
}

TEST(Lowered, DynamicShapes) {
  std::string body = R"mlir(
    func.func @main(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
      %0 = shard.all_slice %a on @u grid_axes = [0] slice_axis = 0 : tensor<?xf32> -> tensor<?xf32>
      %1 = shard.all_gather %0 on @u grid_axes = [1] gather_axis = 0 : tensor<?xf32> -> tensor<?xf32>
      return %1 : tensor<?xf32>
    }
  )mlir";
  Program even(body, {2});
  EXPECT_RUNS(even, onDevices([](int64_t i, int64_t) {
                Values values;
                for (int64_t j = 0; j < 4; ++j)
                  values.push_back(in(i, j, i));
                return values;
              }));
  Program uneven(body, {3});
  EXPECT_NE(uneven.report.error.find(
                "at program.mlir:5:12: a dynamic dimension of extent 3 is cut "
                "over a group of 2 devices, which does not divide it"),
            std::string::npos)
      << uneven.report.error;
}

TEST(Lowered, CollectivesInALoop) {
  // Enough calls for a stack that grows by each to show.
  Program p(R"mlir(
    func.func @main(%a: tensor<1xf32>, %n: index) -> tensor<1xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<1xf32> {
        %y = shard.shift %x on @g grid_axes = [1] shift_axis = 1 offset = 1 rotate : tensor<1xf32> -> tensor<1xf32>
        scf.yield %y : tensor<1xf32>
      }
      return %r : tensor<1xf32>
    }
  )mlir",
            {1}, 401);
  EXPECT_RUNS(p, onDevices([](int64_t i, int64_t j) {
                return Values{in(i, (j + 3) % 4, 0)};
              }));
  ASSERT_EQ(p.report.calls.size(), 1u);
  EXPECT_EQ(p.report.calls[0].count, 401);
}

TEST(Lowered, FailedAssertionEndsTheRun) {
  Program p(R"mlir(
    func.func @main(%a: tensor<1xf32>, %n: index) -> tensor<1xf32> {
      %l = shard.process_linear_index on @g : index
      %ok = arith.cmpi ne, %l, %n : index
      cf.assert %ok, "not on device 5"
      %0 = shard.all_reduce %a on @g grid_axes = [0, 1] : tensor<1xf32> -> tensor<1xf32>
      return %0 : tensor<1xf32>
    }
  )mlir",
            {1}, 5);
  EXPECT_EQ(p.report.error, "device 5: at program.mlir:7:7: not on device 5");
}

TEST(Lowered, DivergenceIsReported) {
  // Under a branch that the devices of a group take differently.
  Program p(R"mlir(
    func.func @main(%a: tensor<2xf32>, %n: index) -> tensor<2xf32> {
      %j = shard.process_multi_index on @g axes = [1] : index
      %first = arith.cmpi eq, %j, %n : index
      %r = scf.if %first -> tensor<2xf32> {
        %0 = shard.all_reduce %a on @g grid_axes = [1] : tensor<2xf32> -> tensor<2xf32>
        scf.yield %0 : tensor<2xf32>
      } else {
        %1 = shard.all_reduce %a on @g grid_axes = [1] reduction = max : tensor<2xf32> -> tensor<2xf32>
        scf.yield %1 : tensor<2xf32>
      }
      return %r : tensor<2xf32>
    }
  )mlir",
            {2}, 1);
  EXPECT_FALSE(p.report.ok);
  EXPECT_NE(p.report.error.find("reduction = sum) at program.mlir:8:14"),
            std::string::npos)
      << p.report.error;
  EXPECT_NE(p.report.error.find("reduction = max) at program.mlir:11:14"),
            std::string::npos)
      << p.report.error;
}

} // namespace
