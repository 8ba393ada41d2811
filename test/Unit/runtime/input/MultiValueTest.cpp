// Tests of columns with any number of values in a cell.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InputTestSupport.h"
#include "test/Unit/runtime/core/AllocationCount.h"

using namespace mlcrt;
using namespace mlcrt::test;
using testing::ElementsAre;
using testing::HasSubstr;

/// Kept in memory, or mapped and parsed per batch.
class MultiValueTest : public testing::TestWithParam<int64_t> {
protected:
  absl::StatusOr<std::unique_ptr<Dataset>> open(std::string_view text) {
    options.memoryLimit = GetParam();
    options.note = [this](std::string_view note) { notes.emplace_back(note); };
    return openAll({dir.write("f.csv", text)}, format, options);
  }
  std::unique_ptr<Batch> read(std::string_view text) {
    auto opened = open(text);
    EXPECT_TRUE(opened.ok()) << opened.status();
    dataset = *std::move(opened);
    return readAll(*dataset);
  }
  /// The first error, when opening or reading.
  std::string error(std::string_view text) { return firstError(open(text), dir); }

  TemporaryDirectory dir;
  InputFormat format;
  DatasetOptions options;
  std::vector<std::string> notes;
  std::unique_ptr<Dataset> dataset;
};

INSTANTIATE_TEST_SUITE_P(Keeping, MultiValueTest, testing::Values(int64_t{1} << 30, int64_t{0}),
                         [](const auto &info) { return info.param ? "memory" : "mapped"; });

TEST_P(MultiValueTest, CellsAreCutIntoValues) {
  format.columns = {multiColumn("tags", MLCRT_STRING), column("x", MLCRT_I64), multiColumn("ids", MLCRT_I64, ' '),
                    multiColumn("price", MLCRT_F32, ';')};
  const auto batch = read("x,tags,ids,price\n1,a|bb|c,3 -4,1.5;2\n2,,,\n3,d,7,-1\n4,\"e|\"\"f\"\"|g\",, 0.5 ; 3\n");
  EXPECT_EQ(dataset->decoded(), GetParam() > 0);
  EXPECT_EQ(rowsOf<mlcrt_string>(*batch, 0), "a,bb,c;;d;e,\"f\",g");
  EXPECT_EQ(rowsOf<int64_t>(*batch, 3), "3,-4;;7;");
  EXPECT_EQ(rowsOf<float>(*batch, 5), "1.5,2;;-1;0.5,3");
  EXPECT_THAT(std::vector<int64_t>(values<int64_t>(*batch, 1), values<int64_t>(*batch, 1) + 4),
              ElementsAre(3, 3, 4, 7));
  EXPECT_EQ(batch->columns()[0].dims[0], 7);
  EXPECT_EQ(batch->columns()[1].dims[0], 4);
  EXPECT_EQ(values<int64_t>(*batch, 2)[3], 4) << "columns beside it";
}

TEST_P(MultiValueTest, NoValuesInAnyRow) {
  format.columns = {multiColumn("tags", MLCRT_STRING), column("x", MLCRT_I64)};
  const auto batch = read("x,tags\n1,\n2,\n");
  EXPECT_EQ(rowsOf<mlcrt_string>(*batch, 0), ";");
  EXPECT_EQ(batch->columns()[0].dims[0], 0);
  EXPECT_NE(batch->columns()[0].data, nullptr);
}

