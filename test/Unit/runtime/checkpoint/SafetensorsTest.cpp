// Safetensors files: round trips, layout, and everything hostile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Safetensors.h"

#include "CheckpointFixture.h"
#include "common/checkpoint/Crc32c.h"

using namespace mlcrt;
using testing::HasSubstr;

class SafetensorsTest : public CheckpointFixture {
protected:
  std::string path() const { return directory_ + "/t.safetensors"; }

  /// A file of the given header text and data.
  void put(const std::string &header, const std::string &data) {
    uint64_t length = header.size();
    std::string bytes(reinterpret_cast<const char *>(&length), 8);
    writeFile(path(), bytes + header + data);
  }
  std::string openError() {
    absl::StatusOr<SafetensorsReader> reader = SafetensorsReader::open(path());
    EXPECT_FALSE(reader.ok());
    EXPECT_TRUE(absl::IsDataLoss(reader.status())) << reader.status();
    return std::string(reader.status().message());
  }
};

static TensorInfo info(std::string name, mlcrt_dtype dtype, std::vector<int64_t> shape) {
  TensorInfo tensor;
  tensor.name = std::move(name);
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  return tensor;
}

TEST_F(SafetensorsTest, AllDtypesRoundTrip) {
  std::vector<TensorInfo> tensors;
  std::vector<std::string> values;
  for (int32_t dtype = MLCRT_F32; dtype <= MLCRT_BOOL; ++dtype) {
    tensors.push_back(info("t" + std::to_string(dtype), static_cast<mlcrt_dtype>(dtype), {3, 5}));
    std::string bytes(15 * dtypeSize(dtype), '\0');
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = dtype == MLCRT_BOOL ? i % 2 : static_cast<char>(i * 37 + dtype);
    values.push_back(bytes);
  }
  tensors.push_back(info("scalar", MLCRT_F64, {}));
  values.push_back("12345678");
  tensors.push_back(info("empty", MLCRT_F32, {0, 7}));
  values.push_back("");
  auto written =
      writeSafetensors(path(), tensors, [&](size_t i) -> absl::StatusOr<const void *> { return values[i].data(); });
  ASSERT_TRUE(written.ok()) << written.status();
  std::string bytes = readFile(path());
  EXPECT_EQ(written->size, static_cast<int64_t>(bytes.size()));
  EXPECT_EQ(written->crc, mlc::common::crc32c(bytes.data(), bytes.size()));
  EXPECT_FALSE(std::filesystem::exists(path() + ".tmp"));

  auto reader = SafetensorsReader::open(path());
  ASSERT_TRUE(reader.ok()) << reader.status();
  ASSERT_EQ(reader->tensors().size(), tensors.size());
  EXPECT_EQ(reader->tensors()[0].offset % 64, 0);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo *found = reader->find(tensors[i].name);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->dtype, tensors[i].dtype);
    EXPECT_EQ(found->shape, tensors[i].shape);
    EXPECT_EQ(found->offset, written->tensors[i].offset);
    EXPECT_EQ(found->offset % dtypeSize(found->dtype), 0) << "aligned to its elements";
    std::string value(found->bytes, '\0');
    ASSERT_TRUE(reader->read(*found, value.data()).ok());
    EXPECT_EQ(value, values[i]);
    EXPECT_EQ(written->tensors[i].crc, mlc::common::crc32c(value.data(), value.size()));
  }
}

TEST_F(SafetensorsTest, NoTensorAndNames) {
  ASSERT_TRUE(writeSafetensors(path(), {}, nullptr).ok());
  ASSERT_TRUE(SafetensorsReader::open(path()).ok());
  auto source = [](size_t) -> absl::StatusOr<const void *> { return "1234"; };
  ASSERT_TRUE(writeSafetensors(path(), {info("a/\"b\"\n\xC3\xA4", MLCRT_F32, {})}, source).ok());
  EXPECT_NE(SafetensorsReader::open(path())->find("a/\"b\"\n\xC3\xA4"), nullptr);
  EXPECT_TRUE(absl::IsInvalidArgument(
      writeSafetensors(path(), {info("a", MLCRT_F32, {}), info("a", MLCRT_F32, {})}, source).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(writeSafetensors(path(), {info("a", MLCRT_STRING, {})}, source).status()));
  EXPECT_TRUE(absl::IsPermissionDenied(writeSafetensors(directory_ + "/no/t", {}, nullptr).status()));
}

TEST_F(SafetensorsTest, OrderOfTensorsDoesNotChangeTheBytes) {
  std::vector<TensorInfo> tensors = {info("b", MLCRT_F32, {1}), info("a", MLCRT_F32, {1}), info("c", MLCRT_F64, {1})};
  std::vector<const char *> values = {"bbbb", "aaaa", "cccccccc"};
  auto write = [&](std::vector<size_t> order) {
    std::vector<TensorInfo> list;
    for (size_t i : order)
      list.push_back(tensors[i]);
    auto source = [&](size_t i) -> absl::StatusOr<const void *> { return values[order[i]]; };
    EXPECT_TRUE(writeSafetensors(path(), list, source).ok());
    return readFile(path());
  };
  std::string bytes = write({0, 1, 2});
  EXPECT_EQ(write({2, 1, 0}), bytes);
  EXPECT_EQ(bytes.substr(bytes.size() - 16), "ccccccccaaaabbbb");
}

TEST_F(SafetensorsTest, FailingSourceLeavesTheOldFile) {
  writeFile(path(), "old");
  auto source = [](size_t) -> absl::StatusOr<const void *> { return absl::InternalError("no"); };
  EXPECT_FALSE(writeSafetensors(path(), {info("a", MLCRT_F32, {})}, source).ok());
  EXPECT_EQ(readFile(path()), "old");
  EXPECT_FALSE(std::filesystem::exists(path() + ".tmp"));
}

TEST_F(SafetensorsTest, ReadsWhatOthersWrite) {
  put(R"({"__metadata__":{"format":"pt"},"b":{"shape":[2],"dtype":"I16","data_offsets":[4,8]},)"
      R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})",
      "aaaabbbb");
  auto reader = SafetensorsReader::open(path());
  ASSERT_TRUE(reader.ok()) << reader.status();
  ASSERT_EQ(reader->tensors().size(), 2u);
  EXPECT_EQ(reader->tensors()[0].name, "a");
}

