// Opening devices, and the services that ask them for something.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Devices.h"
#include "FakeDevice.h"

#include "gmock/gmock.h"

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A segment that asks for everything itself: host operands x and out, doubled on the device.
int32_t runByHand(mlcrt_frame *frame, bool copiesIn) {
  const mlcrt_buffer *b = frame->buffers;
  const mlcrt_services *s = frame->services;
  const int64_t bytes = 4 * b[0].dims[0];
  void *there = nullptr;
  int32_t code = s->space_allocate(frame->env, 1, bytes, &there);
  if (!code && copiesIn)
    code = s->device_copy(frame->env, 0, MLCRT_SPACE_HOST, b[0].data, 1, bytes, there);
  const int64_t arguments[] = {reinterpret_cast<int64_t>(there), b[0].dims[0]}, shape[7] = {1, 1, 1, 1, 1, 1, 0};
  if (!code)
    code = s->device_launch(frame->env, 0, "double", shape, arguments, 2);
  if (!code)
    code = s->device_copy(frame->env, 0, 1, there, MLCRT_SPACE_HOST, bytes, b[1].data);
  if (!code)
    code = s->device_wait(frame->env, 0);
  const int32_t freed = there ? s->space_free(frame->env, 1, there) : MLCRT_OK;
  return code ? code : freed;
}

class DevicesTest : public testing::Test {
protected:
  void SetUp() override {
    FakeDevice::registerKind();
    FakeDevice::kernels()["double"] = [](FakeDevice &, const std::vector<int64_t> &arguments) {
      auto *data = reinterpret_cast<float *>(arguments[0]);
      for (int64_t i = 0; i < arguments[1]; ++i)
        data[i] *= 2;
      return absl::OkStatus();
    };
    model.add(MLCRT_SOURCE_FEATURE, 0, MLCRT_READ);
    model.add(MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE);
  }
  absl::Status run(mlcrt_segment_fn segment) {
    model.make(segment, 0);
    EntryRunner runner(*model.program, model.entry, pool);
    TwoFeatures batch(3);
    absl::Status status = runner.run(batch.view);
    const auto *data = static_cast<const float *>(runner.output(0).data);
    out.assign(data, data + 3);
    return status;
  }

  OneSegment model;
  ThreadPool pool{1};
  std::vector<float> out;
};

TEST_F(DevicesTest, ServicesLaunchCopyAndWait) {
  absl::Status status = run([](mlcrt_frame *frame) { return runByHand(frame, /*copiesIn=*/true); });
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(out, ElementsAre(0, 2, 4));
}

TEST_F(DevicesTest, AMissingCopyGivesGarbage) {
  ASSERT_TRUE(run([](mlcrt_frame *frame) { return runByHand(frame, /*copiesIn=*/false); }).ok());
  for (float value : out)
    EXPECT_GT(value, 1e38f);
}

TEST_F(DevicesTest, WithoutAWaitNothingIsDone) {
  ASSERT_TRUE(run([](mlcrt_frame *frame) -> int32_t {
                static float there;
                const int64_t arguments[] = {reinterpret_cast<int64_t>(&there), 1}, shape[7] = {};
                const int32_t code = frame->services->device_launch(frame->env, 0, "double", shape, arguments, 2);
                *static_cast<float *>(frame->buffers[1].data) = there = 1;
                return code;
              }).ok());
  EXPECT_EQ(out[0], 1);
}

TEST_F(DevicesTest, ErrorsOfCallsFailTheStep) {
  const auto message = [&](mlcrt_segment_fn segment) { return std::string(run(segment).message()); };
  EXPECT_EQ(message([](mlcrt_frame *frame) {
              const int64_t shape[7] = {};
              return frame->services->device_launch(frame->env, 0, "none", shape, shape, 0);
            }),
            "no kernel 'none'");
  EXPECT_EQ(message([](mlcrt_frame *frame) {
              return frame->services->device_copy(frame->env, 0, 2, nullptr, 0, 4, nullptr);
            }),
            "space 2, expected one of 1 to 1");
  EXPECT_EQ(message([](mlcrt_frame *frame) { return frame->services->device_wait(frame->env, 4); }),
            "device 4, expected one of 1");
  EXPECT_THAT(message([](mlcrt_frame *frame) {
                static char bytes[4];
                frame->services->device_copy(frame->env, 0, MLCRT_SPACE_HOST, bytes, 1, 4, bytes);
                return frame->services->device_wait(frame->env, 0);
              }),
              HasSubstr("memory that is not what it is said to be"));
}

TEST_F(DevicesTest, SumsHaveTheOrdersOfItsDevices) {
  const auto sums = [this] {
    model.make([](mlcrt_frame *) { return int32_t{MLCRT_OK}; }, 0);
    return model.program->devices().sums().value_or("an error");
  };
  EXPECT_EQ(sums(), "");
  FakeDevice::order() = "one";
  EXPECT_EQ(sums(), "one");
  model.devices[0] = {"/device:CPU:0", "cpu"};
  EXPECT_EQ(sums(), "") << "the host's are the program's";
  model.devices[0] = {"/device:CUDA:0", "cuda"};
  EXPECT_EQ(sums(), "an error");
  FakeDevice::order().clear();
}

TEST_F(DevicesTest, OfAKindThatIsNotThere) {
  model.devices[0] = {"/device:CUDA:0", "cuda"};
  EXPECT_EQ(run([](mlcrt_frame *frame) { return frame->services->device_wait(frame->env, 0); }).message(),
            "device '/device:CUDA:0' is of kind 'cuda', of which this program has none; expected: cpu, fake");
  EXPECT_EQ(run([](mlcrt_frame *frame) { return frame->services->device_wait(frame->env, 0); }).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(DevicesTest, TheHostRunsNoKernels) {
  model.devices[0] = {"/device:CPU:0", "cpu"};
  EXPECT_EQ(run([](mlcrt_frame *frame) { return frame->services->device_wait(frame->env, 0); }).message(),
            "device '/device:CPU:0' is the host, which runs no kernels");
}

TEST_F(DevicesTest, ImagesAreForAChip) {
  model.images[0].chip = "two";
  EXPECT_EQ(run([](mlcrt_frame *frame) { return frame->services->device_wait(frame->env, 0); }).message(),
            "device '/device:FAKE:0': 1 images, expected one for chip 'one'");
}

} // namespace
