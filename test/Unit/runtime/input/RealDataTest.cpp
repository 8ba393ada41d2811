// Tests on real files: counts, sums and single values as other readers give them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InputTestSupport.h"

#include <algorithm>
#include <numeric>

using namespace mlcrt;
using namespace mlcrt::test;
using testing::HasSubstr;

/// The path of a file of the test data in `path`; skips the test if it is not there.
#define TEST_DATA_OR_SKIP(path, name)                                                                                  \
  const std::string path = testData(name);                                                                             \
  if (path.empty())                                                                                                    \
  GTEST_SKIP() << "no test data: set MLC_TEST_DATA to the folder that holds " << (name)

template <typename T> static double sum(const Batch &batch, size_t column) {
  return std::accumulate(values<T>(batch, column), values<T>(batch, column) + batch.rows(), 0.0);
}

static int64_t count(const Batch &batch, size_t column, std::string_view wanted) {
  int64_t found = 0;
  for (int64_t row = 0; row < batch.rows(); ++row)
    found += text(batch, column, row) == wanted;
  return found;
}

static InputFormat census() {
  auto format = parseInputFormat(R"({
    "csv": {"header": false, "skip_initial_space": true,
            "column_names": ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation",
                             "relationship", "race", "gender", "capital_gain", "capital_loss", "hours_per_week",
                             "native_country", "income_bracket"]},
    "missing": ["?"],
    "columns": [{"name": "age", "dtype": "FLOAT32"},
                {"name": "workclass", "dtype": "STRING", "categorical": true},
                {"name": "occupation", "dtype": "STRING", "categorical": true},
                {"name": "capital_gain", "dtype": "INT64"},
                {"name": "hours_per_week", "dtype": "FLOAT64"},
                {"name": "native_country", "dtype": "STRING", "categorical": true},
                {"name": "income_bracket", "dtype": "STRING", "strip": ".", "on_missing": "ERROR", "role": "label"}]})");
  EXPECT_TRUE(format.ok()) << format.status();
  return *std::move(format);
}

TEST(RealData, Census) {
  TEST_DATA_OR_SKIP(train, "census/adult-train.csv");
  TEST_DATA_OR_SKIP(test, "census/adult-test.csv");
  const auto dataset = openAll({train}, census());
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  const auto batch = readAll(**dataset);
  ASSERT_EQ(batch->rows(), 32561);
  EXPECT_EQ(sum<float>(*batch, 0), 1256257);
  EXPECT_EQ(count(*batch, 1, ""), 1836);
  EXPECT_EQ(count(*batch, 2, ""), 1843);
  EXPECT_EQ(sum<int64_t>(*batch, 3), 35089324);
  EXPECT_EQ(sum<double>(*batch, 4), 1316684);
  EXPECT_EQ(count(*batch, 5, ""), 583);
  EXPECT_EQ(count(*batch, 6, ">50K"), 7841);
  EXPECT_EQ(values<float>(*batch, 0)[100], 76);
  EXPECT_EQ(text(*batch, 2, 32560), "Exec-managerial");
  EXPECT_EQ((*dataset)->where(32560, "income_bracket").line, 32561);
  EXPECT_EQ((*dataset)->where(32560, "income_bracket").field, 15);

  const auto testSet = openAll({test}, census());
  ASSERT_TRUE(testSet.ok()) << testSet.status();
  const auto testBatch = readAll(**testSet);
  ASSERT_EQ(testBatch->rows(), 16281);
  EXPECT_EQ(sum<float>(*testBatch, 0), 631173);
  EXPECT_EQ(count(*testBatch, 6, ">50K"), 3846); // the labels of this file end in '.'
  EXPECT_EQ(count(*testBatch, 6, "<=50K"), 16281 - 3846);
}

