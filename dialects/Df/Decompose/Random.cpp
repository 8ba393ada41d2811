// Decompositions of what is drawn at random: the distributions of DfRandomOps.td and the samplers of classes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Parts.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

#include <cmath>

using namespace mlir;

namespace mlc::df {

static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }
static Value times(ExpressionBuilder &b, Value x, double y) { return b.mul(x, b.splatLike(x, y)); }

/// Uniform numbers on [0, 1) of `type`.
static Value uniform(ExpressionBuilder &b, RankedTensorType type, StringRef name, bool eachStep, Value like) {
  return RandomOp::create(b.builder, b.loc, type, Distribution::Uniform, name, eachStep, like, Value(), Value(),
                          Value(), ValueRange());
}

/// The type in which numbers of `type` are drawn: f32 for f16 and bf16, of which the largest below 1 would be 1.
static RankedTensorType drawn(ExpressionBuilder &b, Type type) {
  Type element = elementType(type);
  bool isHalf = element.isF16() || element.isBF16();
  return cast<RankedTensorType>(type).clone(isHalf ? Type(b.builder.getF32Type()) : element);
}

//===-- distributions -------------------------------------------------------------===//

static Value decompositionOf(RandomExponentialOp op, ExpressionBuilder &b) {
  Value u = uniform(b, drawn(b, op.getType()), op.getName(), op.getEachStep(), op.getLike());
  return narrow(b, b.neg(b.unary<Log1pOp>(b.neg(u))), op.getType());
}

/// The formula of df.random_gumbel.
static Value gumbel(ExpressionBuilder &b, RankedTensorType type, StringRef name, bool eachStep, Value like) {
  double cell = type.getElementType().isF64() ? 0x1p-53 : 0x1p-24;
  Value u = uniform(b, type, name, eachStep, like);
  Value w = b.binary<MaximumOp>(b.sub(b.splatLike(u, 1 - cell), u), b.splatLike(u, cell / 2));
  return b.neg(b.unary<LogOp>(b.neg(b.unary<Log1pOp>(b.neg(w)))));
}

static Value decompositionOf(RandomGumbelOp op, ExpressionBuilder &b) {
  return narrow(b, gumbel(b, drawn(b, op.getType()), op.getName(), op.getEachStep(), op.getLike()), op.getType());
}

static Value decompositionOf(RandomIntegersOp op, ExpressionBuilder &b) {
  auto low = static_cast<int64_t>(op.getLow()), high = static_cast<int64_t>(op.getHigh());
  auto type = cast<RankedTensorType>(op.getType());
  Value u = uniform(b, type.clone(b.builder.getF64Type()), op.getName(), op.getEachStep(), op.getLike());
  Value offset = b.cast(b.unary<FloorOp>(times(b, u, static_cast<double>(high - low))), b.builder.getI64Type());
  Value first = ConstantOp::create(b.builder, b.loc,
                                   DenseElementsAttr::get(RankedTensorType::get({}, b.builder.getI64Type()), low));
  return b.add(repeated(b, first, offset), offset);
}

static Value decompositionOf(RandomBernoulliOp op, ExpressionBuilder &b) {
  Value p = widen(b, op.getProbabilities());
  return b.compare(Comparison::LT, uniform(b, typeOf(p), op.getName(), op.getEachStep(), p), p);
}

/// ln u of uniform numbers as of df.random_exponential: never of 0.
static Value logUniform(ExpressionBuilder &b, RankedTensorType type, StringRef name, bool eachStep, Value like) {
  return b.unary<Log1pOp>(b.neg(uniform(b, type, name, eachStep, like)));
}

