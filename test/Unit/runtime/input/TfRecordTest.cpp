// Tests of TFRecord files and of the tf.Examples in them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/TfRecord.h"
#include "ExampleTestSupport.h"
#include "InputTestSupport.h"
#include "runtime/src/input/RecordIndex.h"
#include "runtime/src/input/TfExample.h"

#include <cmath>
#include <limits>

using namespace mlcrt;
using namespace mlcrt::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

static std::string fileOf(const std::vector<std::string> &records) {
  std::string text;
  for (const std::string &record : records)
    text += frameRecord(record);
  return text;
}

TEST(TfRecord, FramesAreThoseOfTensorFlow) {
  // The first record of a file that TensorFlow wrote: 136 bytes of data.
  EXPECT_EQ(frameRecord(std::string(136, 'x')).substr(0, 12), std::string("\x88\0\0\0\0\0\0\0\xfc\xde\xec\xe2", 12));
  EXPECT_EQ(frameRecord("").size(), 16u);
}

TEST(TfRecord, IndexFindsRecords) {
  const std::string text = fileOf({"abc", "", std::string(1000, 'z')});
  const auto index = RecordIndex::build("f", text, TfRecordFormat());
  ASSERT_TRUE(index.ok()) << index.status();
  ASSERT_EQ(index->size(), 3);
  EXPECT_EQ(index->record(text, 0), "abc");
  EXPECT_EQ(index->record(text, 1), "");
  EXPECT_EQ(index->record(text, 2), std::string(1000, 'z'));
  EXPECT_EQ(index->line(2), 3);
  const auto again = RecordIndex::deserialize(index->serialize("k"), "k", static_cast<int64_t>(text.size()));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(*again == *index);
  EXPECT_EQ(RecordIndex::build("f", "", TfRecordFormat())->size(), 0) << "a shard may be empty";
}

TEST(TfRecord, EveryFlippedBitIsFound) {
  const std::string text = fileOf({"abc", "defgh"});
  for (size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] ^= 4;
    const absl::Status status = RecordIndex::build("f", damaged, TfRecordFormat()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << i;
    EXPECT_THAT(message(status), HasSubstr(i < 19 ? "f: record 1: " : "f: record 2: ")) << i;
    EXPECT_EQ(RecordIndex::build("f", text.substr(0, i), TfRecordFormat()).ok(), i == 0 || i == 19) << i;
  }
  std::string longer = text;
  longer[19 + 12] ^= 1;
  EXPECT_EQ(message(RecordIndex::build("f", longer, TfRecordFormat()).status()),
            "f: record 2: the checksum of the record's data is wrong (it begins at byte 19), expected undamaged bytes");
  EXPECT_EQ(message(RecordIndex::build("f", text.substr(0, 35), TfRecordFormat()).status()),
            "f: record 2: the file ends within the record: 4 bytes are left (it begins at byte 19), expected 9");
}

TEST(TfExample, FindsTheFeaturesThatAreAskedFor) {
  ExampleNames names;
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(names.add("feature_number_" + std::to_string(i) + "_of_many"), i);
  EXPECT_EQ(names.add("feature_number_7_of_many"), 7);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(names.find("feature_number_" + std::to_string(i) + "_of_many"), i);
  EXPECT_EQ(names.find("feature_number_100_of_many"), -1);
  EXPECT_EQ(names.find(""), -1);
  std::vector<ExampleFeature> found(100);
  int64_t position;
  const std::string record = ExampleWriter()
                                 .ints("other", {1})
                                 .ints("feature_number_3_of_many", {1})
                                 .floats("feature_number_3_of_many", {2})
                                 .str();
  ASSERT_TRUE(splitExample(record, names, found.data(), position));
  EXPECT_EQ(found[3].kind, ExampleFeature::Floats) << "the last counts";
  EXPECT_EQ(found[4].kind, ExampleFeature::Absent);
}

/// Kept in memory, or mapped and parsed per batch.
class TfRecordDataset : public testing::TestWithParam<int64_t> {
protected:
  void SetUp() override { format.tfrecord.emplace(); }
  absl::StatusOr<std::unique_ptr<Dataset>> open(const std::vector<std::string> &records) {
    options.memoryLimit = GetParam();
    options.note = [this](std::string_view note) { notes.emplace_back(note); };
    return openAll({dir.write("f.tfrecord", fileOf(records))}, format, options);
  }
  std::unique_ptr<Batch> read(const std::vector<std::string> &records) {
    auto opened = open(records);
    EXPECT_TRUE(opened.ok()) << opened.status();
    dataset = *std::move(opened);
    return readAll(*dataset);
  }
  std::string error(const std::vector<std::string> &records) { return firstError(open(records), dir); }