TEST(RealData, CensusIsTheSameMappedAndThreaded) {
  TEST_DATA_OR_SKIP(train, "census/adult-train.csv");
  DatasetOptions mapped;
  mapped.memoryLimit = 0;
  DatasetOptions threaded;
  threaded.threads = 3;
  const auto a = openAll({train}, census(), mapped), b = openAll({train}, census(), threaded);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_FALSE((*a)->decoded());
  BatchOptions options{128};
  options.shuffle = true;
  options.seed = 7;
  BatchReader readA(**a, options), readB(**b, options);
  Batch batchA, batchB;
  readA.prepare(batchA);
  readB.prepare(batchB);
  for (ReaderState state; state.epoch < 1; state = batchA.after()) {
    ASSERT_TRUE(readA.read(state, batchA).ok() && readB.read(state, batchB).ok());
    ASSERT_EQ(batchA.records(), batchB.records());
    for (int64_t row = 0; row < batchA.rows(); ++row) {
      ASSERT_EQ(values<float>(batchA, 0)[row], values<float>(batchB, 0)[row]);
      for (const size_t column : {1, 2, 5, 6})
        ASSERT_EQ(text(batchA, column, row), text(batchB, column, row));
    }
  }
}

TEST(RealData, CensusRaggedRowIsPlaced) {
  TEST_DATA_OR_SKIP(train, "census/adult-train.csv");
  TemporaryDirectory dir;
  std::string bytes = readText(train);
  size_t line = 0;
  for (int i = 0; i < 20000; ++i)
    line = bytes.find('\n', line) + 1;
  bytes.erase(bytes.find(',', line), 2); // joins two fields of line 20001
  const absl::Status status = openAll({dir.write("adult-train.csv", bytes)}, census()).status();
  EXPECT_EQ(message(status), dir.file("adult-train.csv") + ":20001:15: ragged row: found 14 fields, expected 15");
}

TEST(RealData, Iris) {
  TEST_DATA_OR_SKIP(train, "iris_tf/iris_training.csv");
  InputFormat format;
  for (const char *name : {"SepalLength", "SepalWidth", "PentalLength", "PentalWidth"})
    format.columns.push_back(column(name, MLCRT_F32));
  format.columns.push_back(column("Species", MLCRT_I64));
  const auto dataset = openAll({train}, format);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  const auto batch = readAll(**dataset);
  ASSERT_EQ(batch->rows(), 120);
  EXPECT_NEAR(sum<float>(*batch, 0), 701.4, 1e-4);
  EXPECT_NEAR(sum<float>(*batch, 1), 367.8, 1e-4);
  EXPECT_NEAR(sum<float>(*batch, 2), 448.7, 1e-4);
  EXPECT_NEAR(sum<float>(*batch, 3), 143.6, 1e-4);
  EXPECT_EQ(sum<int64_t>(*batch, 4), 120);
  EXPECT_EQ(values<float>(*batch, 2)[17], 6.6f);
}

TEST(RealData, CaliforniaHousing) {
  TEST_DATA_OR_SKIP(path, "california_housing/housing.csv");
  InputFormat format;
  format.columns = {column("total_bedrooms", MLCRT_F64), column("median_income", MLCRT_F64),
                    column("median_house_value", MLCRT_F32), column("ocean_proximity", MLCRT_STRING, true)};
  EXPECT_THAT(message(openAll({path}, format).status()), HasSubstr("missing value in column 'total_bedrooms'"));
  format.columns[0].defaultValue = "0";
  auto dataset = openAll({path}, format);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  auto batch = readAll(**dataset);
  ASSERT_EQ(batch->rows(), 20640);
  EXPECT_EQ(sum<double>(*batch, 0), 10990309);
  EXPECT_NEAR(sum<double>(*batch, 1), 79890.6495, 1e-6);
  EXPECT_EQ(sum<float>(*batch, 2), 4269504061.0);
  EXPECT_EQ(count(*batch, 3, "ISLAND"), 5);
  EXPECT_EQ(values<double>(*batch, 1)[20000], 1.8894);

  format.columns[0].onMissing = OnMissing::SkipRow;
  dataset = openAll({path}, format);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ((*dataset)->size(), 20640 - 207);
  EXPECT_EQ((*dataset)->skippedRows(), 207);
  batch = readAll(**dataset);
  EXPECT_EQ(sum<double>(*batch, 0), 10990309);
}

