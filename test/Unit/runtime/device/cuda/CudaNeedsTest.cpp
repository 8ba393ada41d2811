// Kernels that get more than a launch has, on the emulated GPU.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlcrt/kernel_needs.h"
#include "runtime/src/device/cuda/CudaDevice.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <numeric>

using namespace mlcrt;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

constexpr Device::Memory kHost = Device::Memory::Host, kDevice = Device::Memory::Device;

/// A thread copies a box of 16 columns and 8 rows of x (f32) to shared memory, waits for it, and copies it to y. `n` is
/// the number of rows that x has. NEEDS stands for the words of mlcrt_kernel_needs and mlcrt_tensor_map.
const char *const kBox = R"(.version 8.0
.target sm_90
.address_size 64
.visible .global .align 8 .b64 box$needs[] = {NEEDS};
.extern .shared .align 128 .b8 tile[];
.visible .entry box(.param .u64 x, .param .u64 y, .param .u64 n, .param .align 64 .b8 map[128]) {
  .reg .b64 %d<4>; .reg .b32 %r<6>; .reg .pred %p;
  .shared .align 8 .b64 full;
  ld.param.u64 %d0, [y];
  mov.b64 %d1, map;
  cvta.param.u64 %d2, %d1;
  mov.u32 %r0, tile;
  mov.u32 %r1, full;
  mbarrier.init.shared.b64 [%r1], 1;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 512;
  mov.u32 %r2, 0;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d2, {%r2, %r2}], [%r1];
wait:
  mbarrier.try_wait.parity.shared.b64 %p, [%r1], 0;
  @!%p bra wait;
  fence.proxy.async.shared::cta;
  mov.u32 %r3, 512;
  cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r0], %r3;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;
}
)";
/// Shared memory of a box. Of argument 0 in f32: 16 columns and as many rows as argument 2 says, 64 bytes from one to
/// the next.
const std::vector<int64_t> kWords = {512, 0, 0, 1, 0, 2, 16, -3, 0, 0, 0, 0, 64, 0, 0, 0, 16, 8, 0, 0, 0};

class CudaNeedsTest : public testing::Test {
protected:
  CudaNeedsTest() {
    setenv("MLC_CUDA_DRIVER", PTXEMU_DRIVER, 1);
    setenv("PTXEMU_CHIP", "90", 1);
  }
  ~CudaNeedsTest() override {
    device.reset();
    unsetenv("MLC_CUDA_DRIVER");
    unsetenv("PTXEMU_CHIP");
  }
  void open(const std::vector<int64_t> &words = kWords) {
    text = kBox;
    std::string list;
    for (int64_t word : words)
      list += (list.empty() ? "" : ", ") + std::to_string(word);
    text.replace(text.find("NEEDS"), 5, list);
    image = {"cuda", "sm_90", MLCRT_IMAGE_PTX, 0, text.c_str(), static_cast<int64_t>(text.size() + 1)};
    auto opened = CudaDevice::open("/device:CUDA:0", 0, {&image}, CudaOptions());
    ASSERT_TRUE(opened.ok()) << opened.status();
    device = *std::move(opened);
    std::vector<float> values(128);
    std::iota(values.begin(), values.end(), 1.0f);
    x = *device->allocate(512, 256);
    y = *device->allocate(512, 256);
    ASSERT_TRUE(device->copy(kHost, values.data(), kDevice, x, 512).ok());
  }
  absl::Status launch(int64_t rows, int64_t skipped = 0) {
    const int64_t shape[] = {1, 1, 1, 1, 1, 1, 0};
    const int64_t arguments[] = {reinterpret_cast<int64_t>(x) + skipped, reinterpret_cast<int64_t>(y), rows};
    return device->launch("box", shape, arguments, 3);
  }
  /// Whether y has the rows of x, and zeros for others.
  void expectRows(int64_t rows) {
    std::vector<float> found(128);
    ASSERT_TRUE(device->copy(kDevice, y, kHost, found.data(), 512).ok());
    ASSERT_TRUE(device->wait().ok());
    for (int64_t i = 0; i < 128; ++i)
      EXPECT_EQ(found[static_cast<size_t>(i)], i < rows * 16 ? static_cast<float>(i + 1) : 0.0f) << i;
  }
  /// The error of a kernel with this table.
  std::string problemOf(const std::vector<int64_t> &words) {
    open(words);
    const absl::Status status = launch(8);
    device.reset();
    return std::string(status.message());
  }

