// Events as bytes, buckets of histograms, names of files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/summary/EventWriter.h"

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <sys/resource.h>

using namespace mlcrt;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

static std::string hex(const std::string &bytes) {
  std::string text;
  char digits[3];
  for (unsigned char c : bytes) {
    std::snprintf(digits, sizeof(digits), "%02x", c);
    text += digits;
  }
  return text;
}

TEST(Event, FileVersionAsTensorFlowWritesIt) {
  // The first record of an event file of TensorFlow at wall time 1: its length, the masked checksums.
  EXPECT_EQ(hex(versionEvent(1)), "09000000000000f03f1a0d627261696e2e4576656e743a32");
  EXPECT_EQ(hex(tfRecord(versionEvent(1))).substr(0, 24), "1800000000000000a37f4b22")
      << "24 bytes, as every such file begins";
}

TEST(Event, Fields) {
  EXPECT_EQ(hex(sessionStartEvent(1, 300)), "09000000000000f03f10ac023a020801");
  Summary summary;
  EXPECT_TRUE(summary.empty());
  summary.scalar("a", 0.5);
  EXPECT_EQ(hex(summary.bytes()), "0a080a01611500"
                                  "00003f");
  EXPECT_EQ(hex(summaryEvent(1, 2, summary)), "09000000000000f03f10022a0a0a080a0161150000003f");
}

TEST(Histogram, CountsEveryFiniteValueOnce) {
  Histogram histogram;
  EXPECT_EQ(histogram.buckets().size(), 1u) << "one run of empty buckets";
  double largest = std::numeric_limits<double>::max();
  for (double value : {-1.0, 0.0, 0.0, 1e-13, 0.5, 0.5, 3.0, 1e30, largest, -largest})
    histogram.add(value);
  histogram.add(std::nan(""));
  histogram.add(INFINITY);
  EXPECT_EQ(histogram.count(), 10);
  EXPECT_EQ(histogram.min(), -largest);
  EXPECT_EQ(histogram.max(), largest);
  double total = 0, last = -INFINITY;
  for (const Histogram::Bucket &bucket : histogram.buckets()) {
    EXPECT_GT(bucket.limit, last);
    last = bucket.limit;
    total += bucket.count;
  }
  EXPECT_EQ(total, 10);
  EXPECT_EQ(last, largest);
}

TEST(Histogram, ValuesLieBelowTheirLimit) {
  for (double value : {-5.0, -1e-12, 0.0, 1e-12, 0.3, 7.0}) {
    Histogram histogram;
    histogram.add(value);
    double below = -INFINITY;
    for (const Histogram::Bucket &bucket : histogram.buckets()) {
      if (bucket.count > 0) {
        EXPECT_LT(value, bucket.limit);
        EXPECT_GE(value, below);
      }
      below = bucket.limit;
    }
  }
}

class EventWriterTest : public testing::Test {
protected:
  EventWriterTest() {
    std::string pattern = testing::TempDir() + "/mlcrt-summary-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
  }
  ~EventWriterTest() override { fs::remove_all(directory_); }
  std::string directory_;
};

TEST_F(EventWriterTest, NewFilesSortBehindOldOnes) {
  std::string made = directory_ + "/a/eval", last;
  for (int i = 0; i < 5; ++i) {
    auto writer = EventWriter::create(made);
    ASSERT_TRUE(writer.ok()) << writer.status();
    std::string name = fs::path((*writer)->path()).filename().string();
    EXPECT_THAT(name, StartsWith("events.out.tfevents."));
    EXPECT_GT(name, last) << "in the same second, too";
    last = name;
  }
}

TEST_F(EventWriterTest, FlushWritesWholeRecords) {
  auto writer = EventWriter::create(directory_);
  ASSERT_TRUE(writer.ok());
  auto size = [&] { return fs::file_size((*writer)->path()); };
  uintmax_t start = size();
  EXPECT_EQ(start, 12 + 24 + 4u) << "the version is there at once";
  ASSERT_TRUE((*writer)->write(1, Summary().scalar("loss", 2)).ok());
  EXPECT_EQ(size(), start) << "kept back";
  ASSERT_TRUE((*writer)->flush().ok());
  uintmax_t one = size() - start;
  EXPECT_GT(one, 16u);
  // Without a flush all are written once they are many.
  for (int i = 0; i < 10000; ++i)
    ASSERT_TRUE((*writer)->write(2, Summary().scalar("loss", 2)).ok());
  EXPECT_GT(size(), start + 5000 * one);
  EXPECT_EQ((size() - start) % one, 0u);
}

TEST_F(EventWriterTest, AFullDiskCutsNoRecord) {
  auto writer = EventWriter::create(directory_);
  ASSERT_TRUE(writer.ok());
  auto size = [&] { return fs::file_size((*writer)->path()); };
  auto write = [&] {
    absl::Status status = (*writer)->write(1, Summary().scalar("loss", 2));
    return status.ok() ? (*writer)->flush() : status;
  };
  const uintmax_t start = size();
  ASSERT_TRUE(write().ok());
  const uintmax_t one = size() - start;
  // Room for a part of a record.
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto *const handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {start + one + one / 2, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status full = write();
  const uintmax_t left = size();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(exitCodeOf(full), mlc::common::ExitCode::DiskFull) << full;
  EXPECT_EQ(left, start + one);
  EXPECT_TRUE(write().ok()) << "there is room again";
  EXPECT_EQ(size(), start + 2 * one);
}

TEST_F(EventWriterTest, Errors) {
  std::ofstream(directory_ + "/file") << "in the way";
  absl::Status status = EventWriter::create(directory_ + "/file/eval").status();
  EXPECT_EQ(exitCodeOf(status), mlc::common::ExitCode::OutputNotWritable) << status;
}
