// The public interface (mlcrt/predictor.h).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlcrt/predictor.h"
#include "AllocationCount.h"
#include "ExportFixture.h"

#include <thread>

using namespace mlcrt;
using testing::HasSubstr;

class PredictorTest : public ExportFixture {
protected:
  /// What the program predicts for rows x = {x, 0, 1} and key, in one batch: the fake model adds noise by row.
  std::vector<float> expected(const std::vector<float> &xs, const std::vector<std::string> &keys) {
    ThreadPool pool(1);
    EntryRunner runner(*program_, *artifact_->entry(MLCRT_ROLE_PREDICT), pool);
    std::vector<float> cells;
    std::vector<mlcrt_string> texts;
    for (size_t i = 0; i < xs.size(); ++i) {
      cells.insert(cells.end(), {xs[i], 0, 1});
      texts.push_back({keys[i].data(), static_cast<int64_t>(keys[i].size())});
    }
    BatchView view;
    view.rows = static_cast<int64_t>(xs.size());
    view.features.resize(3);
    view.features[FAKE_FEATURE_X] = makeBuffer(cells.data(), MLCRT_F32, {view.rows, 3});
    view.features[FAKE_FEATURE_KEY] = makeBuffer(texts.data(), MLCRT_STRING, {view.rows});
    CallContext context;
    context.seed = 3;
    EXPECT_TRUE(runner.run(view, context).ok());
    const auto *values = static_cast<const float *>(runner.output(runner.outputIndex("prediction")).data);
    return {values, values + view.rows};
  }
};

TEST_F(PredictorTest, DescribesTheModel) {
  Expected<Predictor> model = Predictor::load(exportModel());
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->name(), "fake");
  ASSERT_EQ(model->inputs().size(), 2u);
  EXPECT_EQ(model->inputs()[0].name, "x");
  EXPECT_EQ(model->inputs()[0].type, Type::Float32);
  EXPECT_EQ(model->inputs()[0].shape, std::vector<int64_t>{3});
  EXPECT_FALSE(model->inputs()[0].optional);
  EXPECT_EQ(model->inputs()[1].name, "key");
  EXPECT_EQ(model->inputs()[1].type, Type::String);
  ASSERT_EQ(model->outputs().size(), 2u);
  EXPECT_EQ(model->outputs()[0].name, "prediction");
  EXPECT_EQ(model->outputs()[1].type, Type::Int64);
  EXPECT_TRUE(model->classes().empty());
}

TEST_F(PredictorTest, PredictsWhatTheProgramDoes) {
  Expected<Predictor> model = Predictor::load(exportModel());
  ASSERT_TRUE(model.ok()) << model.status().message();
  Rows rows = model->rows();
  rows.add().set("x", std::vector<float>{0.1f, 0, 1}).set("key", "b");
  rows.add().set("key", std::string("c")).set("x", "-2|0|1");
  rows.add().set("x", "9|9|9").set("key", "a").set("x", std::vector<float>{7, 0, 1}); // the last one counts
  Predictions predictions;
  Status status = model->predict(rows, predictions);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(predictions.rows(), 3);
  const std::vector<std::string> keys = {"b", "c", "a"};
  const std::vector<float> wanted = expected({0.1f, -2, 7}, keys);
  for (int64_t row = 0; row < 3; ++row) {
    View<float> value = predictions.get<float>("prediction", row);
    ASSERT_EQ(value.size(), 1u);
    EXPECT_EQ(value[0], wanted[row]);
    EXPECT_EQ(predictions.get<int64_t>("id", row)[0], keys[row][0] - 'a');
  }
  EXPECT_TRUE(predictions.get<double>("prediction", 0).empty()) << "another type";
  EXPECT_TRUE(predictions.get<float>("predictions", 0).empty());
  EXPECT_TRUE(predictions.get<float>("prediction", 3).empty());
  EXPECT_TRUE(predictions.get<float>("prediction", -1).empty());
  rows.clear();
  ASSERT_TRUE(model->predict(rows, predictions).ok()) << "no rows";
  EXPECT_EQ(predictions.rows(), 0);
}

