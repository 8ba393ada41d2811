// The df dialect: dataflow graphs with state. Types, attributes and interfaces; ops are in the headers of
// their themes (DfStateOps.h, ...).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DF_H
#define DIALECTS_DF_IR_DF_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Mutex.h"

#include "dialects/Df/IR/DfBounds.h"
#include "dialects/Df/IR/DfDimensions.h"
#include "dialects/Df/IR/DfInference.h"
#include "dialects/Df/IR/DfIntegerRange.h"
#include "dialects/Df/IR/DfOpsDialect.h.inc"
#include "dialects/Df/IR/DfOpsEnums.h.inc"
#include "dialects/Df/IR/DfSizeRule.h"
#include "dialects/Df/IR/DfSpeculation.h"
#include "dialects/Df/IR/DfStateAccess.h"
#include "dialects/Df/IR/DfWork.h"

#define GET_TYPEDEF_CLASSES
#include "dialects/Df/IR/DfOpsTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Df/IR/DfOpsAttrs.h.inc"

namespace mlc::df {

/// All state of a module as one effect resource: keeps upstream passes from reordering state ops.
struct StateResource : public mlir::SideEffects::Resource::Base<StateResource> {
  llvm::StringRef getName() final { return "df.state"; }
};

/// Where checks report errors, which nothing reads: an op with no other effect may run ahead of its place.
struct ErrorResource : public mlir::SideEffects::Resource::Base<ErrorResource> {
  llvm::StringRef getName() final { return "df.errors"; }
};

/// Fails if `op` has an attribute that neither its definition declares nor belongs to a dialect, as a misspelt one.
llvm::LogicalResult verifyDeclaredAttributes(mlir::Operation *op);

/// More elements than this no tensor has, as far as its static dimensions tell: numbers of elements and of bytes do
/// not overflow.
inline constexpr int64_t kMostElements = int64_t(1) << 58;
/// Dimension symbols are numbered from 0 up to this; tables of an artifact are as long as the largest.
inline constexpr int64_t kMostSymbols = int64_t(1) << 20;
/// Whether the static dimensions of `type` (which may be any type) make at most kMostElements.
bool hasBoundedSize(mlir::Type type);
/// Fails if a result of `op`, or an argument of its regions, has more elements than that.
llvm::LogicalResult verifyBoundedSizes(mlir::Operation *op);

/// Trait of all ops of the dialect.
template <typename ConcreteType>
class DeclaredAttributes : public mlir::OpTrait::TraitBase<ConcreteType, DeclaredAttributes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifyDeclaredAttributes(op); }
};
/// Trait of all ops of the dialect.
template <typename ConcreteType> class BoundedSizes : public mlir::OpTrait::TraitBase<ConcreteType, BoundedSizes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifyBoundedSizes(op); }
};

} // namespace mlc::df

#include "dialects/Df/IR/DfInterfaces.h.inc"

namespace mlc::df {

/// Which dimensions of an op are one, as it tells (`DimensionsOpInterface`); no sets if it does not.
DimensionMapping getDimensions(mlir::Operation *op);

/// Whether all that the op does beside its results is to report errors.
bool hasNoEffectButErrors(mlir::Operation *op);

/// Whether the op makes no elements: those of its results are of constants, or of operands, converted at most.
bool carriesElements(mlir::Operation *op);

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DF_H