TEST_P(MultiValueTest, Weights) {
  format.csv.fieldDelim = '\t';
  format.columns = {multiColumn("tags", MLCRT_STRING, ',', ':'), multiColumn("ids", MLCRT_I64, ',', '=')};
  const auto batch = read("tags\tids\nhorror:0.7,cult:0.2\t1= 2,3\nplain\t\n\t4=-1e1\na:b:3,:5\t\n");
  EXPECT_EQ(rowsOf<mlcrt_string>(*batch, 0), "horror,cult;plain;;a:b") << "the last separator; no value, no weight";
  EXPECT_EQ(rowsOf<int64_t>(*batch, 3), "1,3;;4;");
  const float *tags = values<float>(*batch, 2), *ids = values<float>(*batch, 5);
  EXPECT_THAT(std::vector<float>(tags, tags + 4), ElementsAre(0.7f, 0.2f, 1, 3));
  EXPECT_THAT(std::vector<float>(ids, ids + 3), ElementsAre(2, 1, -10));
  EXPECT_EQ(error("tags\tids\na:0.5,b:x\t1\n"),
            "f.csv:2:1: bad weight in 'b:x', value 2 in column 'tags', expected value:finite number");
  EXPECT_THAT(error("tags\tids\na:inf\t1\n"), HasSubstr("bad weight in 'a:inf'"));
  EXPECT_THAT(error("tags\tids\na:\t1\n"), HasSubstr("bad weight in 'a:'"));
}

TEST_P(MultiValueTest, StripAndMissingMarksPerValue) {
  format.columns = {multiColumn("tags", MLCRT_STRING), multiColumn("n", MLCRT_F32)};
  format.missing = {"?"};
  format.columns[0].strip = " .";
  format.columns[0].missing = {"none"};
  const auto batch = read("tags,n\n a. |?| none.|b,1|nan||2\n?,NaN\n|.|,|\n");
  EXPECT_EQ(rowsOf<mlcrt_string>(*batch, 0), "a,b;;");
  EXPECT_EQ(rowsOf<float>(*batch, 2), "1,2;;");
}

TEST_P(MultiValueTest, RowsWithoutValues) {
  format.columns = {multiColumn("tags", MLCRT_STRING, '|', ':'), column("x", MLCRT_I64)};
  format.missing = {"?"};
  const std::string text = "x,tags\n1,a\n2,?\n3,b|c\n4,\n5,d\n";
  format.columns[0].defaultValue = "none:0.5|unknown";
  auto batch = read(text);
  EXPECT_EQ(rowsOf<mlcrt_string>(*batch, 0), "a;none,unknown;b,c;none,unknown;d");
  EXPECT_EQ(values<float>(*batch, 2)[1], 0.5f);
  EXPECT_EQ(values<float>(*batch, 2)[2], 1);
  format.columns[0].onMissing = OnMissing::SkipRow;
  batch = read(text);
  EXPECT_EQ(rowsOf<mlcrt_string>(*batch, 0), "a;b,c;d");
  EXPECT_EQ(dataset->skippedRows(), 2);
  EXPECT_EQ(values<int64_t>(*batch, 3)[2], 5);
  format.columns[0].onMissing = OnMissing::Error;
  EXPECT_THAT(error(text), HasSubstr("f.csv:3:2: missing value in column 'tags': '?', expected STRING"));
}

TEST_P(MultiValueTest, MaxValues) {
  format.columns = {multiColumn("ids", MLCRT_I64, '|', 0, 2)};
  const auto batch = read("ids\n1|2|3|4\n5\n6||7|8\n9|10\n");
  EXPECT_EQ(rowsOf<int64_t>(*batch, 0), "1,2;5;6,7;9,10");
  EXPECT_EQ(dataset->droppedValues(), 3);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("3 values beyond max_values of their row are dropped")));
}

TEST_P(MultiValueTest, BadValuesAreNamed) {
  format.columns = {column("x", MLCRT_I64), multiColumn("ids", MLCRT_I64)};
  EXPECT_EQ(error("x,ids\n1,2|3\n2,4|x5|6\n"), "f.csv:3:2: bad number 'x5', value 2 in column 'ids', expected INT64");
  EXPECT_EQ(error("x,ids\n1,1||99999999999999999999\n"),
            "f.csv:2:2: number '99999999999999999999', value 3 in column 'ids' is out of range, expected INT64");
}

