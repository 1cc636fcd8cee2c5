//===- IndexForms.cpp - Indices as multiples of a position ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/IndexForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace shard {

IndexForms::Form IndexForms::formOf(Value value) const {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return {{}, 0, *number, {}};
  auto known = forms.find(value);
  return known != forms.end() ? known->second : Form{value, 1, 0, {}};
}

/// The sum of forms with one base, if its numbers are no larger than an int64_t.
std::optional<IndexForms::Form> IndexForms::sumOf(const Form &a,
                                                  const Form &b) {
  if (a.base && b.base && a.base != b.base)
    return std::nullopt;
  std::optional<int64_t> scale = llvm::checkedAdd(a.scale, b.scale),
                         offset = llvm::checkedAdd(a.offset, b.offset);
  if (!scale || !offset)
    return std::nullopt;
  const Form &one = a.base ? a : b;
  return Form{*scale == 0 ? Value() : one.base, *scale, *offset, one.bounds};
}

std::optional<IndexForms::Form> IndexForms::productOf(const Form &form,
                                                      int64_t factor) {
  std::optional<int64_t> scale = llvm::checkedMul(form.scale, factor),
                         offset = llvm::checkedMul(form.offset, factor);
  if (!scale || !offset)
    return std::nullopt;
  return Form{*scale == 0 ? Value() : form.base, *scale, *offset, form.bounds};
}

/// The bounds of an index, if it is computed without overflow for each value of its base.
std::optional<IndexForms::Bounds> IndexForms::boundsOf(const Form &form) {
  if (!form.base)
    return Bounds{form.offset, form.offset};
  auto at = [&](int64_t base) {
    return llvm::checkedMulAdd(form.scale, base, form.offset);
  };
  std::optional<int64_t> first = at(form.bounds.low),
                         last = at(form.bounds.high);
  if (!first || !last)
    return std::nullopt;
  return Bounds{std::min(*first, *last), std::max(*first, *last)};
}

/// Whether `a` is at most `b`, whatever their bases are.
bool IndexForms::isAtMost(const Form &a, const Form &b) {
  std::optional<Bounds> boundsOfA = boundsOf(a), boundsOfB = boundsOf(b);
  if (!boundsOfA || !boundsOfB)
    return false;
  if (boundsOfA->high <= boundsOfB->low)
    return true;
  std::optional<Form> negated = productOf(a, -1);
  std::optional<Form> difference = negated ? sumOf(b, *negated) : std::nullopt;
  std::optional<Bounds> bounds =
      difference ? boundsOf(*difference) : std::nullopt;
  return bounds && bounds->low >= 0;
}

void IndexForms::readPositions(ProcessMultiIndexOp op) {
  const auto *grid = llvm::find_if(
      grids, [&](GridOp known) { return known.getSymName() == op.getGrid(); });
  if (grid == grids.end())
    return;
  llvm::ArrayRef<int64_t> shape = GridOp(*grid).getShape();
  llvm::ArrayRef<GridAxis> axes = op.getAxes();
  for (auto [number, position] : llvm::enumerate(op.getResults())) {
    int64_t size = shape[axes.empty() ? number : axes[number]];
    if (!ShapedType::isDynamic(size))
      forms[position] = {position, 1, 0, {0, size - 1}};
  }
}

/// The one op that computes `form`, if one is enough and `op` is not that op.
Value IndexForms::build(Operation *op, const Form &form, PutOp put) {
  OpBuilder builder(op);
  auto constant = [&](int64_t number) {
    return put(arith::ConstantIndexOp::create(builder, op->getLoc(), number))
        ->getResult(0);
  };
  if (!form.base)
    return constant(form.offset);
  if (form.scale == 1 && form.offset == 0)
    return form.base;
  bool isDifference = form.scale == -1;
  if (form.scale != 1 && !isDifference && form.offset != 0)
    return {};
  // The operand that is the base.
  unsigned place = isDifference;
  bool isProduct = form.scale != 1 && !isDifference;
  if ((isDifference ? isa<arith::SubIOp>(op)
       : isProduct  ? isa<arith::MulIOp>(op)
                    : isa<arith::AddIOp>(op)) &&
      op->getOperand(place) == form.base)
    return {};
  Value base = form.base;
  Value number = constant(isProduct ? form.scale : form.offset);
  Operation *made = nullptr;
  if (isDifference)
    made = arith::SubIOp::create(builder, op->getLoc(), number, base);
  else if (isProduct)
    made = arith::MulIOp::create(builder, op->getLoc(), base, number);
  else
    made = arith::AddIOp::create(builder, op->getLoc(), base, number);
  Value result = put(made)->getResult(0);
  forms[result] = form;
  return result;
}

/// Notes `bounds` of the result of `op`, which is a base of its own.
void IndexForms::noteBounds(Operation *op, Bounds bounds) {
  Value result = op->getResult(0);
  forms[result] = {result, 1, 0, bounds};
}

/// The bounds of the sum of indices with different bases.
std::optional<IndexForms::Bounds> IndexForms::boundsOfSum(const Form &a,
                                                          const Form &b) {
  std::optional<Bounds> one = boundsOf(a), other = boundsOf(b);
  if (!one || !other)
    return std::nullopt;
  std::optional<int64_t> low = llvm::checkedAdd(one->low, other->low),
                         high = llvm::checkedAdd(one->high, other->high);
  return low && high ? std::optional(Bounds{*low, *high}) : std::nullopt;
}

Value IndexForms::simplifySum(Operation *op, PutOp put) {
  Form a = formOf(op->getOperand(0)), b = formOf(op->getOperand(1));
  std::optional<Form> sum;
  if (isa<arith::MulIOp>(op)) {
    if (!a.base || !b.base)
      sum = productOf(a.base ? a : b, a.base ? b.offset : a.offset);
  } else if (std::optional<Form> added =
                 isa<arith::SubIOp>(op) ? productOf(b, -1) : std::optional(b)) {
    sum = sumOf(a, *added);
    if (!sum)
      if (std::optional<Bounds> bounds = boundsOfSum(a, *added))
        noteBounds(op, *bounds);
  }
  if (!sum)
    return {};
  if (Value simpler = build(op, *sum, put))
    return simpler;
  forms[op->getResult(0)] = *sum;
  return {};
}

Value IndexForms::simplifyExtreme(Operation *op, bool isMax) {
  Value first = op->getOperand(0), second = op->getOperand(1);
  Form a = formOf(first), b = formOf(second);
  if (isAtMost(a, b))
    return isMax ? second : first;
  if (isAtMost(b, a))
    return isMax ? first : second;
  Bounds boundsOfA = boundsOf(a).value_or(Bounds()),
         boundsOfB = boundsOf(b).value_or(Bounds());
  auto extreme = [&](int64_t one, int64_t other) {
    return isMax ? std::max(one, other) : std::min(one, other);
  };
  noteBounds(op, {extreme(boundsOfA.low, boundsOfB.low),
                  extreme(boundsOfA.high, boundsOfB.high)});
  return {};
}

Value IndexForms::simplified(Operation *op, PutOp put) {
  if (auto positions = dyn_cast<ProcessMultiIndexOp>(op))
    readPositions(positions);
  else if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return simplifySum(op, put);
  else if (isa<arith::MaxSIOp, arith::MinSIOp>(op))
    return simplifyExtreme(op, isa<arith::MaxSIOp>(op));
  else if (auto rest = dyn_cast<arith::RemUIOp>(op))
    if (Form divisor = formOf(rest.getRhs());
        divisor.offset > 0 && !divisor.base)
      noteBounds(op, {0, divisor.offset - 1});
  return {};
}

} // namespace shard
