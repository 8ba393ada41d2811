// Rules of reductions, products and fused losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AxisLines.h"
#include "IntegerOrder.h"
#include "Rules.h"
#include "SumPartials.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "mlc/Support/MathExpansion.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// For each element of a tensor of `shape`, in row-major order, its index in the tensor without `axes`.
static std::vector<int64_t> reducedIndices(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> strides(shape.size(), 0), index(shape.size(), 0);
  int64_t stride = 1, elements = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    elements *= shape[d];
    if (llvm::is_contained(axes, static_cast<int64_t>(d)))
      continue;
    strides[d] = stride;
    stride *= shape[d];
  }
  std::vector<int64_t> result(elements);
  for (int64_t &target : result) {
    for (size_t d = 0; d < shape.size(); ++d)
      target += index[d] * strides[d];
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
  return result;
}

/// The shape without `axes`.
static SmallVector<int64_t> reducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> result;
  for (auto [d, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(d)))
      result.push_back(size);
  return result;
}

/// Reduces with accumulators of type T that start as `initial`: accumulator = f(accumulator, element), in row-major
/// order.
template <typename T, typename Fn> static Tensor reduceAs(const Tensor &from, ArrayRef<int64_t> axes, T initial, Fn f) {
  Tensor result(from.getKind(), reducedShape(from.getShape(), axes));
  std::vector<T> values = from.to<T>(), accumulators(result.getNumElements(), initial);
  std::vector<int64_t> targets = reducedIndices(from.getShape(), axes);
  for (size_t i = 0; i < values.size(); ++i)
    accumulators[targets[i]] = f(accumulators[targets[i]], values[i]);
  result.assign(ArrayRef(accumulators));
  return result;
}

namespace {
/// Index arithmetic of rowsOfSumPart.
struct IntegerMath {
  int64_t constant(int64_t v) { return v; }
  int64_t max(int64_t x, int64_t y) { return std::max(x, y); }
  int64_t ceilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
};
} // namespace

/// A sum or product of floats in the order of code (mlc/Support/SumOrder.h), over `axes` of a tensor of the type's
/// `shape`.
template <typename T, typename Fn>
static Tensor reduceInSumOrder(const Tensor &from, ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, T initial, Fn f) {
  if (!sumsNeighbours(shape, axes))
    return reduceAs<T>(from, axes, initial, f);
  Tensor result(from.getKind(), reducedShape(from.getShape(), axes));
  std::vector<T> values = from.to<T>(), sums;
  if (axes.size() == shape.size() && !shape.empty()) {
    IntegerMath math;
    int64_t rows = from.getShape()[0], inner = 1;
    for (int64_t d : from.getShape().drop_front())
      inner *= d;
    int64_t part = rowsOfSumPart(math, inner) * inner;
    std::vector<T> numbers;
    for (int64_t begin = 0, n = rows * inner; begin < n; begin += part) {
      Partials<T> partials(initial);
      for (int64_t i = begin, end = std::min(begin + part, n); i < end; ++i)
        partials.add(values[i], f);
      size_t number = begin / part % kSumPartNumbers;
      if (number == numbers.size())
        numbers.push_back(initial);
      numbers[number] = f(numbers[number], partials.combine(f));
    }
    T sum = initial;
    for (T number : numbers)
      sum = f(sum, number);
    sums = {sum};
  } else {
    std::vector<Partials<T>> partials(result.getNumElements(), Partials<T>(initial));
    std::vector<int64_t> targets = reducedIndices(from.getShape(), axes);
    for (size_t i = 0; i < values.size(); ++i)
      partials[targets[i]].add(values[i], f);
    for (Partials<T> &one : partials)
      sums.push_back(f(initial, one.combine(f)));
  }
  result.assign(ArrayRef(sums));
  return result;
}

