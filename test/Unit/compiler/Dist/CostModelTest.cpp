// Costs of ops by their formulas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/Transforms/CostModel.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlc;
using namespace mlc::dist;

namespace {

/// The ops of a function, by name of the first of a kind.
class Costs : public testing::Test {
protected:
  void parse(const std::string &body) {
    context.loadDialect<df::DfDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(body, &context);
    ASSERT_TRUE(module);
  }
  mlir::Operation *find(llvm::StringRef name) {
    mlir::Operation *found = nullptr;
    module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (!found && op->getName().getStringRef() == name)
        found = op;
    });
    EXPECT_TRUE(found) << name.str();
    return found;
  }
  void expectCost(llvm::StringRef name, df::Work kind, double operations, double bytes) {
    mlir::Operation *op = find(name);
    EXPECT_EQ(workOf(op), kind) << name.str();
    OpCost cost = costOf(op, sizes);
    EXPECT_DOUBLE_EQ(cost.operations, operations) << name.str();
    EXPECT_DOUBLE_EQ(cost.bytes, bytes) << name.str();
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  AssumedSizes sizes{{/*rows=*/10}, /*iterations=*/5};
};

} // namespace

TEST_F(Costs, Contractions) {
  parse(R"(df.function @f(%a: tensor<?x4xf32>, %b: tensor<4x3xf32>, %c: tensor<2x5x4xf64>, %d: tensor<2x4x6xf64>) {
    %ab = df.matmul %a, %b : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
    %cd = df.batch_matmul %c, %d : (tensor<2x5x4xf64>, tensor<2x4x6xf64>) -> tensor<2x5x6xf64>
    %e = df.einsum %c, %d {equation = "bij,bjk->bik"} : (tensor<2x5x4xf64>, tensor<2x4x6xf64>) -> tensor<2x5x6xf64>
    %g = df.dot_general %c, %d {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 1>} : (tensor<2x5x4xf64>, tensor<2x4x6xf64>) -> tensor<2x5x6xf64>
    df.return
  })");
  expectCost("df.matmul", df::Work::Contraction, 2 * 10 * 3 * 4, 4 * (40 + 12 + 30));
  const double products = 2 * 2 * 5 * 6 * 4, bytes = 8 * (40 + 48 + 60);
  expectCost("df.batch_matmul", df::Work::Contraction, products, bytes);
  expectCost("df.einsum", df::Work::Contraction, products, bytes);
  expectCost("df.dot_general", df::Work::Contraction, products, bytes);
}

TEST_F(Costs, TransposedOperandsCostTheSame) {
  parse(R"(df.function @f(%a: tensor<4x7xf32>, %b: tensor<3x4xf32>) {
    %ab = df.matmul %a, %b {transpose_a, transpose_b} : (tensor<4x7xf32>, tensor<3x4xf32>) -> tensor<7x3xf32>
    df.return
  })");
  expectCost("df.matmul", df::Work::Contraction, 2 * 7 * 3 * 4, 4 * (28 + 12 + 21));
}

TEST_F(Costs, Convolutions) {
  parse(R"(df.function @f(%x: tensor<1x8x8x2xf32>, %w: tensor<3x3x2x5xf32>) {
    %y = df.conv %x, %w : (tensor<1x8x8x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x6x6x5xf32>
    df.return
  })");
  expectCost("df.conv", df::Work::Convolution, 2 * (6 * 6 * 5) * (3 * 3 * 2), 4 * (128 + 90 + 180));
}

