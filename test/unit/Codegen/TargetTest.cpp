//===- TargetTest.cpp - Code for each processor --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckSymbols.h"

#include "shard/Codegen/Compile.h"
#include "shard/Codegen/ObjectProgram.h"
#include "shard/Runtime/Kernels/Builtins.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace shard;

namespace {

struct TargetTest : public testing::Test {
  TargetTest() : context(registry()) { context.printOpOnDiagnostic(false); }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerCodegenDialects(registry);
    return registry;
  }

  /// An elementwise function on `tensor<7xFROM>` and `tensor<7xTO>` whose body is
  /// `text`, from %x and %y to %z.
  OwningOpRef<ModuleOp> elementwise(const std::string &from,
                                    const std::string &to,
                                    const std::string &text) {
    std::string in = "tensor<7x" + from + ">", out = "tensor<7x" + to + ">";
    return parseSourceString<ModuleOp>(
        "#m = affine_map<(i) -> (i)>\nfunc.func @main(%a: " + in +
            ", %b: " + out + ") -> " + out +
            " {\n %r = linalg.generic {indexing_maps = [#m, #m], "
            "iterator_types = [\"parallel\"]} ins(%a : " +
            in + ") outs(%b : " + out + ") {\n ^bb0(%x: " + from +
            ", %y: " + to + "):\n" + text + "\n linalg.yield %z : " + to +
            "\n } -> " + out + "\n return %r : " + out + "\n}",
        &context);
  }

  MLIRContext context;
};

const CpuTarget targets[] = {{"x86-64", "x86_64-pc-linux-gnu"},
                             {"x86-64-v2", "x86_64-pc-linux-gnu"},
                             {"x86-64-v3", "x86_64-pc-linux-gnu"},
                             {"x86-64-v4", "x86_64-pc-linux-gnu"},
                             {"sapphirerapids", "x86_64-pc-linux-gnu"},
                             {"generic", "aarch64-linux-gnu"},
                             {"neoverse-n1", "aarch64-linux-gnu"}};

} // namespace

// LLVM asks for functions where the processor has no instruction. Whatever it asks
// for must be in builtinSymbols(), by name on every target.
TEST_F(TargetTest, CodeCallsOnlyWhatTheRuntimeProvides) {
  ObjectProgram table;
  table.symbol = "program";
  llvm::StringSet<> known;
  for (auto [name, address] : builtinSymbols())
    known.insert(name);
  known.insert("shard_kernel_allocate");
  known.insert("shard_kernel_free");
  known.insert("_GLOBAL_OFFSET_TABLE_");
  const char *floats[] = {"f16", "bf16", "f32", "f64"};
  std::vector<OwningOpRef<ModuleOp>> programs;
  for (std::string from : floats)
    for (std::string to : floats) {
      if (from == to)
        continue;
      int64_t widths[2] = {from == "f64"   ? 64
                           : from == "f32" ? 32
                                           : 16,
                           to == "f64"   ? 64
                           : to == "f32" ? 32
                                         : 16};
      std::string op =
          widths[0] < widths[1] ? " %w = arith.extf %x : " + from + " to " + to
          : widths[0] > widths[1]
              ? " %w = arith.truncf %x : " + from + " to " + to
              : " %v = arith.extf %x : " + from +
                    " to f32\n %w = arith.truncf %v : f32 to " + to;
      programs.push_back(
          elementwise(from, to,
                      op + "\n %c = arith.cmpf olt, %w, %y : " + to +
                          "\n %z = arith.select %c, %w, %y : " + to));
    }
  for (std::string type : floats) {
    for (std::string op :
         {"arith.addf", "arith.divf", "arith.remf", "arith.maxnumf",
          "arith.maximumf", "math.powf", "math.atan2", "math.copysign"})
      programs.push_back(
          elementwise(type, type, " %z = " + op + " %x, %y : " + type));
    for (std::string op : {"floor", "ceil", "roundeven", "round", "trunc",
                           "exp", "tanh", "sqrt", "erf", "log1p", "rsqrt"})
      programs.push_back(
          elementwise(type, type, " %z = math." + op + " %x : " + type));
    for (std::string integer : {"i1", "i8", "i64"}) {
      programs.push_back(elementwise(
          type, integer, " %z = arith.fptosi %x : " + type + " to " + integer));
      programs.push_back(elementwise(
          integer, type, " %z = arith.uitofp %x : " + integer + " to " + type));
    }
    programs.push_back(
        elementwise(type, type, " %z = math.fma %x, %y, %y : " + type));
    programs.push_back(elementwise(
        type, type,
        " %n = arith.constant 3 : i32\n %z = math.fpowi %x, %n : " + type +
            ", i32"));
    // Through the widest formats and integers.
    programs.push_back(elementwise(
        type, type,
        " %q = arith.extf %x : " + type +
            " to f128\n %s = arith.mulf %q, %q : f128\n %i = arith.fptosi %s : "
            "f128 to i128\n %j = arith.divsi %i, %i : i128\n %f = arith.sitofp "
            "%j : i128 to f128\n %z = arith.truncf %f : f128 to " +
            type));
  }
  for (const CpuTarget &target : targets) {
    CompileOptions options;
    options.target = target;
    for (unsigned level : {0u, 3u}) {
      options.optLevel = level;
      for (auto &program : programs) {
        ASSERT_TRUE(program);
        auto object = compileToObject(*program, "main", options, table);
        ASSERT_TRUE(succeeded(object));
        auto needed = codegen::neededSymbols(**object);
        ASSERT_TRUE(static_cast<bool>(needed));
        for (const codegen::NeededSymbol &symbol : *needed)
          EXPECT_TRUE(known.contains(symbol.name))
              << symbol.name << " for " << target.cpu;
      }
    }
  }
}

