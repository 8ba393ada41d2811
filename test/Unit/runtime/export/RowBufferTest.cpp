// Rows value by value: what a file's cell would be, is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ListModel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

InputFormat format() {
  auto parsed = parseInputFormat(
      R"({"csv": {}, "missing": ["?"], "columns": [
           {"name": "n", "dtype": "INT64", "default_value": "-7", "strip": "."},
           {"name": "tags", "dtype": "STRING", "multi_value": {"weight_separator": ":", "max_values": 3}}]})");
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return *parsed;
}

std::vector<int64_t> numbers(const TensorView &buffer) {
  const auto *data = static_cast<const int64_t *>(buffer.data);
  return {data, data + buffer.dims[0]};
}
std::vector<std::string> texts(const TensorView &buffer) {
  std::vector<std::string> result;
  for (int64_t i = 0; i < buffer.dims[0]; ++i) {
    const auto &cell = static_cast<const mlcrt_string *>(buffer.data)[i];
    result.emplace_back(cell.data, cell.size);
  }
  return result;
}

} // namespace

TEST(RowBuffer, CellsAndValues) {
  ListModel model;
  InputFormat input = format();
  auto layout = RowLayout::create(model.artifact, model.entry, &input);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_THAT((*layout)->names(), ElementsAre("n", "tags"));
  EXPECT_TRUE((*layout)->isOptional(0)) << "it has a default";
  EXPECT_TRUE((*layout)->isOptional(1)) << "no values are some";
  RowBuffer rows(*layout);
  rows.addRow();
  EXPECT_TRUE(rows.setCell(0, "41.").ok()) << "strip";
  EXPECT_TRUE(rows.setCell(1, "a:0.5|?|b").ok());
  rows.addRow(); // all missing
  rows.addRow();
  const std::string_view values[] = {"x|y:2", "?", "z", "v", "w"};
  const float weights[] = {1, 2, 3, 4, 5};
  EXPECT_TRUE(rows.setValues(1, values, 5, weights).ok());
  const std::string_view mark = "?";
  EXPECT_TRUE(rows.setValues(0, &mark, 1, nullptr).ok());
  BatchView view;
  ASSERT_TRUE(rows.finish(view).ok());
  EXPECT_EQ(view.rows, 3);
  EXPECT_THAT(numbers(view.features[0]), ElementsAre(41, -7, -7));
  EXPECT_THAT(texts(view.features[1]), ElementsAre("a", "b", "x|y:2", "z", "v")) << "not cut, at most three";
  EXPECT_THAT(numbers(view.features[2]), ElementsAre(2, 2, 5));
  const auto *w = static_cast<const float *>(view.features[3].data);
  EXPECT_THAT(std::vector<float>(w, w + 5), ElementsAre(0.5f, 1, 1, 3, 4));
  ASSERT_TRUE(rows.finish(view).ok()) << "twice";
  EXPECT_EQ(view.rows, 3);

  rows.clear();
  rows.addRow();
  EXPECT_TRUE(rows.setCell(1, "p|q").ok());
  EXPECT_TRUE(rows.setCell(1, "r").ok()) << "again";
  ASSERT_TRUE(rows.finish(view).ok());
  EXPECT_THAT(texts(view.features[1]), ElementsAre("r"));
  EXPECT_THAT(numbers(view.features[2]), ElementsAre(1));
}

TEST(RowBuffer, Errors) {
  ListModel model;
  InputFormat input = format();
  auto layout = RowLayout::create(model.artifact, model.entry, &input);
  ASSERT_TRUE(layout.ok()) << layout.status();
  RowBuffer rows(*layout);
  rows.addRow();
  rows.addRow();
  EXPECT_THAT(std::string(rows.setCell(0, "4x").message()),
              HasSubstr("rows: record 2: bad number '4x' in column 'n', expected INT64"));
  EXPECT_THAT(std::string(rows.setCell(0, "99999999999999999999").message()), HasSubstr("out of range"));
  EXPECT_THAT(std::string(rows.setCell(1, "a:b").message()), HasSubstr("bad weight in 'a:b'"));
  const std::string_view value = "a";
  const float bad[] = {1.0f / 0.0f};
  EXPECT_THAT(std::string(rows.setValues(1, &value, 1, bad).message()), HasSubstr("bad weight in column 'tags'"));
  EXPECT_THAT(std::string(rows.setValues(0, &value, 1, bad).message()), HasSubstr("column 'n' has no weights"));
}

TEST(RowBuffer, WithoutAFormatFeaturesAreColumns) {
  ListModel model;
  auto layout = RowLayout::create(model.artifact, model.entry, nullptr);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_THAT((*layout)->names(), ElementsAre("n", "tags"));
  EXPECT_FALSE((*layout)->isOptional(0));
  RowBuffer rows(*layout);
  rows.addRow();
  BatchView view;
  EXPECT_THAT(std::string(rows.finish(view).message()), HasSubstr("missing value in column 'n'"));
}
