// Tests of reading ahead: order, errors, ends and stops for any number of threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/Prefetcher.h"
#include "InputTestSupport.h"

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

using namespace mlcrt;
using namespace mlcrt::test;

/// Runs with 0 (read by the consumer), 1, 2 and 5 input threads.
class PrefetcherTest : public testing::TestWithParam<int> {
protected:
  void SetUp() override {
    std::string text = "x\n";
    for (int i = 0; i < 500; ++i)
      text += std::to_string(i) + "\n";
    format.columns = {column("x", MLCRT_I64)};
    auto opened = openAll({dir.write("f.csv", text)}, format);
    ASSERT_TRUE(opened.ok()) << opened.status();
    dataset = *std::move(opened);
    batch.batchSize = 32;
    batch.shuffle = true;
    options.threads = GetParam();
  }

  TemporaryDirectory dir;
  InputFormat format;
  std::unique_ptr<Dataset> dataset;
  BatchOptions batch;
  PrefetchOptions options;
};

INSTANTIATE_TEST_SUITE_P(Threads, PrefetcherTest, testing::Values(0, 1, 2, 5),
                         [](const auto &info) { return std::to_string(info.param); });

TEST_P(PrefetcherTest, SameSequenceAsOneReader) {
  options.epochs = 4;
  options.start = {1, 96};
  BatchReader reader(*dataset, batch);
  Prefetcher prefetcher(reader, options);
  Batch expected;
  reader.prepare(expected);
  ReaderState state = options.start;
  int64_t number = 0;
  for (; state.epoch < 4; ++number) {
    ASSERT_TRUE(reader.read(state, expected).ok());
    const auto item = prefetcher.next();
    ASSERT_TRUE(item.ok()) << item.status();
    ASSERT_NE(item->batch, nullptr);
    EXPECT_EQ(item->batch->number(), number);
    EXPECT_EQ(item->batch->before(), state);
    EXPECT_EQ(item->batch->after(), expected.after());
    ASSERT_EQ(item->batch->records(), expected.records());
    for (int64_t row = 0; row < expected.rows(); ++row)
      ASSERT_EQ(values<int64_t>(*item->batch, 0)[row], values<int64_t>(expected, 0)[row]);
    state = expected.after();
  }
  EXPECT_EQ(number, 16 * 3 - 3);
  for (int i = 0; i < 2; ++i) {
    const auto item = prefetcher.next();
    ASSERT_TRUE(item.ok());
    EXPECT_EQ(item->batch, nullptr);
  }
}

TEST_P(PrefetcherTest, MaxBatches) {
  options.maxBatches = 5;
  int64_t read = 0;
  Prefetcher prefetcher(BatchReader(*dataset, batch), options);
  while (true) {
    const auto item = prefetcher.next();
    ASSERT_TRUE(item.ok());
    if (!item->batch)
      break;
    ++read;
  }
  EXPECT_EQ(read, 5);
}

TEST_P(PrefetcherTest, CallbackRunsOncePerBatchInItsSlot) {
  options.maxBatches = 100;
  options.slots = 4;
  std::vector<int64_t> sums(4, -1);
  std::atomic<int> calls{0};
  Prefetcher prefetcher(BatchReader(*dataset, batch), options, [&](int slot, Batch &ready) {
    int64_t sum = 0;
    for (int64_t row = 0; row < ready.rows(); ++row)
      sum += values<int64_t>(ready, 0)[row];
    sums[static_cast<size_t>(slot)] = sum;
    ++calls;
    return absl::OkStatus();
  });
  for (int i = 0; i < 100; ++i) {
    const auto item = prefetcher.next();
    ASSERT_TRUE(item.ok() && item->batch);
    int64_t sum = 0;
    for (const int64_t record : item->batch->records())
      sum += record;
    ASSERT_EQ(sums[static_cast<size_t>(item->slot)], sum);
  }
  EXPECT_EQ(calls, 100);
}

