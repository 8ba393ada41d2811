// Rules of element-wise ops: arithmetic through the math expansions, comparison, choice, conversion.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementwiseRules.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "mlc/Support/MathExpansion.h"
#include "mlc/Support/MathPower.h"
#include "mlc/Support/MathTrigonometric.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

//===-- shared with other families ------------------------------------------------===//

/// The integer `kind` holds for a float: truncated towards zero, saturated, 0 for NaN; of i1 whether it is not 0.
static int64_t integerOfFloat(double value, ElementKind kind) {
  if (kind == ElementKind::I1)
    return value != 0;
  if (std::isnan(value))
    return 0;
  unsigned width = integerWidth(kind);
  if (isUnsignedKind(kind)) {
    if (value >= std::ldexp(1.0, static_cast<int>(width)))
      return static_cast<int64_t>(llvm::maxUIntN(width));
    return value < 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(value));
  }
  double bound = std::ldexp(1.0, static_cast<int>(width) - 1);
  if (value >= bound)
    return llvm::maxIntN(width);
  return value < -bound ? llvm::minIntN(width) : static_cast<int64_t>(value);
}

/// Sets a float element to an integer with one rounding.
static void setFloatFromInteger(Tensor &tensor, int64_t i, int64_t value, bool isUnsigned) {
  auto bits = static_cast<uint64_t>(value);
  if (tensor.getKind() == ElementKind::F32)
    return tensor.setFloat(i, isUnsigned ? static_cast<float>(bits) : static_cast<float>(value));
  if (tensor.getKind() == ElementKind::F64)
    return tensor.setFloat(i, isUnsigned ? static_cast<double>(bits) : static_cast<double>(value));
  APFloat number(tensor.getKind() == ElementKind::F16 ? APFloat::IEEEhalf() : APFloat::BFloat());
  number.convertFromAPInt(APInt(64, bits), !isUnsigned, APFloat::rmNearestTiesToEven);
  bool inexact;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
  tensor.setFloat(i, number.convertToDouble());
}

Tensor mlc::interp::castTensor(const Tensor &value, ElementKind kind) {
  Tensor result(kind, value.getShape());
  bool fromFloat = isFloatKind(value.getKind());
  for (int64_t i = 0, n = value.getNumElements(); i < n; ++i) {
    if (isFloatKind(kind)) {
      if (fromFloat)
        result.setFloat(i, value.getFloat(i));
      else
        setFloatFromInteger(result, i, value.getInteger(i), isUnsignedKind(value.getKind()));
    } else if (fromFloat) {
      result.setInteger(i, integerOfFloat(value.getFloat(i), kind));
    } else {
      int64_t integer = value.getInteger(i);
      result.setInteger(i, kind == ElementKind::I1 ? integer != 0 : integer);
    }
  }
  return result;
}

Tensor mlc::interp::addTensors(const Tensor &a, const Tensor &b) {
  if (isFloatKind(a.getKind()))
    return zipFloat(a, b, [](auto &e, auto x, auto y) { return e.add(x, y); });
  return zipInteger(a, b, [](uint64_t x, uint64_t y) { return x + y; });
}

Tensor mlc::interp::subTensors(const Tensor &a, const Tensor &b) {
  if (isFloatKind(a.getKind()))
    return zipFloat(a, b, [](auto &e, auto x, auto y) { return e.sub(x, y); });
  return zipInteger(a, b, [](uint64_t x, uint64_t y) { return x - y; });
}

//===-- rules ---------------------------------------------------------------------===//

LogicalResult mlc::interp::requireSameShape(Operation *op, const Tensor &x, const Tensor &y) {
  if (x.getShape() == y.getShape())
    return success();
  InFlightDiagnostic diag = op->emitOpError("operands have shapes [");
  llvm::interleaveComma(x.getShape(), diag);
  diag << "] and [";
  llvm::interleaveComma(y.getShape(), diag);
  return diag << "]";
}

static void addUnaryRules(RuleTable &table) {
  addUnary<df::NegOp>(table, [](auto &e, auto x) { return e.neg(x); }, [](uint64_t x) { return -x; });
  table.add<df::AbsOp>([](df::AbsOp op, Frame &frame) {
    const Tensor &x = frame.tensor(op.getOperand());
    if (isFloatKind(x.getKind()))
      return frame.set(op.getResult(), mapFloat(x, [](auto &e, auto v) { return e.abs(v); }));
    // Negated as unsigned, so that the least integer stays.
    return frame.set(op.getResult(),
                     zipSigned(x, x, [](auto v, auto) { return v < 0 ? 0 - uint64_t(v) : uint64_t(v); }));
  });
  addUnary<df::SquareOp>(table, [](auto &e, auto x) { return e.mul(x, x); }, [](uint64_t x) { return x * x; });
  table.add<df::SignOp>([](df::SignOp op, Frame &frame) {
    const Tensor &x = frame.tensor(op.getOperand());
    if (isFloatKind(x.getKind()))
      return frame.set(op.getResult(), mapFloat(x, [](auto &e, auto v) { return expandSign(e, v); }));
    return frame.set(op.getResult(), zipSigned(x, x, [](auto v, auto) { return (v > 0) - (v < 0); }));
  });
  addUnary<df::ExpOp>(table, [](auto &e, auto x) { return expandExp(e, x); });
  addUnary<df::LogOp>(table, [](auto &e, auto x) { return expandLog(e, x); });
  addUnary<df::Log1pOp>(table, [](auto &e, auto x) { return expandLog1p(e, x); });
  addUnary<df::SqrtOp>(table, [](auto &e, auto x) { return e.sqrt(x); });
  addUnary<df::TanhOp>(table, [](auto &e, auto x) { return expandTanh(e, x); });
  addUnary<df::SigmoidOp>(table, [](auto &e, auto x) { return expandSigmoid(e, x); });
  addUnary<df::SoftplusOp>(table, [](auto &e, auto x) { return expandSoftplus(e, x); });
  addUnary<df::ReluOp>(table, [](auto &e, auto x) { return e.maximum(e.constant(0.0), x); });
  addUnary<df::FloorOp>(table, [](auto &e, auto x) { return e.floor(x); });
  addUnary<df::CosOp>(table, [](auto &e, auto x) { return expandCos(e, x); });
  addUnary<df::SinOp>(table, [](auto &e, auto x) { return expandSin(e, x); });
  table.add<df::LogicalNotOp>([](df::LogicalNotOp op, Frame &frame) {
    const Tensor &x = frame.tensor(op.getOperand());
    return frame.set(op.getResult(), zipInteger(x, x, [](uint64_t a, uint64_t) -> uint64_t { return a == 0; }));
  });
}

