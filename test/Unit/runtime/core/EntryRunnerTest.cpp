//===- EntryRunnerTest.cpp - Running the entries of the fake artifact --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/EntryRunner.h"
#include "AllocationCount.h"
#include "FakeBatch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

using namespace mlcrt;
using testing::HasSubstr;

class EntryRunnerOfFake : public testing::Test {
protected:
  EntryRunner make(const char *entry) { return EntryRunner(*program, *program->artifact().entry(entry), pool); }
  ThreadPool pool{2};
  std::unique_ptr<Program> program = makeFakeProgram(pool);
};

TEST_F(EntryRunnerOfFake, PredictComputesEachRow) {
  FakeBatch batch(10);
  batch.view.features[FAKE_FEATURE_Y] = {}; // predict does not read the label
  EntryRunner predict = make("predict");
  absl::Status status = predict.run(batch.view);
  ASSERT_TRUE(status.ok()) << status;
  const TensorView &prediction = predict.output(predict.outputIndex("prediction"));
  const TensorView &id = predict.output(predict.outputIndex("id"));
  ASSERT_EQ(prediction.dims[0], 10);
  for (int64_t i = 0; i < 10; ++i) {
    const float *x = &batch.x[3 * i];
    int64_t key = static_cast<const int64_t *>(id.data)[i];
    ASSERT_GE(key, 0);
    ASSERT_LT(key, 5);
    float emb0 = 0.125f * ((3 + 2 * key) % 7), emb1 = 0.125f * ((3 + 2 * key + 1) % 7);
    float expected = 1 * x[0] + 2 * x[1] + 3 * x[2] + emb0 + 0.5f * emb1 + 0.001f * (i % 5);
    EXPECT_NEAR(static_cast<const float *>(prediction.data)[i], expected, 1e-5);
  }
}

TEST_F(EntryRunnerOfFake, BatchesOfAllLengths) {
  EntryRunner predict = make("predict");
  for (int64_t rows : {5, 0, 1, 64, 3}) {
    FakeBatch batch(rows);
    ASSERT_TRUE(predict.run(batch.view).ok());
    EXPECT_EQ(predict.output(0).dims[0], rows);
  }
}

TEST_F(EntryRunnerOfFake, TrainLearns) {
  ASSERT_TRUE(program->settings().set("optimizer.learning_rate", 0.3).ok());
  EntryRunner train = make("train");
  double first = 0;
  for (int step = 0; step < 300; ++step) {
    FakeBatch batch(32, step);
    ASSERT_TRUE(train.run(batch.view).ok());
    if (step == 0)
      first = *train.scalarOutput("loss");
  }
  EXPECT_LT(*train.scalarOutput("loss"), 0.02 * first);
  EXPECT_EQ(*train.scalarOutput("weight"), 32);
  EXPECT_EQ(*program->state().read("global_step")->as<int64_t>(), 300);
}

TEST_F(EntryRunnerOfFake, FeaturesMayRunAheadInAnotherThread) {
  FakeBatch batch(20);
  EntryRunner whole = make("train");
  ASSERT_TRUE(whole.run(batch.view).ok());
  std::string expected = stateBytes(program->state());

  ASSERT_TRUE(program->initialize(3, pool).ok());
  EntryRunner step = make("train");
  FeatureSlot slot = step.makeSlot();
  std::thread input([&] {
    ThreadPool serial(1);
    EntryRunner features(*program, *program->artifact().entry("train"), serial);
    EXPECT_TRUE(features.runFeatures(batch.view, slot).ok());
  });
  input.join();
  ASSERT_TRUE(step.runStep(batch.view, slot).ok());
  EXPECT_EQ(stateBytes(program->state()), expected);
}

TEST_F(EntryRunnerOfFake, ContextReachesTheSegment) {
  FakeBatch batch(8);
  EntryRunner train = make("train");
  std::vector<double> losses;
  for (CallContext context :
       {CallContext{0, 0, 0}, CallContext{1, 0, 0}, CallContext{0, 1, 0}, CallContext{0, 0, 2}, CallContext{1, 3, 4}}) {
    ASSERT_TRUE(program->initialize(3, pool).ok());
    ASSERT_TRUE(train.run(batch.view, context).ok());
    losses.push_back(*train.scalarOutput("loss"));
  }
  // The noise depends on (seed + 7 step + first row) mod 5: 0, 1, 2, 2, 1.
  EXPECT_NE(losses[0], losses[1]);
  EXPECT_NE(losses[0], losses[2]);
  EXPECT_NE(losses[1], losses[2]);
  EXPECT_EQ(losses[2], losses[3]);
  EXPECT_EQ(losses[1], losses[4]);
}

