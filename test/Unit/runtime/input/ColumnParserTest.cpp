// Tests of cells to values and of the "input" part of the manifest.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/ColumnParser.h"
#include "InputTestSupport.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <charconv>
#include <cstring>

using namespace mlcrt;
using namespace mlcrt::test;
using testing::HasSubstr;
using Outcome = ColumnParser::Outcome;

static ColumnParser parserOf(const InputColumn &column, const std::vector<std::string> &missing = {}) {
  auto parser = ColumnParser::create(column, missing);
  EXPECT_TRUE(parser.ok()) << parser.status();
  return *std::move(parser);
}

template <typename T> static std::pair<Outcome, T> parse(const ColumnParser &parser, std::string_view text) {
  T value{};
  StringArena arena;
  const Outcome outcome = parser.parse({text, false}, arena, &value);
  return {outcome, value};
}

TEST(ColumnParser, Floats) {
  const ColumnParser f32 = parserOf(column("x", MLCRT_F32)), f64 = parserOf(column("x", MLCRT_F64));
  const auto ok = [&](const char *text, double value) {
    EXPECT_EQ(parse<double>(f64, text), std::make_pair(Outcome::Value, value)) << text;
    EXPECT_EQ(parse<float>(f32, text), std::make_pair(Outcome::Value, std::strtof(text, nullptr))) << text;
  };
  ok("1", 1);
  ok("+1.5", 1.5);
  ok(" -2.25e3\t", -2250);
  ok(".5", 0.5);
  ok("5.", 5);
  ok("0.1", 0.1);
  ok("inf", std::numeric_limits<double>::infinity());
  ok("-Infinity", -std::numeric_limits<double>::infinity());
  ok("16777217", 16777217);
  EXPECT_EQ(parse<float>(f32, "1e-45"), std::make_pair(Outcome::Value, std::numeric_limits<float>::denorm_min()));
  EXPECT_EQ(parse<float>(f32, "1e-400"), std::make_pair(Outcome::Value, 0.0f));
  EXPECT_EQ(parse<float>(f32, "1e39").first, Outcome::OutOfRange);
  EXPECT_EQ(parse<double>(f64, "-1e309").first, Outcome::OutOfRange);
  for (const char *bad : {"x", "1x", "1,5", "+-1", "++1", "+", "-", "1 2", "0x10", "1e", "nan(1)", "1_000"})
    EXPECT_EQ(parse<float>(f32, bad).first, Outcome::Bad) << bad;
  for (const char *missing : {"", " ", "nan", "NaN", "NAN"})
    EXPECT_EQ(parse<float>(f32, missing).first, Outcome::Missing) << missing;
}

TEST(ColumnParser, ColumnsOfFiniteNumbers) {
  const auto f = [](mlcrt_dtype dtype) {
    InputColumn finite = column("x", dtype);
    finite.finite = true;
    return finite;
  };
  const ColumnParser f32 = parserOf(f(MLCRT_F32)), f64 = parserOf(f(MLCRT_F64));
  for (const char *text : {"inf", "-inf", "+Infinity", " INF "}) {
    EXPECT_EQ(parse<float>(f32, text).first, Outcome::NotFinite) << text;
    EXPECT_EQ(parse<double>(f64, text).first, Outcome::NotFinite) << text;
  }
  EXPECT_EQ(parse<float>(f32, "1e50").first, Outcome::OutOfRange);
  EXPECT_EQ(parse<double>(f64, "1e50"), std::make_pair(Outcome::Value, 1e50));
  EXPECT_EQ(message(f32.explain({"inf", false}, {"f", 4, 2}, Outcome::NotFinite)),
            "f:4:2: number 'inf' in column 'x' is not finite, expected a finite FLOAT32; a mark for missing values is "
            "declared by input.missing");
  // Vectors name the value; a mark for missing values is no number.
  InputColumn vector = f(MLCRT_F32);
  vector.shape = {3};
  std::array<float, 3> values;
  StringArena arena;
  const ColumnParser three = parserOf(vector);
  EXPECT_EQ(three.parse({"1|-inf|2", false}, arena, values.data()), Outcome::NotFinite);
  EXPECT_THAT(message(three.explain({"1|-inf|2", false}, {"f", 4, 2}, Outcome::NotFinite)),
              HasSubstr("number '-inf', value 2 of 3 in column 'x' is not finite"));
  InputColumn marked = f(MLCRT_F32);
  marked.missing = {"inf"};
  marked.defaultValue = "7";
  EXPECT_EQ(parse<float>(parserOf(marked), "inf"), std::make_pair(Outcome::Value, 7.0f));
  EXPECT_EQ(parse<float>(parserOf(marked), "-inf").first, Outcome::NotFinite);
  marked.defaultValue = "-inf";
  EXPECT_THAT(message(ColumnParser::create(marked, {}).status()), HasSubstr("default_value '-inf' of column 'x'"));
}

