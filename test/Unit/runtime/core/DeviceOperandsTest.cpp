// Segments that work on a device whose memory is another than the host's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/DeviceOperands.h"
#include "FakeDevice.h"

#include "gmock/gmock.h"

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

int64_t asNumber(const void *address) { return reinterpret_cast<int64_t>(address); }

/// out[r] = w[0] * x[r] + the step's number; w[1] += rate unless a row is negative (check 0) or not below 1e30 (1).
absl::Status step(FakeDevice &device, const std::vector<int64_t> &arguments) {
  const auto *cells = reinterpret_cast<const int64_t *>(arguments[0]);
  auto *error = reinterpret_cast<uint64_t *>(arguments[1]);
  const auto *x = reinterpret_cast<const float *>(arguments[2]);
  auto *w = reinterpret_cast<float *>(arguments[3]);
  auto *out = reinterpret_cast<float *>(arguments[4]);
  const auto *rate = reinterpret_cast<const float *>(arguments[5]);
  auto *scratch = reinterpret_cast<float *>(arguments[6]);
  const int64_t rows = cells[MLCRT_STEP_SYMBOLS(2) + MLCRT_SYMBOL_BATCH];
  if (!device.isMine(cells, 8) || !device.isMine(error, 8) || !device.isMine(x, 4 * rows) || !device.isMine(w, 8) ||
      !device.isMine(out, 4 * rows) || !device.isMine(rate, 4) || !device.isMine(scratch, 4 * rows))
    return absl::InternalError("a kernel got memory that is not the device's");
  for (int64_t r = rows - 1; r >= 0; --r) {
    if (x[r] < 0)
      *error = std::min(*error, MLCRT_ERROR(r, 0));
    if (!(x[r] < 1e30f))
      *error = std::min(*error, MLCRT_ERROR(r, 1));
    scratch[r] = w[0] * x[r];
  }
  for (int64_t r = 0; r < rows; ++r)
    out[r] = scratch[r] + static_cast<float>(cells[MLCRT_CONTEXT_STEP]);
  if (*error == MLCRT_NO_ERROR)
    w[1] += *rate;
  return absl::OkStatus();
}

int32_t runStep(mlcrt_frame *frame) {
  const mlcrt_buffer *b = frame->buffers;
  int64_t arguments[7];
  for (int i = 0; i < 6; ++i)
    arguments[i] = asNumber(b[i].data);
  arguments[6] = asNumber(frame->workspaces[0].data);
  const int64_t shape[7] = {b[2].dims[0], 1, 1, 32, 1, 1, 0};
  return frame->services->device_launch(frame->env, 0, "step", shape, arguments, 7);
}

class DeviceOperandsTest : public testing::Test {
protected:
  void SetUp() override {
    FakeDevice::registerKind();
    FakeDevice::kernels()["step"] = step;
    model.add(MLCRT_SOURCE_STEP, 0, MLCRT_READ, 1);
    model.add(MLCRT_SOURCE_ERROR, 0, MLCRT_READ_WRITE, 1);
    model.add(MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 1);
    model.add(MLCRT_SOURCE_VARIABLE, 0, MLCRT_READ_WRITE, 1);
    model.add(MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE, 1);
    model.add(MLCRT_SOURCE_SETTING, 0, MLCRT_READ, 1);
    model.workspaces = {{1, 0, [](const int64_t *symbols, int64_t) { return 4 * symbols[0]; }}};
    model.segment.flags = MLCRT_SEGMENT_CAPTURABLE;
    model.make(runStep, 0);
    setW(2, 0);
  }
  void setW(float first, float second) {
    float values[] = {first, second};
    ASSERT_TRUE(model.program->state().write("w", makeBuffer(values, MLCRT_F32, {2})).ok());
  }
  std::vector<float> w() {
    Tensor value = *model.program->state().read("w");
    return {value.as<float>(), value.as<float>() + 2};
  }
  static std::vector<float> out(const EntryRunner &runner) {
    const auto *data = static_cast<const float *>(runner.output(0).data);
    return {data, data + runner.output(0).dims[0]};
  }

  OneSegment model;
  ThreadPool pool{2};
};

