// Ops of another dialect that passes know by interfaces alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/Gradients.h"
#include "dialects/Df/Decompose/Decompositions.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/Transforms/DfPipeline.h"
#include "dialects/Df/Utils/IntegerRanges.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "dialects/Df/Utils/VerifyStage.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlc;
using mlir::OpTrait::OneOperand;
using mlir::OpTrait::OneResult;
using mlir::OpTrait::ZeroRegions;
using mlir::OpTrait::ZeroSuccessors;

namespace outside {

using Effects = llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance>;

/// "outside.rows": its dimensions are those of its operand, and parallel if `parallel` says so.
class RowsOp : public mlir::Op<RowsOp, ZeroRegions, OneResult, ZeroSuccessors, OneOperand,
                               mlir::MemoryEffectOpInterface::Trait, df::DimensionsOpInterface::Trait> {
public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "outside.rows"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  void getEffects(Effects &) {}
  void mapDimensions(df::DimensionMapping &map) {
    mlir::Value result = (*this)->getResult(0);
    map.all((*this)->getOperand(0), result);
    if ((*this)->hasAttr("parallel"))
      map.parallel(result);
  }
};

/// "outside.ids": numbers below 5, worth to be made ahead of the step.
class IdsOp
    : public mlir::Op<IdsOp, ZeroRegions, OneResult, ZeroSuccessors, OneOperand, mlir::MemoryEffectOpInterface::Trait,
                      df::DimensionsOpInterface::Trait, df::IntegerRangeOpInterface::Trait, df::PreparesFeatures> {
public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "outside.ids"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  void getEffects(Effects &) {}
  void mapDimensions(df::DimensionMapping &map) { map.all((*this)->getOperand(0), (*this)->getResult(0)); }
  std::optional<df::IntegerRange> inferIntegerRange(mlir::OpResult, llvm::ArrayRef<std::optional<df::IntegerRange>>) {
    return df::IntegerRange{0, 4};
  }
};

/// "outside.first": some elements of its operand.
class FirstOp : public mlir::Op<FirstOp, ZeroRegions, OneResult, ZeroSuccessors, OneOperand,
                                mlir::MemoryEffectOpInterface::Trait, df::MovementOpInterface::Trait> {
public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "outside.first"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  void getEffects(Effects &) {}
};

/// "outside.touch": reads and writes the variable `at`.
class TouchOp
    : public mlir::Op<TouchOp, ZeroRegions, mlir::OpTrait::ZeroResults, ZeroSuccessors, mlir::OpTrait::ZeroOperands,
                      mlir::MemoryEffectOpInterface::Trait, df::StateOpInterface::Trait, df::HasEffectsOfState> {
public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "outside.touch"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  void collectState(df::StateAccess &access) {
    auto variable = (*this)->getAttrOfType<mlir::FlatSymbolRefAttr>("at");
    access.read(variable);
    access.write(variable);
  }
};

class OutsideDialect : public mlir::Dialect {
public:
  explicit OutsideDialect(mlir::MLIRContext *context)
      : Dialect(getDialectNamespace(), context, mlir::TypeID::get<OutsideDialect>()) {
    addOperations<RowsOp, IdsOp, FirstOp, TouchOp>();
  }
  static llvm::StringRef getDialectNamespace() { return "outside"; }
};

} // namespace outside

