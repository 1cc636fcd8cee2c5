//===- GatherRemarks.cpp - Remarks on what is gathered --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatherRemarks.h"

#include "Origins.h"

#include "shard/IR/WrittenOps.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shard::propagation {

void printAxis(llvm::raw_ostream &os, const AxisPart &part, GridOp gridOp) {
  os << "axis " << gridOp.axisName(part.axis);
  int64_t size = gridOp.getShape()[part.axis];
  if (part.size != size && !ShapedType::isDynamic(size))
    os << ":(" << part.preSize << ")" << part.size;
}

namespace {

/// The axes of `has` that do not split `wanted` at all.
AxisList lostAxes(const AxisList &has, const Sharding &wanted) {
  AxisList lost;
  for (GridAxis axis : has)
    if (!wanted.isSplitBy(axis))
      lost.push_back(axis);
  return lost;
}

class GatherRemarks {
public:
  GatherRemarks(ReadProgram &program, const Solution &solution,
                const PropagationOptions &options, const GridPropagation &out,
                std::vector<PropagationRemark> &remarks)
      : program(program), solution(solution), out(out),
        grid(cast<GridOp>(out.gridOp)),
        origins(program, solution, out.shardings, options), remarks(remarks) {}

  /// Those of ops without a model are left to partition.
  void addOperand(const GridPropagation::UseSharding &use, OpId op) {
    Operation *owner = use.use->getOwner();
    if (op == last || !isa<Operation *>(program.origins[op]) ||
        !isa<ShardingInterface>(owner))
      return;
    unsigned operand = use.use->getOperandNumber();
    Gather gather = find(use, [&](unsigned dim) {
      return program.problem.table(op).canSplit(operand, dim);
    });
    if (gather.lost.empty())
      return;
    std::string advice =
        cast<ShardingInterface>(owner).getSplitAdvice(operand, gather.dim);
    add(owner,
        "cannot be split along dimension " + Twine(gather.dim) +
            " of operand " + Twine(operand) + ", which",
        gather, advice);
    last = op;
  }

  void addCaptured(const GridPropagation::UseSharding &use) {
    if (use.anchor == use.use->getOwner() ||
        !isa<ShardingInterface>(use.anchor) || !told.insert(use.anchor).second)
      return;
    Gather gather = find(use, [](unsigned) { return false; });
    if (!gather.lost.empty())
      add(use.anchor,
          "takes a tensor from outside whole into its body, for '" +
              use.use->getOwner()->getName().getStringRef() + "': dimension " +
              Twine(gather.dim),
          gather, /*advice=*/"");
  }

private:
  /// The axes over which dimension `dim` of `value` is gathered.
  struct Gather {
    ValueId value = kNoValue;
    unsigned dim = 0;
    AxisList lost;
  };

  /// The first dimension that loses axes, but for those that can be split.
  Gather find(const GridPropagation::UseSharding &use,
              llvm::function_ref<bool(unsigned)> canSplit) {
    ValueId value = program.find(program.idOf(use.use->get()));
    uint32_t has = solution.values[value];
    if (has == kReplicated)
      return {};
    for (auto [dim, axes] : llvm::enumerate(out.shardings[has].dims)) {
      AxisList lost = lostAxes(axes, out.shardings[use.sharding]);
      if (!lost.empty() && !canSplit(dim))
        return {value, unsigned(dim), lost};
    }
    return {};
  }

  void add(Operation *op, const Twine &what, const Gather &gather,
           StringRef advice) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "'" << writtenName(op) << "' " << what << " is gathered over ";
    for (GridAxis axis : gather.lost) {
      os << (axis == gather.lost.front() ? "" : ", ");
      printAxis(os, out.axes[axis], grid);
    }
    llvm::SmallVector<std::string, 2> hints;
    for (GridAxis axis : gather.lost) {
      std::string hint = program.hints.describe(origins.of(gather.value, axis),
                                                out.axes[axis]);
      if (!llvm::is_contained(hints, hint))
        hints.push_back(std::move(hint));
    }
    os << " (" << llvm::join(hints, "; ") << ")";
    if (!advice.empty())
      os << ": " << advice;
    remarks.push_back({op->getLoc(), std::move(text)});
  }

  ReadProgram &program;
  const Solution &solution;
  const GridPropagation &out;
  GridOp grid;
  Origins origins;
  std::vector<PropagationRemark> &remarks;
  OpId last = kNoOp;
  llvm::SmallPtrSet<Operation *, 4> told;
};

} // namespace

void addGathers(ReadProgram &program, const Solution &solution,
                const PropagationOptions &options, const GridPropagation &out,
                const WrittenReshards &reshards,
                std::vector<PropagationRemark> &remarks) {
  GatherRemarks gathers(program, solution, options, out, remarks);
  for (auto [use, op] : llvm::zip_equal(out.uses, reshards.useOps)) {
    if (op != kNoOp)
      gathers.addOperand(use, op);
    else
      gathers.addCaptured(use);
  }
}

} // namespace shard::propagation
