// Sorted tables: round trips, layout, and everything hostile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/SortedTable.h"

#include "CheckpointFixture.h"
#include "common/checkpoint/Crc32c.h"
#include "runtime/src/core/ProtoWire.h"

using namespace mlcrt;
using testing::HasSubstr;
using namespace std::string_literals;
using Entries = std::vector<std::pair<std::string, std::string>>;

class SortedTableTest : public CheckpointFixture {
protected:
  std::string path() const { return directory_ + "/t.index"; }
  absl::StatusOr<Entries> read(const std::string &bytes) const {
    writeFile(path(), bytes);
    Entries entries;
    absl::Status status = readSortedTable(path(), [&](std::string_view key, std::string_view value) {
      entries.emplace_back(key, value);
      return absl::OkStatus();
    });
    if (!status.ok())
      return status;
    return entries;
  }
  std::string problem(const std::string &bytes) const {
    auto entries = read(bytes);
    EXPECT_FALSE(entries.ok());
    EXPECT_TRUE(absl::IsDataLoss(entries.status())) << entries.status();
    EXPECT_THAT(std::string(entries.status().message()), HasSubstr(path()));
    return std::string(entries.status().message());
  }

  /// A block with its trailer.
  static std::string stored(std::string block, char method = 0) {
    block.push_back(method);
    const uint32_t crc = mlc::common::maskedCrc32c(mlc::common::crc32c(block.data(), block.size()));
    return block + std::string(reinterpret_cast<const char *>(&crc), 4);
  }
  static std::string handle(uint64_t offset, uint64_t size) {
    std::string text;
    appendVarint(text, offset);
    appendVarint(text, size);
    return text;
  }
  /// An entry that shares nothing.
  static std::string entry(const std::string &key, const std::string &value) {
    std::string text;
    appendVarint(text, 0);
    appendVarint(text, key.size());
    appendVarint(text, value.size());
    return text + key + value;
  }
  static std::string ended(const std::string &entries) { return entries + "\0\0\0\0\1\0\0\0"s; }
  /// A file of data blocks as they are stored, whose index has a key for each.
  static std::string file(const std::vector<std::pair<std::string, std::string>> &blocks) {
    std::string file, index;
    for (const auto &[key, block] : blocks) {
      index += entry(key, handle(file.size(), block.size() - 5));
      file += block;
    }
    std::string footer = handle(0, 0) + handle(file.size(), ended(index).size());
    footer.resize(40);
    footer.append(reinterpret_cast<const char *>(&kSortedTableMagic), 8);
    return file + stored(ended(index)) + footer;
  }
};

TEST_F(SortedTableTest, SeveralBlocksRoundTrip) {
  Entries entries = {{"", "header"}};
  for (int i = 0; i < 3000; ++i)
    entries.emplace_back("variable/of/some/length/" + std::to_string(100000 + i), std::string(i % 300, 'v'));
  SortedTableWriter writer;
  for (const auto &[key, value] : entries)
    writer.add(key, value);
  const std::string bytes = writer.finish();
  EXPECT_GT(bytes.size(), size_t{400000});
  auto found = read(bytes);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, entries);
  EXPECT_EQ(read(SortedTableWriter().finish())->size(), 0u);
  EXPECT_TRUE(absl::IsNotFound(readSortedTable(directory_ + "/absent", {})));
}

TEST_F(SortedTableTest, PackedBlocks) {
  // "k" and "kk", of which the second shares a byte, packed as one literal.
  const std::string block = ended(entry("k", "v") + "\x01\x01\x01kw"s);
  std::string packed;
  appendVarint(packed, block.size());
  packed.push_back(static_cast<char>((block.size() - 1) << 2));
  auto found = read(file({{"kk", stored(packed + block, 1)}}));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, (Entries{{"k", "v"}, {"kk", "w"}}));
  EXPECT_THAT(problem(file({{"kk", stored("\xff\xff\x03"s, 1)}})),
              HasSubstr("byte 0: packed byte 0: an unpacked size of 65535, which 3 packed bytes cannot give"));
  EXPECT_THAT(problem(file({{"kk", stored(block, 2)}})), HasSubstr("a block packed by method 2, expected 0 or 1"));
}

