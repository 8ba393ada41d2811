// TensorFlow's checkpoint files: round trips, slices, and everything hostile. What TensorFlow itself wrote is read by
// test/Recorded/checkpoints.test.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/TensorBundle.h"

#include "CheckpointFixture.h"
#include "common/checkpoint/Crc32c.h"
#include "runtime/src/checkpoint/BundleEntry.h"
#include "runtime/src/checkpoint/SortedTable.h"
#include "runtime/src/core/Tensor.h"

#include <map>
#include <numeric>

using namespace mlcrt;
using testing::HasSubstr;
using namespace std::string_literals;

class TensorBundleTest : public CheckpointFixture {
protected:
  std::string prefix() const { return directory_ + "/model.ckpt-7"; }
  std::string dataPath(int shard = 0, int shards = 1) const { return bundleDataPath(prefix(), shard, shards); }
  static uint32_t crcOf(const std::string &bytes) {
    return mlc::common::maskedCrc32c(mlc::common::crc32c(bytes.data(), bytes.size()));
  }
  static std::string floats(int count, float start = 0) {
    std::vector<float> values(static_cast<size_t>(count));
    std::iota(values.begin(), values.end(), start);
    return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)};
  }

  /// Adds bytes to the data file and an entry of them to the index.
  BundleEntry add(const std::string &key, std::vector<int64_t> shape, const std::string &bytes, int64_t dtype = 1) {
    BundleEntry entry;
    entry.dtype = dtype;
    entry.shape = std::move(shape);
    entry.offset = static_cast<int64_t>(data_.size());
    entry.bytes = static_cast<int64_t>(bytes.size());
    entry.crc = crcOf(bytes);
    data_ += bytes;
    return entries_[key] = entry;
  }
  /// A table of 4 rows and 3 columns in slices [start, size) of rows and columns; a size of -1 is all.
  void addSlices(const std::vector<std::array<int64_t, 4>> &slices) {
    BundleEntry whole;
    whole.dtype = 1;
    whole.shape = {4, 3};
    for (const auto &[row, rows, column, columns] : slices) {
      SliceExtent first{row, rows}, second{column, columns};
      if (rows < 0)
        first.size.reset();
      if (columns < 0)
        second.size.reset();
      whole.slices.push_back({first, second});
      std::string bytes;
      const int64_t lastRow = rows < 0 ? 4 : row + rows, lastColumn = columns < 0 ? 3 : column + columns;
      for (int64_t i = row; i < lastRow; ++i)
        for (int64_t j = column; j < lastColumn; ++j)
          bytes += floats(1, static_cast<float>(3 * i + j));
      add(sliceKey("table", {row, column}, {rows, columns}), {lastRow - row, lastColumn - column}, bytes);
    }
    entries_["table"] = whole;
  }
  void write(int64_t shards = 1) const {
    BundleHeader header;
    header.shards = shards;
    SortedTableWriter index;
    index.add("", header.text());
    for (const auto &[key, entry] : entries_)
      index.add(key, entry.text());
    writeFile(prefix() + ".index", index.finish());
    writeFile(dataPath(0, static_cast<int>(shards)), data_);
  }
  std::string problem() const {
    write();
    auto reader = TensorBundleReader::open(prefix());
    EXPECT_FALSE(reader.ok());
    EXPECT_TRUE(absl::IsDataLoss(reader.status())) << reader.status();
    EXPECT_THAT(std::string(reader.status().message()), HasSubstr(prefix()));
    return std::string(reader.status().message());
  }
  static std::string valuesOf(const TensorBundleReader &reader, const BundleTensor &tensor, int64_t piece = 1 << 20) {
    std::string bytes(static_cast<size_t>(tensor.bytes), '?');
    EXPECT_TRUE(reader.prove(tensor).ok());
    for (int64_t at = 0; at < tensor.bytes; at += piece)
      EXPECT_TRUE(reader.read(tensor, at, std::min(piece, tensor.bytes - at), bytes.data() + at).ok());
    return bytes;
  }

  std::map<std::string, BundleEntry> entries_;
  std::string data_;
};

