// A program outside the project that reads a file with the dialect `shard`.

#include "shard/Geometry/Grid.h"
#include "shard/IR/ShardOps.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  shard::registerShard(registry);
  shard::registerShardPasses();
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  module->walk([](shard::GridOp grid) {
    llvm::outs() << "grid of "
                 << shard::Grid{{grid.getShape().begin(), grid.getShape().end()}}
                        .numDevices()
                 << " devices\n";
  });
  return 0;
}
