// The checked builder: types are inferred, and what does not fit is a diagnostic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/Build.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/Utils/ExpressionBuilder.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

using namespace mlc;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Value;

namespace {

/// A module to build in, and what was said meanwhile.
class Build : public testing::Test {
protected:
  Build() : handler(&context, [this](mlir::Diagnostic &diagnostic) { messages.push_back(diagnostic.str()); }) {
    context.loadDialect<df::DfDialect>();
    module = mlir::ModuleOp::create(loc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  mlir::Location loc() { return mlir::NameLoc::get(mlir::StringAttr::get(&context, "here")); }
  RankedTensorType type(llvm::ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, mlir::Float32Type::get(&context));
  }
  /// Zeros, under a type that may know fewer sizes.
  Value value(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> known) {
    df::ExpressionBuilder b(builder, loc());
    return b.castShape(b.splat(type(shape), 0), type(known));
  }
  Value value(llvm::ArrayRef<int64_t> shape) { return value(shape, shape); }

  mlir::MLIRContext context;
  std::vector<std::string> messages;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder builder{&context};
};

constexpr int64_t kUnknown = ShapedType::kDynamic;

} // namespace

TEST_F(Build, InfersTheTypesOfResults) {
  auto product = df::build<df::MatmulOp>(builder, loc(), value({2, 4}, {kUnknown, 4}), value({4, 3}), false, false);
  ASSERT_TRUE(succeeded(product));
  EXPECT_EQ(product->getType(), type({kUnknown, 3}));
  // Two results, which do not follow from each other.
  auto ids = RankedTensorType::get({5}, builder.getI64Type());
  Value vector = df::ConstantOp::create(builder, loc(), mlir::DenseElementsAttr::get(ids, int64_t{7}));
  auto unique = df::build<df::UniqueOp>(builder, loc(), vector, mlir::UnitAttr());
  ASSERT_TRUE(succeeded(unique));
  EXPECT_EQ(unique->getValues().getType(), RankedTensorType::get({kUnknown}, builder.getI64Type()));
  EXPECT_EQ(unique->getInverse().getType(), ids);
  // A size that one operand knows.
  auto sum = df::build<df::AddOp>(builder, loc(), value({4}, {kUnknown}), value({4}));
  ASSERT_TRUE(succeeded(sum));
  EXPECT_EQ(sum->getType(), type({4}));
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
  EXPECT_TRUE(messages.empty());
}

TEST_F(Build, TellsWhatDoesNotFitAndBuildsNothing) {
  Value lhs = value({2, 4}), rhs = value({5, 3});
  const auto before = std::distance(module->getBody()->begin(), module->getBody()->end());
  EXPECT_TRUE(failed(df::build<df::MatmulOp>(builder, loc(), lhs, rhs, false, false)));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0],
            "'df.matmul' op (C2) inner dimensions must agree: found 'tensor<2x4xf32>' and 'tensor<5x3xf32>'");
  EXPECT_TRUE(failed(df::build<df::ConcatOp>(builder, loc(), mlir::ValueRange{lhs, rhs}, uint64_t{0})));
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_NE(messages[1].find("'df.concat' op (C2)"), std::string::npos) << messages[1];
  EXPECT_EQ(std::distance(module->getBody()->begin(), module->getBody()->end()), before);
}

TEST_F(Build, ExpressionsStopAtTheFirstFailure) {
  df::ExpressionBuilder b(builder, loc());
  Value x = value({2}), y = value({3});
  Value sum = b.add(x, y);
  EXPECT_FALSE(b.ok());
  EXPECT_EQ(sum, x);
  // What follows from it is built no more, and nothing more is said.
  EXPECT_EQ(b.mul(sum, y), sum);
  EXPECT_EQ(b.neg(y), y);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "'df.add' op requires the same type for all operands and results; found 'tensor<2xf32>' and "
                         "'tensor<3xf32>'");
}

TEST_F(Build, OpsOfFreeTypesAreNotInferred) {
  mlir::OperationState state(loc(), df::ReshapeOp::getOperationName());
  state.addOperands(value({4}));
  EXPECT_TRUE(failed(df::inferResultTypes(state)));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "'df.reshape' op infers no types of its results");
}