static Value decompositionOf(RandomGammaOp op, ExpressionBuilder &b) {
  OpBuilder &builder = b.builder;
  Location loc = b.loc;
  RankedTensorType type = drawn(b, joinTypes(op.getConcentration().getType(), op.getType()));
  Value a = b.castShape(widen(b, op.getConcentration()), type);
  std::string normalName = (op.getName() + "/normal").str(), acceptName = (op.getName() + "/accept").str();
  Value isSmall = b.compare(Comparison::LT, a, b.splatLike(a, 1));
  Value d = plus(b, b.select(isSmall, plus(b, a, 1), a), -1.0 / 3);
  Value c = b.unary<RsqrtOp>(times(b, d, 9));
  // What cannot be drawn is there before the first round: infinity, or NaN.
  Value isInfinite = b.compare(Comparison::EQ, a, b.splatLike(a, HUGE_VAL));
  Value isPositive = b.compare(Comparison::GT, a, b.splatLike(a, 0));
  Value none = b.select(isInfinite, a, b.splatLike(a, std::nan("")));
  Value isOpen = b.binary<LogicalAndOp>(isPositive, b.unary<LogicalNotOp>(isInfinite));
  SmallVector<Value> inits = {none, isOpen};
  SmallVector<Type> types = {none.getType(), isOpen.getType()};
  constexpr int64_t kMaxRounds = 64;
  auto loop = WhileOp::create(builder, loc, types, inits, builder.getI64IntegerAttr(kMaxRounds), builder.getUnitAttr());
  {
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Location> locations(types.size(), loc);
    Block *condition = builder.createBlock(&loop.getConditionRegion(), {}, types, locations);
    ConditionOp::create(builder, loc,
                        ReduceAnyOp::create(builder, loc, RankedTensorType::get({}, builder.getI1Type()),
                                            condition->getArgument(1), keptDimensions(type.getRank(), {})));
    Block *body = builder.createBlock(&loop.getBodyRegion(), {}, types, locations);
    Value value = body->getArgument(0), open = body->getArgument(1);
    Value x = RandomOp::create(builder, loc, type, Distribution::Normal, normalName, op.getEachStep(), a, Value(),
                               Value(), Value(), ValueRange());
    Value logU = logUniform(b, type, acceptName, op.getEachStep(), a);
    Value root = plus(b, b.mul(c, x), 1), v = b.mul(root, b.unary<SquareOp>(root));
    // d (1 - v + ln v) = d (3 ln root + 1 - v); the logarithm of what is not positive is NaN or infinite: not taken.
    Value logV = times(b, b.unary<LogOp>(root), 3);
    Value bound = b.add(times(b, b.unary<SquareOp>(x), 0.5), b.mul(d, b.add(logV, b.sub(b.splatLike(v, 1), v))));
    Value isGood = b.binary<LogicalAndOp>(b.compare(Comparison::GT, root, b.splatLike(root, 0)),
                                          b.compare(Comparison::LT, logU, bound));
    Value isTaken = b.binary<LogicalAndOp>(open, isGood);
    YieldOp::create(
        builder, loc,
        ValueRange{b.select(isTaken, b.mul(d, v), value), b.binary<LogicalAndOp>(open, b.unary<LogicalNotOp>(isGood))});
  }
  Value taken = loop.getResult(0);
  Value boost = b.unary<ExpOp>(b.div(logUniform(b, type, (op.getName() + "/boost").str(), op.getEachStep(), a), a));
  return narrow(b, b.select(b.binary<LogicalAndOp>(isSmall, isPositive), b.mul(taken, boost), taken), op.getType());
}

static Value decompositionOf(RandomCategoricalOp op, ExpressionBuilder &b) {
  Value given = widen(b, op.getLogits());
  RankedTensorType logits = typeOf(given);
  int64_t rows = logits.getDimSize(0), classes = logits.getDimSize(1);
  int64_t samples = cast<RankedTensorType>(op.getType()).getDimSize(1);
  Value one = ReshapeOp::create(b.builder, b.loc, logits.clone({rows, 1, classes}), given);
  Value each = b.infer<TileOp>(one, ArrayRef<int64_t>{1, samples, 1});
  Value noise = gumbel(b, typeOf(each), op.getName(), op.getEachStep(), each);
  return b.infer<ArgmaxOp>(b.add(each, noise), b.builder.getI64IntegerAttr(2));
}

