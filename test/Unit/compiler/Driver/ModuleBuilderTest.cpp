// Modules that are built op by op: what they become, and what is refused where it is built.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/ModuleBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlc;
using testing::HasSubstr;
using Values = ModuleBuilder::Values;

namespace {

class ModuleBuilderTest : public testing::Test {
protected:
  /// The first message; empty if there is none.
  std::string what() const { return messages.messages().empty() ? "" : messages.messages().front().what; }
  Values begin() {
    return *builder.beginFunction("predict", "predict", {{"x", "tensor<?x4xf32>", ""}}, {"model.py", 3}, messages);
  }
  std::optional<Values> op(const std::string &name, const Values &operands, const std::string &attributes = "{}",
                           std::optional<std::vector<std::string>> types = std::nullopt, unsigned regions = 0) {
    return builder.op(name, operands, attributes, types, regions, {"model.py", 7}, messages);
  }

  ModuleBuilder builder;
  common::MessageList messages;
};

} // namespace

TEST_F(ModuleBuilderTest, InfersTypesAndPrints) {
  ASSERT_TRUE(builder.setAttributes("{mlc.name = \"m\"}", messages));
  ASSERT_TRUE(builder.declare(
      "df.variable", "{sym_name = \"a/w\", type = tensor<4x2xf32>, initializer = #df.constant<0.0>, trainable}", {},
      messages))
      << what();
  const Values x = begin();
  const Values w = *op("df.read", {}, "{variable = @\"a/w\"}", {{"tensor<4x2xf32>"}});
  const Values y = *op("df.matmul", {x[0], w[0]});
  EXPECT_EQ(builder.typeOf(y[0])->element, "f32");
  EXPECT_EQ(builder.typeOf(y[0])->shape, (std::vector<int64_t>{-1, 2}));
  ASSERT_TRUE(builder.endFunction({{"y", y[0]}}, messages));
  ASSERT_TRUE(builder.verify(messages)) << what();
  const std::string text = builder.text(/*origins=*/false);
  EXPECT_THAT(text, HasSubstr("df.variable @\"a/w\" : tensor<4x2xf32>"));
  EXPECT_THAT(text, HasSubstr("df.matmul %x, %"));
  EXPECT_THAT(text, testing::Not(HasSubstr("loc(")));
  EXPECT_THAT(builder.text(/*origins=*/true), HasSubstr("\"model.py\":7"));
}

TEST_F(ModuleBuilderTest, RefusesWhatDoesNotFitWhereItIsBuilt) {
  const Values x = begin();
  EXPECT_FALSE(op("df.matmul", {x[0], x[0]}, "{transpose_a, transpose_b, nothing}"));
  EXPECT_FALSE(op("df.nothing", {}));
  EXPECT_FALSE(op("df.reduce_sum", {x[0]}, "{axes = array<i64: 2>}"));
  EXPECT_FALSE(op("df.reduce_sum", {x[0]}, "{axes = 3 : i32}"));
  EXPECT_FALSE(op("df.reduce_sum", {x[0]}, "{axes = "));
  EXPECT_FALSE(op("df.reduce_sum", {99}, "{axes = array<i64: 0>}"));
  EXPECT_EQ(messages.messages().size(), 6u);
  EXPECT_EQ(messages.messages()[2].place.file, "model.py");
  EXPECT_EQ(messages.messages()[2].place.line, 7);
  // What was refused left nothing.
  ASSERT_TRUE(builder.endFunction({{"y", x[0]}}, messages));
  EXPECT_TRUE(builder.verify(messages));
}

