//===- ShardBytecode.cpp - Bytecode of the dialect ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardBytecode.h"

#include "shard/IR/ShardAttrs.h"
#include "shard/IR/ShardDialect.h"
#include "shard/IR/ShardOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shard {

namespace {
// What stands in files: never reorder, never reuse.
enum class AttrCode : uint64_t {
  ReductionKind = 0,
  GridAxesArray = 1,
  PartialAxes = 2,
  AxisRef = 3,
  DimSharding = 4,
  Sharding = 5,
  Local = 6,
};
enum class TypeCode : uint64_t { Sharding = 0 };

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

template <typename T>
void writeNumbers(DialectBytecodeWriter &writer, ArrayRef<T> numbers) {
  writer.writeList(numbers, [&](T number) {
    writer.writeSignedVarInt(static_cast<int64_t>(number));
  });
}

// As the reader's own readList, but a damaged count reserves no memory.
template <typename T, typename ReadFn>
LogicalResult readList(DialectBytecodeReader &reader,
                       SmallVectorImpl<T> &elements, ReadFn &&readElement) {
  uint64_t count;
  if (failed(reader.readVarInt(count)))
    return failure();
  for (uint64_t i = 0; i < count; ++i)
    if (failed(readElement(elements.emplace_back())))
      return failure();
  return success();
}

template <typename T>
LogicalResult readAttributes(DialectBytecodeReader &reader,
                             SmallVectorImpl<T> &attributes) {
  return readList(reader, attributes, [&](T &attribute) {
    return reader.readAttribute(attribute);
  });
}

template <typename T>
LogicalResult readNumbers(DialectBytecodeReader &reader,
                          SmallVectorImpl<T> &numbers) {
  return readList(reader, numbers, [&](T &number) -> LogicalResult {
    int64_t wide;
    if (failed(reader.readSignedVarInt(wide)))
      return failure();
    if (wide < std::numeric_limits<T>::min() ||
        wide > std::numeric_limits<T>::max())
      return reader.emitError() << "number " << wide << " is out of range";
    number = static_cast<T>(wide);
    return success();
  });
}

FailureOr<ReductionKind> readKind(DialectBytecodeReader &reader) {
  uint64_t number;
  if (failed(reader.readVarInt(number)))
    return failure();
  if (number <= std::numeric_limits<uint32_t>::max())
    if (auto kind = symbolizeReductionKind(static_cast<uint32_t>(number)))
      return *kind;
  return reader.emitError() << "no reduction kind has number " << number,
         failure();
}

void writeKind(DialectBytecodeWriter &writer, ReductionKind kind) {
  writer.writeVarInt(static_cast<uint64_t>(kind));
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

struct ShardBytecode : BytecodeDialectInterface {
  explicit ShardBytecode(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  template <typename StreamT>
  static uint64_t version(const StreamT &stream) {
    auto version = stream.template getDialectVersion<ShardDialect>();
    if (failed(version) || !*version)
      return ShardVersion::kCurrent;
    return static_cast<const ShardVersion *>(*version)->number;
  }

  void writeVersion(DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(version(writer));
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number > ShardVersion::kCurrent) {
      reader.emitError() << "bytecode of the shard dialect is of version "
                         << number << ", newer than " << ShardVersion::kCurrent;
      return nullptr;
    }
    return std::make_unique<ShardVersion>(number);
  }

  LogicalResult writeType(Type type,
                          DialectBytecodeWriter &writer) const override {
    if (!isa<ShardingType>(type))
      return failure();
    writer.writeVarInt(static_cast<uint64_t>(TypeCode::Sharding));
    return success();
  }

  Type readType(DialectBytecodeReader &reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    if (static_cast<TypeCode>(code) == TypeCode::Sharding)
      return ShardingType::get(getContext());
    reader.emitError() << "no type of the shard dialect has code " << code;
    return {};
  }

  // Fails, before anything is written, where the version cannot express `attr`:
  // it is stored as text then.
  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &writer) const override {
    uint64_t number = version(writer);
    auto begin = [&](AttrCode code) {
      writer.writeVarInt(static_cast<uint64_t>(code));
    };
    return llvm::TypeSwitch<Attribute, LogicalResult>(attr)
        .Case([&](ReductionKindAttr kind) {
          begin(AttrCode::ReductionKind);
          writeKind(writer, kind.getValue());
          return success();
        })
        .Case([&](GridAxesArrayAttr lists) {
          begin(AttrCode::GridAxesArray);
          writer.writeList(lists.getAxes(), [&](GridAxesAttr list) {
            writeNumbers(writer, list.asArrayRef());
          });
          return success();
        })
        .Case([&](PartialAxesAttr partial) {
          begin(AttrCode::PartialAxes);
          writeKind(writer, partial.getKind());
          writeNumbers(writer, partial.getAxes());
          return success();
        })
        .Case([&](AxisRefAttr axis) -> LogicalResult {
          if (number < 1 && axis.isSubAxis())
            return failure();
          begin(AttrCode::AxisRef);
          writer.writeOptionalAttribute(axis.getName());
          writer.writeSignedVarInt(axis.getNumber());
          if (number >= 1) {
            writer.writeSignedVarInt(axis.getPreSize());
            writer.writeSignedVarInt(axis.getSubSize());
          }
          return success();
        })
        .Case([&](DimShardingAttr dim) -> LogicalResult {
          if (number < 1 && dim.hasPriority())
            return failure();
          begin(AttrCode::DimSharding);
          writer.writeAttributes(dim.getAxes());
          writer.writeOwnedBool(dim.getOpen());
          if (number >= 1)
            writer.writeSignedVarInt(dim.getPriority());
          return success();
        })
        .Case([&](ShardingAttr sharding) {
          begin(AttrCode::Sharding);
          writer.writeAttribute(sharding.getGrid());
          writer.writeAttributes(sharding.getDims());
          writer.writeOptionalAttribute(sharding.getPartialKind());
          writer.writeAttributes(sharding.getPartialAxes());
          writer.writeAttributes(sharding.getReplicatedAxes());
          writeNumbers(writer, sharding.getHalos());
          writeNumbers(writer, sharding.getOffsets());
          return success();
        })
        .Case([&](LocalAttr local) {
          begin(AttrCode::Local);
          writer.writeType(local.getType());
          writer.writeAttribute(local.getSharding());
          return success();
        })
        .Default([](Attribute) { return failure(); });
  }

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    switch (static_cast<AttrCode>(code)) {
    case AttrCode::ReductionKind: {
      FailureOr<ReductionKind> kind = readKind(reader);
      return failed(kind) ? Attribute()
                          : ReductionKindAttr::get(getContext(), *kind);
    }
    case AttrCode::GridAxesArray:
      return readGridAxesArray(reader);
    case AttrCode::PartialAxes: {
      FailureOr<ReductionKind> kind = readKind(reader);
      SmallVector<int16_t> axes;
      if (failed(kind) || failed(readNumbers(reader, axes)))
        return {};
      return make<PartialAxesAttr>(reader, *kind, ArrayRef<int16_t>(axes));
    }
    case AttrCode::AxisRef:
      return readAxisRef(reader);
    case AttrCode::DimSharding:
      return readDimSharding(reader);
    case AttrCode::Sharding:
      return readSharding(reader);
    case AttrCode::Local: {
      RankedTensorType type;
      ShardingAttr sharding;
      if (failed(reader.readType(type)) ||
          failed(reader.readAttribute(sharding)))
        return {};
      return LocalAttr::get(getContext(), type, sharding);
    }
    }
    reader.emitError() << "no attribute of the shard dialect has code " << code;
    return {};
  }

private:
  // Files come from anywhere: the invariants are checked.
  template <typename AttrT, typename... Args>
  AttrT make(DialectBytecodeReader &reader, Args... args) const {
    return AttrT::getChecked([&] { return reader.emitError(); }, getContext(),
                             args...);
  }

