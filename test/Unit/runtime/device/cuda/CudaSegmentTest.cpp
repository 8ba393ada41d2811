// An artifact whose segment works on a GPU of the fake driver.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CudaFixture.h"
#include "test/Unit/runtime/core/FakeDevice.h"

#include "absl/strings/str_cat.h"

#include <deque>
#include <random>
#include <thread>

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

int64_t asNumber(const void *address) { return reinterpret_cast<int64_t>(address); }

/// Step buffer, error slot, x, w, out, scratch: out[r] = w[0] * x[r] + the step's number; w[1] += 1 unless a row is
/// negative (check 0).
int step(const FakeCudaLaunch &launch) {
  const auto *cells = reinterpret_cast<const int64_t *>(launch.arguments[0]);
  auto *error = reinterpret_cast<uint64_t *>(launch.arguments[1]);
  const auto *x = reinterpret_cast<const float *>(launch.arguments[2]);
  auto *w = reinterpret_cast<float *>(launch.arguments[3]);
  auto *out = reinterpret_cast<float *>(launch.arguments[4]);
  auto *scratch = reinterpret_cast<float *>(launch.arguments[5]);
  const int64_t rows = cells[MLCRT_STEP_SYMBOLS(2) + MLCRT_SYMBOL_BATCH];
  for (int64_t r = 0; r < rows; ++r) {
    if (x[r] < 0)
      *error = std::min(*error, MLCRT_ERROR(r, 0));
    scratch[r] = w[0] * x[r];
    out[r] = scratch[r] + static_cast<float>(cells[MLCRT_CONTEXT_STEP]);
  }
  if (*error == MLCRT_NO_ERROR)
    w[1] += 1;
  return 0;
}

int32_t runStep(mlcrt_frame *frame) {
  const mlcrt_buffer *b = frame->buffers;
  int64_t arguments[6];
  for (int i = 0; i < 5; ++i)
    arguments[i] = asNumber(b[i].data);
  arguments[5] = asNumber(frame->workspaces[0].data);
  const int64_t shape[7] = {(b[2].dims[0] + 31) / 32, 1, 1, 32, 1, 1, 0};
  return frame->services->device_launch(frame->env, 0, "step", shape, arguments, 6);
}

/// The same, after which the host waits, as it does where it reads a size, and goes on with four launches more, and two
/// for odd numbers of rows.
int32_t runInTwoPieces(mlcrt_frame *frame) {
  const int64_t shape[7] = {1, 1, 1, 1, 1, 1, 0};
  auto launchNothing = [&](int times) {
    int32_t code = 0;
    for (int i = 0; i < times && !code; ++i)
      code = frame->services->device_launch(frame->env, 0, "nothing", shape, shape, 0);
    return code;
  };
  int32_t code = runStep(frame);
  if (!code)
    code = launchNothing(4);
  if (!code)
    code = frame->services->device_wait(frame->env, 0);
  return code ? code : launchNothing(frame->buffers[2].dims[0] % 2 ? 6 : 4);
}

