// Where sizes come from: dimensions of values that are as large as others, and those that must be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/SizeOrigin.h"
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfConvolutionOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfStatisticsOps.h"
#include "dialects/Df/IR/DfStringOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/IR/DfWindow.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::df;

using Origin = std::optional<SizeOrigin>;

bool SizeOrigin::isStatic() const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.isDynamicDim(dimension);
}

static int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

//===-- one step back ----------------------------------------------------------------------===//

static Origin originOf(BlockArgument argument, int64_t d) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<WhileOp>(parent))
    return SizeOrigin{loop.getInits()[argument.getArgNumber()], d};
  if (auto scan = dyn_cast<ScanOp>(parent)) {
    unsigned k = argument.getArgNumber(), numCarried = scan.getNumCarried();
    if (k < numCarried)
      return SizeOrigin{scan.getInits()[k], d};
    return SizeOrigin{scan.getSequences()[k - numCarried], d + 1};
  }
  return std::nullopt;
}

/// Dimension `d` among those of `operand` that are not in `axes`.
static Origin keptDimension(Value operand, ArrayRef<int64_t> axes, int64_t d) {
  for (int64_t of = 0, e = rankOf(operand); of < e; ++of)
    if (!llvm::is_contained(axes, of) && d-- == 0)
      return SizeOrigin{operand, of};
  return std::nullopt;
}

static Origin originOfDot(DotGeneralOp dot, int64_t d) {
  auto numBatch = static_cast<int64_t>(dot.getLhsBatch().size());
  if (d < numBatch)
    return SizeOrigin{dot.getLhs(), dot.getLhsBatch()[d]};
  d -= numBatch;
  auto bound = [](ArrayRef<int64_t> batch, ArrayRef<int64_t> inner) {
    SmallVector<int64_t> both(batch);
    llvm::append_range(both, inner);
    return both;
  };
  SmallVector<int64_t> ofLhs = bound(dot.getLhsBatch(), dot.getLhsContracting());
  int64_t numFree = rankOf(dot.getLhs()) - static_cast<int64_t>(ofLhs.size());
  if (d < numFree)
    return keptDimension(dot.getLhs(), ofLhs, d);
  return keptDimension(dot.getRhs(), bound(dot.getRhsBatch(), dot.getRhsContracting()), d - numFree);
}

static Origin originOfGather(GatherOp gather, int64_t d) {
  auto numBatch = static_cast<int64_t>(gather.getBatch().size());
  int64_t at = 0;
  for (int64_t of = 0, e = rankOf(gather.getOperand()); of < e; ++of) {
    if (of == gather.getAxes().front()) {
      int64_t numPlaces = gather.getNumPlaces();
      if (d < at + numPlaces)
        return SizeOrigin{gather.getIndices(), numBatch + d - at};
      at += numPlaces;
    } else if (!llvm::is_contained(gather.getAxes(), of)) {
      if (at == d)
        return SizeOrigin{gather.getOperand(), of};
      ++at;
    }
  }
  return std::nullopt;
}

static Origin originOfReshape(ReshapeOp reshape, int64_t d) {
  Value from = reshape.getOperand();
  ArrayRef<int64_t> shape = shapeOf(from.getType()), to = shapeOf(reshape.getType());
  if (differInUnits(shape, to)) {
    int64_t next = 0;
    for (int64_t at = 0;; ++at) {
      if (to[at] == 1) {
        if (at == d)
          return std::nullopt;
        continue;
      }
      while (shape[next] == 1)
        ++next;
      if (at == d)
        return SizeOrigin{from, next};
      ++next;
    }
  }
  // The one dynamic dimension of each, where the static ones hold equally many.
  auto staticProduct = [](ArrayRef<int64_t> sizes) {
    int64_t product = 1;
    for (int64_t size : sizes)
      product *= ShapedType::isDynamic(size) ? 1 : size;
    return product;
  };
  const auto *dynamic = llvm::find_if(shape, ShapedType::isDynamic);
  int64_t elements = staticProduct(shape);
  if (dynamic == shape.end() || !ShapedType::isDynamic(to[d]) || elements == 0 || elements != staticProduct(to))
    return std::nullopt;
  return SizeOrigin{from, dynamic - shape.begin()};
}

/// Of the image that a window moves over: spatial sizes stay where it moves by one and its padding makes up for what
/// it spans.
static Origin originOfWindows(Value image, const Window &window, int64_t d) {
  int64_t s = d - 1;
  if (s >= 0 && s < window.rank() && (window.strides[s] != 1 || window.low[s] + window.high[s] != window.extent(s) - 1))
    return std::nullopt;
  return SizeOrigin{image, d};
}