  Attribute readGridAxesArray(DialectBytecodeReader &reader) const {
    SmallVector<GridAxesAttr> lists;
    auto readOne = [&](GridAxesAttr &list) -> LogicalResult {
      SmallVector<int16_t> axes;
      if (failed(readNumbers(reader, axes)))
        return failure();
      list = GridAxesAttr::get(getContext(), axes);
      return success();
    };
    if (failed(readList(reader, lists, readOne)))
      return {};
    return GridAxesArrayAttr::get(getContext(), lists);
  }

  Attribute readAxisRef(DialectBytecodeReader &reader) const {
    StringAttr name;
    int64_t number, preSize = 0, subSize = 0;
    if (failed(reader.readOptionalAttribute(name)) ||
        failed(reader.readSignedVarInt(number)))
      return {};
    if (version(reader) >= 1 && (failed(reader.readSignedVarInt(preSize)) ||
                                 failed(reader.readSignedVarInt(subSize))))
      return {};
    return make<AxisRefAttr>(reader, name, number, preSize, subSize);
  }

  Attribute readDimSharding(DialectBytecodeReader &reader) const {
    SmallVector<AxisRefAttr> axes;
    bool open;
    int64_t priority = -1;
    if (failed(readAttributes(reader, axes)) || failed(reader.readBool(open)))
      return {};
    if (version(reader) >= 1 && failed(reader.readSignedVarInt(priority)))
      return {};
    return make<DimShardingAttr>(reader, ArrayRef<AxisRefAttr>(axes), open,
                                 priority);
  }