TEST_F(TensorBundleTest, AllDtypesRoundTrip) {
  std::vector<TensorInfo> tensors;
  std::vector<std::string> values;
  for (int32_t dtype = MLCRT_F32; dtype <= MLCRT_BOOL; ++dtype) {
    tensors.push_back({"t" + std::to_string(dtype), static_cast<mlcrt_dtype>(dtype), {3, 5}});
    values.emplace_back(15 * dtypeSize(dtype), static_cast<char>(dtype));
  }
  tensors.push_back({"scalar", MLCRT_F64, {}});
  values.emplace_back("12345678");
  tensors.push_back({"empty", MLCRT_F32, {0, 7}});
  values.emplace_back("");
  const TensorSource source = [&](size_t i) -> absl::StatusOr<const void *> { return values[i].data(); };
  ASSERT_TRUE(writeTensorBundle(prefix(), tensors, source).ok());
  auto reader = TensorBundleReader::open(prefix());
  ASSERT_TRUE(reader.ok()) << reader.status();
  ASSERT_EQ(reader->tensors().size(), tensors.size());
  for (const BundleTensor &tensor : reader->tensors()) {
    const auto wanted =
        std::find_if(tensors.begin(), tensors.end(), [&](const TensorInfo &each) { return each.name == tensor.name; });
    ASSERT_NE(wanted, tensors.end());
    EXPECT_EQ(tensor.dtype, wanted->dtype);
    EXPECT_EQ(tensor.shape, wanted->shape);
    EXPECT_EQ(valuesOf(*reader, tensor), values[static_cast<size_t>(wanted - tensors.begin())]) << tensor.name;
  }
  tensors.push_back(tensors[0]);
  EXPECT_TRUE(absl::IsInvalidArgument(writeTensorBundle(prefix(), tensors, source))) << "two of one name";
  EXPECT_TRUE(TensorBundleReader::open(prefix()).ok()) << "what was there stays";
  EXPECT_TRUE(absl::IsNotFound(TensorBundleReader::open(directory_ + "/absent").status()));
}

TEST_F(TensorBundleTest, KeysOfSlices) {
  EXPECT_EQ(sliceKey("t", {0, 3}, {-1, 2}), "\0t\0\1\1\2\x80\x7f\x83\x82"s);
  EXPECT_EQ(sliceKey("a\0\xff"s, {}, {}), "\0a\0\xff\xff\0\0\1\0"s);
  EXPECT_EQ(sliceKey("", {64}, {8191}), "\0\0\1\1\1\xc0\x40\xdf\xff"s);
  EXPECT_EQ(sliceKey("", {8192}, {int64_t{1} << 40}), "\0\0\1\1\1\xe0\x20\x00\xfd\x00\x00\x00\x00\x00"s);
}

TEST_F(TensorBundleTest, SlicesAreOneTensor) {
  using Slices = std::vector<std::array<int64_t, 4>>;
  for (const Slices &slices :
       {Slices{{0, 3, 0, -1}, {3, 1, 0, -1}}, Slices{{0, -1, 0, 2}, {0, -1, 2, 1}}, Slices{{0, -1, 0, -1}},
        Slices{{0, 2, 0, 1}, {2, 2, 0, 1}, {0, 1, 1, 2}, {1, 3, 1, 2}}}) {
    entries_.clear();
    data_.clear();
    addSlices(slices);
    write();
    auto reader = TensorBundleReader::open(prefix());
    ASSERT_TRUE(reader.ok()) << reader.status();
    ASSERT_EQ(reader->tensors().size(), 1u);
    for (int64_t piece : {1, 4, 12, 20, 100})
      EXPECT_EQ(valuesOf(*reader, reader->tensors()[0], piece), floats(12)) << piece;
  }
}

