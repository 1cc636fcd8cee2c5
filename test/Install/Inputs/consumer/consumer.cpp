// A program outside the project that reads a file with the dialect `shard` and
// defines a sharding model of an op of its own.

#include "shard/Geometry/Grid.h"
#include "shard/IR/ShardOps.h"
#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/LocalOps.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

namespace {

/// `demo.flip %x : (tensor<MxN>) -> tensor<MxN>`.
class FlipOp
    : public mlir::Op<FlipOp, mlir::OpTrait::ZeroRegions,
                      mlir::OpTrait::OneOperand, mlir::OpTrait::OneResult> {
public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "demo.flip"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
};

class DemoDialect : public mlir::Dialect {
public:
  explicit DemoDialect(mlir::MLIRContext *context)
      : Dialect("demo", context, mlir::TypeID::get<DemoDialect>()) {
    addOperations<FlipOp>();
  }
  static llvm::StringRef getDialectNamespace() { return "demo"; }
};

/// Rows are independent; columns stay whole.
struct FlipModel : public shard::DescribedModel<FlipModel, FlipOp> {
  void describe(FlipOp op, shard::MapBuilder &maps) const {
    auto type = mlir::cast<mlir::RankedTensorType>(op->getOperand(0).getType());
    maps.operand(0)[0] = maps.result(0)[0] = maps.loop(type.getDimSize(0));
  }
  llvm::LogicalResult
  partition(mlir::Operation *op, mlir::OpBuilder &builder,
            llvm::ArrayRef<mlir::Value> operands,
            shard::PartitionContext &context,
            llvm::SmallVectorImpl<mlir::Value> &results) const {
    return shard::partitionWithPadding(op, builder, operands, context, results);
  }
};

} // namespace

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  shard::registerShard(registry);
  shard::registerShardPasses();
  registry.insert<DemoDialect, mlir::func::FuncDialect>();
  registry.addExtension(+[](mlir::MLIRContext *context, DemoDialect *) {
    FlipOp::attachInterface<FlipModel>(*context);
  });
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  module->walk([](FlipOp flip) {
    shard::LoopTable table = shard::buildLoopTable(flip);
    llvm::outs() << "flip has " << table.loops.size() << " loop of extent "
                 << table.loops.front().extent << "\n";
  });
  module->walk([](shard::GridOp grid) {
    llvm::outs() << "grid of "
                 << shard::Grid{{grid.getShape().begin(),
                                 grid.getShape().end()}}
                        .numDevices()
                 << " devices\n";
  });
  return 0;
}
