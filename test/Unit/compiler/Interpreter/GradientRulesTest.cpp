// Every gradient rule against finite differences in f64, through df-expand-gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GradientCases.h"
#include "dialects/Df/Autodiff/Gradients.h"
#include "dialects/Df/Decompose/Decompositions.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "mlir/Pass/PassManager.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// A context whose df ops have their gradient rules.
static std::unique_ptr<MLIRContext> contextWithRules() {
  DialectRegistry registry;
  registry.insert<df::DfDialect>();
  df::registerDfDecompositions(registry);
  df::registerDfGradients(registry);
  auto context = std::make_unique<MLIRContext>(registry);
  context->loadDialect<df::DfDialect>();
  return context;
}

TEST(GradientRules, AllHaveACase) {
  auto context = contextWithRules();
  int rules = 0;
  for (RegisteredOperationName name : context->getRegisteredOperations())
    rules += name.hasInterface<df::DifferentiableOpInterface>();
  EXPECT_GT(rules, 30);
  EXPECT_THAT(opsWithoutGradientCase(*context), testing::IsEmpty());
}

class GradientRules : public testing::TestWithParam<GradientCase> {};

TEST_P(GradientRules, AgreeWithFiniteDifferences) {
  auto context = contextWithRules();
  auto error = runGradientCase(*context, GetParam(), [](ModuleOp module) {
    PassManager passes(module.getContext());
    df::DfDecomposePassOptions beforeGradients;
    beforeGradients.keepDifferentiable = true;
    passes.addPass(df::createDfDecomposePass(beforeGradients));
    passes.addPass(df::createDfExpandGradientsPass());
    return passes.run(module);
  });
  ASSERT_TRUE(succeeded(error)) << GetParam().text;
  EXPECT_LT(error->relative, GradientCheck().tolerance)
      << error->where << '[' << error->index << "]: expanded " << error->expanded << ", numeric " << error->numeric;
}

INSTANTIATE_TEST_SUITE_P(Ops, GradientRules, testing::ValuesIn(gradientCases()), [](const auto &info) {
  std::string name = info.param.op.substr(3);
  for (char c : info.param.variant)
    if (isalnum(c))
      name += c;
  return name + std::to_string(info.index);
});
