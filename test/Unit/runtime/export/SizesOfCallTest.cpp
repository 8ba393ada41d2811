// Exports whose rows have sizes that each call tells.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExportFixture.h"
#include "mlcrt/predictor.h"

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SizesOfCallTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/mlcrt-sizes-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
    std::ifstream file(SIZES_ARTIFACT, std::ios::binary);
    image_.assign(std::istreambuf_iterator<char>(file), {});
    auto opened = Artifact::open(SIZES_ARTIFACT);
    ASSERT_TRUE(opened.ok()) << opened.status();
    opened_ = *std::move(opened);
    table_ = opened_->table();
    table_.predict_image = image_.data();
    table_.predict_image_bytes = static_cast<int64_t>(image_.size());
    auto artifact = Artifact::fromTable(&table_);
    ASSERT_TRUE(artifact.ok()) << artifact.status();
    artifact_ = *std::move(artifact);
    auto program = Program::create(artifact_);
    ASSERT_TRUE(program.ok()) << program.status();
    program_ = *std::move(program);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  /// An export with golden rows, two of n = 3 and k = 1.
  std::string exportModel(std::string_view word = "ab") {
    auto layout = RowLayout::create(artifact_, *artifact_->entry(MLCRT_ROLE_PREDICT), nullptr);
    EXPECT_TRUE(layout.ok()) << layout.status();
    RowBuffer rows(*layout);
    const std::string_view x[] = {"0.1", "-0.0", "nan"}, words[] = {word, "", "c"}, m[] = {"1", "2", "3"};
    const std::vector<int64_t> shape = {3, 1};
    for (int row = 0; row < 2; ++row) {
      rows.addRow();
      EXPECT_TRUE(rows.setValues(0, x, 3, nullptr).ok());
      EXPECT_TRUE(rows.setValues(1, words, 3, nullptr).ok());
      EXPECT_TRUE(rows.setValues(2, m, 3, nullptr, &shape).ok());
    }
    BatchView view;
    EXPECT_TRUE(rows.finish(view).ok());
    ThreadPool pool(1);
    EntryRunner runner(*program_, *artifact_->entry(MLCRT_ROLE_PREDICT), pool);
    EXPECT_TRUE(runner.run(view, {}).ok());
    ExportRequest request;
    request.base = directory_ + "/export";
    request.golden = golden_ = goldenText(*artifact_, view, runner, request.signature.goldenRows);
    goldenRows_ = request.signature.goldenRows;
    auto path = writeExport(*program_, request);
    EXPECT_TRUE(path.ok()) << path.status();
    return path.ok() ? path->path : "";
  }
  /// What a predict call says of rows.
  static std::string errorOf(const Predictor &model, Rows &rows) {
    Predictions predictions;
    return model.predict(rows, predictions).message();
  }
  /// A row with all inputs of the size n.
  static Rows &fill(Rows &rows, int64_t n) {
    return rows.add()
        .set("x", std::vector<float>(static_cast<size_t>(n), 1.5f))
        .set("words", std::vector<std::string>(static_cast<size_t>(n), "w"))
        .setArray("m", std::vector<int64_t>(static_cast<size_t>(2 * n), 10), {n, 2});
  }

  std::string directory_, image_, golden_;
  int64_t goldenRows_ = 0;
  std::shared_ptr<const Artifact> opened_, artifact_;
  mlcrt_artifact table_ = {};
  std::unique_ptr<Program> program_;
};

TEST_F(SizesOfCallTest, TheSignatureSaysWhere) {
  const std::string path = exportModel();
  auto signature = readSignature(path);
  ASSERT_TRUE(signature.ok()) << signature.status();
  EXPECT_THAT(signatureToLine(*signature), HasSubstr("{\"format\":2,"));
  EXPECT_THAT(signature->inputs[2].shape, ElementsAre(-1, -1));
  EXPECT_THAT(signature->outputs[1].shape, ElementsAre(-1));
  EXPECT_EQ(signature->goldenRows, 2);
  EXPECT_THAT(golden_, HasSubstr(R"("x":{"shape":[3],"values":[0.10000000149011612,-0.0,"NaN"]})"));
  EXPECT_THAT(golden_, HasSubstr(R"("m":{"shape":[3,1],"values":[1,2,3]})"));
  Expected<Predictor> model = Predictor::load(path);
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_THAT(model->inputs()[0].shape, ElementsAre(kSizeOfCall));
  EXPECT_THAT(model->outputs()[0].shape, IsEmpty());
  EXPECT_FALSE(model->inputs()[0].optional);
}

