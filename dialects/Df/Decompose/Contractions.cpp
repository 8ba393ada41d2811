// Decompositions of products and attention.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Decomposition.h"
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfEinsum.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

#include <cmath>

using namespace mlir;

namespace mlc::df {

static RankedTensorType typeOf(Value v) { return cast<RankedTensorType>(v.getType()); }

//===-- batch_matmul ----------------------------------------------------------------===//

static Value decompositionOf(BatchMatmulOp op, ExpressionBuilder &b) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  int64_t l = typeOf(lhs).getRank(), r = typeOf(rhs).getRank();
  int64_t lhsInner = l - (op.getTransposeA() ? 2 : 1), rhsInner = r - (op.getTransposeB() ? 1 : 2);
  SmallVector<int64_t> batch;
  for (int64_t d = 0; d < std::min(l, r) - 2; ++d)
    batch.push_back(d);
  if (l == r || r == 2)
    return DotGeneralOp::create(b.builder, b.loc, lhs, rhs, batch, batch, lhsInner, rhsInner);
  // [rows, leading.., columns]: the rows of the one matrix belong after the leading dimensions.
  SmallVector<int64_t> shape, permutation;
  shape.push_back(op.getType().getDimSize(r - 2));
  for (int64_t d = 0; d < r - 2; ++d)
    shape.push_back(op.getType().getDimSize(d));
  shape.push_back(op.getType().getDimSize(r - 1));
  for (int64_t d = 0; d < r - 2; ++d)
    permutation.push_back(d + 1);
  permutation.append({0, r - 1});
  Value product = DotGeneralOp::create(b.builder, b.loc, lhs, rhs, batch, batch, lhsInner, rhsInner);
  return b.infer<TransposeOp>(product, permutation);
}

//===-- einsum ----------------------------------------------------------------------===//

namespace {
struct Labelled {
  Value value;
  EinsumLabels labels;
};
} // namespace

/// Without the dimensions of labels that `keep` does not want.
static Labelled sumAway(ExpressionBuilder &b, Labelled x, llvm::function_ref<bool(int)> keep) {
  SmallVector<int64_t> axes;
  EinsumLabels left;
  for (auto [d, label] : llvm::enumerate(x.labels)) {
    if (keep(label))
      left.push_back(label);
    else
      axes.push_back(static_cast<int64_t>(d));
  }
  return {b.sum(x.value, axes), left};
}

static Labelled product(ExpressionBuilder &b, const Labelled &x, const Labelled &y,
                        llvm::function_ref<bool(int)> isNeeded) {
  SmallVector<int64_t> xBatch, yBatch, xInner, yInner;
  Labelled result;
  auto add = [&](const Labelled &from, size_t d) { result.labels.push_back(from.labels[d]); };
  for (auto [d, label] : llvm::enumerate(x.labels)) {
    auto it = llvm::find(y.labels, label);
    if (it == y.labels.end())
      continue;
    (isNeeded(label) ? xBatch : xInner).push_back(static_cast<int64_t>(d));
    (isNeeded(label) ? yBatch : yInner).push_back(it - y.labels.begin());
    if (isNeeded(label))
      add(x, d);
  }
  for (size_t d = 0; d < x.labels.size(); ++d)
    if (!llvm::is_contained(y.labels, x.labels[d]))
      add(x, d);
  for (size_t d = 0; d < y.labels.size(); ++d)
    if (!llvm::is_contained(x.labels, y.labels[d]))
      add(y, d);
  result.value = DotGeneralOp::create(b.builder, b.loc, x.value, y.value, xBatch, yBatch, xInner, yInner);
  return result;
}

