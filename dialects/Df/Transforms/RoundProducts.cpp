// df-round-products: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfDimensions.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "mlir/IR/BuiltinOps.h"

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

/// Casts to bf16 and back.
static Value round(OpBuilder &b, Location loc, Value factor) {
  auto type = cast<RankedTensorType>(factor.getType());
  return CastOp::create(b, loc, type, CastOp::create(b, loc, type.clone(b.getBF16Type()), factor));
}

namespace {
struct DfRoundProductsPass : mlc::df::impl::DfRoundProductsPassBase<DfRoundProductsPass> {
  void runOnOperation() override {
    auto precision = getOperation()->getAttrOfType<PrecisionAttr>(DfDialect::kPrecisionAttr);
    getOperation()->removeAttr(DfDialect::kPrecisionAttr);
    if (!precision || precision.getValue() == Precision::F32)
      return;
    SmallVector<Operation *> products;
    getOperation()->walk([&](Operation *op) {
      if (isProduct(op))
        products.push_back(op);
    });
    OpBuilder b(&getContext());
    for (Operation *op : products) {
      b.setInsertionPoint(op);
      SmallVector<Value> exact(op->operand_begin(), op->operand_begin() + 2);
      for (OpOperand &factor : op->getOpOperands().take_front(2))
        factor.set(round(b, op->getLoc(), factor.get()));
      // Only now two factors that are one value can be told apart.
      if (cast<WorkOpInterface>(op).getWork() == Work::Convolution || usesFactorsAgain(op))
        continue;
      for (auto [factor, value] : llvm::zip_equal(op->getOpOperands().take_front(2), exact)) {
        Operation *back = factor.get().getDefiningOp(), *there = back->getOperand(0).getDefiningOp();
        factor.set(value);
        back->erase();
        there->erase();
      }
    }
  }
};
} // namespace
