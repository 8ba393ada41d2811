// Parquet files as data sets: the rows of the same table as CSV.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InputTestSupport.h"
#include "runtime/src/input/FirstRows.h"

using namespace mlcrt;
using namespace mlcrt::test;
using testing::ElementsAre;
using testing::HasSubstr;

/// Kept in memory, or unpacked to a file and parsed per batch.
class ParquetInputTest : public testing::TestWithParam<int64_t> {
protected:
  /// A file that pyarrow wrote, or types.csv, the text of all of them.
  static std::string input(const std::string &name) { return PARQUET_INPUTS "/" + name; }

  absl::StatusOr<std::unique_ptr<Dataset>> open(const std::vector<std::string> &paths, const InputFormat &format) {
    options.memoryLimit = GetParam();
    options.note = [this](std::string_view text) { notes.append(text).append("\n"); };
    return openAll(paths, format, options);
  }

  static InputFormat formatOf(std::vector<InputColumn> columns) {
    InputFormat format;
    format.columns = std::move(columns);
    return format;
  }

  DatasetOptions options;
  std::string notes;
};

INSTANTIATE_TEST_SUITE_P(Keeping, ParquetInputTest, testing::Values(int64_t{1} << 30, int64_t{0}),
                         [](const auto &info) { return info.param ? "memory" : "file"; });

/// Everything in a batch, as text.
static std::string contents(const Batch &batch) {
  std::string result;
  for (const TensorView &buffer : batch.columns()) {
    const int64_t count = elementCount(buffer);
    for (int64_t i = 0; i < count && buffer.dtype == MLCRT_STRING; ++i) {
      const mlcrt_string &cell = static_cast<const mlcrt_string *>(buffer.data)[i];
      result.append(cell.data, static_cast<size_t>(cell.size)).append("\n");
    }
    if (buffer.dtype != MLCRT_STRING)
      result.append(static_cast<const char *>(buffer.data), static_cast<size_t>(count * dtypeSize(buffer.dtype)));
  }
  return result;
}

TEST_P(ParquetInputTest, RowsAreThoseOfTheCsvFile) {
  InputFormat format =
      formatOf({column("bool", MLCRT_BOOL), column("u64", MLCRT_STRING, true), column("i64", MLCRT_I64, true),
                column("f32", MLCRT_F32), column("f64", MLCRT_F64), column("full", MLCRT_F32),
                column("text", MLCRT_STRING, true), column("us", MLCRT_STRING, true), multiColumn("list", MLCRT_I32),
                multiColumn("words", MLCRT_STRING)});
  format.columns[0].defaultValue = "true";
  format.columns[3].defaultValue = "0.25";
  format.columns[4].onMissing = OnMissing::SkipRow;
  const auto csv = open({input("types.csv")}, format);
  ASSERT_TRUE(csv.ok()) << csv.status();
  const std::string expected = contents(*readAll(**csv));
  for (const char *name : {"plain.parquet", "dictionary-snappy.parquet", "groups-v2-zstd.parquet"}) {
    notes.clear();
    const auto parquet = open({input(name)}, format);
    ASSERT_TRUE(parquet.ok()) << parquet.status();
    EXPECT_EQ(contents(*readAll(**parquet)), expected) << name;
    EXPECT_EQ((*parquet)->skippedRows(), 2);
    EXPECT_EQ((*parquet)->decoded(), GetParam() != 0);
    EXPECT_THAT(notes, HasSubstr("skipped, as the spec does not declare it: 'i8', 'u8', 'i32', 'u32', 'fixed' and "));
  }
  const auto both = open({input("plain.parquet"), input("split-v2.parquet")}, formatOf({column("full", MLCRT_I64)}));
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ((*both)->size(), 24);
  EXPECT_EQ(toText((*both)->where(14, "full")), input("split-v2.parquet") + ": record 3");
}

TEST_P(ParquetInputTest, ADoubleOfWholeNumbersIsAnInteger) {
  InputFormat format = formatOf({column("f64", MLCRT_I64, true)});
  format.csv.maxBadRows = 7;
  const auto dataset = open({input("plain.parquet")}, format);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  const auto batch = readAll(**dataset);
  EXPECT_THAT(std::vector<int64_t>(values<int64_t>(*batch, 0), values<int64_t>(*batch, 0) + batch->rows()),
              ElementsAre(-3, -1, 10000000000000000, 0, -1));
}

