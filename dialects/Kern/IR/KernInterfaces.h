// The interfaces of kern's service ops and kernels: what passes know of a call or a kernel, whichever it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_KERN_IR_KERNINTERFACES_H
#define DIALECTS_KERN_IR_KERNINTERFACES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlc::kern {

/// What a call hands to a parameter of a service's C function.
struct ServiceArgument {
  enum class Kind {
    Pointer,  ///< to the elements of `value`; null without one
    Size,     ///< the number of elements of `value`, an i64
    Number,   ///< the i64 that `value` holds
    Constant, ///< `attribute`, an integer of 32 or 64 bits
    Text      ///< a pointer to the null-terminated bytes of `attribute`; null without one
  };

  static ServiceArgument pointer(mlir::Value value) { return {Kind::Pointer, value, {}}; }
  static ServiceArgument sizeOf(mlir::Value value) { return {Kind::Size, value, {}}; }
  /// The number of a text's bytes.
  static ServiceArgument sizeOf(mlir::StringAttr text);
  static ServiceArgument number(mlir::Value value) { return {Kind::Number, value, {}}; }
  static ServiceArgument constant(mlir::IntegerAttr attribute) { return {Kind::Constant, {}, attribute}; }
  static ServiceArgument text(mlir::StringAttr attribute) { return {Kind::Text, {}, attribute}; }

  Kind kind;
  mlir::Value value;
  mlir::Attribute attribute;
};

namespace detail {
mlir::LogicalResult verifyServiceOp(mlir::Operation *op);

/// On memrefs a service reads what it takes and writes its destinations. One that must run writes what is nowhere told.
void getServiceEffects(mlir::Operation *op,
                       llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);

/// Whether a shaped type holds what a pointer to `uint8_t`, to `mlcrt_string`, or a number is made of.
bool holdsBytes(mlir::Type type);
bool holdsStrings(mlir::Type type);
bool holdsNumber(mlir::Type type);

/// The types of results for these destinations.
llvm::SmallVector<mlir::Type> resultTypesOf(llvm::ArrayRef<mlir::Value> outs);
} // namespace detail

/// Whether the elements of each row (all but the first dimension) lie one after another, as far as sizes are known.
bool hasContiguousRows(mlir::MemRefType type);

/// Trait of kernels that take the elements of rows one after another.
template <typename ConcreteType>
class TakesContiguousRows : public mlir::OpTrait::TraitBase<ConcreteType, TakesContiguousRows> {};

} // namespace mlc::kern

#include "dialects/Kern/IR/KernInterfaces.h.inc"

#endif // DIALECTS_KERN_IR_KERNINTERFACES_H
