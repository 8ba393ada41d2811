// Decompositions of ops on windows of images with channels first: the same ops of the images with channels last.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Decomposition.h"
#include "dialects/Df/Decompose/Parts.h"
#include "dialects/Df/IR/DfConvolutionOps.h"
#include "dialects/Df/IR/DfWindow.h"

using namespace mlir;

namespace mlc::df {

/// The operand that is a filter, which has one form; null without one.
static OpOperand *filterOf(ConvOp op) { return &op.getFilterMutable(); }
static OpOperand *filterOf(ConvTransposeOp op) { return &op.getFilterMutable(); }
template <typename Op> static OpOperand *filterOf(Op) { return nullptr; }

static Value transposed(ExpressionBuilder &b, Value image, SmallVector<int64_t> (*order)(int64_t rank)) {
  return b.infer<TransposeOp>(image, order(static_cast<int64_t>(shapeOf(image.getType()).size())));
}

template <typename Op> static Value decompositionOf(Op op, ExpressionBuilder &b) {
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(&operand == filterOf(op) ? operand.get() : transposed(b, operand.get(), channelsLast));
  auto last = cast<Op>(b.builder.clone(*op));
  last->setOperands(operands);
  last.setChannelsFirst(false);
  if constexpr (std::is_same_v<Op, ConvFilterGradientOp>)
    return last.getResult();
  last.getResult().setType(toChannelsLast(op, op.getType()));
  return transposed(b, last.getResult(), channelsFirst);
}

void attachChannelsFirstDecompositions(MLIRContext *context) {
  attachDecompositions<ConvOp, ConvTransposeOp, ConvFilterGradientOp, MaxPoolOp, MaxPoolPositionsOp, PoolSelectOp,
                       PoolScatterOp>(context);
}

} // namespace mlc::df
