//===- PropagateProgram.cpp - Import, propagate, export -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Export/Annotator.h"
#include "Export/FunctionMerge.h"
#include "Export/TidyAnnotations.h"
#include "Import/CallSplit.h"
#include "Import/Import.h"
#include "Import/PassedShardings.h"
#include "Import/UnreachableBlocks.h"

#include "shard/Transforms/Transforms.h"

#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "sharding-propagation"

using namespace mlir;

namespace shard {

LogicalResult annotateShardings(Operation *root,
                                const PropagationOptions &given,
                                PropagationExplanation *explanation) {
  PropagationOptions options = given;
  options.explain |= explanation != nullptr;
  dropUnreachableBlocks(root);
  auto module = dyn_cast<ModuleOp>(root);
  FunctionFamilies functions;
  if (module) {
    functions = splitCalls(module);
    resolvePassedShardings(module);
  }
  FailureOr<CreatorFamilies> copies = importHints(root);
  if (failed(copies))
    return failure();

  PropagationResult result;
  if (failed(propagateShardings(root, options, result)))
    return failure();
  if (explanation)
    *explanation = std::move(result.explanation);
  LLVM_DEBUG(for (const GridPropagation &grid : result.grids) llvm::dbgs()
             << "grid @" << grid.gridName.getValue() << ": "
             << grid.values.size() << " values are stated, " << grid.uses.size()
             << " uses are resharded\n");
  for (const PropagationRemark &remark : result.remarks)
    emitRemark(remark.location) << remark.text;

  CreatorMerge creators(std::move(*copies));
  creators.run(result);
  HintRemover hints(result);
  hints.run(root);
  closeSignatures(root);
  for (const GridPropagation &propagation : result.grids)
    if (failed(annotate(propagation, root, hints, creators)))
      return failure();
  creators.eraseMerged();
  tidyHandles(root);
  if (module)
    mergeFunctions(module, functions);
  return success();
}

} // namespace shard