/// What a value that either branch may yield is as large as, outside of both.
static Origin originOfIf(IfOp branch, unsigned k, int64_t d) {
  auto of = [&](Region &region) { return traceSize(region.front().getTerminator()->getOperand(k), d, region); };
  Origin a = of(branch.getThenRegion()), b = of(branch.getElseRegion());
  if (!a || !b)
    return std::nullopt;
  if (*a == *b || rootOfSize(a->value, a->dimension) == rootOfSize(b->value, b->dimension))
    return a;
  return std::nullopt;
}

static Origin originOfScan(ScanOp scan, unsigned k, int64_t d) {
  if (k < scan.getNumCarried())
    return SizeOrigin{scan.getInits()[k], d};
  if (d > 0)
    return SizeOrigin{scan.getYield().getOperand(k), d - 1};
  if (scan.getSequences().empty())
    return std::nullopt;
  return SizeOrigin{scan.getSequences().front(), 0};
}

/// Whether all results have the shape of the first operand.
static bool isLikeFirst(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<AddToBinsOp, OptimizationBarrierOp, ArgsortOp, CheckIdsOp, CummaxOp, CumminOp, CumprodOp, CumsumOp,
             DynamicUpdateSliceOp, GroupSumOp, LinearScanOp, LogSoftmaxOp, LookupOp, MidRanksOp, PutValuesOp, ReverseOp,
             ScaleRowsOp, ScatterOp, AllReduceOp, SoftmaxOp, SortOp, TermOp, UpdateSliceOp>(op);
}

