// Attention by products and softmax: what its decomposition and its gradients are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_DECOMPOSE_ATTENTIONPARTS_H
#define DIALECTS_DF_DECOMPOSE_ATTENTIONPARTS_H

#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/Utils/ExpressionBuilder.h"
#include "dialects/Df/Utils/RoundFactor.h"

#include <cmath>

namespace mlc::df {

namespace detail {
inline mlir::RankedTensorType tensorTypeOf(mlir::Value v) { return llvm::cast<mlir::RankedTensorType>(v.getType()); }
} // namespace detail

/// [t, s]: whether query i may see key j <= i.
inline mlir::Value causalMask(ExpressionBuilder &b, int64_t queries, int64_t keys) {
  llvm::SmallVector<bool> seen;
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j)
      seen.push_back(j <= i);
  auto type = mlir::RankedTensorType::get({queries, keys}, b.builder.getI1Type());
  return ConstantOp::create(b.builder, b.loc, mlir::DenseElementsAttr::get(type, seen));
}

/// Attention as products and softmax, and what its gradient needs of them. Where factors are rounded (`df.factors`) the
/// op's are numbers of that precision already, and those that are made here are rounded.
template <typename Op> struct AttentionParts {
  Op op;
  ExpressionBuilder &b;
  int64_t rank;
  double scale;
  llvm::SmallVector<int64_t> batch;
  llvm::SmallVector<mlir::Value, 2> hiding; ///< for each mask that hides scores, whether one is shown
  mlir::Value shares;
  PrecisionAttr factors; ///< null: nothing is rounded

  AttentionParts(Op op, ExpressionBuilder &b)
      : op(op), b(b), factors(op->template getAttrOfType<PrecisionAttr>(DfDialect::kFactorsAttr)) {
    mlir::RankedTensorType query = detail::tensorTypeOf(op.getQuery()), key = detail::tensorTypeOf(op.getKey());
    rank = query.getRank();
    const int64_t depth = joinSizes(query.getDimSize(rank - 1), key.getDimSize(rank - 1));
    scale = op.getScale() ? op.getScale()->convertToDouble() : 1 / std::sqrt(static_cast<double>(depth));
    for (int64_t d = 0; d < rank - 2; ++d)
      batch.push_back(d);
    makeShares();
  }

  /// The product over dimension `l` of `lhs` and `r` of `rhs`, for each position of the leading dimensions.
  mlir::Value product(mlir::Value lhs, mlir::Value rhs, int64_t l, int64_t r) {
    auto dot = DotGeneralOp::create(b.builder, b.loc, lhs, rhs, batch, batch, llvm::ArrayRef<int64_t>(l),
                                    llvm::ArrayRef<int64_t>(r));
    if (factors && factors.getValue() == Precision::TF32)
      dot->setAttr(DfDialect::kFactorsAttr, factors);
    return dot;
  }

  /// Shares, or gradients of scores, as a factor of a product.
  mlir::Value rounded(mlir::Value factor) {
    return factors ? roundFactor(b.builder, b.loc, factor, factors.getValue()) : factor;
  }

  void makeShares() {
    llvm::SmallVector<int64_t> shape(detail::tensorTypeOf(op.getQuery()).getShape().drop_back());
    shape.push_back(joinSizes(detail::tensorTypeOf(op.getKey()).getDimSize(rank - 2),
                              detail::tensorTypeOf(op.getValue()).getDimSize(rank - 2)));
    mlir::Value scores = product(op.getQuery(), op.getKey(), rank - 1, rank - 1);
    scores = b.mul(scores, b.splatLike(scores, scale));
    // Masks of two dimensions are the same for all leading ones.
    auto spread = [&](mlir::Value mask) {
      int64_t own = detail::tensorTypeOf(mask).getRank();
      llvm::SmallVector<int64_t> dimensions;
      for (int64_t d = rank - own; d < rank; ++d)
        dimensions.push_back(d);
      return b.broadcast(mask, scores, dimensions);
    };
    auto hide = [&](mlir::Value mask) {
      mlir::Value shown = spread(mask);
      scores = b.select(shown, scores,
                        b.splatLike(scores, detail::tensorTypeOf(scores).getElementType().isF16() ? -1e4 : -1e9));
      hiding.push_back(shown);
    };
    if (mlir::Value mask = op.getMask()) {
      if (detail::tensorTypeOf(mask).getElementType().isInteger(1))
        hide(mask);
      else
        scores = b.add(scores, spread(mask));
    }
    if (op.getCausal())
      hide(causalMask(b, shape[rank - 2], shape[rank - 1]));
    shares = b.infer<SoftmaxOp>(scores, /*axis=*/mlir::IntegerAttr());
  }

  /// The gradient of the scaled products of queries and keys by that of attention's result.
  mlir::Value gradientOfProducts(mlir::Value cotangent) {
    mlir::Value g = product(cotangent, op.getValue(), rank - 1, rank - 1);
    mlir::Value along = b.sum(b.mul(g, shares), rank - 1);
    g = b.mul(shares, b.sub(g, b.broadcast(along, g, keptDimensions(rank, rank - 1))));
    for (mlir::Value shown : llvm::reverse(hiding))
      g = b.select(shown, g, b.splatLike(g, 0));
    return g;
  }
};

} // namespace mlc::df

#endif // DIALECTS_DF_DECOMPOSE_ATTENTIONPARTS_H
