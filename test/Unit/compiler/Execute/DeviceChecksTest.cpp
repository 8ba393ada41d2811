// Steps whose checks a GPU runs: the error is the CPU's, and a failed step changes no bit of the state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompiledModule.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::State;
using interp::Tensor;

namespace {
/// A training step of @f on the ids %i, [rows] of i64, that updates its state: variables, declared by `variables`.
struct Step {
  const char *name;
  const char *variables, *body;
  std::vector<std::pair<const char *, Tensor>> state;
  /// Ids of three rows: those that fail.
  std::vector<std::vector<int64_t>> bad;
  bool isCaptured = true;
};

void PrintTo(const Step &step, std::ostream *os) { *os << step.name; }

Tensor numbers(llvm::ArrayRef<int64_t> shape) {
  Tensor tensor(ElementKind::F32, shape);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setFloat(i, 0.5 - static_cast<double>(i % 7) / 8);
  return tensor;
}

class DeviceChecks : public testing::TestWithParam<Step> {
protected:
  static EntryCall callOf(const std::vector<int64_t> &ids) {
    EntryCall call;
    call.entry = "train";
    call.rows = static_cast<int64_t>(ids.size());
    call.features["id"] = Tensor::ofIntegers(ElementKind::I64, {call.rows}, ids);
    return call;
  }
  static State stateOf(const Step &step) {
    State state;
    for (const auto &[name, value] : step.state)
      state.set(name, value);
    return state;
  }
  static void expectSame(const Step &step, const State &expected, const State &found) {
    for (const auto &[name, value] : step.state) {
      llvm::ArrayRef<char> x = expected.lookup(name)->getBytes(), y = found.lookup(name)->getBytes();
      ASSERT_EQ(x.size(), y.size());
      EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size()), 0) << name;
    }
  }
};
} // namespace

// Ids that a step computes: one more than what it is given.
#define SHIFTED                                                                                                        \
  "%one = df.constant dense<1> : tensor<i64>\n"                                                                        \
  "  %ones = df.broadcast %one like %id dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>\n"             \
  "  %i = df.add %id, %ones : tensor<?xi64>\n"

// The mean of the squares of the elements of %y, and its gradients.
#define LOSS(type)                                                                                                     \
  "%squares = df.square %y : " type "\n"                                                                               \
  "  %loss = df.reduce_mean %squares {axes = array<i64: 0>} : (" type ") -> tensor<f32>\n"

// State, and the loss added to it.
#define HELD "df.variable @w : tensor<9xf32> = #df.constant<0.0>"
#define KEPT                                                                                                           \
  "  %w = df.read @w : tensor<9xf32>\n"                                                                                \
  "  %ls = df.broadcast %loss like %w dimensions = [] : (tensor<f32>, tensor<9xf32>) -> tensor<9xf32>\n"               \
  "  %next = df.add %w, %ls : tensor<9xf32>\n  df.assign @w, %next : tensor<9xf32>"

// Halves of the computed ids, which are 1, 2 and 3 where all is right, and the ids as numbers.
#define HALVES                                                                                                         \
  SHIFTED "  %two = df.constant dense<2> : tensor<i64>\n"                                                              \
          "  %twos = df.broadcast %two like %id dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>\n"     \
          "  %e = df.floor_div %i, %twos : tensor<?xi64>\n  %f = df.cast %i : (tensor<?xi64>) -> tensor<?xf32>\n"