static Value decompositionOf(RandomShuffleOp op, ExpressionBuilder &b) {
  Value x = op.getOperand(), rows;
  RankedTensorType type = typeOf(x);
  auto vector = RankedTensorType::get({type.getDimSize(0)}, b.builder.getI64Type());
  if (type.isDynamicDim(0)) {
    // A vector that has as many elements as there are rows.
    Value numbers = IotaOp::create(b.builder, b.loc, type.clone(b.builder.getI64Type()), x, 0);
    SmallVector<int64_t> others = keptDimensions(type.getRank(), {0});
    rows = others.empty() ? numbers : ReduceMaxOp::create(b.builder, b.loc, vector, numbers, others).getResult();
  }
  Value keys = uniform(b, vector.clone(b.builder.getF64Type()), op.getName(), /*eachStep=*/true, rows);
  Value order = ArgsortOp::create(b.builder, b.loc, vector, keys, b.builder.getI64IntegerAttr(0), false);
  return b.infer<GatherOp>(x, order, ArrayRef<int64_t>{0}, ArrayRef<int64_t>(), /*skip_negative=*/false);
}

static Value decompositionOf(DropoutOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getOperand());
  double rate = op.getRate().convertToDouble();
  Value keep = b.compare(Comparison::GE, uniform(b, typeOf(x), op.getName(), false, x), b.splatLike(x, rate));
  return narrow(b, b.select(keep, times(b, x, 1 / (1 - rate)), b.splatLike(x, 0)), op.getType());
}

//===-- samplers of classes -------------------------------------------------------===//

namespace {

/// The parts of one df.candidate_sampler. Probabilities are computed in f64.
struct SamplerParts {
  SamplerParts(CandidateSamplerOp op, ExpressionBuilder &b) : op(op), b(b) {
    classes = static_cast<int64_t>(op.getNumClasses());
    count = cast<RankedTensorType>(op.getSampled().getType()).getDimSize(0);
    if (op.getSampler() != Sampler::Unigram)
      return;
    weights = b.cast(op.getWeights(), f64());
    if (double distortion = op.getDistortion().convertToDouble(); distortion != 1)
      weights = b.binary<PowOp>(weights, b.splatLike(weights, distortion));
    cumulative = b.infer<CumsumOp>(weights, b.builder.getI64IntegerAttr(0), /*exclusive=*/false, /*reverse=*/false);
    Value last = SliceOp::create(b.builder, b.loc, cumulative, 0, classes - 1, 1);
    total = ReshapeOp::create(b.builder, b.loc, RankedTensorType::get({}, f64()), last);
  }

  Type f64() { return b.builder.getF64Type(); }
  Type i64() { return b.builder.getI64Type(); }
  RankedTensorType scalar(Type element) { return RankedTensorType::get({}, element); }
  Value take(Value table, Value ids) { return GatherOp::create(b.builder, b.loc, table, ids); }

  /// The number of elements of `cumulative` that are at most `x`, by bisection.
  Value countBelow(Value x) {
    Value place = b.splatLike(b.cast(x, i64()), 0);
    int64_t step = 1;
    while (step * 2 <= classes)
      step *= 2;
    for (; step; step /= 2) {
      Value probe = b.add(place, b.splatLike(place, static_cast<double>(step)));
      Value isIn = b.compare(Comparison::LE, probe, b.splatLike(probe, static_cast<double>(classes)));
      Value index =
          b.sub(b.binary<MinimumOp>(probe, b.splatLike(probe, static_cast<double>(classes))), b.splatLike(probe, 1));
      Value isBelow = b.compare(Comparison::LE, take(cumulative, index), x);
      place = b.select(b.binary<LogicalAndOp>(isIn, isBelow), probe, place);
    }
    return place;
  }

