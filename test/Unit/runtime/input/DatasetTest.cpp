// Tests of data sets: binding, bad rows, messages, both ways of keeping files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InputTestSupport.h"
#include "common/cli/Message.h"
#include "runtime/src/core/JsonText.h"

using namespace mlcrt;
using namespace mlcrt::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

static InputFormat abc() {
  InputFormat format;
  format.columns = {column("a", MLCRT_F32), column("b", MLCRT_STRING, true), column("c", MLCRT_I64)};
  return format;
}

class DatasetTest : public testing::TestWithParam<int64_t> {
protected:
  absl::StatusOr<std::unique_ptr<Dataset>> open(std::string_view text, const InputFormat &format) {
    options.memoryLimit = GetParam();
    options.note = [this](std::string_view note) { notes.emplace_back(note); };
    return openAll({dir.write("f.csv", text)}, format, options);
  }
  /// The first error, when opening or reading.
  std::string error(std::string_view text, const InputFormat &format) { return firstError(open(text, format), dir); }

  TemporaryDirectory dir;
  DatasetOptions options;
  std::vector<std::string> notes;
};

/// Kept in memory, or mapped and parsed per batch.
INSTANTIATE_TEST_SUITE_P(Keeping, DatasetTest, testing::Values(int64_t{1} << 30, int64_t{0}),
                         [](const auto &info) { return info.param ? "memory" : "mapped"; });

TEST_P(DatasetTest, ColumnsInTheOrderOfTheFeatures) {
  const auto dataset = open("b,skip,c,a\nx,1,-3,1.5\r\n\"y,\"\"z\"\"\",,+4,2\n,,5,3", abc());
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ((*dataset)->decoded(), GetParam() > 0);
  EXPECT_EQ((*dataset)->size(), 3);
  const auto batch = readAll(**dataset);
  ASSERT_EQ(batch->columns().size(), 3u);
  EXPECT_THAT(std::vector<float>(values<float>(*batch, 0), values<float>(*batch, 0) + 3), ElementsAre(1.5f, 2, 3));
  EXPECT_EQ(text(*batch, 1, 0), "x");
  EXPECT_EQ(text(*batch, 1, 1), "y,\"z\"");
  EXPECT_EQ(text(*batch, 1, 2), "");
  EXPECT_EQ(values<int64_t>(*batch, 2)[1], 4);
  for (const TensorView &buffer : batch->columns()) {
    EXPECT_EQ(buffer.rank(), 1);
    EXPECT_EQ(buffer.dims[0], 3);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data) % MLCRT_ALIGNMENT, 0u);
  }
  EXPECT_THAT(notes, ElementsAre(HasSubstr("f.csv: skipped, as the spec does not declare it: 'skip'")));
  EXPECT_EQ(toText((*dataset)->where(1, "a")), dir.file("f.csv") + ":3:4");
  EXPECT_EQ(toText((*dataset)->where(2)), dir.file("f.csv") + ":4");
}

TEST_P(DatasetTest, ColumnsOfOtherFields) {
  InputFormat format = abc();
  format.columns[0].field = "b";
  format.columns[1].field = "x y";
  // One field may be two columns, and a column's own name a field that nobody reads.
  format.columns[2].field = "b";
  const auto dataset = open("a,x y,b\nq,text,3\n", format);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  const auto batch = readAll(**dataset);
  EXPECT_EQ(values<float>(*batch, 0)[0], 3);
  EXPECT_EQ(text(*batch, 1, 0), "text");
  EXPECT_EQ(values<int64_t>(*batch, 2)[0], 3);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("does not declare it: 'a'")));
  EXPECT_THAT(error("a,b\n1,2\n", format), HasSubstr("the header lacks the column 'x y'"));
  EXPECT_THAT(error("x y,b\nt,z\n", format), HasSubstr("bad number 'z' in column 'b'"));
  format.csv.header = false;
  format.csv.columnNames = {"b", "x y"};
  const auto headless = open("4,more\n", format);
  ASSERT_TRUE(headless.ok()) << headless.status();
  EXPECT_EQ(values<float>(*readAll(**headless), 0)[0], 4);
}

