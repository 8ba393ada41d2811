// Counts that an axis does not hold end a step of compiled code with the op and its place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompiledModule.h"
#include "Reference.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::Tensor;

static const char *const kTopK = R"(
df.function @counted(%x: tensor<?x3xf32> {df.name = "x"}, %k: tensor<i64> {df.name = "k"}) -> (tensor<?xf32> {df.name = "y"}) {
  %v, %p = df.top_k %x, %k : (tensor<?x3xf32>, tensor<i64>) -> (tensor<?x?xf32>, tensor<?x?xi64>)
  %y = df.reduce_sum %v {axes = array<i64: 1>} : (tensor<?x?xf32>) -> tensor<?xf32>
  df.return %y : tensor<?xf32>
}
df.function @rows(%x: tensor<?x3xf32> {df.name = "x"}) -> (tensor<2x3xf32> {df.name = "y"}) {
  %v, %p = df.top_k %x {axis = 0 : i64, k = 2 : i64} : (tensor<?x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  df.return %v : tensor<2x3xf32>
})";

TEST(OrderErrors, EndTheStep) {
  auto compiled = CompiledModule::create(kTopK, "x86-64-v3");
  auto reference = Reference::create(kTopK);
  ASSERT_TRUE(compiled && reference);
  auto check = [&](const std::string &entry, int64_t rows, int64_t k, bool fits) {
    EntryCall call;
    call.entry = entry;
    call.rows = rows;
    call.features["x"] = Tensor(ElementKind::F32, {rows, 3});
    call.features["k"] = Tensor::scalar(k);
    interp::State state;
    FakeServices services(compiled->artifact(), {});
    EXPECT_EQ(reference->run(call, state).code == MLCRT_OK, fits) << entry << " " << k;
    EXPECT_EQ(compiled->run(call, state, services).code, fits ? MLCRT_OK : MLCRT_INVALID_ARGUMENT) << entry << " " << k;
    ASSERT_EQ(services.getErrors().size(), fits ? 0u : 1u);
    if (!fits)
      EXPECT_THAT(services.getErrors()[0].message,
                  testing::AllOf(testing::HasSubstr("'df.top_k' at "),
                                 testing::HasSubstr("takes more elements than the axis has, or fewer than 0")));
  };
  for (int64_t k : {0, 1, 3})
    check("counted", 5, k, true);
  for (int64_t k : {int64_t(4), int64_t(-1), INT64_MIN, INT64_MAX})
    check("counted", 5, k, false);
  check("rows", 2, 0, true);
  check("rows", 1, 0, false);
  check("rows", 0, 0, false);
}
