// Rows given as arrays.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/ArrayRows.h"
#include "ExportFixture.h"
#include "runtime/src/export/CallPool.h"

using namespace mlcrt;
using testing::HasSubstr;

class ArrayRowsTest : public ExportFixture {
protected:
  void SetUp() override {
    ExportFixture::SetUp();
    auto model = loadExport(exportModel());
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
  }
  static StoredArray x(const std::vector<float> &cells) {
    StoredArray array;
    array.name = "x";
    array.shape = {static_cast<int64_t>(cells.size()) / 3, 3};
    array.elementBytes = sizeof(float);
    array.bytes = {reinterpret_cast<const char *>(cells.data()), cells.size() * sizeof(float)};
    return array;
  }
  static StoredArray key(const std::vector<mlcrt_string> &cells) {
    StoredArray array;
    array.name = "key";
    array.dtype = MLCRT_STRING;
    array.shape = {static_cast<int64_t>(cells.size())};
    array.elementBytes = sizeof(mlcrt_string);
    array.texts = cells.data();
    return array;
  }
  /// The output "prediction" of a batch.
  std::vector<float> predictions(const BatchView &view) {
    CallPool calls(model_, /*threads=*/1);
    const CallPool::Taken call = calls.take();
    EXPECT_TRUE(call->runner.run(view, model_.context()).ok());
    const auto *values = static_cast<const float *>(call->runner.output(call->runner.outputIndex("prediction")).data);
    return {values, values + view.rows};
  }

  ExportedModel model_;
};

TEST_F(ArrayRowsTest, AreTheRowsOfARowBuffer) {
  const std::vector<float> cells = {0.1f, 0, 1, -2, 0, 1};
  const std::vector<mlcrt_string> keys = {{"b", 1}, {"c", 1}};
  auto rows = ArrayRows::create(model_, {"features", {x(cells), key(keys)}, nullptr});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->view().rows, 2);
  RowBuffer buffer(model_.layout);
  for (const auto &[numbers, text] : {std::pair("0.1|0|1", "b"), std::pair("-2|0|1", "c")}) {
    buffer.addRow();
    ASSERT_TRUE(buffer.setCell(model_.layout->find("x"), numbers).ok());
    ASSERT_TRUE(buffer.setCell(model_.layout->find("key"), text).ok());
  }
  BatchView expected;
  ASSERT_TRUE(buffer.finish(expected).ok());
  EXPECT_EQ(predictions(rows->view()), predictions(expected));
}

TEST_F(ArrayRowsTest, RefusesWhatDoesNotFit) {
  const std::vector<float> cells = {0.1f, 0, 1, -2, 0, 1};
  const std::vector<mlcrt_string> keys = {{"b", 1}};
  auto refusal = [&](std::vector<StoredArray> arrays) {
    return std::string(ArrayRows::create(model_, {"features", std::move(arrays), nullptr}).status().message());
  };
  EXPECT_THAT(refusal({key(keys)}), HasSubstr("'x'"));
  EXPECT_THAT(refusal({x(cells), key(keys)}), HasSubstr("array 'key' has 1 examples, expected 2"));
  StoredArray flat = x(cells);
  flat.shape = {6};
  EXPECT_THAT(refusal({flat, key(keys)}), HasSubstr("array 'x' is f32[6], expected f32[?, 3]"));
}