TEST(ColumnParser, WeightsAreNotNegative) {
  const auto w = [](mlcrt_dtype dtype) {
    InputColumn weight = column("w", dtype);
    weight.role = ColumnRole::Weight;
    return parserOf(weight);
  };
  EXPECT_EQ(parse<float>(w(MLCRT_F32), "-2.5").first, Outcome::Negative);
  EXPECT_EQ(parse<float>(w(MLCRT_F32), "-0"), std::make_pair(Outcome::Value, 0.0f));
  EXPECT_EQ(parse<double>(w(MLCRT_F64), "-1e-300").first, Outcome::Negative);
  EXPECT_EQ(parse<int32_t>(w(MLCRT_I32), "-1").first, Outcome::Negative);
  EXPECT_EQ(parse<int64_t>(w(MLCRT_I64), "-9223372036854775808").first, Outcome::Negative);
  EXPECT_EQ(parse<int64_t>(w(MLCRT_I64), "3"), std::make_pair(Outcome::Value, int64_t{3}));
  EXPECT_EQ(message(w(MLCRT_F32).explain({"-2.5", false}, {"f", 3, 1}, Outcome::Negative)),
            "f:3:1: negative weight '-2.5' in column 'w', expected a weight >= 0 of FLOAT32");
}

TEST(ColumnParser, FloatsReadBackExactly) {
  const ColumnParser f32 = parserOf(column("x", MLCRT_F32));
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    const uint32_t bits = static_cast<uint32_t>(random());
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value))
      continue;
    char text[64];
    std::snprintf(text, sizeof(text), "%.9g", static_cast<double>(value));
    ASSERT_EQ(parse<float>(f32, text), std::make_pair(Outcome::Value, value)) << text;
  }
}

TEST(ColumnParser, IntegersAndBools) {
  const ColumnParser i32 = parserOf(column("x", MLCRT_I32)), i64 = parserOf(column("x", MLCRT_I64));
  EXPECT_EQ(parse<int32_t>(i32, " +12 "), std::make_pair(Outcome::Value, 12));
  EXPECT_EQ(parse<int32_t>(i32, "-2147483648"), std::make_pair(Outcome::Value, std::numeric_limits<int32_t>::min()));
  EXPECT_EQ(parse<int32_t>(i32, "2147483648").first, Outcome::OutOfRange);
  EXPECT_EQ(parse<int64_t>(i64, "9223372036854775807").second, std::numeric_limits<int64_t>::max());
  for (const char *bad : {"1.0", "1e3", "x", "+-3", "1-"})
    EXPECT_EQ(parse<int64_t>(i64, bad).first, Outcome::Bad) << bad;
  EXPECT_EQ(parse<int64_t>(i64, "nan").first, Outcome::Missing);
  const ColumnParser boolean = parserOf(column("x", MLCRT_BOOL));
  EXPECT_EQ(parse<uint8_t>(boolean, "True"), std::make_pair(Outcome::Value, uint8_t{1}));
  EXPECT_EQ(parse<uint8_t>(boolean, "0"), std::make_pair(Outcome::Value, uint8_t{0}));
  EXPECT_EQ(parse<uint8_t>(boolean, "yes").first, Outcome::Bad);
}