/// A rule of a reduction. `initialFloat` starts floats, `initialInteger(kind)` integers.
template <typename OpTy, typename IntegerInitial, typename Fn>
static void addReduction(RuleTable &table, double initialFloat, IntegerInitial initialInteger, Fn f) {
  table.add<OpTy>([=](OpTy op, Frame &frame) {
    const Tensor &from = frame.tensor(op.getOperand());
    if constexpr (std::is_same_v<OpTy, df::ReduceMaxOp> || std::is_same_v<OpTy, df::ReduceMinOp>)
      if (ElementKind kind = from.getKind(); kind == ElementKind::UI64)
        return frame.set(op.getResult(),
                         reduceAs<int64_t>(from, op.getAxes(), initialInteger(kind), [&](auto a, auto x) {
                           return inOrder(kind, f(inOrder(kind, a), inOrder(kind, x)));
                         }));
    if (!isFloatKind(from.getKind()))
      return frame.set(op.getResult(), reduceAs<int64_t>(from, op.getAxes(), initialInteger(from.getKind()), f));
    return withEmitter(from.getKind(), [&](auto e) {
      using T = typename decltype(e)::F;
      auto initial = static_cast<T>(initialFloat);
      if constexpr (std::is_same_v<OpTy, df::ReduceSumOp> || std::is_same_v<OpTy, df::ReduceProdOp>)
        return frame.set(op.getResult(),
                         reduceInSumOrder(from, df::shapeOf(op.getOperand().getType()), op.getAxes(), initial, f));
      else
        return frame.set(op.getResult(), reduceAs<T>(from, op.getAxes(), initial, f));
    });
  });
}

/// The same for truth values.
template <typename OpTy, typename Fn> static void addTruthReduction(RuleTable &table, bool initial, Fn f) {
  table.add<OpTy>([=](OpTy op, Frame &frame) {
    const Tensor &from = frame.tensor(op.getOperand());
    return frame.set(op.getResult(), reduceAs<int64_t>(from, op.getAxes(), initial, f));
  });
}

/// Whether the position of `x` takes the place of that of `best`: `x` is larger (smaller), or the first NaN.
template <bool Max, typename T> static bool exceeds(T x, T best) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(x))
      return !std::isnan(best);
  return Max ? x > best : x < best;
}

template <bool Max, typename OpTy> static LogicalResult evaluateArg(OpTy op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  int64_t axis = df::axisOf(op);
  Tensor result(ElementKind::I64, reducedShape(from.getShape(), axis));
  AxisLines lines(from.getShape(), axis);
  auto search = [&](auto values) {
    for (int64_t line = 0; line < lines.count; ++line) {
      int64_t best = 0;
      for (int64_t i = 1; i < lines.size; ++i)
        if (exceeds<Max>(values[lines.at(line, i)], values[lines.at(line, best)]))
          best = i;
      result.setInteger(line, best);
    }
  };
  if (isFloatKind(from.getKind()))
    search(from.to<double>());
  else
    search(integersInOrder(from));
  return frame.set(op.getResult(), std::move(result));
}

static LogicalResult evaluateMatmul(df::MatmulOp op, Frame &frame) {
  const Tensor &lhs = frame.tensor(op.getLhs()), &rhs = frame.tensor(op.getRhs());
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  int64_t rows = lhs.getDimSize(ta ? 1 : 0), inner = lhs.getDimSize(ta ? 0 : 1), columns = rhs.getDimSize(tb ? 0 : 1);
  if (rhs.getDimSize(tb ? 1 : 0) != inner)
    return op.emitOpError("inner dimensions are ") << inner << " and " << rhs.getDimSize(tb ? 1 : 0);
  return withEmitter(lhs.getKind(), [&](auto e) {
    using T = typename decltype(e)::F;
    std::vector<T> a = lhs.to<T>(), b = rhs.to<T>(), c(rows * columns);
    // Products with one column are sums along neighbours.
    bool isDot = cast<RankedTensorType>(op.getType()).getDimSize(1) == 1 && !ta;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        SmallVector<T> sums(isDot ? std::clamp<int64_t>(inner, 1, kSumPartials) : 1);
        for (int64_t k = 0; k < inner; ++k) {
          T &sum = sums[isDot ? k % kSumPartials : 0];
          sum = e.fma(a[ta ? k * rows + i : i * inner + k], b[tb ? j * inner + k : k * columns + j], sum);
        }
        c[i * columns + j] = combinePartials(MutableArrayRef<T>(sums), [&](T x, T y) { return e.add(x, y); });
      }
    Tensor result(lhs.getKind(), {rows, columns});
    result.assign(ArrayRef(c));
    return frame.set(op.getResult(), std::move(result));
  });
}

/// The maximum of `row`, NaN if one is, and the sum of exp(x - maximum), with the exponentials in `exponentials`.
template <typename E>
static std::pair<typename E::F, typename E::F> exponentialSum(E &e, ArrayRef<typename E::F> row, bool isInterleaved,
                                                              SmallVectorImpl<typename E::F> &exponentials) {
  using T = typename E::F;
  T maximum = -std::numeric_limits<T>::infinity(), sum = 0;
  Partials<T> partials(0);
  auto add = [&](T a, T b) { return e.add(a, b); };
  for (T x : row)
    maximum = maximumOf(x, maximum);
  exponentials.clear();
  for (T x : row) {
    exponentials.push_back(expandExp(e, e.sub(x, maximum)));
    if (isInterleaved)
      partials.add(exponentials.back(), add);
    else
      sum = e.add(sum, exponentials.back());
  }
  return {maximum, isInterleaved ? partials.combine(add) : sum};
}

