// Tests of batches: epochs, remainders, states, reused buffers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InputTestSupport.h"
#include "test/Unit/runtime/core/AllocationCount.h"

#include <algorithm>

using namespace mlcrt;
using namespace mlcrt::test;
using testing::ElementsAre;
using testing::HasSubstr;

/// A data set of `rows` rows: column x is the row number, s its text in quotes.
class BatchReaderTest : public testing::Test {
protected:
  void make(int64_t rows, const DatasetOptions &options = {}) {
    std::string text = "x,s\n";
    for (int64_t i = 0; i < rows; ++i)
      text += std::to_string(i) + ",\"\"\"" + std::to_string(i) + "\"\"\"\n";
    format.columns = {column("x", MLCRT_I64), column("s", MLCRT_STRING)};
    auto opened = openAll({dir.write("f.csv", text)}, format, options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    dataset = *std::move(opened);
  }
  std::vector<int64_t> read(BatchReader &reader, ReaderState state, Batch &batch) {
    const absl::Status status = reader.read(state, batch);
    EXPECT_TRUE(status.ok()) << status;
    std::vector<int64_t> rows(values<int64_t>(batch, 0), values<int64_t>(batch, 0) + batch.rows());
    for (size_t i = 0; i < rows.size(); ++i)
      EXPECT_EQ(text(batch, 1, static_cast<int64_t>(i)), "\"" + std::to_string(rows[i]) + "\"");
    EXPECT_EQ(rows, batch.records());
    return rows;
  }

  TemporaryDirectory dir;
  InputFormat format;
  std::unique_ptr<Dataset> dataset;
};

TEST_F(BatchReaderTest, EpochsEndWithAShortBatch) {
  make(10);
  BatchReader reader(*dataset, {4});
  Batch batch;
  reader.prepare(batch);
  EXPECT_EQ(reader.batchesPerEpoch(), 3);
  EXPECT_THAT(read(reader, {0, 0}, batch), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(batch.after(), (ReaderState{0, 4}));
  EXPECT_THAT(read(reader, {0, 8}, batch), ElementsAre(8, 9));
  EXPECT_EQ(batch.columns()[0].dims[0], 2);
  EXPECT_EQ(batch.after(), (ReaderState{1, 0}));
  // A state at the end of an epoch is the start of the next.
  EXPECT_THAT(read(reader, {0, 10}, batch), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(batch.before(), (ReaderState{1, 0}));
}

TEST_F(BatchReaderTest, SkipIsManyTimesNext) {
  make(10);
  for (bool dropRemainder : {false, true}) {
    BatchOptions options{4};
    options.dropRemainder = dropRemainder;
    BatchReader reader(*dataset, options);
    for (int64_t position : {0, 1, 4, 7, 8, 10}) {
      ReaderState state = reader.normalize({2, position});
      for (int64_t batches = 0; batches < 12; ++batches) {
        EXPECT_EQ(reader.skip({2, position}, batches), state) << position << " + " << batches;
        EXPECT_EQ(reader.rowsAt(state), std::min<int64_t>(4, 10 - state.position));
        state = reader.normalize(reader.next(state));
      }
    }
  }
}

TEST_F(BatchReaderTest, ARangeIsReadAsItIs) {
  make(10);
  BatchOptions options{4};
  options.maxRows = 6;
  BatchReader reader(*dataset, options);
  Batch batch;
  reader.prepare(batch);
  ASSERT_TRUE(reader.readRange({1, 3}, 6, batch).ok());
  EXPECT_THAT(batch.records(), ElementsAre(3, 4, 5, 6, 7, 8));
  EXPECT_EQ(batch.after(), (ReaderState{1, 9}));
  for (auto [position, rows] : {std::pair<int64_t, int64_t>{3, 7}, {5, 6}, {3, 0}, {-1, 2}, {10, 1}})
    EXPECT_EQ(reader.readRange({1, position}, rows, batch).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(BatchReaderTest, DropRemainder) {
  make(10);
  BatchOptions options{4};
  options.dropRemainder = true;
  BatchReader reader(*dataset, options);
  Batch batch;
  reader.prepare(batch);
  EXPECT_EQ(reader.batchesPerEpoch(), 2);
  EXPECT_THAT(read(reader, {0, 4}, batch), ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(batch.after(), (ReaderState{1, 0}));
  options.batchSize = 11;
  BatchReader none(*dataset, options);
  none.prepare(batch);
  const absl::Status status = none.read({0, 0}, batch);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(message(status), HasSubstr("batch_size is 11, expected a batch_size of at most 10"));
}

/// A batch has room for the rows there are, not for those it could have.
TEST_F(BatchReaderTest, BatchSizeBeyondTheData) {
  make(10);
  BatchReader reader(*dataset, {int64_t{1} << 31});
  Batch batch;
  reader.prepare(batch);
  EXPECT_EQ(reader.batchesPerEpoch(), 1);
  EXPECT_EQ(read(reader, {0, 0}, batch).size(), 10u);
  EXPECT_EQ(batch.after(), (ReaderState{1, 0}));
}

TEST_F(BatchReaderTest, AnyGlobalBatchAlone) {
  make(1000);
  BatchOptions options{64};
  options.shuffle = true;
  options.seed = 5;
  BatchReader sequential(*dataset, options);
  Batch batch;
  sequential.prepare(batch);
  std::vector<std::vector<int64_t>> all;
  ReaderState state;
  for (int number = 0; number < 40; ++number) {
    EXPECT_EQ(sequential.stateOf(number), state);
    all.push_back(read(sequential, state, batch));
    state = batch.after();
  }
  for (int number = 39; number >= 0; number -= 7) {
    BatchReader other(*dataset, options);
    EXPECT_EQ(read(other, other.stateOf(number), batch), all[static_cast<size_t>(number)]);
  }
  // Each epoch of 16 batches has each row once.
  std::vector<int64_t> epoch;
  for (size_t number = 16; number < 32; ++number)
    epoch.insert(epoch.end(), all[number].begin(), all[number].end());
  std::sort(epoch.begin(), epoch.end());
  for (int64_t i = 0; i < 1000; ++i)
    ASSERT_EQ(epoch[static_cast<size_t>(i)], i);
  EXPECT_NE(all[0], all[16]);
}

TEST_F(BatchReaderTest, ResumeWithAnotherBatchSizeMissesNoRow) {
  make(100);
  BatchOptions options{7};
  options.shuffle = true;
  BatchReader first(*dataset, options);
  options.batchSize = 30;
  BatchReader second(*dataset, options);
  Batch a, b;
  first.prepare(a);
  second.prepare(b);
  std::vector<int64_t> rows;
  ReaderState state;
  for (int i = 0; i < 5; ++i) {
    for (const int64_t row : read(first, state, a))
      rows.push_back(row);
    state = a.after();
  }
  while (state.epoch == 0) {
    for (const int64_t row : read(second, state, b))
      rows.push_back(row);
    state = b.after();
  }
  std::sort(rows.begin(), rows.end());
  ASSERT_EQ(rows.size(), 100u);
  for (int64_t i = 0; i < 100; ++i)
    EXPECT_EQ(rows[static_cast<size_t>(i)], i);
}

TEST_F(BatchReaderTest, SteadyReadingAllocatesNothing) {
  if (!countsAllocations())
    GTEST_SKIP() << "a sanitizer brings its own allocator";
  for (const int64_t memoryLimit : {int64_t{1} << 30, int64_t{0}}) {
    DatasetOptions dataOptions;
    dataOptions.memoryLimit = memoryLimit;
    make(3000, dataOptions);
    BatchOptions options{64};
    options.shuffle = true;
    BatchReader reader(*dataset, options);
    Batch batch;
    reader.prepare(batch);
    ASSERT_TRUE(reader.read({0, 0}, batch).ok());
    const void *address = batch.columns()[0].data;
    ReaderState state = batch.after();
    const int64_t before = allocationCount();
    bool ok = true;
    for (int i = 0; i < 200; ++i) {
      ok = ok && reader.read(state, batch).ok();
      state = batch.after();
    }
    EXPECT_EQ(allocationCount() - before, 0) << memoryLimit;
    EXPECT_TRUE(ok);
    EXPECT_EQ(batch.columns()[0].data, address);
  }
}
