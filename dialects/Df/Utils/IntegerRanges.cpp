// Which values the elements of integer tensors can have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/IntegerRanges.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::df;

/// Positions along a dimension of `size`; none known of a dynamic one.
static std::optional<IntegerRange> below(int64_t size) {
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  return IntegerRange{0, std::max<int64_t>(size - 1, 0)};
}

static std::optional<IntegerRange> rangeOfConstant(ConstantOp op) {
  auto elements = dyn_cast<DenseIntElementsAttr>(op.getValue());
  if (!elements || elements.getNumElements() == 0 || elements.getElementType().isUnsignedInteger())
    return std::nullopt;
  auto valueOf = [](const APInt &value) {
    return value.getBitWidth() == 1 ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue();
  };
  if (elements.isSplat())
    return IntegerRange{valueOf(elements.getSplatValue<APInt>()), valueOf(elements.getSplatValue<APInt>())};
  IntegerRange range{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (const APInt &value : elements.getValues<APInt>()) {
    range.least = std::min(range.least, valueOf(value));
    range.most = std::max(range.most, valueOf(value));
  }
  return range;
}

/// Positions of a vocabulary, and what stands for terms that it has not.
static std::optional<IntegerRange> rangeOfLookup(LookupOp op) {
  auto table = SymbolTable::lookupNearestSymbolFrom<VocabularyOp>(op, op.getTableAttr());
  if (!table)
    return std::nullopt;
  auto terms = static_cast<int64_t>(table.getTerms().size()), oov = static_cast<int64_t>(table.getNumOov());
  int64_t least = terms + oov > 0 ? 0 : std::numeric_limits<int64_t>::max(), most = terms + oov - 1;
  if (oov == 0) {
    auto fallback = static_cast<int64_t>(table.getDefaultValue());
    least = std::min(least, fallback);
    most = std::max(most, fallback);
  }
  return IntegerRange{least, most};
}

std::optional<IntegerRange> IntegerRanges::join(ValueRange values) {
  Range all;
  for (Value value : values) {
    Range range = get(value);
    if (!range)
      return std::nullopt;
    all = all ? IntegerRange{std::min(all->least, range->least), std::max(all->most, range->most)} : *range;
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
      all = all ? IntegerRange{std::min(all->least, range->least), std::max(all->most, range->most)} : *range;
    }
  }
  return all;
}

std::optional<IntegerRange> IntegerRanges::rangeOf(OpResult result) {
  Operation *op = result.getOwner();
  auto with = [](Range range, int64_t value) -> Range {
    if (!range)
      return std::nullopt;
    return IntegerRange{std::min(range->least, value), std::max(range->most, value)};
  };
  return llvm::TypeSwitch<Operation *, Range>(op)
      .Case([](ConstantOp constant) { return rangeOfConstant(constant); })
      .Case([](LookupOp lookup) { return rangeOfLookup(lookup); })
      .Case([](HashBucketOp hash) -> Range { return IntegerRange{0, static_cast<int64_t>(hash.getBuckets()) - 1}; })
      .Case([](BucketizeOp buckets) -> Range {
        return IntegerRange{0, static_cast<int64_t>(buckets.getBoundaries().size())};
      })
      .Case([&](CheckIdsOp check) -> Range {
        if (!trusts(check))
          return get(check.getIds());
        IntegerRange range{static_cast<int64_t>(check.getLow()), static_cast<int64_t>(check.getHigh()) - 1};
        if (Range before = get(check.getIds()))
          return IntegerRange{std::max(range.least, before->least), std::min(range.most, before->most)};
        return range;
      })
      .Case([](IotaOp iota) { return below(iota.getType().getDimSize(iota.getAxis())); })
      .Case<ArgmaxOp, ArgminOp>(
          [](auto position) { return below(shapeOf(position.getOperand().getType())[axisOf(position)]); })
      .Case([](ArgsortOp sort) { return below(shapeOf(sort.getOperand().getType())[axisOf(sort)]); })
      .Case([](CompareOp) -> Range { return IntegerRange{0, 1}; })
      .Case([&](CastOp cast) -> Range {
        Type from = elementType(cast.getOperand().getType());
        if (from.isInteger(1))
          return IntegerRange{0, 1};
        bool widens = from.isSignlessInteger() &&
                      from.getIntOrFloatBitWidth() <= elementType(cast.getType()).getIntOrFloatBitWidth() &&
                      elementType(cast.getType()).isSignlessInteger();
        return widens ? get(cast.getOperand()) : std::nullopt;
      })
      // What moves elements, or takes some of them.
      .Case<ReshapeOp, DynamicReshapeOp, BroadcastOp, DynamicBroadcastOp, TransposeOp, SliceOp, DynamicSliceOp,
            ReverseOp, OptimizationBarrierOp>([&](auto move) { return get(move->getOperand(0)); })
      .Case([&](ConcatOp concat) { return join(concat.getOperands()); })
      .Case([&](SelectOp select) { return join({select.getTrueValue(), select.getFalseValue()}); })
      .Case([&](PadOp pad) {
        return pad.getValue() ? join({pad.getOperand(), pad.getValue()}) : with(get(pad.getOperand()), 0);
      })
      .Case([&](GatherOp gather) {
        return gather.getSkipNegative() ? with(get(gather.getOperand()), 0) : get(gather.getOperand());
      })
      .Case([&](AddOp add) -> Range {
        auto parts = add.getLhs().getDefiningOp<ConcatOp>();
        Value whole = add.getLhs();
        if (parts || whole.getDefiningOp<CheckIdsOp>())
          if (Range range = rangeOfShiftedParts(parts ? ValueRange(parts.getOperands()) : ValueRange(whole),
                                                parts ? static_cast<int64_t>(parts.getAxis()) : 1, add.getRhs()))
            return range;
        Range range = sumOf(get(add.getLhs()), get(add.getRhs()));
        // Narrower integers wrap around before 64 bits do.
        unsigned bits = elementType(add.getType()).getIntOrFloatBitWidth();
        return range && llvm::isIntN(bits, range->least) && llvm::isIntN(bits, range->most) ? range : std::nullopt;
      })
      // What bounds them.
      .Case([&](MaximumOp maximum) -> Range {
        Range x = get(maximum.getLhs()), y = get(maximum.getRhs());
        if (x && y)
          return IntegerRange{std::max(x->least, y->least), std::max(x->most, y->most)};
        return std::nullopt;
      })
      .Case([&](MinimumOp minimum) -> Range {
        Range x = get(minimum.getLhs()), y = get(minimum.getRhs());
        if (x && y)
          return IntegerRange{std::min(x->least, y->least), std::min(x->most, y->most)};
        return std::nullopt;
      })
      .Case([&](FloorModOp mod) -> Range {
        // The sign is the divisor's.
        Range divisor = get(mod.getRhs());
        if (divisor && divisor->least > 0)
          return IntegerRange{0, divisor->most - 1};
        return std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
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
