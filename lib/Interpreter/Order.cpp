// Rules of cumulative ops and order statistics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AxisLines.h"
#include "IntegerOrder.h"
#include "Rules.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfVerify.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// result[i] = the carried value after (exclusive: before) element i, which starts as `initial` and goes on as
/// f(carried, index of the element), line by line.
template <typename T, typename Fn>
static Tensor scanAs(ElementKind kind, ArrayRef<int64_t> shape, int64_t axis, bool exclusive, bool reverse, T initial,
                     Fn f) {
  Tensor result(kind, shape);
  std::vector<T> values(result.getNumElements());
  AxisLines lines(shape, axis);
  for (int64_t line = 0; line < lines.count; ++line) {
    T carried = initial;
    for (int64_t i = 0; i < lines.size; ++i) {
      int64_t at = lines.at(line, reverse ? lines.size - 1 - i : i);
      T next = f(carried, at);
      values[at] = exclusive ? carried : next;
      carried = next;
    }
  }
  result.assign(ArrayRef(values));
  return result;
}

/// A rule of a cumulative op. `initialFloat` starts floats, `initialInteger(kind)` integers.
template <typename OpTy, typename IntegerInitial, typename Fn>
static void addCumulative(RuleTable &table, double initialFloat, IntegerInitial initialInteger, Fn f) {
  table.add<OpTy>([=](OpTy op, Frame &frame) {
    const Tensor &from = frame.tensor(op.getOperand());
    auto scan = [&](auto initial) {
      using T = decltype(initial);
      std::vector<T> values = from.to<T>();
      return frame.set(op.getResult(),
                       scanAs(from.getKind(), from.getShape(), df::axisOf(op), op.getExclusive(), op.getReverse(),
                              initial, [&](T carried, int64_t at) { return static_cast<T>(f(carried, values[at])); }));
    };
    constexpr bool isExtreme = std::is_same_v<OpTy, df::CummaxOp> || std::is_same_v<OpTy, df::CumminOp>;
    if (ElementKind kind = from.getKind(); isExtreme && kind == ElementKind::UI64) {
      std::vector<int64_t> values = from.to<int64_t>();
      return frame.set(op.getResult(), scanAs(kind, from.getShape(), df::axisOf(op), op.getExclusive(), op.getReverse(),
                                              static_cast<int64_t>(initialInteger(kind)), [&](int64_t a, int64_t at) {
                                                return static_cast<int64_t>(
                                                    inOrder(kind, f(inOrder(kind, a), inOrder(kind, values[at]))));
                                              }));
    }
    if (!isFloatKind(from.getKind()))
      return scan(static_cast<int64_t>(initialInteger(from.getKind())));
    return withEmitter(from.getKind(),
                       [&](auto e) { return scan(static_cast<typename decltype(e)::F>(initialFloat)); });
  });
}

static LogicalResult evaluateLinearScan(df::LinearScanOp op, Frame &frame) {
  const Tensor &coefficients = frame.tensor(op.getCoefficients()), &from = frame.tensor(op.getOperand());
  if (coefficients.getShape() != from.getShape())
    return op.emitOpError("has coefficients of another shape than the operand");
  return withEmitter(from.getKind(), [&](auto e) {
    using T = typename decltype(e)::F;
    std::vector<T> a = coefficients.to<T>(), x = from.to<T>();
    return frame.set(op.getResult(),
                     scanAs(from.getKind(), from.getShape(), df::axisOf(op), op.getExclusive(), op.getReverse(), T(0),
                            [&](T carried, int64_t at) { return e.fma(a[at], carried, x[at]); }));
  });
}

/// For each line, the positions in sorted order: those of NaNs last, equal elements in their order.
template <typename T>
static std::vector<std::vector<int64_t>> sortLines(const std::vector<T> &values, const AxisLines &lines,
                                                   bool descending) {
  std::vector<std::vector<int64_t>> orders(lines.count, std::vector<int64_t>(lines.size));
  for (int64_t line = 0; line < lines.count; ++line) {
    std::iota(orders[line].begin(), orders[line].end(), 0);
    std::stable_sort(orders[line].begin(), orders[line].end(), [&](int64_t i, int64_t j) {
      T x = values[lines.at(line, i)], y = values[lines.at(line, j)];
      if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(x) || std::isnan(y))
          return !std::isnan(x) && std::isnan(y);
      return descending ? x > y : x < y;
    });
  }
  return orders;
}

static std::vector<std::vector<int64_t>> sortLines(const Tensor &keys, const AxisLines &lines, bool descending) {
  return isFloatKind(keys.getKind()) ? sortLines(keys.to<double>(), lines, descending)
                                     : sortLines(integersInOrder(keys), lines, descending);
}

/// `from` with the elements of each line that its first `size` positions name.
static Tensor takeLines(const Tensor &from, int64_t axis, const std::vector<std::vector<int64_t>> &orders,
                        int64_t size) {
  SmallVector<int64_t> shape(from.getShape());
  shape[axis] = size;
  Tensor result(from.getKind(), shape);
  AxisLines lines(from.getShape(), axis), taken(shape, axis);
  for (int64_t line = 0; line < taken.count; ++line)
    for (int64_t i = 0; i < size; ++i)
      result.copyElements(taken.at(line, i), from, lines.at(line, orders[line][i]), 1);
  return result;
}

