//===- Est.h - The est dialect: types, attributes and ops ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_EST_IR_EST_H
#define DIALECTS_EST_IR_EST_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Est/IR/EstDialect.h.inc"
#include "dialects/Est/IR/EstEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Est/IR/EstTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Est/IR/EstAttrs.h.inc"

namespace mlc::est {
/// Numbers per row of a dense column or of logits, or per step of a sequence or of logits of steps.
int64_t getDimension(mlir::Type numbers);
} // namespace mlc::est

#define GET_OP_CLASSES
#include "dialects/Est/IR/Est.h.inc"

namespace mlc::est {

/// The start of a cross's hash where the spec sets none (0xDECAFCAFFE, tf's).
inline constexpr int64_t kDefaultHashKey = 0xDECAFCAFFE;

/// The name of the feature column that `value` is a result of; empty if it is not one.
llvm::StringRef getColumnName(mlir::Value value);

/// The feature whose values are the ids of a categorical column; null for a cross.
FeatureOp getIdFeature(mlir::Value categorical);

/// Ids in each row of a categorical column: -1 if any number of them.
int64_t getIdsPerRow(mlir::Value categorical);

/// The type of the numbers that a normalizer that is a function takes and gives: float32, [rows, dimensions of a row],
/// of single numbers [rows, 1].
mlir::RankedTensorType getNormalizedType(FeatureType feature);

/// What keeps `function` from being a normalizer of a feature; empty: nothing.
std::string whyNoNormalizer(mlir::FunctionOpInterface function, FeatureType feature);

/// Whether the logits of a head are of each step of a row: its label has a value for each of them, and so have weights.
bool isOfSteps(mlir::Operation *head);

/// The logits of bodies that a head takes, or takes a part of.
llvm::SmallVector<mlir::Value> bodiesOfHead(mlir::Operation *head);

/// The number of the first of those logits that is the head's, and how many are.
int64_t firstLogitOfHead(mlir::Operation *head);
int64_t countLogitsOfHead(mlir::Operation *head);

} // namespace mlc::est

#endif // DIALECTS_EST_IR_EST_H
