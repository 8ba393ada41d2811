// Segments that run once for many calls: what they asked their device for is done again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/SegmentRecordings.h"
#include "FakeDevice.h"

#include "gmock/gmock.h"

#include <random>

using namespace mlcrt;
using testing::ElementsAre;

namespace {

int64_t asNumber(const void *address) { return reinterpret_cast<int64_t>(address); }

/// How often the segment ran.
int runs = 0;
/// From so many rows on it asks for one kernel more.
int64_t manyRows = 1 << 30;

/// out[r] = w[0] * x[r] + the step's number; w[1] += 1.
absl::Status step(FakeDevice &, const std::vector<int64_t> &arguments) {
  const auto *cells = reinterpret_cast<const int64_t *>(arguments[0]);
  const auto *x = reinterpret_cast<const float *>(arguments[1]);
  auto *w = reinterpret_cast<float *>(arguments[2]);
  auto *out = reinterpret_cast<float *>(arguments[3]);
  for (int64_t r = 0; r < arguments[4]; ++r)
    out[r] = w[0] * x[r] + static_cast<float>(cells[MLCRT_CONTEXT_STEP]);
  w[1] += 1;
  return absl::OkStatus();
}

int32_t runStep(mlcrt_frame *frame) {
  ++runs;
  const mlcrt_buffer *b = frame->buffers;
  const int64_t arguments[] = {asNumber(b[0].data), asNumber(b[1].data), asNumber(b[2].data), asNumber(b[3].data),
                               b[1].dims[0]};
  const int64_t shape[7] = {1, 1, 1, 1, 1, 1, 0};
  if (b[1].dims[0] >= manyRows)
    if (const int32_t code = frame->services->device_launch(frame->env, 0, "nothing", shape, arguments, 0))
      return code;
  return frame->services->device_launch(frame->env, 0, "step", shape, arguments, 5);
}

/// The same, and it waits, which it should not.
int32_t runAndWait(mlcrt_frame *frame) {
  const int32_t code = runStep(frame);
  return code ? code : frame->services->device_wait(frame->env, 0);
}

/// Asks twice for five kernels, of which one is `step`, and as many more as data says: as many as there are rows beyond
/// three. Between the two it waits.
int32_t runPieces(mlcrt_frame *frame) {
  const int64_t shape[7] = {1, 1, 1, 1, 1, 1, 0};
  for (int64_t part = 0; part < 2; ++part) {
    if (part == 1)
      if (const int32_t code = frame->services->device_wait(frame->env, 0))
        return code;
    for (int64_t i = 0; i < 4 + std::max<int64_t>(part * (frame->buffers[1].dims[0] - 3), 0); ++i)
      if (const int32_t code = frame->services->device_launch(frame->env, 0, "nothing", shape, shape, 0))
        return code;
    if (part == 0)
      if (const int32_t code = runStep(frame))
        return code;
  }
  return MLCRT_OK;
}

/// Fails when the device has done its work.
int32_t runAndFail(mlcrt_frame *frame) {
  const int32_t code = runStep(frame);
  return code ? code : frame->services->report_error(frame->env, MLCRT_INVALID_ARGUMENT, -1, "it fails");
}

class SegmentRecordingsTest : public testing::Test {
protected:
  void SetUp() override {
    runs = 0;
    manyRows = 1 << 30;
    FakeDevice::registerKind();
    FakeDevice::kernels()["step"] = step;
    FakeDevice::kernels()["nothing"] = [](FakeDevice &, const std::vector<int64_t> &) { return absl::OkStatus(); };
    model.add(MLCRT_SOURCE_STEP, 0, MLCRT_READ, 1);
    model.add(MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 1);
    model.add(MLCRT_SOURCE_VARIABLE, 0, MLCRT_READ_WRITE, 1);
    model.add(MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE, 1);
    model.segment.flags = MLCRT_SEGMENT_CAPTURABLE;
  }
  void make(mlcrt_segment_fn run) {
    model.make(run, 0);
    float values[] = {2, 0};
    ASSERT_TRUE(model.program->state().write("w", makeBuffer(values, MLCRT_F32, {2})).ok());
    runner = std::make_unique<EntryRunner>(*model.program, model.entry, pool);
  }
  /// Runs a step and expects its results.
  void run(int64_t rows, int64_t number) {
    TwoFeatures batch(rows);
    CallContext context;
    context.step = number;
    absl::Status status = runner->run(batch.view, context);
    ASSERT_TRUE(status.ok()) << status;
    for (int64_t r = 0; r < rows; ++r)
      ASSERT_EQ(static_cast<const float *>(runner->output(0).data)[r], static_cast<float>(2 * r + number));
  }
  float updates() { return model.program->state().read("w")->as<float>()[1]; }

