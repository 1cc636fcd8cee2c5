//===- CheckBlocks.cpp - Hints in blocks that nothing reaches -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that nothing reaches do not run: a hint that is lost there, or that counts though it
// should not, gives the right numbers.
//
//===----------------------------------------------------------------------===//

#include "CheckBlocks.h"

#include "shard/Fuzz/Random.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <set>
#include <vector>

using namespace mlir;

namespace shard::fuzz {

namespace {

/// Blocks with random branches, and hints in some of them.
class BlockProgram {
public:
  explicit BlockProgram(uint64_t seed);

  std::string text;
  /// The lines of hints in blocks that no branch reaches.
  std::set<unsigned> lost;

private:
  void line(const std::string &words);
  void findReached(size_t block);
  void writeHint(bool isReached);
  void writeBlock(size_t block, const std::string &end);

  Random rng;
  unsigned lines = 0;
  int64_t names = 0;
  /// Of each block the ones that it branches to.
  std::vector<std::vector<size_t>> next;
  std::vector<bool> reached;
};

} // namespace

void BlockProgram::line(const std::string &words) {
  text += words + "\n";
  ++lines;
}

void BlockProgram::findReached(size_t block) {
  if (reached[block])
    return;
  reached[block] = true;
  for (size_t target : next[block])
    findReached(target);
}

/// Hints that count agree; others need not.
void BlockProgram::writeHint(bool isReached) {
  static const std::vector<std::string> lists = {"[[0], []]", "[[], [0]]",
                                                 "[[1], [0]]", "[[], []]"};
  std::string list = isReached ? lists[0] : rng.oneOf(lists);
  std::string hint = "<@g, " + list + ">", number = std::to_string(names++);
  static const std::string type = " : tensor<4x4xf32>";
  int64_t kind = rng.between(0, 3);
  if (kind == 0)
    line("%v" + number + " = shard.sharding @g split_axes = " + list +
         " : !shard.sharding");
  if (!isReached)
    lost.insert(lines + 1);
  if (kind == 0)
    line("%w" + number + " = shard.shard %a to %v" + number + type);
  else if (kind == 1)
    line("%w" + number + " = shard.constraint %a to " + hint + type);
  else if (kind == 2)
    line("%w" + number + " = math.absf %a {shard.sharding = #shard.sharding" +
         hint + "}" + type);
  else
    line("shard.group %a id = " + number + type);
}

void BlockProgram::writeBlock(size_t block, const std::string &end) {
  if (block > 0)
    line("^b" + std::to_string(block) + ":");
  for (int64_t ops = rng.between(0, 2); ops > 0; --ops) {
    if (rng.chance(60))
      writeHint(reached[block]);
    else
      line("%w" + std::to_string(names++) +
           " = math.absf %a : tensor<4x4xf32>");
  }
  const std::vector<size_t> &targets = next[block];
  if (targets.empty())
    return line(end + " %a : tensor<4x4xf32>");
  if (targets.size() == 1)
    return line("cf.br ^b" + std::to_string(targets[0]));
  line("cf.cond_br %c, ^b" + std::to_string(targets[0]) + ", ^b" +
       std::to_string(targets[1]));
}

BlockProgram::BlockProgram(uint64_t seed) : rng(seed ^ 0x626c6f636b73ull) {
  // Nothing branches to the first block.
  int64_t last = rng.between(1, 5);
  for (int64_t block = 0; block <= last; ++block) {
    next.emplace_back();
    for (int64_t count = rng.between(block == 0 ? 1 : 0, 2); count > 0; --count)
      next.back().push_back(rng.between(1, last));
  }
  reached.resize(next.size());
  findReached(0);
  bool isInner = rng.chance(40);
  line("shard.grid @g(shape = 2x2)");
  line("func.func @main(%c: i1, %a: tensor<4x4xf32>) -> tensor<4x4xf32> {");
  if (isInner)
    line("%r = scf.execute_region -> tensor<4x4xf32> {");
  for (size_t block = 0; block < next.size(); ++block)
    writeBlock(block, isInner ? "scf.yield" : "return");
  if (isInner) {
    line("}");
    line("return %r : tensor<4x4xf32>");
  }
  line("}");
}

std::string checkBlocks(MLIRContext &context, uint64_t seed) {
  BlockProgram program(seed);
  std::string said;
  std::set<unsigned> told;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    std::string words = diagnostic.str();
    auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      said += words;
    else if (place && words.find("no branch reaches") != std::string::npos)
      told.insert(place.getLine());
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(program.text, &context);
  if (!module || failed(annotateShardings(*module)))
    return "a program of blocks is refused: " + said + ": " + program.text;
  if (told != program.lost) {
    std::string lines;
    for (const std::set<unsigned> *set : {&program.lost, &told}) {
      lines += set == &told ? " but of" : "not told of the hints in the lines";
      for (unsigned line : *set)
        lines += " " + std::to_string(line);
    }
    return lines + ": " + program.text;
  }
  WalkResult walked = module->walk([](mlir::Block *block) {
    return block->isEntryBlock() || !block->hasNoPredecessors()
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return walked.wasInterrupted()
             ? "a block stays that no branch reaches: " + program.text
             : "";
}

} // namespace shard::fuzz