  TemporaryDirectory dir;
  InputFormat format;
  DatasetOptions options;
  std::vector<std::string> notes;
  std::unique_ptr<Dataset> dataset;
};

INSTANTIATE_TEST_SUITE_P(Keeping, TfRecordDataset, testing::Values(int64_t{1} << 30, int64_t{0}),
                         [](const auto &info) { return info.param ? "memory" : "mapped"; });

TEST_P(TfRecordDataset, AllDtypesPackedAndNot) {
  format.columns = {column("f", MLCRT_F32),  column("d", MLCRT_F64),    column("i", MLCRT_I32), column("l", MLCRT_I64),
                    column("b", MLCRT_BOOL), column("s", MLCRT_STRING), column("v", MLCRT_F32)};
  format.columns[6].shape = {2, 2};
  std::vector<std::string> records;
  for (const bool packed : {true, false})
    records.push_back(ExampleWriter()
                          .floats("f", {1.5f}, packed)
                          .floats("d", {-0.1f}, packed)
                          .ints("i", {-7}, packed)
                          .ints("l", {std::numeric_limits<int64_t>::min()}, packed)
                          .ints("b", {1}, packed)
                          .bytes("s", {std::string("a\0b", 3)})
                          .floats("v", {1, 2, 3, 4}, packed)
                          .bytes("unused", {"x"})
                          .str());
  const auto batch = read(records);
  EXPECT_EQ(dataset->decoded(), GetParam() > 0);
  for (int row = 0; row < 2; ++row) {
    EXPECT_EQ(values<float>(*batch, 0)[row], 1.5f);
    EXPECT_EQ(values<double>(*batch, 1)[row], static_cast<double>(-0.1f));
    EXPECT_EQ(values<int32_t>(*batch, 2)[row], -7);
    EXPECT_EQ(values<int64_t>(*batch, 3)[row], std::numeric_limits<int64_t>::min());
    EXPECT_EQ(values<uint8_t>(*batch, 4)[row], 1);
    EXPECT_EQ(text(*batch, 5, row), std::string("a\0b", 3));
    EXPECT_THAT(std::vector<float>(values<float>(*batch, 6) + 4 * row, values<float>(*batch, 6) + 4 * row + 4),
                ElementsAre(1, 2, 3, 4));
  }
  EXPECT_THAT(notes, IsEmpty());
}

TEST_P(TfRecordDataset, MissingFeatures) {
  format.columns = {column("x", MLCRT_F32), column("s", MLCRT_STRING, true), column("c", MLCRT_I64, true),
                    column("v", MLCRT_I64)};
  format.columns[0].defaultValue = "2.5";
  format.columns[0].missing = {"-999"};
  format.columns[3].shape = {2};
  format.columns[3].defaultValue = "7|8";
  format.missing = {"?"};
  format.columns[1].strip = " ";
  const auto batch =
      read({ExampleWriter().str(), ExampleWriter().floats("x", {}).bytes("s", {}).ints("c", {}).add("v", "").str(),
            ExampleWriter().floats("x", {-999}).bytes("s", {" ? "}).ints("v", {1, 2}).str(),
            ExampleWriter().floats("x", {NAN}).bytes("s", {" a "}).ints("c", {4}).str(), ""});
  EXPECT_THAT(std::vector<float>(values<float>(*batch, 0), values<float>(*batch, 0) + 5),
              ElementsAre(2.5f, 2.5f, 2.5f, 2.5f, 2.5f));
  EXPECT_EQ(text(*batch, 1, 2), "");
  EXPECT_EQ(text(*batch, 1, 3), "a");
  EXPECT_THAT(std::vector<int64_t>(values<int64_t>(*batch, 2), values<int64_t>(*batch, 2) + 5),
              ElementsAre(-1, -1, -1, 4, -1));
  EXPECT_THAT(std::vector<int64_t>(values<int64_t>(*batch, 3), values<int64_t>(*batch, 3) + 6),
              ElementsAre(7, 8, 7, 8, 1, 2));
  format.columns[0].onMissing = OnMissing::SkipRow;
  EXPECT_EQ(read({ExampleWriter().str(), ExampleWriter().floats("x", {1}).str()})->rows(), 1);
  EXPECT_EQ(dataset->skippedRows(), 1);
}

