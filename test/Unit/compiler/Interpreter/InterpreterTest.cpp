// The interpreter's API: rules for every op, arguments, state, errors, tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Interpreter/Interpreter.h"
#include "dialects/Df/Decompose/Decompositions.h"
#include "mlc/Support/PhiloxKey.h"

#include "common/data/Philox.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

static std::string textOf(const RuntimeValue &value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << value;
  return text;
}

TEST(Interpreter, HasARuleOrADecompositionForEveryOp) {
  DialectRegistry registry;
  df::registerDfDecompositions(registry);
  MLIRContext context(registry);
  context.loadDialect<df::DfDialect>();
  // What declares state or ends a block is not evaluated.
  const std::set<StringRef> others = {"df.variable", "df.vocabulary", "df.queue", "df.dimension",
                                      "df.function", "df.return",     "df.yield", "df.condition"};
  int ops = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "df")
      continue;
    ++ops;
    EXPECT_EQ(hasRule(name.getStringRef()) || name.hasInterface<df::DecomposableOpInterface>(),
              !others.count(name.getStringRef()))
        << name.getStringRef().str();
  }
  EXPECT_GT(ops, 60);
}

TEST(Interpreter, RunsTextOnTensors) {
  MLIRContext context;
  auto module = parseModule(context, R"(
    df.variable @w : tensor<2xf32> = #df.constant<2.0>
    df.function @f(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
      %w = df.read @w : tensor<2xf32>
      %b = df.broadcast %w like %x dimensions = [1] : (tensor<2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
      %y = df.mul %x, %b : tensor<?x2xf32>
      df.assign @w, %w : tensor<2xf32>
      df.return %y : tensor<?x2xf32>
    })");
  ASSERT_TRUE(module);
  State state(*module, 0);
  auto results = interpret(*module, "f", {Tensor::ofFloats(ElementKind::F32, {1, 2}, {3, 4})}, state);
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(textOf((*results)[0]), "tensor<1x2xf32> [[6, 8]]");
  results = interpret(*module, "f", {Tensor(ElementKind::F32, {0, 2})}, state);
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(textOf((*results)[0]), "tensor<0x2xf32> []");
}

TEST(Interpreter, TellsTheRowOfBadData) {
  MLIRContext context;
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  auto module = parseModule(context, R"(
    df.function @f(%x: tensor<?xi64>) -> tensor<?xi64> {
      %y = df.check_ids %x {low = 0 : i64, high = 3 : i64, what = "column 'c'"} : (tensor<?xi64>) -> tensor<?xi64>
      df.return %y : tensor<?xi64>
    })");
  State state(*module, 0);
  std::optional<DataError> error;
  Tensor bad = Tensor::ofIntegers(ElementKind::I64, {3}, {0, 2, 3});
  EXPECT_TRUE(failed(interpret(*module, "f", {bad}, state, {}, &error)));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->row, 2);
  EXPECT_EQ(error->text, "column 'c': 3 is out of range; expected: an integer from 0 to 2");
  EXPECT_THAT(message, testing::HasSubstr("row 2: column 'c'"));
  EXPECT_TRUE(failed(interpret(*module, "f", {}, state)));
  EXPECT_THAT(message, testing::HasSubstr("needs more arguments than 0"));
  EXPECT_TRUE(failed(interpret(*module, "g", {}, state)));
  EXPECT_THAT(message, testing::HasSubstr("no df.function @g"));
}

