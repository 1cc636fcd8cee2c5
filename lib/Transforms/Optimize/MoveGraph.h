//===- MoveGraph.h - The ops around one collective --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops around collectives of one kind that have a form in front of the collective and
// one behind it (OpForms.h) make a graph. Each op takes one of its forms:
//
//   * a tensor that comes from the form in front, and that an op behind or any other op
//     takes, is moved by one collective, whoever takes it;
//   * a tensor that comes from the form behind an all_gather, and is taken in front, is
//     sliced; other collectives are not undone;
//   * an op costs what its form computes.
//
// The cheapest choice is a minimum cut. The program changes only if it costs less than
// the program as it is; among equal choices ops keep their form.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_MOVEGRAPH_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_MOVEGRAPH_H

#include "Optimize/OpForms.h"
#include "shard/Cost/Links.h"

#include "llvm/ADT/DenseSet.h"

#include <queue>

namespace shard {

/// The type of `value`, which is a tensor.
inline mlir::RankedTensorType tensorTypeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// A tensor in front of the collective and behind it. As the program is, one of the two
/// may be missing.
struct Moved {
  MovedDims dims;
  mlir::Value before, behind;
  /// Collectives that make `behind`, in the order of the block.
  llvm::SmallVector<mlir::Operation *, 1> collectives;
  /// The op of the graph that makes it, -1 if none does: then `before` stays.
  int producer = -1;
  /// Whether `before` is known to be a block of what an uneven collective gives.
  bool isBlock = false;
};

/// An op that has two forms.
struct Node {
  mlir::Operation *op;
  std::unique_ptr<OpForms> forms;
  bool isBehind;
  /// The numbers of the tensors that it takes in both forms, by operand; -1 for others.
  llvm::SmallVector<int, 4> operands;
  llvm::SmallVector<int, 1> results;
  bool flips = false;
};

/// The collectives of one kind in a block, in order, and what has been done.
struct MoveSeeds {
  mlir::Attribute key;
  /// Null where one is gone or belongs to a graph.
  std::vector<mlir::Operation *> collectives;
  size_t next = 0;
  llvm::DenseMap<mlir::Operation *, size_t> places;
  /// Ops that a graph has looked at. No op is looked at twice, so that the pass is
  /// linear in the size of the program.
  llvm::DenseSet<mlir::Operation *> examined;

  void drop(mlir::Operation *op);
};

/// What a graph has taken from its seeds, so that another graph can be tried instead.
class MoveClaims {
public:
  explicit MoveClaims(MoveSeeds &seeds) : seeds(seeds), first(seeds.next) {}

  /// Takes the collective `op` if it is one of the seeds.
  void takeCollective(mlir::Operation *op);
  /// Whether no graph has looked at `op` before.
  bool examine(mlir::Operation *op);
  /// Gives everything back, and takes it again.
  void release();
  void retake();

private:
  MoveSeeds &seeds;
  size_t first, last = 0;
  std::vector<std::pair<size_t, mlir::Operation *>> collectives;
  std::vector<mlir::Operation *> examined;
};

/// The ops around some collectives of one kind in a block.
class MoveGraph {
public:
  /// Finds the graph. With `widensUnits` a dimension of one element is taken for one that
  /// the axes have split where an op allows that.
  MoveGraph(const MovingCollective &collective, MoveSeeds &seeds,
            Replication &replication, bool widensUnits);

  /// The seconds that a change of the program saves; 0 if there is none to make.
  double secondsSaved() const { return saved; }

  /// Whether some of the collectives stay, or others take their place, when the program changes.
  bool sendsStill() const { return leavesMoves; }

  /// Whether it moves a tensor that is the same on all devices of a group, and a dimension
  /// of one element: another choice of dimensions may leave that tensor where it is.
  bool movesReplicatedUnits();

  /// The graph does not change the program, or it may do so after all.
  void release() { claims.release(); }
  void retake() { claims.retake(); }

  /// Changes the program. Fails where a model does not build what it has built before.
  /// `erased` is told what goes.
  llvm::LogicalResult
  rewrite(llvm::function_ref<void(mlir::Operation *)> erased);

private:
  // Growing.
  void addCollective(mlir::Operation *op);
  void addOtherMoves(mlir::Value before);
  void growUp(int first);
  void growDown();
  bool fits(mlir::Operation *op, bool isBehind, const OpForms &forms) const;
  bool isMovedOtherwise(mlir::Operation *op, const OpForms &forms) const;
  std::unique_ptr<OpForms> formsOf(mlir::Operation *op, bool isBehind,
                                   bool isResult, unsigned index,
                                   MovedDims dims);
  bool addNode(mlir::Operation *op, bool isBehind, bool isResult,
               unsigned index, MovedDims dims);
  void pushUsers(mlir::Value behind);

  // Choosing.
  mlir::Value slicedSource(const Moved &tensor) const;
  double secondsOfMove(const Moved &tensor) const;
  double secondsOfSlice(const Moved &tensor) const;
  void findBlocks();
  bool maySlice(const Moved &tensor) const;
  void choose();

  // Rewriting.
  mlir::Value takeBefore(int number);
  mlir::Value takeBehind(int number, mlir::Operation *user);
  void replaceUses(mlir::Value old, llvm::function_ref<mlir::Value()> make);

  const MovingCollective &collective;
  MoveSeeds &seeds;
  MoveClaims claims;
  Replication &replication;
  mlir::Block *block;
  bool widensUnits;
  LinkCostModel links;

  std::vector<Moved> tensors;
  std::vector<Node> nodes;
  llvm::DenseMap<mlir::Operation *, int> nodeOf;
  /// By what they are in front and behind.
  llvm::DenseMap<mlir::Value, int> byBefore, byBehind;
  llvm::DenseSet<mlir::Operation *> flipping;

  struct Later {
    bool operator()(mlir::Operation *a, mlir::Operation *b) const {
      return b->isBeforeInBlock(a);
    }
  };
  std::priority_queue<mlir::Operation *, std::vector<mlir::Operation *>, Later>
      pending;
  llvm::DenseSet<mlir::Operation *> visited;
  double saved = 0;
  bool leavesMoves = false;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_MOVEGRAPH_H
