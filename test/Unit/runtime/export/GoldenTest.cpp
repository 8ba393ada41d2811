// Golden rows: written by a program, replayed by the loader.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExportFixture.h"
#include "ListModel.h"

using namespace mlcrt;
using testing::HasSubstr;

class GoldenTest : public ExportFixture {
protected:
  /// Golden lines of rows with these keys.
  std::string golden(const std::vector<std::string> &keys, int64_t &rows) {
    ThreadPool pool(1);
    EntryRunner runner(*program_, *artifact_->entry(MLCRT_ROLE_PREDICT), pool);
    std::vector<float> x;
    std::vector<mlcrt_string> texts;
    for (const std::string &key : keys) {
      x.insert(x.end(), {0.1f * static_cast<float>(x.size()), -0.0f, 1e-30f});
      texts.push_back({key.data(), static_cast<int64_t>(key.size())});
    }
    const auto count = static_cast<int64_t>(keys.size());
    BatchView view;
    view.rows = count;
    view.features.resize(3);
    view.features[FAKE_FEATURE_X] = makeBuffer(x.data(), MLCRT_F32, {count, 3});
    view.features[FAKE_FEATURE_KEY] = makeBuffer(texts.data(), MLCRT_STRING, {count});
    CallContext context;
    context.seed = 3;
    EXPECT_TRUE(runner.run(view, context).ok());
    return goldenText(*artifact_, view, runner, rows);
  }
};

TEST_F(GoldenTest, RoundTrip) {
  int64_t rows = 0;
  std::string text = golden({"a", "b", "zzz"}, rows);
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(text.find("{\"inputs\":{\"x\":[0,-0.0,"), 0u) << text;
  std::string path = exportModel(text, rows);
  auto model = loadExport(path);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->signature.goldenRows, 3);
}

TEST_F(GoldenTest, TextsThatAreNoUtf8AreLeftOut) {
  int64_t rows = 0;
  std::string text = golden({"a", "\xff", "b"}, rows);
  EXPECT_EQ(rows, 2);
  EXPECT_EQ(text.find("\xff"), std::string::npos);
}

TEST_F(GoldenTest, OtherOutputsAreFound) {
  int64_t rows = 0;
  std::string text = golden({"a", "b"}, rows);
  auto layout = RowLayout::create(artifact_, *artifact_->entry(MLCRT_ROLE_PREDICT), nullptr);
  ASSERT_TRUE(layout.ok()) << layout.status();
  ThreadPool pool(1);
  EntryRunner runner(*program_, *artifact_->entry(MLCRT_ROLE_PREDICT), pool);
  CallContext context;
  context.seed = 3;
  auto replayed = replayGolden(text, "g", *layout, runner, context);
  ASSERT_TRUE(replayed.ok()) << replayed.status();
  EXPECT_EQ(*replayed, 2);
  auto errorOf = [&](std::string from, std::string to) {
    std::string changed = text;
    size_t at = changed.rfind(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    return std::string(replayGolden(changed, "g", *layout, runner, context).status().message());
  };
  EXPECT_THAT(errorOf("\"id\":[1]", "\"id\":[0]"), HasSubstr("golden row 2: output 'id' is 1, expected 0"));
  EXPECT_THAT(errorOf("\"key\":\"b\"", "\"key\":\"a\""), HasSubstr("golden row 2: output"));
  EXPECT_THAT(errorOf("\"prediction\"", "\"predicted\""), HasSubstr("output 'prediction' is not there"));
  EXPECT_THAT(errorOf("\"key\"", "\"kee\""), HasSubstr("no input is called 'kee'"));
  EXPECT_THAT(errorOf("{\"inputs\"", "{\"input\""), HasSubstr("not a line with inputs and outputs"));
}

TEST_F(GoldenTest, AnExportThatPredictsSomethingElseIsNotMade) {
  int64_t rows = 0;
  std::string text = golden({"a"}, rows);
  size_t at = text.find("\"id\":[0]");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 8, "\"id\":[2]");
  ExportRequest request;
  request.base = directory_ + "/export";
  request.golden = text;
  request.signature.goldenRows = rows;
  request.signature.seed = 3;
  auto path = writeExport(*program_, request);
  EXPECT_EQ(path.status().code(), absl::StatusCode::kInternal) << path.status();
  EXPECT_THAT(std::string(path.status().message()), HasSubstr("output 'id'"));
  EXPECT_TRUE(std::filesystem::is_empty(request.base)) << "nothing is left";
}

TEST_F(GoldenTest, NoImageNoExport) {
  mlcrt_artifact bare = table_;
  bare.predict_image = nullptr;
  bare.predict_image_bytes = 0;
  auto artifact = Artifact::fromTable(&bare);
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  auto program = Program::create(*artifact);
  ASSERT_TRUE(program.ok());
  ExportRequest request;
  request.base = directory_ + "/export";
  EXPECT_EQ(writeExport(**program, request).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(GoldenLists, ValuesGoWithTheirWeights) {
  ListModel model;
  auto layout = RowLayout::create(model.artifact, model.entry, nullptr);
  ASSERT_TRUE(layout.ok()) << layout.status();
  RowBuffer rows(*layout);
  const std::string_view tags[] = {"a", "b"};
  const float weights[] = {0.25f, 1.5f};
  rows.addRow();
  ASSERT_TRUE(rows.setCell(0, "1").ok());
  ASSERT_TRUE(rows.setValues(1, tags, 2, weights).ok());
  rows.addRow();
  ASSERT_TRUE(rows.setCell(0, "2").ok());
  BatchView view;
  ASSERT_TRUE(rows.finish(view).ok());
  auto program = Program::create(model.artifact);
  ASSERT_TRUE(program.ok()) << program.status();
  ThreadPool pool(1);
  EntryRunner runner(**program, model.entry, pool);
  ASSERT_TRUE(runner.run(view).ok());
  int64_t count = 0;
  std::string text = goldenText(*model.artifact, view, runner, count);
  EXPECT_EQ(text,
            "{\"inputs\":{\"n\":1,\"tags\":[\"a\",\"b\"],\"tags.weight\":[0.25,1.5]},\"outputs\":{\"total\":[2.75]}}\n"
            "{\"inputs\":{\"n\":2,\"tags\":[],\"tags.weight\":[]},\"outputs\":{\"total\":[2]}}\n");
  auto replayed = replayGolden(text, "g", *layout, runner, {});
  ASSERT_TRUE(replayed.ok()) << replayed.status();
  EXPECT_EQ(*replayed, 2);
  text.replace(text.find("1.5"), 3, "2.5");
  EXPECT_THAT(std::string(replayGolden(text, "g", *layout, runner, {}).status().message()),
              HasSubstr("golden row 1: output 'total' is 3.75, expected 2.75"));
  text.replace(text.find(",2.5"), 4, "");
  EXPECT_THAT(std::string(replayGolden(text, "g", *layout, runner, {}).status().message()),
              HasSubstr("another number of weights than values"));
}