  Attribute readSharding(DialectBytecodeReader &reader) const {
    FlatSymbolRefAttr grid;
    SmallVector<DimShardingAttr> dims;
    ReductionKindAttr kind;
    SmallVector<AxisRefAttr> partial, replicated;
    SmallVector<int64_t> halos, offsets;
    if (failed(reader.readAttribute(grid)) ||
        failed(readAttributes(reader, dims)) ||
        failed(reader.readOptionalAttribute(kind)) ||
        failed(readAttributes(reader, partial)) ||
        failed(readAttributes(reader, replicated)) ||
        failed(readNumbers(reader, halos)) ||
        failed(readNumbers(reader, offsets)))
      return {};
    return make<ShardingAttr>(
        reader, grid, ArrayRef<DimShardingAttr>(dims), kind,
        ArrayRef<AxisRefAttr>(partial), ArrayRef<AxisRefAttr>(replicated),
        ArrayRef<int64_t>(halos), ArrayRef<int64_t>(offsets));
  }
};
} // namespace

void addBytecodeInterface(ShardDialect *dialect) {
  dialect->addInterfaces<ShardBytecode>();
}

//===----------------------------------------------------------------------===//
// Properties of the ops that have more than LLVM's
//===----------------------------------------------------------------------===//

static bool isFromLLVM(DialectBytecodeReader &reader) {
  FailureOr<const DialectVersion *> version =
      reader.getDialectVersion<ShardDialect>();
  return failed(version) || !*version;
}

void GridOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &properties = getProperties();
  writer.writeAttribute(properties.shape);
  writer.writeAttribute(properties.sym_name);
  writer.writeOptionalAttribute(properties.axis_names);
  writer.writeOptionalAttribute(properties.refines);
  writer.writeOptionalAttribute(properties.latency);
  writer.writeOptionalAttribute(properties.bandwidth);
  if (ShardBytecode::version(writer) >= 2)
    writer.writeOptionalAttribute(properties.device_ids);
  else if (properties.device_ids)
    emitWarning("bytecode of the shard dialect before version 2 has no "
                "device_ids: they are not written");
  if (ShardBytecode::version(writer) >= 3)
    writer.writeOptionalAttribute(properties.uneven_dynamic);
  else if (properties.uneven_dynamic)
    emitWarning("bytecode of the shard dialect before version 3 has no "
                "uneven_dynamic: it is not written");
}

LogicalResult GridOp::readProperties(DialectBytecodeReader &reader,
                                     OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(properties.shape)) ||
      failed(reader.readAttribute(properties.sym_name)))
    return failure();
  if (isFromLLVM(reader))
    return success();
  return failure(
      failed(reader.readOptionalAttribute(properties.axis_names)) ||
      failed(reader.readOptionalAttribute(properties.refines)) ||
      failed(reader.readOptionalAttribute(properties.latency)) ||
      failed(reader.readOptionalAttribute(properties.bandwidth)) ||
      (ShardBytecode::version(reader) >= 2 &&
       failed(reader.readOptionalAttribute(properties.device_ids))) ||
      (ShardBytecode::version(reader) >= 3 &&
       failed(reader.readOptionalAttribute(properties.uneven_dynamic))));
}

// From this version of MLIR's bytecode on, segment sizes are a sparse array at
// the end; before, an attribute behind the grid.
constexpr int64_t kSparseSegmentSizes = 6;

void ShardingOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &properties = getProperties();
  ArrayRef<int32_t> segments(properties.operandSegmentSizes);
  bool sparse = writer.getBytecodeVersion() >= kSparseSegmentSizes;
  writer.writeAttribute(properties.grid);
  if (!sparse)
    writer.writeAttribute(DenseI32ArrayAttr::get(getContext(), segments));
  writer.writeAttribute(properties.split_axes);
  writer.writeOptionalAttribute(properties.static_halo_sizes);
  writer.writeOptionalAttribute(properties.static_sharded_dims_offsets);
  if (sparse)
    writer.writeSparseArray(segments);
  writer.writeOptionalAttribute(properties.partial);
}

LogicalResult ShardingOp::readProperties(DialectBytecodeReader &reader,
                                         OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  MutableArrayRef<int32_t> segments(properties.operandSegmentSizes);
  bool sparse =
      static_cast<int64_t>(reader.getBytecodeVersion()) >= kSparseSegmentSizes;
  if (failed(reader.readAttribute(properties.grid)))
    return failure();
  if (!sparse) {
    DenseI32ArrayAttr attr;
    if (failed(reader.readAttribute(attr)))
      return failure();
    if (attr.size() != static_cast<int64_t>(segments.size()))
      return reader.emitError() << "expected " << segments.size()
                                << " segment sizes, got " << attr.size();
    llvm::copy(attr.asArrayRef(), segments.begin());
  }
  if (failed(reader.readAttribute(properties.split_axes)) ||
      failed(reader.readOptionalAttribute(properties.static_halo_sizes)) ||
      failed(
          reader.readOptionalAttribute(properties.static_sharded_dims_offsets)))
    return failure();
  if (sparse && failed(reader.readSparseArray(segments)))
    return failure();
  return isFromLLVM(reader) ? success()
                            : reader.readOptionalAttribute(properties.partial);
}

} // namespace shard
