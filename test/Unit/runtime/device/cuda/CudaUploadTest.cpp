// What comes to a GPU beside its work, on the fake driver.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CudaFixture.h"
#include "test/Unit/runtime/core/FakeDevice.h"

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

int64_t asNumber(const void *address) { return reinterpret_cast<int64_t>(address); }
constexpr int64_t kShape[7] = {1, 1, 1, 1, 1, 1, 0};

class CudaUploadTest : public CudaFixture {
protected:
  void SetUp() override {
    // sum += number
    fake->kernels["add"] = {{8, 8}, [](const FakeCudaLaunch &launch) {
                              *reinterpret_cast<int64_t *>(launch.arguments[0]) +=
                                  *reinterpret_cast<const int64_t *>(launch.arguments[1]);
                              return 0;
                            }};
    absl::StatusOr<std::unique_ptr<CudaDevice>> opened = open();
    ASSERT_TRUE(opened.ok()) << opened.status();
    device = *std::move(opened);
    sum = *device->allocate(8, 8);
    const int64_t zero = 0;
    ASSERT_TRUE(device->copy(Device::Memory::Host, &zero, Device::Memory::Device, sum, 8).ok());
  }
  void TearDown() override {
    device->free(sum);
    device.reset();
  }
  /// Brings the number, and nothing more.
  void *bring(DeviceUpload &upload, int64_t number) {
    upload.restart();
    absl::StatusOr<void *> there = upload.bring(&number, 8, 256);
    EXPECT_TRUE(there.ok()) << there.status();
    return there.ok() ? *there : nullptr;
  }
  void add(void *number) {
    const int64_t arguments[2] = {asNumber(sum), asNumber(number)};
    ASSERT_TRUE(device->launch("add", kShape, arguments, 2).ok());
  }
  int64_t read() {
    int64_t value = -1;
    EXPECT_TRUE(device->copy(Device::Memory::Device, sum, Device::Memory::Host, &value, 8).ok());
    EXPECT_TRUE(device->wait().ok());
    return value;
  }

  std::unique_ptr<CudaDevice> device;
  void *sum = nullptr;
};

TEST_F(CudaUploadTest, KernelsComeAfterTheCopiesThatAreAwaited) {
  std::unique_ptr<DeviceUpload> first = device->makeUpload(), second = device->makeUpload();
  for (int64_t i = 0; i < 5; ++i) {
    DeviceUpload &upload = i % 2 ? *second : *first;
    void *there = bring(upload, 10 + i);
    ASSERT_TRUE(upload.await().ok());
    add(there);
    ASSERT_EQ(read(), 10 * (i + 1) + i * (i + 1) / 2);
  }
}

TEST_F(CudaUploadTest, CopiesDoNotWaitForKernels) {
  std::unique_ptr<DeviceUpload> upload = device->makeUpload(), next = device->makeUpload();
  void *there = bring(*upload, 3), *other = bring(*next, 0);
  ASSERT_TRUE(upload->await().ok());
  ASSERT_TRUE(next->await().ok());
  ASSERT_EQ(read(), 0);
  const int waits = fake->calls["cuStreamWaitEvent"];
  add(there);
  ASSERT_EQ(bring(*next, 4), other) << "the memory that it has";
  EXPECT_EQ(fake->calls["cuStreamWaitEvent"], waits) << "neither waits for the other";
  ASSERT_TRUE(next->await().ok());
  EXPECT_EQ(fake->calls["cuStreamWaitEvent"], waits + 1);
  add(other);
  EXPECT_EQ(read(), 7);
}

TEST_F(CudaUploadTest, MemoryThatOthersHadIsWrittenAfterTheirWork) {
  // The first memory that is handed out next is that of the number.
  void *number = *device->allocate(8, 8);
  const int64_t five = 5;
  ASSERT_TRUE(device->copy(Device::Memory::Host, &five, Device::Memory::Device, number, 8).ok());
  add(number);
  device->free(number);
  std::unique_ptr<DeviceUpload> upload = device->makeUpload();
  void *there = bring(*upload, 100);
  EXPECT_EQ(there, number);
  ASSERT_TRUE(upload->await().ok());
  add(there);
  EXPECT_EQ(read(), 105);
}

