// Decompositions of the incomplete gamma functions: power series, continued fractions and Temme's expansion.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Loops.h"
#include "dialects/Df/Decompose/Parts.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfReductionOps.h"

#include <cmath>

using namespace mlir;

namespace mlc::df {

namespace {

/// P(a, x), Q(a, x) and dP/da in f64. Series and fraction are computed by loops over all elements, in which an element
/// stays as it is once its next term changes nothing, as W. Gautschi and XLA have them. From `kLarge` on they would
/// take thousands of terms: there it is three terms of Temme's uniform expansion, SIAM J. Math. Anal. 10 (1979).
class IncompleteGamma {
public:
  enum class Part { Lower, Upper, Slope };

  /// Of operands that have `type`, by what each of them and that knows of its sizes.
  IncompleteGamma(ExpressionBuilder &b, Value a, Value x, Type type) : b(b) {
    Type joined = joinTypes(joinTypes(a.getType(), x.getType()), type);
    this->a = b.cast(b.castShape(a, joined), b.builder.getF64Type());
    this->x = b.cast(b.castShape(x, joined), b.builder.getF64Type());
  }

  Value compute(Part part);

private:
  static constexpr double kLarge = 2e4;
  static constexpr int64_t kMaxTerms = 1 << 16;
  static constexpr double kEpsilon = 0x1p-53;

  Value number(double value) { return b.splatLike(x, value); }
  Value both(Value p, Value q) { return b.binary<LogicalAndOp>(p, q); }
  Value isNot(Value p) { return b.unary<LogicalNotOp>(p); }
  Value above(Value p, Value q) { return b.compare(Comparison::GT, p, q); }
  Value square(Value p) { return b.unary<SquareOp>(p); }
  Value abs(Value p) { return b.unary<AbsOp>(p); }
  /// The sum of coefficients[k] p^k.
  Value polynomial(Value p, ArrayRef<double> coefficients);
  Value anyOf(Value truths) {
    int64_t rank = cast<RankedTensorType>(truths.getType()).getRank();
    return b.infer<ReduceAnyOp>(truths, keptDimensions(rank, {}));
  }
  /// What is carried of elements that go on is `next`, of others what it was.
  Values where(Value goes, ValueRange next, ValueRange before) {
    Values chosen;
    for (auto [value, old] : llvm::zip_equal(next, before))
      chosen.push_back(b.select(goes, value, old));
    return chosen;
  }

  /// The sum of x^k / ((a + 1) .. (a + k)) over k >= 0, and its derivative by a.
  std::pair<Value, Value> series(Value goes, bool slope);
  /// The continued fraction by which x^a e^-x / Gamma(a) is multiplied to get Q, and its derivative by a.
  std::pair<Value, Value> fraction(Value goes, bool slope);
  Value temme(Part part);