TEST(RealData, TitanicQuotesAndMissingValues) {
  TEST_DATA_OR_SKIP(train, "titanic/train.csv");
  TEST_DATA_OR_SKIP(test, "titanic/test.csv");
  InputFormat format;
  format.columns = {column("Name", MLCRT_STRING, true), column("Age", MLCRT_F64),
                    column("Embarked", MLCRT_STRING, true)};
  format.columns[1].defaultValue = "0";
  // Survived, a label, is only in the one of them; the features are in both.
  const auto dataset = openAll({train, test}, format);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  const auto batch = readAll(**dataset);
  ASSERT_EQ(batch->rows(), 418 + 891);
  int64_t bytes = 0, commas = 0;
  for (int64_t row = 0; row < batch->rows(); ++row) {
    bytes += static_cast<int64_t>(text(*batch, 0, row).size());
    commas += text(*batch, 0, row).find(',') != std::string::npos;
  }
  EXPECT_EQ(bytes, 24024 + 11486);
  EXPECT_EQ(commas, 891 + 418);
  EXPECT_NEAR(sum<double>(*batch, 1), 21205.1667 + 10050.5, 1e-6);
  EXPECT_EQ(count(*batch, 2, ""), 2);
  EXPECT_EQ(text(*batch, 0, 418), "Braund, Mr. Owen Harris"); // test.csv sorts before train.csv
}

TEST(RealData, HiggsTabsWithoutHeader) {
  TEST_DATA_OR_SKIP(path, "higgs/binary.train");
  InputFormat format;
  format.csv.header = false;
  format.csv.fieldDelim = '\t';
  for (int i = 0; i < 29; ++i)
    format.csv.columnNames.push_back("f" + std::to_string(i));
  format.columns = {column("f0", MLCRT_I64), column("f5", MLCRT_F64)};
  const auto dataset = openAll({path}, format);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  const auto batch = readAll(**dataset);
  ASSERT_EQ(batch->rows(), 7000);
  EXPECT_EQ(sum<int64_t>(*batch, 0), 3716);
  EXPECT_NEAR(sum<double>(*batch, 1), -128.396, 1e-9);
}

static InputFormat records(std::vector<InputColumn> columns) {
  InputFormat format;
  format.tfrecord.emplace();
  format.columns = std::move(columns);
  return format;
}

TEST(RealData, PenguinsTfRecord) {
  TEST_DATA_OR_SKIP(train, "penguins/train-00000-of-00001.tfrecord.gz");
  TEST_DATA_OR_SKIP(eval, "penguins/eval-00000-of-00001.tfrecord.gz");
  const InputFormat format =
      records({column("culmen_length_mm", MLCRT_F32), column("culmen_depth_mm", MLCRT_F64),
               column("flipper_length_mm", MLCRT_F32), column("body_mass_g", MLCRT_F32), column("species", MLCRT_I64)});
  const auto dataset = openAll({train, eval}, format);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  const auto batch = readAll(**dataset);
  ASSERT_EQ(batch->rows(), 234 + 100);
  EXPECT_NEAR(sum<float>(*batch, 0), 103.11999986693263 + 41.34181806072593, 1e-9);
  EXPECT_NEAR(sum<double>(*batch, 1), 109.11904774140567 + 52.33333382755518, 1e-9);
  EXPECT_NEAR(sum<float>(*batch, 2), 116.91525414958596 + 47.338983088731766, 1e-9);
  EXPECT_NEAR(sum<float>(*batch, 3), 98.94444434344769 + 41.062500201165676, 1e-9);
  EXPECT_EQ(sum<int64_t>(*batch, 4), 224 + 84);
  EXPECT_EQ((*dataset)->where(0).record, 1) << "eval sorts before train";
  EXPECT_EQ((*dataset)->where(333).record, 234);
}

