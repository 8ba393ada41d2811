// Errors of compiled code with the place of the row in its file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/BatchFeed.h"

#include "TrainerFixture.h"
#include "runtime/src/checkpoint/StatusMessage.h"

using namespace mlcrt;

class BatchFeedTest : public TrainerFixture {};

TEST_F(BatchFeedTest, DataErrorsOfCompiledCodeGetTheirPlace) {
  auto format = parseInputFormat(R"({"csv": {"header": true}, "columns": [{"name": "key", "dtype": "STRING"}]})");
  ASSERT_TRUE(format.ok()) << format.status();
  auto files = resolveFiles({at("train.csv")});
  ASSERT_TRUE(files.ok());
  const TensorSpec key("key", MLCRT_STRING, {MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH)});
  auto dataset = Dataset::open(*files, *format, {key}, DatasetOptions());
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  BatchReader reader(**dataset, BatchOptions());
  Batch batch;
  reader.prepare(batch);
  ASSERT_TRUE(reader.read({0, 0}, batch).ok());

  absl::Status bad = toStatus({MLCRT_DATA_ERROR, 7, "label of head 'y' is odd", "an even one", "key"});
  mlc::common::Message message = messageOf(locate(bad, **dataset, batch));
  EXPECT_EQ(message.code, "E0302");
  EXPECT_EQ(message.place.file, at("train.csv"));
  EXPECT_EQ(message.place.line, 9) << "row 7 stands after the header";
  EXPECT_EQ(message.place.column, 2) << "the field of feature key";
  EXPECT_EQ(message.what, "label of head 'y' is odd");
  EXPECT_EQ(message.expected, "an even one");
  // A row that the batch has not, an error of another kind, and success stay as they are.
  for (const absl::Status &status : {toStatus({MLCRT_DATA_ERROR, 95, "x"}), toStatus({MLCRT_INTERNAL, 7, "x"}),
                                     toStatus({MLCRT_DATA_ERROR, -1, "x"}), absl::OkStatus()})
    EXPECT_EQ(locate(status, **dataset, batch), status);
}
