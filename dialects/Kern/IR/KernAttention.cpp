// Kern's attention: classes, effects, verifiers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/KernAttention.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlc::kern;

#define GET_OP_CLASSES
#include "dialects/Kern/IR/KernAttention.cpp.inc"

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// On memrefs: reads what it takes, writes its outs. On tensors: none.
static void addEffects(DestinationStyleOpInterface op, Effects &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}
void AttentionOp::getEffects(Effects &effects) { addEffects(*this, effects); }
void AttentionGradOp::getEffects(Effects &effects) { addEffects(*this, effects); }

/// Whether the value has elements of `element` and this shape, as far as sizes are known.
static bool isOf(Value value, ArrayRef<int64_t> shape, Type element) {
  auto type = cast<ShapedType>(value.getType());
  return type.getElementType() == element && succeeded(verifyCompatibleShape(type.getShape(), shape));
}
static bool isOf(Value value, ArrayRef<int64_t> shape) {
  return isOf(value, shape, Float32Type::get(value.getContext()));
}

/// (C1) of both, and what masks have to be. `scores`: [b.., t, s].
template <typename Op>
static LogicalResult verifyFactors(Op op, StringRef maskConstraint, SmallVector<int64_t> &scores) {
  auto query = cast<ShapedType>(op.getQuery().getType()), key = cast<ShapedType>(op.getKey().getType());
  auto value = cast<ShapedType>(op.getValue().getType());
  const int64_t rank = query.getRank();
  auto error = [&] {
    return op.emitOpError(
               "(C1) needs query [b.., t, d], key [b.., s, d] and value [b.., s, e] of f32, bf16 or f16, d and e "
               "static; found ")
           << query << ", " << key << " and " << value;
  };
  if (rank < 2 || key.getRank() != rank || value.getRank() != rank || query.isDynamicDim(rank - 1) ||
      value.isDynamicDim(rank - 1))
    return error();
  SmallVector<int64_t> ofKey(query.getShape()), ofValue(query.getShape());
  ofKey[rank - 2] = key.getDimSize(rank - 2);
  ofValue[rank - 2] = key.getDimSize(rank - 2);
  ofValue[rank - 1] = value.getDimSize(rank - 1);
  Type element = query.getElementType();
  if (!(element.isF32() || element.isBF16() || element.isF16()) || key.isDynamicDim(rank - 1) ||
      !isOf(op.getKey(), ofKey, element) || !isOf(op.getValue(), ofValue, element))
    return error();
  scores.assign(query.getShape().begin(), query.getShape().end());
  scores[rank - 1] = key.getDimSize(rank - 2);
  if (!op.getMask())
    return success();
  auto mask = cast<ShapedType>(op.getMask().getType());
  const ArrayRef<int64_t> all = scores;
  const bool isShaped = succeeded(verifyCompatibleShape(mask.getShape(), all)) ||
                        succeeded(verifyCompatibleShape(mask.getShape(), all.take_back(2)));
  if (isShaped && (mask.getElementType().isF32() || mask.getElementType().isInteger(8)))
    return success();
  return op.emitOpError() << maskConstraint << " the mask must be [t, s] or [b.., t, s] of f32 or i8; found " << mask;
}

LogicalResult AttentionOp::verify() {
  SmallVector<int64_t> shape;
  if (failed(verifyFactors(*this, "(C3)", shape)))
    return failure();
  const SmallVector<int64_t> rows(ArrayRef<int64_t>(shape).drop_back());
  shape.back() = cast<ShapedType>(getValue().getType()).getShape().back();
  if (getOuts().size() != 3 || !isOf(getOuts()[0], shape) || !isOf(getOuts()[1], rows) || !isOf(getOuts()[2], rows))
    return emitOpError("(C2) outs must be [b.., t, e] and two of [b.., t], of f32; found ") << getOuts().getTypes();
  return success();
}

LogicalResult AttentionGradOp::verify() {
  SmallVector<int64_t> shape;
  if (failed(verifyFactors(*this, "(C1)", shape)))
    return failure();
  const SmallVector<int64_t> rows(ArrayRef<int64_t>(shape).drop_back());
  shape.back() = cast<ShapedType>(getValue().getType()).getShape().back();
  Type element = cast<ShapedType>(getQuery().getType()).getElementType();
  if (!isOf(getCotangent(), shape, element) || !isOf(getMaxima(), rows) || !isOf(getSums(), rows) ||
      !isOf(getDots(), rows))
    return emitOpError("(C2) the cotangent must be [b.., t, e] of query's elements, maxima, sums and dots [b.., t] of "
                       "f32; found ")
           << getCotangent().getType() << ", " << getMaxima().getType() << ", " << getSums().getType() << " and "
           << getDots().getType();
  auto isLike = [](Value out, Value like) { return isOf(out, cast<ShapedType>(like.getType()).getShape()); };
  if (getOuts().size() != 3 || !isLike(getOuts()[0], getQuery()) || !isLike(getOuts()[1], getKey()) ||
      !isLike(getOuts()[2], getValue()))
    return emitOpError("(C3) outs must have the shapes of query, key and value, of f32; found ")
           << getOuts().getTypes();
  return success();
}