TEST_F(CudaUploadTest, WhatNobodyAwaitedGivesItsMemoryBackInOrder) {
  std::unique_ptr<DeviceUpload> upload = device->makeUpload();
  void *there = bring(*upload, 100);
  upload.reset();
  void *number = *device->allocate(8, 8);
  EXPECT_EQ(there, number);
  const int64_t five = 5;
  ASSERT_TRUE(device->copy(Device::Memory::Host, &five, Device::Memory::Device, number, 8).ok());
  add(number);
  EXPECT_EQ(read(), 5);
  device->free(number);
}

TEST_F(CudaUploadTest, ErrorsAreToldAndTheDeviceWorksOn) {
  fake->failing["cuStreamCreate"] = 2;
  std::unique_ptr<DeviceUpload> upload = device->makeUpload();
  const int64_t number = 1;
  EXPECT_THAT(messageOf(upload->bring(&number, 8, 256)), HasSubstr("cuStreamCreate of a stream for copies failed"));
  EXPECT_EQ(read(), 0);
}

/// out[r] = 2 x[r].
int32_t runDouble(mlcrt_frame *frame) {
  const mlcrt_buffer *b = frame->buffers;
  const int64_t arguments[3] = {asNumber(b[0].data), asNumber(b[1].data), b[0].dims[0]};
  return frame->services->device_launch(frame->env, 0, "double", kShape, arguments, 3);
}

TEST_F(CudaUploadTest, StepsReadWhatWasBroughtAhead) {
  registerCudaDevices();
  fake->kernels["double"] = {{8, 8, 8}, [](const FakeCudaLaunch &launch) {
                               const auto *x = reinterpret_cast<const float *>(launch.arguments[0]);
                               auto *out = reinterpret_cast<float *>(launch.arguments[1]);
                               for (uint64_t r = 0; r < launch.arguments[2]; ++r)
                                 out[r] = 2 * x[r];
                               return 0;
                             }};
  OneSegment model;
  model.devices[0] = {"/device:CUDA:0", kCudaKind};
  model.images[0] = images[0];
  model.add(MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 1);
  model.add(MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE, 1);
  model.make(runDouble, 0);
  model.program->homes().keepValues();
  ThreadPool pool{1};
  EntryRunner runner(*model.program, model.entry, pool), input(*model.program, model.entry, pool);
  FeatureSlot slots[2] = {input.makeSlot(), input.makeSlot()};
  TwoFeatures batches[2] = {TwoFeatures(3), TwoFeatures(5)};
  auto bringAhead = [&](int i) {
    ASSERT_TRUE(input.runFeatures(batches[i].view, slots[i]).ok());
    input.bringAhead(batches[i].view, slots[i]);
  };
  bringAhead(0);
  for (int step = 0; step < 6; ++step) {
    const int i = step % 2, copies = fake->calls["cuMemcpyHtoDAsync"];
    bringAhead(1 - i);
    EXPECT_EQ(fake->calls["cuMemcpyHtoDAsync"], copies + 1);
    ASSERT_TRUE(runner.runStep(batches[i].view, slots[i]).ok());
    EXPECT_EQ(fake->calls["cuMemcpyHtoDAsync"], copies + 1) << "nothing is brought a second time";
    for (int64_t r = 0; r < batches[i].view.rows; ++r)
      ASSERT_EQ(static_cast<const float *>(runner.output(0).data)[r], 2.0f * static_cast<float>(r));
  }
  // Another batch than that which was brought.
  TwoFeatures other(3);
  other.x[1] = 50;
  ASSERT_TRUE(runner.runStep(other.view, slots[0]).ok());
  EXPECT_EQ(static_cast<const float *>(runner.output(0).data)[1], 100.0f);
}

} // namespace