static void addBinaryRules(RuleTable &table) {
  addBinary<df::AddOp>(
      table, [](auto &e, auto x, auto y) { return e.add(x, y); }, [](uint64_t x, uint64_t y) { return x + y; });
  addBinary<df::SubOp>(
      table, [](auto &e, auto x, auto y) { return e.sub(x, y); }, [](uint64_t x, uint64_t y) { return x - y; });
  addBinary<df::MulOp>(
      table, [](auto &e, auto x, auto y) { return e.mul(x, y); }, [](uint64_t x, uint64_t y) { return x * y; });
  addSignedBinary<df::MaximumOp>(
      table, [](auto &, auto x, auto y) { return maximumOf(x, y); }, [](auto x, auto y) { return std::max(x, y); });
  addSignedBinary<df::MinimumOp>(
      table, [](auto &, auto x, auto y) { return minimumOf(x, y); }, [](auto x, auto y) { return std::min(x, y); });
  addBinary<df::PowOp>(table, [](auto &e, auto x, auto y) { return expandPow(e, x, y); }, noIntegers);
  auto noFloats = [](auto &, auto x, auto) { return x; };
  addBinary<df::LogicalAndOp>(table, noFloats, [](uint64_t x, uint64_t y) { return x & y; });
  addBinary<df::LogicalOrOp>(table, noFloats, [](uint64_t x, uint64_t y) { return x | y; });
  addBinary<df::LogicalXorOp>(table, noFloats, [](uint64_t x, uint64_t y) { return x ^ y; });
  // max(x, 0) - x y + ln(1 + e^-|x|), in this order.
  addBinary<df::SigmoidCrossEntropyOp>(
      table,
      [](auto &e, auto x, auto y) {
        auto linear = e.sub(maximumOf(x, e.constant(0.0)), e.mul(x, y));
        return e.add(linear, log1pUnit(e, expOfNegatedMagnitude(e, x)));
      },
      noIntegers);
}

template <typename T> static bool compare(df::Comparison predicate, T x, T y) {
  switch (predicate) {
  case df::Comparison::EQ:
    return x == y;
  case df::Comparison::NE:
    return x != y;
  case df::Comparison::LT:
    return x < y;
  case df::Comparison::LE:
    return x <= y;
  case df::Comparison::GT:
    return x > y;
  case df::Comparison::GE:
    return x >= y;
  }
  llvm_unreachable("comparison");
}

static LogicalResult evaluateCompare(df::CompareOp op, Frame &frame) {
  const Tensor &x = frame.tensor(op.getLhs()), &y = frame.tensor(op.getRhs());
  if (failed(requireSameShape(op, x, y)))
    return failure();
  Tensor result(ElementKind::I1, x.getShape());
  for (int64_t i = 0, n = x.getNumElements(); i < n; ++i) {
    bool holds;
    if (x.getKind() == ElementKind::String)
      holds = compare(op.getPredicate(), x.getString(i).compare(y.getString(i)), 0);
    else if (isFloatKind(x.getKind()))
      holds = compare(op.getPredicate(), x.getFloat(i), y.getFloat(i));
    else if (isUnsignedKind(x.getKind()))
      holds = compare<uint64_t>(op.getPredicate(), x.getInteger(i), y.getInteger(i));
    else
      holds = compare(op.getPredicate(), x.getInteger(i), y.getInteger(i));
    result.setInteger(i, holds);
  }
  return frame.set(op.getResult(), std::move(result));
}

static LogicalResult evaluateSelect(df::SelectOp op, Frame &frame) {
  const Tensor &condition = frame.tensor(op.getCondition());
  const Tensor &x = frame.tensor(op.getTrueValue()), &y = frame.tensor(op.getFalseValue());
  if (failed(requireSameShape(op, x, y)) || failed(requireSameShape(op, condition, x)))
    return failure();
  Tensor result(x.getKind(), x.getShape());
  for (int64_t i = 0, n = x.getNumElements(); i < n; ++i)
    result.copyElements(i, condition.getInteger(i) ? x : y, i, 1);
  return frame.set(op.getResult(), std::move(result));
}

void mlc::interp::addElementwiseRules(RuleTable &table) {
  addUnaryRules(table);
  addBinaryRules(table);
  table.add<df::CompareOp>(evaluateCompare);
  table.add<df::SelectOp>(evaluateSelect);
  table.add<df::CastOp>([](df::CastOp op, Frame &frame) -> LogicalResult {
    Type type = cast<RankedTensorType>(op.getType()).getElementType();
    return frame.set(op.getResult(), castTensor(frame.tensor(op.getOperand()), *elementKindOf(type)));
  });
}
