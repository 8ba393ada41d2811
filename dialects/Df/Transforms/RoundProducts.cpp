// df-round-products: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfDimensions.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/RoundFactor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ScopeExit.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFROUNDPRODUCTSPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

/// Whether each factor of a contraction is part of many products: both operands have dimensions of their own, and there
/// is more than one product to a sum.
static bool usesFactorsAgain(Operation *op) {
  auto dimensions = dyn_cast<DimensionsOpInterface>(op);
  if (!dimensions)
    return false;
  // Dimensions of two factors that are one value cannot be told apart: one of them is another value meanwhile.
  CastOp apart;
  if (Value factor = op->getOperand(0); factor == op->getOperand(1)) {
    OpBuilder b(op);
    apart = CastOp::create(b, op->getLoc(), factor.getType(), factor);
    op->setOperand(1, apart);
  }
  auto rejoin = llvm::make_scope_exit([&] {
    if (!apart)
      return;
    op->setOperand(1, apart.getOperand());
    apart.erase();
  });
  DimensionMapping map;
  dimensions.mapDimensions(map);
  const Value lhs = op->getOperand(0), rhs = op->getOperand(1), result = op->getResult(0);
  bool ofLhs = false, ofRhs = false, isInner = false;
  for (ArrayRef<Dimension> set : map.getSets()) {
    auto has = [&](Value value) { return llvm::any_of(set, [&](Dimension d) { return d.value == value; }); };
    auto isOne = [](Dimension d) { return cast<RankedTensorType>(d.value.getType()).getDimSize(d.index) == 1; };
    if (llvm::any_of(set, isOne))
      continue;
    ofLhs |= has(lhs) && has(result) && !has(rhs);
    ofRhs |= has(rhs) && has(result) && !has(lhs);
    isInner |= has(lhs) && has(rhs) && !has(result);
  }
  return ofLhs && ofRhs && isInner;
}

static bool isOfF32(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32();
}

/// Whether the op is a product of factors of f32.
static bool isProduct(Operation *op) {
  auto work = dyn_cast<WorkOpInterface>(op);
  return work && (work.getWork() == Work::Contraction || work.getWork() == Work::Convolution) &&
         op->getNumOperands() >= 2 && op->getNumResults() == 1 && isOfF32(op->getOperand(0).getType()) &&
         isOfF32(op->getOperand(1).getType()) && isOfF32(op->getResult(0).getType());
}

namespace {
struct DfRoundProductsPass : mlc::df::impl::DfRoundProductsPassBase<DfRoundProductsPass> {
  void runOnOperation() override {
    auto precision = getOperation()->getAttrOfType<PrecisionAttr>(DfDialect::kPrecisionAttr);
    getOperation()->removeAttr(DfDialect::kPrecisionAttr);
    if (!precision || precision.getValue() == Precision::F32)
      return;
    const bool isTf32 = precision.getValue() == Precision::TF32;
    SmallVector<Operation *> products, attentions;
    getOperation()->walk([&](Operation *op) {
      if (isa<AttentionOp, AttentionGradOp>(op) && isOfF32(op->getOperand(0).getType()))
        attentions.push_back(op);
      else if (isProduct(op) && (cast<WorkOpInterface>(op).getWork() == Work::Convolution || usesFactorsAgain(op)))
        products.push_back(op);
    });
    OpBuilder b(&getContext());
    auto round = [&](Operation *op, unsigned count) {
      b.setInsertionPoint(op);
      for (OpOperand &factor : op->getOpOperands().take_front(count))
        factor.set(roundFactor(b, op->getLoc(), factor.get(), precision.getValue()));
    };
    for (Operation *op : products) {
      round(op, 2);
      if (isTf32)
        op->setAttr(DfDialect::kFactorsAttr, precision);
    }
    // Query, key, value, and the gradient of the result.
    for (Operation *op : attentions) {
      round(op, isa<AttentionOp>(op) ? 3 : 4);
      op->setAttr(DfDialect::kFactorsAttr, precision);
    }
  }
};
} // namespace