TEST_P(PrefetcherTest, BatchesAreKeptAsLongAsIsSaid) {
  options.maxBatches = 50;
  options.slots = 3;
  Prefetcher prefetcher(BatchReader(*dataset, batch), options);
  Batch *before = nullptr;
  std::vector<int64_t> records;
  for (int64_t i = 0; i < 50; ++i) {
    const auto item = prefetcher.next(/*kept=*/i % 5 ? 1 : 0);
    ASSERT_TRUE(item.ok() && item->batch);
    if (i % 5) {
      std::this_thread::yield();
      ASSERT_NE(before, item->batch);
      ASSERT_EQ(before->number(), i - 1);
      ASSERT_EQ(before->records(), records);
    }
    before = item->batch;
    records.assign(before->records().begin(), before->records().end());
    EXPECT_LE(prefetcher.ready(), 2);
  }
  EXPECT_EQ(prefetcher.readySlot(), -1);
  EXPECT_EQ(prefetcher.ready(), 0);
  EXPECT_EQ(prefetcher.next(/*kept=*/2)->batch, nullptr);
}

TEST_P(PrefetcherTest, ErrorComesAtItsTurnAndStays) {
  options.slots = 4;
  Prefetcher prefetcher(BatchReader(*dataset, batch), options, [](int, Batch &ready) {
    return ready.number() >= 7 ? absl::DataLossError("batch " + std::to_string(ready.number())) : absl::OkStatus();
  });
  for (int i = 0; i < 7; ++i) {
    const auto item = prefetcher.next();
    ASSERT_TRUE(item.ok()) << i << item.status();
    EXPECT_EQ(item->batch->number(), i);
  }
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(message(prefetcher.next().status()), "batch 7");
}

TEST_P(PrefetcherTest, RingIsBounded) {
  options.slots = 3;
  std::atomic<int64_t> made{0};
  Prefetcher prefetcher(BatchReader(*dataset, batch), options, [&](int, Batch &) {
    ++made;
    return absl::OkStatus();
  });
  for (int64_t taken = 1; taken <= 20; ++taken) {
    ASSERT_TRUE(prefetcher.next().ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_GE(made, taken);
    EXPECT_LE(made, taken + 2);
  }
}

TEST_P(PrefetcherTest, StopsAtAnyTime) {
  for (int taken = 0; taken < 12; ++taken) {
    auto prefetcher = std::make_unique<Prefetcher>(BatchReader(*dataset, batch), options);
    for (int i = 0; i < taken; ++i)
      ASSERT_TRUE(prefetcher->next().ok());
    if (taken % 3 == 0) {
      prefetcher->stop();
      prefetcher->stop();
      EXPECT_EQ(prefetcher->next().status().code(), absl::StatusCode::kCancelled);
    }
  }
}

TEST_P(PrefetcherTest, StopWakesTheConsumer) {
  if (GetParam() == 0)
    GTEST_SKIP() << "without input threads the consumer does not wait";
  std::atomic<bool> go{false};
  Prefetcher prefetcher(BatchReader(*dataset, batch), options, [&](int, Batch &) {
    while (!go)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return absl::OkStatus();
  });
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      go = true;
    });
    prefetcher.stop();
    later.join();
  });
  EXPECT_EQ(prefetcher.next().status().code(), absl::StatusCode::kCancelled);
  stopper.join();
}

namespace {
/// Batches of 1, 2, 3, ... rows that count on; an error in the place of batch `bad`.
class CountingStream : public BatchStream {
public:
  explicit CountingStream(int batches, int bad = -1) : batches_(batches), bad_(bad) {}

  absl::StatusOr<std::shared_ptr<const MemoryArrays>> next() override {
    EXPECT_FALSE(isAsked_.exchange(true)) << "one thread at a time";
    const int rows = ++given_;
    std::shared_ptr<MemoryArrays> arrays;
    if (rows <= batches_) {
      auto values = std::make_shared<std::vector<int64_t>>();
      for (int i = 0; i < rows; ++i)
        values->push_back(next_++);
      StoredArray array;
      array.name = "x";
      array.dtype = rows == bad_ ? MLCRT_F64 : MLCRT_I64;
      array.shape = {rows};
      array.elementBytes = sizeof(int64_t);
      array.bytes = {reinterpret_cast<const char *>(values->data()), values->size() * sizeof(int64_t)};
      arrays = std::make_shared<MemoryArrays>(MemoryArrays{"", {array}, values});
    }
    isAsked_ = false;
    return arrays;
  }
  int64_t batchRows() const override { return rowsOfBatch; }
  bool canRewind() const override { return mayRewind; }
  absl::Status rewind() override {
    if (!mayRewind)
      return BatchStream::rewind();
    given_ = 0;
    next_ = 0;
    return absl::OkStatus();
  }
  std::string name() const override { return "counting"; }
  int given() const { return given_; }

