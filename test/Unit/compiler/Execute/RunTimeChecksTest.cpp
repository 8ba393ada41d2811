// Indices, ranges, shapes and conditions that fail at run time: compiled code ends with an error that names the op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompiledModule.h"
#include "Reference.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::State;
using interp::Tensor;
using testing::HasSubstr;

static constexpr char kCpu[] = "x86-64-v3";

namespace {
/// A function of %x, [rows, 4] of f32 (rows = 3), and %i, an i64 vector, and the values of %i that fail and that do
/// not.
struct Check {
  const char *name;
  int64_t length;
  /// Of the argument %i the element type and the body, which ends with the result %y.
  const char *body, *result;
  std::vector<int64_t> bad, good;
  /// What the error says.
  const char *message;
};

void PrintTo(const Check &check, std::ostream *os) { *os << check.name; }
} // namespace

// %k: the positive elements of %i, which is [3].
#define MASKED                                                                                                         \
  "%none = df.constant dense<0> : tensor<3xi64>\n"                                                                     \
  "  %positive = df.compare gt, %i, %none : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>\n"                          \
  "  %ids = df.boolean_mask %i, %positive : (tensor<3xi64>, tensor<3xi1>) -> tensor<?xi64>\n"                          \
  "  %k = df.cast %ids : (tensor<?xi64>) -> tensor<?xf32>\n"

// The ids of the rows 1 and 2, and of `count` rows of `left`.
#define MERGED(left, count)                                                                                            \
  "%ids = df.constant dense<[1, 2]> : tensor<2xi64>\n  %two = df.constant dense<2> : tensor<i64>\n"                    \
  "  %rows = df.constant dense<1.0> : tensor<2x4xf32>\n"                                                               \
  "  %y, %g, %n = df.merge_rows " left ", %rows, " count ", %ids, %rows, %two, %ids : (tensor<2xi64>, "                \
  "tensor<2x4xf32>, tensor<i64>, tensor<2xi64>, tensor<2x4xf32>, tensor<i64>, tensor<2xi64>) -> (tensor<2xi64>, "      \
  "tensor<2x4xf32>, tensor<i64>)"