TEST_P(DatasetTest, ColumnsSideBySide) {
  InputFormat format;
  format.columns = {column("x", MLCRT_F32), column("k", MLCRT_I64), column("v", MLCRT_F32), column("z", MLCRT_F32)};
  format.columns[2].shape = {2};
  options.matrices = {{MLCRT_F32, 4, {{2, 0}, {3, 2}, {0, 3}}}};
  const auto dataset = open("x,k,v,z\n1,7,2|3,4\n10,8,20|30,40\n100,9,200|300,400\n", format);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  const auto batch = readAll(**dataset);
  ASSERT_EQ(batch->matrices().size(), 1u);
  const TensorView &matrix = batch->matrices()[0];
  EXPECT_EQ(describe(matrix), "f32[3x4]");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(matrix.data) % MLCRT_ALIGNMENT, 0u);
  const auto *cells = static_cast<const float *>(matrix.data);
  EXPECT_THAT(std::vector<float>(cells, cells + 12), ElementsAre(2, 3, 4, 1, 20, 30, 40, 10, 200, 300, 400, 100));
  // Columns are parts of it.
  EXPECT_EQ(batch->columns()[2].data, matrix.data);
  EXPECT_EQ(batch->columns()[0].data, cells + 3);
  EXPECT_EQ(batch->columns()[0].rowStride, 4);
  EXPECT_EQ(describe(batch->columns()[2]), "f32[3x2]");
  EXPECT_EQ(batch->columns()[1].rowStride, 0);
  EXPECT_EQ(values<int64_t>(*batch, 1)[2], 9);
  float dense[6];
  copyDense(batch->columns()[2], dense);
  EXPECT_THAT(dense, ElementsAre(2, 3, 20, 30, 200, 300));
  EXPECT_EQ(jsonValue(batch->columns()[0], 2), "100");
  EXPECT_EQ(jsonValue(batch->columns()[2]), "[[2,3],[20,30],[200,300]]");
}

TEST_P(DatasetTest, SeveralFilesWithOtherColumnOrders) {
  dir.write("1.csv", "a,b,c\n1,x,1\n2,\"q\nq\",2\n3,z,3\n");
  dir.write("2.csv", "c,b,a\n4,w,4\n");
  dir.write("3.csv", "c,b,a\n");
  options.memoryLimit = GetParam();
  const auto dataset = openAll({dir.file("*.csv")}, abc(), options);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  const auto batch = readAll(**dataset);
  ASSERT_EQ(batch->rows(), 4);
  EXPECT_EQ(values<float>(*batch, 0)[3], 4);
  EXPECT_EQ(text(*batch, 1, 3), "w");
  EXPECT_EQ(toText((*dataset)->where(2, "a")), dir.file("1.csv") + ":5:1");
  EXPECT_EQ(toText((*dataset)->where(3, "a")), dir.file("2.csv") + ":2:3");
}

TEST_P(DatasetTest, BadRows) {
  EXPECT_EQ(error("a,b,c\n1,x,1\n2,y\n", abc()), "f.csv:3:3: ragged row: found 2 fields, expected 3");
  EXPECT_EQ(error("a,b,c\n1,x,1,\n", abc()), "f.csv:2:4: ragged row: found 4 fields, expected 3");
  EXPECT_EQ(error("a,b,c\n1;x;1\n", abc()),
            "f.csv:2:2: ragged row: found 1 field, expected 3; csv.field_delim: \";\" would give 3");
  EXPECT_EQ(error("a,b,c\n1,\"x\n\",1\n1.5.,y,2\n", abc()),
            "f.csv:4:1: bad number '1.5.' in column 'a', expected FLOAT32");
  EXPECT_EQ(error("a,b,c\n1,x,9223372036854775808\n", abc()),
            "f.csv:2:3: number '9223372036854775808' in column 'c' is out of range, expected INT64");
  EXPECT_THAT(error("a,b,c\n1,x, \n", abc()),
              HasSubstr("f.csv:2:3: missing value in column 'c', expected INT64; a column may have default_value"));
  EXPECT_EQ(error("a,b,c\n1,\"x\"y,1\n", abc()),
            "f.csv:2:2: text after a closing quote, expected the delimiter, or a doubled quote");
  InputFormat named = abc();
  named.csv.header = false;
  named.csv.columnNames = {"a", "b", "c"};
  EXPECT_THAT(error("a,b,c\n1,x,1\n", named), HasSubstr("the first line looks like a header"));
}