TEST_F(Costs, OtherKinds) {
  parse(R"(df.variable @t : tensor<100x8xf32> = #df.constant<0.0>
  df.function @f(%a: tensor<?x4xf32>, %ids: tensor<?xi64>, %p: tensor<!df.string>) {
    %c = df.constant dense<0.0> : tensor<100x8xf32>
    %r = df.read @t : tensor<100x8xf32>
    %s = df.add %a, %a : tensor<?x4xf32>
    %e = df.exp %a : tensor<?x4xf32>
    %m = df.reduce_sum %a {axes = array<i64: 0, 1>} : (tensor<?x4xf32>) -> tensor<f32>
    %x = df.softmax %a : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %g = df.read_rows @t[%ids] : (tensor<?xi64>) -> tensor<?x8xf32>
    %k = df.gather %c, %ids {axes = array<i64: 0>, skip_negative} : (tensor<100x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
    %u = df.transpose %a {permutation = array<i64: 1, 0>} : (tensor<?x4xf32>) -> tensor<4x?xf32>
    df.assign_sub @t, %c : tensor<100x8xf32>
    df.return
  })");
  expectCost("df.constant", df::Work::Free, 0, 0);
  expectCost("df.read", df::Work::Free, 0, 0);
  expectCost("df.add", df::Work::Elementwise, 40, 3 * 160);
  expectCost("df.exp", df::Work::Transcendental, 16 * 40, 2 * 160);
  expectCost("df.reduce_sum", df::Work::Reduction, 40, 160 + 4);
  expectCost("df.softmax", df::Work::Composite, 8 * 40, 2 * 160);
  expectCost("df.read_rows", df::Work::GatherScatter, 0, 2 * 320 + 80);
  expectCost("df.gather", df::Work::GatherScatter, 0, 2 * 320 + 80);
  expectCost("df.transpose", df::Work::Movement, 0, 2 * 160);
  expectCost("df.assign_sub", df::Work::Update, 2 * 800, 3 * 3200);
}

TEST_F(Costs, OpOfAnotherDialectIsTakenForWorkOnAllElements) {
  mlir::DialectRegistry registry;
  registry.insertDynamic("other", [](mlir::MLIRContext *, mlir::DynamicDialect *dialect) {
    auto verifies = [](mlir::Operation *) { return mlir::success(); };
    dialect->registerDynamicOp(mlir::DynamicOpDefinition::get("op", dialect, verifies, verifies));
  });
  context.appendDialectRegistry(registry);
  parse(R"(df.function @f(%a: tensor<?x4xf32>, %b: tensor<3xf64>) {
    %r = "other.op"(%a, %b) : (tensor<?x4xf32>, tensor<3xf64>) -> tensor<2xf32>
    df.return
  })");
  expectCost("other.op", df::Work::Unknown, 40 + 3 + 2, 160 + 24 + 8);
}

TEST_F(Costs, SizesOfTypes) {
  parse(
      R"(df.function @f(%a: !df.rows<tensor<100x8xf32>>, %b: tensor<2x?x!df.string>, %c: tensor<9xi1>, %d: tensor<0xf64>) {
    df.return
  })");
  auto types = mlir::cast<df::FunctionOp>(find("df.function")).getArgumentTypes();
  EXPECT_DOUBLE_EQ(elementsOf(types[0], sizes), 80);
  EXPECT_DOUBLE_EQ(bytesOf(types[0], sizes), 80 * 4 + 10 * 8);
  EXPECT_DOUBLE_EQ(bytesOf(types[1], sizes), 20 * 16);
  EXPECT_DOUBLE_EQ(bytesOf(types[2], sizes), 9);
  EXPECT_DOUBLE_EQ(bytesOf(types[3], sizes), 0);
}

TEST_F(Costs, LoopsMultiply) {
  parse(R"(df.function @f(%a: tensor<7x4xf32>, %n: tensor<i64>, %x: tensor<4xf32>) {
    %r = df.scan (%x) over (%a) : (tensor<4xf32>, tensor<7x4xf32>) -> tensor<4xf32> {
    ^bb0(%c: tensor<4xf32>, %row: tensor<4xf32>):
      %s = df.scan (%c) count %n : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32> {
      ^bb0(%d: tensor<4xf32>):
        %e = df.exp %d : tensor<4xf32>
        df.yield %e : tensor<4xf32>
      }
      df.yield %s : tensor<4xf32>
    }
    df.return
  })");
  EXPECT_DOUBLE_EQ(executionsOf(find("df.scan")->getBlock(), sizes), 1);
  EXPECT_DOUBLE_EQ(executionsOf(find("df.exp")->getBlock(), sizes), 35);
}

TEST_F(Costs, TheLongerOfComputingAndMoving) {
  DeviceSpeed speed{100, 10};
  EXPECT_DOUBLE_EQ(secondsOf(OpCost{200, 10}, speed), 2);
  EXPECT_DOUBLE_EQ(secondsOf(OpCost{200, 50}, speed), 5);
  EXPECT_DOUBLE_EQ(secondsOf(100.0, LinkSpeed{50, 0.5}), 2.5);
}
