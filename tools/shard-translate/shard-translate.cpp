//===- shard-translate.cpp - Reads other text -----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shard-translate --import-mesh program.mlir: reads a program of the `mesh`
// dialect of LLVM 18 to 20 and prints it in the `shard` dialect.
//
//===----------------------------------------------------------------------===//

#include "../Version.h"

#include "shard/IR/ImportMesh.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"

#include <memory>

int main(int argc, char **argv) {
  shard::setVersionPrinter();
  mlir::TranslateRegistration importMesh(
      "import-mesh", "read the mesh dialect of LLVM 18 to 20",
      [](const std::shared_ptr<llvm::SourceMgr> &source, llvm::raw_ostream &out,
         mlir::MLIRContext *context) -> mlir::LogicalResult {
        mlir::DialectRegistry registry;
        shard::registerUpstreamDialects(registry);
        shard::registerShard(registry);
        context->appendDialectRegistry(registry);
        mlir::OwningOpRef<mlir::Operation *> module =
            shard::importMesh(*source, context);
        if (!module)
          return mlir::failure();
        module->print(out);
        out << '\n';
        return mlir::success();
      });
  return failed(
      mlir::mlirTranslateMain(argc, argv, "shard translation driver\n"));
}