TEST_P(DatasetTest, BadFiles) {
  EXPECT_EQ(error("", abc()), "f.csv: the file is empty, expected a line with the names of the columns");
  EXPECT_EQ(error("a,b,c\n", abc()), "f.csv: there is a header and no row, expected at least one row");
  EXPECT_EQ(error("a,bb,c\n1,x,1\n", abc()), "f.csv:1: the header lacks the column 'b'; did you mean 'bb'?");
  EXPECT_EQ(error("a;b;c\n1;x;1\n", abc()), "f.csv:1: the header lacks the column 'a'; another csv.field_delim, or csv "
                                            "{ header: false } with column_names?");
  EXPECT_EQ(error("a,b,c,b\n1,x,1,y\n", abc()), "f.csv:1: the column 'b' is there twice, expected distinct names");
  EXPECT_EQ(error(std::string_view("a,b,c\n1,\0,1\n", 12), abc()),
            "f.csv:2: found a NUL byte at byte 8, expected text");
  EXPECT_THAT(error("a,b,c\n1,\"x,1\n2,y,2\n", abc()), HasSubstr("f.csv:2:2: a quote opens here and is never closed"));
}

TEST_P(DatasetTest, ErrorsCarryTheirParts) {
  const absl::Status status = openAll({dir.write("f.csv", "a,bb,c\n1,x,1\n")}, abc()).status();
  const auto payload = status.GetPayload(absl::string_view(kMessagePayload.data(), kMessagePayload.size()));
  ASSERT_TRUE(payload.has_value());
  mlc::common::Message parts;
  ASSERT_TRUE(mlc::common::messageFromJson(std::string(*payload), parts));
  EXPECT_EQ(parts.code, "E0317");
  EXPECT_EQ(parts.place.file, dir.file("f.csv"));
  EXPECT_EQ(parts.place.line, 1);
  EXPECT_EQ(parts.what, "the header lacks the column 'b'");
  EXPECT_EQ(parts.help, "did you mean 'bb'?");
}

