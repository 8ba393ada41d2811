// Descriptors of tensors in the memory of a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/KernTensorMap.h"

using namespace mlir;
using namespace mlc::kern;

#define GET_OP_CLASSES
#include "dialects/Kern/IR/KernTensorMap.cpp.inc"

/// What the driver takes.
static constexpr int64_t kMostDimensions = 5, kMostOfBox = 256, kUnit = 16;

LogicalResult TensorMapOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  Type element = type.getElementType();
  if (type.getRank() != 1 || !type.getLayout().isIdentity() ||
      !(element.isF32() || element.isF16() || element.isBF16()))
    return emitOpError("(C1) the buffer must be flat, of f32, f16 or bf16; found ") << type;
  const int64_t bytes = element.getIntOrFloatBitWidth() / 8, rank = static_cast<int64_t>(getSizes().size());
  ArrayRef<int64_t> strides = getStrides(), box = getBox();
  if (rank < 1 || rank > kMostDimensions || static_cast<int64_t>(strides.size()) != rank ||
      static_cast<int64_t>(box.size()) != rank)
    return emitOpError("(C2) there must be 1 to 5 sizes, and as many strides and extents of the box; found ")
           << rank << ", " << strides.size() << " and " << box.size();
  auto isWhole = [&](int64_t elements) { return elements >= 0 && elements * bytes % kUnit == 0; };
  if (strides[0] != 1 || !isWhole(getOffset()) || !llvm::all_of(strides.drop_front(), isWhole))
    return emitOpError("(C2) the first stride must be 1, others, and the offset, multiples of 16 bytes");
  if (!llvm::all_of(box, [](int64_t extent) { return extent >= 1 && extent <= kMostOfBox; }))
    return emitOpError("(C3) a box must have 1 to 256 elements in each dimension");
  const auto swizzle = static_cast<int64_t>(getSwizzle());
  if (!llvm::is_contained<int64_t>({32, 64, 128}, swizzle) || box[0] * bytes != swizzle)
    return emitOpError("(C3) the swizzle must be 32, 64 or 128 bytes, as long as a row of the box; found ")
           << swizzle << " and rows of " << box[0] * bytes;
  return success();
}
