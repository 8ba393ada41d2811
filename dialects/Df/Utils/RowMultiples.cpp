// How the dynamic dimensions of a function's values depend on the number of rows of the batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/RowMultiples.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Utils/RowSymbols.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::df;

/// Product of the static dimensions.
static int64_t staticProduct(Type type) {
  int64_t product = 1;
  for (int64_t size : shapeOf(type))
    product *= ShapedType::isDynamic(size) ? 1 : size;
  return product;
}

RowMultiples::RowMultiples(FunctionOp function) {
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      set(argument, SmallVector<int64_t>(type.getRank(), 1));
  // Program order: a loop's and a branch's region come before what uses their results.
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
}

int64_t RowMultiples::get(Value value, int64_t d) const {
  auto it = multiples.find(value);
  return it == multiples.end() || d >= static_cast<int64_t>(it->second.size()) ? 0 : it->second[d];
}

bool RowMultiples::areOne(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return get(value, 0) == 1;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d) && get(value, d) != 1)
      return false;
  return true;
}

RankedTensorType RowMultiples::getRowsFirstType(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  if (areOne(value))
    return type;
  if (type.getNumDynamicDims() != 1 || !type.isDynamicDim(0) || get(value, 0) <= 1)
    return {};
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + 1, get(value, 0));
  return RankedTensorType::get(shape, type.getElementType());
}

void RowMultiples::set(Value value, ArrayRef<int64_t> of) { multiples[value].assign(of.begin(), of.end()); }

SmallVector<int64_t> RowMultiples::copyOf(Value value) const {
  auto it = multiples.find(value);
  if (it != multiples.end())
    return SmallVector<int64_t>(it->second.begin(), it->second.end());
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return SmallVector<int64_t>(type ? type.getRank() : 1, 0);
}

/// Keeps of `values` what `others`, which take the same place, agree with.
void RowMultiples::join(ValueRange values, ValueRange others) {
  for (auto [value, other] : llvm::zip(values, others)) {
    SmallVector<int64_t> joined = copyOf(value), second = copyOf(other);
    for (auto [d, multiple] : llvm::enumerate(joined))
      if (d < second.size() && multiple != second[d])
        multiple = 0;
    set(value, joined);
  }
}

