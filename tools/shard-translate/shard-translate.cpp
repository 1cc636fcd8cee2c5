//===- shard-translate.cpp - Reads other text -----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shard-translate --import-mesh program.mlir: reads a program of the `mesh`
// dialect of LLVM 18 to 20, or of the RFC that proposed it, and prints it in the
// `shard` dialect.
//
// shard-translate --import-sdy program.mlir: the same for a program with the
// shardings of OpenXLA Shardy.
//
//===----------------------------------------------------------------------===//

#include "../Version.h"

#include "shard/IR/ImportMesh.h"
#include "shard/IR/ImportSdy.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"

#include <memory>

/// Registers the importer `import` under `name`.
static void registerImport(llvm::StringRef name, llvm::StringRef description,
                           mlir::OwningOpRef<mlir::Operation *> (*import)(
                               llvm::SourceMgr &, mlir::MLIRContext *)) {
  mlir::TranslateRegistration registration(
      name, description,
      [import](const std::shared_ptr<llvm::SourceMgr> &source,
               llvm::raw_ostream &out,
               mlir::MLIRContext *context) -> mlir::LogicalResult {
        mlir::DialectRegistry registry;
        shard::registerUpstreamDialects(registry);
        shard::registerShard(registry);
        context->appendDialectRegistry(registry);
        mlir::OwningOpRef<mlir::Operation *> module = import(*source, context);
        if (!module)
          return mlir::failure();
        module->print(out);
        out << '\n';
        return mlir::success();
      });
}

int main(int argc, char **argv) {
  shard::setVersionPrinter();
  registerImport("import-mesh", "read the mesh dialect of LLVM 18 to 20",
                 shard::importMesh);
  registerImport("import-sdy", "read shardings of OpenXLA Shardy",
                 shard::importSdy);
  return failed(
      mlir::mlirTranslateMain(argc, argv, "shard translation driver\n"));
}
