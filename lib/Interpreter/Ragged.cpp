// Rules of the ops of multi-valued features.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"

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

static LogicalResult evaluateSegmentSum(df::SegmentSumOp op, Frame &frame) {
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

static LogicalResult evaluateSegmentRepeat(df::SegmentRepeatOp op, Frame &frame) {
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

void mlc::interp::addRaggedRules(RuleTable &table) {
  table.add<df::SegmentSumOp>(evaluateSegmentSum);
  table.add<df::SegmentRepeatOp>(evaluateSegmentRepeat);
}
