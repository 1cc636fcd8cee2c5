//===- DeviceOps.cpp - Ops that name devices in a random program ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

using namespace shard::fuzz;

static std::string onGrid(const ProgramBuilder &program) {
  return " on @" + program.gridName;
}

/// `value` on all devices but one of each group along `axis`, which has what another one of
/// the group sends: branches decide who sends and who receives.
static Val passedToOne(ProgramBuilder &program, const Val &value,
                       int64_t axis) {
  int64_t size = program.grid[axis], sender = program.rng.between(0, size - 1),
          receiver = (sender + program.rng.between(1, size - 1)) % size;
  Val own =
      program.defineScalar("shard.process_multi_index" + onGrid(program) +
                               " axes = [" + std::to_string(axis) + "] : index",
                           Elem::Index, size - 1);
  std::string type = value.type();
  auto message = [&](const std::string &op, const std::string &peer,
                     int64_t place) {
    std::string result = program.fresh();
    program.line("  " + result + " = shard." + op + " " + value.name +
                 onGrid(program) + " grid_axes = [" + std::to_string(axis) +
                 "] " + peer + " = [" + std::to_string(place) + "] : (" + type +
                 ") -> " + type);
    program.line("  scf.yield " + result + " : " + type);
  };
  Val result = value;
  result.name = program.fresh();
  program.line(result.name + " = scf.index_switch " + own.name + " -> " + type);
  program.line("case " + std::to_string(sender) + " {");
  message("send", "destination", receiver);
  program.line("}");
  program.line("case " + std::to_string(receiver) + " {");
  message("recv", "source", sender);
  program.line("}");
  program.line("default {");
  program.line("  scf.yield " + value.name + " : " + type);
  program.line("}");
  return program.add(result);
}

/// `value` of the device `distance` places before, around the ring along one of
/// `axes`: every device sends, then receives. Now and then one sends to another one alone.
Val shard::fuzz::passedAround(ProgramBuilder &program, const Val &value,
                              const std::vector<int64_t> &axes) {
  int64_t turning = program.rng.oneOf(axes);
  if (program.grid[turning] > 1 && program.rng.chance(40))
    return passedToOne(program, value, turning);
  std::vector<Val> to, from;
  for (int64_t axis : axes) {
    int64_t size = program.grid[axis];
    Val own = program.defineScalar("shard.process_multi_index" +
                                       onGrid(program) + " axes = [" +
                                       std::to_string(axis) + "] : index",
                                   Elem::Index, size - 1);
    to.push_back(own);
    from.push_back(own);
    if (axis != turning)
      continue;
    int64_t distance = program.rng.between(0, size);
    Val count = program.scalarConstant(Elem::Index, size);
    auto around = [&](int64_t by) {
      Val offset = program.scalarConstant(Elem::Index, by);
      Val sum = program.defineScalar("arith.addi " + own.name + ", " +
                                         offset.name + " : index",
                                     Elem::Index, size - 1 + by);
      return program.defineScalar("arith.remui " + sum.name + ", " +
                                      count.name + " : index",
                                  Elem::Index, size - 1);
    };
    to.back() = around(distance);
    from.back() = around(size - distance);
  }
  auto message = [&](const std::string &op, const std::string &peer,
                     const std::vector<Val> &coordinates) {
    return program.define("shard." + op + " " + value.name + onGrid(program) +
                              " grid_axes = [" + list(axes) + "] " + peer +
                              " = [" + nameList(coordinates) + "] : (" +
                              value.type() + ", " + typeList(coordinates) +
                              ") -> " + value.type(),
                          value.elem, value.shape, value.bound);
  };
  message("send", "destination", to);
  return message("recv", "source", from);
}

/// `value`, of which the outer elements are halos, with what the neighbours along
/// `axes` have there. Nothing if it is too small for halos.
std::optional<Val> shard::fuzz::withHalos(ProgramBuilder &program,
                                          const Val &value,
                                          const std::vector<int64_t> &axes) {
  std::vector<std::string> lists, widths;
  bool any = false;
  std::vector<int64_t> left = axes;
  for (int64_t extent : value.shape) {
    std::vector<int64_t> own;
    if (extent > 1 && !left.empty() && program.rng.chance(70)) {
      own.assign(left.begin(),
                 left.begin() + program.rng.between(1, int64_t(left.size())));
      left.erase(left.begin(), left.begin() + own.size());
    }
    lists.push_back("[" + list(own) + "]");
    if (own.empty())
      continue;
    any = true;
    int64_t low = program.rng.between(0, extent - 1);
    widths.push_back(std::to_string(low));
    widths.push_back(std::to_string(program.rng.between(0, extent - 1 - low)));
  }
  if (!any)
    return std::nullopt;
  return program.define("shard.update_halo " + value.name + onGrid(program) +
                            " split_axes = [" + join(lists) +
                            "] halo_sizes = [" + join(widths) +
                            "] : " + value.type(),
                        value.elem, value.shape, value.bound);
}

/// The extents of a block of some tensor, on a device of the grid.
static bool extentsOfBlock(ProgramBuilder &program) {
  // A body of a manual computation sees blocks itself.
  std::optional<Val> value = program.pickTensor(1);
  if (!value || !program.manualAxes.empty())
    return false;
  std::string sharding;
  if (program.rng.chance(30)) {
    // The function has to use the grid.
    value = program.annotate(*value, true);
    sharding = program.fresh();
    program.line(sharding + " = shard.get_sharding " + value->name + " : " +
                 value->type() + " -> !shard.sharding");
  } else {
    sharding = program.shardingOp(*value, false);
  }
  std::vector<int64_t> device;
  for (int64_t size : program.grid)
    device.push_back(program.rng.between(0, size - 1));
  std::vector<Val> extents;
  for (int64_t extent : value->shape) {
    Val result;
    result.elem = Elem::Index;
    result.tensor = false;
    result.bound = double(extent);
    extents.push_back(result);
  }
  std::string name = program.fresh();
  program.line(multiple(name, extents.size()) +
               " = shard.shard_shape dims = [" + list(value->shape) +
               "] sharding = " + sharding + " device = [" + list(device) +
               "] : " + typeList(extents));
  addResults(program, name, extents);
  return true;
}

void shard::fuzz::registerDeviceMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Control, extentsOfBlock);
}