class CudaSegmentTest : public CudaFixture {
protected:
  void SetUp() override {
    registerCudaDevices();
    fake->kernels["step"] = {{8, 8, 8, 8, 8, 8}, step};
    model.devices[0] = {"/device:CUDA:0", kCudaKind};
    model.images[0] = images[0];
    model.add(MLCRT_SOURCE_STEP, 0, MLCRT_READ, 1);
    model.add(MLCRT_SOURCE_ERROR, 0, MLCRT_READ_WRITE, 1);
    model.add(MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 1);
    model.add(MLCRT_SOURCE_VARIABLE, 0, MLCRT_READ_WRITE, 1);
    model.add(MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE, 1);
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
  static CallContext atStep(int64_t number) {
    CallContext context;
    context.step = number;
    return context;
  }
  /// 1,000 batches of 1 to 500 rows, of which those after the first 20 take no memory.
  void runOnRandomSizes(EntryRunner &runner, unsigned seed) {
    std::mt19937 random(seed);
    size_t pieces = 0;
    for (int i = 0; i < 1000; ++i) {
      const auto rows = static_cast<int64_t>(1 + random() % 500);
      TwoFeatures batch(rows);
      ASSERT_TRUE(runner.run(batch.view, atStep(i)).ok());
      std::vector<float> expected(static_cast<size_t>(rows));
      for (int64_t r = 0; r < rows; ++r)
        expected[static_cast<size_t>(r)] = static_cast<float>(2 * r + i);
      ASSERT_EQ(out(runner), expected) << i;
      if (i == 20)
        pieces = fake->pieces.size();
    }
    EXPECT_THAT(w(), ElementsAre(2, 1000));
    EXPECT_EQ(fake->pieces.size(), pieces) << "no memory is taken any more";
  }

  OneSegment model;
  ThreadPool pool{2};
};

TEST_F(CudaSegmentTest, RunsOnTheGpu) {
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(3), more(5);
  absl::Status status = runner.run(batch.view, atStep(100));
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(out(runner), ElementsAre(100, 102, 104));
  EXPECT_THAT(w(), ElementsAre(2, 1));
  setW(3, 7);
  ASSERT_TRUE(runner.run(more.view, atStep(0)).ok());
  EXPECT_THAT(out(runner), ElementsAre(0, 3, 6, 9, 12));
  EXPECT_THAT(w(), ElementsAre(3, 8));
}

TEST_F(CudaSegmentTest, TheMemoryOfAGpuIsTheProgramsOwn) {
  auto make = [this](int64_t memory) {
    return *Program::create(*Artifact::fromTable(&model.table), {/*held=*/{}, /*laterDevices=*/0, memory});
  };
  // Both there before either has opened its device, as those of runs at once.
  const std::unique_ptr<Program> large = make(int64_t{100} << 20), small = make(1000);
  TwoFeatures batch(3);
  EXPECT_TRUE(EntryRunner(*large, model.entry, pool).run(batch.view).ok());
  const absl::Status status = EntryRunner(*small, model.entry, pool).run(batch.view);
  EXPECT_TRUE(isDeviceMemoryError(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("the limit is 1.0 kB"));
  EXPECT_TRUE(EntryRunner(*large, model.entry, pool).run(batch.view).ok());
}

TEST_F(CudaSegmentTest, StepsAreReplayedAsGraphs) {
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(3);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(runner.run(batch.view, atStep(10 * i)).ok());
    ASSERT_THAT(out(runner), ElementsAre(10 * i, 10 * i + 2, 10 * i + 4)) << "the step's number is in the step buffer";
  }
  EXPECT_THAT(w(), ElementsAre(2, 5));
  EXPECT_EQ(fake->calls["cuLaunchKernel"], 1) << "the first call";
  EXPECT_EQ(fake->calls["cuGraphLaunch"], 4);
  // The error slot and other values of a variable go the same way.
  setW(1, 0);
  batch.x[2] = -1;
  EXPECT_EQ(stepErrorOf(runner.run(batch.view)).row, 2);
  batch.x[2] = 9;
  ASSERT_TRUE(runner.run(batch.view).ok());
  EXPECT_THAT(out(runner), ElementsAre(0, 1, 9));
  EXPECT_THAT(w(), ElementsAre(1, 1));
  EXPECT_EQ(fake->calls["cuGraphLaunch"], 6);
}

TEST_F(CudaSegmentTest, BatchesOfAnySizesGoByFewGraphs) {
  EntryRunner runner(*model.program, model.entry, pool);
  runOnRandomSizes(runner, 7);
  EXPECT_EQ(fake->calls["cuGraphInstantiate"], 8);
  EXPECT_EQ(fake->calls["cuGraphLaunch"], 999);
}

TEST_F(CudaSegmentTest, WhatStandsBetweenWaitsGoesByFewGraphs) {
  fake->kernels["nothing"] = {{}, [](const FakeCudaLaunch &) { return 0; }};
  model.segment.flags = 0;
  model.segment.run = runInTwoPieces;
  EntryRunner runner(*model.program, model.entry, pool);
  runOnRandomSizes(runner, 11);
  EXPECT_EQ(fake->calls["cuGraphInstantiate"], 3) << "before the wait, and two after it";
  EXPECT_EQ(fake->calls["cuGraphLaunch"], 1998);
  EXPECT_LE(fake->calls["cuLaunchKernel"], 11) << "the first call";
}

TEST_F(CudaSegmentTest, GraphsOfPiecesThatFailNameTheirKernel) {
  fake->kernels["nothing"] = {{}, [](const FakeCudaLaunch &) { return 0; }};
  model.segment.flags = 0;
  model.segment.run = runInTwoPieces;
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(3);
  ASSERT_TRUE(runner.run(batch.view).ok());
  fake->failing["cuGraphLaunch"] = 719;
  EXPECT_THAT(messageOf(runner.run(batch.view)), HasSubstr("cuGraphLaunch failed: CUDA_ERROR_LAUNCH_FAILED"));
  EXPECT_THAT(messageOf(runner.run(batch.view)), HasSubstr("the context is lost since cuGraphLaunch"));
}

TEST_F(CudaSegmentTest, WithoutGraphsPiecesAreLaunches) {
  setenv(kGpuGraphsVariable, "0", 1);
  fake->kernels["nothing"] = {{}, [](const FakeCudaLaunch &) { return 0; }};
  model.segment.flags = 0;
  model.segment.run = runInTwoPieces;
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(3);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(runner.run(batch.view).ok());
  EXPECT_EQ(fake->calls["cuGraphLaunch"], 0);
  EXPECT_EQ(fake->calls["cuLaunchKernel"], 33);
}

/// Has each piece done one by one.
struct PlainPieces : RecordedPieces {
  absl::Status run(Device &device, std::unique_ptr<DeviceRecording> made) override {
    sizes.push_back(made->size());
    return device.runOnce(*made);
  }
  std::vector<int64_t> sizes;
};

TEST_F(CudaSegmentTest, WhatOtherThreadsAskForComesAfterWhatWasRecorded) {
  fake->kernels["add"] = {{8}, [](const FakeCudaLaunch &launch) {
                            ++*reinterpret_cast<int64_t *>(launch.arguments[0]);
                            return 0;
                          }};
  absl::StatusOr<std::unique_ptr<CudaDevice>> opened = open();
  ASSERT_TRUE(opened.ok()) << opened.status();
  CudaDevice &device = **opened;
  void *place = *device.allocate(8, 8);
  int64_t number = 5;
  auto copy = [&](Device::Memory from, const void *source, Device::Memory to, void *target) {
    return device.copy(from, source, to, target, 8).ok() && device.wait().ok();
  };
  ASSERT_TRUE(copy(Device::Memory::Host, &number, Device::Memory::Device, place));
  PlainPieces pieces;
  ASSERT_TRUE(device.beginPieces(pieces).ok());
  EXPECT_EQ(device.beginPieces(pieces).code(), absl::StatusCode::kUnimplemented) << "they are another one's";
  const int64_t shape[7] = {1, 1, 1, 1, 1, 1, 0}, arguments[1] = {asNumber(place)};
  auto add = [&] { ASSERT_TRUE(device.launch("add", shape, arguments, 1).ok()); };
  add();
  add();
  EXPECT_EQ(fake->calls["cuLaunchKernel"], 0);
  std::thread([&] {
    ASSERT_TRUE(copy(Device::Memory::Device, place, Device::Memory::Host, &number));
    EXPECT_EQ(number, 7);
    add(); // not recorded
  }).join();
  EXPECT_EQ(fake->calls["cuLaunchKernel"], 3);
  add();
  ASSERT_TRUE(device.endPieces().ok());
  EXPECT_THAT(pieces.sizes, ElementsAre(2, 1));
  ASSERT_TRUE(copy(Device::Memory::Device, place, Device::Memory::Host, &number));
  EXPECT_EQ(number, 9);
  device.free(place);
}

TEST_F(CudaSegmentTest, AGraphThatFailsNamesItsKernel) {
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(3);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(runner.run(batch.view).ok());
  fake->failing["cuStreamSynchronize"] = 700;
  EXPECT_THAT(
      messageOf(runner.run(batch.view)),
      HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (700): text of CUDA_ERROR_ILLEGAL_ADDRESS; the context is lost, the "
                "last kernel launched is 'step'; MLC_GPU_SYNC=1 finds the one at fault"));
}

