//===- Messages.h - Point-to-point messages on one device -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the Reference library.
//
// Which send a recv takes its message from. All ops of one block are copied one after
// another, for all devices. Where both places are known, a recv may come before its
// send (devices take different branches): its result is a placeholder until the send is
// copied, and the block is sorted at its end.
//
// A place that is known only at run time (a ring in a loop, whose step is the loop's
// variable) is chosen at run time among the messages of the oldest send that the
// receiver has not taken from.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_REFERENCE_MESSAGES_H
#define SHARD_LIB_REFERENCE_MESSAGES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseSet.h"

namespace shard::reference {

/// A device of the group: its position, if that is known.
struct Place {
  mlir::OpFoldResult position;
  std::optional<int64_t> known() const {
    if (auto attribute = llvm::dyn_cast_if_present<mlir::Attribute>(position))
      return llvm::cast<mlir::IntegerAttr>(attribute).getInt();
    return std::nullopt;
  }
};

/// The messages of the ops of one block.
class Messages {
public:
  explicit Messages(mlir::OpBuilder &builder) : builder(builder) {}

  /// `sender`, a device, sends `value` along the axes that `group` names;
  /// `members` are the devices of its group, by position. What one op sends for
  /// several devices has one number `event`.
  void send(mlir::Attribute group, int64_t event, int64_t sender,
            llvm::ArrayRef<int64_t> members, Place destination,
            mlir::Value value);

  /// What `receiver` receives for `op`; without a source, the message of the lowest
  /// position that has one. Reports a message that nobody can have sent.
  mlir::FailureOr<mlir::Value> receive(mlir::Operation *op,
                                       mlir::Attribute group, int64_t receiver,
                                       llvm::ArrayRef<int64_t> members,
                                       std::optional<Place> source);

  /// Ends `block`: reports what nobody has sent, and sorts ops in front of those that
  /// use them.
  mlir::LogicalResult finish(mlir::Block &block);

private:
  struct Message {
    mlir::Attribute group;
    int64_t event;
    int64_t sender;
    /// The receiver; nothing if it is known at run time only.
    std::optional<int64_t> receiver;
    mlir::Value value;
    llvm::SmallDenseSet<int64_t> takenBy;
  };
  struct Awaited {
    mlir::Attribute group;
    /// Nothing for whoever sends first.
    std::optional<int64_t> sender;
    int64_t receiver;
    mlir::Operation *placeholder;
    /// Null until it is sent.
    mlir::Value value;
  };

  bool canTake(const Message &message, mlir::Attribute group,
               int64_t receiver) const;
  /// The next message from one of `members`, at `position` if that is not null; null
  /// if there is none.
  mlir::Value receiveAny(mlir::Operation *op, mlir::Attribute group,
                         int64_t receiver, llvm::ArrayRef<int64_t> members,
                         mlir::Value position);

  mlir::OpBuilder &builder;
  std::vector<Message> sent;
  std::vector<Awaited> awaited;
};

} // namespace shard::reference

#endif // SHARD_LIB_REFERENCE_MESSAGES_H
