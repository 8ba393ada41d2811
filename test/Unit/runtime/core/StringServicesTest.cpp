//===- StringServicesTest.cpp - Services on strings and on files of tensors ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/StringServices.h"
#include "runtime/src/core/Environment.h"
#include "runtime/src/core/Services.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <deque>
#include <limits>
#include <map>

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
/// Files in memory.
class MemoryFiles : public StateFiles {
public:
  absl::Status save(const std::string &path, const std::vector<NamedTensor> &tensors) const override {
    if (path.empty())
      return absl::InvalidArgumentError("no name");
    for (const NamedTensor &tensor : tensors)
      held[path][tensor.name].assign(tensor.value.as<char>(), tensor.value.as<char>() + tensor.value.bytes());
    return absl::OkStatus();
  }
  absl::Status load(const std::string &path, std::vector<NamedTensor> &tensors) const override {
    for (NamedTensor &tensor : tensors) {
      const std::string &bytes = held[path][tensor.name];
      if (static_cast<int64_t>(bytes.size()) != tensor.value.bytes())
        return absl::DataLossError("tensor '" + tensor.name + "'");
      std::copy(bytes.begin(), bytes.end(), tensor.value.as<char>());
    }
    return absl::OkStatus();
  }
  mutable std::map<std::string, std::map<std::string, std::string>> held;
};

class StringServices : public testing::Test {
protected:
  /// Cells of texts that live as long as the test.
  std::vector<mlcrt_string> cells(std::vector<std::string> texts) {
    std::vector<mlcrt_string> result;
    for (std::string &text : texts) {
      kept.push_back(std::move(text));
      result.push_back({kept.back().data(), static_cast<int64_t>(kept.back().size())});
    }
    return result;
  }
  static std::vector<std::string> texts(const std::vector<mlcrt_string> &cells) {
    std::vector<std::string> result;
    for (const mlcrt_string &cell : cells)
      result.emplace_back(cell.data, static_cast<size_t>(cell.size));
    return result;
  }
  std::string message() {
    std::optional<StepError> error = environment.take();
    return error ? error->message : "";
  }

  std::deque<std::string> kept;
  ThreadPool pool{1};
  MemoryFiles files;
  Environment environment{pool, nullptr, nullptr, &files};
  void *env = &environment;
};
} // namespace

TEST_F(StringServices, Constants) {
  const int64_t sizes[] = {2, 0, 3};
  std::vector<mlcrt_string> out(3);
  ASSERT_EQ(constant_strings(env, "ab\0cd", sizes, 3, out.data()), 0);
  EXPECT_THAT(texts(out), ElementsAre("ab", "", std::string("\0cd", 3)));
}

TEST_F(StringServices, Maps) {
  std::vector<mlcrt_string> in = cells({"aZ[`@{\xc3\x84", " \t x y\n", "", " "}), out(4);
  ASSERT_EQ(map_strings(env, 4, MLCRT_STRING_LOWER, in.data(), out.data()), 0);
  EXPECT_THAT(texts(out), ElementsAre("az[`@{\xc3\x84", " \t x y\n", "", " "));
  ASSERT_EQ(map_strings(env, 4, MLCRT_STRING_UPPER, in.data(), out.data()), 0);
  EXPECT_THAT(texts(out), ElementsAre("AZ[`@{\xc3\x84", " \t X Y\n", "", " "));
  ASSERT_EQ(map_strings(env, 4, MLCRT_STRING_STRIP, in.data(), out.data()), 0);
  EXPECT_THAT(texts(out), ElementsAre("aZ[`@{\xc3\x84", "x y", "", ""));
}

TEST_F(StringServices, Substrings) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();
  const int64_t starts[] = {1, -2, kLeast, kMost, 0, 3}, lengths[] = {2, kMost, 1, 1, kLeast, 1};
  std::vector<mlcrt_string> in = cells({"abc", "abc", "abc", "abc", "abc", "abc"}), out(6);
  ASSERT_EQ(substrings(env, starts, 6, lengths, in.data(), out.data()), 0);
  EXPECT_THAT(texts(out), ElementsAre("bc", "bc", "a", "", "", ""));
}

