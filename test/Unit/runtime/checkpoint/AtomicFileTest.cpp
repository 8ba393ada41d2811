// Files that are either whole or not there; and what is no file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/AtomicFile.h"

#include "CheckpointFixture.h"
#include "common/checkpoint/Crc32c.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlcrt;
using testing::HasSubstr;
namespace fs = std::filesystem;

class AtomicFileTest : public CheckpointFixture {
protected:
  AtomicFileTest() { fs::create_directory(modelDir_); }
  std::string at(const std::string &name) const { return modelDir_ + "/" + name; }
};

TEST_F(AtomicFileTest, OldOrWhole) {
  ASSERT_TRUE(writeFileAtomically(at("a"), "old").ok());
  {
    auto file = AtomicFile::create(at("a"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("new", 3).ok());
    EXPECT_EQ(readFile(at("a")), "old");
  }
  EXPECT_EQ(readFile(at("a")), "old");
  EXPECT_FALSE(fs::exists(at("a.tmp")));
  ASSERT_TRUE(writeFileAtomically(at("a"), "new").ok());
  EXPECT_EQ(readFile(at("a")), "new");
}

/// Several pieces and a rest, in writes of other sizes.
TEST_F(AtomicFileTest, WritesOfAnySizeAreOneFile) {
  std::string text(13'000'003, '\0');
  for (size_t i = 0; i < text.size(); ++i)
    text[i] = static_cast<char>(i * 2654435761u >> 23);
  auto file = AtomicFile::create(at("a"));
  ASSERT_TRUE(file.ok());
  for (size_t begin = 0, size = 5; begin < text.size(); begin += size, size = 9'000'000)
    ASSERT_TRUE(file->write(text.data() + begin, static_cast<int64_t>(std::min(size, text.size() - begin))).ok());
  EXPECT_EQ(file->size(), static_cast<int64_t>(text.size()));
  EXPECT_EQ(file->crc(), mlc::common::crc32cPortable(text.data(), text.size()));
  ASSERT_TRUE(file->commit().ok());
  EXPECT_TRUE(readFile(at("a")) == text);
}

TEST_F(AtomicFileTest, SymbolicLinksStay) {
  std::ofstream(at("real")) << "old";
  fs::create_symlink("real", at("link"));
  ASSERT_TRUE(writeFileAtomically(at("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(readFile(at("real")), "new");
}

TEST_F(AtomicFileTest, WhatIsNoFileIsWrittenTo) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  const int reader = ::open(at("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(writeFileAtomically(at("pipe"), "through").ok());
  char text[16] = {};
  EXPECT_EQ(::read(reader, text, sizeof(text)), 7);
  EXPECT_STREQ(text, "through");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(at("pipe"))) << "never replaced by a file";
}

TEST_F(AtomicFileTest, DirectoryIsRefused) {
  fs::create_directory(at("d"));
  absl::Status status = AtomicFile::create(at("d")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(status.message()), HasSubstr("Is a directory"));
  EXPECT_EQ(AtomicFile::create(at("none/f")).status().code(), absl::StatusCode::kPermissionDenied);
}