TEST_F(SortedTableTest, Damage) {
  const std::string good = stored(ended(entry("a", "1") + entry("b", "2")));
  EXPECT_THAT(problem(""), HasSubstr("byte 0: a file of 0 bytes, expected at least 48"));
  EXPECT_THAT(problem(std::string(60, 'x')), HasSubstr("truncated, or no index of a checkpoint, expected 0xdb47"));
  std::string flipped = good;
  flipped[1] = 'z';
  EXPECT_THAT(problem(file({{"b", flipped}})), HasSubstr("byte 0: the checksum of the block's 18 bytes is wrong"));
  EXPECT_THAT(problem(file({{"b", stored(ended(entry("b", "1") + entry("a", "2")))}})),
              HasSubstr("byte 5: a key that is not after the one before"));
  EXPECT_THAT(problem(file({{"b", good}, {"b", good}})), HasSubstr("a key that is not after the one before"));
  EXPECT_THAT(problem(file({{"a", good}})), HasSubstr("a block has keys after the one that the index tells"));
  EXPECT_THAT(problem(file({{"b", stored(ended("\x01\x01\x01kw"s))}})),
              HasSubstr("a key that shares 1 bytes with one of 0"));
  EXPECT_THAT(problem(file({{"b", stored(ended("\0\x7f\x01k"s))}})),
              HasSubstr("an entry of 127 and 1 bytes, of which"));
  EXPECT_THAT(problem(file({{"b", stored("\xff\0\0\0"s)}})),
              HasSubstr("255 restarts, for which the block has no room"));
  EXPECT_THAT(problem(file({{"b", stored("ab")}})), HasSubstr("a block of 2 bytes, expected at least 4"));
  // A block that is told twice.
  std::string twice = good, index = entry("b", handle(0, good.size() - 5)) + entry("c", handle(0, good.size() - 5));
  std::string footer = handle(0, 0) + handle(good.size(), ended(index).size());
  footer.resize(40);
  footer.append(reinterpret_cast<const char *>(&kSortedTableMagic), 8);
  EXPECT_THAT(problem(good + stored(ended(index)) + footer), HasSubstr("a block at byte 0, within the one before"));
  footer = handle(0, 0) + handle(0, UINT64_MAX);
  footer.resize(40);
  footer.append(reinterpret_cast<const char *>(&kSortedTableMagic), 8);
  EXPECT_THAT(problem(good + footer),
              HasSubstr("a block of 18446744073709551615 bytes at byte 0 reaches into the footer"));
}

/// Prefixes that are shared make of few bytes as many names as one likes.
TEST_F(SortedTableTest, NamesThatFillTheMemory) {
  std::string entries = entry(std::string(100000, 'k'), "");
  for (int i = 0; i < 100000; ++i) {
    appendVarint(entries, 100000 + static_cast<uint64_t>(i));
    entries += "\x01\0k"s;
  }
  EXPECT_THAT(problem(file({{"l", stored(ended(entries))}})), HasSubstr("the keys take more than 64 times the file's"));
}

/// Every truncation and every flipped bit is found, or changes nothing.
TEST_F(SortedTableTest, EveryByte) {
  SortedTableWriter writer;
  Entries entries = {{"", "h"}, {"bias", "1"}, {"biases", "2"}, {"kernel", "3"}};
  for (const auto &[key, value] : entries)
    writer.add(key, value);
  const std::string bytes = writer.finish();
  for (size_t size = 0; size < bytes.size(); ++size)
    problem(bytes.substr(0, size));
  int unnoticed = 0;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    auto found = read(damaged);
    ASSERT_TRUE(found.ok() ? *found == entries : absl::IsDataLoss(found.status())) << bit << ": " << found.status();
    unnoticed += found.ok();
  }
  // The block that nothing uses, its place, and the padding of the footer.
  EXPECT_LT(unnoticed, 8 * (13 + 40));
}
