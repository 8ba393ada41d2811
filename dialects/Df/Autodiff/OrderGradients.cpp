// Gradients of cumulative ops and order statistics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

#include <limits>

using namespace mlir;

namespace mlc::df {

using Gradients = MutableArrayRef<Value>;

namespace {
/// Makes scans along the axis of an op, in its direction or from the other end.
template <typename Op> struct Scans {
  Op op;
  ExpressionBuilder &b;

  UnitAttr flag(bool set) { return set ? b.builder.getUnitAttr() : UnitAttr(); }
  IntegerAttr axis() { return b.builder.getI64IntegerAttr(axisOf(op)); }
  Value linear(Value coefficients, Value x, bool exclusive, bool back) {
    return b.infer<LinearScanOp>(coefficients, x, axis(), flag(exclusive), flag(op.getReverse() != back));
  }
  /// What the op itself makes of `x` in its direction.
  Value own(Value x, bool exclusive) {
    return Op::create(b.builder, b.loc, x.getType(), x, axis(), flag(exclusive), flag(op.getReverse()));
  }
  /// For each element the sum of what comes from those after it, with a factor for each element that lies between:
  /// s[i] = g[i] + a[i+1] s[i+1], or, if the op is exclusive, s[i] = g[i+1] + a[i+1] s[i+1].
  Value collect(Value a, Value g) {
    if (op.getExclusive())
      return linear(a, g, /*exclusive=*/true, /*back=*/true);
    Value next = linear(b.splatLike(a, 0), a, /*exclusive=*/true, /*back=*/true);
    return linear(next, g, /*exclusive=*/false, /*back=*/true);
  }
};
} // namespace

static LogicalResult gradientOf(CumsumOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Scans<CumsumOp> scans{op, b};
  out[0] = b.infer<CumsumOp>(g, scans.axis(), scans.flag(op.getExclusive()), scans.flag(!op.getReverse()));
  return success();
}

static LogicalResult gradientOf(CumprodOp op, ExpressionBuilder &b, Value g, Gradients out) {
  // The product of the elements before x[i], times the sum over j of g[j] times that of those between i and j.
  Scans<CumprodOp> scans{op, b};
  Value before = op.getExclusive() ? op.getResult() : scans.own(op.getOperand(), /*exclusive=*/true);
  out[0] = b.mul(before, scans.collect(op.getOperand(), g));
  return success();
}

/// To each element that exceeds those before it, the cotangents up to the next such element.
template <typename Op>
static LogicalResult extremumGradient(Op op, Comparison exceeds, ExpressionBuilder &b, Value g, Gradients out) {
  Scans<Op> scans{op, b};
  Value before = op.getExclusive() ? op.getResult() : scans.own(op.getOperand(), /*exclusive=*/true);
  Value isRecord = b.compare(exceeds, op.getOperand(), before), zero = b.splatLike(g, 0);
  Value passes = b.select(isRecord, zero, b.splatLike(g, 1));
  out[0] = b.select(isRecord, scans.collect(passes, g), zero);
  return success();
}
static LogicalResult gradientOf(CummaxOp op, ExpressionBuilder &b, Value g, Gradients out) {
  return extremumGradient(op, Comparison::GT, b, g, out);
}
static LogicalResult gradientOf(CumminOp op, ExpressionBuilder &b, Value g, Gradients out) {
  return extremumGradient(op, Comparison::LT, b, g, out);
}

static LogicalResult gradientOf(CumlogsumexpOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Type element = elementType(g.getType()), wide = element.isF64() ? element : Type(b.builder.getF32Type());
  auto widen = [&](Value value) { return b.cast(value, wide); };
  Value x = widen(op.getOperand()), y = widen(op.getResult()), sums = widen(g);
  Scans<CumlogsumexpOp> scans{op, b};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // Where nothing but -infinity was summed there is no slope: 0 is put in the place of the sum.
  auto finite = [&](Value sum) {
    Value isNothing = b.compare(Comparison::EQ, sum, b.splatLike(sum, -infinity));
    return b.select(isNothing, b.splatLike(sum, 0), sum);
  };
  // Sums grow: the next one is the least of those that follow. No factor e^(y[j] - y[j+1]) is above 1.
  Value next = b.infer<CumminOp>(y, scans.axis(), scans.flag(true), scans.flag(!op.getReverse()));
  Value factors = b.unary<ExpOp>(b.sub(y, finite(next)));
  Value collected = scans.linear(factors, sums, op.getExclusive(), /*back=*/true);
  Value own = op.getExclusive() ? scans.own(x, /*exclusive=*/false) : y;
  out[0] = b.cast(b.mul(b.unary<ExpOp>(b.sub(x, finite(own))), collected), element);
  return success();
}

static LogicalResult gradientOf(LinearScanOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Scans<LinearScanOp> scans{op, b};
  Value before = op.getExclusive() ? op.getResult()
                                   : scans.linear(op.getCoefficients(), op.getOperand(), /*exclusive=*/true,
                                                  /*back=*/false);
  out[1] = scans.collect(op.getCoefficients(), g);
  out[0] = b.mul(out[1], before);
  return success();
}

/// `values`, which lie in the order that `positions` name, back in their places.
static SmallVector<Value> unsort(ExpressionBuilder &b, Value positions, ArrayRef<Value> values, IntegerAttr axis) {
  SmallVector<Value> operands = {positions};
  llvm::append_range(operands, values);
  auto sorted = SortOp::create(b.builder, b.loc, ValueRange(operands).getTypes(), operands, axis, UnitAttr());
  return llvm::to_vector(llvm::drop_begin(llvm::map_range(sorted.getResults(), [](OpResult r) { return Value(r); })));
}

static LogicalResult gradientOf(TopKOp op, ExpressionBuilder &b, Value g, Gradients out) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  int64_t axis = axisOf(op);
  if (!op.getK() || from.isDynamicDim(axis))
    return op.emitOpError("has no gradient: axis ")
           << axis << " of " << from << " or the number of elements is not static";
  auto k = static_cast<int64_t>(*op.getK());
  IntegerAttr axisAttr = b.builder.getI64IntegerAttr(axis);
  Value positions =
      b.infer<ArgsortOp>(op.getOperand(), axisAttr, op.getSmallest() ? UnitAttr() : b.builder.getUnitAttr());
  Value padded = PadOp::create(b.builder, b.loc, g, axis, 0, from.getDimSize(axis) - k);
  out[0] = unsort(b, positions, padded, axisAttr)[0];
  return success();
}

