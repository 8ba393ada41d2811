// Access to mlcrt_frame and its buffers from LLVM dialect code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Frame.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlcrt/abi.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlc;

const int64_t FrameLayout::services = offsetof(mlcrt_frame, services);
const int64_t FrameLayout::env = offsetof(mlcrt_frame, env);
const int64_t FrameLayout::buffers = offsetof(mlcrt_frame, buffers);
const int64_t FrameLayout::workspaces = offsetof(mlcrt_frame, workspaces);
const int64_t FrameLayout::bufferSize = sizeof(mlcrt_buffer);
const int64_t FrameLayout::bufferData = offsetof(mlcrt_buffer, data);
const int64_t FrameLayout::bufferDtype = offsetof(mlcrt_buffer, dtype);
const int64_t FrameLayout::bufferRank = offsetof(mlcrt_buffer, rank);
const int64_t FrameLayout::bufferDims = offsetof(mlcrt_buffer, dims);
const int64_t FrameLayout::bufferStrides = offsetof(mlcrt_buffer, strides);
const int64_t FrameLayout::memorySize = sizeof(mlcrt_memory);
const int64_t FrameLayout::memoryData = offsetof(mlcrt_memory, data);

int64_t FrameLayout::serviceOffset(StringRef name) {
#define MLCRT_SERVICE(service, parameters)                                                                             \
  if (name == #service)                                                                                                \
    return offsetof(mlcrt_services, service);
#include "mlcrt/services.def"
#undef MLCRT_SERVICE
  return -1;
}

static Value fieldAddress(OpBuilder &b, Location loc, Value pointer, int64_t offset) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  return offset ? Value(LLVM::GEPOp::create(b, loc, ptr, b.getI8Type(), pointer,
                                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)}))
                : pointer;
}

Value mlc::loadField(OpBuilder &b, Location loc, Value pointer, int64_t offset, Type type) {
  return LLVM::LoadOp::create(b, loc, type, fieldAddress(b, loc, pointer, offset));
}

void mlc::storeField(OpBuilder &b, Location loc, Value value, Value pointer, int64_t offset) {
  LLVM::StoreOp::create(b, loc, value, fieldAddress(b, loc, pointer, offset));
}

Value mlc::loadSize(OpBuilder &b, Location loc, Value buffer, int64_t offset, int64_t dimension) {
  Value dims = loadField(b, loc, buffer, offset + FrameLayout::bufferDims, LLVM::LLVMPointerType::get(b.getContext()));
  return loadField(b, loc, dims, 8 * dimension, b.getI64Type());
}

/// The descriptor that the memref lowering gives a memref of this rank, whose pointers are of type `ptr`.
static LLVM::LLVMStructType descriptorType(Type ptr, int64_t rank) {
  MLIRContext *context = ptr.getContext();
  auto i64 = IntegerType::get(context, 64);
  SmallVector<Type> fields = {ptr, ptr, i64};
  if (rank) {
    auto array = LLVM::LLVMArrayType::get(i64, rank);
    fields.append({array, array});
  }
  return LLVM::LLVMStructType::getLiteral(context, fields);
}

Value mlc::memrefFromPointer(OpBuilder &b, Location loc, Value pointer, MemRefType type, ValueRange sizes) {
  int64_t rank = type.getRank();
  auto i64 = b.getI64Type();
  auto constant = [&](int64_t v) { return Value(LLVM::ConstantOp::create(b, loc, i64, v)); };
  Value descriptor = LLVM::PoisonOp::create(b, loc, descriptorType(pointer.getType(), rank));
  auto insert = [&](Value v, ArrayRef<int64_t> at) {
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, v, at);
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(constant(0), {2});
  Value stride = constant(1);
  size_t next = sizes.size();
  for (int64_t d = rank - 1; d >= 0; --d) {
    Value size = type.isDynamicDim(d) ? sizes[--next] : constant(type.getDimSize(d));
    insert(size, {3, d});
    insert(stride, {4, d});
    if (d)
      stride = LLVM::MulOp::create(b, loc, stride, size);
  }
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor).getResult(0);
}