  /// One class for each of `count` uniform numbers.
  Value draw() {
    Value u = uniform(b, RankedTensorType::get({count}, f64()), op.getName(), /*eachStep=*/true, Value());
    Value drawn;
    auto n = static_cast<double>(classes);
    if (op.getSampler() == Sampler::Unigram) {
      drawn = countBelow(b.mul(u, b.broadcast(total, u, {})));
    } else if (op.getSampler() == Sampler::LogUniform) {
      // Class k has the numbers u with k + 1 <= (n + 1)^u < k + 2.
      Value power = b.unary<ExpOp>(times(b, u, std::log1p(n)));
      drawn = b.sub(b.cast(b.unary<FloorOp>(power), i64()), b.splat(RankedTensorType::get({count}, i64()), 1));
    } else {
      drawn = b.cast(b.unary<FloorOp>(times(b, u, n)), i64());
    }
    // Rounding may reach beyond the last class.
    return b.binary<MinimumOp>(drawn, b.splatLike(drawn, n - 1));
  }

  Value probability(Value ids) {
    if (op.getSampler() == Sampler::Unigram) {
      Value weight = take(weights, ids);
      return b.div(weight, repeated(b, total, weight));
    }
    Value k = b.cast(ids, f64());
    auto n = static_cast<double>(classes);
    if (op.getSampler() == Sampler::Uniform)
      return b.splatLike(k, 1 / n);
    return times(b, b.unary<LogOp>(b.div(plus(b, k, 2), plus(b, k, 1))), 1 / std::log1p(n));
  }

  /// How often classes are expected after `draws` (null: as many as samples).
  Value expected(Value ids, Value draws) {
    Value p = probability(ids), independent = times(b, p, static_cast<double>(count)), result = independent;
    if (draws) {
      Value t = b.cast(draws, f64());
      // 1 - (1 - p)^t
      Value unique = b.neg(b.unary<Expm1Op>(b.mul(repeated(b, t, p), b.unary<Log1pOp>(b.neg(p)))));
      Value none = b.compare(Comparison::EQ, t, b.splatLike(t, static_cast<double>(count)));
      result = b.select(repeated(b, none, p), independent, unique);
    }
    return b.cast(result, b.builder.getF32Type());
  }

  /// Samples without repetition and the number of draws.
  std::pair<Value, Value> drawUnique();

  CandidateSamplerOp op;
  ExpressionBuilder &b;
  int64_t classes, count;
  Value weights, cumulative, total; ///< of unigram
};

} // namespace