TEST_F(ModuleBuilderTest, BuildsRegionsBeforeTheirOp) {
  const Values x = begin();
  const Values zero = *op("df.constant", {}, "{value = dense<0.0> : tensor<f32>}");
  const Values sum = *op("df.reduce_sum", {x[0]}, "{axes = array<i64: 0, 1>}");
  const Values positive = *op("df.compare", {sum[0], zero[0]}, "{predicate = #df<comparison gt>}");
  ASSERT_TRUE(builder.beginRegion({}, messages));
  const Values inner = *op("df.relu", {x[0]});
  ASSERT_TRUE(builder.endRegion("df.yield", inner, {}, messages));
  EXPECT_FALSE(builder.isVisible(inner[0]));
  EXPECT_FALSE(op("df.relu", inner)) << "a value of a region that has ended";
  ASSERT_TRUE(builder.beginRegion({}, messages));
  ASSERT_TRUE(builder.endRegion("df.yield", x, {}, messages));
  const std::optional<Values> result = op("df.if", positive, "{}", std::nullopt, 2);
  ASSERT_TRUE(result) << what();
  EXPECT_EQ(builder.typeOf(result->front())->shape, (std::vector<int64_t>{-1, 4}));
  ASSERT_TRUE(builder.endFunction({{"y", result->front()}}, messages));
  EXPECT_TRUE(builder.verify(messages)) << what();
}

TEST_F(ModuleBuilderTest, LeavesOutWhatIsAbandoned) {
  const Values x = begin();
  ASSERT_TRUE(builder.beginRegion({"tensor<f32>"}, messages));
  ASSERT_TRUE(op("df.relu", x));
  ASSERT_TRUE(builder.endRegion("df.yield", {}, {}, messages));
  ASSERT_TRUE(builder.beginRegion({}, messages));
  const Values inner = *op("df.relu", x);
  builder.abandon();
  EXPECT_FALSE(builder.typeOf(inner[0]));
  EXPECT_TRUE(builder.isVisible(x[0]));
  builder.abandon();
  EXPECT_FALSE(builder.typeOf(x[0]));
  // The name is free again.
  const Values again = begin();
  ASSERT_TRUE(builder.endFunction({{"y", again[0]}}, messages));
  EXPECT_TRUE(builder.verify(messages)) << what();
}

TEST_F(ModuleBuilderTest, GoesOnWithAFunctionThatWasEnded) {
  const Values x = begin();
  const Values y = *op("df.relu", x);
  ASSERT_TRUE(builder.endFunction({{"y", y[0]}}, messages));
  const Values other = *builder.beginFunction("other", "other", {{"a", "tensor<f32>", ""}}, {}, messages);
  EXPECT_FALSE(builder.reopenFunction("predict", messages)) << "in another one";
  ASSERT_TRUE(builder.endFunction({{"a", other[0]}}, messages));
  EXPECT_FALSE(builder.reopenFunction("prdict", messages));
  EXPECT_THAT(messages.messages().back().what, HasSubstr("@prdict"));
  ASSERT_TRUE(builder.reopenFunction("predict", messages));
  EXPECT_TRUE(builder.isVisible(y[0]));
  EXPECT_FALSE(builder.isVisible(other[0]));
  const Values z = *op("df.relu", y);
  ASSERT_TRUE(builder.endFunction({{"y", y[0]}, {"z", z[0]}}, messages));
  ASSERT_TRUE(builder.verify(messages)) << what();
  EXPECT_THAT(builder.text(/*origins=*/false),
              HasSubstr("(tensor<?x4xf32> {df.name = \"y\"}, tensor<?x4xf32> {df.name = \"z\"})"));
  // One that is left out takes its values with it.
  ASSERT_TRUE(builder.reopenFunction("predict", messages));
  builder.abandon();
  EXPECT_FALSE(builder.isVisible(y[0]));
  EXPECT_FALSE(builder.reopenFunction("predict", messages));
}

