// The first values of variables: attributes of df where these say them, else operations of the function `init`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Initializers.h"
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "lib/Conversion/EstToDf/Entry.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

Attribute est2df::convertInitializer(Attribute initializer, int64_t fanIn, int64_t fanOut) {
  MLIRContext *context = initializer.getContext();
  double fans = static_cast<double>(fanIn) + static_cast<double>(fanOut);
  // The deviation of a standard normal cut at two deviations: what is left must have the variance that is asked for.
  constexpr double kDeviationAfterCut = 0.87962566103423978;
  auto truncatedNormal = [&](double mean, double stddev) {
    return df::TruncatedNormalInitAttr::get(context, APFloat(mean), APFloat(stddev));
  };
  auto uniform = [&](double low, double high) {
    return df::UniformInitAttr::get(context, APFloat(low), APFloat(high));
  };
  return llvm::TypeSwitch<Attribute, Attribute>(initializer)
      .Case([&](est::ConstantAttr a) -> Attribute {
        return df::ConstantInitAttr::get(context, APFloat(a.getValue().getValueAsDouble()));
      })
      .Case([&](est::UniformAttr a) { return uniform(a.getMin().getValueAsDouble(), a.getMax().getValueAsDouble()); })
      .Case([&](est::NormalAttr a) {
        return df::NormalInitAttr::get(context, APFloat(a.getMean().getValueAsDouble()),
                                       APFloat(a.getStddev().getValueAsDouble()));
      })
      .Case([&](est::TruncatedNormalAttr a) {
        return truncatedNormal(a.getMean().getValueAsDouble(), a.getStddev().getValueAsDouble());
      })
      .Case([&](est::GlorotUniformAttr) {
        double limit = std::sqrt(6 / fans);
        return uniform(-limit, limit);
      })
      .Case([&](est::GlorotNormalAttr) { return truncatedNormal(0, std::sqrt(2 / fans) / kDeviationAfterCut); })
      .Case([&](est::VarianceScalingAttr a) -> Attribute {
        double count = a.getMode() == est::FanMode::FanIn    ? static_cast<double>(fanIn)
                       : a.getMode() == est::FanMode::FanOut ? static_cast<double>(fanOut)
                                                             : fans / 2;
        double variance = a.getScale().getValueAsDouble() / std::max(count, 1.0);
        switch (a.getDistribution()) {
        case est::FanDistribution::TruncatedNormal:
          return truncatedNormal(0, std::sqrt(variance) / kDeviationAfterCut);
        case est::FanDistribution::UntruncatedNormal:
          return df::NormalInitAttr::get(context, APFloat(0.0), APFloat(std::sqrt(variance)));
        case est::FanDistribution::Uniform:
          return uniform(-std::sqrt(3 * variance), std::sqrt(3 * variance));
        }
        llvm_unreachable("all distributions are covered");
      })
      .Case<est::IdentityAttr, est::OrthogonalAttr>([](Attribute) { return Attribute(); });
}

df::VariableOp est2df::declareWeights(ModuleState &state, StringRef name, RankedTensorType type, Attribute initializer,
                                      bool trainable, Location loc) {
  Attribute start = convertInitializer(initializer, type.getDimSize(0), type.getDimSize(1));
  df::VariableOp variable = state.variable(name, type, start ? start : state.constant(0), trainable, loc);
  if (!start)
    state.startsAs(variable, initializer);
  return variable;
}

/// `gain` where the row is the column, else 0.
static Value makeIdentity(GraphBuilder &b, RankedTensorType type, double gain) {
  RankedTensorType places = type.clone(b.getI64Type());
  Value row = df::IotaOp::create(b, places, Value(), b.getI64IntegerAttr(0));
  Value column = df::IotaOp::create(b, places, Value(), b.getI64IntegerAttr(1));
  Value isDiagonal = b.compare(df::Comparison::EQ, row, column);
  return b.mul(b.cast(isDiagonal, b.getF32Type()), b.f32(gain));
}

/// Rows of `type`, no more than it has columns, that are orthogonal to each other and of length 1: normal random
/// numbers made so by Gram-Schmidt, row by row. It subtracts what a row has in common with those before twice, so that
/// rounding leaves no more than the last bits of it. These are Q of the QR decomposition with a positive diagonal of R,
/// which makes them uniform among all such matrices (Mezzadri 2007; Saxe et al. 2014).
static Value makeOrthonormalRows(GraphBuilder &b, RankedTensorType type, StringRef name) {
  auto row = RankedTensorType::get({type.getDimSize(1)}, type.getElementType());
  Value drawn = df::RandomOp::create(b, type, df::Distribution::Normal, name, /*each_step=*/false, Value(), Value(),
                                     Value(), Value(), ValueRange());
  Value none = b.repeat(b.f32(0), drawn);
  Value first = b.vector({0, 0}, b.getI64Type());
  auto scan = df::ScanOp::create(b, TypeRange{type, first.getType()}, ValueRange{none, first}, ValueRange{drawn},
                                 /*count=*/Value(), /*reverse=*/false, /*parallel_iterations=*/IntegerAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&scan.getBody(), {}, {type, first.getType(), row}, {b.getLoc(), b.getLoc(), b.getLoc()});
  Value done = body->getArgument(0), start = body->getArgument(1), next = body->getArgument(2);
  auto product = [&](Value vector, int64_t dimension) -> Value {
    return df::DotGeneralOp::create(b, vector, done, ArrayRef<int64_t>(), ArrayRef<int64_t>(), ArrayRef<int64_t>(0),
                                    ArrayRef<int64_t>(dimension));
  };
  for (int pass = 0; pass < 2; ++pass)
    next = b.sub(next, product(product(next, /*dimension=*/1), /*dimension=*/0));
  Value length = b.unary<df::SqrtOp>(b.sum(b.mul(next, next), {0}));
  Value unit = b.reshape(b.div(next, length), {1, type.getDimSize(1)});
  df::YieldOp::create(b, ValueRange{df::DynamicUpdateSliceOp::create(b, type, done, unit, start),
                                    b.add(start, b.vector({1, 0}, b.getI64Type()))});
  return scan.getResult(0);
}

/// Of the columns or rows of `type`, whichever are fewer, each has the length `gain` and is orthogonal to the others.
static Value makeOrthogonal(GraphBuilder &b, RankedTensorType type, double gain, StringRef name) {
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  auto wide = RankedTensorType::get({std::min(rows, columns), std::max(rows, columns)}, type.getElementType());
  Value value = makeOrthonormalRows(b, wide, name);
  if (rows > columns)
    value = b.infer<df::TransposeOp>(value, b.getDenseI64ArrayAttr({1, 0}));
  return b.mul(value, b.f32(gain));
}

void est2df::buildInit(ModuleState &state, Location loc) {
  if (state.starts().empty())
    return;
  Entry entry(state, df::Role::Init, "init", {}, loc);
  GraphBuilder &b = entry.builder();
  for (auto [variable, initializer] : state.starts()) {
    b.setLoc(variable.getLoc());
    RankedTensorType type = variable.getTensorType();
    Value value;
    if (auto elements = dyn_cast<DenseElementsAttr>(initializer))
      value = df::ConstantOp::create(b, type, elements);
    else if (auto identity = dyn_cast<est::IdentityAttr>(initializer))
      value = makeIdentity(b, type, identity.getGain().getValueAsDouble());
    else
      value = makeOrthogonal(b, type, cast<est::OrthogonalAttr>(initializer).getGain().getValueAsDouble(),
                             variable.getSymName());
    df::AssignOp::create(b, variable.getSymName(), value);
  }
  entry.finish({});
}