TEST_F(SafetensorsTest, TruncationAtEveryByteIsFound) {
  std::string value(40, 'x');
  ASSERT_TRUE(writeSafetensors(path(), {info("a", MLCRT_F32, {10})}, [&](size_t) -> absl::StatusOr<const void *> {
                return value.data();
              }).ok());
  std::string bytes = readFile(path());
  for (size_t size = 0; size < bytes.size(); ++size) {
    writeFile(path(), bytes.substr(0, size));
    ASSERT_THAT(openError(), HasSubstr("t.safetensors")) << size;
  }
  writeFile(path(), bytes + "x");
  EXPECT_THAT(openError(), HasSubstr("after the last tensor"));
}

TEST_F(SafetensorsTest, HeaderBitFlipsNeverCrashAndNeverPassUnnoticedInOffsets) {
  std::string value(40, 'x');
  ASSERT_TRUE(writeSafetensors(path(), {info("a", MLCRT_F32, {10})}, [&](size_t) -> absl::StatusOr<const void *> {
                return value.data();
              }).ok());
  std::string bytes = readFile(path());
  for (size_t bit = 0; bit < 8 * (bytes.size() - 40); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    writeFile(path(), flipped);
    auto reader = SafetensorsReader::open(path());
    // What still opens (another name, another dtype of the same size) has tensors inside the file.
    if (reader.ok())
      for (const TensorInfo &tensor : reader->tensors())
        ASSERT_LE(tensor.offset + tensor.bytes, reader->size());
    else
      ASSERT_TRUE(absl::IsDataLoss(reader.status()));
  }
}

TEST_F(SafetensorsTest, HostileHeaders) {
  uint64_t huge = 100'000'001;
  writeFile(path(), std::string(reinterpret_cast<const char *>(&huge), 8) + "{}");
  EXPECT_THAT(openError(), HasSubstr("claims 100000001 bytes"));
  huge = ~uint64_t{0};
  writeFile(path(), std::string(reinterpret_cast<const char *>(&huge), 8) + "{}");
  EXPECT_THAT(openError(), HasSubstr("claims"));

  auto tensor = [](const char *fields) { return std::string("{\"a\":{") + fields + "}}"; };
  struct Case {
    std::string header;
    const char *expected;
  };
  for (
      const Case &bad : std::vector<Case>{
          {"", "not a JSON object"},
          {"[]", "not a JSON object"},
          {"{", "not valid JSON"},
          {std::string(50000, '{'), "not valid JSON"},
          {"{\"a\":" + std::string(100000, '['), "not valid JSON"},
          {"{\"a\":3}", "tensor 'a'"},
          {"{\"__metadata__\":3}", "__metadata__"},
          {tensor(R"("dtype":"F32","shape":[2])"), "expected"},
          {tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1)"), "expected"},
          {tensor(R"("dtype":"F33","shape":[2],"data_offsets":[0,8])"), "unknown dtype"},
          {tensor(R"("dtype":7,"shape":[2],"data_offsets":[0,8])"), "unknown dtype"},
          {tensor(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"), "bad shape"},
          {tensor(R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])"), "bad shape"},
          {tensor(R"("dtype":"F32","shape":"2","data_offsets":[0,8])"), "bad shape"},
          {tensor(R"("dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8])"), "bad shape"},
          {tensor(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8])"), "overflows"},
          {tensor(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"), "does not fit"},
          {tensor(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])"), "outside"},
          {tensor(R"("dtype":"F32","shape":[3],"data_offsets":[0,12])"), "outside"},
          {tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,-8])"), "data_offsets"},
          {tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0])"), "data_offsets"},
          {tensor(R"("dtype":"F32","shape":[1],"data_offsets":[4,8])"), "hole"},
          {tensor(R"("dtype":"F32","shape":[1],"data_offsets":[0,4])"), "after the last"},
          {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
           "overlap"},
          {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
           "twice"}}) {
    put(bad.header, "01234567");
    EXPECT_THAT(openError(), HasSubstr(bad.expected)) << bad.header.substr(0, 100);
  }
}

TEST_F(SafetensorsTest, MissingFileAndDirectory) {
  EXPECT_TRUE(absl::IsNotFound(SafetensorsReader::open(path()).status()));
  std::filesystem::create_directory(path());
  EXPECT_TRUE(absl::IsDataLoss(SafetensorsReader::open(path()).status()));
}