TEST_F(EntryRunnerOfFake, EvaluationAddsUp) {
  ASSERT_TRUE(program->resetEval(pool).ok());
  EntryRunner update = make("eval_update"), result = make("eval_result");
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    FakeBatch batch(5 + i, i);
    ASSERT_TRUE(update.run(batch.view).ok());
    for (float y : batch.y)
      sum += y;
  }
  ASSERT_TRUE(result.run(BatchView()).ok());
  EXPECT_DOUBLE_EQ(*result.scalarOutput("label/mean"), sum / 18);
  EXPECT_EQ(*result.scalarOutput("examples"), 18);
  EXPECT_EQ(result.scalarOutput("nothing").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(EntryRunnerOfFake, StepAllocatesNothing) {
  if (!countsAllocations())
    GTEST_SKIP() << "the sanitizer has its own allocator";
  EntryRunner train = make("train");
  FakeBatch large(64, 1), small(17, 2);
  ASSERT_TRUE(train.run(large.view).ok());
  int64_t before = allocationCount();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(train.run(small.view).ok());
    ASSERT_TRUE(train.run(large.view).ok());
  }
  EXPECT_EQ(allocationCount(), before);
  FakeBatch larger(1000, 3);
  before = allocationCount();
  ASSERT_TRUE(train.run(larger.view).ok());
  EXPECT_GT(allocationCount(), before) << "a larger batch must grow the buffers, and the counter must count it";
}

TEST_F(EntryRunnerOfFake, SameBitsForAnyNumberOfThreads) {
  std::vector<std::string> states;
  for (int threads : {1, 2, 5}) {
    ThreadPool own(threads);
    ASSERT_TRUE(program->initialize(3, own).ok());
    EntryRunner train(*program, *program->artifact().entry("train"), own);
    for (int step = 0; step < 5; ++step)
      ASSERT_TRUE(train.run(FakeBatch(33, step).view).ok());
    states.push_back(stateBytes(program->state()));
  }
  EXPECT_EQ(states[0], states[1]);
  EXPECT_EQ(states[0], states[2]);
}

TEST_F(EntryRunnerOfFake, RowErrorOfTheData) {
  FakeBatch batch(20);
  batch.y[13] = std::numeric_limits<float>::quiet_NaN();
  EntryRunner train = make("train");
  std::string before = stateBytes(program->state());
  absl::Status status = train.run(batch.view);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(status.message(), "label 'y' is not a number");
  EXPECT_EQ(stepErrorOf(status).row, 13);
  EXPECT_EQ(stateBytes(program->state()), before);
  EXPECT_TRUE(train.run(FakeBatch(20).view).ok()) << "the runner works on after an error";
}

TEST_F(EntryRunnerOfFake, LowestBadRowOfAParallelLoopIsReported) {
  ThreadPool many(4);
  EntryRunner runner(*program, *program->artifact().entry("bad_rows"), many);
  for (int repeat = 0; repeat < 200; ++repeat) {
    absl::Status status = runner.run(BatchView());
    ASSERT_EQ(status.code(), absl::StatusCode::kDataLoss);
    ASSERT_EQ(stepErrorOf(status).row, 7);
  }
}

TEST_F(EntryRunnerOfFake, SegmentsThatMisbehave) {
  absl::Status silent = make("silent").run(BatchView());
  EXPECT_EQ(silent.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(silent.message()), HasSubstr("entry 'silent', segment 'silent' failed with code 2"));
  absl::Status grows = make("grows").run(BatchView());
  EXPECT_EQ(grows.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(grows.message()), HasSubstr("f32[1000000]"));
  absl::Status swallows = make("swallows").run(BatchView());
  EXPECT_EQ(swallows.message(), "swallowed") << "a reported error is one, whatever the segment returns";
  EXPECT_THAT(std::string(make("negative").run(BatchView()).message()), HasSubstr("workspace of -2 bytes"));
}

TEST_F(EntryRunnerOfFake, BatchThatDoesNotFit) {
  EntryRunner train = make("train");
  FakeBatch batch(4);
  BatchView missing = batch.view;
  missing.features[FAKE_FEATURE_Y].data = nullptr;
  EXPECT_THAT(std::string(train.run(missing).message()), HasSubstr("lacks feature 'y'"));
  BatchView few = batch.view;
  few.features.pop_back();
  EXPECT_THAT(std::string(train.run(few).message()), HasSubstr("lacks feature 'y'"));
  BatchView wide = batch.view;
  wide.features[FAKE_FEATURE_X].dims[1] = 4;
  EXPECT_EQ(train.run(wide).message(), "feature 'x': found f32[4x4], expected f32[4x3] in a batch of 4 rows");
  BatchView shorter = batch.view;
  shorter.features[FAKE_FEATURE_KEY].dims[0] = 3;
  EXPECT_EQ(train.run(shorter).code(), absl::StatusCode::kInvalidArgument);
  BatchView type = batch.view;
  type.features[FAKE_FEATURE_X].dtype = MLCRT_F64;
  EXPECT_EQ(train.run(type).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(EntryRunnerOfFake, TrainingAndPredictionShareTheState) {
  std::atomic<bool> done{false};
  std::thread reader([&] {
    ThreadPool serial(1);
    EntryRunner predict(*program, *program->artifact().entry("predict"), serial);
    FakeBatch batch(16);
    while (!done)
      EXPECT_TRUE(predict.run(batch.view).ok());
  });
  EntryRunner train = make("train");
  for (int step = 0; step < 500; ++step)
    ASSERT_TRUE(train.run(FakeBatch(16, step).view).ok());
  done = true;
  reader.join();
  EXPECT_EQ(*program->state().read("global_step")->as<int64_t>(), 500);
}
