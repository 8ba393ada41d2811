// Which values the elements of integer tensors can have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/IntegerRanges.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlc::df;

std::optional<IntegerRange> IntegerRanges::join(ValueRange values) {
  Range all;
  for (Value value : values) {
    Range range = get(value);
    if (!range)
      return std::nullopt;
    all = all ? all->with(*range) : *range;
  }
  return all;
}

static std::optional<IntegerRange> sumOf(std::optional<IntegerRange> x, std::optional<IntegerRange> y) {
  IntegerRange sum;
  if (!x || !y || llvm::AddOverflow(x->least, y->least, sum.least) || llvm::AddOverflow(x->most, y->most, sum.most))
    return std::nullopt;
  return sum;
}

/// Of parts along an axis to each of which numbers of its own are added, as the ids of tables are where these lie one
/// after another: what each part comes to.
std::optional<IntegerRange> IntegerRanges::rangeOfShiftedParts(ValueRange parts, int64_t axis, Value shift) {
  auto broadcast = shift.getDefiningOp<BroadcastOp>();
  auto constant = broadcast ? broadcast.getOperand().getDefiningOp<ConstantOp>() : ConstantOp();
  auto numbers = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : DenseIntElementsAttr();
  if (!numbers || numbers.getType().getRank() != 1 || broadcast.getDimensions() != ArrayRef(axis))
    return std::nullopt;
  auto number = numbers.value_begin<APInt>();
  Range all;
  for (Value part : parts) {
    int64_t size = cast<RankedTensorType>(part.getType()).getDimSize(axis);
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    Range of = get(part);
    // Checked columns have bounds of their own.
    auto check = part.getDefiningOp<CheckIdsOp>();
    ArrayAttr columns = check && axis == 1 && trusts(check) ? check.getColumnsAttr() : ArrayAttr();
    for (int64_t i = 0; i < size; ++i) {
      if (columns)
        of = IntegerRange{static_cast<int64_t>(check.getLow()), cast<IdColumnAttr>(columns[i]).getHigh() - 1};
      int64_t by = (*number++).getSExtValue();
      Range range = sumOf(of, IntegerRange{by, by});
      if (!range)
        return std::nullopt;
      all = all ? all->with(*range) : *range;
    }
  }
  return all;
}

std::optional<IntegerRange> IntegerRanges::rangeOf(OpResult result) {
  Operation *op = result.getOwner();
  // Of a check that may not have run yet, what it checks is all that is known.
  if (auto check = dyn_cast<CheckIdsOp>(op); check && !trusts(check))
    return get(check.getIds());
  if (auto add = dyn_cast<AddOp>(op)) {
    auto parts = add.getLhs().getDefiningOp<ConcatOp>();
    Value whole = add.getLhs();
    if (parts || whole.getDefiningOp<CheckIdsOp>())
      if (Range range = rangeOfShiftedParts(parts ? ValueRange(parts.getOperands()) : ValueRange(whole),
                                            parts ? static_cast<int64_t>(parts.getAxis()) : 1, add.getRhs()))
        return range;
  }
  if (auto inferring = dyn_cast<IntegerRangeOpInterface>(op))
    return inferring.inferIntegerRange(result,
                                       llvm::map_to_vector(op->getOperands(), [&](Value value) { return get(value); }));
  if (auto movement = dyn_cast<MovementOpInterface>(op)) {
    Range range = join(movement.getMovedOperands());
    return range && movement.mayAddZeros() ? range->with({0, 0}) : range;
  }
  return std::nullopt;
}

std::optional<IntegerRange> IntegerRanges::get(Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!result || !type || !type.getElementType().isSignlessInteger())
    return std::nullopt;
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Range range = rangeOf(result);
  known[value] = range;
  return range;
}
