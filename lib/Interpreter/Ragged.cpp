// Rules of the ops of multi-valued features.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"
#include "dialects/Df/IR/DfRaggedOps.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// Fails unless the ends ascend from 0 to `n`.
static LogicalResult checkEnds(Operation *op, const Tensor &ends, int64_t n) {
  int64_t before = 0;
  for (int64_t r = 0; r < ends.getNumElements(); ++r) {
    int64_t end = ends.getInteger(r);
    if (end < before || end > n)
      return op->emitOpError("row ") << r << " is [" << before << ", " << end << ") of " << n << " values";
    before = end;
  }
  if (before != n)
    return op->emitOpError("the last end is ") << before << " of " << n << " values";
  return success();
}

static LogicalResult evaluateRaggedReduce(df::RaggedReduceOp op, Frame &frame) {
  const Tensor &values = frame.tensor(op.getValues()), &ends = frame.tensor(op.getEnds());
  if (failed(checkEnds(op, ends, values.getDimSize(0))))
    return failure();
  SmallVector<int64_t> shape(values.getShape());
  shape[0] = ends.getDimSize(0);
  return withEmitter(values.getKind(), [&](auto e) {
    using T = typename decltype(e)::F;
    Tensor result(values.getKind(), shape);
    int64_t width = values.getRowSize();
    for (int64_t r = 0, j = 0; r < shape[0]; ++r) {
      std::vector<T> sum(width);
      for (; j < ends.getInteger(r); ++j)
        for (int64_t c = 0; c < width; ++c)
          sum[c] = e.add(sum[c], static_cast<T>(values.getFloat(j * width + c)));
      for (int64_t c = 0; c < width; ++c)
        result.setFloat(r * width + c, sum[c]);
    }
    return frame.set(op.getResult(), std::move(result));
  });
}

static LogicalResult evaluateRaggedRepeat(df::RaggedRepeatOp op, Frame &frame) {
  const Tensor &rows = frame.tensor(op.getRows()), &ends = frame.tensor(op.getEnds());
  SmallVector<int64_t> shape(rows.getShape());
  shape[0] = frame.tensor(op.getLike()).getDimSize(0);
  if (rows.getDimSize(0) != ends.getDimSize(0))
    return op.emitOpError("has ") << rows.getDimSize(0) << " rows and " << ends.getDimSize(0) << " ends";
  if (failed(checkEnds(op, ends, shape[0])))
    return failure();
  Tensor result(rows.getKind(), shape);
  int64_t width = rows.getRowSize();
  for (int64_t r = 0, j = 0; r < rows.getDimSize(0); ++r)
    for (; j < ends.getInteger(r); ++j)
      result.copyElements(j * width, rows, r * width, width);
  return frame.set(op.getResult(), std::move(result));
}

/// [begin, end) of the values of row r.
static std::pair<int64_t, int64_t> valuesOf(const Tensor *ends, int64_t perRow, int64_t r) {
  if (!ends)
    return {r * perRow, (r + 1) * perRow};
  return {r ? ends->getInteger(r - 1) : 0, ends->getInteger(r)};
}

static LogicalResult evaluateRaggedProduct(df::RaggedProductOp op, Frame &frame) {
  const Tensor *lhsEnds = op.getLhsEnds() ? &frame.tensor(op.getLhsEnds()) : nullptr,
               *rhsEnds = op.getRhsEnds() ? &frame.tensor(op.getRhsEnds()) : nullptr;
  std::vector<int64_t> lhs, rhs, ends;
  for (int64_t r = 0, rows = (lhsEnds ? lhsEnds : rhsEnds)->getDimSize(0); r < rows; ++r) {
    auto [i, iEnd] = valuesOf(lhsEnds, static_cast<int64_t>(op.getLhsPerRow()), r);
    auto [first, last] = valuesOf(rhsEnds, static_cast<int64_t>(op.getRhsPerRow()), r);
    for (; i < iEnd; ++i)
      for (int64_t j = first; j < last; ++j) {
        lhs.push_back(i);
        rhs.push_back(j);
      }
    ends.push_back(static_cast<int64_t>(lhs.size()));
  }
  if (op.getCount() && frame.integer(op.getCount()) != static_cast<int64_t>(lhs.size()))
    return op.emitOpError("makes ") << lhs.size() << " pairs; its count is " << frame.integer(op.getCount());
  auto vector = [](ArrayRef<int64_t> values) {
    Tensor tensor(ElementKind::I64, {static_cast<int64_t>(values.size())});
    for (auto [i, value] : llvm::enumerate(values))
      tensor.setInteger(static_cast<int64_t>(i), value);
    return tensor;
  };
  return success(succeeded(frame.set(op.getLhsPositions(), vector(lhs))) &&
                 succeeded(frame.set(op.getRhsPositions(), vector(rhs))) &&
                 succeeded(frame.set(op.getEnds(), vector(ends))));
}

void mlc::interp::addRaggedRules(RuleTable &table) {
  table.add<df::RaggedReduceOp>(evaluateRaggedReduce);
  table.add<df::RaggedRepeatOp>(evaluateRaggedRepeat);
  table.add<df::RaggedProductOp>(evaluateRaggedProduct);
}