static const Check kChecks[] = {
    {"gather",
     2,
     "%y = df.gather %x, %i {axes = array<i64: 0>} : (tensor<?x4xf32>, tensor<2xi64>) -> "
     "tensor<2x4xf32>",
     "tensor<2x4xf32>",
     {2, 3},
     {2, 0},
     "'df.gather'"},
    {"gather_far",
     1,
     "%y = df.gather %x, %i {axes = array<i64: 0>, skip_negative} : (tensor<?x4xf32>, "
     "tensor<1xi64>) -> tensor<1x4xf32>",
     "tensor<1x4xf32>",
     {int64_t(1) << 40},
     {-7},
     "'df.gather'"},
    {"scatter",
     1,
     "%u = df.constant dense<1.0> : tensor<1x4xf32>\n"
     "  %y = df.scatter add %x, %i, %u {axes = array<i64: 0>} : (tensor<?x4xf32>, "
     "tensor<1xi64>, tensor<1x4xf32>) -> tensor<?x4xf32>",
     "tensor<?x4xf32>",
     {-1},
     {2},
     "'df.scatter'"},
    {"dynamic_slice",
     2,
     "%y = df.dynamic_slice %x, %i : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<2x2xf32>",
     "tensor<2x2xf32>",
     {2, 0},
     {1, 2},
     "'df.dynamic_slice'"},
    {"dynamic_update_slice",
     2,
     "%u = df.constant dense<1.0> : tensor<2x2xf32>\n"
     "  %y = df.dynamic_update_slice %x, %u, %i : (tensor<?x4xf32>, tensor<2x2xf32>, tensor<2xi64>) -> tensor<?x4xf32>",
     "tensor<?x4xf32>",
     {0, 3},
     {1, 2},
     "'df.dynamic_update_slice'"},
    {"dynamic_broadcast",
     2,
     "%b = df.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
     "  %y = df.dynamic_broadcast %b, %i {dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<2xi64>) -> "
     "tensor<4x2xf32>",
     "tensor<4x2xf32>",
     {3, 2},
     {4, 2},
     "'df.dynamic_broadcast'"},
    {"dynamic_reshape",
     2,
     "%y = df.dynamic_reshape %x, %i : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<6x2xf32>",
     "tensor<6x2xf32>",
     {6, 3},
     {-1, 2},
     "'df.dynamic_reshape'"},
    {"require",
     1,
     "%zero = df.constant dense<0> : tensor<1xi64>\n"
     "  %positive = df.compare gt, %i, %zero : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>\n"
     "  %ok = df.reshape %positive : (tensor<1xi1>) -> tensor<i1>\n"
     "  df.require %ok, \"must be positive\" : tensor<i1>\n"
     "  %y = df.neg %x : tensor<?x4xf32>",
     "tensor<?x4xf32>",
     {0},
     {1},
     "must be positive"},
    {"gather_rows",
     2,
     "%y = df.gather %x, %i {axes = array<i64: 0>, skip_negative} : (tensor<?x4xf32>, tensor<2xi64>) -> "
     "tensor<2x4xf32>",
     "tensor<2x4xf32>",
     {2, 3},
     {2, -1},
     "'df.gather'"},
    {"label",
     3,
     "%x3 = df.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: -1, 3>} : (tensor<?x4xf32>) -> tensor<?x3xf32>\n"
     "  %one = df.constant dense<1> : tensor<3xi64>\n"
     "  %same = df.gather %x3, %one {axes = array<i64: 0>} : (tensor<?x3xf32>, "
     "tensor<3xi64>) -> tensor<3x3xf32>\n"
     "  %y = df.softmax_cross_entropy %same, %i : (tensor<3x3xf32>, tensor<3xi64>) -> tensor<3xf32>",
     "tensor<3xf32>",
     {0, 2, 3},
     {2, 2, 2},
     "'df.softmax_cross_entropy'"},
    {"negative_label",
     1,
     "%logits = df.constant dense<[[0.0, 0.0]]> : tensor<1x2xf32>\n"
     "  %y = df.softmax_cross_entropy %logits, %i : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<1xf32>",
     "tensor<1xf32>",
     {-1},
     {1},
     "'df.softmax_cross_entropy'"},
    {"row_ids",
     2,
     "%n = df.constant dense<2> : tensor<i64>\n  %g = df.constant dense<1.0> : tensor<2x4xf32>\n"
     "  %r = df.pack_rows %i, %g, %n : (tensor<2xi64>, tensor<2x4xf32>, tensor<i64>) -> !df.rows<tensor<5x4xf32>>\n"
     "  %y = df.densify_rows %r : (!df.rows<tensor<5x4xf32>>) -> tensor<5x4xf32>",
     "tensor<5x4xf32>",
     {1, 5},
     {1, 4},
     "'df.update_rows'"},
    {"row_ids_that_do_not_ascend",
     2,
     "%n = df.constant dense<2> : tensor<i64>\n  %g = df.constant dense<1.0> : tensor<2x4xf32>\n"
     "  %r = df.pack_rows %i, %g, %n : (tensor<2xi64>, tensor<2x4xf32>, tensor<i64>) -> !df.rows<tensor<5x4xf32>>\n"
     "  %y = df.densify_rows %r : (!df.rows<tensor<5x4xf32>>) -> tensor<5x4xf32>",
     "tensor<5x4xf32>",
     {3, 3},
     {0, 3},
     "'df.update_rows'"},
    {"row_count",
     1,
     "%n = df.reshape %i : (tensor<1xi64>) -> tensor<i64>\n  %g = df.constant dense<1.0> : tensor<2x4xf32>\n"
     "  %ids = df.constant dense<[1, 2]> : tensor<2xi64>\n"
     "  %r = df.pack_rows %ids, %g, %n : (tensor<2xi64>, tensor<2x4xf32>, tensor<i64>) -> !df.rows<tensor<5x4xf32>>\n"
     "  %y = df.densify_rows %r : (!df.rows<tensor<5x4xf32>>) -> tensor<5x4xf32>",
     "tensor<5x4xf32>",
     {3},
     {2},
     "'df.update_rows'"},
    {"groups",
     3,
     "%n = df.constant dense<1> : tensor<i64>\n  %ends = df.constant dense<3> : tensor<3xi64>\n"
     "  %v = df.constant dense<1.0> : tensor<3x4xf32>\n"
     "  %s = df.group_sum %v, %ends, %i, %n : (tensor<3x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<i64>) -> "
     "tensor<3x4xf32>\n"
     "  %y = df.slice %s {starts = array<i64: 0, 0>, sizes = array<i64: 1, 4>} : (tensor<3x4xf32>) -> tensor<1x4xf32>",
     "tensor<1x4xf32>",
     {0, 1, 3},
     {2, 1, 0},
     "'df.group_sum'"},
    {"group_ends",
     3,
     "%n = df.constant dense<2> : tensor<i64>\n  %order = df.constant dense<[2, 0, 1]> : tensor<3xi64>\n"
     "  %v = df.constant dense<1.0> : tensor<3x4xf32>\n"
     "  %s = df.group_sum %v, %i, %order, %n : (tensor<3x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<i64>) -> "
     "tensor<3x4xf32>\n"
     "  %y = df.slice %s {starts = array<i64: 0, 0>, sizes = array<i64: 2, 4>} : (tensor<3x4xf32>) -> tensor<2x4xf32>",
     "tensor<2x4xf32>",
     {2, 4, 0},
     {2, 3, 0},
     "'df.group_sum'"},
    {"group_count",
     1,
     "%n = df.reshape %i : (tensor<1xi64>) -> tensor<i64>\n  %order = df.constant dense<[2, 0, 1]> : tensor<3xi64>\n"
     "  %ends = df.constant dense<[1, 2, 3]> : tensor<3xi64>\n  %v = df.constant dense<1.0> : tensor<3x4xf32>\n"
     "  %s = df.group_sum %v, %ends, %order, %n : (tensor<3x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<i64>) -> "
     "tensor<3x4xf32>\n"
     "  %y = df.slice %s {starts = array<i64: 0, 0>, sizes = array<i64: 3, 4>} : (tensor<3x4xf32>) -> tensor<3x4xf32>",
     "tensor<3x4xf32>",
     {4},
     {3},
     "'df.group_sum'"},
    // The union must fit into the rows of `like`.
    {"merge_beyond_like", 2, MERGED("%i", "%two"), "tensor<2xi64>", {1, 5}, {1, 2}, "'df.merge_rows'"},
    {"merge_ids_that_do_not_ascend", 2, MERGED("%i", "%two"), "tensor<2xi64>", {2, 1}, {1, 2}, "'df.merge_rows'"},
    {"merge_of_negative_ids", 2, MERGED("%i", "%two"), "tensor<2xi64>", {-1, 2}, {1, 2}, "'df.merge_rows'"},
    {"merge_count",
     1,
     "%number = df.reshape %i : (tensor<1xi64>) -> tensor<i64>\n  " MERGED("%ids", "%number"),
     "tensor<2xi64>",
     {3},
     {2},
     "'df.merge_rows'"},
    {"segment_ends",
     2,
     "%y = df.ragged_reduce sum %x, %i : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>",
     "tensor<2x4xf32>",
     {4, 3},
     {1, 3},
     "'df.ragged_reduce'"},
    {"segment_ends_of_repeat",
     2,
     "%r = df.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
     "  %s = df.reduce_max %x {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>\n"
     "  %y = df.ragged_repeat %r, %i like %s : (tensor<2xf32>, tensor<2xi64>, tensor<?xf32>) -> tensor<?xf32>",
     "tensor<?xf32>",
     {1, 2},
     {0, 3},
     "'df.ragged_repeat'"},
    {"absurd_broadcast",
     2,
     "%b = df.constant dense<1.0> : tensor<f32>\n"
     "  %w = df.dynamic_broadcast %b, %i {dimensions = array<i64>} : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>\n"
     "  %y = df.reduce_sum %w {axes = array<i64: 0, 1>} : (tensor<?x?xf32>) -> tensor<f32>",
     "tensor<f32>",
     {int64_t(1) << 32, int64_t(1) << 32},
     {2, 3},
     "'df.dynamic_broadcast'"},
    {"absurd_reshape",
     2,
     "%none = df.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: -1, 0>} : (tensor<?x4xf32>) -> "
     "tensor<?x0xf32>\n"
     "  %y = df.dynamic_reshape %none, %i : (tensor<?x0xf32>, tensor<2xi64>) -> tensor<?x?xf32>",
     "tensor<?x?xf32>",
     {int64_t(1) << 32, int64_t(1) << 32},
     {5, 0},
     "'df.dynamic_reshape'"},
    {"negative_scan_count",
     1,
     "%n = df.reshape %i : (tensor<1xi64>) -> tensor<i64>\n"
     "  %z = df.constant dense<0.0> : tensor<4xf32>\n"
     "  %s, %y = df.scan (%z) over (%x) count %n : (tensor<4xf32>, tensor<?x4xf32>, tensor<i64>) -> (tensor<4xf32>, "
     "tensor<?x4xf32>) {\n"
     "  ^bb0(%h: tensor<4xf32>, %r: tensor<4xf32>):\n    %a = df.add %h, %r : tensor<4xf32>\n"
     "    df.yield %a, %a : tensor<4xf32>, tensor<4xf32>\n  }",
     "tensor<?x4xf32>",
     {-1},
     {0},
     "'df.scan'"},
    {"scan_count_without_rows",
     1,
     "%n = df.reshape %i : (tensor<1xi64>) -> tensor<i64>\n"
     "  %z = df.constant dense<1.0> : tensor<f32>\n"
     "  %y = df.scan (%z) count %n : (tensor<f32>, tensor<i64>) -> tensor<f32> {\n"
     "  ^bb0(%h: tensor<f32>):\n    %a = df.add %h, %z : tensor<f32>\n    df.yield %a : tensor<f32>\n  }",
     "tensor<f32>",
     {-1},
     {3},
     "'df.scan'"},
    {"rows_of_reshape",
     3,
     MASKED "  %y = df.reshape %k : (tensor<?xf32>) -> tensor<?x2xf32>",
     "tensor<?x2xf32>",
     {1, 2, 3},
     {0, 2, 3},
     "'df.reshape'"},
    {"scan_count",
     1,
     "%n = df.reshape %i : (tensor<1xi64>) -> tensor<i64>\n"
     "  %y = df.scan () over (%x) count %n : (tensor<?x4xf32>, tensor<i64>) -> tensor<?x4xf32> {\n"
     "  ^bb0(%r: tensor<4xf32>):\n    df.yield %r : tensor<4xf32>\n  }",
     "tensor<?x4xf32>",
     {4},
     {3},
     "'df.scan'"},
    {"same_sizes",
     3,
     MASKED "  %s = df.reduce_sum %x {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>\n"
            "  %y = df.add %s, %k : tensor<?xf32>",
     "tensor<?xf32>",
     {1, 0, 3},
     {1, 2, 3},
     "'df.add'"},
    // Sizes that one type knows and another one does not.
    {"known_size_of_operand",
     3,
     MASKED "  %s = df.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>\n"
            "  %y = df.add %k, %s : (tensor<?xf32>, tensor<3xf32>) -> tensor<?xf32>",
     "tensor<?xf32>",
     {1, 0, 3},
     {1, 2, 3},
     "dimension 0 of tensor<?xf32> and dimension 0 of tensor<3xf32> must be equally large"},
    {"known_size_of_result",
     3,
     MASKED "  %y = df.exp %k : (tensor<?xf32>) -> tensor<3xf32>",
     "tensor<3xf32>",
     {1, 0, 3},
     {1, 2, 3},
     "dimension 0 of tensor<?xf32> and dimension 0 of tensor<3xf32> must be equally large"},
    {"known_inner_size",
     3,
     MASKED "  %m = df.reshape %k : (tensor<?xf32>) -> tensor<1x?xf32>\n"
            "  %w = df.constant dense<2.0> : tensor<3x2xf32>\n"
            "  %y = df.matmul %m, %w : (tensor<1x?xf32>, tensor<3x2xf32>) -> tensor<1x2xf32>",
     "tensor<1x2xf32>",
     {1, 0, 3},
     {1, 2, 3},
     "must be equally large"},
    {"known_size_of_condition",
     3,
     MASKED "  %c = df.compare gt, %k, %k : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>\n"
            "  %s = df.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>\n"
            "  %y = df.select %c, %s, %k : (tensor<?xi1>, tensor<3xf32>, tensor<?xf32>) -> tensor<?xf32>",
     "tensor<?xf32>",
     {1, 0, 3},
     {1, 2, 3},
     "must be equally large"},
    {"cast_shape",
     3,
     MASKED "  %y = df.cast_shape %k : tensor<?xf32> to tensor<3xf32>",
     "tensor<3xf32>",
     {1, 0, 3},
     {1, 2, 3},
     "'df.cast_shape'"},
    {"same_inner_sizes",
     3,
     MASKED "  %m = df.reshape %k : (tensor<?xf32>) -> tensor<?x1xf32>\n"
            "  %y = df.matmul %x, %m {transpose_a} : (tensor<?x4xf32>, tensor<?x1xf32>) -> "
            "tensor<4x1xf32>",
     "tensor<4x1xf32>",
     {1, 0, 3},
     {1, 2, 3},
     "'df.matmul'"},
    {"same_rows",
     3,
     MASKED "  %m = df.reshape %k : (tensor<?xf32>) -> tensor<?x1xf32>\n"
            "  %y = df.concat %x, %m {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x5xf32>",
     "tensor<?x5xf32>",
     {0, 0, 3},
     {1, 2, 3},
     "dimension 0 of tensor<?x4xf32> and dimension 0 of tensor<?x1xf32> must be equally large"},
    {"same_rows_as_like",
     3,
     MASKED "  %y = df.broadcast %k like %x dimensions = [0] : (tensor<?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>",
     "tensor<?x4xf32>",
     {1, 0, 3},
     {1, 2, 3},
     "'df.broadcast'"},
    {"window_sizes",
     3,
     MASKED "  %image = df.reshape %k : (tensor<?xf32>) -> tensor<1x?x1xf32>\n"
            "  %s = df.reduce_sum %x {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>\n"
            "  %g = df.reshape %s : (tensor<?xf32>) -> tensor<1x?x1xf32>\n"
            "  %y = df.conv_filter_gradient %image, %g {padding = array<i64: 1, 1>} : (tensor<1x?x1xf32>, "
            "tensor<1x?x1xf32>) -> tensor<3x1x1xf32>",
     "tensor<3x1x1xf32>",
     {1, 0, 3},
     {1, 2, 3},
     "the output does not have the sizes of the windows over the image"},
    {"carried_shape",
     3,
     MASKED "  %two = df.constant dense<2> : tensor<i64>\n"
            "  %y = df.scan (%k) count %two : (tensor<?xf32>, tensor<i64>) -> tensor<?xf32> {\n"
            "  ^bb0(%a: tensor<?xf32>):\n"
            "    %no = df.constant dense<0.0> : tensor<f32>\n"
            "    %one = df.constant dense<1.0> : tensor<f32>\n"
            "    %nones = df.broadcast %no like %a dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>\n"
            "    %ones = df.broadcast %one like %a dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>\n"
            "    %p = df.sub %a, %ones : tensor<?xf32>\n"
            "    %q = df.compare gt, %p, %nones : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>\n"
            "    %b = df.boolean_mask %p, %q : (tensor<?xf32>, tensor<?xi1>) -> tensor<?xf32>\n"
            "    df.yield %b : tensor<?xf32>\n  }",
     "tensor<?xf32>",
     {1, 2, 3},
     {3, 4, 5},
     "'df.scan'"},
    {"runaway",
     1,
     "%n = df.reshape %i : (tensor<1xi64>) -> tensor<i64>\n"
     "  %zero = df.constant dense<0> : tensor<i64>\n  %one = df.constant dense<1> : tensor<i64>\n"
     "  %k, %y = df.while (%zero, %x) {max_iterations = 5 : i64, must_end} : (tensor<i64>, tensor<?x4xf32>) -> "
     "(tensor<i64>, tensor<?x4xf32>) {\n  ^bb0(%a: tensor<i64>, %b: tensor<?x4xf32>):\n"
     "    %go = df.compare lt, %a, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>\n    df.condition %go : tensor<i1>\n"
     "  } do {\n  ^bb0(%a: tensor<i64>, %b: tensor<?x4xf32>):\n    %c = df.add %a, %one : tensor<i64>\n"
     "    %d = df.add %b, %b : tensor<?x4xf32>\n    df.yield %c, %d : tensor<i64>, tensor<?x4xf32>\n  }",
     "tensor<?x4xf32>",
     {6},
     {5},
     "did not end within 5 iterations"}};