/// Texts of all lengths around the limits of the short way, against from_chars bit by bit.
template <typename T> static void compareWithFromChars(mlcrt_dtype dtype) {
  const ColumnParser parser = parserOf(column("x", dtype));
  uint64_t state = 7;
  const auto next = [&](uint64_t below) {
    return (state = state * 6364136223846793005u + 1442695040888963407u, state >> 33) % below;
  };
  for (int i = 0; i < 200000; ++i) {
    std::string text = next(3) == 0 ? "-" : "";
    const uint64_t before = next(10), after = next(12);
    for (uint64_t k = 0; k < before; ++k)
      text += static_cast<char>('0' + next(10));
    if (after > 0) {
      text += '.';
      for (uint64_t k = 1; k < after; ++k)
        text += static_cast<char>('0' + next(10));
    }
    if (next(20) == 0)
      text += "e-" + std::to_string(next(12));
    T expected = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
    const bool good = error == std::errc() && end == text.data() + text.size();
    const auto [outcome, value] = parse<T>(parser, text);
    ASSERT_EQ(outcome == Outcome::Value, good) << text;
    if (good)
      ASSERT_EQ(std::memcmp(&value, &expected, sizeof(T)), 0) << text;
  }
  for (const char *text :
       {"-0", "0.0", "16777216", "16777217", "1677721.7", "9007199254740993", "0.00000001", "000000001.5"}) {
    T expected = 0;
    std::from_chars(text, text + std::strlen(text), expected);
    const auto [outcome, value] = parse<T>(parser, text);
    ASSERT_EQ(outcome, Outcome::Value) << text;
    ASSERT_EQ(std::memcmp(&value, &expected, sizeof(T)), 0) << text;
  }
}

TEST(ColumnParser, DecimalsAreThoseOfFromChars) {
  compareWithFromChars<float>(MLCRT_F32);
  compareWithFromChars<double>(MLCRT_F64);
}

TEST(ColumnParser, MissingValues) {
  InputColumn number = column("x", MLCRT_F32);
  number.missing = {"-999"};
  EXPECT_EQ(parse<float>(parserOf(number, {"?"}), "?").first, Outcome::Missing);
  EXPECT_EQ(parse<float>(parserOf(number, {"?"}), " -999").first, Outcome::Missing);
  EXPECT_EQ(parse<float>(parserOf(number, {}), "?").first, Outcome::Bad);
  number.defaultValue = "+2.5";
  EXPECT_EQ(parse<float>(parserOf(number), ""), std::make_pair(Outcome::Value, 2.5f));
  number.onMissing = OnMissing::Error; // wins over the default
  EXPECT_EQ(parse<float>(parserOf(number), "").first, Outcome::Missing);
  number.onMissing = OnMissing::SkipRow;
  EXPECT_EQ(parse<float>(parserOf(number), "").first, Outcome::SkipRow);
  EXPECT_TRUE(parserOf(number).maySkip());

  EXPECT_EQ(parse<int32_t>(parserOf(column("x", MLCRT_I32, true)), ""), std::make_pair(Outcome::Value, -1));
  EXPECT_EQ(parse<int64_t>(parserOf(column("x", MLCRT_I64, true)), ""), std::make_pair(Outcome::Value, int64_t{-1}));
  EXPECT_EQ(parse<int64_t>(parserOf(column("x", MLCRT_I64)), "").first, Outcome::Missing);
  EXPECT_EQ(parse<float>(parserOf(column("x", MLCRT_F32, true)), "").first, Outcome::Missing);
  EXPECT_EQ(parse<uint8_t>(parserOf(column("x", MLCRT_BOOL, true)), "").first, Outcome::Missing);

  InputColumn string = column("x", MLCRT_STRING, true);
  auto [outcome, value] = parse<mlcrt_string>(parserOf(string, {"?"}), "?");
  EXPECT_EQ(outcome, Outcome::Value);
  EXPECT_EQ(value.size, 0);
  EXPECT_EQ(parse<mlcrt_string>(parserOf(string, {}), "nan").second.size, 3);
  string.categorical = false;
  EXPECT_EQ(parse<mlcrt_string>(parserOf(string, {"?"}), "?").first, Outcome::Missing);
  string.defaultValue = "none";
  const ColumnParser parser = parserOf(string, {"?"});
  const mlcrt_string filled = parse<mlcrt_string>(parser, "?").second;
  EXPECT_EQ(std::string_view(filled.data, filled.size), "none");
}