static LogicalResult evaluateSoftmax(df::SoftmaxOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  AxisLines lines(from.getShape(), df::axisOf(op));
  bool isInterleaved = sumsNeighbours(df::shapeOf(op.getOperand().getType()), df::axisOf(op));
  return withEmitter(from.getKind(), [&](auto e) {
    using T = typename decltype(e)::F;
    std::vector<T> values = from.to<T>();
    SmallVector<T> row(lines.size), exponentials;
    for (int64_t line = 0; line < lines.count; ++line) {
      for (int64_t i = 0; i < lines.size; ++i)
        row[i] = values[lines.at(line, i)];
      T sum = exponentialSum(e, ArrayRef<T>(row), isInterleaved, exponentials).second;
      for (int64_t i = 0; i < lines.size; ++i)
        values[lines.at(line, i)] = e.div(exponentials[i], sum);
    }
    Tensor result(from.getKind(), from.getShape());
    result.assign(ArrayRef(values));
    return frame.set(op.getResult(), std::move(result));
  });
}

static LogicalResult evaluateSoftmaxCrossEntropy(df::SoftmaxCrossEntropyOp op, Frame &frame) {
  const Tensor &logits = frame.tensor(op.getLogits()), &labels = frame.tensor(op.getLabels());
  int64_t rows = labels.getNumElements(), classes = logits.getShape().back();
  if (labels.getShape() != logits.getShape().drop_back())
    return op.emitOpError("has ") << logits.getNumElements() / std::max<int64_t>(1, classes) << " rows of logits and "
                                  << rows << " labels";
  for (int64_t i = 0; i < rows; ++i)
    if (labels.getInteger(i) < 0 || labels.getInteger(i) >= classes)
      return op.emitOpError("label ") << labels.getInteger(i) << " of row " << i << " is not in [0, " << classes << ")";
  bool isInterleaved =
      sumsNeighbours(df::shapeOf(op.getLogits().getType()), static_cast<int64_t>(logits.getShape().size()) - 1);
  return withEmitter(logits.getKind(), [&](auto e) {
    using T = typename decltype(e)::F;
    std::vector<T> values = logits.to<T>(), losses(rows);
    SmallVector<T> exponentials;
    for (int64_t i = 0; i < rows; ++i) {
      auto [maximum, sum] =
          exponentialSum(e, ArrayRef(values).slice(i * classes, classes), isInterleaved, exponentials);
      losses[i] = e.sub(e.add(expandLog(e, sum), maximum), values[i * classes + labels.getInteger(i)]);
    }
    Tensor result(logits.getKind(), labels.getShape());
    result.assign(ArrayRef(losses));
    return frame.set(op.getResult(), std::move(result));
  });
}

void mlc::interp::addReductionRules(RuleTable &table) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  addReduction<df::ReduceSumOp>(
      table, 0.0, [](ElementKind) { return int64_t(0); },
      [](auto sum, auto x) {
        if constexpr (std::is_integral_v<decltype(x)>)
          return static_cast<int64_t>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(x));
        else
          return sum + x;
      });
  addReduction<df::ReduceMaxOp>(table, -infinity, leastInteger, [](auto best, auto x) { return maximumOf(x, best); });
  addReduction<df::ReduceMinOp>(table, infinity, largestInteger, [](auto best, auto x) { return minimumOf(x, best); });
  addReduction<df::ReduceProdOp>(
      table, 1.0, [](ElementKind) { return int64_t(1); },
      [](auto product, auto x) {
        if constexpr (std::is_integral_v<decltype(x)>)
          return static_cast<int64_t>(static_cast<uint64_t>(product) * static_cast<uint64_t>(x));
        else
          return product * x;
      });
  addTruthReduction<df::ReduceAllOp>(table, true, [](int64_t all, int64_t x) { return all & x; });
  addTruthReduction<df::ReduceAnyOp>(table, false, [](int64_t any, int64_t x) { return any | x; });
  table.add<df::ArgmaxOp>(evaluateArg<true, df::ArgmaxOp>);
  table.add<df::ArgminOp>(evaluateArg<false, df::ArgminOp>);
  table.add<df::MatmulOp>(evaluateMatmul);
  table.add<df::SoftmaxOp>(evaluateSoftmax);
  table.add<df::SoftmaxCrossEntropyOp>(evaluateSoftmaxCrossEntropy);
}
