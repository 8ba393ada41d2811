// How the dynamic dimensions of a function's values depend on the rows of the batch and the values of its features.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/RowCounts.h"
#include "dialects/Df/IR/DfWindow.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::df;

//===-- sizes ------------------------------------------------------------------------------===//

RowCount RowCount::ofSymbol(int64_t symbol) {
  RowCount count;
  count.factors.resize(symbol + 1);
  count.factors[symbol] = 1;
  return count;
}

std::optional<std::pair<int64_t, int64_t>> RowCount::getMultiple() const {
  auto isSet = [](int64_t factor) { return factor != 0; };
  if (llvm::count_if(factors, isSet) != 1)
    return std::nullopt;
  return std::make_pair(static_cast<int64_t>(factors.size()) - 1, factors.back());
}

RowCount RowCount::plus(const RowCount &other) const {
  if (!isKnown() || !other.isKnown())
    return {};
  RowCount sum;
  sum.factors.resize(std::max(factors.size(), other.factors.size()));
  for (const RowCount *side : {this, &other})
    for (auto [k, factor] : llvm::enumerate(side->factors))
      sum.factors[k] += factor;
  return sum;
}

RowCount RowCount::scaled(int64_t numerator, int64_t denominator) const {
  if (numerator == denominator)
    return *this;
  // Tensors without elements say nothing of their rows.
  if (numerator == 0 || denominator == 0)
    return {};
  RowCount result = *this;
  for (int64_t &factor : result.factors) {
    if (factor * numerator % denominator != 0)
      return {};
    factor = factor * numerator / denominator;
  }
  return result;
}

//===-- sizes of values --------------------------------------------------------------------===//

/// Product of the static dimensions.
static int64_t staticProduct(Type type) {
  int64_t product = 1;
  for (int64_t size : shapeOf(type))
    product *= ShapedType::isDynamic(size) ? 1 : size;
  return product;
}

RowCounts::RowCounts(FunctionOp function) : module(function->getParentOfType<ModuleOp>()) {
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType())) {
      auto symbol = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), FunctionOp::kSymbolAttr);
      Counts sizes(type.getRank());
      for (auto [d, size] : llvm::enumerate(sizes))
        if (type.isDynamicDim(d))
          size = countOf(d == 0 && symbol ? symbol.getInt() : 0);
      set(argument, sizes);
    }
  // Program order: a loop's and a branch's region come before what uses their results.
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
}

/// The size of a symbol: sums are written out.
RowCount RowCounts::countOf(int64_t symbol) const {
  ModuleOp top = module;
  for (auto dimension : top.getOps<DimensionOp>()) {
    if (static_cast<int64_t>(dimension.getSymbol()) != symbol || dimension.getKind() != DimensionKind::Sum)
      continue;
    RowCount sum;
    for (auto [term, factor] : llvm::enumerate(dimension.getTerms()))
      if (factor) {
        RowCount part = countOf(static_cast<int64_t>(term)).scaled(factor);
        sum = sum.isKnown() ? sum.plus(part) : part;
      }
    return sum;
  }
  return RowCount::ofSymbol(symbol);
}

RowCount RowCounts::get(Value value, int64_t d) const {
  auto it = counts.find(value);
  return it == counts.end() || d >= static_cast<int64_t>(it->second.size()) ? RowCount() : it->second[d];
}

RankedTensorType RowCounts::getBufferType(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  bool others = true;
  for (int64_t d = 1; d < type.getRank(); ++d)
    others &= !type.isDynamicDim(d) || get(value, d).isRows();
  if (!others)
    return {};
  if (type.getRank() == 0 || !type.isDynamicDim(0))
    return type;
  RowCount rows = get(value, 0);
  if (!rows.isKnown())
    return {};
  auto multiple = rows.getMultiple();
  if (!multiple || multiple->second == 1)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + 1, multiple->second);
  return RankedTensorType::get(shape, type.getElementType());
}

