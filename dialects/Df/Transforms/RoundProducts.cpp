// df-round-products: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfDimensions.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/ExpressionBuilder.h"
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

/// Casts to `half` and back.
static Value roundTo(OpBuilder &b, Location loc, Value factor, Type half) {
  auto type = cast<RankedTensorType>(factor.getType());
  return CastOp::create(b, loc, type, CastOp::create(b, loc, type.clone(half), factor));
}

/// The nearest number of which the last 13 of 23 bits after the point are 0, of two the one whose last bit is 0. What
/// is not finite stays.
static Value roundToTf32(OpBuilder &b, Location loc, Value factor) {
  ExpressionBuilder e(b, loc);
  auto type = cast<RankedTensorType>(factor.getType());
  Value bits = BitcastOp::create(b, loc, type.clone(b.getIntegerType(32, /*isSigned=*/false)), factor);
  auto number = [&](uint32_t value) { return e.splatLike(bits, value); };
  auto mask = [&](Value x, uint32_t ones) { return e.binary<BitwiseAndOp>(x, number(ones)); };
  constexpr uint32_t kExponent = 0x7f800000, kDropped = 13, kRest = (1u << kDropped) - 1;
  // Half of the last bit that stays, but a little less unless that is 1. A carry goes on to the exponent.
  Value last = mask(e.binary<ShiftRightLogicalOp>(bits, number(kDropped)), 1);
  Value rounded = mask(e.add(e.add(bits, number(kRest >> 1)), last), ~kRest);
  Value isFinite = e.compare(Comparison::NE, mask(bits, kExponent), number(kExponent));
  return BitcastOp::create(b, loc, type, e.select(isFinite, rounded, bits));
}

namespace {
struct DfRoundProductsPass : mlc::df::impl::DfRoundProductsPassBase<DfRoundProductsPass> {
  void runOnOperation() override {
    auto precision = getOperation()->getAttrOfType<PrecisionAttr>(DfDialect::kPrecisionAttr);
    getOperation()->removeAttr(DfDialect::kPrecisionAttr);
    if (!precision || precision.getValue() == Precision::F32)
      return;
    const bool isTf32 = precision.getValue() == Precision::TF32;
    SmallVector<Operation *> products;
    getOperation()->walk([&](Operation *op) {
      if (isProduct(op) && (cast<WorkOpInterface>(op).getWork() == Work::Convolution || usesFactorsAgain(op)))
        products.push_back(op);
    });
    OpBuilder b(&getContext());
    const Type half = precision.getValue() == Precision::F16Mixed ? Type(b.getF16Type()) : b.getBF16Type();
    for (Operation *op : products) {
      b.setInsertionPoint(op);
      for (OpOperand &factor : op->getOpOperands().take_front(2))
        factor.set(isTf32 ? roundToTf32(b, op->getLoc(), factor.get()) : roundTo(b, op->getLoc(), factor.get(), half));
      if (isTf32)
        op->setAttr(DfDialect::kFactorsAttr, precision);
    }
  }
};
} // namespace