  std::string text;
  mlcrt_image image = {};
  std::unique_ptr<CudaDevice> device;
  void *x = nullptr, *y = nullptr;
};

TEST_F(CudaNeedsTest, AreMadeOfTheArgumentsOfALaunch) {
  open();
  for (int64_t rows : {8, 5, 0}) {
    ASSERT_TRUE(launch(rows).ok());
    // Of no rows nobody copies a box; here the one that the map has instead is there.
    expectRows(std::max<int64_t>(rows, 1));
  }
}

TEST_F(CudaNeedsTest, AreMadeAgainWhereARecordingHasOtherSizes) {
  open();
  auto record = [&](int64_t rows) {
    EXPECT_TRUE(device->beginRecording().ok());
    EXPECT_TRUE(launch(rows).ok());
    return *device->endRecording();
  };
  std::unique_ptr<DeviceRecording> first = record(8), second = record(3);
  EXPECT_TRUE(second->isLike(*first));
  ASSERT_TRUE(device->prepare(*first, nullptr).ok());
  ASSERT_TRUE(device->replay(*first).ok());
  expectRows(8);
  ASSERT_TRUE(device->prepare(*second, std::move(first)).ok());
  ASSERT_TRUE(device->replay(*second).ok());
  expectRows(3);
}

TEST_F(CudaNeedsTest, WhatCannotBe) {
  auto with = [](size_t word, int64_t value) {
    std::vector<int64_t> words = kWords;
    words[word] = value;
    return words;
  };
  EXPECT_THAT(problemOf(with(3, 7)), EndsWith("'box$needs': map 0 has dtype 7; expected: f32, f16 or bf16"));
  EXPECT_THAT(problemOf(with(4, 16)),
              EndsWith("'box$needs': map 0 has a swizzle of 16 bytes; expected: 0, 32, 64 or 128"));
  EXPECT_THAT(problemOf(with(5, 6)), EndsWith("'box$needs': map 0 has rank 6; expected: 1 to 5"));
  EXPECT_THAT(problemOf(with(16, 257)),
              EndsWith("'box$needs': map 0 has a box of 257 elements in dimension 0; expected: 1 to 256"));
  EXPECT_THAT(problemOf(with(1, 3)),
              EndsWith("kernel 'box' with 3 arguments; expected, by a tensor map: one of number 3"));
  EXPECT_THAT(problemOf(with(0, -1)), EndsWith("'box$needs' has -1 bytes of shared memory; expected: none below 0"));
  EXPECT_THAT(problemOf(with(0, 1 << 20)), HasSubstr("kernel 'box' with 1048576 bytes of shared memory"));
  EXPECT_THAT(problemOf({1, 2}), EndsWith("'box$needs' has 16 bytes; expected: 8 and a multiple of 160"));
  std::vector<int64_t> twice = kWords;
  twice.insert(twice.end(), kWords.begin() + 1, kWords.end());
  EXPECT_THAT(problemOf(twice), EndsWith("kernel 'box': parameter 2 has 8 bytes; expected: 128, of a tensor map"));
  EXPECT_THAT(problemOf(with(12, 60)),
              HasSubstr("cuTensorMapEncodeTiled of map 0 of kernel 'box' failed: CUDA_ERROR_INVALID_VALUE (1)"));
  open();
  EXPECT_THAT(std::string(launch(8, 4).message()), HasSubstr("cuTensorMapEncodeTiled of map 0 of kernel 'box' failed"));
  ASSERT_TRUE(launch(8).ok()) << "the device works on";
  expectRows(8);
}

} // namespace
