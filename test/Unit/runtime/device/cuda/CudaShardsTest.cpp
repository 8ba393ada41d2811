// Features of virtual shards come to their GPUs ahead of the step, on the fake driver.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CudaFixture.h"
#include "runtime/src/core/ReplicatedStep.h"
#include "runtime/src/core/Services.h"
#include "test/Unit/runtime/core/StaticDims.h"

using namespace mlcrt;
using testing::HasSubstr;

namespace {

int64_t asNumber(const void *address) { return reinterpret_cast<int64_t>(address); }
constexpr int64_t kShape[7] = {1, 1, 1, 1, 1, 1, 0};

int32_t launch(mlcrt_frame *frame, const char *kernel, std::vector<int64_t> arguments) {
  return frame->services->device_launch(frame->env, 0, kernel, kShape, arguments.data(),
                                        static_cast<int64_t>(arguments.size()));
}
/// z = 3 x, on the host; a negative x is a bad row.
int32_t runFeatures(mlcrt_frame *frame) {
  const mlcrt_buffer *b = frame->buffers;
  for (int64_t r = 0; r < b[0].dims[0]; ++r) {
    const float x = static_cast<const float *>(b[0].data)[r];
    if (x < 0)
      return frame->services->report_error(frame->env, MLCRT_DATA_ERROR, r, "x is negative");
    static_cast<float *>(b[1].data)[r] = 3 * x;
  }
  return MLCRT_OK;
}
/// x, z, w, sum
int32_t runGrad(mlcrt_frame *frame) {
  const mlcrt_buffer *b = frame->buffers;
  return launch(frame, "grad",
                {asNumber(b[0].data), asNumber(b[1].data), asNumber(b[2].data), asNumber(b[3].data), b[0].dims[0]});
}
/// a, b, out
int32_t runCombine(mlcrt_frame *frame) {
  const mlcrt_buffer *b = frame->buffers;
  return launch(frame, "combine", {asNumber(b[0].data), asNumber(b[1].data), asNumber(b[2].data)});
}
/// a, w, loss
int32_t runApply(mlcrt_frame *frame) {
  const mlcrt_buffer *b = frame->buffers;
  return launch(frame, "apply", {asNumber(b[0].data), asNumber(b[1].data), asNumber(b[2].data)});
}
int32_t runInit(mlcrt_frame *frame) {
  *static_cast<float *>(frame->buffers[0].data) = 0.5f;
  return MLCRT_OK;
}

const mlcrt_operand kInit[] = {{MLCRT_SOURCE_VARIABLE, 0, MLCRT_WRITE, 0, MLCRT_SPACE_HOST, 0}};
const mlcrt_operand kFeatures[] = {{MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                                   {MLCRT_SOURCE_INTERMEDIATE, 0, MLCRT_WRITE, 0, MLCRT_SPACE_HOST, 0}};
const mlcrt_operand kGrad[] = {{MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 0, 1, 0},
                               {MLCRT_SOURCE_INTERMEDIATE, 0, MLCRT_READ, 0, 1, 0},
                               {MLCRT_SOURCE_VARIABLE, 0, MLCRT_READ, 0, 1, 0},
                               {MLCRT_SOURCE_SUM_OUT, 0, MLCRT_WRITE, 0, 1, 0}};
const mlcrt_operand kCombine[] = {{MLCRT_SOURCE_SUM_A, 0, MLCRT_READ, 0, 1, 0},
                                  {MLCRT_SOURCE_SUM_B, 0, MLCRT_READ, 0, 1, 0},
                                  {MLCRT_SOURCE_SUM_OUT, 0, MLCRT_WRITE, 0, 1, 0}};
const mlcrt_operand kApply[] = {{MLCRT_SOURCE_SUM_A, 0, MLCRT_READ, 0, 1, 0},
                                {MLCRT_SOURCE_VARIABLE, 0, MLCRT_READ_WRITE, 0, 1, 0},
                                {MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE, 0, 1, 0}};
const mlcrt_segment kInits[] = {{"init", MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, 1, kInit, runInit, 0, nullptr}};
const mlcrt_segment kGrads[] = {
    {"features", MLCRT_SEGMENT_FEATURES, MLCRT_DEVICE_HOST, 0, 2, kFeatures, runFeatures, 0, nullptr},
    {"grad", MLCRT_SEGMENT_STEP, 0, MLCRT_SEGMENT_CAPTURABLE, 4, kGrad, runGrad, 0, nullptr}};
const mlcrt_segment kCombines[] = {
    {"combine", MLCRT_SEGMENT_STEP, 0, MLCRT_SEGMENT_CAPTURABLE, 3, kCombine, runCombine, 0, nullptr}};
const mlcrt_segment kApplies[] = {
    {"apply", MLCRT_SEGMENT_STEP, 0, MLCRT_SEGMENT_CAPTURABLE, 3, kApply, runApply, 0, nullptr}};

class CudaShardsTest : public CudaFixture {
protected:
  void SetUp() override {
    registerCudaDevices();
    fake->devices = 2;
    using Launch = FakeCudaLaunch;
    auto at = [](const Launch &launch, int i) { return reinterpret_cast<float *>(launch.arguments[i]); };
    fake->kernels["grad"] = {{8, 8, 8, 8, 8}, [at](const Launch &launch) {
                               float sum = 0;
                               for (uint64_t r = 0; r < launch.arguments[4]; ++r)
                                 sum += at(launch, 0)[r] * *at(launch, 2) + at(launch, 1)[r];
                               *at(launch, 3) = sum;
                               return 0;
                             }};
    fake->kernels["combine"] = {{8, 8, 8}, [at](const Launch &launch) {
                                  *at(launch, 2) = *at(launch, 0) + *at(launch, 1);
                                  return 0;
                                }};
    fake->kernels["apply"] = {{8, 8, 8}, [at](const Launch &launch) {
                                *at(launch, 1) -= 0.001f * *at(launch, 0);
                                *at(launch, 2) = *at(launch, 0);
                                return 0;
                              }};
    table.struct_size = sizeof(table);
    table.version = MLCRT_ABI_VERSION;
    table.name = table.state_fingerprint = table.plan_fingerprint = table.manifest = "x";
    table.features = &feature, table.num_features = 1;
    table.variables = &variable, table.num_variables = 1;
    table.sums = &sum, table.num_sums = 1;
    table.devices = &device, table.num_devices = 1;
    table.spaces = &space, table.num_spaces = 1;
    table.images = images.data(), table.num_images = 1;
    table.homes = &home, table.num_homes = 1;
    table.entries = entries, table.num_entries = 4;
    absl::StatusOr<std::shared_ptr<const Artifact>> made = Artifact::fromTable(&table);
    ASSERT_TRUE(made.ok()) << made.status();
    artifact = *made;
  }

  /// Programs on so many GPUs, and the steps of all.
  void openPrograms(int gpus, TrainMode mode) {
    stepper.reset();
    programs.clear();
    std::vector<Program *> others;
    for (int g = 0; g < gpus; ++g) {
      ProgramOptions options;
      options.laterDevices = g;
      programs.push_back(*Program::create(artifact, options));
      programs.back()->homes().keepValues();
      ASSERT_TRUE(programs.back()->initialize(0, pool).ok());
      ASSERT_TRUE(programs.back()->devices().ofSpace(1).ok());
      if (g > 0)
        others.push_back(programs.back().get());
    }
    if (gpus == 1)
      stepper = *TrainStep::create(*programs[0], pool, mode);
    else
      stepper = *ReplicatedStep::create(*programs[0], others, pool, mode);
  }
  std::unique_ptr<TrainFeatures> makeFeatures(TrainMode mode) {
    std::vector<Program *> readers;
    for (int s = 0; s < mode.virtualShards; ++s)
      readers.push_back(stepper->programOf(s));
    return *TrainFeatures::create(*programs[0], pool, mode, readers);
  }
  static BatchView viewOf(std::vector<float> &x) {
    BatchView view;
    view.rows = static_cast<int64_t>(x.size());
    view.features = {makeBuffer(x.data(), MLCRT_F32, {view.rows})};
    return view;
  }
  /// Losses of steps over batches of `rows` rows, the features of each filled while the step before it is asked for.
  /// `copies`: those of host memory that steps ask for after the first one.
  std::vector<float> train(TrainMode mode, const std::vector<int64_t> &rows, int &copies) {
    std::unique_ptr<TrainFeatures> features = makeFeatures(mode);
    TrainSlots slots[2] = {features->makeSlots(), features->makeSlots()};
    std::vector<float> x[2];
    std::vector<float> losses;
    auto fill = [&](size_t step) {
      if (step == rows.size())
        return;
      x[step % 2].assign(static_cast<size_t>(rows[step]), 0);
      for (size_t r = 0; r < x[step % 2].size(); ++r)
        x[step % 2][r] = static_cast<float>((r * 7 + step * 5) % 11) / 3;
      EXPECT_TRUE(features->run(viewOf(x[step % 2]), slots[step % 2], {}).ok());
    };
    fill(0);
    copies = 0;
    for (size_t step = 0; step < rows.size(); ++step) {
      fill(step + 1);
      const int before = fake->calls["cuMemcpyHtoDAsync"];
      const absl::Status status = stepper->run(viewOf(x[step % 2]), slots[step % 2], {});
      EXPECT_TRUE(status.ok()) << status;
      if (step > 0)
        copies += fake->calls["cuMemcpyHtoDAsync"] - before;
      losses.push_back(static_cast<float>(*stepper->results().scalar("loss")));
    }
    return losses;
  }

  mlcrt_value feature = {"x", MLCRT_F32, 1, kRows};
  mlcrt_value intermediate = {"z", MLCRT_F32, 1, kRows};
  mlcrt_variable variable = {{"w", MLCRT_F32, 0, nullptr}, MLCRT_VARIABLE_TRAINABLE, -1, nullptr, 0, nullptr, nullptr};
  mlcrt_value sum = {"w.grad", MLCRT_F32, 0, nullptr};
  mlcrt_value loss = {"loss", MLCRT_F32, 0, nullptr};
  mlcrt_device device = {"/device:CUDA:0", kCudaKind};
  mlcrt_space space = {"GPU memory", 0, 0, 256};
  mlcrt_home home = {0, 1, 0, 0};
  mlcrt_entry entries[4] = {{"init", MLCRT_ROLE_INIT, 1, kInits, 0, 0, nullptr, nullptr},
                            {"train_grad", MLCRT_ROLE_TRAIN_GRAD, 2, kGrads, 1, 0, &intermediate, nullptr},
                            {"train_combine", MLCRT_ROLE_TRAIN_COMBINE, 1, kCombines, 0, 0, nullptr, nullptr},
                            {"train_apply", MLCRT_ROLE_TRAIN_APPLY, 1, kApplies, 0, 1, nullptr, &loss}};
  mlcrt_artifact table = {};
  std::shared_ptr<const Artifact> artifact;
  ThreadPool pool{1};
  std::vector<std::unique_ptr<Program>> programs;
  std::unique_ptr<Stepper> stepper;
};

/// Full batches, and one at the end that has rows for two of the four shards.
const std::vector<int64_t> kBatches = {12, 12, 12, 12, 12, 12, 12, 2};

TEST_F(CudaShardsTest, StepsCopyNothingFromTheHostAndHaveTheBitsOfThoseThatDo) {
  const TrainMode mode = {4};
  for (int gpus : {1, 2}) {
    int copies = -1;
    openPrograms(gpus, mode);
    fake->calls.clear();
    const std::vector<float> ahead = train(mode, kBatches, copies);
    EXPECT_EQ(copies, 0) << gpus << " GPUs";
    EXPECT_EQ(fake->calls["cuMemcpyDtoDAsync"], 2 * (7 * 4 + 2)) << "x and z of each shard that has rows";
    EXPECT_LE(fake->calls["cuGraphInstantiateWithFlags"], gpus * 9) << "not one for each slot of a shard";
    // The device makes no copies ahead where it gets no stream for them.
    openPrograms(gpus, mode);
    fake->failing["cuStreamCreate"] = 2;
    EXPECT_EQ(train(mode, kBatches, copies), ahead) << gpus << " GPUs";
    EXPECT_EQ(copies, 2 * (6 * 4 + 2));
    fake->failing.clear();
  }
}

TEST_F(CudaShardsTest, ABadRowIsToldAndTheNextBatchComes) {
  const TrainMode mode = {4};
  openPrograms(2, mode);
  std::unique_ptr<TrainFeatures> features = makeFeatures(mode);
  TrainSlots slots = features->makeSlots();
  std::vector<float> x(12, 1.0f);
  x[7] = -1;
  const absl::Status status = features->run(viewOf(x), slots, {});
  EXPECT_THAT(messageOf(status), HasSubstr("x is negative"));
  EXPECT_EQ(stepErrorOf(status).row, 7);
  x[7] = 1;
  ASSERT_TRUE(features->run(viewOf(x), slots, {}).ok());
  ASSERT_TRUE(stepper->run(viewOf(x), slots, {}).ok());
  EXPECT_EQ(*stepper->results().scalar("loss"), 12 * 3.5);
}

TEST_F(CudaShardsTest, WhatWasBroughtForNothingIsGivenBack) {
  const TrainMode mode = {4};
  openPrograms(2, mode);
  std::unique_ptr<TrainFeatures> features = makeFeatures(mode);
  TrainSlots slots = features->makeSlots();
  std::vector<float> x(12, 1.0f);
  ASSERT_TRUE(features->run(viewOf(x), slots, {}).ok());
  // The run ends before the step: the fixture sees that nothing is left.
}

//===----------------------------------------------------------------------===//
// Steps that are launched
//===----------------------------------------------------------------------===//

/// What no row may have.
constexpr float kWrong = 100;

/// x, z, w, sum, error slot
int32_t runCheckedGrad(mlcrt_frame *frame) {
  const mlcrt_buffer *b = frame->buffers;
  return launch(frame, "checked_grad",
                {asNumber(b[0].data), asNumber(b[1].data), asNumber(b[2].data), asNumber(b[3].data), b[0].dims[0],
                 asNumber(b[4].data)});
}
/// a, w, loss, error slot
int32_t runCheckedApply(mlcrt_frame *frame) {
  const mlcrt_buffer *b = frame->buffers;
  return launch(frame, "checked_apply",
                {asNumber(b[0].data), asNumber(b[1].data), asNumber(b[2].data), asNumber(b[3].data)});
}
/// x
int32_t runChecks(mlcrt_frame *frame) {
  const mlcrt_buffer *b = frame->buffers;
  for (int64_t r = 0; r < b[0].dims[0]; ++r)
    if (static_cast<const float *>(b[0].data)[r] == kWrong)
      return frame->services->report_error(frame->env, MLCRT_DATA_ERROR, r, "x is wrong, says the host");
  return MLCRT_OK;
}

const mlcrt_operand kCheckedGrad[] = {
    kGrad[0], kGrad[1], kGrad[2], kGrad[3], {MLCRT_SOURCE_ERROR, 0, MLCRT_READ_WRITE, 0, 1, 0}};
const mlcrt_operand kCheckedApply[] = {
    kApply[0], kApply[1], kApply[2], {MLCRT_SOURCE_ERROR, 0, MLCRT_READ_WRITE, 0, 1, 0}};
const mlcrt_segment kCheckedGrads[] = {
    kGrads[0],
    {"grad", MLCRT_SEGMENT_STEP, 0, MLCRT_SEGMENT_CAPTURABLE, 5, kCheckedGrad, runCheckedGrad, 0, nullptr},
    {"grad.checks", MLCRT_SEGMENT_CALLED, MLCRT_DEVICE_HOST, 0, 1, kFeatures, runChecks, 0, nullptr}};
const mlcrt_segment kCheckedApplies[] = {
    {"apply", MLCRT_SEGMENT_STEP, 0, MLCRT_SEGMENT_CAPTURABLE, 4, kCheckedApply, runCheckedApply, 0, nullptr}};

class CudaLaunchedShardsTest : public CudaShardsTest {
protected:
  void SetUp() override {
    CudaShardsTest::SetUp();
    using Launch = FakeCudaLaunch;
    auto at = [](const Launch &launch, int i) { return reinterpret_cast<float *>(launch.arguments[i]); };
    auto slot = [](const Launch &launch, int i) -> uint64_t & {
      return *reinterpret_cast<uint64_t *>(launch.arguments[i]);
    };
    const auto grad = fake->kernels["grad"].run, apply = fake->kernels["apply"].run;
    fake->kernels["checked_grad"] = {{8, 8, 8, 8, 8, 8}, [=](const Launch &launch) {
                                       for (uint64_t r = 0; r < launch.arguments[4]; ++r)
                                         if (at(launch, 0)[r] == kWrong)
                                           slot(launch, 5) = std::min(slot(launch, 5), MLCRT_ERROR(r, 0));
                                       return grad(launch);
                                     }};
    fake->kernels["checked_apply"] = {
        {8, 8, 8, 8}, [=](const Launch &launch) { return slot(launch, 3) == MLCRT_NO_ERROR ? apply(launch) : 0; }};
    fake->kernels["mlc_lower_number"] = {{8, 8}, [=](const Launch &launch) {
                                           slot(launch, 0) = std::min(slot(launch, 0), slot(launch, 1));
                                           return 0;
                                         }};
    entries[1].segments = kCheckedGrads;
    entries[1].num_segments = 3;
    entries[3].segments = kCheckedApplies;
    table.checks = &check, table.num_checks = 1;
    absl::StatusOr<std::shared_ptr<const Artifact>> made = Artifact::fromTable(&table);
    ASSERT_TRUE(made.ok()) << made.status();
    artifact = *made;
  }
  int waits() { return fake->calls["cuStreamSynchronize"] + fake->calls["cuEventSynchronize"]; }
  float w() { return *program().state().read("w")->as<float>(); }
  Program &program() { return *programs.front(); }

  /// The batch of a step, and what input threads make of it.
  struct Input {
    std::vector<float> x;
    TrainSlots slots;
    BatchView view;
  };
  Input makeInput(TrainFeatures &features, size_t step, int wrong = -1) {
    Input input = {std::vector<float>(12), features.makeSlots(), {}};
    for (size_t r = 0; r < input.x.size(); ++r)
      input.x[r] = static_cast<int>(r) == wrong ? kWrong : static_cast<float>((r * 7 + step * 5) % 11) / 3;
    input.view = viewOf(input.x);
    EXPECT_TRUE(features.run(input.view, input.slots, {}).ok());
    return input;
  }

  mlcrt_check check = {MLCRT_DATA_ERROR, 0, "x is wrong"};
};

TEST_F(CudaLaunchedShardsTest, NothingIsWaitedForBeforeTheNextStepIsLaunched) {
  const TrainMode mode = {4};
  constexpr size_t kSteps = 8;
  for (int gpus : {1, 2}) {
    std::vector<double> waited, launched;
    for (std::vector<double> *losses : {&waited, &launched}) {
      openPrograms(gpus, mode);
      const std::unique_ptr<TrainFeatures> features = makeFeatures(mode);
      ASSERT_TRUE(stepper->canLaunch());
      std::vector<Input> inputs;
      for (size_t step = 0; step < kSteps; ++step)
        inputs.push_back(makeInput(*features, step));
      auto note = [&](const absl::Status &status) {
        ASSERT_TRUE(status.ok()) << status;
        losses->push_back(*stepper->results().scalar("loss"));
      };
      for (size_t step = 0; step < kSteps; ++step) {
        if (losses == &waited) {
          note(stepper->run(inputs[step].view, inputs[step].slots, {}));
          continue;
        }
        const int before = waits();
        stepper->launchStep(inputs[step].view, inputs[step].slots, {});
        EXPECT_EQ(waits(), before) << gpus << " GPUs, step " << step;
        if (step > 0)
          note(stepper->settleStep());
        EXPECT_LE(waits(), before + gpus) << "one for each GPU";
      }
      if (losses == &launched)
        note(stepper->settleStep());
    }
    EXPECT_EQ(launched, waited);
    EXPECT_EQ(launched.size(), kSteps);
  }
}

TEST_F(CudaLaunchedShardsTest, AfterAStepThatFailsLaterOnesChangeNothing) {
  const TrainMode mode = {4};
  for (int gpus : {1, 2})
    for (int wrong : {2, 7}) { // of the first GPU, and of the second one
      // As if neither had been.
      float expected = 0;
      {
        openPrograms(gpus, mode);
        const std::unique_ptr<TrainFeatures> features = makeFeatures(mode);
        Input inputs[] = {makeInput(*features, 0), makeInput(*features, 1)};
        for (Input &input : inputs)
          ASSERT_TRUE(stepper->run(input.view, input.slots, {}).ok());
        expected = w();
      }
      openPrograms(gpus, mode);
      const std::unique_ptr<TrainFeatures> features = makeFeatures(mode);
      ASSERT_TRUE(stepper->canLaunch());
      std::vector<Input> inputs;
      for (size_t step = 0; step < 5; ++step)
        inputs.push_back(makeInput(*features, step, step == 2 ? wrong : -1));
      auto launch = [&](size_t step) { stepper->launchStep(inputs[step].view, inputs[step].slots, {}); };
      launch(0);
      launch(1);
      ASSERT_TRUE(stepper->settleStep().ok());
      launch(2);
      ASSERT_TRUE(stepper->settleStep().ok());
      launch(3);
      const absl::Status status = stepper->settleStep();
      EXPECT_THAT(messageOf(status), HasSubstr("x is wrong, says the host"));
      EXPECT_EQ(stepErrorOf(status).row, wrong);
      EXPECT_EQ(w(), expected) << gpus << " GPUs, row " << wrong;
    }
}

TEST_F(CudaLaunchedShardsTest, StepsGoOnAfterOneThatFailed) {
  const TrainMode mode = {4};
  openPrograms(2, mode);
  const std::unique_ptr<TrainFeatures> features = makeFeatures(mode);
  ASSERT_TRUE(stepper->canLaunch());
  Input wrong = makeInput(*features, 0, /*wrong=*/11), right = makeInput(*features, 1);
  stepper->launchStep(wrong.view, wrong.slots, {});
  stepper->launchStep(right.view, right.slots, {});
  EXPECT_EQ(stepErrorOf(stepper->settleStep()).row, 11);
  EXPECT_EQ(w(), 0.5f);
  stepper->launchStep(right.view, right.slots, {});
  EXPECT_TRUE(stepper->settleStep().ok());
  EXPECT_NE(w(), 0.5f);
}

TEST_F(CudaLaunchedShardsTest, OthersAreWaitedFor) {
  const TrainMode mode = {4};
  auto canLaunch = [&](int gpus) {
    openPrograms(gpus, mode);
    return stepper->canLaunch();
  };
  EXPECT_TRUE(canLaunch(1) && canLaunch(2));
  // An update that does not know of the slot.
  entries[3].segments = kApplies;
  EXPECT_FALSE(canLaunch(1) || canLaunch(2));
  // Unless there is none.
  entries[1].segments = kGrads;
  entries[1].num_segments = 2;
  EXPECT_TRUE(canLaunch(1) && canLaunch(2));
  setenv(kGpuSyncVariable, "1", 1);
  EXPECT_FALSE(canLaunch(1) || canLaunch(2));
}

} // namespace
