//===- CollectiveInterpreter.cpp - What collectives mean, as code ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveInterpreter.h"

#include "shard/Geometry/BlockLayout.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace shard {

namespace {
int64_t count(const std::vector<int64_t> &shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

DeviceTensor makeTensor(Type type) {
  auto shape = cast<ShapedType>(type).getShape().vec();
  return {shape, std::vector<std::optional<double>>(count(shape))};
}

// Copies `size` slices along `dim` from position `from` of `source` to position
// `to` of `target`; the other extents are equal.
void copySlices(const DeviceTensor &source, int64_t from, DeviceTensor &target,
                int64_t to, int64_t size, int64_t dim) {
  std::vector<int64_t> box = source.shape;
  box[dim] = size;
  for (int64_t position = 0, end = count(box); position < end; ++position) {
    std::vector<int64_t> index = delinearize(position, box), there = index;
    index[dim] += from;
    there[dim] += to;
    target.elements[linearize(there, target.shape)] =
        source.elements[linearize(index, source.shape)];
  }
}

struct Devices {
  Grid grid;

  int64_t devices() const { return grid.numDevices(); }

  Block block(int64_t extent, const AxisList &axes, int64_t device) const {
    std::vector<int64_t> coordinates = grid.coordinates(device), mine;
    for (GridAxis axis : axes)
      mine.push_back(coordinates[axis]);
    return blockAt(extent, grid.sizes(axes), mine);
  }

  DeviceTensor gather(const DistributedTensor &input, const AxisList &axes,
                      int64_t device, int64_t dim, Type type) const {
    DeviceTensor result = makeTensor(type);
    for (int64_t member : grid.groupMembers(device, axes)) {
      Block place = block(result.shape[dim], axes, member);
      copySlices(input[member], 0, result, place.offset, place.size, dim);
    }
    return result;
  }

  // The block of `input` that belongs to `owner`.
  DeviceTensor slice(const DeviceTensor &input, const AxisList &axes,
                     int64_t owner, int64_t dim) const {
    std::vector<int64_t> shape = input.shape;
    shape[dim] = localExtent(shape[dim], grid.groupSize(axes));
    DeviceTensor result{shape,
                        std::vector<std::optional<double>>(count(shape))};
    Block from = block(input.shape[dim], axes, owner);
    copySlices(input, from.offset, result, 0, from.size, dim);
    return result;
  }

  static double combine(ReductionKind kind, double a, double b) {
    auto asUnsigned = [](double value) {
      return static_cast<uint32_t>(static_cast<int32_t>(value));
    };
    auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
    switch (kind) {
    case ReductionKind::Sum:
    case ReductionKind::Average:
      return a + b;
    case ReductionKind::Max:
      return std::max(a, b);
    case ReductionKind::Min:
      return std::min(a, b);
    case ReductionKind::Product:
      return a * b;
    case ReductionKind::BitwiseAnd:
      return static_cast<double>(x & y);
    case ReductionKind::BitwiseOr:
      return static_cast<double>(x | y);
    case ReductionKind::BitwiseXor:
      return static_cast<double>(x ^ y);
    case ReductionKind::UMax:
      return asUnsigned(a) > asUnsigned(b) ? a : b;
    case ReductionKind::UMin:
      return asUnsigned(a) < asUnsigned(b) ? a : b;
    case ReductionKind::Generic:
      return std::nan("");
    }
    return std::nan("");
  }

  DeviceTensor reduce(const DistributedTensor &input, const AxisList &axes,
                      int64_t device, ReductionKind kind) const {
    std::vector<int64_t> members = grid.groupMembers(device, axes);
    DeviceTensor result = input[members.front()];
    for (size_t element = 0; element < result.elements.size(); ++element) {
      std::optional<double> &value = result.elements[element];
      for (size_t i = 1; i < members.size(); ++i) {
        std::optional<double> other = input[members[i]].elements[element];
        value = value && other ? std::optional(combine(kind, *value, *other))
                               : std::nullopt;
      }
      if (value && kind == ReductionKind::Average)
        *value /= static_cast<double>(members.size());
    }
    return result;
  }

  // The linear index of the root of the group of `device`.
  int64_t root(int64_t device, const AxisList &axes,
               ArrayRef<int64_t> coordinates) const {
    return grid.groupMembers(
        device, axes)[linearize(coordinates.vec(), grid.sizes(axes))];
  }

  // The device whose input `device` receives under permute.
  int64_t permuteSource(int64_t device, const AxisList &from,
                        const AxisList &to) const {
    std::vector<int64_t> coordinates = grid.coordinates(device);
    std::vector<int64_t> result = coordinates;
    auto without = [](const AxisList &list, const AxisList &other) {
      AxisList rest;
      for (GridAxis axis : list)
        if (!llvm::is_contained(other, axis))
          rest.push_back(axis);
      return rest;
    };
    auto relabel = [&](const AxisList &target, const AxisList &source) {
      std::vector<int64_t> position;
      for (GridAxis axis : source)
        position.push_back(coordinates[axis]);
      std::vector<int64_t> digits = delinearize(
          linearize(position, grid.sizes(source)), grid.sizes(target));
      for (size_t i = 0; i < target.size(); ++i)
        result[target[i]] = digits[i];
    };
    relabel(from, to);
    relabel(without(to, from), without(from, to));
    return grid.device(result);
  }
};

AxisList list(ArrayRef<int16_t> axes) { return axes.vec(); }

// The result of a collective on one device.
std::optional<DeviceTensor> evaluate(const Devices &machine, Operation *op,
                                     const DistributedTensor &input,
                                     int64_t device) {
  const Grid &grid = machine.grid;
  Type type = op->getResult(0).getType();
  if (auto x = dyn_cast<AllGatherOp>(op))
    return machine.gather(input, list(x.getGridAxes()), device,
                          x.getGatherAxis().getSExtValue(), type);
  if (auto x = dyn_cast<AllSliceOp>(op))
    return machine.slice(input[device], list(x.getGridAxes()), device,
                         x.getSliceAxis().getSExtValue());
  if (auto x = dyn_cast<AllToAllOp>(op)) {
    AxisList axes = list(x.getGridAxes());
    int64_t concat = x.getConcatAxis().getSExtValue();
    DistributedTensor pieces(input.size());
    for (int64_t member : grid.groupMembers(device, axes))
      pieces[member] = machine.slice(input[member], axes, device,
                                     x.getSplitAxis().getSExtValue());
    return machine.gather(pieces, axes, device, concat, type);
  }
  if (auto x = dyn_cast<PermuteOp>(op))
    return input[machine.permuteSource(device, list(x.getFromAxes()),
                                       list(x.getToAxes()))];
  if (auto x = dyn_cast<ShiftOp>(op)) {
    std::vector<int64_t> coordinates = grid.coordinates(device);
    AxisList axes = list(x.getShiftAxes());
    int64_t here = 0, size = grid.groupSize(axes);
    for (GridAxis axis : axes)
      here = here * grid.shape[axis] + coordinates[axis];
    auto offset = static_cast<int64_t>(x.getOffset());
    int64_t from = x.getMirror() ? offset - here : here - offset;
    if (x.getRotate())
      from = ((from % size) + size) % size;
    else if (from < 0 || from >= size)
      return makeTensor(type);
    for (GridAxis axis : llvm::reverse(axes)) {
      coordinates[axis] = from % grid.shape[axis];
      from /= grid.shape[axis];
    }
    return input[grid.device(coordinates)];
  }
  if (auto x = dyn_cast<AllReduceOp>(op))
    return machine.reduce(input, list(x.getGridAxes()), device,
                          x.getReduction());
  if (auto x = dyn_cast<ReduceOp>(op)) {
    AxisList axes = list(x.getGridAxes());
    return machine.root(device, axes, x.getRoot()) == device
               ? machine.reduce(input, axes, device, x.getReduction())
               : makeTensor(type);
  }
  if (auto x = dyn_cast<ReduceScatterOp>(op)) {
    AxisList axes = list(x.getGridAxes());
    return machine.slice(machine.reduce(input, axes, device, x.getReduction()),
                         axes, device, x.getScatterAxis().getSExtValue());
  }
  if (auto x = dyn_cast<BroadcastOp>(op))
    return input[machine.root(device, list(x.getGridAxes()), x.getRoot())];
  if (auto x = dyn_cast<GatherOp>(op)) {
    AxisList axes = list(x.getGridAxes());
    return machine.root(device, axes, x.getRoot()) == device
               ? machine.gather(input, axes, device,
                                x.getGatherAxis().getSExtValue(), type)
               : makeTensor(type);
  }
  if (auto x = dyn_cast<ScatterOp>(op)) {
    AxisList axes = list(x.getGridAxes());
    return machine.slice(input[machine.root(device, axes, x.getRoot())], axes,
                         device, x.getScatterAxis().getSExtValue());
  }
  return std::nullopt;
}

// A number in [-4, 4) that depends on device and position.
double pseudoRandom(uint64_t a, uint64_t b) {
  uint64_t mixed =
      (a + 1) * 0x9E3779B97F4A7C15ull ^ (b + 7) * 0xBF58476D1CE4E5B9ull;
  mixed ^= mixed >> 29;
  mixed *= 0x94D049BB133111EBull;
  return static_cast<double>(mixed >> 61) - 4;
}
} // namespace

std::optional<std::vector<DistributedTensor>> interpret(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  GridOp gridOp = *module.getOps<GridOp>().begin();
  Devices machine{*staticGrid(gridOp)};
  llvm::DenseMap<Value, DistributedTensor> values;
  auto fill = [&](Value value, auto element) {
    DistributedTensor tensors;
    for (int64_t device = 0; device < machine.devices(); ++device) {
      tensors.push_back(makeTensor(value.getType()));
      for (size_t i = 0; i < tensors.back().elements.size(); ++i)
        tensors.back().elements[i] = element(device, i);
    }
    values[value] = std::move(tensors);
  };
  for (Value argument : function.getArguments())
    fill(argument, pseudoRandom);
  for (Operation &op : function.getBody().front().without_terminator()) {
    DenseElementsAttr constant;
    if (matchPattern(&op, m_Constant(&constant))) {
      std::vector<double> numbers;
      if (isa<FloatType>(constant.getElementType()))
        for (const APFloat &value : constant.getValues<APFloat>())
          numbers.push_back(value.convertToDouble());
      else
        for (const APInt &value : constant.getValues<APInt>())
          numbers.push_back(static_cast<double>(value.getSExtValue()));
      fill(op.getResult(0), [&](int64_t, size_t i) { return numbers[i]; });
      continue;
    }
    if (isa<arith::AddIOp, arith::AddFOp>(op)) {
      DistributedTensor sum = values[op.getOperand(0)];
      const DistributedTensor &other = values[op.getOperand(1)];
      for (size_t device = 0; device < sum.size(); ++device)
        for (size_t i = 0; i < sum[device].elements.size(); ++i) {
          auto &a = sum[device].elements[i];
          auto b = other[device].elements[i];
          a = a && b ? std::optional(*a + *b) : std::nullopt;
        }
      values[op.getResult(0)] = std::move(sum);
      continue;
    }
    if (op.getNumOperands() != 1 || op.getNumResults() != 1)
      return std::nullopt;
    const DistributedTensor input = values[op.getOperand(0)];
    DistributedTensor result;
    for (int64_t device = 0; device < machine.devices(); ++device) {
      std::optional<DeviceTensor> local = evaluate(machine, &op, input, device);
      if (!local)
        return std::nullopt;
      result.push_back(std::move(*local));
    }
    values[op.getResult(0)] = std::move(result);
  }
  std::vector<DistributedTensor> results;
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    results.push_back(values[value]);
  return results;
}

bool refines(const DistributedTensor &refined,
             const DistributedTensor &original) {
  if (refined.size() != original.size())
    return false;
  for (size_t device = 0; device < refined.size(); ++device) {
    if (refined[device].shape != original[device].shape)
      return false;
    for (size_t i = 0; i < refined[device].elements.size(); ++i) {
      const auto &before = original[device].elements[i];
      const auto &after = refined[device].elements[i];
      if (before && (!after || std::abs(*after - *before) > 1e-9))
        return false;
    }
  }
  return true;
}

} // namespace shard
