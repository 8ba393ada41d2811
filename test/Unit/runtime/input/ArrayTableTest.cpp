// Arrays as data: .npy, .npz and .safetensors, in memory and mapped, whole and damaged.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/ArrayTable.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/input/BatchReader.h"
#include "runtime/src/input/NpyHeader.h"
#include "runtime/src/input/ZipFile.h"
#include "test/Unit/runtime/input/InputTestSupport.h"
#include "test/Unit/runtime/input/Packed.h"

#include <cstring>
#include <numeric>
#include <zlib.h>

using namespace mlcrt;
using namespace mlcrt::test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// A .npy file of `values`.
template <typename T>
static std::string npy(std::string_view descr, const std::vector<int64_t> &shape, const std::vector<T> &values) {
  std::string bytes = npyFront(descr, shape.data(), static_cast<int32_t>(shape.size()));
  return bytes.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
}

template <typename T> static void put(std::string &out, T value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

/// How a zip file is written.
struct ZipForm {
  bool deflate = false;
  bool zip64 = false; ///< sizes and places in zip64 records, as numpy writes large ones
  std::string comment = {};
};

static std::string zip(const std::vector<std::pair<std::string, std::string>> &members, const ZipForm &form = {}) {
  std::string file, directory;
  for (const auto &[name, bytes] : members) {
    const std::string stored = form.deflate ? deflated(bytes, -MAX_WBITS) : bytes;
    const auto crc = static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
    const auto method = static_cast<uint16_t>(form.deflate ? 8 : 0);
    const uint64_t begin = file.size();
    const auto sizes = [&, &name = name, &bytes = bytes](std::string &out) {
      put<uint32_t>(out, form.zip64 ? 0xffffffff : static_cast<uint32_t>(stored.size()));
      put<uint32_t>(out, form.zip64 ? 0xffffffff : static_cast<uint32_t>(bytes.size()));
      put<uint16_t>(out, static_cast<uint16_t>(name.size()));
    };
    put<uint32_t>(file, 0x04034b50);
    for (const uint16_t field : {uint16_t{45}, uint16_t{0}, method, uint16_t{0}, uint16_t{0}})
      put(file, field);
    put(file, crc);
    sizes(file);
    put<uint16_t>(file, 0);
    file += name + stored;
    put<uint32_t>(directory, 0x02014b50);
    for (const uint16_t field : {uint16_t{45}, uint16_t{45}, uint16_t{0}, method, uint16_t{0}, uint16_t{0}})
      put(directory, field);
    put(directory, crc);
    sizes(directory);
    put<uint16_t>(directory, form.zip64 ? 4 + 6 + 28 : 0);
    for (int i = 0; i < 3; ++i)
      put<uint16_t>(directory, 0);
    put<uint32_t>(directory, 0);
    put<uint32_t>(directory, form.zip64 ? 0xffffffff : static_cast<uint32_t>(begin));
    directory += name;
    if (form.zip64) { // after a field of another kind
      put<uint16_t>(directory, 0x5455), put<uint16_t>(directory, 6);
      directory += "abcdef";
      put<uint16_t>(directory, 1), put<uint16_t>(directory, 24);
      put<uint64_t>(directory, bytes.size()), put<uint64_t>(directory, stored.size()), put<uint64_t>(directory, begin);
    }
  }
  const uint64_t begin = file.size();
  file += directory;
  if (form.zip64) {
    const uint64_t record = file.size();
    put<uint32_t>(file, 0x06064b50), put<uint64_t>(file, 44);
    put<uint16_t>(file, 45), put<uint16_t>(file, 45), put<uint32_t>(file, 0), put<uint32_t>(file, 0);
    put<uint64_t>(file, members.size()), put<uint64_t>(file, members.size());
    put<uint64_t>(file, directory.size()), put<uint64_t>(file, begin);
    put<uint32_t>(file, 0x07064b50), put<uint32_t>(file, 0), put<uint64_t>(file, record), put<uint32_t>(file, 1);
  }
  const auto count = static_cast<uint16_t>(form.zip64 ? 0xffff : members.size());
  put<uint32_t>(file, 0x06054b50);
  for (const uint16_t field : {uint16_t{0}, uint16_t{0}, count, count})
    put(file, field);
  put<uint32_t>(file, static_cast<uint32_t>(directory.size()));
  put<uint32_t>(file, form.zip64 ? 0xffffffff : static_cast<uint32_t>(begin));
  put<uint16_t>(file, static_cast<uint16_t>(form.comment.size()));
  return file + form.comment;
}

static TensorSpec feature(const char *name, mlcrt_dtype dtype, const std::vector<int64_t> &shape = {}) {
  Dims dims = {MLCRT_DIM_SYMBOL(0)};
  dims.insert(dims.end(), shape.begin(), shape.end());
  return {name, dtype, std::move(dims)};
}

class ArrayTableTest : public testing::Test {
protected:
  absl::StatusOr<ArrayTable> open(const std::vector<std::string> &globs, int64_t memoryLimit = int64_t{1} << 30) const {
    absl::StatusOr<std::vector<DataFile>> files = resolveFiles(globs);
    if (!files.ok())
      return files.status();
    FileDataOptions options;
    options.memoryLimit = memoryLimit;
    options.spillDir = dir_.path();
    return ArrayTable::open(*std::move(files), options);
  }
  absl::Status bind(const std::vector<std::string> &globs, const std::vector<TensorSpec> &features) const {
    absl::StatusOr<ArrayTable> table = open(globs);
    return table.ok() ? table->bind(features) : table.status();
  }
  std::string errorOf(const std::string &bytes) const {
    const std::string path = dir_.write("bad.npz", bytes);
    const absl::Status status = open({path}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    return message(status);
  }
  template <typename T> static std::vector<T> gather(const ArrayTable &table, size_t f, std::vector<int64_t> rows) {
    std::vector<T> out(64);
    StringArena arena;
    const absl::Status status = table.gather(f, rows, reinterpret_cast<char *>(out.data()), arena);
    EXPECT_TRUE(status.ok()) << status;
    return out;
  }

  TemporaryDirectory dir_;
  const std::string x_ = npy<float>("<f4", {4, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  const std::string y_ = npy<int64_t>("<i8", {4}, {10, 11, 12, 13});
};

TEST_F(ArrayTableTest, EveryFormOfZipHasTheSameArrays) {
  for (const ZipForm &form : {ZipForm{}, ZipForm{true}, ZipForm{false, true}, ZipForm{true, true},
                              ZipForm{false, false, "a comment PK\5\6 of any bytes"}})
    for (const int64_t limit : {int64_t{0}, int64_t{1} << 20}) {
      const std::string path = dir_.write("a.npz", zip({{"x.npy", x_}, {"y.npy", y_}}, form));
      absl::StatusOr<ArrayTable> table = open({path}, limit);
      ASSERT_TRUE(table.ok()) << table.status();
      ASSERT_TRUE(table->bind({feature("y", MLCRT_I64), feature("x", MLCRT_F32, {2})}).ok());
      EXPECT_EQ(table->rows(), 4);
      EXPECT_THAT(std::vector<int64_t>(gather<int64_t>(*table, 0, {3, 0, 3})).front(), 13);
      std::vector<float> x = gather<float>(*table, 1, {2, 0});
      x.resize(4);
      EXPECT_THAT(x, ElementsAre(4, 5, 0, 1));
      EXPECT_EQ(toText(table->where(2)), path + ": record 3");
    }
}

TEST_F(ArrayTableTest, Safetensors) {
  const std::vector<float> x = {0, 1, 2, 3};
  const std::vector<uint8_t> b = {1, 0};
  const std::string path = dir_.file("a.safetensors");
  ASSERT_TRUE(writeSafetensors(path, {{"x", MLCRT_F32, {2, 2}}, {"b", MLCRT_BOOL, {2}}},
                               [&](size_t i) -> absl::StatusOr<const void *> {
                                 return i ? static_cast<const void *>(b.data()) : x.data();
                               })
                  .ok());
  absl::StatusOr<ArrayTable> table = open({path});
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_TRUE(table->bind({feature("b", MLCRT_BOOL)}).ok());
  EXPECT_THAT(table->unread(), ElementsAre("x"));
  EXPECT_EQ(gather<uint8_t>(*table, 0, {0})[0], 1);
}

TEST_F(ArrayTableTest, FilesAreShardsInTheirOrder) {
  const std::string z = npy<int64_t>("<i8", {1}, {99}), w = npy<float>("<f4", {1, 2}, {8, 9});
  const std::vector<std::string> shards = {dir_.write("0.npz", zip({{"x.npy", x_}, {"y.npy", y_}})),
                                           dir_.write("1.npz", zip({{"y.npy", z}, {"x.npy", w}}))};
  std::filesystem::create_directories(dir_.file("a"));
  std::filesystem::create_directories(dir_.file("b"));
  dir_.write("a/x.npy", x_), dir_.write("a/y.npy", y_), dir_.write("b/x.npy", w), dir_.write("b/y.npy", z);
  for (const std::vector<std::string> &globs : {shards, {dir_.file("?/*.npy")}}) {
    absl::StatusOr<ArrayTable> table = open(globs);
    ASSERT_TRUE(table.ok()) << table.status();
    const absl::Status status = table->bind({feature("x", MLCRT_F32, {2}), feature("y", MLCRT_I64)});
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(table->rows(), 5);
    std::vector<int64_t> y = gather<int64_t>(*table, 1, {4, 1, 4});
    y.resize(3);
    EXPECT_THAT(y, ElementsAre(99, 11, 99));
    EXPECT_THAT(toText(table->where(4)), HasSubstr(": record 1"));
  }
  // What has one feature alone needs no names.
  absl::StatusOr<ArrayTable> table = open({dir_.file("a/y.npy"), dir_.file("b/y.npy")});
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_TRUE(table->bind({feature("label", MLCRT_I64)}).ok());
  EXPECT_EQ(table->rows(), 5);
}

TEST_F(ArrayTableTest, Texts) {
  const std::vector<uint32_t> wide = {'a', 0xe4, 0, 0x1f600, 0, 0};
  const std::string u = npy<uint32_t>("<U3", {2}, wide), s = npy<char>("|S2", {2, 1}, {'o', 'k', 'b', '\0'});
  const std::string path = dir_.write("t.npz", zip({{"u.npy", u}, {"s.npy", s}}));
  absl::StatusOr<ArrayTable> table = open({path});
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_TRUE(table->bind({feature("u", MLCRT_STRING), feature("s", MLCRT_STRING, {1})}).ok());
  StringArena arena;
  std::vector<mlcrt_string> cells(2);
  for (const auto &[f, expected] : {std::pair{0, std::vector<std::string>{"\U0001F600", "a\u00e4"}},
                                    std::pair{1, std::vector<std::string>{"b", "ok"}}}) {
    ASSERT_TRUE(table->gather(f, {1, 0}, reinterpret_cast<char *>(cells.data()), arena).ok());
    for (size_t i = 0; i < 2; ++i)
      EXPECT_EQ(std::string(cells[i].data, static_cast<size_t>(cells[i].size)), expected[i]);
  }
  const std::string bad = npy<uint32_t>("<U1", {1}, {0x110000});
  absl::StatusOr<ArrayTable> broken = open({dir_.write("u.npy", bad)});
  ASSERT_TRUE(broken.ok() && broken->bind({feature("u", MLCRT_STRING)}).ok());
  EXPECT_THAT(message(broken->gather(0, {0}, reinterpret_cast<char *>(cells.data()), arena)),
              HasSubstr("u.npy: record 1: array 'u' has a character that is none"));
}

TEST_F(ArrayTableTest, ArraysInMemory) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const std::string texts[] = {"one", "", "a text longer than the others"};
  std::vector<mlcrt_string> cells;
  for (const std::string &text : texts)
    cells.push_back({text.data(), static_cast<int64_t>(text.size())});
  MemoryArrays arrays{"the caller's arrays", {}, nullptr};
  StoredArray number{"x", MLCRT_F32, {3, 2}, 4, false, {}};
  number.bytes = {reinterpret_cast<const char *>(x.data()), x.size() * sizeof(float)};
  StoredArray text{"t", MLCRT_STRING, {3}, 0, false, {}};
  text.texts = cells.data();
  arrays.arrays = {number, text};
  ArrayTable table = ArrayTable::ofMemory(arrays);
  const absl::Status bound = table.bind({feature("x", MLCRT_F32, {2}), feature("t", MLCRT_STRING)});
  ASSERT_TRUE(bound.ok()) << bound;
  EXPECT_EQ(table.rows(), 3);
  StringArena arena;
  std::vector<float> values(4);
  ASSERT_TRUE(table.gather(0, {2, 0}, reinterpret_cast<char *>(values.data()), arena).ok());
  EXPECT_THAT(values, ElementsAre(5, 6, 1, 2));
  std::vector<mlcrt_string> found(2);
  ASSERT_TRUE(table.gather(1, {2, 0}, reinterpret_cast<char *>(found.data()), arena).ok());
  EXPECT_EQ(found[0].data, texts[2].data()) << "texts stay where they are";
  EXPECT_EQ(std::string_view(found[1].data, static_cast<size_t>(found[1].size)), "one");
  EXPECT_EQ(table.where(1).file, "the caller's arrays");

  // A resumed run knows the data again by its checksum.
  const uint32_t crc = table.list().front().crc;
  EXPECT_EQ(ArrayTable::ofMemory(arrays).list().front().crc, crc);
  cells[1] = cells[0];
  EXPECT_NE(ArrayTable::ofMemory(arrays).list().front().crc, crc);

  arrays.arrays[1].shape = {2};
  table = ArrayTable::ofMemory(arrays);
  EXPECT_EQ(message(table.bind({feature("x", MLCRT_F32, {2}), feature("t", MLCRT_STRING)})),
            "the caller's arrays: array 't' has 2 examples, expected 3, as array 'x' has");
}

TEST_F(ArrayTableTest, SeveralValuesForEachExample) {
  const std::vector<int64_t> ids = {7, -1, 3, -1, -1, -1, 1, 2, 5};
  const std::vector<float> shares = {1, 0, 2, 0, 0, 0, 3, 4, 5};
  const auto array = [](const char *name, mlcrt_dtype dtype, std::vector<int64_t> shape, const auto &values) {
    StoredArray made{name, dtype, std::move(shape), static_cast<int64_t>(sizeof(values[0])), false, {}};
    made.bytes = {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(values[0])};
    return made;
  };
  MemoryArrays arrays{
      "rows", {array("ids", MLCRT_I64, {3, 3}, ids), array("ids.weight", MLCRT_F32, {3, 3}, shares)}, nullptr};
  const TensorSpec values{"ids", MLCRT_I64, {MLCRT_DIM_SYMBOL(1)}},
      weights{"ids.weight", MLCRT_F32, {MLCRT_DIM_SYMBOL(1)}}, ends{"ids.ends", MLCRT_I64, {MLCRT_DIM_SYMBOL(0)}};
  // In any order of the features.
  for (const std::vector<TensorSpec> &features :
       {std::vector<TensorSpec>{values, weights, ends}, {ends, weights, values}, {weights, ends, values}}) {
    ArrayTable table = ArrayTable::ofMemory(arrays);
    const absl::Status bound = table.bind(features);
    ASSERT_TRUE(bound.ok()) << bound;
    const std::unique_ptr<Dataset> dataset = Dataset::ofArrays(std::move(table), features);
    BatchOptions options;
    options.batchSize = 3;
    BatchReader reader(*dataset, options);
    Batch batch;
    reader.prepare(batch);
    ASSERT_TRUE(reader.read({0, 0}, batch).ok());
    for (size_t f = 0; f < features.size(); ++f) {
      const TensorView &column = batch.columns()[f];
      const auto *numbers = static_cast<const int64_t *>(column.data);
      if (features[f].name == std::string("ids"))
        EXPECT_THAT(std::vector<int64_t>(numbers, numbers + column.dims[0]), ElementsAre(7, 3, 1, 2, 5));
      else if (features[f].name == std::string("ids.ends"))
        EXPECT_THAT(std::vector<int64_t>(numbers, numbers + column.dims[0]), ElementsAre(2, 2, 5));
      else
        EXPECT_THAT(std::vector<float>(static_cast<const float *>(column.data),
                                       static_cast<const float *>(column.data) + column.dims[0]),
                    ElementsAre(1, 2, 3, 4, 5));
    }
  }
  arrays.arrays[1].shape = {3, 2};
  EXPECT_EQ(
      message(ArrayTable::ofMemory(arrays).bind({values, weights, ends})),
      "rows: array 'ids.weight' is f32[3, 2], expected a weight for each cell of array 'ids', which is i64[3, 3]");
  arrays.arrays[0].shape = {9};
  EXPECT_EQ(message(ArrayTable::ofMemory(arrays).bind({values, ends})),
            "rows: array 'ids' is i64[9], expected i64[?, ?]: some cells for each example");
  EXPECT_THAT(message(ArrayTable::ofMemory(arrays).bind({values})),
              HasSubstr("feature 'ids' has any number of values for each example, and no 'ids.ends' is read"));
}

TEST_F(ArrayTableTest, WhatDoesNotFit) {
  const std::string path = dir_.write("a.npz", zip({{"x.npy", x_}, {"y.npy", y_}}));
  const auto error = [&](const TensorSpec &value) { return message(bind({path}, {value})); };
  EXPECT_EQ(error(feature("x", MLCRT_F64, {2})), path + ": array 'x' is f32[4, 2], expected f64[?, 2]");
  EXPECT_EQ(error(feature("x", MLCRT_F32)), path + ": array 'x' is f32[4, 2], expected f32[?]");
  EXPECT_EQ(error(feature("z", MLCRT_F32)), path + ": there is no array 'z', expected f32[?]; found x, y");
  TensorSpec list = feature("x", MLCRT_F32);
  list.dims[0] = MLCRT_DIM_SYMBOL(1);
  EXPECT_THAT(error(list), HasSubstr("feature 'x' has any number of values for each example"));
  list.dims[0] = 4;
  EXPECT_THAT(error(list), HasSubstr("feature 'x' is f32[4], expected a first dimension '?'"));
  const std::string three = npy<int64_t>("<i8", {3}, {1, 2, 3});
  const std::string ragged = dir_.write("r.npz", zip({{"x.npy", x_}, {"y.npy", three}}));
  EXPECT_EQ(message(bind({ragged}, {feature("x", MLCRT_F32, {2}), feature("y", MLCRT_I64)})),
            ragged + ": array 'y' has 3 examples, expected 4, as array 'x' has");
}

TEST_F(ArrayTableTest, SizesBehindTheExamplesAreThoseOfTheArrays) {
  const TensorSpec x = feature("x", MLCRT_F32, {MLCRT_DIM_SYMBOL(1)});
  const TensorSpec other = feature("o", MLCRT_F32, {2, MLCRT_DIM_SYMBOL(2)});
  const std::string o = npy<float>("<f4", {4, 2, 1}, {0, 1, 2, 3, 4, 5, 6, 7});
  const std::string path = dir_.write("a.npz", zip({{"x.npy", x_}, {"o.npy", o}}));
  absl::StatusOr<ArrayTable> table = open({path});
  ASSERT_TRUE(table.ok()) << table.status();
  const absl::Status status = table->bind({x, other});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(table->features()[0].dims[1], 2);
  EXPECT_EQ(table->features()[1].dims[1], 2);
  EXPECT_EQ(table->features()[1].dims[2], 1);
  // One symbol has one size, in all arrays and in all shards.
  const TensorSpec same = feature("o", MLCRT_F32, {2, MLCRT_DIM_SYMBOL(1)});
  EXPECT_THAT(message(bind({path}, {x, same})),
              AllOf(HasSubstr("array 'o' is f32[4, 2, 1]: its dimension 2 is 1"), HasSubstr("2, as in array 'x' of ")));
  const std::string longer = dir_.write("b.npz", zip({{"x.npy", npy<float>("<f4", {2, 3}, {0, 1, 2, 3, 4, 5})}}));
  EXPECT_THAT(message(bind({path, longer}, {x})),
              AllOf(HasSubstr("array 'x' is f32[2, 3]: its dimension 1 is 3"), HasSubstr("a.npz")));
  // The examples are no size after themselves.
  EXPECT_EQ(bind({path}, {feature("x", MLCRT_F32, {MLCRT_DIM_SYMBOL(0)})}).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ArrayTableTest, DamageIsFound) {
  const std::string good = zip({{"x.npy", x_}, {"y.npy", y_}}), packed = zip({{"x.npy", x_}}, {true});
  EXPECT_THAT(errorOf(good.substr(0, good.size() - 1)), HasSubstr("has no directory at its end"));
  EXPECT_THAT(errorOf(zip({{"x.txt", "text"}})), HasSubstr("has the member 'x.txt', which is no array"));
  EXPECT_THAT(errorOf(zip({{"x.npy", "text"}})), HasSubstr("array 'x' is no .npy file"));
  EXPECT_THAT(errorOf(zip({{"x.npy", x_}, {"x.npy", x_}})), HasSubstr("member 'x.npy' occurs twice"));
  EXPECT_THAT(errorOf(zip({{"b.npy", npy<char>("|b1", {2}, {1, 2})}})), HasSubstr("a bool that is neither 0 nor 1"));
  EXPECT_THAT(errorOf(zip({{"x.npy", x_ + "more"}})), HasSubstr("array 'x' has 36 bytes of elements, expected 32"));
  std::string flipped = good;
  flipped[100] ^= 1; // in the header of x
  EXPECT_THAT(errorOf(flipped), HasSubstr("does not have the recorded checksum"));
  // Any byte of an archive may be another: an error, or what nothing depends on; never a crash.
  const auto unpackAll = [](std::string_view bytes) -> absl::Status {
    absl::StatusOr<std::vector<ZipMember>> members = listZip("c.npz", bytes);
    if (!members.ok())
      return members.status();
    for (const ZipMember &member : *members) {
      std::string array;
      const absl::Status status = unpackMember("c.npz", member, [&](std::string_view piece) {
        array += std::string(piece);
        return absl::OkStatus();
      });
      if (!status.ok())
        return status;
      if (absl::StatusOr<NpyHeader> header = readNpyHeader("c.npz", member.name, array); !header.ok())
        return header.status();
    }
    return absl::OkStatus();
  };
  int found = 0;
  for (const std::string &whole : {good, packed, zip({{"x.npy", x_}}, {false, true})}) {
    EXPECT_TRUE(unpackAll(whole).ok());
    for (size_t i = 0; i < whole.size(); ++i)
      for (const char bit : {'\x01', '\x80'}) {
        std::string changed = whole;
        changed[i] = static_cast<char>(changed[i] ^ bit);
        const absl::Status status = unpackAll(changed);
        EXPECT_TRUE(status.ok() || absl::IsDataLoss(status)) << i << ": " << status;
        found += !status.ok();
      }
    for (size_t size = 0; size < whole.size(); ++size)
      EXPECT_FALSE(unpackAll(std::string_view(whole).substr(0, size)).ok()) << size;
  }
  EXPECT_GT(found, 500) << "all but fields that nothing reads";
}

TEST_F(ArrayTableTest, AMappedFileThatChangesIsFound) {
  const std::string path = dir_.write("x.npy", x_);
  absl::StatusOr<ArrayTable> table = open({path}, /*memoryLimit=*/0);
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_TRUE(table->bind({feature("x", MLCRT_F32, {2})}).ok());
  EXPECT_EQ(gather<float>(*table, 0, {1})[0], 2);
  std::filesystem::resize_file(path, 8);
  std::vector<float> out(2);
  StringArena arena;
  EXPECT_THAT(message(table->gather(0, {1}, reinterpret_cast<char *>(out.data()), arena)),
              HasSubstr("x.npy: the file was changed while it was read"));
}

TEST_F(ArrayTableTest, KindsOfFilesAreTold) {
  const std::string array = dir_.write("x.npy", x_), csv = dir_.write("x.csv", "a,b\n1,2\n");
  const auto kinds = [&](const std::vector<std::string> &paths) { return holdArrays(*resolveFiles(paths)); };
  EXPECT_TRUE(*kinds({array}));
  EXPECT_FALSE(*kinds({csv}));
  EXPECT_EQ(message(kinds({array, csv}).status()),
            csv + ": is no file of arrays, but '" + array + "' is one, expected files of one kind");
}

TEST_F(ArrayTableTest, NumbersThatColumnsRefuse) {
  InputFormat format;
  format.columns = {column("x", MLCRT_F32), column("w", MLCRT_F64)};
  format.columns[0].finite = format.columns[1].finite = true;
  format.columns[1].role = ColumnRole::Weight;
  TensorSpec x = feature("x", MLCRT_F32);
  x.dims.push_back(700); // more than a block of the search
  const auto errorOf = [&](const std::vector<float> &xs, const std::vector<double> &ws, const InputFormat *columns) {
    const std::string path =
        dir_.write("n.npz", zip({{"x.npy", npy("<f4", {4, 700}, xs)}, {"w.npy", npy("<f8", {4}, ws)}}));
    absl::StatusOr<ArrayTable> table = open({path});
    EXPECT_TRUE(table.ok() && table->bind({x, feature("w", MLCRT_F64)}, columns).ok());
    std::vector<float> rows(2 * 700);
    StringArena arena;
    absl::Status status = table->gather(0, {3, 1}, reinterpret_cast<char *>(rows.data()), arena);
    if (status.ok())
      status = table->gather(1, {3, 1}, reinterpret_cast<char *>(rows.data()), arena);
    return status.ok() ? "" : message(status).substr(dir_.path().size() + 1);
  };
  const std::vector<float> good(4 * 700, 1);
  const std::vector<double> ones = {1, 0, -0.0, 1};
  EXPECT_EQ(errorOf(good, ones, &format), "");
  for (const float bad : {INFINITY, -INFINITY, NAN}) {
    std::vector<float> xs = good;
    xs[1 * 700 + 650] = bad;
    EXPECT_THAT(errorOf(xs, ones, &format), AllOf(HasSubstr("n.npz: record 2: number "),
                                                  HasSubstr(", value 651 of 700 in array 'x' is not finite")));
    EXPECT_EQ(errorOf(xs, ones, nullptr), ""); // a program may mean something by it
    xs = good;
    xs[0] = bad; // of a row that is not read
    EXPECT_EQ(errorOf(xs, ones, &format), "");
  }
  EXPECT_EQ(errorOf(good, {1, 1, 1, -0.5}, &format),
            "n.npz: record 4: negative weight -0.5 in array 'w', expected a weight >= 0");
  EXPECT_THAT(errorOf(good, {1, NAN, 1, 1}, &format), HasSubstr("record 2: number nan in array 'w' is not finite"));
}

TEST_F(ArrayTableTest, BatchesHaveTheOrderOfOtherFiles) {
  InputFormat format;
  format.columns = {column("y", MLCRT_I64)};
  std::string text = "y\n";
  std::vector<int64_t> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (const int64_t number : numbers)
    text += std::to_string(number) + "\n";
  const std::string csv = dir_.write("y.csv", text), array = dir_.write("y.npy", npy("<i8", {1000}, numbers));
  auto records = openAll({csv}, format);
  ASSERT_TRUE(records.ok()) << records.status();
  absl::StatusOr<ArrayTable> table = open({array});
  const std::vector<TensorSpec> features = {feature("y", MLCRT_I64)};
  ASSERT_TRUE(table.ok() && table->bind(features).ok());
  const auto arrays = Dataset::ofArrays(*std::move(table), features);
  BatchOptions options;
  options.batchSize = 96;
  options.shuffle = true;
  options.seed = 7;
  BatchReader a(**records, options), b(*arrays, options);
  Batch left, right;
  a.prepare(left);
  b.prepare(right);
  for (int64_t number = 0; number < 25; ++number) {
    ASSERT_TRUE(a.read(a.stateOf(number), left).ok() && b.read(b.stateOf(number), right).ok());
    ASSERT_EQ(left.rows(), right.rows());
    EXPECT_EQ(std::memcmp(left.columns()[0].data, right.columns()[0].data, static_cast<size_t>(left.rows()) * 8), 0);
  }
}
