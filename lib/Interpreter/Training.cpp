// Rules of losses over the batch and of sparse gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"
#include "SumPartials.h"
#include "dialects/Df/IR/DfTrainingOps.h"

#include <limits>
#include <map>

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

void mlc::interp::poison(Tensor &tensor, int64_t first, int64_t count) {
  for (int64_t i = first; i < first + count; ++i)
    if (isFloatKind(tensor.getKind()))
      tensor.setFloat(i, std::numeric_limits<double>::quiet_NaN());
    else
      tensor.setInteger(i, std::numeric_limits<int64_t>::max());
}

/// sum(w * l) in row-major order, divided as the reduction says; 0 where the divisor is.
static LogicalResult evaluateBatchMean(df::BatchMeanOp op, Frame &frame) {
  const Tensor &losses = frame.tensor(op.getLosses());
  const Tensor *weights = op.getWeights() ? &frame.tensor(op.getWeights()) : nullptr;
  if (weights && weights->getShape() != losses.getShape())
    return op.emitOpError("losses and weights differ in shape");
  return withEmitter(losses.getKind(), [&](auto e) {
    using T = typename decltype(e)::F;
    T sum = 0, weightSum = 0;
    int64_t elements = losses.getNumElements();
    for (int64_t i = 0; i < elements; ++i) {
      T weight = weights ? static_cast<T>(weights->getFloat(i)) : T(1);
      sum = e.add(sum, e.mul(weight, static_cast<T>(losses.getFloat(i))));
      weightSum = e.add(weightSum, weight);
    }
    T divisor = op.getReduction() == df::BatchReduction::Sum    ? T(1)
                : op.getReduction() == df::BatchReduction::Mean ? weightSum
                                                                : static_cast<T>(elements);
    return frame.set(op.getResult(), Tensor::scalar(losses.getKind(), divisor == 0 ? T(0) : e.div(sum, divisor)));
  });
}

static LogicalResult evaluateUnique(df::GroupIdsOp op, Frame &frame) {
  const Tensor &ids = frame.tensor(op.getIds());
  int64_t n = ids.getDimSize(0);
  std::map<int64_t, std::vector<int64_t>> positions;
  for (int64_t i = 0; i < n; ++i)
    if (ids.getInteger(i) >= 0)
      positions[ids.getInteger(i)].push_back(i);
  Tensor unique(ElementKind::I64, {n}), ends(ElementKind::I64, {n}), order(ElementKind::I64, {n});
  for (Tensor *tensor : {&unique, &ends, &order})
    poison(*tensor, 0, n);
  int64_t group = 0, next = 0;
  for (const auto &[id, members] : positions) {
    unique.setInteger(group, id);
    for (int64_t position : members)
      order.setInteger(next++, position);
    ends.setInteger(group++, next);
  }
  if (failed(frame.set(op.getUnique(), std::move(unique))) || failed(frame.set(op.getEnds(), std::move(ends))) ||
      failed(frame.set(op.getOrder(), std::move(order))))
    return failure();
  return frame.set(op.getCount(), Tensor::scalar(group));
}

static LogicalResult evaluateGroupSum(df::GroupSumOp op, Frame &frame) {
  const Tensor &values = frame.tensor(op.getValues()), &ends = frame.tensor(op.getEnds());
  const Tensor &order = frame.tensor(op.getOrder());
  int64_t n = values.getDimSize(0), width = values.getRowSize(), count = frame.integer(op.getCount());
  if (count < 0 || count > n || ends.getDimSize(0) != n || order.getDimSize(0) != n)
    return op.emitOpError("has ") << count << " groups of " << n << " rows, ends of " << ends.getDimSize(0)
                                  << ", order of " << order.getDimSize(0);
  return withEmitter(values.getKind(), [&](auto e) -> LogicalResult {
    using T = typename decltype(e)::F;
    Tensor result(values.getKind(), values.getShape());
    poison(result, 0, result.getNumElements());
    for (int64_t k = 0; k < count; ++k) {
      int64_t begin = k ? ends.getInteger(k - 1) : 0, end = ends.getInteger(k);
      if (begin < 0 || end <= begin || end > n)
        return op.emitOpError("group ") << k << " is [" << begin << ", " << end << ") of " << n << " rows";
      for (int64_t j = begin; j < end; ++j)
        if (int64_t row = order.getInteger(j); row < 0 || row >= n)
          return op.emitOpError("order names row ") << row << " of " << n;
      auto add = [&](T a, T b) { return e.add(a, b); };
      for (int64_t c = 0; c < width; ++c) {
        auto at = [&](int64_t j) { return static_cast<T>(values.getFloat(order.getInteger(j) * width + c)); };
        Partials<T> partials(0);
        T sum = 0;
        for (int64_t first = begin; first < end; first += kSumBlock) {
          sum = at(first);
          for (int64_t j = first + 1; j < std::min(first + kSumBlock, end); ++j)
            sum = add(sum, at(j));
          partials.add(sum, add);
        }
        result.setFloat(k * width + c, end - begin > kSumBlock ? partials.combine(add) : sum);
      }
    }
    return frame.set(op.getResult(), std::move(result));
  });
}

/// An error at `op` unless `rows` are parts that fit together, of ascending ids.
static LogicalResult checkRows(Operation *op, const Rows &rows) {
  int64_t n = rows.ids.getDimSize(0);
  if (rows.rows.getDimSize(0) != n)
    return op->emitOpError("has ") << n << " ids and " << rows.rows.getDimSize(0) << " rows";
  if (rows.count < 0 || rows.count > n)
    return op->emitOpError("count ") << rows.count << " is not in [0, " << n << "]";
  for (int64_t k = 0; k < rows.count; ++k)
    if (rows.ids.getInteger(k) < 0 || (k && rows.ids.getInteger(k) <= rows.ids.getInteger(k - 1)))
      return op->emitOpError("ids must be >= 0 and ascend; found ") << rows.ids.getInteger(k) << " at " << k;
  return success();
}