  bool mayRewind = false;
  int64_t rowsOfBatch = 0;

private:
  const int batches_, bad_;
  int given_ = 0;
  int64_t next_ = 0;
  std::atomic<bool> isAsked_{false};
};

std::unique_ptr<Dataset> ofStream(const std::shared_ptr<BatchStream> &stream) {
  const std::vector<TensorSpec> features = {{"x", MLCRT_I64, {MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH)}}};
  auto table = StreamTable::create(stream, features, nullptr);
  EXPECT_TRUE(table.ok()) << table.status();
  return Dataset::ofStream(*std::move(table), features);
}
} // namespace

TEST_P(PrefetcherTest, StreamsComeInTheirOrder) {
  const auto stream = std::make_shared<CountingStream>(60);
  dataset = ofStream(stream);
  batch = {};
  batch.batchSize = 8; // most batches are larger
  Prefetcher prefetcher(BatchReader(*dataset, batch), options);
  int64_t expected = 0;
  for (int64_t rows = 1; rows <= 60; ++rows) {
    const auto item = prefetcher.next();
    ASSERT_TRUE(item.ok()) << item.status();
    ASSERT_NE(item->batch, nullptr);
    ASSERT_EQ(item->batch->rows(), rows);
    EXPECT_EQ(item->batch->number(), rows - 1);
    for (int64_t row = 0; row < rows; ++row, ++expected) {
      ASSERT_EQ(values<int64_t>(*item->batch, 0)[row], expected);
      ASSERT_EQ(item->batch->records()[row], expected);
    }
  }
  for (int i = 0; i < 2; ++i) {
    const auto item = prefetcher.next();
    ASSERT_TRUE(item.ok());
    EXPECT_EQ(item->batch, nullptr);
  }
  EXPECT_EQ(stream->given(), 61) << "an end is not asked for twice";
}

TEST_P(PrefetcherTest, StreamsAreNotReadBeyondTheLastBatch) {
  const auto stream = std::make_shared<CountingStream>(60);
  dataset = ofStream(stream);
  batch = {};
  options.maxBatches = 7;
  Prefetcher prefetcher(BatchReader(*dataset, batch), options);
  int batches = 0;
  while (prefetcher.next()->batch)
    ++batches;
  EXPECT_EQ(batches, 7);
  EXPECT_EQ(stream->given(), 7);
}

TEST_P(PrefetcherTest, StreamsAreCutIntoBatches) {
  const auto stream = std::make_shared<CountingStream>(10, /*bad=*/10);
  stream->rowsOfBatch = 4;
  dataset = ofStream(stream);
  batch = {};
  Prefetcher prefetcher(BatchReader(*dataset, batch), options);
  int64_t expected = 0, number = 0;
  for (int64_t chunk = 1; chunk <= 9; ++chunk)
    for (int64_t left = chunk; left > 0; left -= 4) {
      const auto item = prefetcher.next();
      ASSERT_TRUE(item.ok()) << item.status();
      ASSERT_EQ(item->batch->rows(), std::min<int64_t>(left, 4));
      EXPECT_EQ(item->batch->number(), number++);
      for (int64_t row = 0; row < item->batch->rows(); ++row, ++expected) {
        ASSERT_EQ(values<int64_t>(*item->batch, 0)[row], expected);
        ASSERT_EQ(item->batch->records()[row], expected);
      }
    }
  EXPECT_EQ(message(prefetcher.next().status()), "counting: rows from 46 on: array 'x' is f64[10], expected i64[?]");
}

TEST_P(PrefetcherTest, StreamsAreReadAgain) {
  const auto stream = std::make_shared<CountingStream>(9);
  dataset = ofStream(stream);
  batch = {};
  EXPECT_TRUE(dataset->stream()->rewind().ok()) << "nothing was read yet";
  stream->mayRewind = true;
  for (const int64_t most : {4, 9, -1}) {
    ASSERT_TRUE(dataset->stream()->rewind().ok());
    options.maxBatches = most;
    Prefetcher prefetcher(BatchReader(*dataset, batch), options);
    int64_t expected = 0;
    for (int64_t rows = 1; rows <= (most < 0 ? 9 : most); ++rows) {
      const auto item = prefetcher.next();
      ASSERT_TRUE(item.ok()) << item.status();
      ASSERT_NE(item->batch, nullptr);
      ASSERT_EQ(item->batch->rows(), rows);
      for (int64_t row = 0; row < rows; ++row)
        ASSERT_EQ(values<int64_t>(*item->batch, 0)[row], expected++);
    }
    EXPECT_EQ(prefetcher.next()->batch, nullptr);
  }
  stream->mayRewind = false;
  EXPECT_EQ(message(dataset->stream()->rewind()), "counting can be read once");
}