TEST_F(TargetTest, MissingSymbolsAreReportedAtTheFunction) {
  OwningOpRef<ModuleOp> module =
      elementwise("f32", "f32", " %z = math.tanh %x : f32");
  CompileOptions options;
  ObjectProgram table;
  table.symbol = "program";
  auto object = compileToObject(*module, "main", options, table);
  ASSERT_TRUE(succeeded(object));
  std::string text;
  Location place = UnknownLoc::get(&context);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    text += diagnostic.str() + "\n";
    place = diagnostic.getLocation();
    return success();
  });
  EXPECT_TRUE(failed(codegen::checkSymbols(**object, {}, *module)));
  EXPECT_NE(
      text.find("machine code of 'main' calls "
                "'shard_kernel_allocate', which neither the program nor this "
                "process defines"),
      std::string::npos)
      << text;
  EXPECT_EQ(place, module->lookupSymbol("main")->getLoc());
}

TEST_F(TargetTest, UnknownAndUnfitTargets) {
  auto message = [](const CpuTarget &target, bool toRun) {
    auto machine = createTargetMachine(target, 0, toRun);
    return machine ? std::string() : llvm::toString(machine.takeError());
  };
  EXPECT_NE(message({"pdp-11", ""}, true).find("unknown processor 'pdp-11'"),
            std::string::npos);
  EXPECT_NE(message({"", "nonsense"}, false).find("unknown target triple"),
            std::string::npos);
  EXPECT_NE(message({"generic", "aarch64-linux-gnu"}, true)
                .find("does not run on this machine"),
            std::string::npos);
  EXPECT_NE(message({"native", "riscv64-linux-gnu"}, false)
                .find("name a processor of"),
            std::string::npos);
  EXPECT_EQ(message({"native", ""}, true), "");
}

// The form of the kernel follows from the processor.
TEST_F(TargetTest, KernelForms) {
  auto form = [](const char *cpu) {
    auto machine =
        createTargetMachine({cpu, "x86_64-pc-linux-gnu"}, 0, /*toRun=*/false);
    return machine ? contractionIsaOf(**machine) : ContractionIsa::Baseline;
  };
  EXPECT_EQ(form("x86-64"), ContractionIsa::Baseline);
  EXPECT_EQ(form("x86-64-v2"), ContractionIsa::Baseline);
  EXPECT_EQ(form("x86-64-v3"), ContractionIsa::Avx2);
  EXPECT_EQ(form("x86-64-v4"), ContractionIsa::Avx512);
}
