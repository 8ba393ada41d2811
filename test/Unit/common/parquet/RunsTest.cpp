// Integers as Parquet packs them, by the examples of the format and by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/parquet/Runs.h"
#include "common/parquet/ThriftReader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace mlc::common::parquet;
using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;

static std::vector<uint32_t> runs(const std::string &bytes, int width, size_t most = 100) {
  RunReader reader(bytes, width);
  std::vector<uint32_t> values;
  for (uint32_t value = 0; values.size() < most && reader.next(value);)
    values.push_back(value);
  return values;
}

TEST(RunsTest, RunsAndBits) {
  EXPECT_THAT(runs("\x08\x05"s, 3), ElementsAre(5, 5, 5, 5));
  EXPECT_THAT(runs("\x04\x01\x02"s, 9), ElementsAre(0x201 & 0x1ff, 1)) << "the value of a run takes whole bytes";
  // 0 to 7 of three bits, the example of the format.
  EXPECT_THAT(runs("\x03\x88\xc6\xfa"s, 3), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(runs("\x03\x88\xc6"s, 3), ElementsAre(0, 1, 2, 3, 4)) << "the last group may end early";
  EXPECT_THAT(runs("\x03"s, 0, 8), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(runs("\x02\xff\xff\xff\xff"s, 32), ElementsAre(0xffffffff));
  EXPECT_THAT(runs(""s, 3), IsEmpty());
  EXPECT_THAT(runs("\x08"s, 3), IsEmpty()) << "a run without its value";
  EXPECT_THAT(runs("\0\0\0\0"s, 8), IsEmpty()) << "runs of nothing";
  EXPECT_THAT(runs("\x80\x80\x80"s, 8), IsEmpty()) << "a head that does not end";
}

TEST(RunsTest, Levels) {
  int level = 0;
  LevelReader none;
  EXPECT_TRUE(none.next(level));
  EXPECT_EQ(level, 0);
  // BIT_PACKED: 0 to 7 of three bits, from the highest bit of each byte on.
  LevelReader bits("\x05\x39\x77"s, 7, /*areRuns=*/false);
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(bits.next(level));
    EXPECT_EQ(level, i);
  }
  EXPECT_FALSE(bits.next(level));
  LevelReader above("\x02\x03"s, 2, /*areRuns=*/true);
  EXPECT_FALSE(above.next(level)) << "a level above the most";
}

static std::vector<int64_t> deltas(const std::string &bytes) {
  DeltaReader reader(bytes);
  std::vector<int64_t> values;
  for (int64_t value = 0; reader.next(value);)
    values.push_back(value);
  return values;
}

TEST(RunsTest, Differences) {
  // 1 to 5, the example of the format: all differences are 1.
  EXPECT_THAT(deltas("\x80\x01\x04\x05\x02\x02\0\0\0\0"s), ElementsAre(1, 2, 3, 4, 5));
  // 7, 5, 3, 1, 2, 3, 4, 5: differences of -2 and more, two bits each.
  EXPECT_THAT(deltas("\x80\x01\x04\x08\x0e\x03\x02\0\0\0\xc0\x3f\0\0\0\0\0\0"s), ElementsAre(7, 5, 3, 1, 2, 3, 4, 5));
  EXPECT_THAT(deltas("\x80\x01\x04\0\0"s), IsEmpty());
  EXPECT_THAT(deltas("\x80\x01\x04\x01\x03"s), ElementsAre(-2));
  for (const std::string &bad :
       {""s, "\0\x04\x05\x02"s, "\x80\x01\0\x05\x02"s, "\x80\x01\x03\x05\x02"s, "\x80\x80\x80\x08\x01\x05\x02"s})
    EXPECT_FALSE(DeltaReader(bad).isGood());
  EXPECT_THAT(deltas("\x80\x01\x04\x05\x02\x02\x41\0\0\0"s), ElementsAre(1)) << "65 bits";
  EXPECT_THAT(deltas("\x80\x01\x04\x05\x02\x02\x08\0\0\0"s), ElementsAre(1)) << "a miniblock that ends early";
}

TEST(RunsTest, Thrift) {
  using Type = ThriftReader::Type;
  // Fields 1: -1 as i32, 2: "ab", 20: a list of two structs, which are skipped, 21: true.
  const std::string bytes("\x15\x01\x18\x02"
                          "ab\x09\x28\x2c\x15\x02\0\0\x11\0",
                          15);
  ThriftReader in(bytes);
  int32_t number = 0;
  std::string_view text;
  bool flag = false;
  int fields = 0;
  const auto read = [&](int64_t id, Type type) {
    ++fields;
    switch (id) {
    case 1:
      return in.read(type, number);
    case 2:
      return in.read(type, text);
    case 21:
      return in.read(type, flag);
    default:
      return in.skip(type);
    }
  };
  EXPECT_TRUE(in.readStruct(read));
  EXPECT_EQ(number, -1);
  EXPECT_EQ(text, "ab");
  EXPECT_TRUE(flag);
  EXPECT_EQ(fields, 4);
  EXPECT_EQ(in.position(), bytes.size());
  for (size_t size = 0; size < bytes.size(); ++size) {
    ThriftReader cut(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(cut.readStruct([&](int64_t, Type type) { return cut.skip(type); })) << size;
  }
  // Structs in structs, without an end.
  const std::string deep(1000, '\x1c');
  ThriftReader nested(deep);
  EXPECT_FALSE(nested.skip(Type::Struct));
  EXPECT_LT(nested.position(), 100u);
}