/// An operand of the op, or a value in one of its regions.
static Origin originOf(OpResult result, int64_t d) {
  Operation *op = result.getOwner();
  unsigned k = result.getResultNumber();
  auto like = [&](Value value) { return value ? Origin(SizeOrigin{value, d}) : std::nullopt; };
  return llvm::TypeSwitch<Operation *, Origin>(op)
      .Case<BroadcastOp, DynamicSliceOp, IotaOp, RandomOp>([&](auto shaped) { return like(shaped.getLike()); })
      .Case([&](DynamicBroadcastOp broadcast) -> Origin {
        ArrayRef<int64_t> dimensions = broadcast.getDimensions();
        const auto *at = llvm::find(dimensions, d);
        int64_t of = at - dimensions.begin();
        // A static one may repeat.
        if (at == dimensions.end() || !ShapedType::isDynamic(shapeOf(broadcast.getOperand().getType())[of]))
          return std::nullopt;
        return SizeOrigin{broadcast.getOperand(), of};
      })
      .Case([&](ReadRowsOp gather) -> Origin {
        if (d > 0)
          return std::nullopt;
        return SizeOrigin{gather.getIds(), 0};
      })
      .Case([&](GroupIdsOp unique) -> Origin { return SizeOrigin{unique.getIds(), 0}; })
      .Case([&](UniqueOp unique) { return result == unique.getInverse() ? like(unique.getOperand()) : std::nullopt; })
      .Case([&](SegmentSumOp sum) -> Origin {
        return d == 0 ? SizeOrigin{sum.getEnds(), 0} : SizeOrigin{sum.getValues(), d};
      })
      .Case([&](SegmentRepeatOp repeat) -> Origin {
        return d == 0 ? SizeOrigin{repeat.getLike(), 0} : SizeOrigin{repeat.getRows(), d};
      })
      .Case([&](SegmentProductOp product) -> Origin {
        if (result == product.getEnds())
          return SizeOrigin{product.getLhsEnds() ? product.getLhsEnds() : product.getRhsEnds(), 0};
        // Both positions are of one size; the first stands for it.
        return result == product.getRhsPositions() ? like(product.getLhsPositions()) : std::nullopt;
      })
      .Case([&](OneHotOp hot) -> Origin {
        auto depth = static_cast<int64_t>(hot.getDepthAxis());
        if (d == depth)
          return std::nullopt;
        return SizeOrigin{hot.getIds(), d < depth ? d : d - 1};
      })
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp, ReduceAllOp, ReduceAnyOp, ReduceMeanOp, ReduceL1Op,
            ReduceL2Op, ReduceLogsumexpOp, ReduceVarianceOp>(
          [&](auto reduce) { return keptDimension(reduce.getOperand(), reduce.getAxes(), d); })
      .Case<ArgmaxOp, ArgminOp>(
          [&](auto position) { return keptDimension(position.getOperand(), {axisOf(position)}, d); })
      .Case([&](StringSplitOp split) { return result == split.getEnds() ? like(split.getOperand()) : std::nullopt; })
      .Case([&](SegmentJoinOp join) { return like(join.getEnds()); })
      .Case([&](ReduceJoinOp join) {
        return keptDimension(join.getOperand(), {static_cast<int64_t>(join.getAxis())}, d);
      })
      .Case([&](TopKOp top) { return d == axisOf(top) ? std::nullopt : like(top.getOperand()); })
      .Case([&](SoftmaxCrossEntropyOp loss) { return like(loss.getLabels()); })
      .Case([&](MatmulOp matmul) -> Origin {
        if (d == 0)
          return SizeOrigin{matmul.getLhs(), matmul.getTransposeA() ? 1 : 0};
        return SizeOrigin{matmul.getRhs(), matmul.getTransposeB() ? 0 : 1};
      })
      .Case([&](DotGeneralOp dot) { return originOfDot(dot, d); })
      .Case([&](ConvOp conv) { return originOfWindows(conv.getImage(), windowOf(conv), d); })
      .Case<MaxPoolOp, MaxPoolPositionsOp>(
          [&](auto pool) { return originOfWindows(pool.getOperand(), poolWindowOf(pool), d); })
      .Case([&](PoolSelectOp select) { return like(select.getPositions()); })
      .Case<ConvTransposeOp, PoolScatterOp>([&](auto scatter) {
        // Without `like` spatial sizes are static; images are as many on both sides, and so are the channels of pools.
        return like(scatter.getLike() ? scatter.getLike() : scatter.getOutput());
      })
      .Case([&](TransposeOp transpose) -> Origin {
        return SizeOrigin{transpose.getOperand(), transpose.getPermutation()[d]};
      })
      .Case([&](ConcatOp concat) {
        auto axis = static_cast<int64_t>(concat.getAxis());
        return d == axis && concat.getOperands().size() > 1 ? std::nullopt : like(concat.getOperands().front());
      })
      .Case([&](ReshapeOp reshape) { return originOfReshape(reshape, d); })
      .Case([&](GatherOp gather) { return originOfGather(gather, d); })
      .Case([&](SliceOp slice) { return slice.isWhole(d) ? like(slice.getOperand()) : std::nullopt; })
      .Case([&](PadOp pad) {
        bool isSame = pad.getLow()[d] == 0 && pad.getHigh()[d] == 0 && pad.getGap(d) == 0;
        return isSame ? like(pad.getOperand()) : std::nullopt;
      })
      .Case([&](UpdateRowsOp update) { return like(update.getTables()[k]); })
      .Case([&](MergeRowsOp merge) { return d == 0 ? like(merge.getLike()) : std::nullopt; })
      .Case([&](PackRowsOp pack) -> Origin { return SizeOrigin{pack.getIds(), 0}; })
      .Case([&](UnpackRowsOp unpack) { return d == 0 ? like(unpack.getOperand()) : std::nullopt; })
      .Case([&](IfOp branch) { return originOfIf(branch, k, d); })
      .Case([&](RematOp region) -> Origin {
        return SizeOrigin{region.getBody().front().getTerminator()->getOperand(k), d};
      })
      .Case([&](WhileOp loop) -> Origin { return SizeOrigin{loop.getInits()[k], d}; })
      .Case([&](ScanOp scan) { return originOfScan(scan, k, d); })
      .Default([&](Operation *other) {
        return other->getNumOperands() > 0 && isLikeFirst(other) ? like(other->getOperand(0)) : std::nullopt;
      });
}

Origin mlc::df::sizeOriginOf(Value value, int64_t d) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return originOf(argument, d);
  return originOf(cast<OpResult>(value), d);
}

//===-- all the way ------------------------------------------------------------------------===//

SizeOrigin mlc::df::rootOfSize(Value value, int64_t d) {
  SizeOrigin at{value, d};
  while (!at.isStatic()) {
    Origin before = sizeOriginOf(at.value, at.dimension);
    if (!before)
      break;
    at = *before;
  }
  return at;
}

/// The symbol that an argument of a function says.
static std::optional<int64_t> symbolOf(SizeOrigin at) {
  auto argument = dyn_cast<BlockArgument>(at.value);
  auto function = argument ? dyn_cast_or_null<FunctionOp>(argument.getOwner()->getParentOp()) : FunctionOp();
  if (!function)
    return std::nullopt;
  return function.getArgSymbols(argument.getArgNumber())[at.dimension];
}

