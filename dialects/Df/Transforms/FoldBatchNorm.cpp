// df-fold-batch-norm: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfConvolutionOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfNormalizationOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFFOLDBATCHNORMPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

/// A product whose last dimension are the channels, and what weighs it.
static std::pair<Operation *, unsigned> weightedProduct(Value value) {
  Operation *op = value.getDefiningOp();
  auto conv = dyn_cast_or_null<ConvOp>(op);
  bool isProduct = isa_and_present<MatmulOp>(op) || (conv && !conv.getChannelsFirst());
  return isProduct && op->hasOneUse() ? std::pair(op, 1u) : std::pair<Operation *, unsigned>(nullptr, 0);
}

/// The vector that is added to each row of `sum`, if that is all it is, and what it is added to.
static std::pair<Value, Value> splitBias(Value sum) {
  auto add = sum.getDefiningOp<AddOp>();
  if (!add || !add->hasOneUse())
    return {sum, Value()};
  int64_t last = shapeOf(sum.getType()).size() - 1;
  for (auto [x, y] : {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
    auto spread = y.getDefiningOp<BroadcastOp>();
    if (spread && spread.getDimensions() == ArrayRef<int64_t>{last} &&
        shapeOf(spread.getOperand().getType()).front() != 1)
      return {x, spread.getOperand()};
  }
  return {sum, Value()};
}

/// ((x w + b) - mean) * f + offset with f = scale / sqrt(variance + epsilon) is x (w f) + ((b - mean) * f + offset).
static LogicalResult foldIntoWeights(BatchNormInferenceOp op, PatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(op.getType());
  auto function = op->getParentOfType<FunctionOp>();
  // Training needs the gradient of each of them.
  if (!function || (function.getRole() != Role::Predict && function.getRole() != Role::EvalUpdate) ||
      !(type.getElementType().isF32() || type.getElementType().isF64()) ||
      !llvm::equal(op.getAxes(), llvm::seq<int64_t>(0, type.getRank() - 1)))
    return failure();
  auto [sum, bias] = splitBias(op.getOperand());
  auto [product, position] = weightedProduct(sum);
  if (!product)
    return failure();
  auto matmul = dyn_cast<MatmulOp>(product);
  Location loc = op.getLoc();
  Value weights = product->getOperand(position);
  auto weightsType = cast<RankedTensorType>(weights.getType());
  if (!weightsType.hasStaticShape())
    return failure();
  int64_t channel = matmul && matmul.getTransposeB() ? 0 : weightsType.getRank() - 1;

  auto vector = cast<RankedTensorType>(op.getMean().getType());
  auto splat = [&](double number) -> Value {
    return ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(vector, Attribute(FloatAttr::get(vector.getElementType(), number))));
  };
  Value variance = AddOp::create(rewriter, loc, vector, op.getVariance(), splat(op.getEpsilon().convertToDouble()));
  Value deviation = SqrtOp::create(rewriter, loc, vector, variance);
  Value factor = DivOp::create(rewriter, loc, vector, op.getScale() ? op.getScale() : splat(1), deviation);
  Value centered = bias ? SubOp::create(rewriter, loc, vector, bias, op.getMean()).getResult()
                        : NegOp::create(rewriter, loc, vector, op.getMean()).getResult();
  Value offset = MulOp::create(rewriter, loc, vector, centered, factor);
  if (op.getOffset())
    offset = AddOp::create(rewriter, loc, vector, offset, op.getOffset());
  Value factors = BroadcastOp::create(rewriter, loc, weightsType, factor, Value(), ArrayRef<int64_t>{channel});
  Value scaled = MulOp::create(rewriter, loc, weightsType, weights, factors);

  rewriter.setInsertionPoint(op);
  Operation *copy = rewriter.clone(*product);
  rewriter.modifyOpInPlace(copy, [&, position = position] { copy->setOperand(position, scaled); });
  Value spread = BroadcastOp::create(rewriter, loc, type, offset, type.hasStaticShape() ? Value() : copy->getResult(0),
                                     ArrayRef<int64_t>{type.getRank() - 1});
  rewriter.replaceOpWithNewOp<AddOp>(op, type, copy->getResult(0), spread);
  return success();
}

namespace {
struct DfFoldBatchNormPass : mlc::df::impl::DfFoldBatchNormPassBase<DfFoldBatchNormPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(foldIntoWeights);
    // Folding would make a constant of a bias that is one, repeated for each row.
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), GreedyRewriteConfig().enableFolding(false))))
      signalPassFailure();
  }
};
} // namespace
