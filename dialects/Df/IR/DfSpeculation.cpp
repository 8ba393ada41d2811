// Which ops may fail, and so may not run where the program would not run them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfSpeculation.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfSizeOrigin.h"
#include "dialects/Df/IR/DfVerify.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlc::df;

bool mlc::df::mayFail(Operation *op) {
  auto fallible = dyn_cast<FallibleOpInterface>(op);
  return !fallible || fallible.mayFail();
}

bool mlc::df::sizesAgree(Operation *op) {
  bool agree = true;
  forEachSameSize(op, [&](Dimension a, Dimension b) { agree = agree && areKnownEqual(a, b); });
  return agree;
}

Speculation::Speculatability mlc::df::getSpeculatability(Operation *op) {
  return !mayFail(op) && sizesAgree(op) ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

//===-- ops that may fail for some operands ----------------------------------------------===//

/// Whether no element of an integer divisor is 0, whatever is computed: it is a constant, or is made of one.
static bool isNeverZero(Value divisor) {
  // The forms in which splats are written, as `splatValueOf` knows them.
  while (isa_and_present<BroadcastOp, ReshapeOp>(divisor.getDefiningOp()))
    divisor = divisor.getDefiningOp()->getOperand(0);
  DenseIntElementsAttr numbers;
  if (!matchPattern(divisor, m_Constant(&numbers)))
    return false;
  if (numbers.isSplat())
    return !numbers.getSplatValue<APInt>().isZero();
  return llvm::none_of(numbers, [](const APInt &number) { return number.isZero(); });
}

template <typename Op> static bool mayDivideByZero(Op op) {
  return !isa<FloatType>(elementType(op.getType())) && !isNeverZero(op.getRhs());
}
bool DivOp::mayFail() { return mayDivideByZero(*this); }
bool RemOp::mayFail() { return mayDivideByZero(*this); }
bool FloorModOp::mayFail() { return mayDivideByZero(*this); }
bool FloorDivOp::mayFail() { return mayDivideByZero(*this); }

static int64_t productOfStatic(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= ShapedType::isDynamic(size) ? 1 : size;
  return product;
}

bool ReshapeOp::mayFail() {
  ArrayRef<int64_t> from = shapeOf(getOperand().getType()), to = shapeOf(getType());
  // Static shapes the verifier has compared, those that differ in dimensions of 1 need no division.
  if (!ShapedType::isDynamicShape(from) || differInUnits(from, to))
    return false;
  // Each row of the operand must be whole rows of the result.
  int64_t elements = productOfStatic(from), ofRow = productOfStatic(to);
  return elements != ofRow && (ofRow == 0 || elements % ofRow != 0);
}

/// A range of a dimension that only run time knows may be beyond its end.
bool SliceOp::mayFail() {
  return llvm::any_of(llvm::zip_equal(shapeOf(getOperand().getType()), getSizes()), [](auto sizes) {
    auto [n, size] = sizes;
    return ShapedType::isDynamic(n) && size != -1;
  });
}
bool UpdateSliceOp::mayFail() {
  return ShapedType::isDynamicShape(shapeOf(getOperand().getType())) ||
         ShapedType::isDynamicShape(shapeOf(getUpdate().getType()));
}

bool TopKOp::mayFail() { return !getK() || ShapedType::isDynamic(shapeOf(getOperand().getType())[axisOf(*this)]); }

//===-- loops -------------------------------------------------------------------------------===//

/// A loop over rows ends. A count may be beyond them, carried values may change their shapes, and where there is no row
/// the sizes of stacked ones may be untold.
Speculation::Speculatability ScanOp::getSpeculatability() {
  YieldOp yield = getYield();
  if (getCount() || !sizesAgree(*this) || !sizesAgree(yield))
    return Speculation::NotSpeculatable;
  for (Value stacked : yield.getOperands().drop_front(getNumCarried()))
    for (auto [d, size] : llvm::enumerate(shapeOf(stacked.getType())))
      if (ShapedType::isDynamic(size) && !traceSize(stacked, static_cast<int64_t>(d), getBody()))
        return Speculation::NotSpeculatable;
  return Speculation::RecursivelySpeculatable;
}
