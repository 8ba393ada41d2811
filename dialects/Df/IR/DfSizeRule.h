// The dialect's rule for sizes, and types by it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFSIZERULE_H
#define DIALECTS_DF_IR_DFSIZERULE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"

namespace mlc::df {

/// The rule: an unknown size agrees with every other. Whether sizes do agree is checked at run time where nothing shows
/// it (`df-require-sizes`).
inline bool agree(int64_t a, int64_t b) {
  return a == b || mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b);
}
/// Of shapes: all sizes, of one rank.
bool agree(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
/// Of types: tensors of one element type whose shapes agree, and equal types.
bool agree(mlir::Type a, mlir::Type b);
/// Of all types of two lists, one by one.
bool agree(mlir::TypeRange a, mlir::TypeRange b);
/// The shapes of two tensors.
bool agreeInShape(mlir::Type a, mlir::Type b);

/// Whether `value`, an operand or a result of `op`, has the type that the op computes for it. Where one of the two does
/// not know a size that the other one knows, the dimension must be one of several that the op tells to be equally large
/// (`DimensionsOpInterface`), which are checked at run time. A size that the op makes is declared as it is computed.
bool fits(mlir::Operation *op, mlir::Value value, mlir::Type expected);
bool fits(mlir::Operation *op, mlir::Value value, llvm::ArrayRef<int64_t> expected);

/// What is known of a size of which two types tell, which agree.
inline int64_t joinSizes(int64_t a, int64_t b) { return mlir::ShapedType::isDynamic(a) ? b : a; }
/// The type that knows each size that one of two types knows; null if they do not agree.
mlir::Type joinTypes(mlir::Type a, mlir::Type b);

/// Whether `types` agree with each other.
bool allAgree(llvm::ArrayRef<mlir::Type> types);

// The assembly form of such types: one if they are equal, else `(operands) -> result`.
mlir::ParseResult parseJoinedTypes(mlir::OpAsmParser &parser, llvm::ArrayRef<mlir::Type *> operands,
                                   mlir::Type &result);
void printJoinedTypes(mlir::OpAsmPrinter &printer, llvm::ArrayRef<mlir::Type> operands, mlir::Type result);

inline mlir::ParseResult parseJoinedTypes(mlir::OpAsmParser &parser, mlir::Type &operand, mlir::Type &result) {
  return parseJoinedTypes(parser, {&operand}, result);
}
inline mlir::ParseResult parseJoinedTypes(mlir::OpAsmParser &parser, mlir::Type &a, mlir::Type &b, mlir::Type &result) {
  return parseJoinedTypes(parser, {&a, &b}, result);
}
inline mlir::ParseResult parseJoinedTypes(mlir::OpAsmParser &parser, mlir::Type &a, mlir::Type &b, mlir::Type &c,
                                          mlir::Type &result) {
  return parseJoinedTypes(parser, {&a, &b, &c}, result);
}
inline void printJoinedTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type operand, mlir::Type result) {
  printJoinedTypes(printer, {operand}, result);
}
inline void printJoinedTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type a, mlir::Type b,
                             mlir::Type result) {
  printJoinedTypes(printer, {a, b}, result);
}
inline void printJoinedTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type a, mlir::Type b, mlir::Type c,
                             mlir::Type result) {
  printJoinedTypes(printer, {a, b, c}, result);
}

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFSIZERULE_H