TEST_F(StringServices, Comparisons) {
  std::vector<mlcrt_string> a = cells({"a", "a", "\xff", ""}), b = cells({"a", "ab", "a", ""});
  const std::vector<std::vector<int>> expected = {{1, 0, 0, 1}, {0, 1, 1, 0}, {0, 1, 0, 0},
                                                  {1, 1, 0, 1}, {0, 0, 1, 0}, {1, 0, 1, 1}};
  for (int predicate = 0; predicate < 6; ++predicate) {
    std::vector<uint8_t> out(4);
    ASSERT_EQ(compare_strings(env, a.data(), b.data(), 4, predicate, out.data()), 0);
    EXPECT_EQ(std::vector<int>(out.begin(), out.end()), expected[predicate]) << predicate;
  }
}

TEST_F(StringServices, Splits) {
  std::vector<mlcrt_string> in = cells({"a,b", "", ",", "a::b,"});
  auto split = [&](const char *delimiter, bool anyByte, bool skipEmpty) {
    std::vector<int64_t> ends(in.size());
    int64_t count = -1;
    const auto size = static_cast<int32_t>(std::string_view(delimiter).size());
    EXPECT_EQ(count_parts(env, in.data(), in.size(), delimiter, size, anyByte, skipEmpty, ends.data(), &count), 0);
    EXPECT_EQ(ends.back(), count);
    std::vector<mlcrt_string> out(count);
    EXPECT_EQ(split_strings(env, ends.data(), in.size(), in.data(), delimiter, size, anyByte, skipEmpty, out.data()),
              0);
    std::vector<std::string> parts = texts(out);
    parts.push_back(testing::PrintToString(ends));
    return parts;
  };
  EXPECT_THAT(split(",", false, false), ElementsAre("a", "b", "", "", "", "a::b", "", "{ 2, 3, 5, 7 }"));
  EXPECT_THAT(split(",", false, true), ElementsAre("a", "b", "a::b", "{ 2, 2, 2, 3 }"));
  EXPECT_THAT(split("::", false, false), ElementsAre("a,b", "", ",", "a", "b,", "{ 1, 2, 3, 5 }"));
  EXPECT_THAT(split(":,", true, true), ElementsAre("a", "b", "a", "b", "{ 2, 2, 2, 4 }"));
}

TEST_F(StringServices, Joins) {
  std::vector<mlcrt_string> in = cells({"a", "b", "c", "", "e", "f"}), out(2), columns(3);
  ASSERT_EQ(join_strings(env, 2, 3, 1, "--", 2, in.data(), out.data()), 0);
  EXPECT_THAT(texts(out), ElementsAre("a--b--c", "--e--f"));
  ASSERT_EQ(join_strings(env, 1, 2, 3, "", 0, in.data(), columns.data()), 0);
  EXPECT_THAT(texts(columns), ElementsAre("a", "be", "cf"));
  ASSERT_EQ(join_strings(env, 2, 0, 1, "-", 1, in.data(), out.data()), 0);
  EXPECT_THAT(texts(out), ElementsAre("", ""));
  int64_t ends[] = {2, 2, 5};
  ASSERT_EQ(join_segments(env, ends, 3, 6, ";", 1, "'op'", in.data(), columns.data()), 0);
  EXPECT_THAT(texts(columns), ElementsAre("a;b", "", "c;;e"));
  ends[2] = 7;
  EXPECT_EQ(join_segments(env, ends, 3, 6, ";", 1, "'op'", in.data(), columns.data()), MLCRT_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "'op': row 2 ends at 7, not in [2, 6]");
  ends[1] = 1;
  EXPECT_EQ(join_segments(env, ends, 3, 6, ";", 1, "'op'", in.data(), columns.data()), MLCRT_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "'op': row 1 ends at 1, not in [2, 6]");
}