/// The positions themselves.
static Tensor takePositions(ArrayRef<int64_t> from, int64_t axis, const std::vector<std::vector<int64_t>> &orders,
                            int64_t size) {
  SmallVector<int64_t> shape(from);
  shape[axis] = size;
  Tensor result(ElementKind::I64, shape);
  AxisLines taken(shape, axis);
  for (int64_t line = 0; line < taken.count; ++line)
    for (int64_t i = 0; i < size; ++i)
      result.setInteger(taken.at(line, i), orders[line][i]);
  return result;
}

static LogicalResult evaluateSort(df::SortOp op, Frame &frame) {
  const Tensor &keys = frame.tensor(op.getOperands().front());
  int64_t axis = df::axisOf(op);
  for (Value operand : op.getOperands())
    if (frame.tensor(operand).getShape() != keys.getShape())
      return op.emitOpError("has operands of different shapes");
  auto orders = sortLines(keys, AxisLines(keys.getShape(), axis), op.getDescending());
  for (auto [operand, result] : llvm::zip(op.getOperands(), op.getResults()))
    if (failed(frame.set(result, takeLines(frame.tensor(operand), axis, orders, keys.getDimSize(axis)))))
      return failure();
  return success();
}

static LogicalResult evaluateArgsort(df::ArgsortOp op, Frame &frame) {
  const Tensor &keys = frame.tensor(op.getOperand());
  int64_t axis = df::axisOf(op);
  auto orders = sortLines(keys, AxisLines(keys.getShape(), axis), op.getDescending());
  return frame.set(op.getResult(), takePositions(keys.getShape(), axis, orders, keys.getDimSize(axis)));
}

static LogicalResult evaluateTopK(df::TopKOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  int64_t axis = df::axisOf(op), size = from.getDimSize(axis);
  int64_t k = op.getCount() ? frame.integer(op.getCount()) : static_cast<int64_t>(*op.getK());
  if (k < 0 || k > size)
    return op.emitOpError("takes ") << k << " elements of an axis of " << size;
  auto orders = sortLines(from, AxisLines(from.getShape(), axis), !op.getSmallest());
  if (failed(frame.set(op.getValues(), takeLines(from, axis, orders, k))))
    return failure();
  return frame.set(op.getPositions(), takePositions(from.getShape(), axis, orders, k));
}

/// For each value the number of elements of its line that stand before it.
template <typename T>
static std::vector<int64_t> searchLines(const std::vector<T> &sequence, int64_t size, const std::vector<T> &values,
                                        int64_t perLine, bool right) {
  auto below = [](T x, T y) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(x) || std::isnan(y))
        return !std::isnan(x) && std::isnan(y);
    return x < y;
  };
  std::vector<int64_t> places;
  for (size_t i = 0; i < values.size(); ++i) {
    auto begin = sequence.begin() + static_cast<int64_t>(i) / perLine * size, end = begin + size;
    auto place =
        right ? std::upper_bound(begin, end, values[i], below) : std::lower_bound(begin, end, values[i], below);
    places.push_back(place - begin);
  }
  return places;
}

static LogicalResult evaluateSearchsorted(df::SearchsortedOp op, Frame &frame) {
  const Tensor &sequence = frame.tensor(op.getSequence()), &values = frame.tensor(op.getValues());
  ArrayRef<int64_t> batch = sequence.getShape().drop_back(), shape = values.getShape();
  if (batch != shape.take_front(batch.size()))
    return op.emitOpError("has a sequence whose first dimensions are not those of the values");
  int64_t size = sequence.getShape().back(), perLine = 1;
  for (int64_t d : shape.drop_front(batch.size()))
    perLine *= d;
  Tensor result(ElementKind::I64, shape);
  bool right = op.getRight();
  result.assign(ArrayRef(isFloatKind(values.getKind())
                             ? searchLines(sequence.to<double>(), size, values.to<double>(), perLine, right)
                             : searchLines(integersInOrder(sequence), size, integersInOrder(values), perLine, right)));
  return frame.set(op.getResult(), std::move(result));
}

void mlc::interp::addOrderRules(RuleTable &table) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  addCumulative<df::CumsumOp>(
      table, 0, [](ElementKind) { return 0; },
      [](auto sum, auto x) {
        if constexpr (std::is_integral_v<decltype(x)>)
          return static_cast<uint64_t>(sum) + static_cast<uint64_t>(x);
        else
          return sum + x;
      });
  addCumulative<df::CumprodOp>(
      table, 1, [](ElementKind) { return 1; },
      [](auto product, auto x) {
        if constexpr (std::is_integral_v<decltype(x)>)
          return static_cast<uint64_t>(product) * static_cast<uint64_t>(x);
        else
          return product * x;
      });
  addCumulative<df::CummaxOp>(table, -infinity, leastInteger, [](auto best, auto x) { return maximumOf(x, best); });
  addCumulative<df::CumminOp>(table, infinity, largestInteger, [](auto best, auto x) { return minimumOf(x, best); });
  table.add<df::LinearScanOp>(evaluateLinearScan);
  table.add<df::SortOp>(evaluateSort);
  table.add<df::ArgsortOp>(evaluateArgsort);
  table.add<df::TopKOp>(evaluateTopK);
  table.add<df::SearchsortedOp>(evaluateSearchsorted);
}