bool mlc::df::areKnownEqual(SizeOrigin a, SizeOrigin b) {
  SizeOrigin first = rootOfSize(a.value, a.dimension), second = rootOfSize(b.value, b.dimension);
  if (first == second)
    return true;
  if (first.isStatic() || second.isStatic())
    return first.isStatic() && second.isStatic() &&
           shapeOf(first.value.getType())[first.dimension] == shapeOf(second.value.getType())[second.dimension];
  std::optional<int64_t> symbol = symbolOf(first);
  return symbol && symbol == symbolOf(second);
}

bool mlc::df::areKnownEqual(Value a, Value b) {
  return llvm::all_of(llvm::seq<int64_t>(0, rankOf(a)),
                      [&](int64_t d) { return areKnownEqual(SizeOrigin{a, d}, SizeOrigin{b, d}); });
}

Origin mlc::df::traceSize(Value value, int64_t d, Region &region) {
  // The arguments of a block that a conversion has replaced have no region.
  auto isInside = [&](Value v) { return v.getParentRegion() && region.isAncestor(v.getParentRegion()); };
  Origin at = SizeOrigin{value, d};
  while (at && isInside(at->value)) {
    at = sizeOriginOf(at->value, at->dimension);
    // A static size needs no origin; a type that says more than another one is one.
    if (at && at->isStatic() && isInside(at->value))
      return std::nullopt;
  }
  return at;
}

//===-- sizes that must agree --------------------------------------------------------------===//

namespace {
/// Calls `visit` where a pair is not one of static sizes.
struct Pairs {
  llvm::function_ref<void(SizeOrigin, SizeOrigin)> visit;

  void add(Value a, int64_t ofA, Value b, int64_t ofB) const {
    SizeOrigin first{a, ofA}, second{b, ofB};
    if (!first.isStatic() || !second.isStatic())
      visit(first, second);
  }
  /// All dimensions of two tensors of one rank.
  void addAll(Value a, Value b) const {
    for (int64_t d = 0, e = rankOf(a); d < e; ++d)
      add(a, d, b, d);
  }
  /// Dimension 0 of each.
  void addRows(Value a, Value b) const { add(a, 0, b, 0); }
};
} // namespace

/// What a loop carries must keep its shape.
static void visitYield(YieldOp yield, Pairs pairs) {
  Operation *parent = yield->getParentOp();
  ValueRange carried;
  if (auto loop = dyn_cast<WhileOp>(parent))
    carried = loop.getBodyRegion().getArguments();
  else if (auto scan = dyn_cast<ScanOp>(parent))
    carried = scan.getCarriedArguments();
  for (auto [argument, next] : llvm::zip_first(carried, yield.getOperands()))
    if (isa<RankedTensorType>(next.getType()))
      pairs.addAll(argument, next);
}

static void visitIndices(Operation *op, Value operand, Value indices, ArrayRef<int64_t> batch, Pairs pairs) {
  for (auto [k, d] : llvm::enumerate(batch))
    pairs.add(operand, d, indices, static_cast<int64_t>(k));
}

static void visitScatter(ScatterOp scatter, Pairs pairs) {
  visitIndices(scatter, scatter.getOperand(), scatter.getIndices(), scatter.getBatch(), pairs);
  // Updates have the shape of what is gathered at the same places.
  auto numBatch = static_cast<int64_t>(scatter.getBatch().size());
  int64_t at = 0;
  for (int64_t of = 0, e = rankOf(scatter.getOperand()); of < e; ++of) {
    if (of == scatter.getAxes().front())
      for (int64_t s = numBatch, last = numBatch + scatter.getNumPlaces(); s < last; ++s)
        pairs.add(scatter.getIndices(), s, scatter.getUpdates(), at++);
    else if (!llvm::is_contained(scatter.getAxes(), of))
      pairs.add(scatter.getOperand(), of, scatter.getUpdates(), at++);
  }
}