  OneSegment model;
  ThreadPool pool{1};
  std::unique_ptr<EntryRunner> runner;
};

TEST_F(SegmentRecordingsTest, TheThirdCallRunsNoSegment) {
  make(runStep);
  for (int64_t number : {0, 5, 7, 1000})
    ASSERT_NO_FATAL_FAILURE(run(3, number));
  EXPECT_EQ(runs, 2) << "the first call, and the one that is recorded";
  EXPECT_EQ(FakeDevice::last()->recordings, 1);
  EXPECT_EQ(FakeDevice::last()->replays, 3);
  EXPECT_EQ(updates(), 4);
}

TEST_F(SegmentRecordingsTest, OtherSizesAndAddressesAreRecordedApart) {
  make(runStep);
  for (int round = 0; round < 3; ++round)
    for (int64_t rows : {5, 2, 5, 4})
      ASSERT_NO_FATAL_FAILURE(run(rows, round));
  EXPECT_EQ(runs, 4) << "the first call, and three sizes once each";
  ASSERT_NO_FATAL_FAILURE(run(900, 1)); // memory of operands moves
  for (int64_t rows : {5, 5, 5})
    ASSERT_NO_FATAL_FAILURE(run(rows, 2));
  EXPECT_EQ(runs, 6);
  EXPECT_EQ(updates(), 16);
}

TEST_F(SegmentRecordingsTest, TheOneThatWasNotUsedForLongestGivesWay) {
  make(runStep);
  const auto sizes = static_cast<int64_t>(SegmentRecordings::kMost);
  ASSERT_NO_FATAL_FAILURE(run(100, 0)); // no memory moves from now on
  for (int round = 0; round < 3; ++round)
    for (int64_t rows = 1; rows <= sizes; ++rows)
      ASSERT_NO_FATAL_FAILURE(run(rows, 1));
  EXPECT_EQ(runs, 1 + sizes);
  ASSERT_NO_FATAL_FAILURE(run(1, 1));
  ASSERT_NO_FATAL_FAILURE(run(50, 1)); // in the place of 2 rows
  ASSERT_NO_FATAL_FAILURE(run(1, 1));
  EXPECT_EQ(runs, 2 + sizes);
  ASSERT_NO_FATAL_FAILURE(run(2, 1));
  EXPECT_EQ(runs, 3 + sizes);
  EXPECT_EQ(FakeDevice::last()->recordings, sizes);
  EXPECT_EQ(FakeDevice::last()->changes, 2);
}

TEST_F(SegmentRecordingsTest, AnySizesGoByFewRecordings) {
  make(runStep);
  ASSERT_NO_FATAL_FAILURE(run(1000, 0));
  std::mt19937 random(1);
  const int allocations = FakeDevice::last()->allocations;
  for (int i = 0; i < 1000; ++i)
    ASSERT_NO_FATAL_FAILURE(run(1 + static_cast<int64_t>(random() % 1000), i));
  EXPECT_EQ(FakeDevice::last()->recordings, SegmentRecordings::kMost);
  EXPECT_EQ(FakeDevice::last()->replays, 1000);
  EXPECT_EQ(FakeDevice::last()->allocations, allocations);
  EXPECT_EQ(updates(), 1001);
}

TEST_F(SegmentRecordingsTest, EachSequenceOfKernelsKeepsRecordings) {
  manyRows = 500;
  make(runStep);
  ASSERT_NO_FATAL_FAILURE(run(1000, 0));
  for (int i = 0; i < 100; ++i) {
    ASSERT_NO_FATAL_FAILURE(run(100 + i, i)); // always one kernel
    if (i % 10 == 0)
      ASSERT_NO_FATAL_FAILURE(run(600 + i, i)); // rarely two, which wait for their turn
  }
  EXPECT_LE(FakeDevice::last()->recordings, static_cast<int>(SegmentRecordings::kMost) + 1);
  EXPECT_EQ(updates(), 111);
}

TEST_F(SegmentRecordingsTest, WhatTheDeviceCannotMakeReadyRunsEachTime) {
  make(runStep);
  ASSERT_NO_FATAL_FAILURE(run(3, 0));
  ASSERT_NO_FATAL_FAILURE(run(3, 1));
  FakeDevice::last()->preparing = absl::InternalError("no room for graphs");
  for (int64_t rows : {3, 4, 3, 4})
    ASSERT_NO_FATAL_FAILURE(run(rows, 2));
  EXPECT_EQ(FakeDevice::last()->replays, 2);
  EXPECT_EQ(runs, 6) << "of 4 rows once in vain";
  EXPECT_EQ(updates(), 6);
}

TEST_F(SegmentRecordingsTest, ADeviceThatDoesNotRecord) {
  make(runStep);
  ASSERT_NO_FATAL_FAILURE(run(3, 1));
  FakeDevice::last()->mayRecord = false;
  for (int i = 0; i < 3; ++i)
    ASSERT_NO_FATAL_FAILURE(run(3, i));
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(updates(), 4);
}

TEST_F(SegmentRecordingsTest, WhatCannotBeRecordedRunsEachTime) {
  make(runAndWait);
  for (int i = 0; i < 4; ++i)
    ASSERT_NO_FATAL_FAILURE(run(3, i));
  EXPECT_EQ(runs, 5) << "the second call ran twice, once in vain";
  EXPECT_EQ(FakeDevice::last()->replays, 0);
  EXPECT_EQ(updates(), 4);
}

TEST_F(SegmentRecordingsTest, WithoutTheFlagNothingIsRecorded) {
  model.segment.flags = 0;
  make(runStep);
  for (int i = 0; i < 3; ++i)
    ASSERT_NO_FATAL_FAILURE(run(3, i));
  EXPECT_EQ(runs, 3);
}

TEST_F(SegmentRecordingsTest, WhatStandsBetweenWaitsIsRecorded) {
  model.segment.flags = 0;
  make(runPieces);
  ASSERT_NO_FATAL_FAILURE(run(3, 0));
  EXPECT_EQ(FakeDevice::last()->recordings, 0) << "the first call is not";
  for (int64_t number : {5, 7, 1000})
    ASSERT_NO_FATAL_FAILURE(run(3, number));
  EXPECT_EQ(runs, 4) << "the host has work of its own";
  EXPECT_EQ(FakeDevice::last()->recordings, 2) << "that before the wait, and that after it";
  EXPECT_EQ(FakeDevice::last()->changes, 4);
  EXPECT_EQ(FakeDevice::last()->replays, 6);
  EXPECT_EQ(FakeDevice::last()->runsOfPieces, 0);
  EXPECT_EQ(updates(), 4);
}

TEST_F(SegmentRecordingsTest, PiecesOfAnyKernelsAreFewRecordings) {
  model.segment.flags = 0;
  make(runPieces);
  ASSERT_NO_FATAL_FAILURE(run(100, 0));
  std::mt19937 random(3);
  const int allocations = FakeDevice::last()->allocations;
  for (int i = 0; i < 1000; ++i)
    ASSERT_NO_FATAL_FAILURE(run(1 + static_cast<int64_t>(random() % 100), i));
  EXPECT_EQ(FakeDevice::last()->recordings, static_cast<int>(SegmentPieces::kMost));
  EXPECT_GT(FakeDevice::last()->runsOfPieces, 500) << "of kernels that are not kept";
  EXPECT_EQ(FakeDevice::last()->allocations, allocations);
  EXPECT_EQ(updates(), 1001);
}

TEST_F(SegmentRecordingsTest, PiecesThatCannotBeMadeReadyAreDoneWithout) {
  model.segment.flags = 0;
  make(runPieces);
  ASSERT_NO_FATAL_FAILURE(run(3, 0));
  FakeDevice::last()->preparing = absl::InternalError("no room for graphs");
  for (int64_t number : {1, 2})
    ASSERT_NO_FATAL_FAILURE(run(3, number));
  EXPECT_EQ(FakeDevice::last()->replays, 0);
  EXPECT_EQ(FakeDevice::last()->runsOfPieces, 4);
}

TEST_F(SegmentRecordingsTest, ErrorsOfTheDeviceFailTheStep) {
  make(runStep);
  for (int i = 0; i < 3; ++i)
    ASSERT_NO_FATAL_FAILURE(run(3, i));
  FakeDevice::last()->failure = absl::InternalError("the device is gone");
  TwoFeatures batch(3);
  EXPECT_EQ(runner->run(batch.view).message(), "the device is gone");
  FakeDevice::last()->failure = absl::OkStatus(); // memory is given back
}

TEST_F(SegmentRecordingsTest, WhatAFailedSegmentLeftOnTheDeviceCountsForNothing) {
  make(runAndFail);
  TwoFeatures batch(3);
  for (int i = 0; i < 3; ++i) {
    const absl::Status status = runner->run(batch.view);
    EXPECT_EQ(status.message(), "it fails");
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(updates(), 0);
  model.segment.run = runStep;
  ASSERT_NO_FATAL_FAILURE(run(3, 4));
  EXPECT_EQ(updates(), 1) << "the home has the host's value again";
}

} // namespace