TEST_F(CudaSegmentTest, ErrorsOfTheCodeFailTheStep) {
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(8);
  batch.x[3] = batch.x[6] = -1;
  absl::Status status = runner.run(batch.view);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(stepErrorOf(status).row, 3);
  EXPECT_THAT(w(), ElementsAre(2, 0));
}

TEST_F(CudaSegmentTest, ErrorsOfTheGpuFailTheStep) {
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(3);
  fake->failing["cuLaunchKernel"] = 719;
  EXPECT_THAT(messageOf(runner.run(batch.view)),
              HasSubstr("cuLaunchKernel of kernel 'step' failed: CUDA_ERROR_LAUNCH_FAILED"));
  EXPECT_THAT(messageOf(runner.run(batch.view)),
              HasSubstr("the context is lost since cuLaunchKernel of kernel 'step'"));
}

TEST_F(CudaSegmentTest, ErrorsOfGraphsFailTheStep) {
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(3);
  ASSERT_TRUE(runner.run(batch.view).ok());
  fake->failing["cuGraphLaunch"] = 719;
  EXPECT_THAT(messageOf(runner.run(batch.view)), HasSubstr("cuGraphLaunch failed: CUDA_ERROR_LAUNCH_FAILED"));
  EXPECT_THAT(messageOf(runner.run(batch.view)), HasSubstr("the context is lost since cuGraphLaunch"));
}

