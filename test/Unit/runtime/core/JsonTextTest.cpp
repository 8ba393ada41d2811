// Numbers, strings and buffers as JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/JsonText.h"

#include "runtime/src/core/Tensor.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mlcrt;

TEST(JsonText, Numbers) {
  EXPECT_EQ(jsonNumber(0.1f), "0.1");
  EXPECT_EQ(jsonNumber(0.1), "0.1");
  EXPECT_EQ(jsonNumber(int64_t{-5}), "-5");
  EXPECT_EQ(jsonNumber(std::nan("")), "\"NaN\"");
  EXPECT_EQ(jsonNumber(INFINITY), "\"Infinity\"");
  EXPECT_EQ(jsonNumber(-HUGE_VAL), "\"-Infinity\"");
}

TEST(JsonText, Strings) {
  EXPECT_EQ(jsonString("a\"\n\xC3\xA4"), "\"a\\\"\\n\xC3\xA4\"");
  EXPECT_EQ(jsonString("\xFF"), "\"\xEF\xBF\xBD\"") << "no UTF-8";
}

TEST(JsonText, Buffers) {
  float values[] = {1, 2.5f, NAN, -4, 0, 6};
  TensorView buffer = makeBuffer(values, MLCRT_F32, {3, 2});
  EXPECT_EQ(jsonValue(buffer), "[[1,2.5],[\"NaN\",-4],[0,6]]");
  EXPECT_EQ(jsonValue(buffer, 1), "[\"NaN\",-4]");
  EXPECT_EQ(jsonValue(makeBuffer(values, MLCRT_F32, {})), "1");
  EXPECT_EQ(jsonValue(makeBuffer(values, MLCRT_F32, {6}), 1), "2.5");
  mlcrt_string strings[] = {{"<=50K", 5}, {"a\"b", 3}};
  EXPECT_EQ(jsonValue(makeBuffer(strings, MLCRT_STRING, {1, 2}), 0), "[\"<=50K\",\"a\\\"b\"]");
  uint8_t flags[] = {1, 0};
  EXPECT_EQ(jsonValue(makeBuffer(flags, MLCRT_BOOL, {2})), "[true,false]");
  uint64_t large = UINT64_MAX;
  EXPECT_EQ(jsonValue(makeBuffer(&large, MLCRT_U64, {})), "18446744073709551615");
}

TEST(JsonText, HalfPrecision) {
  uint16_t halves[] = {0x3C00, 0xC100, 0x0001, 0x7C00, 0x7E00, 0x8000};
  EXPECT_EQ(jsonValue(makeBuffer(halves, MLCRT_F16, {6})), "[1,-2.5,5.9604645e-08,\"Infinity\",\"NaN\",-0]");
  uint16_t bfloat = 0xC020;
  EXPECT_EQ(jsonValue(makeBuffer(&bfloat, MLCRT_BF16, {})), "-2.5");
  EXPECT_EQ(numberElement(makeBuffer(&bfloat, MLCRT_BF16, {}), 0), -2.5);
}

TEST(JsonText, Objects) {
  EXPECT_EQ(JsonObject().text("event", "x").integer("n", 3).number("f", 0.5).raw("l", "[1]").str(),
            "{\"event\":\"x\",\"n\":3,\"f\":0.5,\"l\":[1]}");
  EXPECT_EQ(JsonObject().str(), "{}");
}