TEST_P(TfRecordDataset, MultiValued) {
  format.columns = {multiColumn("tags", MLCRT_STRING, '|', ':'), multiColumn("ids", MLCRT_I64, '|', 0, 2),
                    multiColumn("p", MLCRT_F32)};
  format.missing = {"?"};
  const auto batch =
      read({ExampleWriter().bytes("tags", {"a", "b:1"}).floats("tags.weight", {0.5f, 2}).ints("ids", {1, 2, 3}).str(),
            ExampleWriter().ints("ids", {}).floats("p", {1, NAN, 3}).str(),
            ExampleWriter().bytes("tags", {"?", "c", ""}).floats("p", {4}, false).ints("ids", {5}).str()});
  EXPECT_EQ(rowsOf<mlcrt_string>(*batch, 0), "a,b:1;;c") << "values are not cut";
  EXPECT_THAT(std::vector<float>(values<float>(*batch, 2), values<float>(*batch, 2) + 3), ElementsAre(0.5f, 2, 1));
  EXPECT_EQ(rowsOf<int64_t>(*batch, 3), "1,2;;5");
  EXPECT_EQ(rowsOf<float>(*batch, 5), ";1,3;4");
  EXPECT_EQ(dataset->droppedValues(), 1);
}

TEST_P(TfRecordDataset, FeaturesOfOtherNames) {
  format.columns = {multiColumn("tags", MLCRT_STRING, '|', ':'), column("x", MLCRT_F32)};
  format.columns[0].field = "words";
  format.columns[0].multiValue->weightField = "shares";
  format.columns[1].field = "tags";
  const std::string good =
      ExampleWriter().bytes("words", {"a", "b"}).floats("shares", {0.5f, 2}).floats("tags", {7}).str();
  const auto batch = read({good});
  EXPECT_EQ(rowsOf<mlcrt_string>(*batch, 0), "a,b");
  EXPECT_THAT(std::vector<float>(values<float>(*batch, 2), values<float>(*batch, 2) + 2), ElementsAre(0.5f, 2));
  EXPECT_EQ(values<float>(*batch, 3)[0], 7);
  EXPECT_THAT(error({ExampleWriter().bytes("words", {"a", "b"}).floats("shares", {1}).floats("tags", {7}).str()}),
              HasSubstr("feature 'shares' has 1 values"));
  EXPECT_THAT(error({ExampleWriter().bytes("words", {"a"}).floats("tags", {7, 8}).str()}),
              HasSubstr("feature 'tags' has 2 values"));
}

TEST_P(TfRecordDataset, ErrorsNameRecordFeatureFoundAndExpected) {
  const std::string good = ExampleWriter().floats("x", {1}).ints("i", {1}).bytes("s", {"a"}).bytes("t", {"u"}).str();
  format.columns = {column("x", MLCRT_F32), column("i", MLCRT_I32), column("s", MLCRT_STRING),
                    multiColumn("t", MLCRT_STRING, '|', ':'), multiColumn("n", MLCRT_I32)};
  const auto with = [&](ExampleWriter example) { return error({good, example.str()}); };
  const auto base = [] { return ExampleWriter().floats("x", {1}).ints("i", {1}).bytes("s", {"a"}); };
  EXPECT_EQ(with(base().ints("x", {1})),
            "f.tfrecord: record 2: feature 'x' is of kind int64 list, expected float list for FLOAT32");
  EXPECT_EQ(with(base().floats("x", {1, 2})),
            "f.tfrecord: record 2: feature 'x' has 2 values, expected 1 of FLOAT32; a column may have multi_value");
  EXPECT_EQ(with(base().ints("i", {int64_t{1} << 31})),
            "f.tfrecord: record 2: number 2147483648, value 1 of feature 'i', is out of range, expected INT32");
  EXPECT_EQ(with(base().bytes("s", {})),
            "f.tfrecord: record 2: missing value in feature 's', expected STRING; a column may have default_value, or "
            "on_missing: SKIP_ROW");
  EXPECT_EQ(with(base().bytes("t", {"a", "b"}).floats("t.weight", {1})),
            "f.tfrecord: record 2: feature 't.weight' has 1 values, expected a float list of 2 finite weights");
  EXPECT_THAT(with(base().bytes("t", {"a"}).ints("t.weight", {1})),
              HasSubstr("feature 't.weight' is of kind int64 list"));
  EXPECT_EQ(with(base().ints("n", {1, -3000000000})),
            "f.tfrecord: record 2: number -3000000000, value 2 of feature 'n', is out of range, expected INT32");
  EXPECT_EQ(with(base().add("x", lengthField(2, "\x0a\x03"
                                                "abc"))),
            "f.tfrecord: record 2: the list of feature 'x' is damaged, expected float list");
  format.columns[0].finite = true;
  EXPECT_EQ(
      with(base().floats("x", {-INFINITY})),
      "f.tfrecord: record 2: number -inf, value 1 of feature 'x' is not finite, expected a finite FLOAT32; a mark "
      "for missing values is declared by input.missing");
  EXPECT_THAT(with(base().floats("x", {NAN})), HasSubstr("record 2: missing value in feature 'x'"));
  format.columns[0].role = format.columns[1].role = ColumnRole::Weight;
  EXPECT_EQ(with(base().floats("x", {-2.5f})),
            "f.tfrecord: record 2: negative weight -2.5, value 1 of feature 'x', expected a weight >= 0 of FLOAT32");
  EXPECT_THAT(with(base().ints("i", {-3})), HasSubstr("record 2: negative weight -3, value 1 of feature 'i'"));
  EXPECT_THAT(error({good, "not an example"}), HasSubstr("f.tfrecord: record 2: it cannot be read from its byte"));
  EXPECT_EQ(error({}), "f.tfrecord: there is no record, expected at least one record");
}