static const Step kSteps[] = {
    {"dense",
     "df.variable @w : tensor<9xf32> = #df.constant<0.0> {trainable}\n  df.variable @steps : tensor<i64> = "
     "#df.constant<0.0>",
     "%w = df.read @w : tensor<9xf32>\n" SHIFTED
     "  %y = df.gather %w, %i {axes = array<i64: 0>} : (tensor<9xf32>, tensor<?xi64>) -> tensor<?xf32>\n" LOSS(
         "tensor<?xf32>") "  %g = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<9xf32>\n"
                          "  %n = df.sub %w, %g : tensor<9xf32>\n  df.assign @w, %n : tensor<9xf32>\n"
                          "  df.assign_add @steps, %one : tensor<i64>",
     {{"w", numbers({9})}, {"steps", Tensor::scalar(int64_t{4})}},
     {{1, 8, 2}, {-2, 3, 8}, {int64_t{1} << 62, 0, 0}}},
    {"rows",
     "df.variable @t : tensor<9x4xf32> = #df.constant<0.0> {trainable}\n  df.variable @a : tensor<9x4xf32> = "
     "#df.constant<0.0>",
     SHIFTED "  %x = df.read_rows @t[%i] : (tensor<?xi64>) -> tensor<?x4xf32>\n"
             "  %y = df.reduce_sum %x {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>\n" LOSS(
                 "tensor<?xf32>") "  %g = df.gradients %loss wrt [@t] : (tensor<f32>) -> !df.rows<tensor<9x4xf32>>\n"
                                  "  df.apply_rows [@t, @a], %g : !df.rows<tensor<9x4xf32>> {\n"
                                  "  ^bb0(%w: tensor<4xf32>, %s: tensor<4xf32>, %d: tensor<4xf32>):\n"
                                  "    %m = df.add %s, %d : tensor<4xf32>\n    %n = df.sub %w, %m : tensor<4xf32>\n"
                                  "    df.yield %n, %m : tensor<4xf32>, tensor<4xf32>\n  }",
     {{"t", numbers({9, 4})}, {"a", numbers({9, 4})}},
     {{1, 8, 2}, {40, 8, 8}}},
    {"histogram",
     "df.variable @h : tensor<9xf32> = #df.constant<0.0>",
     "%h = df.read @h : tensor<9xf32>\n" SHIFTED "  %f = df.cast %i : (tensor<?xi64>) -> tensor<?xf32>\n"
     "  %n = df.scatter add %h, %i, %f {axes = array<i64: 0>} : (tensor<9xf32>, tensor<?xi64>, tensor<?xf32>) -> "
     "tensor<9xf32>\n  df.assign @h, %n : tensor<9xf32>\n"
     "  %loss = df.reduce_sum %f {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>",
     {{"h", numbers({9})}},
     {{1, 8, 2}, {-2, 0, 0}}},
    {"division",
     "df.variable @n : tensor<i64> = #df.constant<0.0>",
     "%n = df.read @n : tensor<i64>\n" SHIFTED
     "  %ns = df.broadcast %n like %i dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>\n"
     "  %q = df.floor_div %ns, %i : tensor<?xi64>\n"
     "  %sum = df.reduce_sum %q {axes = array<i64: 0>} : (tensor<?xi64>) -> tensor<i64>\n"
     "  df.assign @n, %sum : tensor<i64>\n  %loss = df.cast %sum : (tensor<i64>) -> tensor<f32>",
     {{"n", Tensor::scalar(int64_t{700})}},
     {{1, -1, 2}}},
    // What a check needs is updated before it.
    {"needed",
     "df.variable @at : tensor<i64> = #df.constant<0.0>\n  df.variable @w : tensor<9xf32> = #df.constant<0.0>",
     "%w = df.read @w : tensor<9xf32>\n" SHIFTED
     "  %most = df.reduce_max %i {axes = array<i64: 0>} : (tensor<?xi64>) -> tensor<i64>\n"
     "  %at = df.read @at : tensor<i64>\n  %to = df.add %at, %most : tensor<i64>\n  df.assign @at, %to : tensor<i64>\n"
     "  %one_of = df.reshape %to : (tensor<i64>) -> tensor<1xi64>\n"
     "  %x = df.gather %w, %one_of {axes = array<i64: 0>} : (tensor<9xf32>, tensor<1xi64>) -> tensor<1xf32>\n"
     "  %loss = df.reshape %x : (tensor<1xf32>) -> tensor<f32>\n"
     "  %xs = df.broadcast %loss like %w dimensions = [] : (tensor<f32>, tensor<9xf32>) -> tensor<9xf32>\n"
     "  %n = df.add %w, %xs : tensor<9xf32>\n  df.assign @w, %n : tensor<9xf32>",
     {{"at", Tensor::scalar(int64_t{2})}, {"w", numbers({9})}},
     {{5, 6, 7}}},
    // Each iteration checks; the first that fails is told.
    {"loop",
     "df.variable @w : tensor<9xf32> = #df.constant<0.0>",
     "%w = df.read @w : tensor<9xf32>\n" SHIFTED
     "  %three = df.constant dense<3> : tensor<i64>\n  %zero = df.constant dense<0.0> : tensor<f32>\n"
     "  %last, %loss = df.scan (%i, %zero) count %three : (tensor<?xi64>, tensor<f32>, tensor<i64>) -> (tensor<?xi64>, "
     "tensor<f32>) {\n  ^bb0(%k: tensor<?xi64>, %s: tensor<f32>):\n"
     "    %y = df.gather %w, %k {axes = array<i64: 0>} : (tensor<9xf32>, tensor<?xi64>) -> tensor<?xf32>\n"
     "    %sum = df.reduce_sum %y {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>\n"
     "    %next = df.add %s, %sum : tensor<f32>\n    %j = df.add %k, %ones : tensor<?xi64>\n"
     "    df.yield %j, %next : tensor<?xi64>, tensor<f32>\n  }\n"
     "  %ls = df.broadcast %loss like %w dimensions = [] : (tensor<f32>, tensor<9xf32>) -> tensor<9xf32>\n"
     "  %n = df.add %w, %ls : tensor<9xf32>\n  df.assign @w, %n : tensor<9xf32>",
     {{"w", numbers({9})}},
     {{1, 6, 2}, {8, 0, 7}}},
    {"groups",
     HELD,
     HALVES "  %order = df.sub %e, %ones : tensor<?xi64>\n  %n = df.constant dense<3> : tensor<i64>\n"
            "  %v = df.reshape %f : (tensor<?xf32>) -> tensor<?x1xf32>\n"
            "  %s = df.group_sum %v, %e, %order, %n : (tensor<?x1xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> "
            "tensor<?x1xf32>\n  %loss = df.reduce_sum %s {axes = array<i64: 0, 1>} : (tensor<?x1xf32>) -> "
            "tensor<f32>\n" KEPT,
     {{"w", numbers({9})}},
     {{1, 3, 7}, {1, 1, 5}, {-3, 3, 5}}},
    {"ends",
     HELD,
     HALVES "  %s = df.ragged_reduce sum %f, %e : (tensor<?xf32>, tensor<?xi64>) -> tensor<?xf32>\n"
            "  %y = df.ragged_repeat %s, %e like %f : (tensor<?xf32>, tensor<?xi64>, tensor<?xf32>) -> "
            "tensor<?xf32>\n  " LOSS("tensor<?xf32>") KEPT,
     {{"w", numbers({9})}},
     {{1, 3, 3}, {3, 1, 5}, {1, 3, 7}, {-3, 3, 5}}},
    // Ids of both sides are those of three rows, which the union has room for.
    {"merge",
     HELD,
     HALVES
     "  %up = df.add %i, %ones : tensor<?xi64>\n  %j = df.floor_div %up, %twos : tensor<?xi64>\n"
     "  %n = df.constant dense<3> : tensor<i64>\n  %v = df.reshape %f : (tensor<?xf32>) -> tensor<?x1xf32>\n"
     "  %u, %g, %m = df.merge_rows %e, %v, %n, %j, %v, %n, %j : (tensor<?xi64>, tensor<?x1xf32>, tensor<i64>, "
     "tensor<?xi64>, tensor<?x1xf32>, tensor<i64>, tensor<?xi64>) -> (tensor<?xi64>, tensor<?x1xf32>, "
     "tensor<i64>)\n  %loss = df.reduce_sum %g {axes = array<i64: 0, 1>} : (tensor<?x1xf32>) -> tensor<f32>\n" KEPT,
     {{"w", numbers({9})}},
     {{3, 1, 5}, {-3, 1, 3}, {2, 3, 5}, {1, 3, 6}}}};

