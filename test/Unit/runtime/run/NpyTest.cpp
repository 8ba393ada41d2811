// .npy files: every type there and back, known bytes, every kind of damage.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/run/Npy.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlcrt;
using testing::HasSubstr;

class Npy : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/mlcrt-npy-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
    path_ = directory_ + "/a.npy";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  void write(const std::string &bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// A file of that header and body.
  static std::string file(std::string header, const std::string &body, char major = 1) {
    header += "\n";
    std::string text = "\x93NUMPY";
    text += {major, '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    if (major > 1)
      text += std::string(2, '\0');
    return text + header + body;
  }
  std::string errorOf(const std::string &text) const {
    write(text);
    auto array = readNpy(path_);
    EXPECT_FALSE(array.ok());
    EXPECT_EQ(array.status().code(), absl::StatusCode::kDataLoss) << array.status();
    return std::string(array.status().message());
  }

  std::string directory_, path_;
};

TEST_F(Npy, EveryTypeThereAndBack) {
  for (int dtype = MLCRT_F32; dtype <= MLCRT_BOOL; ++dtype)
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {0}, {7}, {2, 3}, {2, 0, 3}, {1, 2, 1, 2, 1, 3}}) {
      Tensor tensor(static_cast<mlcrt_dtype>(dtype), shape);
      for (int64_t i = 0; i < tensor.bytes(); ++i)
        tensor.as<char>()[i] = static_cast<char>(dtype == MLCRT_BOOL ? i % 2 : 37 * i + 5);
      ASSERT_TRUE(writeNpy(path_, tensor.buffer()).ok());
      auto array = readNpy(path_);
      ASSERT_TRUE(array.ok()) << array.status();
      EXPECT_EQ(describe(array->tensor.buffer()), describe(tensor.buffer()));
      EXPECT_EQ(std::memcmp(array->tensor.data(), tensor.data(), static_cast<size_t>(tensor.bytes())), 0);
      EXPECT_EQ((bytes().size() - static_cast<size_t>(tensor.bytes())) % 64, 0u) << "elements are aligned";
    }
}

TEST_F(Npy, BytesThatNumpyWrites) {
  const float values[] = {1, -2};
  TensorView buffer = makeBuffer(const_cast<float *>(values), MLCRT_F32, {2});
  ASSERT_TRUE(writeNpy(path_, buffer).ok());
  EXPECT_EQ(bytes().substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes().substr(10, 59), "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }  ");
  // Another order of keys, double quotes, no comma at the end, later versions.
  for (char version : {1, 2, 3}) {
    write(file("{\"shape\": (2, 1), 'fortran_order':False,'descr':\"<i2\"}", std::string("\x01\x02\x03\x04", 4),
               version));
    auto array = readNpy(path_);
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(describe(array->tensor.buffer()), "i16[2x1]");
    EXPECT_EQ(array->tensor.as<int16_t>()[1], 0x0403);
  }
  write(file("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", std::string(4, '\0')));
  EXPECT_TRUE(readNpy(path_).ok()) << "one dimension has one order";
}

TEST_F(Npy, Texts) {
  const std::string texts[] = {"", "word", "\xc3\xa4", std::string("a\0b", 3)};
  mlcrt_string cells[4];
  for (int i = 0; i < 4; ++i)
    cells[i] = {texts[i].data(), static_cast<int64_t>(texts[i].size())};
  ASSERT_TRUE(writeNpy(path_, makeBuffer(cells, MLCRT_STRING, {2, 2})).ok());
  absl::StatusOr<NpyArray> read = readNpy(path_);
  ASSERT_TRUE(read.ok()) << read.status();
  NpyArray array = *std::move(read); // views survive a move
  EXPECT_EQ(array.tensor.dims(), (std::vector<int64_t>{2, 2}));
  for (int i = 0; i < 4; ++i) {
    const mlcrt_string &cell = array.tensor.as<mlcrt_string>()[i];
    EXPECT_EQ(std::string(cell.data, cell.size), texts[i]);
  }
  // U+00E4, U+20AC, U+1F600 as numpy's str.
  write(file("{'descr': '<U4', 'fortran_order': False, 'shape': (), }",
             std::string("\xe4\0\0\0\xac\x20\0\0\0\xf6\x01\0\0\0\0\0", 16)));
  auto wide = readNpy(path_);
  ASSERT_TRUE(wide.ok()) << wide.status();
  const mlcrt_string &cell = *wide->tensor.as<mlcrt_string>();
  EXPECT_EQ(std::string(cell.data, cell.size), "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_THAT(errorOf(file("{'descr': '<U1', 'fortran_order': False, 'shape': (), }", std::string("\0\xd8\0\0", 4))),
              HasSubstr("element 0 has a character that is none"));
  const std::string zero("a\0", 2);
  mlcrt_string ends = {zero.data(), 2};
  EXPECT_FALSE(writeNpy(path_, makeBuffer(&ends, MLCRT_STRING, {1})).ok());
}

TEST_F(Npy, AnyRank) {
  write(file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }", std::string(4, '\0')));
  auto array = readNpy(path_);
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->tensor.dims(), std::vector<int64_t>(9, 1));
}

TEST_F(Npy, Damage) {
  EXPECT_EQ(readNpy(directory_ + "/none.npy").status().code(), absl::StatusCode::kNotFound);
  const std::string four(4, '\0');
  for (const char *header :
       {"", "{}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}", "{'descr': <f4, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,", "{'x': 1}"})
    EXPECT_THAT(errorOf(file(header, four)), HasSubstr("a header that cannot be read")) << header;
  EXPECT_THAT(errorOf(file("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", four)), HasSubstr("of type '|O'"));
  EXPECT_THAT(errorOf(file("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9)}", four)),
              HasSubstr("bytes of elements"));
  EXPECT_THAT(errorOf(file("{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", "\x02")),
              HasSubstr("neither 0 nor 1"));
  EXPECT_THAT(errorOf(file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", four, 4)),
              HasSubstr("version 4.0"));
  // Every prefix of a good file is refused.
  const std::string good = file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", four);
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(errorOf(good.substr(0, size)).empty()) << size;
}