static Value decompositionOf(EinsumOp op, ExpressionBuilder &b) {
  auto equation = parseEquation(op);
  if (failed(equation))
    return {};
  size_t count = op.getOperands().size();
  // Whether the result or an operand from `next` on has the label.
  auto isNeededFrom = [&](size_t next, int label) {
    if (llvm::is_contained(equation->result, label))
      return true;
    for (size_t i = next; i < count; ++i)
      if (llvm::is_contained(equation->operands[i], label))
        return true;
    return false;
  };
  Labelled sum = {op.getOperands()[0], equation->operands[0]};
  sum = sumAway(b, sum, [&](int label) { return isNeededFrom(1, label); });
  for (size_t i = 1; i < count; ++i) {
    Labelled next = {op.getOperands()[i], equation->operands[i]};
    next = sumAway(b, next,
                   [&](int label) { return isNeededFrom(i + 1, label) || llvm::is_contained(sum.labels, label); });
    sum = product(b, sum, next, [&](int label) { return isNeededFrom(i + 1, label); });
  }
  SmallVector<int64_t> permutation;
  for (int label : equation->result)
    permutation.push_back(llvm::find(sum.labels, label) - sum.labels.begin());
  if (llvm::is_sorted(permutation))
    return sum.value;
  return b.infer<TransposeOp>(sum.value, permutation);
}

//===-- attention -------------------------------------------------------------------===//

/// [t, s]: whether query i may see key j <= i.
static Value causalMask(ExpressionBuilder &b, int64_t queries, int64_t keys) {
  SmallVector<bool> seen;
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j)
      seen.push_back(j <= i);
  auto type = RankedTensorType::get({queries, keys}, b.builder.getI1Type());
  return ConstantOp::create(b.builder, b.loc, DenseElementsAttr::get(type, seen));
}

static Value decompositionOf(AttentionOp op, ExpressionBuilder &b) {
  RankedTensorType query = typeOf(op.getQuery()), key = typeOf(op.getKey());
  int64_t rank = query.getRank(), depth = joinSizes(query.getDimSize(rank - 1), key.getDimSize(rank - 1));
  double scale = op.getScale() ? op.getScale()->convertToDouble() : 1 / std::sqrt(static_cast<double>(depth));
  Type element = query.getElementType();
  SmallVector<int64_t> batch, shape(query.getShape().drop_back());
  shape.push_back(joinSizes(key.getDimSize(rank - 2), typeOf(op.getValue()).getDimSize(rank - 2)));
  for (int64_t d = 0; d < rank - 2; ++d)
    batch.push_back(d);
  Value scores = DotGeneralOp::create(b.builder, b.loc, op.getQuery(), op.getKey(), batch, batch,
                                      ArrayRef<int64_t>(rank - 1), ArrayRef<int64_t>(rank - 1));
  scores = b.mul(scores, b.splatLike(scores, scale));
  // Masks of two dimensions are the same for all leading ones.
  auto spread = [&](Value mask) {
    int64_t own = typeOf(mask).getRank();
    SmallVector<int64_t> dimensions;
    for (int64_t d = rank - own; d < rank; ++d)
      dimensions.push_back(d);
    return b.broadcast(mask, scores, dimensions);
  };
  auto hide = [&](Value mask) {
    scores = b.select(spread(mask), scores, b.splatLike(scores, element.isF16() ? -1e4 : -1e9));
  };
  if (Value mask = op.getMask()) {
    if (typeOf(mask).getElementType().isInteger(1))
      hide(mask);
    else
      scores = b.add(scores, spread(mask));
  }
  if (op.getCausal())
    hide(causalMask(b, shape[rank - 2], shape[rank - 1]));
  Value shares = b.infer<SoftmaxOp>(scores, /*axis=*/IntegerAttr());
  return DotGeneralOp::create(b.builder, b.loc, shares, op.getValue(), batch, batch, ArrayRef<int64_t>(rank - 1),
                              ArrayRef<int64_t>(rank - 2));
}

void attachContractionDecompositions(MLIRContext *context) {
  attachDecompositions<BatchMatmulOp, EinsumOp, AttentionOp>(context);
}

} // namespace mlc::df
