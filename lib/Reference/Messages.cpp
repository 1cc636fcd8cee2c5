//===- Messages.cpp - Point-to-point messages on one device ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "UnrollCollectives.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace shard;
using namespace shard::reference;

bool Messages::canTake(const Message &message, Attribute group,
                       int64_t receiver) const {
  return message.group == group && !message.takenBy.contains(receiver) &&
         (!message.receiver || *message.receiver == receiver);
}

void Messages::send(Attribute group, int64_t event, int64_t sender,
                    ArrayRef<int64_t> members, Place destination, Value value) {
  Message message{group, event, sender, std::nullopt, value, {}};
  if (std::optional<int64_t> position = destination.known())
    message.receiver = members[*position];
  auto waiting = llvm::find_if(awaited, [&](const Awaited &other) {
    return !other.value && (!other.sender || *other.sender == sender) &&
           llvm::is_contained(members, other.receiver) &&
           canTake(message, other.group, other.receiver);
  });
  if (waiting != awaited.end()) {
    message.takenBy.insert(waiting->receiver);
    waiting->value = value;
  }
  sent.push_back(std::move(message));
}

Value Messages::receiveAny(Operation *op, Attribute group, int64_t receiver,
                           ArrayRef<int64_t> members, Value position) {
  auto first = llvm::find_if(sent, [&](const Message &message) {
    return canTake(message, group, receiver) &&
           llvm::is_contained(members, message.sender);
  });
  if (first == sent.end())
    return Value();
  Value result;
  int64_t event = first->event;
  for (Message &message : sent) {
    auto member = llvm::find(members, message.sender);
    if (message.event != event || member == members.end() ||
        !canTake(message, group, receiver))
      continue;
    message.takenBy.insert(receiver);
    if (!result) {
      result = message.value;
      // Without a source, the lowest position counts.
      if (!position)
        return result;
      continue;
    }
    Value own = arith::ConstantIndexOp::create(builder, op->getLoc(),
                                               member - members.begin());
    Value is = arith::CmpIOp::create(builder, op->getLoc(),
                                     arith::CmpIPredicate::eq, position, own);
    result = arith::SelectOp::create(builder, op->getLoc(), is, message.value,
                                     result);
  }
  return result;
}

FailureOr<Value> Messages::receive(Operation *op, Attribute group,
                                   int64_t receiver, ArrayRef<int64_t> members,
                                   std::optional<Place> source) {
  bool isAny = !source, isDynamic = source && !source->known();
  std::optional<int64_t> sender;
  if (isAny || isDynamic) {
    Value position = isDynamic ? cast<Value>(source->position) : Value();
    if (Value value = receiveAny(op, group, receiver, members, position))
      return value;
    if (isDynamic)
      return notSupported(op) << ": no send before it in this block can be the "
                                 "one that it receives from";
  } else {
    sender = members[*source->known()];
    for (Message &message : sent)
      if (message.sender == *sender && canTake(message, group, receiver)) {
        message.takenBy.insert(receiver);
        return message.value;
      }
  }
  auto placeholder = UnrealizedConversionCastOp::create(
      builder, op->getLoc(), TypeRange(op->getResult(0).getType()),
      ValueRange());
  awaited.push_back({group, sender, receiver, placeholder, Value()});
  return placeholder.getResult(0);
}

LogicalResult Messages::finish(mlir::Block &block) {
  if (awaited.empty())
    return success();
  for (const Awaited &message : awaited)
    if (!message.value)
      return emitError(message.placeholder->getLoc())
             << "receives a message that no send in the same block is for";
  // A device may hand on what it has received.
  llvm::DenseMap<Value, Value> received;
  for (const Awaited &message : awaited)
    received[message.placeholder->getResult(0)] = message.value;
  for (const Awaited &message : awaited) {
    Value value = message.value;
    for (size_t steps = 0; received.contains(value); ++steps) {
      if (steps == awaited.size())
        return emitError(message.placeholder->getLoc())
               << "receives a message that comes from itself";
      value = received[value];
    }
    message.placeholder->getResult(0).replaceAllUsesWith(value);
  }
  for (const Awaited &message : awaited)
    message.placeholder->erase();
  if (!sortTopologically(&block))
    return emitError(block.front().getLoc())
           << "devices wait for messages of each other";
  return success();
}
