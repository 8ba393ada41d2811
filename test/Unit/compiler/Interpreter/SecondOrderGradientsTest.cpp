// Gradients of gradients against finite differences of the first gradients, in f64, for every case of the rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GradientCases.h"
#include "GradientRules.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/Utils/ExpressionBuilder.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// Cases whose second gradient is not that of the function: the rule of the first one tells zeros among factors from
/// other numbers, and its gradient does not see that a zero moves. All others are differentiated twice.
static const std::set<std::string> kOnceOnly = {"df.scatter mul zero", "df.scatter mul zeros"};

/// Squares what the loss of a case adds up, so that the first gradient of a linear op depends on where it is taken.
static LogicalResult squareTerms(df::FunctionOp function) {
  auto terminator = function.getBody().front().getTerminator();
  auto sum = terminator->getOperand(0).getDefiningOp<df::ReduceSumOp>();
  auto weighed = sum ? sum.getOperand().getDefiningOp<df::MulOp>() : df::MulOp();
  if (!weighed)
    return function.emitError("its loss is no sum of weighed elements");
  OpBuilder builder(weighed);
  weighed->setOperand(0, df::ExpressionBuilder(builder, function.getLoc()).unary<df::SquareOp>(weighed->getOperand(0)));
  return success();
}

/// Makes the function return one number: all its results, each element with a weight of its own, added up.
static LogicalResult returnWeighedSum(df::FunctionOp function) {
  auto terminator = cast<df::ReturnOp>(function.getBody().front().getTerminator());
  OpBuilder builder(terminator);
  df::ExpressionBuilder b(builder, function.getLoc());
  Value total;
  for (Value result : terminator.getOperands()) {
    auto type = cast<RankedTensorType>(result.getType());
    std::vector<double> weights;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      weights.push_back(1 + 0.25 * static_cast<double>((i * 7 + 3) % 11));
    Value weight = df::ConstantOp::create(builder, b.loc, DenseElementsAttr::get(type, ArrayRef(weights)));
    Value sum = b.sumAll(b.mul(result, weight));
    total = total ? b.add(total, sum) : sum;
  }
  terminator->setOperands(total);
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), total.getType()));
  return verify(function);
}

class SecondOrderGradients : public testing::TestWithParam<GradientCase> {
public:
  /// Compares the second gradients of the case with differences; with `squares`, of the squares of what it adds up.
  static void run(bool squares);
};

void SecondOrderGradients::run(bool squares) {
  const GradientCase &which = GetParam();
  auto context = contextWithRules();
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors.push_back(diagnostic.str());
    return success();
  });
  OwningOpRef<ModuleOp> module = parseModule(*context, which.text);
  ASSERT_TRUE(module);
  GradientCheck check = checkOf(which);
  check.sparseVariables = false;
  auto function = module->lookupSymbol<df::FunctionOp>(check.function);
  if (squares)
    ASSERT_TRUE(succeeded(squareTerms(function))) << testing::PrintToString(errors);
  ASSERT_TRUE(succeeded(returnGradients(function, check)) && succeeded(expandGradients(*module)) &&
              succeeded(returnWeighedSum(function)))
      << testing::PrintToString(errors) << which.text;

  std::vector<RuntimeValue> arguments(which.arguments.begin(), which.arguments.end());
  auto error = checkGradients(*module, check, arguments, State(*module, /*seed=*/3), expandGradients);
  ASSERT_TRUE(succeeded(error)) << testing::PrintToString(errors) << which.text;
  if (kOnceOnly.count(which.op + " " + which.variant)) {
    // A square has no slope where its root is 0.
    if (!squares)
      EXPECT_GT(error->relative, check.tolerance) << "has second gradients: it belongs to the others";
    return;
  }
  EXPECT_LT(error->relative, check.tolerance)
      << error->where << '[' << error->index << "]: expanded " << error->expanded << ", numeric " << error->numeric;
}

TEST_P(SecondOrderGradients, AgreeWithDifferencesOfTheFirst) { run(/*squares=*/false); }
TEST_P(SecondOrderGradients, OfSquaresAgreeWithDifferencesOfTheFirst) { run(/*squares=*/true); }

INSTANTIATE_TEST_SUITE_P(Ops, SecondOrderGradients, testing::ValuesIn(gradientCases()), gradientCaseName);
