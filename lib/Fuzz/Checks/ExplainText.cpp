//===- ExplainText.cpp - What explanations say, as numbers ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainText.h"

#include "shard/IR/ShardOps.h"

using namespace mlir;

namespace shard::fuzz {

/// The axes of "[x, y]" at the begin of `text`, which is taken off it.
static Names takeAxes(StringRef &text) {
  Names axes;
  if (!text.consume_front("["))
    return axes;
  auto [list, rest] = text.split(']');
  text = rest;
  list.split(axes, ", ", /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return axes;
}

Text parseSharding(StringRef text) {
  Text result;
  text.consume_front("[");
  while (text.starts_with("[")) {
    result.dims.push_back(takeAxes(text));
    text.consume_front(", ");
  }
  StringRef partial = text.split(" partial = ").second;
  partial = partial.drop_front(std::min(partial.find('['), partial.size()));
  result.partial = takeAxes(partial);
  return result;
}

std::string placeOf(Location location) {
  // A reshard is named after the tensor that it is of.
  if (auto named = dyn_cast<NameLoc>(location))
    return placeOf(named.getChildLoc());
  auto place = dyn_cast<FileLineColLoc>(location);
  return place ? (place.getFilename().getValue() + ":" +
                  Twine(place.getLine()) + ":" + Twine(place.getColumn()))
                     .str()
               : "";
}

std::optional<int64_t> partsOf(ModuleOp module, ArrayRef<StringRef> axes) {
  auto grids = llvm::to_vector(module.getOps<GridOp>());
  if (grids.size() != 1)
    return std::nullopt;
  int64_t parts = 1;
  for (StringRef axis : axes) {
    int64_t size = 0;
    auto [name, part] = axis.split(":(");
    for (auto [number, all] : llvm::enumerate(grids.front().getShape()))
      if (grids.front().axisName(number) == name)
        size = all;
    if (!part.empty() && part.split(')').second.getAsInteger(10, size))
      return std::nullopt;
    parts *= size;
  }
  return parts;
}

} // namespace shard::fuzz