TEST(ColumnParser, StripAndQuotes) {
  InputColumn string = column("x", MLCRT_STRING, true);
  string.strip = ". ";
  const ColumnParser parser = parserOf(string, {"?"});
  const mlcrt_string stripped = parse<mlcrt_string>(parser, " >50K. ").second;
  EXPECT_EQ(std::string_view(stripped.data, stripped.size), ">50K");
  EXPECT_EQ(parse<mlcrt_string>(parser, "?.").second.size, 0);
  EXPECT_EQ(parse<mlcrt_string>(parser, "...").second.size, 0);
  StringArena arena;
  mlcrt_string value;
  EXPECT_EQ(parser.parse({"say \"\"hi\"\".", true}, arena, &value), Outcome::Value);
  EXPECT_EQ(std::string_view(value.data, value.size), "say \"hi\"");
}

TEST(ColumnParser, VectorsInACell) {
  InputColumn vector = column("x", MLCRT_I32);
  vector.shape = {3};
  StringArena arena;
  int32_t out[3] = {};
  EXPECT_EQ(parserOf(vector).parse({"1| -2|3", false}, arena, out), Outcome::Value);
  EXPECT_THAT(out, testing::ElementsAre(1, -2, 3));
  EXPECT_EQ(parserOf(vector).parse({"1|2", false}, arena, out), Outcome::WrongCount);
  EXPECT_EQ(parserOf(vector).parse({"1||2", false}, arena, out), Outcome::Bad);
  EXPECT_EQ(message(parserOf(vector).explain({"1|2", false}, {"f", 4, 2}, Outcome::WrongCount)),
            "f:4:2: found 2 values in '1|2' in column 'x', expected 3 values of INT32 separated by '|'");
  EXPECT_EQ(message(parserOf(vector).explain({"1| 2x |3", false}, {"f", 4, 2}, Outcome::Bad)),
            "f:4:2: bad number '2x', value 2 of 3 in column 'x', expected INT32");
  EXPECT_EQ(message(parserOf(vector).explain({"1|2|99999999999", false}, {"f", 4, 2}, Outcome::OutOfRange)),
            "f:4:2: number '99999999999', value 3 of 3 in column 'x' is out of range, expected INT32");
  vector.defaultValue = "7";
  EXPECT_EQ(parserOf(vector).parse({"", false}, arena, out), Outcome::Value);
  EXPECT_THAT(out, testing::ElementsAre(7, 7, 7));
}