TEST_F(TensorBundleTest, SlicesThatDoNotFit) {
  addSlices({{0, 3, 0, -1}, {2, 2, 0, -1}});
  EXPECT_THAT(problem(), HasSubstr("slices of tensor 'table' overlap, expected each element once"));
  entries_.clear();
  addSlices({{0, 2, 0, 2}, {1, 2, 0, 2}, {3, 1, 0, -1}, {0, 1, 2, 1}});
  EXPECT_THAT(problem(), HasSubstr("slices of tensor 'table' overlap"));
  entries_.clear();
  addSlices({{0, 3, 0, -1}});
  EXPECT_THAT(problem(), HasSubstr("slices of tensor 'table' have 36 bytes together, expected 48"));
  addSlices({{0, 3, 0, -1}, {3, 1, 0, -1}});
  const std::string key = sliceKey("table", {3, 0}, {1, -1});
  const BundleEntry last = entries_[key];
  entries_.erase(key);
  EXPECT_THAT(problem(), HasSubstr("tensor 'table' names a slice that the index lacks"));
  entries_[key] = last;
  entries_[key].dtype = 3;
  EXPECT_THAT(problem(), HasSubstr("a slice of tensor 'table' is no tensor of its dtype"));
  entries_[key] = last;
  entries_[key].shape = {3, 1};
  EXPECT_THAT(problem(), HasSubstr("a slice of tensor 'table' is f32[3, 1], expected f32[1, 3]"));
  entries_[key] = last;
  entries_["table"].slices[1].pop_back();
  EXPECT_THAT(problem(), HasSubstr("a slice of tensor 'table' has 1 dimensions, expected 2"));
  entries_["table"].slices[1] = {{3, 2}, {0, {}}};
  EXPECT_THAT(problem(), HasSubstr("has [3, +2) of dimension 0, expected a part of 4"));
  entries_["table"].slices.pop_back();
  entries_["table"].slices.push_back(entries_["table"].slices[0]);
  EXPECT_THAT(problem(), HasSubstr("slices of tensor 'table' overlap"));
  entries_.erase("table");
  EXPECT_THAT(problem(), HasSubstr("has 2 slices, of which tensors name 0"));
}

TEST_F(TensorBundleTest, EntriesThatDoNotFit) {
  const BundleEntry good = add("w", {2}, floats(2));
  const auto with = [&](auto change) {
    change(entries_["w"] = good);
    return problem();
  };
  EXPECT_THAT(with([](BundleEntry &e) { e.shape = {3}; }),
              HasSubstr("tensor 'w' has 8 bytes, expected 12 of its dtype and shape"));
  EXPECT_THAT(with([](BundleEntry &e) { e.shape = {INT64_MAX, 2}; }), HasSubstr("expected a size that can be"));
  EXPECT_THAT(with([](BundleEntry &e) { e.shape = {-2}; }), HasSubstr("tensor 'w' is f32[-2]"));
  EXPECT_THAT(with([](BundleEntry &e) { e.shape.assign(300, 1); }), HasSubstr("expected a rank of at most 254"));
  EXPECT_THAT(with([](BundleEntry &e) { e.shard = 1; }),
              HasSubstr("tensor 'w' is in data file 1, expected a number below 1"));
  EXPECT_THAT(with([](BundleEntry &e) { e.offset = 1; }),
              HasSubstr("tensor 'w' has 8 bytes at byte 1, but the file 8"));
  EXPECT_THAT(with([](BundleEntry &e) { e.offset = -8; }), HasSubstr("at byte -8"));
  EXPECT_THAT(with([](BundleEntry &e) { e.offset = INT64_MAX; }), HasSubstr("at byte 9223372036854775807"));
  EXPECT_THAT(with([](BundleEntry &e) { e.shape = {INT64_MAX / 4}, e.bytes = INT64_MAX / 4 * 4; }),
              HasSubstr("but the file 8"));
  entries_["w"] = good;
  entries_["x"] = good;
  EXPECT_THAT(problem(), HasSubstr("bytes from 0 on are of 'w' and of 'x', expected each tensor has bytes of its own"));
  entries_.erase("x");

  write(2);
  std::filesystem::remove(dataPath(0, 2));
  EXPECT_THAT(std::string(TensorBundleReader::open(prefix()).status().message()),
              HasSubstr(dataPath(0, 2) + ": the file is missing"));
  for (const auto &[header, what] :
       {std::pair("\x08\x01\x10\x01"s, "is of a big-endian machine, expected little-endian"),
        std::pair("\x08\x01\x1a\x02\x10\x02"s, "needs a reader of version 2, expected at most 1"),
        std::pair("\x08\x00"s, "tells of 0 data files"), std::pair("\x0f"s, "is no BundleHeaderProto")}) {
    SortedTableWriter index;
    index.add("", header);
    writeFile(prefix() + ".index", index.finish());
    EXPECT_THAT(std::string(TensorBundleReader::open(prefix()).status().message()), HasSubstr(what));
  }
  writeFile(prefix() + ".index", SortedTableWriter().finish());
  EXPECT_THAT(std::string(TensorBundleReader::open(prefix()).status().message()), HasSubstr("has no entries"));
}

