//===- HaloWindows.cpp - The windows of an exchange of halos --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/HaloWindows.h"

using namespace mlir;

namespace shard {

/// Products of two numbers fit into 64 bits.
static constexpr int64_t kMaxNumber = int64_t(1) << 31;

static bool isSmall(int64_t number) {
  return number >= -kMaxNumber && number <= kMaxNumber;
}

HaloWindows getWindows(UpdateHaloOp op) {
  HaloWindows windows;
  auto lists = op->getAttrOfType<ArrayAttr>(kWindowsAttrName);
  if (!lists)
    return windows;
  windows.resize(cast<ShapedType>(op.getDestination().getType()).getRank());
  for (auto [window, list] : llvm::zip(windows, lists)) {
    ArrayRef<int64_t> numbers = cast<DenseI64ArrayAttr>(list).asArrayRef();
    if (!numbers.empty())
      window = {numbers[0],
                {numbers[1], numbers[2], numbers[3]},
                {numbers[4], numbers[5]},
                numbers.size() == 7 ? numbers[6] : 1};
  }
  return windows;
}

void setWindows(UpdateHaloOp op, const HaloWindows &windows) {
  Builder builder(op.getContext());
  SmallVector<Attribute> lists;
  for (const std::optional<WindowReads> &window : windows) {
    SmallVector<int64_t, 7> numbers;
    if (window)
      numbers = {window->iterations,    window->window.stride,
                 window->window.offset, window->window.reach,
                 window->valid.offset,  window->valid.size};
    if (window && window->step != 1)
      numbers.push_back(window->step);
    if (!llvm::all_of(numbers, isSmall))
      return;
    lists.push_back(builder.getDenseI64ArrayAttr(numbers));
  }
  if (!lists.empty())
    op->setAttr(kWindowsAttrName, builder.getArrayAttr(lists));
}

LogicalResult
verifyWindows(Operation *op, Attribute attribute,
              llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto halo = dyn_cast<UpdateHaloOp>(op);
  // dialect_attr_c21
  if (!halo)
    return emitError() << "is for shard.update_halo only";
  auto lists = dyn_cast<ArrayAttr>(attribute);
  int64_t rank = cast<ShapedType>(halo.getDestination().getType()).getRank();
  // dialect_attr_c22
  if (!lists || int64_t(lists.size()) > rank)
    return emitError() << "expects an array of up to " << rank
                       << " lists, one for each dimension";
  for (Attribute list : lists) {
    auto numbers = dyn_cast<DenseI64ArrayAttr>(list);
    // dialect_attr_c23
    if (!numbers ||
        (!numbers.empty() && numbers.size() != 6 && numbers.size() != 7) ||
        !llvm::all_of(numbers.asArrayRef(), isSmall))
      return emitError()
             << "expects lists, array<i64>, of no numbers, of 6 or of 7 up "
                "to "
             << kMaxNumber
             << ": iterations, stride, offset, reach, first, size, step";
    // dialect_attr_c24
    if (!numbers.empty() &&
        (numbers[0] < 0 || numbers[1] == 0 || numbers[3] <= 0 ||
         numbers[5] < 0 || (numbers.size() == 7 && numbers[6] <= 0)))
      return emitError()
             << "expects iterations and sizes that are not negative, "
                "strides that are not 0, positive reaches and steps";
  }
  return success();
}

} // namespace shard