namespace {
/// Batches of two rows of numbers that count on, each row of as many as `sizes` says; with `isPair` a second feature of
/// the same symbol has one more.
class SizedStream : public BatchStream {
public:
  explicit SizedStream(std::vector<int64_t> sizes, bool isPair = false) : sizes_(std::move(sizes)), isPair_(isPair) {}

  absl::StatusOr<std::shared_ptr<const MemoryArrays>> next() override {
    if (given_ == sizes_.size())
      return nullptr;
    const int64_t size = sizes_[given_++];
    auto values = std::make_shared<std::vector<int64_t>>(static_cast<size_t>(2 * (size + 1)));
    for (int64_t i = 0; i < 2 * size; ++i)
      (*values)[static_cast<size_t>(i)] = next_++;
    std::vector<StoredArray> arrays;
    for (const char *name : {"x", "y"}) {
      StoredArray &array = arrays.emplace_back();
      array.name = name;
      array.dtype = MLCRT_I64;
      array.shape = {2, size + (arrays.size() > 1)};
      array.elementBytes = sizeof(int64_t);
      array.bytes = {reinterpret_cast<const char *>(values->data()),
                     static_cast<size_t>(array.shape[0] * array.shape[1]) * sizeof(int64_t)};
    }
    arrays.resize(isPair_ ? 2 : 1);
    return std::make_shared<MemoryArrays>(MemoryArrays{"", arrays, values});
  }
  std::string name() const override { return "sized"; }

private:
  const std::vector<int64_t> sizes_;
  const bool isPair_;
  size_t given_ = 0;
  int64_t next_ = 0;
};

std::unique_ptr<Dataset> ofSizes(const std::shared_ptr<BatchStream> &stream, const std::vector<const char *> &names) {
  std::vector<TensorSpec> features;
  for (const char *name : names)
    features.push_back({name, MLCRT_I64, {MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH), MLCRT_DIM_SYMBOL(1)}});
  auto table = StreamTable::create(stream, features, nullptr);
  EXPECT_TRUE(table.ok()) << table.status();
  return Dataset::ofStream(*std::move(table), features);
}
} // namespace

TEST_P(PrefetcherTest, RowsOfStreamsHaveTheSizeOfTheirBatch) {
  const std::vector<int64_t> sizes = {3, 1, 7, 7, 0, 2, 40, 3};
  dataset = ofSizes(std::make_shared<SizedStream>(sizes), {"x"});
  batch = {};
  Prefetcher prefetcher(BatchReader(*dataset, batch), options);
  int64_t expected = 0;
  for (const int64_t size : sizes) {
    const auto item = prefetcher.next();
    ASSERT_TRUE(item.ok()) << item.status();
    ASSERT_NE(item->batch, nullptr);
    const TensorView &column = item->batch->columns()[0];
    ASSERT_EQ(column.dims, (Dims{2, size}));
    for (int64_t i = 0; i < 2 * size; ++i)
      ASSERT_EQ(static_cast<const int64_t *>(column.data)[i], expected++);
  }
  EXPECT_EQ(prefetcher.next()->batch, nullptr);
}

TEST_P(PrefetcherTest, SizesOfOneSymbolAreEqualInABatch) {
  dataset = ofSizes(std::make_shared<SizedStream>(std::vector<int64_t>{3}, /*isPair=*/true), {"x", "y"});
  batch = {};
  Prefetcher prefetcher(BatchReader(*dataset, batch), options);
  const auto item = prefetcher.next();
  ASSERT_FALSE(item.ok());
  EXPECT_THAT(
      std::string(item.status().message()),
      testing::AllOf(testing::HasSubstr("sized: batch 1"), testing::HasSubstr("'x'"), testing::HasSubstr("'y'")));
}

TEST_P(PrefetcherTest, ErrorsOfStreamsNameTheBatch) {
  dataset = ofStream(std::make_shared<CountingStream>(60, /*bad=*/5));
  batch = {};
  Prefetcher prefetcher(BatchReader(*dataset, batch), options);
  for (int i = 0; i < 4; ++i)
    ASSERT_NE(prefetcher.next()->batch, nullptr);
  const auto item = prefetcher.next();
  EXPECT_EQ(message(item.status()), "counting: batch 5: array 'x' is f64[5], expected i64[?]");
}