TEST_F(PredictorTest, ErrorsNameRowAndInput) {
  Expected<Predictor> model = Predictor::load(exportModel());
  ASSERT_TRUE(model.ok()) << model.status().message();
  Predictions predictions;
  auto errorOf = [&](auto set) {
    Rows rows = model->rows();
    rows.add().set("x", "1|2|3").set("key", "a");
    rows.add().set("x", "1|2|3").set("key", "a");
    set(rows);
    return model->predict(rows, predictions);
  };
  Status status = errorOf([](Rows &rows) { rows.set("kee", "a"); });
  EXPECT_EQ(status.code(), ErrorCode::Invalid);
  EXPECT_THAT(status.message(), HasSubstr("no input is called 'kee'"));
  EXPECT_THAT(status.message(), HasSubstr("did you mean 'key'?"));
  status = errorOf([](Rows &rows) { rows.set("x", "1|z|3"); });
  EXPECT_EQ(status.code(), ErrorCode::Corrupt);
  EXPECT_THAT(status.message(), HasSubstr("rows: record 2"));
  EXPECT_THAT(status.message(), HasSubstr("bad number 'z', value 2 of 3 in column 'x'"));
  status = errorOf([](Rows &rows) { rows.set("x", std::vector<float>{1, 2}); });
  EXPECT_THAT(status.message(), HasSubstr("found 2 values in column 'x'"));
  status = errorOf([](Rows &rows) { rows.add().set("key", "a"); });
  EXPECT_EQ(status.code(), ErrorCode::Corrupt);
  EXPECT_THAT(status.message(), HasSubstr("rows: record 3"));
  EXPECT_THAT(status.message(), HasSubstr("missing value in column 'x'"));
  status = errorOf([](Rows &rows) { rows.set("key", {"a"}, {0.5f}); });
  EXPECT_THAT(status.message(), HasSubstr("column 'key' has no weights"));
  Rows empty = model->rows();
  empty.set("key", "a");
  EXPECT_THAT(model->predict(empty, predictions).message(), HasSubstr("add() begins one"));
  empty.clear(); // forgets the error
  EXPECT_TRUE(model->predict(empty, predictions).ok());
  Expected<Predictor> other = Predictor::load(exportModel());
  Rows foreign = other->rows();
  EXPECT_THAT(model->predict(foreign, predictions).message(), HasSubstr("of another model"));
}

TEST_F(PredictorTest, LoadErrors) {
  Expected<Predictor> none = Predictor::load(directory_);
  EXPECT_EQ(none.status().code(), ErrorCode::Invalid);
  EXPECT_THAT(none.status().message(), HasSubstr("is not an exported model"));
  std::string path = exportModel();
  std::filesystem::resize_file(path + "/weights.safetensors", 10);
  Expected<Predictor> damaged = Predictor::load(path);
  EXPECT_EQ(damaged.status().code(), ErrorCode::Corrupt);
  EXPECT_THAT(damaged.status().message(), HasSubstr("weights.safetensors: has 10 bytes"));
}

TEST_F(PredictorTest, DevicesAreThoseThatTheModelHasCodeFor) {
  const std::string path = exportModel();
  LoadOptions options;
  options.device = "auto";
  Expected<Predictor> model = Predictor::load(path, options);
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->device(), "cpu");
  options.device = "gpu";
  Expected<Predictor> none = Predictor::load(path, options);
  EXPECT_EQ(none.status().code(), ErrorCode::Invalid);
  EXPECT_THAT(none.status().message(), HasSubstr("--device gpu: this model has no code for GPUs"));
  options.device = "tpu";
  EXPECT_THAT(Predictor::load(path, options).status().message(), HasSubstr("device is 'tpu'"));
}

TEST_F(PredictorTest, CallsOfManyThreads) {
  LoadOptions options;
  options.threads = 2;
  Expected<Predictor> model = Predictor::load(exportModel(), options);
  ASSERT_TRUE(model.ok()) << model.status().message();
  constexpr int kThreads = 4, kCalls = 200;
  std::vector<float> wanted;
  for (int i = 0; i < kThreads; ++i)
    wanted.push_back(expected({static_cast<float>(i)}, {"b"})[0]);
  std::vector<int> wrong(kThreads, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      Rows rows = model->rows();
      Predictions predictions;
      for (int call = 0; call < kCalls; ++call) {
        rows.clear();
        for (int row = 0; row <= call % 5; ++row)
          rows.add().set("x", std::vector<float>{static_cast<float>(t), 0, 1}).set("key", "b");
        if (!model->predict(rows, predictions).ok() || predictions.get<float>("prediction", 0)[0] != wanted[t])
          ++wrong[t];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int>(kThreads, 0));
}

TEST_F(PredictorTest, NoAllocationOnceBuffersAreThere) {
  if (!countsAllocations())
    GTEST_SKIP() << "this build has an allocator of its own";
  Expected<Predictor> model = Predictor::load(exportModel());
  ASSERT_TRUE(model.ok()) << model.status().message();
  Rows rows = model->rows();
  Predictions predictions;
  const std::vector<float> x = {1, 2, 3};
  auto call = [&] {
    rows.clear();
    for (int row = 0; row < 20; ++row)
      rows.add().set("x", x).set("key", "b");
    return model->predict(rows, predictions).ok();
  };
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(call());
  const int64_t before = allocationCount();
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(call());
  EXPECT_EQ(allocationCount() - before, 0);
}