TEST(Interpreter, DrawsTheNumbersOfTheArchitecture) {
  MLIRContext context;
  auto module = parseModule(context, R"(
    df.variable @u : tensor<2x2xf32> = #df.uniform<-1.0, 3.0>
    df.variable @z : tensor<1000xf32> = #df.truncated_normal<10.0, 0.5>
    df.function @f(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
      %r = df.random uniform "drop" like %x : (tensor<?x2xf32>) -> tensor<?x2xf32>
      df.return %r : tensor<?x2xf32>
    })");
  ASSERT_TRUE(module);
  constexpr uint64_t seed = 42;
  State state(*module, seed);
  const Tensor &u = *state.lookup("u");
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t word = common::philox4x32({i, 0, 0, 0}, philoxKey(seed, "u"))[0];
    EXPECT_EQ(u.getFloat(i), -1.0f + 4.0f * (static_cast<float>(word >> 8) * 0x1p-24f));
  }
  double sum = 0;
  for (double z : state.lookup("z")->to<double>()) {
    EXPECT_LE(std::abs(z - 10.0), 1.0);
    sum += z;
  }
  EXPECT_NEAR(sum / 1000, 10.0, 0.05);

  Context run;
  run.seed = seed;
  run.step = (int64_t(5) << 32) + 6;
  run.firstRow = 100;
  auto results = interpret(*module, "f", {Tensor(ElementKind::F32, {3, 2})}, state, run);
  ASSERT_TRUE(succeeded(results));
  uint32_t word = common::philox4x32({1, 102, 6, 5}, philoxKey(seed, "drop"))[0];
  EXPECT_EQ(std::get<Tensor>((*results)[0]).getFloat(5), static_cast<float>(word >> 8) * 0x1p-24f);
}

TEST(Interpreter, TakesSettingsFromTheState) {
  MLIRContext context;
  auto module = parseModule(context, R"(
    df.function @f() -> tensor<f32> {
      %r = df.setting "rate" = 5.0e-1 : f64 -> tensor<f32>
      df.return %r : tensor<f32>
    })");
  State state(*module, 0);
  EXPECT_EQ(textOf(interpret(*module, "f", {}, state)->front()), "tensor<f32> 0.5");
  state.setFloatSetting("rate", 0.25);
  EXPECT_EQ(textOf(interpret(*module, "f", {}, state)->front()), "tensor<f32> 0.25");
}

// A chain far longer than a stack of recursive calls would hold.
TEST(Interpreter, RunsLongChains) {
  std::string text = "df.function @f(%v0: tensor<i64>) -> tensor<i64> {\n";
  constexpr int length = 100000;
  for (int i = 0; i < length; ++i)
    text += "%v" + std::to_string(i + 1) + " = df.add %v" + std::to_string(i) + ", %v0 : tensor<i64>\n";
  text += "df.return %v" + std::to_string(length) + " : tensor<i64>\n}";
  MLIRContext context;
  auto module = parseModule(context, text);
  ASSERT_TRUE(module);
  State state;
  auto results = interpret(*module, "f", {Tensor::scalar(int64_t(1))}, state);
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(std::get<Tensor>((*results)[0]).getInteger(0), length + 1);
}

TEST(Tensor, RoundsToItsKind) {
  // Half of the smallest subnormal f16 is a tie with zero; 65520 is the first number that rounds to infinity.
  Tensor half = Tensor::ofFloats(ElementKind::F16, {4}, {0x1p-25, 0x1.8p-25, 65519.9, 65520});
  EXPECT_THAT(half.to<double>(), testing::ElementsAre(0.0, 0x1p-24, 65504.0, INFINITY));
  Tensor brain = Tensor::ofFloats(ElementKind::BF16, {2}, {1.0 + 0x1p-8, 1.0 + 0x1.8p-8});
  EXPECT_THAT(brain.to<double>(), testing::ElementsAre(1.0, 1.0 + 0x1p-7));
  Tensor bytes = Tensor::ofIntegers(ElementKind::I8, {2}, {200, -129});
  EXPECT_THAT(bytes.to<int64_t>(), testing::ElementsAre(-56, 127));
}

TEST(Tensor, ComparesBits) {
  Tensor a = Tensor::ofFloats(ElementKind::F32, {2}, {0.0, NAN});
  EXPECT_TRUE(a.identical(Tensor::ofFloats(ElementKind::F32, {2}, {0.0, -NAN})));
  EXPECT_FALSE(a.identical(Tensor::ofFloats(ElementKind::F32, {2}, {-0.0, NAN})));
  EXPECT_FALSE(a.identical(a.reshaped({2, 1})));
  Tensor text = Tensor::ofStrings({1}, {"a"});
  EXPECT_TRUE(text.identical(Tensor::ofStrings({1}, {"a"})));
  EXPECT_FALSE(text.identical(Tensor::ofStrings({1}, {"b"})));
}
