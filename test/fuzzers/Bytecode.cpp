//===- Bytecode.cpp - Damaged bytes of the dialect -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// MLIR's reader of bytecode files ends the process on many damaged files. This
// target therefore gives the bytes straight to the part of the dialect: what
// stands in a file for its attributes, types and version.
//
//===----------------------------------------------------------------------===//

#include "Target.h"

#include "shard/IR/ShardDialect.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace shard::fuzz;

namespace {

/// Reads from any bytes. Attributes within attributes are read from the same
/// bytes, to some depth.
class ByteReader : public DialectBytecodeReader {
public:
  ByteReader(MLIRContext *context, llvm::StringRef bytes,
             const BytecodeDialectInterface &dialect)
      : context(context), bytes(bytes), dialect(dialect) {}

  InFlightDiagnostic emitError(const Twine &message) const override {
    return mlir::emitError(UnknownLoc::get(context), message);
  }
  FailureOr<const DialectVersion *>
  getDialectVersion(llvm::StringRef) const override {
    return failure();
  }
  MLIRContext *getContext() const override { return context; }
  uint64_t getBytecodeVersion() const override { return 6; }
  LogicalResult readAttribute(Attribute &result) override {
    result = {};
    if (failed(readOptionalAttribute(result)))
      return failure();
    return result ? success() : LogicalResult(emitError("no attribute"));
  }
  LogicalResult readOptionalAttribute(Attribute &result) override {
    uint64_t choice;
    if (depth > 8 || failed(readVarInt(choice)))
      return emitError("too deep");
    Builder builder(context);
    switch (choice % 8) {
    case 0:
      result = {};
      return success();
    case 1:
      result = builder.getI64IntegerAttr(int64_t(choice) - 100);
      return success();
    case 2:
      result = FlatSymbolRefAttr::get(context, "grid");
      return success();
    case 3:
      result = builder.getStringAttr("x");
      return success();
    case 4:
      result =
          TypeAttr::get(RankedTensorType::get({4, 4}, builder.getF32Type()));
      return success();
    default:
      ++depth;
      result = dialect.readAttribute(*this);
      --depth;
      return success(bool(result));
    }
  }
  LogicalResult readType(Type &result) override {
    result = RankedTensorType::get({4, ShapedType::kDynamic},
                                   Builder(context).getF32Type());
    return success();
  }
  FailureOr<AsmDialectResourceHandle> readResourceHandle() override {
    return LogicalResult(emitError("no resources"));
  }
  LogicalResult readVarInt(uint64_t &result) override {
    if (bytes.empty())
      return emitError("no more bytes");
    // As many bytes as the low bits of the first one say.
    result = 0;
    size_t count = uint8_t(bytes[0]) >= 0xf8 ? 8 : 1;
    for (size_t i = 0; i < count && !bytes.empty(); ++i) {
      result = result << 8 | uint8_t(bytes[0]);
      bytes = bytes.drop_front();
    }
    return success();
  }
  LogicalResult readSignedVarInt(int64_t &result) override {
    uint64_t number;
    if (failed(readVarInt(number)))
      return failure();
    result = int64_t(number >> 1) ^ -int64_t(number & 1);
    return success();
  }
  FailureOr<APInt> readAPIntWithKnownWidth(unsigned width) override {
    uint64_t number;
    if (failed(readVarInt(number)))
      return failure();
    return APInt(width, number, false, true);
  }
  FailureOr<APFloat>
  readAPFloatWithKnownSemantics(const llvm::fltSemantics &semantics) override {
    return APFloat::getZero(semantics);
  }
  LogicalResult readString(llvm::StringRef &result) override {
    uint64_t length;
    if (failed(readVarInt(length)))
      return failure();
    if (length > bytes.size())
      return emitError("no more bytes");
    result = bytes.take_front(length);
    bytes = bytes.drop_front(length);
    return success();
  }
  LogicalResult readBlob(ArrayRef<char> &result) override {
    llvm::StringRef text;
    if (failed(readString(text)))
      return failure();
    result = ArrayRef<char>(text.data(), text.size());
    return success();
  }
  LogicalResult readBool(bool &result) override {
    uint64_t number;
    if (failed(readVarInt(number)))
      return failure();
    result = number & 1;
    return success();
  }

private:
  MLIRContext *context;
  llvm::StringRef bytes;
  const BytecodeDialectInterface &dialect;
  int depth = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::string bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  MLIRContext &context = nextContext();
  bool error = false;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  const auto *dialect =
      context.getOrLoadDialect<shard::ShardDialect>()
          ->getRegisteredInterface<BytecodeDialectInterface>();
  ByteReader reader(&context, bytes, *dialect);
  bool read = false;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (data[0] % 8 == 0) {
    read = bool(dialect->readType(reader));
  } else if (data[0] % 8 == 1) {
    read = bool(dialect->readVersion(reader));
  } else if (Attribute attribute = dialect->readAttribute(reader)) {
    read = true;
    attribute.print(stream);
  }
  if (read == error) {
    llvm::errs() << (read ? "read with" : "not read, without") << " an error\n";
    std::abort();
  }
  return 0;
}
