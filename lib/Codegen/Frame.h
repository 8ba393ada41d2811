// Access to mlcrt_frame and its buffers from LLVM dialect code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_FRAME_H
#define LIB_CODEGEN_FRAME_H

#include "dialects/Mlc/IR/Mlc.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlc {

/// Byte offsets of the fields of mlcrt/abi.h that compiled code reads.
struct FrameLayout {
  static const int64_t services, env, buffers, workspaces;
  static const int64_t bufferSize, bufferData, bufferDtype, bufferRank, bufferDims, bufferStrides;
  static const int64_t memorySize, memoryData;
  /// Offset of a service's function in mlcrt_services, or -1 if there is none of that name.
  static int64_t serviceOffset(llvm::StringRef name);
};

/// Loads a value of `type` at `pointer` + `offset` bytes.
mlir::Value loadField(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer, int64_t offset, mlir::Type type);

/// Stores `value` at `pointer` + `offset` bytes.
void storeField(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Value pointer, int64_t offset);

/// The size of dimension `dimension` that a buffer at `buffer` + `offset` bytes has, as i64.
mlir::Value loadSize(mlir::OpBuilder &b, mlir::Location loc, mlir::Value buffer, int64_t offset, int64_t dimension);

/// A memref over `pointer` with the layout of `type`; `sizes` are its dynamic sizes (i64).
mlir::Value memrefFromPointer(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer, mlir::MemRefType type,
                              mlir::ValueRange sizes);

/// The bytes of a buffer with these dynamic sizes (i64). A product beyond 64 bits stays there, which no memory has; it
/// would be a small number otherwise.
mlir::Value bytesOf(mlir::OpBuilder &b, mlir::Location loc, mlir::MemRefType type, mlir::ValueRange sizes);

/// A constant table of the module.
mlir::LLVM::GlobalOp makeConstantTable(mlir::ModuleOp module, mlir::Location loc, llvm::ArrayRef<int64_t> numbers);

/// A null-terminated constant text of the module, whose symbol `name` is no other's.
mlir::LLVM::GlobalOp makeConstantText(mlir::ModuleOp module, mlir::Location loc, llvm::StringRef name,
                                      llvm::StringRef text);

/// The pointer to a memref's first element.
mlir::Value pointerOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memref);

} // namespace mlc

#endif // LIB_CODEGEN_FRAME_H
