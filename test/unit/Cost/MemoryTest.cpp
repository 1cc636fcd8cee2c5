//===- MemoryTest.cpp - The buffers that are alive at each op -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What random programs take is compared with the buffers that are alive at each op, found by looking
// for uses in all that follows.
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"

#include "shard/Cost/Memory.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace shard;
using namespace shard::test;

namespace {

/// What `node` and all inside of it uses.
void addUses(const Node &node, std::set<int> &uses) {
  uses.insert(node.operands.begin(), node.operands.end());
  for (const Nodes &region : node.regions) {
    uses.insert(region.yielded.begin(), region.yielded.end());
    for (const Node &inner : region.ops)
      addUses(inner, uses);
  }
}

/// The buffers of one block, by definition.
class Buffers {
public:
  Buffers(const RandomProgram &program, const Nodes &block, int carried = -1)
      : program(program), block(block) {
    for (const Node &node : block.ops) {
      uses.emplace_back();
      addUses(node, uses.back());
    }
    uses.emplace_back(block.yielded.begin(), block.yielded.end());
    // What a loop carries is counted outside.
    if (carried >= 0)
      buffers.push_back({{carried}, 0, 0});
    for (size_t at = 0; at < block.ops.size(); ++at)
      place(block.ops[at], at);
  }

  /// The bytes at each op.
  std::vector<int64_t> bytes() const {
    std::vector<int64_t> list;
    for (size_t at = 0; at < uses.size(); ++at) {
      int64_t sum = 0;
      for (const Buffer &buffer : buffers)
        if (buffer.begin <= at &&
            (buffer.begin == at || isUsedFrom(buffer, at)))
          sum += buffer.bytes;
      int64_t inside = 0;
      if (at < block.ops.size())
        for (const Nodes &region : block.ops[at].regions)
          inside = std::max(
              inside, Buffers(program, region, block.ops[at].argument).peak());
      list.push_back(sum + inside);
    }
    return list;
  }

  int64_t peak() const {
    std::vector<int64_t> list = bytes();
    return *std::max_element(list.begin(), list.end());
  }

private:
  struct Buffer {
    std::set<int> values;
    size_t begin;
    int64_t bytes;
  };

  /// Whether the op at `at` or a later one, the end of the block included, uses it.
  bool isUsedFrom(const Buffer &buffer, size_t at) const {
    for (; at < uses.size(); ++at)
      for (int value : buffer.values)
        if (uses[at].count(value))
          return true;
    return false;
  }

  void place(const Node &node, size_t at) {
    Buffer *taken = nullptr;
    for (Buffer &buffer : buffers) {
      if (node.operands.empty() || !buffer.values.count(node.operands.back()))
        continue;
      bool isLast = !isUsedFrom(buffer, at + 1);
      bool mayWrite = node.kind == Kind::Product || node.kind == Kind::For;
      if (node.kind == Kind::View || (mayWrite && isLast))
        taken = &buffer;
    }
    if (taken)
      taken->values.insert(node.result);
    else if (node.kind != Kind::View)
      buffers.push_back({{node.result}, at, program.bufferOf(node.result)});
  }

  const RandomProgram &program;
  const Nodes &block;
  /// By op, the end of the block last.
  std::vector<std::set<int>> uses;
  std::vector<Buffer> buffers;
};

} // namespace

TEST(MemoryTest, BuffersThatAreAlive) {
  DialectRegistry registry;
  registerUpstreamDialects(registry);
  registerShard(registry);
  MLIRContext context(registry);
  for (unsigned seed = 0; seed < 2000; ++seed) {
    RandomProgram program(seed);
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(program.text(), &context);
    ASSERT_TRUE(module) << program.text();
    MemoryUse use = memoryOf(module->lookupSymbol<func::FuncOp>("main"));
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + program.text());
    EXPECT_TRUE(use.complete);
    EXPECT_EQ(use.constants, 0);
    int64_t arguments = 64, results = 0;
    for (int argument : program.arguments)
      arguments += 16 * program.rows[argument];
    for (int result : program.entry.yielded)
      results += 16 * program.rows[result];
    EXPECT_EQ(use.arguments, arguments);
    EXPECT_EQ(use.results, results);
    Buffers buffers(program, program.entry);
    EXPECT_EQ(use.temporaries, buffers.peak());
    EXPECT_EQ(use.peak(), arguments + buffers.peak());
    // Steps that change nothing are left out.
    std::vector<int64_t> steps, expected;
    for (const MemoryStep &step : use.steps)
      steps.push_back(step.bytes);
    for (int64_t bytes : buffers.bytes())
      if (expected.empty() || expected.back() != bytes)
        expected.push_back(bytes);
    EXPECT_EQ(steps, expected);
    if (HasFailure())
      return;
  }
}