TEST_F(CudaSegmentTest, AGpuThatIsNotThereFailsTheStep) {
  fake->devices = 0;
  EntryRunner runner(*model.program, model.entry, pool);
  TwoFeatures batch(3);
  absl::Status status = runner.run(batch.view);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "device '/device:CUDA:0': there is no GPU number 0; expected: a GPU, of which the driver "
                              "shows none");
}

//===----------------------------------------------------------------------===//
// Steps that are launched
//===----------------------------------------------------------------------===//

/// x, the step's number: what the host says of a row that is negative.
int32_t runChecks(mlcrt_frame *frame) {
  const mlcrt_buffer *b = frame->buffers;
  for (int64_t r = 0; r < b[0].dims[0]; ++r)
    if (const float x = static_cast<const float *>(b[0].data)[r]; x < 0) {
      const std::string text = absl::StrCat("x is ", x, " at step ", *static_cast<const int64_t *>(b[1].data));
      return frame->services->report_error(frame->env, MLCRT_DATA_ERROR, r, text.c_str());
    }
  return MLCRT_OK;
}

class CudaLaunchTest : public CudaSegmentTest {
protected:
  void SetUp() override {
    CudaSegmentTest::SetUp();
    checked[0] = model.segment;
    checked[1].operands = checksOperands;
    model.entry.segments = checked;
    model.entry.num_segments = 2;
    model.program->homes().keepValues();
  }
  /// Launches a step on a batch of so many rows, of which `negative`, if there is one, fails.
  void launch(EntryRunner &runner, int64_t number, int64_t rows, int64_t negative = -1) {
    TwoFeatures &batch = batches.emplace_back(rows);
    if (negative >= 0)
      batch.x[static_cast<size_t>(negative)] = -2;
    FeatureSlot &slot = slots.emplace_back(runner.makeSlot());
    ASSERT_TRUE(runner.runFeatures(batch.view, slot, atStep(number)).ok());
    runner.launchStep(batch.view, slot, atStep(number));
  }
  void settle(EntryRunner &runner, int64_t number, int64_t rows) {
    const absl::Status status = runner.settleStep();
    ASSERT_TRUE(status.ok()) << status;
    std::vector<float> expected;
    for (int64_t r = 0; r < rows; ++r)
      expected.push_back(static_cast<float>(2 * r + number));
    ASSERT_EQ(out(runner), expected);
  }

