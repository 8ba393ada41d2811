// Every gradient rule against finite differences in f64, through df-expand-gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GradientRules.h"
#include "GradientCases.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

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
  auto error = runGradientCase(*context, GetParam(), expandGradients);
  ASSERT_TRUE(succeeded(error)) << GetParam().text;
  EXPECT_LT(error->relative, GradientCheck().tolerance)
      << error->where << '[' << error->index << "]: expanded " << error->expanded << ", numeric " << error->numeric;
}

INSTANTIATE_TEST_SUITE_P(Ops, GradientRules, testing::ValuesIn(gradientCases()), gradientCaseName);