TEST_F(SizesOfCallTest, EachCallHasItsOwn) {
  Expected<Predictor> model = Predictor::load(exportModel());
  ASSERT_TRUE(model.ok()) << model.status().message();
  Rows rows = model->rows();
  Predictions predictions;
  for (const int64_t n : {2, 5, 0, 3}) {
    rows.clear();
    fill(rows, n);
    fill(rows, n);
    const Status status = model->predict(rows, predictions);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(predictions.get<float>("total", 1)[0], static_cast<float>(n) * 22.5f);
    EXPECT_THAT(predictions.shape("twice"), ElementsAre(n));
    EXPECT_EQ(predictions.get<float>("twice", 1).size(), static_cast<size_t>(n));
  }
  EXPECT_THAT(predictions.shape("total"), IsEmpty());
  rows.clear();
  rows.add().set("x", "1|2|3").set("words", "a||bc").setArray("m", std::vector<int64_t>{}, {3, 0});
  rows.set("x", "4|5|nan").set("x", "4|5|6"); // the last one counts
  ASSERT_TRUE(model->predict(rows, predictions).ok());
  EXPECT_EQ(predictions.get<float>("total", 0)[0], 18.0f);
}

TEST_F(SizesOfCallTest, WhatDoesNotFitIsTold) {
  Expected<Predictor> model = Predictor::load(exportModel());
  ASSERT_TRUE(model.ok()) << model.status().message();
  auto refusal = [&](auto change) {
    Rows rows = model->rows();
    fill(rows, 2);
    fill(rows, 2);
    change(rows);
    return errorOf(*model, rows);
  };
  EXPECT_THAT(
      refusal([](Rows &rows) { rows.set("x", std::vector<float>{1, 2, 3}); }),
      HasSubstr("rows: record 2: found a value of the shape [3] in column 'x', expected [2], as the first row of "
                "the call has"));
  EXPECT_THAT(refusal([](Rows &rows) { rows.set("m", std::vector<int64_t>{1, 2}); }),
              HasSubstr("column 'm' has values of the shape [?, ?], expected the sizes of the value"));
  EXPECT_THAT(refusal([](Rows &rows) { rows.setArray("m", std::vector<int64_t>{1, 2, 3}, {2, 2}); }),
              HasSubstr("found 3 values of the shape [2, 2] in column 'm', expected [?, ?]"));
  EXPECT_THAT(refusal([](Rows &rows) { rows.setArray("x", std::vector<float>{1, 2}, {2, 1}); }),
              HasSubstr("found 2 values of the shape [2, 1] in column 'x', expected [?]"));
  EXPECT_THAT(refusal([](Rows &rows) { rows.set("x", "1|b"); }), HasSubstr("bad number 'b', value 2 in column 'x'"));
  EXPECT_THAT(refusal([](Rows &rows) { rows.set("x", ""); }), HasSubstr("missing value in column 'x'"));
  EXPECT_THAT(refusal([](Rows &rows) { rows.add(); }), HasSubstr("record 3: missing value in column 'x'"));
  Rows rows = model->rows();
  fill(rows, 2).set("x", std::vector<float>{1, 2, 3});
  EXPECT_THAT(errorOf(*model, rows), HasSubstr("dimension 1 of feature 'x' is"));
}

TEST_F(SizesOfCallTest, ALostRowOfManyLosesAllGoldenRows) {
  // Others may have had another size without it.
  EXPECT_NE(exportModel("\xff"), "");
  EXPECT_EQ(goldenRows_, 0);
  EXPECT_EQ(golden_, "");
}
