// Helpers of the df verifiers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFVERIFY_H
#define DIALECTS_DF_IR_DFVERIFY_H

#include "dialects/Df/IR/Df.h"

namespace mlc::df {

class VariableOp;
class VocabularyOp;

/// Whether two ranked tensors have the same dimensions (dynamic ones equal dynamic ones).
inline bool sameShape(mlir::Type a, mlir::Type b) {
  return llvm::cast<mlir::RankedTensorType>(a).getShape() == llvm::cast<mlir::RankedTensorType>(b).getShape();
}

inline mlir::Type elementType(mlir::Type t) { return llvm::cast<mlir::RankedTensorType>(t).getElementType(); }
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Type t) { return llvm::cast<mlir::RankedTensorType>(t).getShape(); }

/// Whether two shapes are one but for dimensions of 1.
bool differInUnits(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// Fails with `(C<n>) <what>: found A and B`.
llvm::LogicalResult verifyTypes(mlir::Operation *op, bool ok, llvm::StringRef constraint, mlir::Type found,
                                mlir::Type other);

/// Fails with (C1) unless `axes` are strictly ascending dimensions of `type`.
llvm::LogicalResult verifyAxes(mlir::Operation *op, mlir::Type type, llvm::ArrayRef<int64_t> axes);
/// Fails with `constraint` unless `axis`, the last one where it is not given, is a dimension of `type`.
llvm::LogicalResult verifyAxis(mlir::Operation *op, mlir::Type type, std::optional<uint64_t> axis,
                               llvm::StringRef constraint = "(C1)");
/// The axis that is given, else the last one of `type`.
inline int64_t axisOf(mlir::Type type, std::optional<uint64_t> axis) {
  return axis ? static_cast<int64_t>(*axis) : static_cast<int64_t>(shapeOf(type).size()) - 1;
}
/// The axis of an op, which is the last one of its first operand where it is not given.
template <typename Op> int64_t axisOf(Op op) { return axisOf(op->getOperand(0).getType(), op.getAxis()); }
/// `type` without the dimensions `axes`; and with those alone.
mlir::RankedTensorType withoutAxes(mlir::Type type, llvm::ArrayRef<int64_t> axes);
mlir::RankedTensorType onlyAxes(mlir::Type type, llvm::ArrayRef<int64_t> axes);

/// The type of `operand` without `axes`, which are checked.
llvm::LogicalResult inferReduced(TypeInference &infer, mlir::Value operand, llvm::ArrayRef<int64_t> axes);
/// A type without `axis`, which is checked, the last one where it is not given; of elements of type `element`.
llvm::LogicalResult inferWithoutAxis(TypeInference &infer, mlir::Type from, std::optional<uint64_t> axis,
                                     mlir::Type element);
/// The type that predictions and labels have without an axis.
llvm::LogicalResult inferAxisLoss(TypeInference &infer, mlir::Value predictions, mlir::Value labels,
                                  std::optional<uint64_t> axis);
/// A scalar.
llvm::LogicalResult inferScalar(TypeInference &infer, mlir::Type element);

/// Adds a note to an error about `symbol`, which names no SymbolOp: the nearest name of one.
void attachNearest(mlir::InFlightDiagnostic &diagnostic, llvm::StringRef name,
                   const std::vector<std::string> &candidates);
template <typename SymbolOp>
void attachNearestSymbol(mlir::InFlightDiagnostic &diagnostic, mlir::Operation *op, mlir::FlatSymbolRefAttr symbol) {
  std::vector<std::string> names;
  if (mlir::Operation *table = mlir::SymbolTable::getNearestSymbolTable(op))
    for (auto other : table->getRegion(0).getOps<SymbolOp>())
      names.push_back(("@" + other.getSymName()).str());
  attachNearest(diagnostic, ("@" + symbol.getValue()).str(), names);
}

/// The variable that `symbol` names, or null after an error at `op`.
VariableOp lookupVariable(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol, mlir::SymbolTableCollection &tables);
/// The table that `symbol` names, or null after an error at `op`.
VocabularyOp lookupVocabulary(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol, mlir::SymbolTableCollection &tables);

/// The shape of a table's row: its shape without the leading dimension.
inline mlir::RankedTensorType rowType(mlir::RankedTensorType table) {
  return mlir::RankedTensorType::get(table.getShape().drop_front(), table.getElementType());
}

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFVERIFY_H