  ExpressionBuilder &b;
  Value a, x;
};

} // namespace

Value IncompleteGamma::polynomial(Value p, ArrayRef<double> coefficients) {
  Value sum = number(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = b.add(b.mul(sum, p), number(coefficient));
  return sum;
}

std::pair<Value, Value> IncompleteGamma::series(Value goes, bool slope) {
  // Whether an element goes on, a + k, the last term, the sum; the derivatives of both.
  Values inits = {goes, a, number(1), number(1)};
  if (slope)
    inits.append({number(0), number(0)});
  Values last = loopWhile(
      b, inits, kMaxTerms, /*mustEnd=*/false, [&](ValueRange in) { return anyOf(in[0]); },
      [&](ValueRange in) {
        Value divisor = b.add(in[1], number(1)), ratio = b.div(x, divisor);
        Value term = b.mul(in[2], ratio), sum = b.add(in[3], term);
        Values next = {divisor, term, sum};
        Value goesOn = above(term, b.mul(sum, number(kEpsilon)));
        if (slope) {
          Value dTerm = b.sub(b.mul(in[4], ratio), b.div(term, divisor)), dSum = b.add(in[5], dTerm);
          next.append({dTerm, dSum});
          goesOn = above(abs(dTerm), b.mul(abs(dSum), number(kEpsilon)));
        }
        Values chosen = where(in[0], next, in.drop_front());
        chosen.insert(chosen.begin(), both(in[0], goesOn));
        return chosen;
      });
  return {last[3], slope ? last[5] : Value()};
}

std::pair<Value, Value> IncompleteGamma::fraction(Value goes, bool slope) {
  // Whether an element goes on, the number of the term, y = 1 - a + k, z = x + 1 + y + k, two numerators, two
  // denominators and the quotient; their derivatives by a.
  enum { Goes, Count, Y, Z, P2, P1, Q2, Q1, Quotient, DP2, DP1, DQ2, DQ1, DQuotient };
  Value one = number(1), zero = number(0), y = b.sub(one, a), z = b.add(b.add(x, y), one);
  Value p1 = b.add(x, one), q1 = b.mul(z, x), quotient = b.div(p1, q1);
  Values inits = {goes, zero, y, z, one, p1, x, q1, quotient};
  if (slope) {
    Value dq1 = b.neg(x);
    inits.append({zero, zero, zero, dq1, b.neg(b.div(b.mul(quotient, dq1), q1))});
  }
  Values last = loopWhile(
      b, inits, kMaxTerms, /*mustEnd=*/false, [&](ValueRange in) { return anyOf(in[Goes]); },
      [&](ValueRange in) {
        Value k = b.add(in[Count], one), nextY = b.add(in[Y], one), nextZ = b.add(in[Z], number(2));
        Value yk = b.mul(nextY, k);
        auto recur = [&](Value first, Value second) { return b.sub(b.mul(first, nextZ), b.mul(second, yk)); };
        Value p = recur(in[P1], in[P2]), q = recur(in[Q1], in[Q2]);
        Value isThere = b.compare(Comparison::NE, q, zero);
        Value divisor = b.select(isThere, q, one);
        Value value = b.select(isThere, b.div(p, divisor), in[Quotient]);
        Value goesOn = above(abs(b.sub(in[Quotient], value)), b.mul(abs(value), number(kEpsilon)));
        Values next = {k, nextY, nextZ, in[P1], p, in[Q1], q, value};
        if (slope) {
          auto derive = [&](Value first, Value second, Value dFirst, Value dSecond) {
            return b.add(b.sub(recur(dFirst, dSecond), first), b.mul(second, k));
          };
          Value dp = derive(in[P1], in[P2], in[DP1], in[DP2]), dq = derive(in[Q1], in[Q2], in[DQ1], in[DQ2]);
          Value dValue = b.select(isThere, b.div(b.sub(dp, b.mul(value, dq)), divisor), in[DQuotient]);
          next.append({in[DP1], dp, in[DQ1], dq, dValue});
          // By its magnitude, or that of the quotient where it is small beside it.
          Value size = b.binary<MaximumOp>(abs(dValue), b.mul(abs(value), number(0x1p-20)));
          goesOn = b.binary<LogicalOrOp>(goesOn,
                                         above(abs(b.sub(dValue, in[DQuotient])), b.mul(size, number(2 * kEpsilon))));
        }
        goesOn = b.binary<LogicalOrOp>(goesOn, isNot(isThere));
        // Numerators and denominators grow: they are scaled down together.
        Value scale = b.select(above(abs(p), number(1 / kEpsilon)), number(kEpsilon), one);
        for (size_t i = 0; i < next.size(); ++i)
          if (int place = static_cast<int>(i) + 1; (place >= P2 && place <= Q1) || (place >= DP2 && place <= DQ1))
            next[i] = b.mul(next[i], scale);
        Values chosen = where(in[Goes], next, in.drop_front());
        chosen.insert(chosen.begin(), both(in[Goes], goesOn));
        return chosen;
      });
  return {last[Quotient], slope ? last[DQuotient] : Value()};
}

Value IncompleteGamma::temme(Part part) {
  // x = a (1 + mu), mu - ln(1 + mu) = eta^2 / 2 = z^2 / a: mu^2 times a series, as the difference would cancel. Nowhere
  // is there a root of 0, whose slope is infinite.
  Value mu = b.div(b.sub(x, a), a), logarithm = b.unary<Log1pOp>(mu);
  constexpr int kTerms = 18;
  SmallVector<double> terms;
  for (int k = 2; k < kTerms; ++k)
    terms.push_back((k % 2 ? -1.0 : 1.0) / k);
  Value isNear = above(number(0.1), abs(mu)), far = b.select(isNear, number(1), mu);
  Value ratioFar = b.div(b.sub(far, b.unary<Log1pOp>(far)), square(far));
  Value half = b.select(isNear, polynomial(b.select(isNear, mu, number(0)), terms), ratioFar);
  Value eta = b.mul(mu, b.unary<SqrtOp>(b.add(half, half)));
  Value exponent = b.mul(a, b.mul(half, square(mu))), z = b.mul(eta, b.unary<SqrtOp>(b.mul(a, number(0.5))));
  constexpr double kTwoPi = 6.283185307179586477;
  Value density = b.div(b.unary<ExpOp>(b.neg(exponent)), b.unary<SqrtOp>(b.mul(a, number(kTwoPi))));
  // The functions of eta by which a^0, a^-1 and a^-2 are multiplied.
  static const double kFirst[] = {-1.0 / 3,
                                  1.0 / 12,
                                  -1.4814814814814815e-2,
                                  1.1574074074074074e-3,
                                  3.527336860670194e-4,
                                  -1.7875514403292181e-4,
                                  3.9192631785224378e-5,
                                  -2.1854485106799922e-6};
  static const double kSecond[] = {-1.8518518518518519e-3, -3.4722222222222222e-3, 2.6455026455026455e-3,
                                   -9.9022633744855967e-4};
  static const double kThird[] = {4.1335978835978836e-3, -2.6813271604938272e-3};
  // Beyond that the density is 0.
  Value close = b.binary<MaximumOp>(b.binary<MinimumOp>(eta, number(0.5)), number(-0.5));
  Value rest = b.add(polynomial(close, kSecond), b.div(polynomial(close, kThird), a));
  rest = b.add(polynomial(close, kFirst), b.div(rest, a));
  if (part != Part::Slope) {
    Value tail = b.mul(number(0.5), b.unary<ErfcOp>(part == Part::Upper ? z : b.neg(z)));
    Value correction = b.mul(density, rest);
    return part == Part::Upper ? b.add(tail, correction) : b.sub(tail, correction);
  }
  // ln(1 + mu) / eta
  static const double kRatio[] = {1, -1.0 / 6, 1.0 / 36, -1.0 / 270, 1.0 / 4320, 1.0 / 17010};
  SmallVector<double> slopes;
  for (auto [k, coefficient] : llvm::drop_begin(llvm::enumerate(kFirst)))
    slopes.push_back(static_cast<double>(k) * coefficient);
  Value ratio = polynomial(close, kRatio), reciprocal = b.div(number(1), a);
  Value etaSlope = b.neg(b.mul(reciprocal, b.add(ratio, b.mul(close, number(0.5)))));
  Value slope = b.add(ratio, b.mul(b.sub(logarithm, b.mul(reciprocal, number(0.5))), rest));
  slope = b.add(slope, b.mul(polynomial(close, slopes), etaSlope));
  // Where the density is 0, as for x = 0, the logarithm may be infinite.
  Value isThere = above(density, number(0));
  return b.neg(b.select(isThere, b.mul(density, slope), number(0)));
}

Value IncompleteGamma::compute(Part part) {
  const bool slope = part == Part::Slope;
  Value zero = number(0), one = number(1), infinity = number(HUGE_VAL);
  Value isKnown = both(above(a, zero), b.compare(Comparison::GE, x, zero));
  Value isZero = b.compare(Comparison::EQ, x, zero), isInfinite = b.compare(Comparison::EQ, x, infinity);
  Value isEndless = b.compare(Comparison::EQ, a, infinity);
  isKnown = both(isKnown, isNot(both(isInfinite, isEndless)));
  Value isInside = both(both(isKnown, isNot(isEndless)), isNot(b.binary<LogicalOrOp>(isZero, isInfinite)));
  // 1 stands for what is not inside.
  Value givenA = a, givenX = x;
  a = b.select(isInside, a, one);
  x = b.select(isInside, x, one);
  Value isLarge = above(a, number(kLarge)), byFraction = both(above(x, one), above(x, a));
  Value logX = b.unary<LogOp>(x);
  Value factor = b.unary<ExpOp>(b.sub(b.sub(b.mul(a, logX), x), b.unary<LgammaOp>(a)));
  Value goes = both(both(isInside, isNot(isLarge)), above(factor, zero));
  auto [sum, dSum] = series(both(goes, isNot(byFraction)), slope);
  // The fraction of other elements may be one by 0.
  Value allA = a, allX = x, goesByFraction = both(goes, byFraction);
  a = b.select(goesByFraction, a, one);
  x = b.select(goesByFraction, x, number(2));
  auto [quotient, dQuotient] = fraction(goesByFraction, slope);
  Value value;
  if (slope) {
    // The derivatives of factor / a, by digamma(a + 1) = digamma(a) + 1 / a, and of factor.
    Value psi = b.unary<DigammaOp>(allA), byLogarithm = b.sub(logX, psi);
    Value lower = b.mul(b.div(factor, allA), b.add(b.mul(sum, b.sub(byLogarithm, b.div(one, allA))), dSum));
    Value upper = b.mul(factor, b.add(dQuotient, b.mul(quotient, byLogarithm)));
    value = b.select(byFraction, b.neg(upper), lower);
  } else {
    Value lower = b.mul(b.div(factor, allA), sum), upper = b.mul(factor, quotient);
    value = part == Part::Lower ? b.select(byFraction, b.sub(one, upper), lower)
                                : b.select(byFraction, upper, b.sub(one, lower));
  }
  // Where the factor is 0 the value is at its limit.
  a = b.select(isLarge, allA, number(kLarge));
  x = b.select(isLarge, allX, number(kLarge));
  value = b.select(isLarge, temme(part), value);
  a = givenA;
  x = givenX;
  // Of x = 0 and of an infinite a the lower part is 0, of an infinite x it is 1.
  Value isNone = b.binary<LogicalOrOp>(isZero, isEndless);
  Value limit = slope ? zero : part == Part::Lower ? b.select(isNone, zero, one) : b.select(isNone, one, zero);
  value = b.select(isInside, value, limit);
  return b.select(isKnown, value, number(std::nan("")));
}

template <typename Op> static Value computed(Op op, ExpressionBuilder &b, IncompleteGamma::Part part) {
  return narrow(b, IncompleteGamma(b, op.getLhs(), op.getRhs(), op.getType()).compute(part), op.getType());
}
static Value decompositionOf(IgammaOp op, ExpressionBuilder &b) {
  return computed(op, b, IncompleteGamma::Part::Lower);
}
static Value decompositionOf(IgammacOp op, ExpressionBuilder &b) {
  return computed(op, b, IncompleteGamma::Part::Upper);
}
static Value decompositionOf(IgammaGradAOp op, ExpressionBuilder &b) {
  return computed(op, b, IncompleteGamma::Part::Slope);
}

void attachIncompleteGammaDecompositions(MLIRContext *context) {
  attachDecompositions<IgammaOp, IgammacOp, IgammaGradAOp>(context);
}

} // namespace mlc::df