TEST_F(ModuleBuilderTest, TellsArgumentsAndOutputsOfWhatIsReopened) {
  const Values x = begin();
  const Values y = *op("df.relu", x);
  ASSERT_TRUE(builder.endFunction({{"y", y[0]}}, messages));
  std::optional<ModuleBuilder::OpenFunction> open = builder.reopenFunction("predict", messages);
  ASSERT_TRUE(open);
  ASSERT_EQ(open->arguments.size(), 1u);
  EXPECT_EQ(open->arguments[0].first, "x");
  ASSERT_EQ(open->outputs.size(), 1u);
  EXPECT_EQ(open->outputs[0].first, "y");
  const std::optional<int64_t> w = builder.addArgument({"w", "tensor<?xf32>", ""}, messages);
  ASSERT_TRUE(w);
  EXPECT_FALSE(builder.addArgument({"v", "tensor<", ""}, messages));
  EXPECT_FALSE(builder.inlineFunction("predict", messages)) << "in itself";
  ASSERT_TRUE(builder.endFunction({{"y", open->outputs[0].second}, {"w", *w}}, messages));
  ASSERT_TRUE(builder.verify(messages)) << what();
  // What it computes is computed of arguments of the same names and types.
  ASSERT_TRUE(builder.beginFunction("none", "other", {{"x", "tensor<?x4xf32>", ""}}, {}, messages));
  EXPECT_FALSE(builder.inlineFunction("predict", messages));
  EXPECT_THAT(messages.messages().back().what, HasSubstr("@predict has an argument that @none has not"));
  builder.abandon();
  ASSERT_TRUE(
      builder.beginFunction("all", "other", {{"w", "tensor<?xf32>", ""}, {"x", "tensor<?x4xf32>", ""}}, {}, messages));
  const std::optional<ModuleBuilder::NamedValues> inlined = builder.inlineFunction("predict", messages);
  ASSERT_TRUE(inlined) << what();
  EXPECT_EQ(inlined->front().first, "y");
  ASSERT_TRUE(builder.endFunction(*inlined, messages));
  ASSERT_TRUE(builder.verify(messages)) << what();
  EXPECT_THAT(builder.text(/*origins=*/false), HasSubstr("df.function @all"));
}

TEST_F(ModuleBuilderTest, BeginsWithASpec) {
  const std::string spec = R"(
    input { csv { header: true } column { name: "x" dtype: FLOAT32 } column { name: "y" dtype: FLOAT32 } }
    feature_column { numeric { key: "x" } }
    model { linear { feature_columns: "x" } }
    head { label: "y" regression {} })";
  ASSERT_TRUE(builder.importSpec(spec, "plane.pbtxt", /*tellsLoss=*/false, messages)) << what();
  EXPECT_FALSE(builder.importSpec(spec, "plane.pbtxt", false, messages)) << "into a module that is not empty";
  EXPECT_THAT(*builder.textAttribute("mlc.manifest"), HasSubstr("\"columns\""));
  EXPECT_FALSE(builder.textAttribute("mlc.nothing"));
  std::optional<ModuleBuilder::OpenFunction> open = builder.reopenFunction("eval_update", messages);
  ASSERT_TRUE(open) << what();
  EXPECT_EQ(open->arguments.size(), 2u);
  EXPECT_TRUE(open->outputs.empty());
  ASSERT_TRUE(builder.inlineFunction("predict", messages)) << what();
  ASSERT_TRUE(builder.endFunction(open->outputs, messages));
  ASSERT_TRUE(builder.declare("df.variable",
                              "{sym_name = \"w\", type = tensor<f32>, initializer = #df.constant<0.0>, trainable}", {},
                              messages));
  EXPECT_TRUE(builder.verify(messages)) << what();
  ModuleBuilder telling;
  common::MessageList none;
  ASSERT_TRUE(telling.importSpec(spec, "plane.pbtxt", /*tellsLoss=*/true, none));
  std::optional<ModuleBuilder::OpenFunction> told = telling.reopenFunction("eval_update", none);
  ASSERT_TRUE(told);
  ASSERT_EQ(told->outputs.size(), 1u);
  EXPECT_EQ(told->outputs.front().first, "fetch/loss");
  ModuleBuilder other;
  common::MessageList found;
  EXPECT_FALSE(other.importSpec("model { lineal {} }", "bad.pbtxt", false, found));
  ASSERT_FALSE(found.messages().empty());
  EXPECT_THAT(found.messages().front().what, HasSubstr("needs 'input'"));
  EXPECT_EQ(found.messages().front().place.file, "bad.pbtxt");
}

TEST_F(ModuleBuilderTest, RefusesFunctionsInFunctionsAndUnknownRoles) {
  EXPECT_FALSE(builder.beginFunction("f", "trian", {}, {}, messages));
  EXPECT_THAT(what(), HasSubstr("trian"));
  begin();
  EXPECT_FALSE(builder.beginFunction("g", "train", {}, {}, messages));
  EXPECT_FALSE(builder.endRegion("df.yield", {}, {}, messages));
}