TEST_F(DeviceOperandsTest, BringsWhatIsReadAndTakesBackWhatIsWritten) {
  EntryRunner runner(*model.program, model.entry, pool);
  CallContext context;
  context.step = 100;
  TwoFeatures batch(3);
  absl::Status status = runner.run(batch.view, context);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(out(runner), ElementsAre(100, 102, 104));
  EXPECT_THAT(w(), ElementsAre(2, 0.5));
  EXPECT_THAT(FakeDevice::last()->shapes.back(), ElementsAre(3, 1, 1, 32, 1, 1, 0));
  // Another batch, of more rows, then of fewer: memory grows once.
  context.step = 0;
  TwoFeatures more(5), few(1);
  ASSERT_TRUE(runner.run(more.view, context).ok());
  EXPECT_THAT(out(runner), ElementsAre(0, 2, 4, 6, 8));
  const int allocations = FakeDevice::last()->allocations;
  ASSERT_TRUE(runner.run(few.view, context).ok());
  ASSERT_TRUE(runner.run(more.view, context).ok());
  EXPECT_EQ(FakeDevice::last()->allocations, allocations);
  EXPECT_THAT(w(), ElementsAre(2, 2));
}

TEST_F(DeviceOperandsTest, HomesFollowTheHostAndTheHostFollowsThem) {
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(2);
  ASSERT_TRUE(runner.run(batch.view).ok());
  setW(3, 10);
  ASSERT_TRUE(runner.run(batch.view).ok());
  EXPECT_THAT(out(runner), ElementsAre(0, 3));
  EXPECT_THAT(w(), ElementsAre(3, 10.5));
  // What is there already is not copied again: step, error, x, rate go up; error, w and out come back.
  const int copies = FakeDevice::last()->copies;
  ASSERT_TRUE(runner.run(batch.view).ok());
  EXPECT_EQ(FakeDevice::last()->copies - copies, 7);
}

TEST_F(DeviceOperandsTest, TheErrorSlotOfTheDeviceFailsTheStep) {
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(8);
  batch.x[6] = -1;
  batch.x[3] = INFINITY;
  absl::Status status = runner.run(batch.view);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "x is not finite");
  EXPECT_EQ(stepErrorOf(status).row, 3);
  EXPECT_THAT(w(), ElementsAre(2, 0)) << "what updates state looks at the slot";
  batch.x[3] = 0;
  status = runner.run(batch.view);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(stepErrorOf(status).row, 6);
  batch.x[6] = 0;
  EXPECT_TRUE(runner.run(batch.view).ok()) << "the slot begins anew";
}

/// Says which element of x, in host memory, is negative, if one is.
static int32_t runChecks(mlcrt_frame *frame) {
  const mlcrt_buffer &x = frame->buffers[0];
  for (int64_t r = 0; r < x.dims[0]; ++r)
    if (static_cast<const float *>(x.data)[r] < 0)
      return frame->services->report_error(frame->env, MLCRT_INVALID_ARGUMENT, -1,
                                           ("element " + std::to_string(r) + " of x is negative").c_str());
  return MLCRT_OK;
}

TEST_F(DeviceOperandsTest, ChecksOnTheHostSayWhatTheDeviceFound) {
  const mlcrt_operand x = {MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0};
  mlcrt_segment segments[] = {model.segment, {"s.checks", MLCRT_SEGMENT_CALLED, 0, 0, 1, &x, runChecks, 0, nullptr}};
  model.entry.segments = segments;
  model.entry.num_segments = 2;
  model.program = *Program::create(*Artifact::fromTable(&model.table));
  setW(2, 0);
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(8);
  ASSERT_TRUE(runner.run(batch.view).ok()) << "they run where the slot was lowered alone";
  EXPECT_THAT(w(), ElementsAre(2, 0.5));
  batch.x[6] = -1;
  for (int i = 0; i < 2; ++i) { // as it is, and as it is recorded
    absl::Status status = runner.run(batch.view);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), "element 6 of x is negative");
    EXPECT_EQ(stepErrorOf(status).row, -1);
    EXPECT_THAT(w(), ElementsAre(2, 0.5));
  }
  // What they do not find stays what the device has said of it.
  batch.x[6] = INFINITY;
  EXPECT_EQ(runner.run(batch.view).message(), "x is not finite");
  batch.x[6] = 0;
  EXPECT_TRUE(runner.run(batch.view).ok());
}

TEST_F(DeviceOperandsTest, HomesOfRowsAreRefused) {
  model.homes[0].flags = MLCRT_HOME_ROWS;
  Homes homes(model.table, model.program->devices(), model.program->state());
  EXPECT_EQ(homes.bring(0, 1).status().message(),
            "variable 'w' has rows in space 'fake memory', which this runtime does "
            "not send; expected: a home of all of it");
}

