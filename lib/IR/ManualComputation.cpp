//===- ManualComputation.cpp - The manual_computation op ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static ParseResult parseShardings(OpAsmParser &parser, StringRef word,
                                  ArrayAttr &attr) {
  SmallVector<Attribute> list;
  auto parseOne = [&] {
    list.push_back(ShardingAttr::parse(parser, Type()));
    return success(static_cast<bool>(list.back()));
  };
  if (parser.parseKeyword(word) || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  attr = parser.getBuilder().getArrayAttr(list);
  return success();
}

ParseResult ManualComputationOp::parse(OpAsmParser &parser,
                                       OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Attribute> axes;
  FlatSymbolRefAttr grid;
  ArrayAttr in, out;
  FunctionType type;
  auto parseAxis = [&] {
    axes.push_back(AxisRefAttr::parseBody(parser));
    return success(static_cast<bool>(axes.back()));
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("on") || parser.parseAttribute(grid) ||
      parseShardings(parser, "in", in) || parseShardings(parser, "out", out) ||
      parser.parseKeyword("axes") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseRegion(*result.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(inputs, type.getInputs(), loc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  result.addAttribute("grid", grid);
  result.addAttribute("in_shardings", in);
  result.addAttribute("out_shardings", out);
  result.addAttribute("manual_axes", parser.getBuilder().getArrayAttr(axes));
  return success();
}

void ManualComputationOp::print(OpAsmPrinter &printer) {
  auto printShardings = [&](StringRef word, ArrayAttr list) {
    printer << ' ' << word << " = [";
    llvm::interleaveComma(list.getAsRange<ShardingAttr>(), printer,
                          [&](ShardingAttr attr) { attr.print(printer); });
    printer << ']';
  };
  printer << '(' << getInputs() << ") on ";
  printer.printAttributeWithoutType(getGridAttr());
  printShardings("in", getInShardings());
  printShardings("out", getOutShardings());
  printer << " axes = [";
  llvm::interleaveComma(getManualAxes().getAsRange<AxisRefAttr>(), printer,
                        [&](AxisRefAttr axis) { axis.printBody(printer); });
  printer << "] (";
  llvm::interleaveComma(getBody().getArguments(), printer, [&](auto argument) {
    printer.printRegionArgument(argument);
  });
  printer << ") ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {"grid", "in_shardings", "out_shardings", "manual_axes"});
  printer << " : ";
  printer.printFunctionalType(*this);
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult ManualComputationOp::verify() {
  // manual_computation_c1
  if (getInShardings().size() != getInputs().size())
    return emitOpError("expects one in sharding per operand: ")
           << getInputs().size() << ", got " << getInShardings().size();
  // manual_computation_c2
  if (getOutShardings().size() != getNumResults())
    return emitOpError("expects one out sharding per result: ")
           << getNumResults() << ", got " << getOutShardings().size();
  mlir::Block &body = getBody().front();
  // manual_computation_c3
  if (body.getNumArguments() != getInputs().size())
    return emitOpError("expects one argument of the body per operand: ")
           << getInputs().size() << ", got " << body.getNumArguments();
  // manual_computation_c4
  if (body.empty() || !isa<ReturnOp>(body.back()))
    return emitOpError("expects a body that ends with shard.return");
  // manual_computation_c5
  if (body.back().getNumOperands() != getNumResults())
    return body.back().emitOpError("expects one operand per result: ")
           << getNumResults() << ", got " << body.back().getNumOperands();
  // manual_computation_c6
  for (ArrayAttr list : {getInShardings(), getOutShardings()})
    for (auto sharding : list.getAsRange<ShardingAttr>())
      if (sharding.getGrid() != getGridAttr())
        return emitOpError("expects shardings on one grid, ")
               << getGridAttr() << ", got " << sharding;
  return success();
}

namespace {
LogicalResult checkSide(ManualComputationOp op, StringRef side, unsigned index,
                        ShardingAttr attr, ArrayRef<AxisPart> manual,
                        GridOp grid, Type globalType, Type bodyType) {
  auto emitError = [&] {
    return op.emitOpError() << side << " sharding " << index << ": ";
  };
  FailureOr<ResolvedSharding> sharding =
      resolve(attr, grid, globalType, emitError);
  if (failed(sharding))
    return failure();
  // manual_computation_c7
  if (!sharding->halos.empty() || !sharding->offsets.empty())
    return emitError() << "expects neither halos nor offsets, which the body "
                          "does not see; shard.shard states those of a value";
  SmallVector<AxisPart> used;
  auto global = cast<RankedTensorType>(globalType);
  SmallVector<int64_t> shape(global.getShape());
  for (auto [dim, entry] : llvm::enumerate(sharding->dims)) {
    bool freeSeen = false;
    for (const AxisPart &axis : entry.axes) {
      used.push_back(axis);
      if (!llvm::is_contained(manual, axis)) {
        freeSeen = true;
        continue;
      }
      // manual_computation_c8
      if (freeSeen)
        return emitError() << "dimension " << dim << " has manual axis "
                           << grid.axisName(axis.axis)
                           << " behind an axis that is not manual";
      if (ShapedType::isDynamic(shape[dim]) ||
          ShapedType::isDynamic(axis.size)) {
        shape[dim] = ShapedType::kDynamic;
        continue;
      }
      // manual_computation_c9
      if (shape[dim] % axis.size != 0)
        return emitError() << "manual axis " << grid.axisName(axis.axis)
                           << " of size " << axis.size
                           << " does not divide dimension " << dim
                           << " of extent " << global.getDimSize(dim);
      shape[dim] /= axis.size;
    }
  }
  llvm::append_range(used, sharding->partial);
  llvm::append_range(used, sharding->replicated);
  // manual_computation_c10
  for (const AxisPart &axis : manual)
    if (!llvm::is_contained(used, axis))
      return emitError() << "manual axis " << grid.axisName(axis.axis)
                         << " is neither used nor listed in replicated";
  Type expected = global.clone(shape);
  // manual_computation_c11
  if (bodyType != expected)
    return emitError() << "expects the type " << expected
                       << " in the body, got " << bodyType;
  return success();
}

// Collectives in the body use manual axes only, and so do questions for
// coordinates; annotations use the others.
class BodyChecker {
public:
  // `axes` are manual in the body, on `grid`.
  BodyChecker(ManualComputationOp manual, ArrayRef<AxisPart> axes, GridOp grid,
              SymbolTableCollection &symbols)
      : manual(manual), axes(axes), grid(grid), symbols(symbols) {}

  LogicalResult check() {
    WalkResult result =
        manual.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (isa<ManualComputationOp>(op))
            return WalkResult::skip();
          return WalkResult(visit(op));
        });
    return failure(result.wasInterrupted());
  }

private:
  bool isManual(GridAxis number) {
    return llvm::is_contained(axes,
                              AxisPart::whole(number, grid.getShape()[number]));
  }

  // An op may be on a grid that `grid` refines.
  LogicalResult checkCollective(Operation *op, ArrayRef<GridAxis> used) {
    auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("grid");
    GridOp own = shard::getGrid(op, symbol, symbols);
    if (!own)
      return success();
    FailureOr<std::vector<AxisList>> runs =
        axesInRefinement(own, grid, symbols);
    // manual_computation_c12
    if (failed(runs))
      return op->emitOpError("in the body of a manual_computation on ")
             << manual.getGridAttr() << " is on grid " << symbol
             << "; it must be on the same grid, or on one that this refines";
    // manual_computation_c13
    for (GridAxis axis : used)
      if (axis >= 0 && axis < own.getRank() &&
          !llvm::all_of((*runs)[axis],
                        [&](GridAxis part) { return isManual(part); }))
        return op->emitOpError("in the body of a manual_computation uses axis ")
               << own.axisName(axis) << ", which is not manual";
    return success();
  }

  // All axes of the grid of `op` that have several coordinates.
  LogicalResult checkWhole(Operation *op, FlatSymbolRefAttr symbol) {
    SmallVector<GridAxis> all;
    if (GridOp own = shard::getGrid(op, symbol, symbols))
      for (auto [axis, size] : llvm::enumerate(own.getShape()))
        if (size != 1)
          all.push_back(axis);
    return checkCollective(op, all);
  }

  LogicalResult checkAnnotation(Operation *op, const AxisPart &axis) {
    // manual_computation_c14
    if (llvm::any_of(axes,
                     [&](const AxisPart &part) { return part.overlaps(axis); }))
      return op->emitOpError("in the body of a manual_computation uses its "
                             "manual axis ")
             << grid.axisName(axis.axis);
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (auto permute = dyn_cast<PermuteOp>(op))
      return failure(failed(checkCollective(op, permute.getFromAxes())) ||
                     failed(checkCollective(op, permute.getToAxes())));
    if (auto halo = dyn_cast<UpdateHaloOp>(op)) {
      for (GridAxesAttr list : halo.getSplitAxes())
        if (failed(checkCollective(op, list.asArrayRef())))
          return failure();
      return success();
    }
    if (auto index = dyn_cast<ProcessMultiIndexOp>(op))
      return index.getAxes().empty() ? checkWhole(op, index.getGridAttr())
                                     : checkCollective(op, index.getAxes());
    if (auto index = dyn_cast<ProcessLinearIndexOp>(op))
      return checkWhole(op, index.getGridAttr());
    if (auto sharding = dyn_cast<ShardingOp>(op)) {
      for (GridAxesAttr list : sharding.getSplitAxes())
        for (GridAxis axis : list.asArrayRef())
          if (axis >= 0 && axis < grid.getRank() &&
              failed(checkAnnotation(
                  op, AxisPart::whole(axis, grid.getShape()[axis]))))
            return failure();
      return success();
    }
    if (auto constraint = dyn_cast<ConstraintOp>(op)) {
      for (DimShardingAttr dim : constraint.getSharding().getDims())
        for (AxisRefAttr ref : dim.getAxes())
          if (std::optional<AxisPart> axis = grid.axisPart(ref))
            if (failed(checkAnnotation(op, *axis)))
              return failure();
      return success();
    }
    if (isa_and_nonnull<ShardDialect>(op->getDialect()))
      if (auto used = op->getAttrOfType<GridAxesAttr>("grid_axes"))
        return checkCollective(op, used.asArrayRef());
    return success();
  }

  ManualComputationOp manual;
  ArrayRef<AxisPart> axes;
  GridOp grid;
  SymbolTableCollection &symbols;
};
} // namespace

LogicalResult
ManualComputationOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid = checkGrid(*this, getGridAttr(), symbols);
  if (failed(grid))
    return failure();
  // Resolved as the replicated axes of an empty sharding, which finds unknown
  // and repeated ones.
  auto axesAsSharding = [&](ManualComputationOp op) {
    auto emitError = [&] { return op.emitOpError("axes: "); };
    SmallVector<AxisRefAttr> refs;
    llvm::append_range(refs, op.getManualAxes().getAsRange<AxisRefAttr>());
    return ShardingAttr::getChecked(
        EmitErrorFn(emitError), getContext(), op.getGridAttr(),
        ArrayRef<DimShardingAttr>(), ReductionKindAttr(),
        ArrayRef<AxisRefAttr>(), ArrayRef<AxisRefAttr>(refs),
        ArrayRef<int64_t>(), ArrayRef<int64_t>());
  };
  ShardingAttr asSharding = axesAsSharding(*this);
  if (!asSharding)
    return failure();
  FailureOr<ResolvedSharding> resolved =
      resolve(asSharding, *grid, Type(), [&] { return emitOpError("axes: "); });
  if (failed(resolved))
    return failure();
  ArrayRef<AxisPart> manual = resolved->replicated;

  mlir::Block &body = getBody().front();
  for (auto [index, attr] : llvm::enumerate(getInShardings()))
    if (failed(checkSide(*this, "in", index, cast<ShardingAttr>(attr), manual,
                         *grid, getInputs()[index].getType(),
                         body.getArgument(index).getType())))
      return failure();
  for (auto [index, attr] : llvm::enumerate(getOutShardings()))
    if (failed(checkSide(*this, "out", index, cast<ShardingAttr>(attr), manual,
                         *grid, getResult(index).getType(),
                         body.back().getOperand(index).getType())))
      return failure();

  SmallVector<AxisPart> allManual(manual);
  for (auto outer = (*this)->getParentOfType<ManualComputationOp>(); outer;
       outer = outer->getParentOfType<ManualComputationOp>()) {
    GridOp outerGrid = shard::getGrid(outer, outer.getGridAttr(), symbols);
    // manual_computation_c15
    if (outerGrid != *grid)
      return emitOpError("is on grid ")
             << getGridAttr() << ", but the manual_computation around it on "
             << outer.getGridAttr();
    ShardingAttr outerAxes = axesAsSharding(outer);
    FailureOr<ResolvedSharding> outerResolved = failure();
    if (outerAxes)
      outerResolved = resolve(outerAxes, *grid, Type(),
                              [&] { return outer.emitOpError("axes: "); });
    if (failed(outerResolved))
      return failure();
    for (const AxisPart &axis : outerResolved->replicated) {
      allManual.push_back(axis);
      // manual_computation_c16
      if (llvm::any_of(manual, [&](const AxisPart &mine) {
            return mine.axis == axis.axis;
          }))
        return emitOpError("axis ")
               << grid->axisName(axis.axis)
               << " is manual in the manual_computation around it already";
    }
  }
  return BodyChecker(*this, allManual, *grid, symbols).check();
}

} // namespace shard
