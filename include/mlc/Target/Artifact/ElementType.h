// Element types as the runtime calls them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_ARTIFACT_ELEMENTTYPE_H
#define MLC_TARGET_ARTIFACT_ELEMENTTYPE_H

#include "dialects/Df/IR/Df.h"
#include "mlcrt/abi.h"

namespace mlc {

/// The runtime's name of an element type of df; none of what it has no name of.
inline std::optional<mlcrt_dtype> dtypeOf(mlir::Type element) {
  if (element.isF32())
    return MLCRT_F32;
  if (element.isF64())
    return MLCRT_F64;
  if (element.isF16())
    return MLCRT_F16;
  if (element.isBF16())
    return MLCRT_BF16;
  if (llvm::isa<df::StringType>(element))
    return MLCRT_STRING;
  auto integer = llvm::dyn_cast<mlir::IntegerType>(element);
  if (!integer)
    return std::nullopt;
  const bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return MLCRT_BOOL;
  case 8:
    return isUnsigned ? MLCRT_U8 : MLCRT_I8;
  case 16:
    return isUnsigned ? MLCRT_U16 : MLCRT_I16;
  case 32:
    return isUnsigned ? MLCRT_U32 : MLCRT_I32;
  case 64:
    return isUnsigned ? MLCRT_U64 : MLCRT_I64;
  default:
    return std::nullopt;
  }
}

} // namespace mlc

#endif // MLC_TARGET_ARTIFACT_ELEMENTTYPE_H