int64_t RowCounts::getSymbol(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && (type.getRank() == 0 || !type.isDynamicDim(0)))
    return 0;
  RowCount rows = get(value, 0);
  if (!rows.isKnown())
    return 0;
  if (auto multiple = rows.getMultiple())
    return multiple->first;
  ModuleOp top = module;
  int64_t next = 1;
  auto reserve = [&](Attribute symbol) {
    if (auto number = dyn_cast_or_null<IntegerAttr>(symbol))
      next = std::max(next, number.getInt() + 1);
  };
  DimensionOp last;
  for (auto dimension : top.getOps<DimensionOp>()) {
    if (countOf(static_cast<int64_t>(dimension.getSymbol())) == rows)
      return static_cast<int64_t>(dimension.getSymbol());
    reserve(dimension.getSymbolAttr());
    last = dimension;
  }
  for (auto function : top.getOps<FunctionOp>()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      reserve(function.getArgAttr(i, FunctionOp::kSymbolAttr));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      reserve(function.getResultAttr(i, FunctionOp::kSymbolAttr));
  }
  OpBuilder builder(top.getContext());
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(top.getBody());
  DimensionOp::create(builder, value.getLoc(), next, DimensionKind::Sum, rows.getFactors());
  return next;
}

RowCounts::Counts RowCounts::copyOf(Value value) const {
  auto it = counts.find(value);
  if (it != counts.end())
    return it->second;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return Counts(type ? type.getRank() : 1);
}

/// Keeps of `values` what `others`, which take the same place, agree with.
void RowCounts::join(ValueRange values, ValueRange others) {
  for (auto [value, other] : llvm::zip(values, others)) {
    Counts joined = copyOf(value), second = copyOf(other);
    for (auto [d, count] : llvm::enumerate(joined))
      if (d < second.size() && !(count == second[d]))
        count = RowCount();
    set(value, joined);
  }
}

/// Sizes of an output over `image`: spatial ones stay where the window only moves by one and its padding makes up for
/// what it spans.
void RowCounts::setOutput(Value output, Value image, const Window &window) {
  Counts of = copyOf(image);
  for (int64_t d = 0; d < window.rank(); ++d)
    if (window.strides[d] != 1 || window.low[d] + window.high[d] != window.extent(d) - 1)
      of[d + 1] = RowCount();
  set(output, of);
}

