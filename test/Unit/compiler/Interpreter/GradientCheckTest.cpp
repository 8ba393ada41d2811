// The gradient check itself: it accepts right gradients, finds wrong ones, and its table notices what it lacks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Interpreter/GradientCheck.h"
#include "GradientCases.h"
#include "dialects/Df/Decompose/Decompositions.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "mlir/IR/Builders.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// Replaces the module's df.gradients by what `make` builds for each result.
static LogicalResult replaceGradients(ModuleOp module,
                                      llvm::function_ref<Value(OpBuilder &, df::GradientsOp, unsigned)> make) {
  df::GradientsOp gradients;
  module.walk([&](df::GradientsOp op) { gradients = op; });
  if (!gradients)
    return module.emitError("no df.gradients");
  OpBuilder builder(gradients);
  SmallVector<Value> values;
  for (unsigned i = 0; i < gradients.getNumResults(); ++i)
    values.push_back(make(builder, gradients, i));
  gradients.replaceAllUsesWith(values);
  gradients.erase();
  return success();
}

/// A constant of a static f64 type.
static Value splat(OpBuilder &builder, Location loc, RankedTensorType type, double value) {
  return df::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, value));
}

/// Zeros of the result's type.
static Value zeros(OpBuilder &builder, df::GradientsOp op, unsigned result) {
  Location loc = op.getLoc();
  Type type = op.getResult(result).getType();
  auto rows = dyn_cast<df::RowsType>(type);
  if (!rows)
    return splat(builder, loc, cast<RankedTensorType>(type), 0.0);
  SmallVector<int64_t> shape(rows.getType().getShape());
  shape[0] = 0;
  auto idType = RankedTensorType::get({0}, builder.getI64Type());
  auto countType = RankedTensorType::get({}, builder.getI64Type());
  auto rowType = RankedTensorType::get(shape, builder.getF64Type());
  Value ids = df::ConstantOp::create(builder, loc, idType, DenseIntElementsAttr::get(idType, ArrayRef<int64_t>{}));
  Value none = df::ConstantOp::create(builder, loc, rowType, DenseElementsAttr::get(rowType, ArrayRef<double>{}));
  Value count = df::ConstantOp::create(builder, loc, countType, DenseElementsAttr::get(countType, int64_t(0)));
  return df::PackRowsOp::create(builder, loc, rows, ids, none, count);
}

/// sum(x * x) with x = argument 0.
static constexpr llvm::StringLiteral kSquare = R"(
df.function @f(%x: tensor<3xf64>) -> tensor<f64> {
  %s = df.square %x : tensor<3xf64>
  %loss = df.reduce_sum %s {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
  df.return %loss : tensor<f64>
})";

/// The error of the gradient factor * x of kSquare.
static GradientError errorOfFactor(double factor) {
  MLIRContext context;
  auto module = parseModule(context, kSquare);
  EXPECT_TRUE(module);
  GradientCheck check;
  check.function = "f";
  check.arguments = {0};
  auto expand = [&](ModuleOp copy) {
    return replaceGradients(copy, [&](OpBuilder &builder, df::GradientsOp op, unsigned) -> Value {
      Value x = op.getValues().front();
      Value two = splat(builder, op.getLoc(), cast<RankedTensorType>(x.getType()), factor);
      return df::MulOp::create(builder, op.getLoc(), x.getType(), two, x);
    });
  };
  Tensor x = Tensor::ofFloats(ElementKind::F64, {3}, {0.5, -3.0, 2.0});
  auto error = checkGradients(*module, check, {x}, State(), expand);
  EXPECT_TRUE(succeeded(error));
  return succeeded(error) ? *error : GradientError{-1};
}

TEST(GradientCheck, AcceptsTheRightGradient) {
  EXPECT_GE(errorOfFactor(2.0).relative, 0.0);
  EXPECT_LT(errorOfFactor(2.0).relative, 1e-9);
}

TEST(GradientCheck, FindsAWrongGradient) {
  GradientError error = errorOfFactor(2.00001);
  EXPECT_GT(error.relative, 1e-6);
  EXPECT_EQ(error.where, "argument 0");
  EXPECT_TRUE(std::isinf(errorOfFactor(std::nan("")).relative));
}

TEST(GradientCheck, FailsWhereTheFunctionDoes) {
  MLIRContext context;
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  auto module = parseModule(context, kSquare);
  GradientCheck check;
  check.function = "g";
  auto expand = [](ModuleOp) { return success(); };
  EXPECT_TRUE(failed(checkGradients(*module, check, {}, State(), expand)));
}

class GradientCases : public testing::TestWithParam<GradientCase> {};

// A case must notice a missing gradient: with zeros in its place the error is 1, or 0 where zero is right.
TEST_P(GradientCases, NoticesAMissingGradient) {
  DialectRegistry registry;
  df::registerDfDecompositions(registry);
  MLIRContext context(registry);
  auto error = runGradientCase(context, GetParam(), [](ModuleOp module) { return replaceGradients(module, zeros); });
  ASSERT_TRUE(succeeded(error)) << GetParam().text;
  EXPECT_NEAR(error->relative, GetParam().isZero ? 0.0 : 1.0, 1e-9) << error->where << '[' << error->index << ']';
}

INSTANTIATE_TEST_SUITE_P(Ops, GradientCases, testing::ValuesIn(gradientCases()), [](const auto &info) {
  std::string name = info.param.op.substr(3);
  for (char c : info.param.variant)
    if (isalnum(c))
      name += c;
  return name + std::to_string(info.index);
});

/// A rule for an op that has no case.
struct NoRule : public df::DifferentiableOpInterface::ExternalModel<NoRule, df::OneHotOp> {
  LogicalResult buildGradient(Operation *, OpBuilder &, ValueRange, MutableArrayRef<Value>) const { return failure(); }
};

TEST(GradientCases, NoticesAnOpWithoutCase) {
  MLIRContext context;
  context.loadDialect<df::DfDialect>();
  EXPECT_THAT(opsWithoutGradientCase(context), testing::IsEmpty());
  df::OneHotOp::attachInterface<NoRule>(context);
  EXPECT_THAT(opsWithoutGradientCase(context), testing::ElementsAre("df.one_hot"));
}