TEST_F(DeviceOperandsTest, RowsOfAShardAreThoseOfItsBatch) {
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(4);
  batch.x[1] = -1;
  FeatureSlot slot = runner.makeSlot();
  absl::Status status = runner.runStep(batch.view, slot, {}, SumOperands(), {4}, /*rowBase=*/100);
  EXPECT_EQ(stepErrorOf(status).row, 101);
}

/// A program that keeps values in their homes.
class KeptValuesTest : public DeviceOperandsTest {
protected:
  void SetUp() override {
    DeviceOperandsTest::SetUp();
    model.program->homes().keepValues();
  }
  State &state() { return model.program->state(); }
};

TEST_F(KeptValuesTest, StayUntilTheyAreAskedFor) {
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(2);
  ASSERT_TRUE(runner.run(batch.view).ok());
  // Step, error, x and rate go up; error and out come back, w does not.
  int copies = FakeDevice::last()->copies;
  ASSERT_TRUE(runner.run(batch.view).ok());
  EXPECT_EQ(FakeDevice::last()->copies - copies, 6);
  EXPECT_TRUE(state().isElsewhere(0));
  EXPECT_EQ(static_cast<const float *>(state().storage(0).data)[1], 0) << "as before the first step";
  EXPECT_THAT(w(), ElementsAre(2, 1));
  EXPECT_FALSE(state().isElsewhere(0));
  // Once it is here it is read without a copy, and it is still there.
  copies = FakeDevice::last()->copies;
  EXPECT_THAT(w(), ElementsAre(2, 1));
  EXPECT_EQ(FakeDevice::last()->copies, copies);
  ASSERT_TRUE(runner.run(batch.view).ok());
  EXPECT_EQ(FakeDevice::last()->copies - copies, 6);
  std::vector<Tensor> all;
  ASSERT_TRUE(state().snapshot(pool, all).ok());
  EXPECT_EQ(all[0].as<float>()[1], 1.5);
}

TEST_F(KeptValuesTest, GiveWayToWhatIsWrittenInHostMemory) {
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(2);
  ASSERT_TRUE(runner.run(batch.view).ok());
  setW(3, 10);
  EXPECT_THAT(w(), ElementsAre(3, 10));
  ASSERT_TRUE(runner.run(batch.view).ok());
  EXPECT_THAT(out(runner), ElementsAre(0, 3));
  // Of a value that is written in part, the rest is that of the home.
  auto fillFirst = [](void *to, int64_t) {
    *static_cast<float *>(to) = 5;
    return absl::OkStatus();
  };
  ASSERT_TRUE(state().fillRows(0, {0, 1}, fillFirst).ok());
  EXPECT_THAT(w(), ElementsAre(5, 10.5));
  ASSERT_TRUE(runner.run(batch.view).ok());
  ASSERT_TRUE(state().fill(0, fillFirst).ok());
  EXPECT_THAT(w(), ElementsAre(5, 11));
}

TEST_F(KeptValuesTest, OfAStepThatFailsAreThoseThatItLeft) {
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(4);
  ASSERT_TRUE(runner.run(batch.view).ok());
  batch.x[2] = -1;
  EXPECT_EQ(runner.run(batch.view).code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(w(), ElementsAre(2, 0.5)) << "not those of before the first step";
}

TEST_F(KeptValuesTest, AreLostWithTheirDevice) {
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(4);
  ASSERT_TRUE(runner.run(batch.view).ok());
  FakeDevice::last()->failure = absl::UnavailableError("the card is gone");
  EXPECT_EQ(runner.run(batch.view).message(), "the card is gone");
  FakeDevice::last()->failure = absl::OkStatus();
  Tensor value;
  absl::Status status = state().read(0, value);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message(), "the value of variable 'w' is lost with what failed: the card is gone");
  std::vector<Tensor> all;
  EXPECT_EQ(state().snapshot(pool, all), status) << "no checkpoint has an old value";
  EXPECT_EQ(runner.run(batch.view), status);
  setW(3, 1); // from a checkpoint
  EXPECT_TRUE(runner.run(batch.view).ok());
  EXPECT_THAT(w(), ElementsAre(3, 1.5));
}

TEST_F(DeviceOperandsTest, AlignmentIsThatOfTheSpace) {
  FakeDevice::kernels()["step"] = [](FakeDevice &, const std::vector<int64_t> &arguments) {
    for (int64_t address : arguments)
      EXPECT_EQ(address % 256, 0);
    return absl::OkStatus();
  };
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(3);
  EXPECT_TRUE(runner.run(batch.view).ok());
  for (float value : out(runner))
    EXPECT_GT(value, 1e38f) << "what no kernel wrote is garbage";
}

} // namespace