TEST_F(StringServices, Formats) {
  const float floats[] = {0.1f, -0.0f, 1e20f, std::nanf(""), -std::numeric_limits<float>::infinity()};
  std::vector<mlcrt_string> out(5);
  ASSERT_EQ(format_numbers(env, floats, MLCRT_F32, -1, 5, out.data()), 0);
  EXPECT_THAT(texts(out), ElementsAre("0.1", "-0", "1e+20", "nan", "-inf"));
  const double doubles[] = {0.125, 1e308, -2.5, std::copysign(std::nan(""), -1.0), 0};
  ASSERT_EQ(format_numbers(env, doubles, MLCRT_F64, 2, 5, out.data()), 0);
  EXPECT_EQ(texts(out)[0], "0.12");
  EXPECT_EQ(out[1].size, 312);
  EXPECT_EQ(texts(out)[3], "nan");
  const uint64_t large[] = {0, std::numeric_limits<uint64_t>::max()};
  ASSERT_EQ(format_numbers(env, large, MLCRT_U64, -1, 2, out.data()), 0);
  EXPECT_EQ(texts(out)[1], "18446744073709551615");
  const int8_t small[] = {-128, 7};
  ASSERT_EQ(format_numbers(env, small, MLCRT_I8, -1, 2, out.data()), 0);
  EXPECT_EQ(texts(out)[0], "-128");
  const uint8_t truths[] = {0, 1};
  ASSERT_EQ(format_numbers(env, truths, MLCRT_BOOL, -1, 2, out.data()), 0);
  EXPECT_EQ(texts(out)[1], "true");
}

TEST_F(StringServices, Parses) {
  std::vector<mlcrt_string> in = cells({" 1.5 ", "+2e3", "-INF", "nan"});
  float floats[4];
  ASSERT_EQ(parse_numbers(env, 4, 1, in.data(), MLCRT_F32, "'op'", floats), 0);
  EXPECT_EQ(floats[0], 1.5f);
  EXPECT_EQ(floats[1], 2000.0f);
  EXPECT_TRUE(std::isinf(floats[2]) && floats[2] < 0);
  EXPECT_TRUE(std::isnan(floats[3]));
  for (const char *bad : {"", " ", "x", "1x", "1 2", "+-1", "++1", "256", "-1", "1.0", "0x1"}) {
    uint8_t numbers[4];
    in = cells({"1", "2", "3", bad});
    EXPECT_EQ(parse_numbers(env, 4, 2, in.data(), MLCRT_U8, "'op'", numbers), MLCRT_INVALID_ARGUMENT) << bad;
    EXPECT_EQ(message(), "'op': row 1: '" + std::string(bad) + "' is no number of u8");
  }
}

TEST_F(StringServices, Files) {
  const mlcrt_services &s = services();
  const int64_t dims[] = {2};
  float values[] = {1, 2};
  const mlcrt_string path = cells({"file"})[0], none = cells({""})[0];
  ASSERT_EQ(s.state_stage(env, "w", MLCRT_F32, 1, dims, values), 0);
  values[0] = 7; // it is a copy that is staged
  ASSERT_EQ(s.state_save(env, &path, "'save'"), 0);
  EXPECT_EQ(files.held.at("file").size(), 1u);
  ASSERT_EQ(s.state_stage(env, "w", MLCRT_F32, 1, dims, nullptr), 0);
  ASSERT_EQ(s.state_load(env, &path, "'load'"), 0);
  ASSERT_EQ(s.state_loaded(env, 0, values), 0);
  EXPECT_THAT(values, ElementsAre(1, 2));

  ASSERT_EQ(s.state_stage(env, "v", MLCRT_F32, 1, dims, nullptr), 0);
  EXPECT_EQ(s.state_load(env, &path, "'load'"), MLCRT_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "'load': tensor 'v'");
  // What was staged for a call that failed is not staged for the next one.
  EXPECT_EQ(s.state_save(env, &none, "'save'"), MLCRT_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "'save': no name");

  Environment without(pool, nullptr);
  ASSERT_EQ(s.state_stage(&without, "w", MLCRT_F32, 1, dims, values), 0);
  EXPECT_EQ(s.state_save(&without, &path, "'save'"), MLCRT_INVALID_ARGUMENT);
  EXPECT_THAT(without.take()->message, HasSubstr("may use no files"));
}