TEST_F(TensorBundleTest, WhatIsNoNumberIsTold) {
  const std::string text = "hello";
  const uint32_t size = 5, sizeCrc = mlc::common::crc32c(&size, 4), masked = mlc::common::maskedCrc32c(sizeCrc);
  const std::string tail = std::string(reinterpret_cast<const char *>(&masked), 4) + text;
  add("text", {}, "\x05" + tail, 7);
  entries_["text"].crc = mlc::common::maskedCrc32c(mlc::common::crc32c(tail.data(), tail.size(), sizeCrc));
  add("pairs", {1}, std::string(8, '\0'), 8);
  write();
  auto reader = TensorBundleReader::open(prefix());
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_TRUE(reader->tensors().empty());
  ASSERT_EQ(reader->others().size(), 2u);
  EXPECT_EQ(reader->others()[0].dtype, "complex64");
  EXPECT_EQ(**reader->readString("text"), text);
  EXPECT_FALSE(reader->readString("pairs")->has_value());
  data_[7] = 'x';
  write();
  EXPECT_THAT(std::string(TensorBundleReader::open(prefix())->readString("text").status().message()),
              HasSubstr("tensor 'text' is damaged: its checksum does not fit (bytes 0 to 9 of the file)"));
}

/// Every truncation and every flipped bit of index and data is found, or changes nothing.
TEST_F(TensorBundleTest, EveryByte) {
  addSlices({{0, 3, 0, -1}, {3, 1, 0, -1}});
  add("w", {2}, floats(2, 5));
  write();
  for (const std::string &path : {prefix() + ".index", dataPath()}) {
    const std::string bytes = readFile(path);
    const auto isFound = [&](const std::string &damaged) {
      writeFile(path, damaged);
      auto reader = TensorBundleReader::open(prefix());
      if (!reader.ok())
        return absl::IsDataLoss(reader.status());
      for (const BundleTensor &tensor : reader->tensors())
        if (absl::Status status = reader->prove(tensor); !status.ok())
          return absl::IsDataLoss(status);
      return valuesOf(*reader, reader->tensors()[0]) == floats(12) &&
             valuesOf(*reader, reader->tensors()[1]) == floats(2, 5);
    };
    for (size_t size = 0; size < bytes.size(); ++size)
      ASSERT_TRUE(isFound(bytes.substr(0, size))) << path << ": " << size;
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      std::string damaged = bytes;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      ASSERT_TRUE(isFound(damaged)) << path << ": bit " << bit;
    }
    writeFile(path, bytes);
  }
}