namespace {

using outside::OutsideDialect;

class OutsideOps : public testing::Test {
protected:
  OutsideOps() {
    mlir::DialectRegistry registry;
    df::registerDfDecompositions(registry);
    df::registerDfGradients(registry);
    registry.insert<df::DfDialect, OutsideDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  void parse(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
  }
  /// Lowers to segments, with the update over ranges of rows.
  void lower(const std::string &text) {
    parse(text);
    mlir::PassManager passes(&context);
    df::buildDfPipeline(passes, /*splitUpdate=*/true);
    ASSERT_TRUE(succeeded(passes.run(*module)));
  }
  /// Whether the function has an op of that name; not if there is no such function.
  bool has(llvm::StringRef function, llvm::StringRef op) {
    auto found = module->lookupSymbol<df::FunctionOp>(function);
    return found && found
                        .walk([&](mlir::Operation *each) {
                          return each->getName().getStringRef() == op ? mlir::WalkResult::interrupt()
                                                                      : mlir::WalkResult::advance();
                        })
                        .wasInterrupted();
  }
  mlir::Operation *first(llvm::StringRef op) {
    mlir::Operation *found = nullptr;
    module->walk([&](mlir::Operation *each) {
      if (each->getName().getStringRef() == op && !found)
        found = each;
    });
    return found;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// A step of gradient descent, the gradient through "outside.rows" with attributes.
std::string stepWith(const std::string &attributes) {
  return R"(df.variable @w : tensor<6x2xf32> = #df.constant<1.0> {trainable}
df.function @train(%x: tensor<?x6xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<6x2xf32>
  %y = df.matmul %x, %w : (tensor<?x6xf32>, tensor<6x2xf32>) -> tensor<?x2xf32>
  %each = df.reduce_sum %y {axes = array<i64: 1>} : (tensor<?x2xf32>) -> tensor<?xf32>
  %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
  %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<6x2xf32>
  %s = "outside.rows"(%dw) )" +
         attributes + R"( : (tensor<6x2xf32>) -> tensor<6x2xf32>
  df.assign_sub @w, %s : tensor<6x2xf32>
  df.return %loss : tensor<f32>
})";
}

/// A prediction that is what `op` makes of a feature.
std::string predictWith(const std::string &op) {
  return R"(df.function @predict(%f: tensor<?xi64> {df.name = "f"}) -> (tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  %i = )" +
         op + R"((%f) : (tensor<?xi64>) -> tensor<?xi64>
  %y = df.cast %i : (tensor<?xi64>) -> tensor<?xf32>
  df.return %y : tensor<?xf32>
})";
}

} // namespace

TEST_F(OutsideOps, ParallelRowsAreUpdatedByRanges) {
  lower(stepWith("{parallel}"));
  EXPECT_TRUE(has("train_update.w", "outside.rows"));
}

TEST_F(OutsideOps, DimensionsThatAreEquallyLargeAreNotParallel) {
  lower(stepWith(""));
  EXPECT_FALSE(has("train_update.w", "outside.rows"));
  EXPECT_TRUE(has("train_shared", "outside.rows"));
}

TEST_F(OutsideOps, WorkOnFeaturesRunsAheadOfTheStep) {
  lower(predictWith("\"outside.ids\""));
  EXPECT_TRUE(has("predict.features", "outside.ids"));
  EXPECT_FALSE(has("predict.step", "outside.ids"));
}

TEST_F(OutsideOps, OtherWorkStaysInTheStep) {
  lower(predictWith("\"outside.rows\""));
  EXPECT_FALSE(has("predict.features", "outside.rows"));
}

TEST_F(OutsideOps, RangesAreToldAndMoved) {
  parse(R"(df.function @f(%f: tensor<4xi64>) -> tensor<3xi64> {
  %i = "outside.ids"(%f) : (tensor<4xi64>) -> tensor<4xi64>
  %j = df.add %i, %i : tensor<4xi64>
  %k = "outside.first"(%j) : (tensor<4xi64>) -> tensor<3xi64>
  df.return %k : tensor<3xi64>
})");
  df::IntegerRanges ranges([](df::CheckIdsOp) { return true; });
  std::optional<df::IntegerRange> range = ranges.get(first("outside.first")->getResult(0));
  ASSERT_TRUE(range);
  EXPECT_EQ(range->least, 0);
  EXPECT_EQ(range->most, 8);
}

TEST_F(OutsideOps, StateIsToldByName) {
  parse(R"(df.variable @w : tensor<2xf32> = #df.constant<1.0>
df.function @f() {
  "outside.touch"() {at = @w} : () -> ()
  df.return
})");
  auto name = mlir::StringAttr::get(&context, "w");
  df::StateAccess access = df::getStateAccess(*module);
  EXPECT_TRUE(access.reads.contains(name));
  EXPECT_TRUE(access.writes.contains(name));
  llvm::SmallVector<mlir::MemoryEffects::EffectInstance> effects;
  llvm::cast<mlir::MemoryEffectOpInterface>(first("outside.touch")).getEffects(effects);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects.back().getSymbolRef(), mlir::FlatSymbolRefAttr::get(name));
  // What still names variables has no place among values.
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  EXPECT_TRUE(failed(df::verifyStage(*module, df::Stage::Values)));
}