TEST(InputFormat, ReadsAllKeys) {
  const auto format = parseInputFormat(R"({
    "csv": {"header": false, "column_names": ["a", "b"], "field_delim": "\t", "use_quote_delim": false,
            "skip_initial_space": true, "comment": ["#"], "skip_lines": 1, "compression": "GZIP", "max_bad_rows": 3},
    "missing": ["?"],
    "columns": [{"name": "a", "dtype": "FLOAT32", "default_value": "0", "missing": ["-1"], "on_missing": "AUTO"},
                {"name": "b", "dtype": "STRING", "on_missing": "SKIP_ROW", "strip": ".", "categorical": true,
                 "role": "label"},
                {"name": "c", "dtype": "INT64", "shape": [2, 3], "role": "weight"}]})");
  ASSERT_TRUE(format.ok()) << format.status();
  EXPECT_FALSE(format->csv.header);
  EXPECT_THAT(format->csv.columnNames, testing::ElementsAre("a", "b"));
  EXPECT_EQ(format->csv.fieldDelim, '\t');
  EXPECT_FALSE(format->csv.useQuoteDelim);
  EXPECT_TRUE(format->csv.skipInitialSpace);
  EXPECT_THAT(format->csv.comment, testing::ElementsAre("#"));
  EXPECT_EQ(format->csv.skipLines, 1);
  EXPECT_EQ(format->csv.compression, Compression::Gzip);
  EXPECT_EQ(format->csv.maxBadRows, 3);
  EXPECT_THAT(format->missing, testing::ElementsAre("?"));
  ASSERT_EQ(format->columns.size(), 3u);
  EXPECT_EQ(format->columns[0].dtype, MLCRT_F32);
  EXPECT_EQ(format->columns[0].defaultValue, "0");
  EXPECT_EQ(format->columns[1].onMissing, OnMissing::SkipRow);
  EXPECT_EQ(format->columns[1].strip, ".");
  EXPECT_EQ(format->columns[1].role, ColumnRole::Label);
  EXPECT_TRUE(format->columns[1].categorical);
  EXPECT_EQ(format->columns[2].elements(), 6);
  EXPECT_EQ(format->find("c"), &format->columns[2]);
  EXPECT_EQ(format->find("d"), nullptr);
}

TEST(InputFormat, Errors) {
  const auto error = [](const std::string &json) {
    const absl::Status status = parseInputFormat(json).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << json;
    return message(status);
  };
  EXPECT_THAT(error("{"), HasSubstr("not JSON"));
  EXPECT_THAT(error("[]"), HasSubstr("manifest input: found array, expected an object"));
  EXPECT_THAT(error("{}"), HasSubstr("manifest input.csv: it is absent"));
  EXPECT_EQ(error(R"({"csv": {"heade": true}, "columns": []})"),
            "manifest input.csv.heade: unknown key; did you mean 'header'?");
  EXPECT_THAT(error(R"({"csv": {"header": 1}, "columns": []})"), HasSubstr("input.csv.header: found number"));
  EXPECT_THAT(error(R"({"csv": {"field_delim": ",,"}, "columns": []})"), HasSubstr("expected one byte"));
  EXPECT_THAT(error(R"({"csv": {"skip_lines": -1}, "columns": []})"), HasSubstr("expected an integer >= 0"));
  EXPECT_THAT(error(R"({"csv": {"header": false}, "columns": []})"), HasSubstr("input.csv.column_names: it is absent"));
  EXPECT_THAT(error(R"({"csv": {"compression": "GZ"}, "columns": []})"), HasSubstr("AUTO, NONE, GZIP, ZSTD"));
  EXPECT_THAT(error(R"({"csv": {}, "columns": [{"name": "a", "dtype": "FLOAT"}]})"),
              HasSubstr("input.columns[0].dtype: found 'FLOAT'"));
  EXPECT_THAT(error(R"({"csv": {}, "columns": [{"dtype": "BOOL"}]})"), HasSubstr("columns[0].name: it is absent"));
  EXPECT_THAT(error(R"({"csv": {}, "columns": [{"name": "a", "dtype": "INT32", "default_value": "x"}]})"),
              HasSubstr("default_value 'x' of column 'a' is no value of the column, expected INT32"));
  EXPECT_THAT(error(R"({"csv": {}, "columns": [{"name": "a", "dtype": "BOOL"}, {"name": "a", "dtype": "BOOL"}]})"),
              HasSubstr("a second column 'a'"));
  EXPECT_THAT(error(R"({"csv": {}, "columns": [], "extra": 0})"), HasSubstr("manifest input.extra: unknown key"));
}