void mlc::df::forEachSameSize(Operation *op, llvm::function_ref<void(SizeOrigin, SizeOrigin)> visit) {
  Pairs pairs{visit};
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](YieldOp yield) { visitYield(yield, pairs); })
      .Case([&](ScanOp scan) {
        for (Value sequence : scan.getSequences().drop_front(!scan.getSequences().empty()))
          pairs.addRows(scan.getSequences().front(), sequence);
      })
      .Case([&](MatmulOp matmul) {
        pairs.add(matmul.getLhs(), matmul.getTransposeA() ? 0 : 1, matmul.getRhs(), matmul.getTransposeB() ? 1 : 0);
      })
      .Case([&](DotGeneralOp dot) {
        for (auto [l, r] : llvm::zip(dot.getLhsBatch(), dot.getRhsBatch()))
          pairs.add(dot.getLhs(), l, dot.getRhs(), r);
        for (auto [l, r] : llvm::zip(dot.getLhsContracting(), dot.getRhsContracting()))
          pairs.add(dot.getLhs(), l, dot.getRhs(), r);
      })
      .Case([&](ConvTransposeOp conv) {
        if (conv.getLike())
          pairs.addRows(conv.getOutput(), conv.getLike());
      })
      .Case([&](ConvFilterGradientOp conv) { pairs.addRows(conv.getImage(), conv.getOutput()); })
      .Case([&](PoolSelectOp select) {
        pairs.addRows(select.getOperand(), select.getPositions());
        pairs.add(select.getOperand(), rankOf(select.getOperand()) - 1, select.getPositions(),
                  rankOf(select.getPositions()) - 1);
      })
      .Case([&](PoolScatterOp scatter) {
        pairs.addAll(scatter.getOutput(), scatter.getPositions());
        if (Value like = scatter.getLike()) {
          pairs.addRows(scatter.getOutput(), like);
          pairs.add(scatter.getOutput(), rankOf(scatter.getOutput()) - 1, like, rankOf(like) - 1);
        }
      })
      .Case([&](ConcatOp concat) {
        Value first = concat.getOperands().front();
        for (Value part : concat.getOperands().drop_front())
          for (int64_t d = 0, e = rankOf(first); d < e; ++d)
            if (d != static_cast<int64_t>(concat.getAxis()))
              pairs.add(first, d, part, d);
      })
      .Case([&](SoftmaxCrossEntropyOp loss) { pairs.addRows(loss.getLogits(), loss.getLabels()); })
      .Case([&](BroadcastOp broadcast) {
        if (!broadcast.getLike())
          return;
        for (auto [d, to] : llvm::enumerate(broadcast.getDimensions()))
          if (shapeOf(broadcast.getOperand().getType())[d] != 1)
            pairs.add(broadcast.getLike(), to, broadcast.getOperand(), static_cast<int64_t>(d));
      })
      .Case([&](GatherOp gather) {
        visitIndices(gather, gather.getOperand(), gather.getIndices(), gather.getBatch(), pairs);
      })
      .Case([&](ScatterOp scatter) { visitScatter(scatter, pairs); })
      .Case([&](SegmentRepeatOp repeat) { pairs.addRows(repeat.getRows(), repeat.getEnds()); })
      .Case([&](SegmentProductOp product) {
        if (product.getLhsEnds() && product.getRhsEnds())
          pairs.addRows(product.getLhsEnds(), product.getRhsEnds());
      })
      .Case([&](AddToBinsOp add) { pairs.addRows(add.getKeys(), add.getWeights()); })
      .Case([&](MidRanksOp ranks) {
        for (Value other : {ranks.getKeys(), ranks.getGroups()})
          if (other)
            pairs.addRows(ranks.getWeights(), other);
      })
      .Case([&](GroupSumOp sum) {
        pairs.addRows(sum.getValues(), sum.getEnds());
        pairs.addRows(sum.getValues(), sum.getOrder());
      })
      .Case<UpdateRowsOp, PackRowsOp>([&](auto rows) { pairs.addRows(rows.getIds(), rows.getRows()); })
      .Case([&](MergeRowsOp merge) {
        pairs.addRows(merge.getLhsIds(), merge.getLhsRows());
        pairs.addRows(merge.getRhsIds(), merge.getRhsRows());
      })
      .Case([&](CheckIdsOp check) {
        if (check.getCells())
          pairs.addRows(check.getIds(), check.getCells());
      })
      .Default([&](Operation *other) {
        if (!other->hasTrait<OpTrait::Elementwise>() && !isa<LinearScanOp, SortOp>(other))
          return;
        for (Value operand : other->getOperands().drop_front(other->getNumOperands() > 0))
          if (isa<RankedTensorType>(operand.getType()) && rankOf(operand) == rankOf(other->getOperand(0)))
            pairs.addAll(other->getOperand(0), operand);
      });
}