/// An error at `op` if an id is beyond a table of `numRows`.
static LogicalResult checkBound(Operation *op, const Rows &rows, int64_t numRows) {
  if (rows.count && rows.ids.getInteger(rows.count - 1) >= numRows)
    return op->emitOpError("id ") << rows.ids.getInteger(rows.count - 1) << " is beyond the table's " << numRows
                                  << " rows";
  return success();
}

static LogicalResult evaluatePackRows(df::PackRowsOp op, Frame &frame) {
  Rows rows{frame.tensor(op.getIds()), frame.tensor(op.getRows()), frame.integer(op.getCount())};
  if (failed(checkRows(op, rows)) || failed(checkBound(op, rows, op.getType().getType().getDimSize(0))))
    return failure();
  return frame.set(op.getResult(), std::move(rows));
}

/// Sets the three parts of `rows`.
static LogicalResult setParts(Frame &frame, Value ids, Value rowValues, Value count, const Rows &rows) {
  if (failed(frame.set(ids, rows.ids)) || failed(frame.set(rowValues, rows.rows)))
    return failure();
  return frame.set(count, Tensor::scalar(rows.count));
}

static LogicalResult evaluateMergeRows(df::MergeRowsOp op, Frame &frame) {
  Rows a{frame.tensor(op.getLhsIds()), frame.tensor(op.getLhsRows()), frame.integer(op.getLhsCount())};
  Rows b{frame.tensor(op.getRhsIds()), frame.tensor(op.getRhsRows()), frame.integer(op.getRhsCount())};
  if (failed(checkRows(op, a)) || failed(checkRows(op, b)))
    return failure();
  int64_t capacity =
      op.getLike() ? frame.tensor(op.getLike()).getDimSize(0) : a.ids.getDimSize(0) + b.ids.getDimSize(0);
  SmallVector<int64_t> shape(a.rows.getShape());
  shape[0] = capacity;
  Rows merged{Tensor(ElementKind::I64, {capacity}), Tensor(a.rows.getKind(), shape), 0};
  poison(merged.ids, 0, capacity);
  poison(merged.rows, 0, merged.rows.getNumElements());
  int64_t width = merged.rows.getRowSize();
  for (int64_t i = 0, j = 0; i < a.count || j < b.count; ++merged.count) {
    if (merged.count == capacity)
      return op.emitOpError("the union has more than ") << capacity << " ids";
    bool left = j == b.count || (i < a.count && a.ids.getInteger(i) <= b.ids.getInteger(j));
    bool right = i == a.count || (j < b.count && b.ids.getInteger(j) <= a.ids.getInteger(i));
    const Rows &source = left ? a : b;
    int64_t row = left ? i : j, start = merged.count * width;
    merged.ids.setInteger(merged.count, source.ids.getInteger(row));
    merged.rows.copyElements(start, source.rows, row * width, width);
    if (left && right)
      for (int64_t c = 0; c < width;
           ++c) // f64 has more than twice the digits of f32: rounding there first changes nothing
        merged.rows.setFloat(start + c, a.rows.getFloat(i * width + c) + b.rows.getFloat(j * width + c));
    i += left;
    j += right;
  }
  return setParts(frame, op.getIds(), op.getRows(), op.getCount(), merged);
}

static LogicalResult evaluateScaleRows(df::ScaleRowsOp op, Frame &frame) {
  Rows rows = frame.rows(op.getOperand());
  double factor = frame.tensor(op.getFactor()).getFloat(0);
  withEmitter(rows.rows.getKind(), [&](auto e) {
    using T = typename decltype(e)::F;
    for (int64_t i = 0, n = rows.count * rows.rows.getRowSize(); i < n; ++i)
      rows.rows.setFloat(i, e.mul(static_cast<T>(rows.rows.getFloat(i)), static_cast<T>(factor)));
  });
  return frame.set(op.getResult(), std::move(rows));
}

void mlc::interp::addTrainingRules(RuleTable &table) {
  table.add<df::BatchMeanOp>(evaluateBatchMean);
  table.add<df::GradientsOp>([](df::GradientsOp op, Frame &) -> LogicalResult {
    return op.emitOpError("cannot be evaluated; run df-expand-gradients first");
  });
  table.add<df::GroupIdsOp>(evaluateUnique);
  table.add<df::GroupSumOp>(evaluateGroupSum);
  table.add<df::PackRowsOp>(evaluatePackRows);
  table.add<df::UnpackRowsOp>([](df::UnpackRowsOp op, Frame &frame) {
    return setParts(frame, op.getIds(), op.getRows(), op.getCount(), frame.rows(op.getOperand()));
  });
  table.add<df::MergeRowsOp>(evaluateMergeRows);
  table.add<df::ScaleRowsOp>(evaluateScaleRows);
  table.add<df::DensifyRowsOp>([](df::DensifyRowsOp op, Frame &frame) -> LogicalResult {
    return frame.set(op.getResult(),
                     frame.rows(op.getOperand()).densify(cast<RankedTensorType>(op.getType()).getDimSize(0)));
  });
  // All rows of the batch are here: the sum over one shard.
  table.add<df::AllReduceOp>(
      [](df::AllReduceOp op, Frame &frame) { return frame.set(op.getResult(), frame.get(op.getOperand())); });
}