/// A check, and what it is compiled for.
class RunTimeChecks : public testing::TestWithParam<std::tuple<Check, const char *>> {};

TEST_P(RunTimeChecks, EndTheStep) {
  const auto &[check, place] = GetParam();
  std::string vector = "tensor<" + std::to_string(check.length) + "xi64>";
  std::string text = "df.function @f(%x: tensor<?x4xf32> {df.name = \"x\"}, %i: " + vector +
                     " {df.name = \"i\"}) -> (" + check.result + " {df.name = \"y\"}) {\n  " + check.body +
                     "\n  df.return %y : " + check.result + "\n}\n";
  auto compiled = CompiledModule::create(text, place);
  auto onHost = place == kCuda ? CompiledModule::create(text, kCpu) : nullptr;
  auto reference = Reference::create(text);
  ASSERT_TRUE(compiled && reference && (onHost || place == kCpu));
  EntryCall call;
  call.entry = "f";
  call.rows = 3;
  Tensor x(ElementKind::F32, {3, 4});
  for (int64_t i = 0; i < 12; ++i)
    x.setFloat(i, static_cast<double>(i));
  call.features["x"] = x;
  State state;
  for (bool isGood : {false, true}) {
    call.features["i"] = Tensor::ofIntegers(ElementKind::I64, {check.length}, isGood ? check.good : check.bad);
    FakeServices services(compiled->artifact(), {});
    EntryResult found = compiled->run(call, state, services), expected = reference->run(call, state);
    if (isGood) {
      EXPECT_EQ(found.code, MLCRT_OK);
      EXPECT_TRUE(expected.outputs.at("y").identical(found.outputs.at("y")));
      continue;
    }
    EXPECT_NE(expected.code, MLCRT_OK);
    EXPECT_EQ(found.code, MLCRT_INVALID_ARGUMENT);
    ASSERT_EQ(services.getErrors().size(), 1u);
    EXPECT_THAT(services.getErrors()[0].message, HasSubstr(check.message));
    EXPECT_EQ(services.getErrors()[0].row, -1);
    if (!onHost)
      continue;
    FakeServices ofHost(onHost->artifact(), {});
    EXPECT_EQ(onHost->run(call, state, ofHost).code, found.code);
    EXPECT_EQ(withoutFile(services.getErrors()[0].message), withoutFile(ofHost.getErrors()[0].message));
  }
}

static std::string nameOf(const testing::TestParamInfo<RunTimeChecks::ParamType> &info) {
  return std::get<0>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Ops, RunTimeChecks, testing::Combine(testing::ValuesIn(kChecks), testing::Values(kCpu)),
                         nameOf);
// Where a kernel finds the error the message is the CPU's.
INSTANTIATE_TEST_SUITE_P(Emulated, RunTimeChecks, testing::Combine(testing::ValuesIn(kChecks), testing::Values(kCuda)),
                         nameOf);
