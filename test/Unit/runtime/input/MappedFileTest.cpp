// Tests of files that change while they are mapped.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/MappedFile.h"

#include "InputTestSupport.h"
#include "runtime/src/input/FileData.h"
#include "test/Unit/runtime/core/AllocationCount.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlcrt;
using namespace mlcrt::test;
using testing::HasSubstr;

static constexpr int64_t kSize = 5 << 16;

static MappedFile mapFile(const std::string &path) {
  const int fd = ::open(path.c_str(), O_RDONLY);
  MappedFile file(fd, kSize);
  ::close(fd);
  return file;
}

TEST(MappedFile, WhatIsLostReadsAsZeros) {
  TemporaryDirectory dir;
  const std::string path = dir.write("a", std::string(kSize, 'x'));
  MappedFile first = mapFile(path), second = mapFile(path);
  ASSERT_TRUE(first && second);
  ASSERT_EQ(::truncate(path.c_str(), 100), 0);
  for (const std::string_view bytes : {first.bytes(), second.bytes()}) {
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 'x'), 100);
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), '\0'), kSize - 100);
  }
  // Places of mappings that are gone serve new ones.
  first = MappedFile();
  const std::string other = dir.write("b", std::string(kSize, 'y'));
  for (int i = 0; i < 3; ++i) {
    first = mapFile(other);
    EXPECT_EQ(first.bytes().back(), 'y');
  }
  ASSERT_EQ(::truncate(other.c_str(), 0), 0);
  EXPECT_EQ(first.bytes().back(), '\0');
}

TEST(MappedFile, NoMappingHasNoBytes) {
  const MappedFile file(-1, 10);
  EXPECT_FALSE(file);
  EXPECT_TRUE(file.bytes().empty());
}

/// Reads a lost page of a mapping that is not a MappedFile.
static void readForeignMapping(const std::string &path) {
  const int fd = ::open(path.c_str(), O_RDWR);
  const volatile char *bytes =
      static_cast<char *>(::mmap(nullptr, static_cast<size_t>(kSize), PROT_READ, MAP_PRIVATE, fd, 0));
  if (::ftruncate(fd, 0) != 0)
    std::abort();
  ::_exit(bytes[0]);
}

TEST(MappedFileDeathTest, OtherAddressesStillEndTheProcess) {
  if (!countsAllocations())
    GTEST_SKIP() << "a sanitizer takes the signal";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  TemporaryDirectory dir;
  const std::string path = dir.write("a", std::string(kSize, 'x'));
  const MappedFile ours = mapFile(path);
  EXPECT_EXIT(readForeignMapping(dir.write("b", std::string(kSize, 'x'))), testing::KilledBySignal(SIGBUS), "");
}

TEST(FileData, MappedFileThatChangesIsAnError) {
  TemporaryDirectory dir;
  const std::string path = dir.write("a.csv", std::string(kSize, 'x'));
  const auto files = resolveFiles({path});
  ASSERT_TRUE(files.ok());
  FileDataOptions options;
  options.memoryLimit = 0;
  const auto mapped = FileData::open(files->front(), options), inMemory = FileData::open(files->front(), {});
  ASSERT_TRUE(mapped.ok() && inMemory.ok());
  EXPECT_TRUE(mapped->check().ok());
  ASSERT_EQ(::truncate(path.c_str(), 7), 0);
  EXPECT_EQ(mapped->check().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(message(mapped->check()),
            path + ": the file was changed while it was read: it has 7 bytes now, expected the 327680 bytes it had");
  EXPECT_TRUE(inMemory->check().ok());
  EXPECT_EQ(inMemory->bytes().back(), 'x');
}

TEST(FileData, MappedFileMayBeReplaced) {
  TemporaryDirectory dir;
  const std::string path = dir.write("a.csv", std::string(kSize, 'x'));
  const auto files = resolveFiles({path});
  ASSERT_TRUE(files.ok());
  FileDataOptions options;
  options.memoryLimit = 0;
  const auto mapped = FileData::open(files->front(), options);
  ASSERT_TRUE(mapped.ok());
  std::filesystem::rename(dir.write("new", "short"), path);
  EXPECT_TRUE(mapped->check().ok()) << mapped->check();
  EXPECT_EQ(mapped->bytes().back(), 'x');
  std::filesystem::remove(path);
  EXPECT_TRUE(mapped->check().ok()) << mapped->check();
}

TEST(Dataset, FileTruncatedBetweenBatches) {
  TemporaryDirectory dir;
  std::string text = "a,b\n";
  for (int i = 0; i < 50000; ++i)
    text += std::to_string(i) + ",text" + std::to_string(i) + "\n";
  const std::string path = dir.write("a.csv", text);
  InputFormat format;
  format.columns = {column("a", MLCRT_F32), column("b", MLCRT_STRING, /*categorical=*/true)};
  DatasetOptions options;
  options.memoryLimit = 0;
  const auto dataset = openAll({path}, format, options);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  BatchOptions batches;
  batches.batchSize = 100;
  BatchReader reader(**dataset, batches);
  Batch first, second;
  reader.prepare(first);
  reader.prepare(second);
  ASSERT_TRUE(reader.read({0, 0}, first).ok());
  ASSERT_EQ(::truncate(path.c_str(), 10), 0);
  const absl::Status status = reader.read({0, 100}, second);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(message(status), HasSubstr("a.csv: the file was changed while it was read: it has 10 bytes now"));
  // A batch that was read is whole whatever becomes of the file.
  for (int64_t row = 0; row < 100; ++row)
    EXPECT_EQ(mlcrt::test::text(first, 1, row), "text" + std::to_string(first.records()[static_cast<size_t>(row)]));
}