TEST_P(TfRecordDataset, BoolsAndVectors) {
  format.columns = {column("b", MLCRT_BOOL), column("v", MLCRT_F32)};
  format.columns[1].shape = {3};
  EXPECT_EQ(error({ExampleWriter().ints("b", {2}).floats("v", {1, 2, 3}).str()}),
            "f.tfrecord: record 1: number 2, value 1 of feature 'b', expected 0 or 1 for BOOL");
  EXPECT_EQ(error({ExampleWriter().ints("b", {1}).floats("v", {1, 2}).str()}),
            "f.tfrecord: record 1: feature 'v' has 2 values, expected 3 of FLOAT32");
  EXPECT_EQ(error({ExampleWriter().ints("b", {1}).floats("v", {1, NAN, 3}).str()}),
            "f.tfrecord: record 1: a missing mark, value 2 of feature 'v', expected FLOAT32");
}

TEST_P(TfRecordDataset, DamagedRecordsNeverReadOutsideThem) {
  format.columns = {multiColumn("t", MLCRT_STRING, '|', ':'), multiColumn("n", MLCRT_I64), column("x", MLCRT_F32)};
  const std::string record =
      ExampleWriter().bytes("t", {"ab", "c"}).floats("t.weight", {1, 2}).ints("n", {300, 1}).floats("x", {1}).str();
  int readable = 0;
  for (size_t i = 0; i < record.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = record;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      for (const std::string &bytes : {changed, record.substr(0, i)}) {
        const auto opened = open({std::string(bytes)});
        if (!opened.ok())
          continue;
        BatchReader reader(**opened, {1});
        Batch batch;
        reader.prepare(batch);
        readable += reader.read({0, 0}, batch).ok();
      }
    }
  EXPECT_GT(readable, 0) << "a changed value is no damage";
}

TEST_P(TfRecordDataset, PlainFilesThatLookPacked) {
  // The length's bytes are the magic of gzip.
  const std::string record = ExampleWriter().bytes("s", {std::string(0x88b1f - 12 - 8 - 2, 'x')}).str();
  std::string exact = record;
  format.columns = {column("s", MLCRT_STRING)};
  const auto size = [&] { return exact.size(); };
  exact = ExampleWriter().bytes("s", {std::string(0x88b1f - (size() - (0x88b1f - 22)), 'x')}).str();
  ASSERT_EQ(exact.size(), 0x88b1fu);
  const auto batch = read({exact});
  EXPECT_EQ(batch->rows(), 1);
}

TEST(TfRecordManifest, IsReadFromTheManifest) {
  const auto format =
      parseInputFormat(R"({"tfrecord": {"compression": "GZIP"}, "columns": [{"name": "a", "dtype": "INT64"}]})");
  ASSERT_TRUE(format.ok()) << format.status();
  ASSERT_TRUE(format->tfrecord);
  EXPECT_EQ(format->compression(), Compression::Gzip);
  const auto error = [](const char *json) { return message(parseInputFormat(json).status()); };
  EXPECT_THAT(error(R"({"tfrecord": {}, "csv": {}, "columns": []})"),
              HasSubstr("input.tfrecord: set together with csv"));
  EXPECT_THAT(error(R"({"tfrecord": {"compresion": "GZIP"}, "columns": []})"), HasSubstr("unknown key"));
  EXPECT_THAT(error(R"({"columns": []})"), HasSubstr("input.csv: it is absent"));
}