namespace {
/// Of a sort, any number of results may have a cotangent.
struct SortGradient : DifferentiableOpInterface::ExternalModel<SortGradient, SortOp> {
  LogicalResult buildGradient(Operation *operation, OpBuilder &builder, ValueRange cotangents,
                              MutableArrayRef<Value> gradients) const {
    auto op = cast<SortOp>(operation);
    ExpressionBuilder b(builder, op.getLoc());
    auto keys = cast<RankedTensorType>(op.getOperands().front().getType());
    IntegerAttr axis = builder.getI64IntegerAttr(axisOf(op));
    SmallVector<Value> values;
    for (Value cotangent : cotangents)
      if (cotangent)
        values.push_back(cotangent);
    if (values.empty())
      return success();
    Value positions = ArgsortOp::create(builder, op.getLoc(), keys.clone(builder.getI64Type()),
                                        op.getOperands().front(), axis, op.getDescendingAttr());
    SmallVector<Value> placed = unsort(b, positions, values, axis);
    auto next = placed.begin();
    for (auto [gradient, cotangent] : llvm::zip(gradients, cotangents))
      if (cotangent)
        gradient = *next++;
    return success();
  }
};
} // namespace

void attachOrderGradients(MLIRContext *context) {
  attachRules<CumsumOp, CumprodOp, CummaxOp, CumminOp, CumlogsumexpOp, LinearScanOp, TopKOp>(context);
  SortOp::attachInterface<SortGradient>(*context);
}

} // namespace mlc::df
