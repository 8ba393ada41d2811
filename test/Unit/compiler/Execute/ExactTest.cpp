// Constants are folded by rules of the interpreter that say that they give the bits of compiled code. They do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpAlone.h"
#include "mlc/Interpreter/Interpreter.h"

#include "gtest/gtest.h"

using namespace mlc;
using namespace mlc::execute;

class Exact : public testing::TestWithParam<OpTheme> {};

TEST_P(Exact, OpsHaveCasesThatAllowNoOtherBits) {
  std::vector<OpCase> cases;
  GetParam().second(cases);
  for (const OpCase &which : cases) {
    mlir::MLIRContext context;
    auto module = interp::parseModule(context, textOf(which));
    ASSERT_TRUE(module) << which.name;
    bool isExact = true;
    module->walk([&](mlir::Operation *op) {
      if (op->getParentOfType<df::FunctionOp>() && !op->hasTrait<mlir::OpTrait::IsTerminator>() &&
          !op->hasTrait<mlir::OpTrait::ConstantLike>())
        isExact &= df::isExact(op) && interp::hasRule(op->getName().getStringRef());
    });
    if (isExact) {
      EXPECT_EQ(which.bound.ulps, 0) << which.name;
      EXPECT_EQ(which.bound.absolute, 0) << which.name;
      EXPECT_EQ(which.bound.terms + which.bound.termsOfRow, 0) << which.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Themes, Exact, testing::ValuesIn(kOpThemes),
                         [](const testing::TestParamInfo<OpTheme> &info) { return std::string(info.param.first); });