  mlcrt_operand checksOperands[2] = {{MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                                     {MLCRT_SOURCE_CONTEXT, MLCRT_CONTEXT_STEP, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0}};
  mlcrt_segment checked[2] = {
      {}, {"s.checks", MLCRT_SEGMENT_CALLED, MLCRT_DEVICE_HOST, 0, 2, nullptr, runChecks, 0, nullptr}};
  std::deque<TwoFeatures> batches;
  std::deque<FeatureSlot> slots;
};

TEST_F(CudaLaunchTest, AStepIsLaunchedBeforeTheOneBeforeItIsWaitedFor) {
  EntryRunner runner(*model.program, model.entry, pool);
  ASSERT_TRUE(runner.canLaunch());
  launch(runner, 0, 3);
  for (int64_t i = 1; i < 10; ++i) {
    const int waits = fake->calls["cuStreamSynchronize"] + fake->calls["cuEventSynchronize"];
    launch(runner, i, 3 + i % 4);
    EXPECT_EQ(fake->calls["cuStreamSynchronize"] + fake->calls["cuEventSynchronize"], waits);
    EXPECT_EQ(fake->launches.size(), static_cast<size_t>(i) - 1) << "the step before has not run";
    settle(runner, i - 1, 3 + (i - 1) % 4);
    EXPECT_EQ(fake->launches.size(), static_cast<size_t>(i)) << "the later step has not run";
  }
  settle(runner, 9, 3 + 9 % 4);
  EXPECT_EQ(fake->calls["cuGraphLaunch"], 9);
  EXPECT_EQ(fake->calls["cuStreamSynchronize"], 0);
  EXPECT_EQ(fake->calls["cuMemcpyDtoHAsync"], 10) << "one for each step brings all that comes";
  EXPECT_THAT(w(), ElementsAre(2, 10));
}

TEST_F(CudaLaunchTest, AfterAStepThatFailsLaterOnesChangeNothing) {
  EntryRunner runner(*model.program, model.entry, pool);
  ASSERT_TRUE(runner.canLaunch());
  launch(runner, 10, 3);
  launch(runner, 11, 8, /*negative=*/5);
  settle(runner, 10, 3);
  // Which has more rows, so that what is written is in other memory.
  launch(runner, 12, 400);
  const absl::Status status = runner.settleStep();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(stepErrorOf(status).row, 5);
  EXPECT_EQ(stepErrorOf(status).message, "x is -2 at step 11") << "of the batch and the step that failed";
  EXPECT_EQ(fake->launches.size(), 3u) << "the later step ran, for nothing";
  EXPECT_THAT(w(), ElementsAre(2, 1));
  // Others go on from there.
  launch(runner, 11, 8);
  launch(runner, 12, 400, /*negative=*/399);
  settle(runner, 11, 8);
  EXPECT_EQ(stepErrorOf(runner.settleStep()).message, "x is -2 at step 12");
  EXPECT_THAT(w(), ElementsAre(2, 2));
}

TEST_F(CudaLaunchTest, ErrorsOfTheGpuAreToldWhereTheStepIsSettled) {
  EntryRunner runner(*model.program, model.entry, pool);
  ASSERT_TRUE(runner.canLaunch());
  launch(runner, 0, 3);
  fake->failing["cuGraphLaunch"] = 719;
  launch(runner, 1, 3);
  fake->failing.clear();
  fake->lost = 719;
  EXPECT_THAT(messageOf(runner.settleStep()), HasSubstr("cuGraphLaunch failed: CUDA_ERROR_LAUNCH_FAILED"))
      << "what failed first, though the step before is what is waited for";
  launch(runner, 2, 3);
  EXPECT_THAT(messageOf(runner.settleStep()), HasSubstr("the context is lost since cuGraphLaunch"));
}

TEST_F(CudaLaunchTest, AWaitThatFailsNamesTheKernel) {
  EntryRunner runner(*model.program, model.entry, pool);
  ASSERT_TRUE(runner.canLaunch());
  launch(runner, 0, 3);
  fake->failing["cuEventSynchronize"] = 700;
  EXPECT_THAT(messageOf(runner.settleStep()),
              HasSubstr("cuEventSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (700): text of "
                        "CUDA_ERROR_ILLEGAL_ADDRESS; the context is lost, the last kernel launched is 'step'"));
  fake->lost = 700;
}

TEST_F(CudaLaunchTest, WhatIsNotSettledIsWaitedForAtTheEnd) {
  {
    EntryRunner runner(*model.program, model.entry, pool);
    ASSERT_TRUE(runner.canLaunch());
    launch(runner, 0, 3);
    launch(runner, 1, 5);
  }
  EXPECT_EQ(fake->launches.size(), 2u);
  EXPECT_THAT(w(), ElementsAre(2, 2));
}

TEST_F(CudaLaunchTest, OtherStepsAreWaitedFor) {
  auto canLaunch = [&] { return EntryRunner(*model.program, model.entry, pool).canLaunch(); };
  ASSERT_TRUE(canLaunch());
  // The host has something to decide.
  checked[0].flags = 0;
  EXPECT_FALSE(canLaunch());
  checked[0].flags = MLCRT_SEGMENT_CAPTURABLE;
  // An output that the host makes.
  model.operands[4].space = MLCRT_SPACE_HOST;
  EXPECT_FALSE(canLaunch());
  model.operands[4].space = 1;
  // Another segment comes after it.
  checked[1].kind = MLCRT_SEGMENT_STEP;
  EXPECT_FALSE(canLaunch());
  checked[1].kind = MLCRT_SEGMENT_CALLED;
  // Each launch is waited for, or variables come back from each step.
  const std::unique_ptr<Program> other = *Program::create(*Artifact::fromTable(&model.table));
  EXPECT_FALSE(EntryRunner(*other, model.entry, pool).canLaunch());
  other->homes().keepValues();
  setenv(kGpuSyncVariable, "1", 1);
  EXPECT_FALSE(EntryRunner(*other, model.entry, pool).canLaunch());
}

} // namespace