TEST_P(MultiValueTest, BadRowsLeaveNoValues) {
  format.columns = {multiColumn("ids", MLCRT_I64), column("x", MLCRT_I64), multiColumn("more", MLCRT_I64)};
  format.csv.maxBadRows = 3;
  const auto batch = read("ids,x,more\n1|2,1,3\n4|5,y,6\n7|z,1,8\n9,1,10|11\n12,1,w\n13|14,1,\n");
  EXPECT_EQ(rowsOf<int64_t>(*batch, 0), "1,2;9;13,14");
  EXPECT_EQ(rowsOf<int64_t>(*batch, 3), "3;10,11;");
  EXPECT_EQ(dataset->badRows(), 3);
}

TEST_P(MultiValueTest, ManyRowsInAnyOrderByManyThreads) {
  format.columns = {multiColumn("tags", MLCRT_STRING, '|', ':'), column("x", MLCRT_I64)};
  std::string text = "x,tags\n";
  const auto valuesOf = [](int64_t row) { return row % 7 == 3 ? 0 : row % 5; };
  for (int64_t i = 0; i < 50000; ++i) {
    text += std::to_string(i) + ",";
    for (int64_t k = 0; k < valuesOf(i); ++k)
      text += (k ? "|t" : "t") + std::to_string(i * 10 + k) + ":" + std::to_string(k);
    text += "\n";
  }
  options.threads = 3;
  auto opened = open(text);
  ASSERT_TRUE(opened.ok()) << opened.status();
  BatchOptions batches{1000};
  batches.shuffle = true;
  batches.seed = 3;
  BatchReader reader(**opened, batches);
  Batch batch;
  reader.prepare(batch);
  int64_t rows = 0;
  for (ReaderState state; state.epoch < 1; state = batch.after()) {
    ASSERT_TRUE(reader.read(state, batch).ok());
    const int64_t *ends = values<int64_t>(batch, 1);
    int64_t k = 0;
    for (int64_t row = 0; row < batch.rows(); ++row, ++rows) {
      const int64_t record = batch.records()[static_cast<size_t>(row)];
      ASSERT_EQ(ends[row] - k, valuesOf(record));
      for (int64_t i = 0; k < ends[row]; ++k, ++i) {
        ASSERT_EQ(test::text(batch, 0, k), "t" + std::to_string(record * 10 + i));
        ASSERT_EQ(values<float>(batch, 2)[k], static_cast<float>(i));
      }
    }
    ASSERT_EQ(batch.columns()[0].dims[0], k);
    ASSERT_EQ(batch.columns()[2].dims[0], k);
  }
  EXPECT_EQ(rows, 50000);
}

TEST_P(MultiValueTest, BatchesReuseTheirMemory) {
  if (!countsAllocations())
    GTEST_SKIP() << "the sanitizer has its own allocator";
  format.columns = {multiColumn("ids", MLCRT_I64), multiColumn("tags", MLCRT_STRING, '|', ':')};
  std::string text = "ids,tags\n";
  for (int i = 0; i < 256; ++i)
    text += "1|2|3,a:2|b|c|d\n";
  auto opened = open(text);
  ASSERT_TRUE(opened.ok()) << opened.status();
  BatchReader reader(**opened, {64});
  Batch batch;
  reader.prepare(batch);
  ASSERT_TRUE(reader.read({0, 0}, batch).ok());
  ASSERT_TRUE(reader.read({0, 64}, batch).ok());
  const int64_t before = allocationCount();
  for (int64_t position : {128, 192, 0})
    ASSERT_TRUE(reader.read({0, position}, batch).ok());
  EXPECT_EQ(allocationCount(), before);
}

