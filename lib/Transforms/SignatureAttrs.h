//===- SignatureAttrs.h - Attributes of arguments and results ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_SIGNATUREATTRS_H
#define SHARD_LIB_TRANSFORMS_SIGNATUREATTRS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace shard {

/// Collects the attributes of the arguments and results of a function and sets
/// them at once: setting one makes a new array of all of them.
class SignatureAttrs {
public:
  explicit SignatureAttrs(mlir::FunctionOpInterface function)
      : function(function) {
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      arguments.push_back(function.getArgAttrDict(i));
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
      results.push_back(function.getResultAttrDict(i));
  }

  /// Sets, or with a null `value` removes, an attribute.
  void setArgument(unsigned number, llvm::StringRef name,
                   mlir::Attribute value) {
    set(arguments[number], name, value);
  }
  void setResult(unsigned number, llvm::StringRef name, mlir::Attribute value) {
    set(results[number], name, value);
  }

  void write() {
    function.setAllArgAttrs(arguments);
    function.setAllResultAttrs(results);
  }

private:
  void set(mlir::DictionaryAttr &dictionary, llvm::StringRef name,
           mlir::Attribute value) {
    mlir::NamedAttrList list(dictionary);
    if (value)
      list.set(name, value);
    else
      list.erase(name);
    dictionary = list.getDictionary(function->getContext());
  }

  mlir::FunctionOpInterface function;
  llvm::SmallVector<mlir::DictionaryAttr> arguments, results;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_SIGNATUREATTRS_H