void RowCounts::visit(Operation *op) {
  /// Dimension d of the result like dimension dims[d] of `value`.
  auto setFrom = [&](Value result, Value value, ArrayRef<int64_t> dims) {
    Counts of;
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
        Counts of(shapeOf(rows.getType()).size());
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
        Counts of = copyOf(sum.getValues());
        of[0] = get(sum.getEnds(), 0);
        set(sum.getResult(), of);
      })
      .Case([&](SegmentRepeatOp repeat) {
        Counts of = copyOf(repeat.getRows());
        of[0] = get(repeat.getLike(), 0);
        set(repeat.getResult(), of);
      })
      .Case([&](SegmentProductOp product) {
        for (Value positions : {product.getLhsPositions(), product.getRhsPositions()})
          set(positions, {countOf(static_cast<int64_t>(product.getSymbol()))});
        set(product.getEnds(), copyOf(product.getLhsEnds() ? product.getLhsEnds() : product.getRhsEnds()));
      })
      .Case([&](OneHotOp hot) {
        Counts of = copyOf(hot.getIds());
        of.insert(of.begin() + hot.getDepthAxis(), RowCount());
        set(hot.getResult(), of);
      })
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp, ReduceAllOp, ReduceAnyOp>([&](auto reduce) {
        SmallVector<int64_t> kept;
        for (int64_t d = 0, e = shapeOf(reduce.getOperand().getType()).size(); d < e; ++d)
          if (!llvm::is_contained(reduce.getAxes(), d))
            kept.push_back(d);
        setFrom(reduce.getResult(), reduce.getOperand(), kept);
      })
      .Case<ArgmaxOp, ArgminOp>([&](auto position) {
        int64_t rank = shapeOf(position.getOperand().getType()).size(), axis = axisOf(position);
        SmallVector<int64_t> kept;
        for (int64_t d = 0; d < rank; ++d)
          if (d != axis)
            kept.push_back(d);
        setFrom(position.getResult(), position.getOperand(), kept);
      })
      .Case([&](TopKOp top) {
        Counts of = copyOf(top.getOperand());
        of[axisOf(top)] = RowCount();
        for (Value result : top.getResults())
          set(result, of);
      })
      .Case([&](SoftmaxCrossEntropyOp loss) { set(loss.getResult(), copyOf(loss.getLabels())); })
      .Case([&](MatmulOp matmul) {
        set(matmul.getResult(), {get(matmul.getLhs(), matmul.getTransposeA() ? 1 : 0),
                                 get(matmul.getRhs(), matmul.getTransposeB() ? 0 : 1)});
      })
      .Case([&](DotGeneralOp dot) {
        Counts of;
        for (int64_t d : dot.getLhsBatch())
          of.push_back(get(dot.getLhs(), d));
        auto addFree = [&](Value side, ArrayRef<int64_t> batch, ArrayRef<int64_t> inner) {
          for (int64_t d = 0, e = shapeOf(side.getType()).size(); d < e; ++d)
            if (!llvm::is_contained(batch, d) && !llvm::is_contained(inner, d))
              of.push_back(get(side, d));
        };
        addFree(dot.getLhs(), dot.getLhsBatch(), dot.getLhsContracting());
        addFree(dot.getRhs(), dot.getRhsBatch(), dot.getRhsContracting());
        set(dot.getResult(), of);
      })
      .Case([&](ConvOp conv) { setOutput(conv.getResult(), conv.getImage(), windowOf(conv)); })
      .Case<MaxPoolOp, MaxPoolPositionsOp>(
          [&](auto pool) { setOutput(pool.getResult(), pool.getOperand(), poolWindowOf(pool)); })
      .Case([&](PoolSelectOp select) { set(select.getResult(), copyOf(select.getPositions())); })
      .Case<ConvTransposeOp, PoolScatterOp>([&](auto scatter) {
        set(scatter.getResult(), copyOf(scatter.getLike() ? scatter.getLike() : scatter.getOutput()));
      })
      .Case([&](ConvFilterGradientOp) {})
      .Case([&](TransposeOp transpose) {
        setFrom(transpose.getResult(), transpose.getOperand(), transpose.getPermutation());
      })
      .Case([&](ConcatOp concat) {
        auto axis = static_cast<int64_t>(concat.getAxis());
        Counts of = copyOf(concat.getOperands().front());
        for (Value part : concat.getOperands().drop_front())
          of[axis] = of[axis].plus(get(part, axis));
        set(concat.getResult(), of);
      })
      .Case([&](ReshapeOp reshape) {
        Value from = reshape.getOperand();
        RowCount rows;
        if (differInUnits(shapeOf(from.getType()), shapeOf(reshape.getType()))) {
          Counts of;
          int64_t next = 0;
          for (int64_t size : shapeOf(reshape.getType())) {
            of.emplace_back();
            if (size == 1)
              continue;
            while (shapeOf(from.getType())[next] == 1)
              ++next;
            of.back() = get(from, next++);
          }
          set(reshape.getResult(), of);
          return;
        }
        for (auto [d, size] : llvm::enumerate(shapeOf(from.getType())))
          if (ShapedType::isDynamic(size))
            rows = get(from, d);
        rows = rows.scaled(staticProduct(from.getType()), staticProduct(reshape.getType()));
        Counts of(shapeOf(reshape.getType()).size());
        for (auto [d, size] : llvm::enumerate(shapeOf(reshape.getType())))
          if (ShapedType::isDynamic(size))
            of[d] = rows;
        set(reshape.getResult(), of);
      })
      .Case([&](GatherNdOp gather) {
        Counts of;
        auto numBatch = static_cast<int64_t>(gather.getBatch().size());
        for (int64_t d = 0, e = shapeOf(gather.getOperand().getType()).size(); d < e; ++d) {
          if (d == gather.getAxes().front())
            for (int64_t s = numBatch, last = shapeOf(gather.getIndices().getType()).size() - 1; s < last; ++s)
              of.push_back(get(gather.getIndices(), s));
          else if (!llvm::is_contained(gather.getAxes(), d))
            of.push_back(get(gather.getOperand(), d));
        }
        set(gather.getResult(), of);
      })
      .Case([&](StridedSliceOp slice) {
        Counts of(shapeOf(slice.getType()).size());
        for (auto [d, start, size, stride] : llvm::enumerate(slice.getStarts(), slice.getSizes(), slice.getStrides()))
          if (start == 0 && size == -1 && stride == 1)
            of[d] = get(slice.getOperand(), d);
        set(slice.getResult(), of);
      })
      .Case([&](PadNdOp pad) {
        Counts of(shapeOf(pad.getType()).size());
        for (auto [d, low, high, interior] : llvm::enumerate(pad.getLow(), pad.getHigh(), pad.getInterior()))
          if (low == 0 && high == 0 && interior == 0)
            of[d] = get(pad.getOperand(), d);
        set(pad.getResult(), of);
      })
      .Case<DynamicSliceOp, IotaOp>([&](auto shaped) {
        if (shaped.getLike())
          set(shaped.getResult(), copyOf(shaped.getLike()));
      })
      .Case([&](UniqueValuesOp unique) { set(unique.getInverse(), copyOf(unique.getOperand())); })
      .Case([&](MergeRowsOp merge) {
        RowCount rows =
            merge.getLike() ? get(merge.getLike(), 0) : get(merge.getLhsIds(), 0).plus(get(merge.getRhsIds(), 0));
        for (Value result : {merge.getIds(), merge.getRows()}) {
          Counts of(shapeOf(result.getType()).size());
          of[0] = rows;
          set(result, of);
        }
      })
      .Case([&](PackRowsOp pack) { set(pack.getResult(), {get(pack.getIds(), 0)}); })
      .Case([&](UnpackRowsOp unpack) {
        for (Value result : {unpack.getIds(), unpack.getRows()}) {
          Counts of(shapeOf(result.getType()).size());
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
      .Case([&](ScanOp scan) {
        for (ValueRange values :
             {ValueRange(scan.getCarriedArguments()), ValueRange(scan.getResults().take_front(scan.getNumCarried()))})
          for (auto [value, init] : llvm::zip(values, scan.getInits()))
            set(value, copyOf(init));
        for (auto [row, sequence] : llvm::zip(scan.getRowArguments(), scan.getSequences())) {
          Counts of = copyOf(sequence);
          of.erase(of.begin());
          set(row, of);
        }
      })
      .Case([&](YieldOp yield) {
        if (auto branch = dyn_cast<IfOp>(yield->getParentOp())) {
          if (yield->getParentRegion() != &branch.getThenRegion())
            return join(branch.getResults(), yield.getOperands());
          for (auto [result, value] : llvm::zip(branch.getResults(), yield.getOperands()))
            set(result, copyOf(value));
        } else if (auto loop = dyn_cast<WhileOp>(yield->getParentOp())) {
          join(loop.getResults(), yield.getOperands());
        } else if (auto scan = dyn_cast<ScanOp>(yield->getParentOp())) {
          unsigned numCarried = scan.getNumCarried();
          join(scan.getResults().take_front(numCarried), yield.getOperands().take_front(numCarried));
          RowCount rows = scan.getSequences().empty() ? RowCount() : get(scan.getSequences().front(), 0);
          for (auto [result, row] : llvm::zip(scan.getStacked(), yield.getOperands().drop_front(numCarried))) {
            Counts of = copyOf(row);
            of.insert(of.begin(), rows);
            set(result, of);
          }
        } else if (auto region = dyn_cast<CheckpointOp>(yield->getParentOp())) {
          for (auto [result, value] : llvm::zip(region.getResults(), yield.getOperands()))
            set(result, copyOf(value));
        }
      })
      .Default([&](Operation *other) {
        // Results that are row by row like the first operand. Of others nothing is known.
        bool isLikeFirst = other->getNumOperands() > 0 &&
                           (other->hasTrait<OpTrait::Elementwise>() ||
                            isa<AddToBinsOp, AfterOp, ArgsortOp, CheckIdsOp, CummaxOp, CumminOp, CumprodOp, CumsumOp,
                                DynamicUpdateSliceOp, GroupSumOp, LinearScanOp, LogSoftmaxOp, LookupOp, MidRanksOp,
                                PadOp, PutValuesOp, ReverseOp, ScaleRowsOp, ScatterNdOp, ShardSumOp, SliceOp, SoftmaxOp,
                                SortOp, TermOp, UpdateRowsOp, UpdateSliceOp>(other));
        if (!isLikeFirst)
          return;
        for (Value result : other->getResults())
          set(result, copyOf(other->getOperand(0)));
      });
}