Value mlc::bytesOf(OpBuilder &b, Location loc, MemRefType type, ValueRange sizes) {
  auto i64 = b.getI64Type();
  Value bytes = LLVM::ConstantOp::create(b, loc, i64, kern::elementBytes(type));
  auto pair = LLVM::LLVMStructType::getLiteral(b.getContext(), {i64, b.getI1Type()});
  Value most = LLVM::ConstantOp::create(b, loc, i64, std::numeric_limits<int64_t>::max());
  int64_t known = 1;
  for (int64_t size : type.getShape())
    known *= ShapedType::isDynamic(size) ? 1 : size;
  bytes = LLVM::MulOp::create(b, loc, bytes, LLVM::ConstantOp::create(b, loc, i64, known));
  for (Value size : sizes) {
    Value product = LLVM::UMulWithOverflowOp::create(b, loc, pair, bytes, size);
    bytes = LLVM::SelectOp::create(b, loc, LLVM::ExtractValueOp::create(b, loc, product, ArrayRef<int64_t>{1}), most,
                                   LLVM::ExtractValueOp::create(b, loc, product, ArrayRef<int64_t>{0}));
  }
  return bytes;
}

/// The pointer to a buffer's first element, ignoring the offset of the view that `memref` may be. Looks through views,
/// so that buffers whose pointers are all that is used need no descriptors.
static Value basePointer(OpBuilder &b, Location loc, Value memref) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  Operation *op = memref.getDefiningOp();
  if (op && isa<memref::ReinterpretCastOp, memref::CastOp, memref::SubViewOp, memref::ExtractStridedMetadataOp,
                memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
    return basePointer(b, loc, op->getOperand(0));
  if (auto view = dyn_cast_or_null<memref::ViewOp>(op)) {
    Value shift = arith::IndexCastOp::create(b, loc, b.getI64Type(), view.getByteShift());
    return LLVM::GEPOp::create(b, loc, ptr, b.getI8Type(), basePointer(b, loc, view.getSource()),
                               ArrayRef<LLVM::GEPArg>{shift});
  }
  if (auto made = dyn_cast_or_null<UnrealizedConversionCastOp>(op); made && made.getInputs().size() == 1) {
    Value descriptor = made.getInputs()[0];
    while (auto insert = descriptor.getDefiningOp<LLVM::InsertValueOp>()) {
      if (insert.getPosition() == ArrayRef<int64_t>{1})
        return insert.getValue();
      descriptor = insert.getContainer();
    }
  }
  auto type = cast<MemRefType>(memref.getType());
  Value descriptor =
      UnrealizedConversionCastOp::create(b, loc, descriptorType(ptr, type.getRank()), memref).getResult(0);
  return LLVM::ExtractValueOp::create(b, loc, descriptor, ArrayRef<int64_t>{1});
}

Value mlc::pointerOf(OpBuilder &b, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  Value base = basePointer(b, loc, memref);
  SmallVector<int64_t> strides;
  int64_t constantOffset = ShapedType::kDynamic;
  if (succeeded(type.getStridesAndOffset(strides, constantOffset)) && constantOffset == 0)
    return base;
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  if (llvm::isInt<32>(constantOffset))
    return LLVM::GEPOp::create(b, loc, ptr, type.getElementType(), base,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(constantOffset)});
  Value offset;
  if (ShapedType::isDynamic(constantOffset)) {
    Value descriptor =
        UnrealizedConversionCastOp::create(b, loc, descriptorType(ptr, type.getRank()), memref).getResult(0);
    offset = LLVM::ExtractValueOp::create(b, loc, descriptor, ArrayRef<int64_t>{2});
  } else {
    offset = LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(constantOffset));
  }
  return LLVM::GEPOp::create(b, loc, ptr, type.getElementType(), base, ArrayRef<LLVM::GEPArg>{offset});
}

LLVM::GlobalOp mlc::makeConstantTable(ModuleOp module, Location loc, ArrayRef<int64_t> numbers) {
  SymbolTable symbols(module);
  OpBuilder b(module.getContext());
  auto type = LLVM::LLVMArrayType::get(b.getI64Type(), numbers.size());
  auto table = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Private, "table",
                                      b.getI64TensorAttr(numbers));
  symbols.insert(table, module.getBody()->begin());
  return table;
}

LLVM::GlobalOp mlc::makeConstantText(ModuleOp module, Location loc, StringRef name, StringRef text) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  std::string bytes = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  return LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Private, name,
                                b.getStringAttr(bytes));
}
