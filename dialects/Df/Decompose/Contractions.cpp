// Decompositions of products and attention.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/AttentionParts.h"
#include "dialects/Df/Decompose/Decomposition.h"
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfEinsum.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

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

static Value decompositionOf(AttentionOp op, ExpressionBuilder &b) {
  AttentionParts parts(op, b);
  return parts.product(parts.rounded(parts.shares), op.getValue(), parts.rank - 1, parts.rank - 2);
}

static LogicalResult decompositionOf(AttentionGradOp op, ExpressionBuilder &b, SmallVectorImpl<Value> &results) {
  AttentionParts parts(op, b);
  const int64_t rank = parts.rank;
  Value g = parts.gradientOfProducts(op.getCotangent());
  g = parts.rounded(b.mul(g, b.splatLike(g, parts.scale)));
  // As the gradients of the products are made, so that they have the same bits.
  Value ofValue = parts.product(op.getCotangent(), parts.rounded(parts.shares), rank - 2, rank - 2);
  SmallVector<int64_t> permutation(parts.batch);
  permutation.append({rank - 1, rank - 2});
  results.append({parts.product(g, op.getKey(), rank - 1, rank - 2),
                  parts.product(g, op.getQuery(), rank - 2, rank - 2), b.infer<TransposeOp>(ofValue, permutation)});
  return success();
}

void attachContractionDecompositions(MLIRContext *context) {
  attachDecompositions<BatchMatmulOp, EinsumOp, AttentionOp, AttentionGradOp>(context);
}

} // namespace mlc::df
