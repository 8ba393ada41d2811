// Tests of globs and of reading, unpacking and mapping files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InputTestSupport.h"
#include "Packed.h"
#include "common/checkpoint/Crc32c.h"
#include "runtime/src/input/FileData.h"
#include "runtime/src/input/Unpack.h"

using namespace mlcrt;
using namespace mlcrt::test;
using testing::EndsWith;
using testing::HasSubstr;

/// A text that does not pack to nothing.
static std::string longText() {
  std::string text = "a,b\n";
  for (int i = 0; i < 100000; ++i)
    text += std::to_string(i * 7919 % 10007) + "," + std::to_string(i) + "\n";
  return text;
}

static absl::StatusOr<FileData> openFile(const std::string &path, const FileDataOptions &options = {}) {
  absl::StatusOr<std::vector<DataFile>> files = resolveFiles({path});
  if (!files.ok())
    return files.status();
  return FileData::open(files->front(), options);
}

TEST(FileList, SortsAndDropsRepeats) {
  TemporaryDirectory dir;
  dir.write("b.csv", "2");
  dir.write("a.csv", "11");
  dir.write("c.txt", "3");
  const auto files = resolveFiles({dir.file("b*"), dir.file("*.csv"), dir.path() + "/./a.csv"});
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 2u);
  EXPECT_THAT((*files)[0].path, EndsWith("a.csv"));
  EXPECT_THAT((*files)[1].path, EndsWith("/b.csv"));
  EXPECT_EQ((*files)[0].size, 2);
  EXPECT_EQ((*files)[0].crc, mlc::common::crc32c("11", 2));
  EXPECT_GT((*files)[0].mtimeNs, int64_t{1500000000} * 1000000000);
}

TEST(FileList, NameWithGlobCharactersIsTakenAsItIs) {
  TemporaryDirectory dir;
  dir.write("part[1].csv", "x");
  const auto files = resolveFiles({dir.file("part[1].csv")});
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->size(), 1u);
}

TEST(FileList, MissingFileNamesTheNearest) {
  TemporaryDirectory dir;
  dir.write("adult-train.csv", "x");
  dir.write("other.txt", "x");
  const absl::Status status = resolveFiles({dir.file("adult-trian.csv")}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(message(status), dir.file("adult-trian.csv") + ": no file in directory '" + dir.path() +
                                 "' has this name; did you mean 'adult-train.csv'?");
  EXPECT_THAT(message(resolveFiles({dir.file("no/such-*.csv")}).status()), HasSubstr("there is no directory '"));
}

TEST(FileList, DirectoryIsNoDataFile) {
  TemporaryDirectory dir;
  EXPECT_THAT(message(resolveFiles({dir.path()}).status()), HasSubstr("is a directory, expected a data file"));
}

TEST(FileData, SameTextHoweverPackedAndKept) {
  TemporaryDirectory dir;
  const std::string text = longText();
  const size_t half = text.size() / 2;
  dir.write("plain.csv", text);
  dir.write("a.gz", gzip(text));
  dir.write("members.gz", gzip(text.substr(0, half)) + gzip(text.substr(half)));
  dir.write("a.zst", zstd(text));
  dir.write("frames.zst", zstd(text.substr(0, half)) + zstd(text.substr(half)));
  for (const char *name : {"plain.csv", "a.gz", "members.gz", "a.zst", "frames.zst"})
    for (const int64_t limit : {int64_t{1} << 30, int64_t{1000}, int64_t{0}}) {
      FileDataOptions options;
      options.memoryLimit = limit;
      options.spillDir = dir.path();
      const auto data = openFile(dir.file(name), options);
      ASSERT_TRUE(data.ok()) << data.status();
      EXPECT_EQ(data->inMemory(), limit > 1000) << name;
      EXPECT_TRUE(data->bytes() == text) << name << " " << limit;
    }
  // The unpacked texts had no name.
  size_t entries = 0;
  for (const auto &entry : std::filesystem::directory_iterator(dir.path()))
    entries += entry.is_regular_file();
  EXPECT_EQ(entries, 5u);
}

TEST(FileData, TruncatedOrDamagedStreamsAreDataErrors) {
  TemporaryDirectory dir;
  for (const bool isGzip : {true, false}) {
    const std::string packed = isGzip ? gzip(longText()) : zstd(longText());
    for (const size_t size : {packed.size() - 1, packed.size() / 2, size_t{12}}) {
      const absl::Status status = openFile(dir.write("cut", packed.substr(0, size))).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
      EXPECT_EQ(message(status), dir.file("cut") + (isGzip ? ": gzip" : ": zstd") + " stream ends early at byte " +
                                     std::to_string(size));
    }
    std::string damaged = packed;
    damaged[packed.size() / 2] ^= 0x55;
    EXPECT_THAT(message(openFile(dir.write("bad", damaged)).status()), HasSubstr(" stream is damaged ("));
    EXPECT_FALSE(openFile(dir.write("tail", packed + "tail")).ok());
  }
}

TEST(FileData, CompressionThatIsAskedForMustBeThere) {
  TemporaryDirectory dir;
  FileDataOptions options;
  options.compression = Compression::Gzip;
  EXPECT_THAT(message(openFile(dir.write("a.gz", "plain"), options).status()), HasSubstr("expected gzip"));
  options.compression = Compression::None;
  const std::string packed = gzip("text");
  const auto data = openFile(dir.write("b.gz", packed), options);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->bytes(), packed);
}

TEST(FileData, FileThatChangedIsRefused) {
  TemporaryDirectory dir;
  const auto files = resolveFiles({dir.write("a.csv", "1,2\n")});
  ASSERT_TRUE(files.ok());
  dir.write("a.csv", "1,2\n3,4\n");
  EXPECT_THAT(message(FileData::open(files->front(), {}).status()), HasSubstr("changed since it was listed"));
}