void RowMultiples::visit(Operation *op) {
  /// Dimension d of the result like dimension dims[d] of `value`.
  auto setFrom = [&](Value result, Value value, ArrayRef<int64_t> dims) {
    SmallVector<int64_t> of;
    for (int64_t d : dims)
      of.push_back(get(value, d));
    set(result, of);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<BroadcastOp, RandomOp>([&](auto shaped) {
        if (shaped.getLike())
          set(shaped.getResult(), copyOf(shaped.getLike()));
      })
      .Case<TakeRowsOp, GatherOp>([&](auto rows) {
        SmallVector<int64_t> of(shapeOf(rows.getType()).size(), 0);
        if constexpr (std::is_same_v<decltype(rows), TakeRowsOp>)
          of = copyOf(rows.getTable());
        of[0] = get(rows.getIds(), 0);
        set(rows.getResult(), of);
      })
      .Case([&](UniqueOp unique) {
        for (Value result : {unique.getUnique(), unique.getEnds(), unique.getOrder()})
          set(result, copyOf(unique.getIds()));
      })
      .Case([&](SegmentSumOp sum) {
        SmallVector<int64_t> of = copyOf(sum.getValues());
        of[0] = get(sum.getEnds(), 0);
        set(sum.getResult(), of);
      })
      .Case([&](SegmentRepeatOp repeat) {
        SmallVector<int64_t> of = copyOf(repeat.getRows());
        of[0] = get(repeat.getLike(), 0);
        set(repeat.getResult(), of);
      })
      .Case([&](OneHotOp hot) {
        SmallVector<int64_t> of = copyOf(hot.getIds());
        of.push_back(0);
        set(hot.getResult(), of);
      })
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp>([&](auto reduce) {
        SmallVector<int64_t> kept;
        for (int64_t d = 0, e = shapeOf(reduce.getOperand().getType()).size(); d < e; ++d)
          if (!llvm::is_contained(reduce.getAxes(), d))
            kept.push_back(d);
        setFrom(reduce.getResult(), reduce.getOperand(), kept);
      })
      .Case([&](ArgmaxOp argmax) {
        SmallVector<int64_t> of = copyOf(argmax.getOperand());
        of.pop_back();
        set(argmax.getResult(), of);
      })
      .Case([&](SoftmaxCrossEntropyOp loss) { set(loss.getResult(), copyOf(loss.getLabels())); })
      .Case([&](MatmulOp matmul) {
        set(matmul.getResult(), {get(matmul.getLhs(), matmul.getTransposeA() ? 1 : 0),
                                 get(matmul.getRhs(), matmul.getTransposeB() ? 0 : 1)});
      })
      .Case([&](TransposeOp transpose) {
        setFrom(transpose.getResult(), transpose.getOperand(), transpose.getPermutation());
      })
      .Case([&](ConcatOp concat) {
        auto axis = static_cast<int64_t>(concat.getAxis());
        SmallVector<int64_t> of = copyOf(concat.getOperands().front());
        of[axis] = 0;
        // Rows of the batch and values of a feature have no common measure.
        bool isMultiple = llvm::all_equal(llvm::map_range(concat.getOperands(), rowSymbolOf));
        for (Value part : concat.getOperands()) {
          of[axis] += get(part, axis);
          isMultiple &= get(part, axis) > 0;
        }
        of[axis] = isMultiple ? of[axis] : 0;
        set(concat.getResult(), of);
      })
      .Case([&](ReshapeOp reshape) {
        Value from = reshape.getOperand();
        int64_t before = staticProduct(from.getType()), after = staticProduct(reshape.getType()), rows = 0;
        for (auto [d, size] : llvm::enumerate(shapeOf(from.getType())))
          if (ShapedType::isDynamic(size))
            rows = get(from, d);
        if (before != after)
          rows = rows * before % after == 0 ? rows * before / after : 0;
        SmallVector<int64_t> of(shapeOf(reshape.getType()).size(), 0);
        for (auto [d, size] : llvm::enumerate(shapeOf(reshape.getType())))
          if (ShapedType::isDynamic(size))
            of[d] = rows;
        set(reshape.getResult(), of);
      })
      .Case([&](MergeRowsOp merge) {
        int64_t rows = merge.getLike() ? get(merge.getLike(), 0) : 0;
        if (!merge.getLike() && get(merge.getLhsIds(), 0) && get(merge.getRhsIds(), 0))
          rows = get(merge.getLhsIds(), 0) + get(merge.getRhsIds(), 0);
        for (Value result : {merge.getIds(), merge.getRows()}) {
          SmallVector<int64_t> of(shapeOf(result.getType()).size(), 0);
          of[0] = rows;
          set(result, of);
        }
      })
      .Case([&](PackRowsOp pack) { set(pack.getResult(), get(pack.getIds(), 0)); })
      .Case([&](UnpackRowsOp unpack) {
        for (Value result : {unpack.getIds(), unpack.getRows()}) {
          SmallVector<int64_t> of(shapeOf(result.getType()).size(), 0);
          of[0] = get(unpack.getOperand(), 0);
          set(result, of);
        }
      })
      .Case([&](WhileOp loop) {
        for (ValueRange values : {ValueRange(loop.getConditionRegion().getArguments()),
                                  ValueRange(loop.getBodyRegion().getArguments()), ValueRange(loop.getResults())})
          for (auto [value, init] : llvm::zip(values, loop.getInits()))
            set(value, copyOf(init));
      })
      .Case([&](YieldOp yield) {
        if (auto branch = dyn_cast<IfOp>(yield->getParentOp())) {
          if (yield->getParentRegion() != &branch.getThenRegion())
            return join(branch.getResults(), yield.getOperands());
          for (auto [result, value] : llvm::zip(branch.getResults(), yield.getOperands()))
            set(result, copyOf(value));
        } else if (auto loop = dyn_cast<WhileOp>(yield->getParentOp())) {
          join(loop.getResults(), yield.getOperands());
        }
      })
      .Default([&](Operation *other) {
        // The rest makes results that are row by row like the first operand: element-wise ops, checks, softmax, slices
        // along static dimensions, sums of groups, sparse rows of sparse rows. Scalars have no dimensions to set.
        if (other->getNumOperands() == 0)
          return;
        for (Value result : other->getResults())
          set(result, copyOf(other->getOperand(0)));
      });
}