TEST_P(ParquetInputTest, CutsAreThoseOfTheCsvFile) {
  InputFormat format = formatOf({column("full", MLCRT_I64), column("date", MLCRT_STRING, true)});
  // By share, of the whole rows, whatever is read of them.
  options.selection = RowSelection{{}, true};
  options.selection->cut.share = 0.4;
  const auto out = open({input("plain.parquet")}, format);
  ASSERT_TRUE(out.ok()) << out.status();
  const absl::StatusOr<std::vector<DataFile>> files = resolveFiles({input("plain.parquet")});
  ASSERT_TRUE(files.ok()) << files.status();
  const auto less = Dataset::open(*files, format, {featuresOf(format).front()}, options);
  const auto csv = open({input("types.csv")}, format);
  ASSERT_TRUE(less.ok() && csv.ok()) << less.status() << csv.status();
  ASSERT_EQ((*less)->size(), (*csv)->size());
  ASSERT_EQ((*out)->size(), (*csv)->size());
  for (int64_t i = 0; i < (*csv)->size(); ++i)
    EXPECT_TRUE((*less)->fileRow(i) == (*csv)->fileRow(i) && (*out)->fileRow(i) == (*csv)->fileRow(i));
  // By a column that is not read itself.
  options.selection->cut.share = 0;
  options.selection->cut.column = "date";
  options.selection->cut.from = "2026-11-28";
  const auto newest = Dataset::open(*files, format, {featuresOf(format).front()}, options);
  ASSERT_TRUE(newest.ok()) << newest.status();
  EXPECT_EQ((*newest)->size(), 2);
  EXPECT_EQ((*newest)->fileRow(0), 3);
}

TEST_P(ParquetInputTest, WhatIsWrongHasItsPlace) {
  const auto error = [&](const std::vector<std::string> &paths, const InputFormat &format) {
    return firstError(open(paths, format));
  };
  const std::string plain = input("plain.parquet");
  EXPECT_EQ(error({plain}, formatOf({column("f32", MLCRT_F32)})),
            plain + ": record 3: missing value in column 'f32', expected FLOAT32; a column may have default_value, or "
                    "on_missing: SKIP_ROW");
  EXPECT_THAT(error({plain}, formatOf({column("fulll", MLCRT_F32)})),
              HasSubstr("the file lacks the column 'fulll'; did you mean 'full'?"));
  EXPECT_THAT(error({input("nested.parquet")}, formatOf({column("s", MLCRT_F32)})), HasSubstr("is a nested struct"));
  EXPECT_THAT(error({input("empty.parquet")}, formatOf({column("x", MLCRT_F32)})), HasSubstr("there is no row"));
  EXPECT_THAT(error({plain, input("types.csv")}, formatOf({column("full", MLCRT_F32)})),
              HasSubstr("types.csv: is no Parquet file, but '" + plain + "' is one, expected files of one kind"));
  InputFormat format = formatOf({column("full", MLCRT_F32)});
  format.parquet = true;
  EXPECT_THAT(error({input("types.csv")}, format), HasSubstr("is no Parquet file, expected PAR1"));
  format.csv.maxBadRows = 1;
  format.columns = {column("text", MLCRT_F32)};
  EXPECT_THAT(error({plain}, format), HasSubstr("expected at most 1, which is max_bad_rows"));
  const absl::StatusOr<std::vector<DataFile>> files = resolveFiles({plain});
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(message(FileData::open(files->front(), {}).status()), HasSubstr("is a Parquet file"));
  EXPECT_THAT(message(readFirstRows({plain}, {}, 1).status()), HasSubstr("is a Parquet file, expected CSV"));
  format.parquet = false;
  format.tfrecord.emplace();
  EXPECT_THAT(error({plain}, format), HasSubstr("is a Parquet file, expected TFRecord"));
}

TEST(ParquetFormatTest, Manifest) {
  const auto format = parseInputFormat(R"({"parquet": {"max_bad_rows": 3}, "columns": []})");
  ASSERT_TRUE(format.ok()) << format.status();
  EXPECT_TRUE(format->parquet);
  EXPECT_EQ(format->maxBadRows(), 3);
  const auto error = [](const char *json) { return message(parseInputFormat(json).status()); };
  EXPECT_THAT(error(R"({"parquet": {}, "csv": {}, "columns": []})"), HasSubstr("input.parquet: set together with csv"));
  EXPECT_THAT(error(R"({"parquet": {}, "tfrecord": {}, "columns": []})"), HasSubstr("set together with parquet"));
  EXPECT_THAT(error(R"({"parquet": {"header": true}, "columns": []})"), HasSubstr("input.parquet.header: unknown key"));
}
