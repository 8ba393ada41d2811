// Which integers ops make (IntegerRangeOpInterface).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

using Integers = std::optional<IntegerRange>;

/// Positions along a dimension of `size`; none known of a dynamic one.
static Integers below(int64_t size) {
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  return IntegerRange{0, std::max<int64_t>(size - 1, 0)};
}

Integers ConstantOp::inferIntegerRange(OpResult, ArrayRef<Integers>) {
  auto elements = dyn_cast<DenseIntElementsAttr>(getValue());
  if (!elements || elements.getNumElements() == 0)
    return std::nullopt;
  auto rangeOf = [](const APInt &value) {
    int64_t number = value.getBitWidth() == 1 ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue();
    return IntegerRange{number, number};
  };
  if (elements.isSplat())
    return rangeOf(elements.getSplatValue<APInt>());
  IntegerRange range = rangeOf(*elements.value_begin<APInt>());
  for (const APInt &value : elements.getValues<APInt>())
    range = range.with(rangeOf(value));
  return range;
}

//===-- ids and positions -------------------------------------------------------------------===//

/// Positions of a vocabulary, and what stands for terms that it has not.
Integers LookupOp::inferIntegerRange(OpResult, ArrayRef<Integers>) {
  auto table = SymbolTable::lookupNearestSymbolFrom<VocabularyOp>(*this, getTableAttr());
  if (!table)
    return std::nullopt;
  auto positions = static_cast<int64_t>(table.getTerms().size() + table.getNumOov());
  auto fallback = static_cast<int64_t>(table.getDefaultValue());
  IntegerRange range{0, positions - 1};
  if (positions == 0)
    range = {fallback, fallback};
  return table.getNumOov() == 0 ? range.with({fallback, fallback}) : range;
}

Integers HashBucketOp::inferIntegerRange(OpResult, ArrayRef<Integers>) {
  return IntegerRange{0, static_cast<int64_t>(getBuckets()) - 1};
}

Integers BucketizeOp::inferIntegerRange(OpResult, ArrayRef<Integers>) {
  return IntegerRange{0, static_cast<int64_t>(getBoundaries().size())};
}

Integers CheckIdsOp::inferIntegerRange(OpResult, ArrayRef<Integers> operands) {
  IntegerRange range{static_cast<int64_t>(getLow()), static_cast<int64_t>(getHigh()) - 1};
  if (Integers before = operands.front())
    range = {std::max(range.least, before->least), std::min(range.most, before->most)};
  return range;
}

Integers IotaOp::inferIntegerRange(OpResult, ArrayRef<Integers>) {
  return below(getType().getDimSize(static_cast<int64_t>(getAxis())));
}
Integers ArgmaxOp::inferIntegerRange(OpResult, ArrayRef<Integers>) {
  return below(shapeOf(getOperand().getType())[axisOf(*this)]);
}
Integers ArgminOp::inferIntegerRange(OpResult, ArrayRef<Integers>) {
  return below(shapeOf(getOperand().getType())[axisOf(*this)]);
}
Integers ArgsortOp::inferIntegerRange(OpResult, ArrayRef<Integers>) {
  return below(shapeOf(getOperand().getType())[axisOf(*this)]);
}

//===-- arithmetic --------------------------------------------------------------------------===//

Integers CompareOp::inferIntegerRange(OpResult, ArrayRef<Integers>) { return IntegerRange{0, 1}; }

Integers CastOp::inferIntegerRange(OpResult, ArrayRef<Integers> operands) {
  Type from = elementType(getOperand().getType()), to = elementType(getType());
  if (from.isInteger(1))
    return IntegerRange{0, 1};
  if (!from.isIntOrFloat() || !to.isSignlessInteger())
    return std::nullopt;
  const unsigned bits = from.getIntOrFloatBitWidth(), toBits = to.getIntOrFloatBitWidth();
  if (from.isUnsignedInteger() && bits < toBits)
    return IntegerRange{0, static_cast<int64_t>(llvm::maskTrailingOnes<uint64_t>(bits))};
  return from.isSignlessInteger() && bits <= toBits ? operands.front() : std::nullopt;
}

/// `range` where an integer of `type` holds all of it; narrower ones wrap around before 64 bits do.
static Integers withoutWrap(Type type, IntegerRange range) {
  const unsigned bits = elementType(type).getIntOrFloatBitWidth();
  return llvm::isIntN(bits, range.least) && llvm::isIntN(bits, range.most) ? Integers(range) : std::nullopt;
}

Integers AddOp::inferIntegerRange(OpResult, ArrayRef<Integers> operands) {
  Integers x = operands[0], y = operands[1];
  IntegerRange sum;
  if (!x || !y || llvm::AddOverflow(x->least, y->least, sum.least) || llvm::AddOverflow(x->most, y->most, sum.most))
    return std::nullopt;
  return withoutWrap(getType(), sum);
}

Integers SubOp::inferIntegerRange(OpResult, ArrayRef<Integers> operands) {
  Integers x = operands[0], y = operands[1];
  IntegerRange difference;
  if (!x || !y || llvm::SubOverflow(x->least, y->most, difference.least) ||
      llvm::SubOverflow(x->most, y->least, difference.most))
    return std::nullopt;
  return withoutWrap(getType(), difference);
}

Integers MulOp::inferIntegerRange(OpResult, ArrayRef<Integers> operands) {
  Integers x = operands[0], y = operands[1], all;
  if (!x || !y)
    return std::nullopt;
  for (int64_t a : {x->least, x->most})
    for (int64_t b : {y->least, y->most}) {
      int64_t corner;
      if (llvm::MulOverflow(a, b, corner))
        return std::nullopt;
      all = all ? all->with({corner, corner}) : IntegerRange{corner, corner};
    }
  return withoutWrap(getType(), *all);
}

Integers BitwiseAndOp::inferIntegerRange(OpResult, ArrayRef<Integers> operands) {
  Integers all;
  for (Integers x : operands)
    if (x && x->least >= 0)
      all = IntegerRange{0, all ? std::min(all->most, x->most) : x->most};
  return all;
}

Integers ShiftRightLogicalOp::inferIntegerRange(OpResult, ArrayRef<Integers> operands) {
  Integers x = operands[0], by = operands[1];
  if (!x || !by || x->least < 0 || by->least < 0 || by->most >= elementType(getType()).getIntOrFloatBitWidth())
    return std::nullopt;
  return IntegerRange{x->least >> by->most, x->most >> by->least};
}

Integers MaximumOp::inferIntegerRange(OpResult, ArrayRef<Integers> operands) {
  Integers x = operands[0], y = operands[1];
  if (!x || !y)
    return std::nullopt;
  return IntegerRange{std::max(x->least, y->least), std::max(x->most, y->most)};
}

Integers MinimumOp::inferIntegerRange(OpResult, ArrayRef<Integers> operands) {
  Integers x = operands[0], y = operands[1];
  if (!x || !y)
    return std::nullopt;
  return IntegerRange{std::min(x->least, y->least), std::min(x->most, y->most)};
}

/// The sign is the divisor's.
Integers FloorModOp::inferIntegerRange(OpResult, ArrayRef<Integers> operands) {
  Integers divisor = operands[1];
  return divisor && divisor->least > 0 ? Integers(IntegerRange{0, divisor->most - 1}) : std::nullopt;
}