TEST(MultiValueFeatures, PartsMayBeAskedForAlone) {
  TemporaryDirectory dir;
  InputFormat format;
  format.columns = {multiColumn("tags", MLCRT_STRING, '|', ':'), multiColumn("ids", MLCRT_I64), column("x", MLCRT_I64)};
  const auto files = resolveFiles({dir.write("f.csv", "tags,ids,x\na:2|b,1,1\n,2,2\n")});
  ASSERT_TRUE(files.ok());
  const auto open = [&](const std::vector<TensorSpec> &features) {
    return Dataset::open(*files, format, features, {});
  };
  const auto weights = open({TensorSpec("tags.weight", MLCRT_F32, {-2}), TensorSpec("x", MLCRT_I64, {-1}),
                             TensorSpec("tags.ends", MLCRT_I64, {-1})});
  ASSERT_TRUE(weights.ok()) << weights.status();
  const auto batch = readAll(**weights);
  EXPECT_EQ(values<float>(*batch, 0)[0], 2);
  EXPECT_EQ(values<int64_t>(*batch, 1)[1], 2);
  EXPECT_THAT(std::vector<int64_t>(values<int64_t>(*batch, 2), values<int64_t>(*batch, 2) + 2), ElementsAre(2, 2));
  EXPECT_EQ((*weights)->where(1, "tags.weight").field, 1);

  const auto error = [&](std::vector<TensorSpec> features) {
    const absl::Status status = open(features).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return message(status);
  };
  EXPECT_THAT(error({TensorSpec("ids.weight", MLCRT_F32, {-2})}), HasSubstr("'ids.weight' is no declared column"));
  EXPECT_THAT(error({TensorSpec("x.ends", MLCRT_I64, {-1})}), HasSubstr("'x.ends' is no declared column"));
  EXPECT_THAT(error({TensorSpec("tags", MLCRT_STRING, {-1})}), HasSubstr("expected a number of values of its own"));
  EXPECT_THAT(error({TensorSpec("tags.ends", MLCRT_I64, {-2})}),
              HasSubstr("another shape than its column, expected rows"));
  EXPECT_THAT(error({TensorSpec("tags.ends", MLCRT_I32, {-1})}), HasSubstr("has dtype INT32, expected INT64"));
  EXPECT_THAT(error({TensorSpec("tags", MLCRT_STRING, {-2}), TensorSpec("tags.weight", MLCRT_F32, {-3})}),
              HasSubstr("another dimension symbol than 'tags'"));
}

TEST(MultiValueFormat, IsReadFromTheManifest) {
  const auto format = parseInputFormat(R"({"csv": {}, "columns": [
    {"name": "a", "dtype": "STRING", "multi_value": {"separator": ",", "max_values": 5, "weight_separator": ":"}},
    {"name": "b", "dtype": "INT64", "multi_value": {}}]})");
  ASSERT_TRUE(format.ok()) << format.status();
  ASSERT_TRUE(format->columns[0].multiValue && format->columns[1].multiValue);
  EXPECT_EQ(format->columns[0].multiValue->separator, ',');
  EXPECT_EQ(format->columns[0].multiValue->maxValues, 5);
  EXPECT_EQ(format->columns[0].multiValue->weightSeparator, ':');
  EXPECT_EQ(format->columns[1].multiValue->separator, '|');
  EXPECT_EQ(format->columns[1].multiValue->maxValues, 0);
  EXPECT_EQ(format->columns[1].multiValue->weightSeparator, 0);
  const auto error = [](const std::string &column) {
    return message(
        parseInputFormat(R"({"csv": {}, "columns": [{"name": "a", "dtype": "INT64", )" + column + "}]}").status());
  };
  EXPECT_THAT(error(R"("multi_value": {"separator": "||"})"),
              HasSubstr("columns[0].multi_value.separator: found '||'"));
  EXPECT_THAT(error(R"("multi_value": {"sep": "|"})"), HasSubstr("multi_value.sep: unknown key"));
  EXPECT_THAT(error(R"("multi_value": {"weight_separator": "|"})"), HasSubstr("the same byte as separator"));
  EXPECT_THAT(error(R"("multi_value": {"weight_field": "w"})"), HasSubstr("set without weight_separator"));
  EXPECT_THAT(error(R"("multi_value": {}, "shape": [2])"), HasSubstr("set together with shape"));
  // Of steps, each of which has a weight.
  EXPECT_EQ(error(R"("multi_value": {}, "role": "weight")"), "");
  EXPECT_THAT(error(R"("multi_value": {}, "default_value": "1|x")"),
              HasSubstr("default_value '1|x' of column 'a' cannot be read as values of the column, expected INT64"));
}