TEST_P(DeviceChecks, ChangeNothingWhereTheyFail) {
  const Step &step = GetParam();
  const std::string text = std::string("module {\n  ") + step.variables +
                           "\n  df.function @train(%id: tensor<?xi64> {df.name = \"id\"}) -> (tensor<f32> {df.name = "
                           "\"loss\"}) attributes {role = #df.role<train>} {\n  " +
                           step.body + "\n  df.return %loss : tensor<f32>\n  }\n}\n";
  auto onDevice = CompiledModule::create(text, kCuda), onHost = CompiledModule::create(text, "x86-64-v3");
  ASSERT_TRUE(onDevice && onHost);
  const mlcrt_entry *entry = onDevice->lookup("train");
  ASSERT_TRUE(entry);
  for (int32_t s = 0; s < entry->num_segments; ++s)
    if (entry->segments[s].kind == MLCRT_SEGMENT_STEP)
      EXPECT_EQ((entry->segments[s].flags & MLCRT_SEGMENT_CAPTURABLE) != 0, step.isCaptured) << entry->segments[s].name;
  for (const std::vector<int64_t> &bad : step.bad) {
    SCOPED_TRACE(testing::PrintToString(bad));
    State found = stateOf(step), ofHost = stateOf(step);
    FakeServices services(onDevice->artifact(), {}), hostServices(onHost->artifact(), {});
    EXPECT_EQ(onDevice->run(callOf(bad), found, services).code, onHost->run(callOf(bad), ofHost, hostServices).code);
    ASSERT_EQ(services.getErrors().size(), 1u);
    ASSERT_EQ(hostServices.getErrors().size(), 1u);
    EXPECT_EQ(withoutFile(services.getErrors()[0].message), withoutFile(hostServices.getErrors()[0].message));
    expectSame(step, stateOf(step), found);
  }
  const std::vector<int64_t> good = {1, 3, 5};
  State found = stateOf(step), ofHost = stateOf(step);
  EntryResult result = onDevice->run(callOf(good), found), expected = onHost->run(callOf(good), ofHost);
  EXPECT_EQ(result.code, MLCRT_OK);
  EXPECT_EQ(expected.code, MLCRT_OK);
  expectSame(step, ofHost, found);
}

INSTANTIATE_TEST_SUITE_P(Emulated, DeviceChecks, testing::ValuesIn(kSteps),
                         [](const auto &info) { return std::string(info.param.name); });