std::pair<Value, Value> SamplerParts::drawUnique() {
  OpBuilder &builder = b.builder;
  Location loc = b.loc;
  auto vector = RankedTensorType::get({count}, i64()), matrix = RankedTensorType::get({count, count}, i64());
  Type number = scalar(i64());
  SmallVector<Type> types = {vector, number, number};
  SmallVector<Value> inits = {b.splat(vector, -1), b.splat(scalar(i64()), 0), b.splat(scalar(i64()), 0)};
  Value size = b.splat(scalar(i64()), static_cast<double>(count));
  constexpr int64_t kMaxRounds = 65536;
  auto loop = WhileOp::create(builder, loc, types, inits, builder.getI64IntegerAttr(kMaxRounds), builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations(types.size(), loc);
  Block *condition = builder.createBlock(&loop.getConditionRegion(), {}, types, locations);
  ConditionOp::create(builder, loc, b.compare(Comparison::LT, condition->getArgument(1), size));

  Block *body = builder.createBlock(&loop.getBodyRegion(), {}, types, locations);
  Value samples = body->getArgument(0), found = body->getArgument(1), draws = body->getArgument(2);
  Value drawn = draw();
  // Element [i, j] compares draw i with sample j or draw j.
  auto spread = [&](Value x, int64_t dimension) {
    return BroadcastOp::create(builder, loc, matrix, x, Value(), ArrayRef<int64_t>{dimension}).getResult();
  };
  auto any = [&](Value truths) {
    return ReduceAnyOp::create(builder, loc, vector.clone(builder.getI1Type()), truths, ArrayRef<int64_t>{1})
        .getResult();
  };
  Value each = spread(drawn, 0);
  Value known = any(b.compare(Comparison::EQ, each, spread(samples, 1)));
  Value row = IotaOp::create(builder, loc, matrix, Value(), 0),
        column = IotaOp::create(builder, loc, matrix, Value(), 1);
  Value earlier = b.compare(Comparison::LT, column, row);
  Value repeats = any(b.binary<LogicalAndOp>(earlier, b.compare(Comparison::EQ, each, spread(drawn, 1))));
  Value isNew = b.unary<LogicalNotOp>(b.binary<LogicalOrOp>(known, repeats)), news = b.cast(isNew, i64());
  // Where a new class goes; a draw counts while there is room.
  Value before = CumsumOp::create(builder, loc, vector, news, builder.getI64IntegerAttr(0), /*exclusive=*/true,
                                  /*reverse=*/false);
  Value place = b.add(b.broadcast(found, before, {}), before);
  Value isTried = b.compare(Comparison::LT, place, b.splatLike(place, static_cast<double>(count)));
  Value target = b.select(b.binary<LogicalAndOp>(isNew, isTried), place, b.splatLike(place, -1));
  Value next = ScatterOp::create(builder, loc, vector, ScatterKind::Set, samples, target, drawn, ArrayRef<int64_t>{0},
                                 ArrayRef<int64_t>(), /*skip_negative=*/true);
  Value nextFound = b.binary<MinimumOp>(b.add(found, b.sumAll(news)), size);
  Value nextDraws = b.add(draws, b.sumAll(b.cast(isTried, i64())));
  YieldOp::create(builder, loc, ValueRange{next, nextFound, nextDraws});
  return {loop.getResult(0), loop.getResult(2)};
}

static LogicalResult decompositionOf(CandidateSamplerOp op, ExpressionBuilder &b, SmallVectorImpl<Value> &results) {
  if (op.getSampler() == Sampler::All) {
    Type f32 = b.builder.getF32Type();
    results.push_back(IotaOp::create(b.builder, b.loc, op.getSampled().getType(), Value(), 0));
    results.push_back(b.splatLike(b.cast(op.getTrueClasses(), f32), 1));
    results.push_back(b.splat(typeOf(op.getSampledExpected()), 1));
    return success();
  }
  SamplerParts parts(op, b);
  Value sampled, draws;
  if (op.getUnique())
    std::tie(sampled, draws) = parts.drawUnique();
  else
    sampled = parts.draw();
  results.push_back(sampled);
  results.push_back(parts.expected(op.getTrueClasses(), draws));
  results.push_back(parts.expected(sampled, draws));
  return success();
}

static LogicalResult decompositionOf(LearnedUnigramSamplerOp op, ExpressionBuilder &b,
                                     SmallVectorImpl<Value> &results) {
  Value counts = op.getCounts(), classes = op.getTrueClasses();
  int64_t numClasses = typeOf(counts).getDimSize(0);
  auto sampler = CandidateSamplerOp::create(b.builder, b.loc, op.getSampled().getType(), op.getTrueExpected().getType(),
                                            op.getSampledExpected().getType(), Sampler::Unigram, op.getName(), classes,
                                            counts, numClasses, op.getUnique(), llvm::APFloat(1.0));
  llvm::append_range(results, sampler.getResults());
  RankedTensorType type = typeOf(classes);
  int64_t total = type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  Value row = ReshapeOp::create(b.builder, b.loc, type.clone({total}), classes);
  Value ones = b.splatLike(b.cast(row, typeOf(counts).getElementType()), 1);
  results.push_back(b.infer<ScatterOp>(ScatterKind::Add, counts, row, ones, ArrayRef<int64_t>{0}, ArrayRef<int64_t>(),
                                       /*skip_negative=*/false));
  return success();
}

void attachRandomDecompositions(MLIRContext *context) {
  attachDecompositions<RandomExponentialOp, RandomGumbelOp, RandomIntegersOp, RandomBernoulliOp, RandomCategoricalOp,
                       RandomShuffleOp, DropoutOp, CandidateSamplerOp, RandomGammaOp, LearnedUnigramSamplerOp>(context);
}

} // namespace mlc::df
