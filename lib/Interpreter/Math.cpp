// Rules of functions of floats, quotients and remainders, through the math expansions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementwiseRules.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "mlc/Support/MathArc.h"
#include "mlc/Support/MathError.h"
#include "mlc/Support/MathGamma.h"
#include "mlc/Support/MathHyperbolic.h"
#include "mlc/Support/MathNormal.h"
#include "mlc/Support/MathPower.h"
#include "mlc/Support/MathRounding.h"
#include "mlc/Support/MathTrigonometric.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// A rule of an op that divides: of floats by `f`, of integers by `g`, which never sees a divisor of 0 or -1;
/// `byMinusOne` is what -1 gives.
template <typename OpTy, typename Fn, typename IntegerFn, typename MinusOneFn>
static void addDivision(RuleTable &table, Fn f, IntegerFn g, MinusOneFn byMinusOne) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    const Tensor &x = frame.tensor(op.getLhs()), &y = frame.tensor(op.getRhs());
    if (failed(requireSameShape(op, x, y)))
      return failure();
    if (isFloatKind(x.getKind()))
      return frame.set(op.getResult(), zipFloat(x, y, f));
    for (int64_t i = 0, n = y.getNumElements(); i < n; ++i)
      if (y.getInteger(i) == 0)
        return op.emitOpError("divides by zero");
    return frame.set(op.getResult(), zipSigned(x, y, [=](auto a, auto b) -> uint64_t {
                       if (std::is_signed_v<decltype(b)> && b == static_cast<decltype(b)>(-1))
                         return byMinusOne(static_cast<uint64_t>(a));
                       return static_cast<uint64_t>(g(a, b));
                     }));
  });
}

void mlc::interp::addMathRules(RuleTable &table) {
  addUnary<df::CeilOp>(table, [](auto &e, auto x) { return expandCeil(e, x); });
  addUnary<df::RoundOp>(table, [](auto &e, auto x) { return e.roundeven(x); });
  addUnary<df::TruncOp>(table, [](auto &e, auto x) { return expandTrunc(e, x); });
  addUnary<df::ReciprocalOp>(table, [](auto &e, auto x) { return e.div(e.constant(1.0), x); });
  addUnary<df::RsqrtOp>(table, [](auto &e, auto x) { return e.div(e.constant(1.0), e.sqrt(x)); });
  addUnary<df::CbrtOp>(table, [](auto &e, auto x) { return expandCbrt(e, x); });
  addUnary<df::Expm1Op>(table, [](auto &e, auto x) { return expandExpm1(e, x); });
  addUnary<df::Exp2Op>(table, [](auto &e, auto x) { return expandExp2(e, x); });
  addUnary<df::Log2Op>(table, [](auto &e, auto x) { return expandLog2(e, x); });
  addUnary<df::ErfOp>(table, [](auto &e, auto x) { return expandErf(e, x); });
  addUnary<df::ErfcOp>(table, [](auto &e, auto x) { return expandErfc(e, x); });
  addUnary<df::ErfInvOp>(table, [](auto &e, auto x) { return expandErfinv(e, x); });
  addUnary<df::LgammaOp>(table, [](auto &e, auto x) { return expandLgamma(e, x); });
  addUnary<df::DigammaOp>(table, [](auto &e, auto x) { return expandDigamma(e, x); });
  addUnary<df::TanOp>(table, [](auto &e, auto x) { return expandTan(e, x); });
  addUnary<df::AsinOp>(table, [](auto &e, auto x) { return expandAsin(e, x); });
  addUnary<df::AcosOp>(table, [](auto &e, auto x) { return expandAcos(e, x); });
  addUnary<df::AtanOp>(table, [](auto &e, auto x) { return expandAtan(e, x); });
  addUnary<df::SinhOp>(table, [](auto &e, auto x) { return expandSinh(e, x); });
  addUnary<df::CoshOp>(table, [](auto &e, auto x) { return expandCosh(e, x); });
  addUnary<df::AsinhOp>(table, [](auto &e, auto x) { return expandAsinh(e, x); });
  addUnary<df::AcoshOp>(table, [](auto &e, auto x) { return expandAcosh(e, x); });
  addUnary<df::AtanhOp>(table, [](auto &e, auto x) { return expandAtanh(e, x); });
  addBinary<df::Atan2Op>(table, [](auto &e, auto y, auto x) { return expandAtan2(e, y, x); }, noIntegers);
  addDivision<df::DivOp>(
      table, [](auto &e, auto x, auto y) { return e.div(x, y); }, [](auto x, auto y) { return x / y; },
      [](uint64_t x) { return -x; });
  addDivision<df::RemOp>(
      table, [](auto &e, auto x, auto y) { return expandRem(e, x, y); }, [](auto x, auto y) { return x % y; },
      [](uint64_t) -> uint64_t { return 0; });
}