TEST_P(DatasetTest, SkippedAndBadRowsAreNoExamples) {
  InputFormat format = abc();
  format.columns[0].onMissing = OnMissing::SkipRow;
  format.csv.maxBadRows = 2;
  const std::string text = "a,b,c\n1,p,1\n,q,2\n3,r\n4,s,4\n5,t,x\n6,u,6\n";
  for (const int threads : {1, 3}) {
    options.threads = threads;
    notes.clear();
    const auto dataset = open(text, format);
    ASSERT_TRUE(dataset.ok()) << dataset.status();
    EXPECT_EQ((*dataset)->size(), 3);
    EXPECT_EQ((*dataset)->skippedRows(), 1);
    EXPECT_EQ((*dataset)->badRows(), 2);
    EXPECT_THAT(notes,
                ElementsAre(HasSubstr("of 6 rows 1 are skipped for a missing value and 2 are bad; the first: ")));
    EXPECT_THAT(notes[0], HasSubstr("f.csv:4:3: ragged row: found 2 fields, expected 3; "));
    EXPECT_THAT(notes[0], HasSubstr("f.csv:6:3: bad number 'x' in column 'c', expected INT64"));
    const auto batch = readAll(**dataset);
    EXPECT_THAT(std::vector<float>(values<float>(*batch, 0), values<float>(*batch, 0) + 3), ElementsAre(1, 4, 6));
    EXPECT_EQ(test::text(*batch, 1, 1), "s");
    EXPECT_EQ((*dataset)->where(1).line, 5);
  }
  format.csv.maxBadRows = 1; // more than that: an error that names the first of them
  const std::string many = error(text, format);
  EXPECT_THAT(many, testing::StartsWith("f.csv:4: of 6 rows 2 are bad; the first: "));
  EXPECT_THAT(many, HasSubstr("f.csv:4:3: ragged row: found 2 fields, expected 3; "));
  EXPECT_THAT(many, HasSubstr("f.csv:6:3: bad number 'x' in column 'c', expected INT64"));
  EXPECT_THAT(many, HasSubstr(", expected at most 1, which is csv.max_bad_rows"));
  format.csv.maxBadRows = 0;
  EXPECT_EQ(error(text, format), "f.csv:4:3: ragged row: found 2 fields, expected 3");
  EXPECT_THAT(error("a,b,c\n,x,1\n", format), HasSubstr("all 1 rows are dropped"));
}

TEST_P(DatasetTest, RequestsThatDoNotFit) {
  const auto files = resolveFiles({dir.write("f.csv", "a,b,c\n1,x,1\n")});
  ASSERT_TRUE(files.ok());
  const InputFormat format = abc();
  const auto request = [&](const char *name, int32_t dtype, Dims dims) {
    const absl::Status status = Dataset::open(*files, format, {TensorSpec(name, dtype, std::move(dims))}, {}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return message(status);
  };
  EXPECT_EQ(request("aa", MLCRT_F32, {-1}), "feature 'aa' is no declared column; did you mean 'a'?");
  EXPECT_EQ(request("a", MLCRT_F64, {-1}), "feature 'a' has dtype FLOAT64, expected FLOAT32 as its column declares");
  EXPECT_THAT(request("a", MLCRT_F32, {-1, 3}), HasSubstr("another shape than its column, expected rows x 1"));
  EXPECT_THAT(request("a", MLCRT_F32, {5}), HasSubstr("another shape"));
  EXPECT_THAT(request("a", MLCRT_F32, {}), HasSubstr("another shape"));
  // A subset, as predict asks for, needs only its own columns; [rows, 1] is the same column.
  const auto subset = Dataset::open(*files, format, {TensorSpec("c", MLCRT_I64, {-1, 1})}, {});
  ASSERT_TRUE(subset.ok()) << subset.status();
  const auto batch = readAll(**subset);
  EXPECT_EQ(batch->columns()[0].rank(), 2);
  EXPECT_EQ(batch->columns()[0].dims[1], 1);
  EXPECT_EQ(values<int64_t>(*batch, 0)[0], 1);
}

TEST_P(DatasetTest, ManyRowsParsedByManyThreads) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 60000; ++i)
    text += std::to_string(i) + ".5,\"s \"\"" + std::to_string(i) + "\"\"\"," + std::to_string(-i) + "\n";
  options.threads = 4;
  const auto dataset = open(text, abc());
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  const auto batch = readAll(**dataset);
  ASSERT_EQ(batch->rows(), 60000);
  for (int64_t i = 0; i < 60000; ++i) {
    ASSERT_EQ(values<float>(*batch, 0)[i], static_cast<float>(i) + 0.5f);
    ASSERT_EQ(test::text(*batch, 1, i), "s \"" + std::to_string(i) + "\"");
    ASSERT_EQ(values<int64_t>(*batch, 2)[i], -i);
  }
}

TEST(DatasetErrors, NoFile) {
  const absl::Status status = Dataset::open({}, abc(), {}, {}).status();
  EXPECT_EQ(message(status), "no data file is given");
}