TEST(RealData, ToyTfRecordWithEmptyAndMultiValuedFeatures) {
  TEST_DATA_OR_SKIP(plain, "tf/tfrecord/toy.nocompress-tfe-tfrecord-00000-of-00002");
  TEST_DATA_OR_SKIP(packed, "tf/tfrecord/toy.tfe-tfrecord-00000-of-00002");
  InputFormat format = records({column("Num_1", MLCRT_F32), column("Num_2", MLCRT_F32),
                                column("Cat_2", MLCRT_STRING, true), multiColumn("Cat_set_1", MLCRT_STRING),
                                multiColumn("Cat_set_2", MLCRT_STRING), column("Bool_2", MLCRT_BOOL)});
  format.columns[1].defaultValue = "-1";
  format.columns[5].defaultValue = "false";
  for (const std::string &path : {plain, packed}) {
    const std::string glob = path.substr(0, path.size() - std::string("00000-of-00002").size()) + "*";
    const auto dataset = openAll({glob}, format);
    ASSERT_TRUE(dataset.ok()) << dataset.status();
    const auto batch = readAll(**dataset);
    ASSERT_EQ(batch->rows(), 4);
    EXPECT_THAT(std::vector<float>(values<float>(*batch, 1), values<float>(*batch, 1) + 4),
                testing::ElementsAre(-1, 2, -1, 4));
    EXPECT_EQ(text(*batch, 2, 0) + text(*batch, 2, 1) + text(*batch, 2, 2) + text(*batch, 2, 3), "AB");
    EXPECT_EQ(rowsOf<mlcrt_string>(*batch, 3), "x;x,y;y,x,z;x,y,z");
    EXPECT_EQ(rowsOf<mlcrt_string>(*batch, 5), ";x;x,y;z,x,y");
  }
}

TEST(RealData, MnistTfRecord) {
  TEST_DATA_OR_SKIP(path, "mnist/mnist.tfrecord");
  InputFormat format = records({column("image_class", MLCRT_I64), column("image_floats", MLCRT_F32)});
  format.columns[1].shape = {28, 28};
  const auto dataset = openAll({path}, format);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  const auto batch = readAll(**dataset);
  ASSERT_EQ(batch->rows(), 1000);
  EXPECT_EQ(sum<int64_t>(*batch, 0), 4498);
  const float *pixels = values<float>(*batch, 1);
  EXPECT_NEAR(std::accumulate(pixels, pixels + 1000 * 784, 0.0), -291181.686237562, 1e-6);
}

TEST(RealData, TaxiTfRecordWithoutSomeValues) {
  TEST_DATA_OR_SKIP(path, "tf/tfrecord/taxi_raw-00000-of-00012.tfrecord.gz");
  const InputFormat format =
      records({multiColumn("company", MLCRT_STRING), column("dropoff_census_tract", MLCRT_I64, true),
               column("pickup_census_tract", MLCRT_I64, true), column("fare", MLCRT_F32)});
  const auto dataset = openAll({path}, format);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  const auto batch = readAll(**dataset);
  ASSERT_EQ(batch->rows(), 826);
  EXPECT_EQ(batch->columns()[0].dims[0], 545);
  const int64_t *dropoff = values<int64_t>(*batch, 2);
  EXPECT_EQ(std::count(dropoff, dropoff + 826, -1), 826 - 600);
  EXPECT_EQ(text(*batch, 0, 0), "Dispatch Taxi Affiliation");
  EXPECT_EQ(message(openAll({path}, records({column("trip_seconds", MLCRT_F32)})).status()),
            path + ": record 1: feature 'trip_seconds' is of kind int64 list, expected float list for FLOAT32");
}

TEST(RealData, MovielensGenres) {
  TEST_DATA_OR_SKIP(path, "movielens/movielens_sample.txt");
  InputFormat format;
  format.columns = {column("movie_id", MLCRT_I64), multiColumn("genres", MLCRT_STRING)};
  const auto dataset = openAll({path}, format);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  const auto batch = readAll(**dataset);
  ASSERT_EQ(batch->rows(), 200);
  const std::string all = rowsOf<mlcrt_string>(*batch, 1);
  EXPECT_EQ(all.substr(0, 29), "Comedy,Drama;Action,Thriller;");
  EXPECT_EQ(batch->columns()[1].dims[0], 410);
}
