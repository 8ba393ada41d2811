// A GPU on the fake driver: opening it, copies, launches, memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaDevice.h"
#include "CudaFixture.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <numeric>
#include <thread>

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

constexpr Device::Memory kHost = Device::Memory::Host, kDevice = Device::Memory::Device;
constexpr int64_t kMiB = int64_t{1} << 20;

class CudaDeviceTest : public CudaFixture {
protected:
  void openDevice(const CudaOptions &options = {}) {
    absl::StatusOr<std::unique_ptr<CudaDevice>> opened = open(0, options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    device = *std::move(opened);
  }
  void *take(int64_t bytes) {
    absl::StatusOr<void *> memory = device->allocate(bytes, 256);
    EXPECT_TRUE(memory.ok()) << memory.status();
    return *memory;
  }
  absl::Status launch(const char *kernel, std::vector<int64_t> arguments,
                      std::vector<int64_t> shape = {1, 1, 1, 1, 1, 1, 0}) {
    return device->launch(kernel, shape.data(), arguments.data(), static_cast<int64_t>(arguments.size()));
  }
  static std::vector<int> ascending(int64_t n, int first) {
    std::vector<int> values(static_cast<size_t>(n));
    std::iota(values.begin(), values.end(), first);
    return values;
  }
  /// A kernel that adds a number to n ints.
  void addKernel() {
    fake->kernels["add"] = {{8, 4, 8}, [](const FakeCudaLaunch &launch) {
                              auto *data = reinterpret_cast<int *>(launch.arguments[0]);
                              for (uint64_t i = 0; i < launch.arguments[2]; ++i)
                                data[i] += static_cast<int>(launch.arguments[1]);
                              return 0;
                            }};
  }

  std::unique_ptr<CudaDevice> device;
};

int64_t asNumber(const void *address) { return reinterpret_cast<int64_t>(address); }

TEST_F(CudaDeviceTest, ImagesSayWhoseOrderTheirSumsHave) {
  openDevice();
  EXPECT_EQ(device->sums(), "");
  device.reset();
  images[0].flags = MLCRT_IMAGE_CHIP_SUMS;
  openDevice();
  EXPECT_EQ(device->sums(), "sm_90") << "the chip's, not that of the image";
}

TEST_F(CudaDeviceTest, LinesOfAModelAreKeptWherePtxHasThem) {
  openDevice();
  EXPECT_FALSE(fake->keepsLines);
  device.reset();
  images = {ptx("sm_80", ".version 8.0\n\t.loc\t1 13 9\n")};
  openDevice();
  EXPECT_TRUE(fake->keepsLines);
}

TEST_F(CudaDeviceTest, CopiesInAllDirectionsInOrder) {
  openDevice();
  addKernel();
  std::vector<int> in = ascending(100, 0), out(100), more(100);
  void *a = take(400), *b = take(400);
  ASSERT_TRUE(device->copy(kHost, in.data(), kDevice, a, 400).ok());
  in.assign(100, -1); // what goes to the device was read
  ASSERT_TRUE(launch("add", {asNumber(a), 5, 100}).ok());
  ASSERT_TRUE(device->copy(kDevice, a, kDevice, b, 400).ok());
  ASSERT_TRUE(launch("add", {asNumber(a), 1000, 100}).ok());
  ASSERT_TRUE(device->copy(kDevice, b, kHost, out.data(), 400).ok());
  EXPECT_TRUE(fake->launches.empty()) << "nothing waited";
  ASSERT_TRUE(device->wait().ok());
  EXPECT_EQ(out, ascending(100, 5));
  ASSERT_TRUE(device->copy(kHost, out.data(), kHost, more.data(), 400).ok());
  EXPECT_EQ(more, out);
  EXPECT_EQ(fake->calls["cuMemHostAlloc"], Staging::kBuffers);
}

TEST_F(CudaDeviceTest, HostMemoryIsReadWhenWhatComesToItIsThere) {
  openDevice();
  std::vector<int> values = ascending(10, 7), buffer(10, -1), copied(10), out(10);
  void *a = take(40), *b = take(40);
  ASSERT_TRUE(device->copy(kHost, values.data(), kDevice, a, 40).ok());
  ASSERT_TRUE(device->copy(kDevice, a, kHost, buffer.data(), 40).ok());
  ASSERT_TRUE(device->copy(kHost, buffer.data(), kDevice, b, 40).ok());
  ASSERT_TRUE(device->copy(kDevice, b, kHost, out.data(), 40).ok());
  ASSERT_TRUE(device->copy(kHost, out.data(), kHost, copied.data(), 40).ok());
  ASSERT_TRUE(device->wait().ok());
  EXPECT_EQ(out, values);
  EXPECT_EQ(copied, values);
}

TEST_F(CudaDeviceTest, LargeCopiesGoInPartsThroughFewBuffers) {
  openDevice();
  addKernel();
  const int64_t n = 5 * Staging::kBufferBytes + 1234, bytes = 4 * n;
  std::vector<int> in = ascending(n, 3), out(static_cast<size_t>(n));
  void *a = take(bytes);
  ASSERT_TRUE(device->copy(kHost, in.data(), kDevice, a, bytes).ok());
  ASSERT_TRUE(launch("add", {asNumber(a), 1, n}).ok());
  ASSERT_TRUE(device->copy(kDevice, a, kHost, out.data(), bytes).ok());
  ASSERT_TRUE(device->wait().ok());
  EXPECT_EQ(out, ascending(n, 4));
  EXPECT_EQ(fake->calls["cuMemHostAlloc"], Staging::kBuffers);
  EXPECT_EQ(fake->calls["cuStreamSynchronize"], 1) << "buffers are waited for, not all work";
}

TEST_F(CudaDeviceTest, SmallCopiesShareBuffers) {
  openDevice();
  const int64_t n = 3 * Staging::kBufferBytes / 64;
  std::vector<int64_t> in(static_cast<size_t>(n)), out(static_cast<size_t>(n));
  std::iota(in.begin(), in.end(), 100);
  auto *a = static_cast<char *>(take(8 * n));
  for (int64_t i = 0; i < n; ++i)
    ASSERT_TRUE(device->copy(kHost, &in[i], kDevice, a + 8 * i, 8).ok());
  EXPECT_EQ(fake->calls["cuEventSynchronize"], 1) << "of three buffers' worth the first one's turn came again";
  for (int64_t i = 0; i < n; ++i)
    ASSERT_TRUE(device->copy(kDevice, a + 8 * i, kHost, &out[i], 8).ok());
  ASSERT_TRUE(device->wait().ok());
  EXPECT_EQ(out, in);
  const int waited = fake->calls["cuEventSynchronize"];
  for (int step = 0; step < 3 * 65536; ++step) {
    ASSERT_TRUE(device->copy(kHost, &in[0], kDevice, a, 8).ok());
    if (step % 100 == 0)
      ASSERT_TRUE(device->wait().ok());
  }
  EXPECT_EQ(fake->calls["cuEventSynchronize"], waited) << "buffers are empty after a wait";
  EXPECT_TRUE(device->copy(kHost, nullptr, kDevice, nullptr, 0).ok());
  EXPECT_EQ(messageOf(device->copy(kHost, nullptr, kDevice, nullptr, -4)),
            "device '/device:CUDA:0': asked to copy -4 bytes");
}

TEST_F(CudaDeviceTest, LaunchesHaveShapesAndArgumentsOfTheirSizes) {
  openDevice();
  fake->kernels["k"] = {{8, 4, 1}, nullptr};
  ASSERT_TRUE(launch("k", {-2, -3, 0x1ff}, {7, 2, 3, 32, 4, 2, 1000}).ok());
  ASSERT_TRUE(launch("k", {1, 2, 3}, {0, 2, 3, 32, 1, 1, 0}).ok()) << "no blocks: nothing to do";
  ASSERT_TRUE(device->wait().ok());
  ASSERT_EQ(fake->launches.size(), 1u);
  const FakeCudaLaunch &seen = fake->launches[0];
  EXPECT_THAT(seen.blocks, ElementsAre(7, 2, 3));
  EXPECT_THAT(seen.threads, ElementsAre(32, 4, 2));
  EXPECT_EQ(seen.sharedBytes, 1000u);
  EXPECT_THAT(seen.arguments, ElementsAre(0xfffffffffffffffe, 0xfffffffd, 0xff));
  EXPECT_EQ(fake->calls["cuModuleGetFunction"], 1) << "kernels are looked up once";
  EXPECT_EQ(fake->calls["cuFuncSetAttribute"], 0);
}

TEST_F(CudaDeviceTest, MoreSharedMemoryIsAskedForOnce) {
  fake->attributes[97] = 227 << 10;
  openDevice();
  fake->kernels["k"] = {{}, nullptr, /*ownShared=*/1024};
  ASSERT_TRUE(launch("k", {}, {1, 1, 1, 1, 1, 1, 47 << 10}).ok());
  EXPECT_EQ(fake->calls["cuFuncSetAttribute"], 0);
  ASSERT_TRUE(launch("k", {}, {1, 1, 1, 1, 1, 1, 48 << 10}).ok());
  ASSERT_TRUE(launch("k", {}, {1, 1, 1, 1, 1, 1, 226 << 10}).ok());
  EXPECT_EQ(fake->calls["cuFuncSetAttribute"], 1);
  EXPECT_EQ(fake->maxShared["k"], 226 << 10);
  EXPECT_EQ(
      messageOf(launch("k", {}, {1, 1, 1, 1, 1, 1, (226 << 10) + 1})),
      "device '/device:CUDA:0': kernel 'k' with 231425 bytes of shared memory beside 1024 of its own; expected: at "
      "most 232448 together");
}

TEST_F(CudaDeviceTest, LimitsOfLaunches) {
  fake->attributes = {{1, 512}, {2, 512}, {3, 256}, {4, 64}, {5, 1 << 20}, {6, 65535}, {7, 60000}};
  openDevice();
  fake->kernels["k"] = {{8}, nullptr, 0, /*maxThreads=*/320};
  const std::string start = "device '/device:CUDA:0': kernel 'k' with ";
  const auto message = [&](std::vector<int64_t> shape, std::vector<int64_t> arguments = {1}) {
    const absl::Status status = launch("k", std::move(arguments), std::move(shape));
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_THAT(messageOf(status), StartsWith(start));
    return messageOf(status).substr(start.size());
  };
  EXPECT_EQ(message({1 << 21, 1, 1, 1, 1, 1, 0}), "2097152 blocks in x; expected: at most 1048576");
  EXPECT_EQ(message({1, 1, 60001, 1, 1, 1, 0}), "60001 blocks in z; expected: at most 60000");
  EXPECT_EQ(message({-1, 1, 1, 1, 1, 1, 0}), "-1 blocks in x; expected: at most 1048576");
  EXPECT_EQ(message({1, 1, 1, 1, 257, 1, 0}), "blocks of 257 threads in y; expected: 1 to 256");
  EXPECT_EQ(message({1, 1, 1, 0, 1, 1, 0}), "blocks of 0 threads in x; expected: 1 to 512");
  EXPECT_EQ(message({1, 1, 1, 256, 4, 1, 0}), "blocks of 1024 threads; expected: at most 512");
  EXPECT_EQ(message({1, 1, 1, 512, 1, 1, 0}),
            "blocks of 512 threads; expected: at most 320, for which the registers suffice");
  EXPECT_EQ(message({1, 1, 1, 1, 1, 1, 50000}),
            "50000 bytes of shared memory beside 0 of its own; expected: at most 49152 together");
  EXPECT_EQ(message({1, 1, 1, 1, 1, 1, 0}, {1, 2}), "2 arguments; expected: 1");
  EXPECT_EQ(messageOf(launch("none", {})), "device '/device:CUDA:0': there is no kernel 'none' in the PTX for sm_80");
  fake->kernels["wide"] = {{8, 128}, nullptr};
  EXPECT_EQ(messageOf(launch("wide", {1, 2})),
            "device '/device:CUDA:0': kernel 'wide': parameter 1 has 128 bytes; expected: at most 8");
}

TEST_F(CudaDeviceTest, MemoryComesInPiecesWithinALimit) {
  fake->totalBytes = 1024 * kMiB;
  openDevice();
  std::vector<void *> parts;
  for (int i = 0; i < 30; ++i)
    parts.push_back(take(kMiB));
  EXPECT_THAT(fake->pieces, ElementsAre(64 * kMiB)) << "not the whole card";
  const absl::Status status = device->allocate(1000 * kMiB, 256).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(isDeviceMemoryError(status)) << "no disk is full";
  EXPECT_EQ(status.message(),
            "device '/device:CUDA:0': memory ran out: asked for 1.0 GB; 67.1 MB are held, of which 31.5 MB are in "
            "use; 1.0 GB of 1.1 GB are free; the limit is 1.0 GB (MLC_GPU_MEMORY)");
  for (void *part : parts)
    device->free(part);
  EXPECT_EQ(take(60 * kMiB), parts[0]);
}

TEST_F(CudaDeviceTest, TheLimitOfMemoryIsAnOptionOrOfTheEnvironment) {
  setenv(kGpuMemoryVariable, "100MiB", 1);
  openDevice();
  EXPECT_TRUE(device->allocate(90 * kMiB, 256).ok());
  EXPECT_THAT(messageOf(device->allocate(20 * kMiB, 256)), HasSubstr("the limit is 104.9 MB"));
  device.reset();
  CudaOptions options;
  options.gpuMemory = 200 * kMiB;
  openDevice(options);
  EXPECT_TRUE(device->allocate(150 * kMiB, 256).ok());
  for (auto [text, bytes] :
       {std::pair{"4096", int64_t{4096}}, {"1.5 GB", 1500000000}, {"2KiB", 2048}, {"0", 0}, {"", -1}}) {
    setenv(kGpuMemoryVariable, text, 1);
    EXPECT_EQ(withEnvironment({})->gpuMemory, bytes) << text;
  }
  for (const char *wrong : {"much", "-1", "1 PB", "1e30GB", "GB"}) {
    setenv(kGpuMemoryVariable, wrong, 1);
    EXPECT_EQ(open().status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(messageOf(open()),
              std::string("MLC_GPU_MEMORY is '") + wrong + "'; expected: bytes, as 4294967296, 512MiB or 4GB");
  }
}

TEST_F(CudaDeviceTest, MemoryThatWasGivenBackIsUsedAfterWhatWasAskedFor) {
  openDevice();
  std::vector<int> in = ascending(1000, 0), other(1000, 9), out(1000), last(1000);
  void *a = take(4000);
  ASSERT_TRUE(device->copy(kHost, in.data(), kDevice, a, 4000).ok());
  ASSERT_TRUE(device->copy(kDevice, a, kHost, out.data(), 4000).ok());
  device->free(a);
  void *b = take(4000);
  EXPECT_EQ(a, b);
  ASSERT_TRUE(device->copy(kHost, other.data(), kDevice, b, 4000).ok());
  ASSERT_TRUE(device->copy(kDevice, b, kHost, last.data(), 4000).ok());
  ASSERT_TRUE(device->wait().ok());
  EXPECT_EQ(out, in);
  EXPECT_EQ(last, other);
}

TEST_F(CudaDeviceTest, APieceGoesBackWhenWhatUsesItIsDone) {
  fake->totalBytes = 100 * kMiB;
  CudaOptions options;
  options.gpuMemory = 100 * kMiB;
  openDevice(options);
  std::vector<int> in = ascending(1000, 0), out(1000);
  void *a = take(4000);
  ASSERT_TRUE(device->copy(kHost, in.data(), kDevice, a, 4000).ok());
  ASSERT_TRUE(device->copy(kDevice, a, kHost, out.data(), 4000).ok());
  device->free(a);
  take(90 * kMiB);
  ASSERT_TRUE(device->wait().ok());
  EXPECT_EQ(out, in);
  EXPECT_EQ(fake->memory.size(), 1u);
}

TEST_F(CudaDeviceTest, SeveralThreadsMayAsk) {
  openDevice();
  addKernel();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 50; ++round) {
        std::vector<int> in = ascending(5000, t), out(5000);
        void *a = take(20000);
        EXPECT_TRUE(device->copy(kHost, in.data(), kDevice, a, 20000).ok());
        EXPECT_TRUE(launch("add", {asNumber(a), round, 5000}).ok());
        EXPECT_TRUE(device->copy(kDevice, a, kHost, out.data(), 20000).ok());
        EXPECT_TRUE(device->wait().ok());
        EXPECT_EQ(out, ascending(5000, t + round));
        device->free(a);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(CudaDeviceTest, WorksWithoutWhatOlderDriversLack) {
  fake->version = 11040;
  images = {ptx("sm_80", ".version 7.4\n")};
  openDevice();
  EXPECT_EQ(device->image(), "PTX for sm_80");
  EXPECT_EQ(device->info().name, "Fake GPU 0");
}

TEST_F(CudaDeviceTest, TimesOfLaunchesAreWrittenToAFile) {
  addKernel();
  const std::string path = testing::TempDir() + "/launch-times.json";
  setenv(kGpuTimesVariable, path.c_str(), 1);
  openDevice();
  EXPECT_EQ(device->beginRecording().code(), absl::StatusCode::kUnimplemented) << "what is recorded is not measured";
  void *a = take(400);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(launch("add", {asNumber(a), 5, 100}).ok());
  device.reset();
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(text,
            "{\"kernels\": [\n  {\"kernel\": \"add\", \"launches\": 3, \"milliseconds\": 1.5, \"least\": 0.5}\n]}\n");

  setenv(kGpuTimesVariable, "/no/such/directory/times.json", 1);
  EXPECT_THAT(messageOf(open()), HasSubstr("cannot write times of kernels to '/no/such/directory/times.json'"));
}

TEST_F(CudaDeviceTest, RecordsLaunchesAndCopiesOnTheDevice) {
  openDevice();
  addKernel();
  std::vector<int> in = ascending(10, 0), out(10);
  void *a = take(40), *b = take(40);
  ASSERT_TRUE(device->copy(kHost, in.data(), kDevice, a, 40).ok());
  ASSERT_TRUE(device->beginRecording().ok());
  ASSERT_TRUE(launch("add", {asNumber(a), 1, 10}).ok());
  ASSERT_TRUE(device->copy(kDevice, a, kDevice, b, 40).ok());
  absl::StatusOr<std::unique_ptr<DeviceRecording>> recorded = device->endRecording();
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  ASSERT_TRUE(device->prepare(**recorded, nullptr).ok());
  ASSERT_TRUE(device->wait().ok());
  EXPECT_TRUE(fake->launches.empty()) << "recorded and not done";
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(device->replay(**recorded).ok());
  ASSERT_TRUE(device->copy(kDevice, b, kHost, out.data(), 40).ok());
  ASSERT_TRUE(device->wait().ok());
  EXPECT_EQ(out, ascending(10, 3));
}

TEST_F(CudaDeviceTest, ARecordingOfOtherNumbersChangesTheNodesThatDiffer) {
  openDevice();
  addKernel();
  std::vector<int> in = ascending(10, 0), out(10);
  void *a = take(40), *b = take(40);
  ASSERT_TRUE(device->copy(kHost, in.data(), kDevice, a, 40).ok());
  ASSERT_TRUE(device->copy(kHost, in.data(), kDevice, b, 40).ok());
  /// The first `size` numbers of a plus 1, and plus `more`; those of b are a's.
  const auto record = [&](int64_t size, int64_t more) {
    EXPECT_TRUE(device->beginRecording().ok());
    EXPECT_TRUE(launch("add", {asNumber(a), 1, size}).ok());
    EXPECT_TRUE(launch("add", {asNumber(a), more, 10}).ok());
    EXPECT_TRUE(device->copy(kDevice, a, kDevice, b, 4 * size).ok());
    return *device->endRecording();
  };
  std::unique_ptr<DeviceRecording> first = record(10, 5), second = record(10, 7), third = record(3, 7);
  ASSERT_TRUE(device->prepare(*first, nullptr).ok());
  ASSERT_TRUE(device->replay(*first).ok());
  EXPECT_TRUE(second->isLike(*first) && third->isLike(*second));
  ASSERT_TRUE(device->prepare(*second, std::move(first)).ok());
  EXPECT_EQ(fake->calls["cuGraphExecKernelNodeSetParams"], 1);
  EXPECT_EQ(fake->calls["cuGraphExecMemcpyNodeSetParams"], 0);
  ASSERT_TRUE(device->replay(*second).ok());
  ASSERT_TRUE(device->prepare(*third, std::move(second)).ok());
  EXPECT_EQ(fake->calls["cuGraphExecKernelNodeSetParams"], 2);
  EXPECT_EQ(fake->calls["cuGraphExecMemcpyNodeSetParams"], 1);
  ASSERT_TRUE(device->replay(*third).ok());
  EXPECT_EQ(fake->calls["cuGraphInstantiate"], 1);
  ASSERT_TRUE(device->copy(kDevice, a, kHost, out.data(), 40).ok());
  ASSERT_TRUE(device->wait().ok());
  std::vector<int> expected = ascending(10, 6 + 8 + 7);
  for (int i = 0; i < 3; ++i)
    ++expected[i];
  EXPECT_EQ(out, expected);
  ASSERT_TRUE(device->copy(kDevice, b, kHost, out.data(), 40).ok());
  ASSERT_TRUE(device->wait().ok());
  for (int i = 3; i < 10; ++i)
    expected[i] -= 7; // as the second one left it
  EXPECT_EQ(out, expected);
}

TEST_F(CudaDeviceTest, RecordingsOfOtherKernelsAreNotLikeEachOther) {
  openDevice();
  addKernel();
  fake->kernels["other"] = fake->kernels["add"];
  void *a = take(40);
  const auto record = [&](const std::vector<const char *> &kernels, bool copies) {
    EXPECT_TRUE(device->beginRecording().ok());
    for (const char *kernel : kernels)
      EXPECT_TRUE(launch(kernel, {asNumber(a), 1, 10}).ok());
    if (copies)
      EXPECT_TRUE(device->copy(kDevice, a, kDevice, a, 4).ok());
    return *device->endRecording();
  };
  const auto one = record({"add"}, false);
  EXPECT_TRUE(one->isLike(*record({"add"}, false)));
  EXPECT_FALSE(one->isLike(*record({"other"}, false)));
  EXPECT_FALSE(one->isLike(*record({"add", "add"}, false)));
  EXPECT_FALSE(one->isLike(*record({"add"}, true)));
  EXPECT_FALSE(one->isLike(*record({}, true)));
  EXPECT_FALSE(record({"add"}, true)->isLike(*one));
}

TEST_F(CudaDeviceTest, WhatADriverDoesNotTakeIntoAGraphIsNotReady) {
  openDevice();
  addKernel();
  void *a = take(40);
  const auto record = [&](int64_t number) {
    EXPECT_TRUE(device->beginRecording().ok());
    EXPECT_TRUE(launch("add", {asNumber(a), number, 10}).ok());
    return *device->endRecording();
  };
  const int objects = fake->objects;
  for (const char *call : {"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphInstantiate"}) {
    fake->failing[call] = 1;
    EXPECT_THAT(messageOf(device->prepare(*record(1), nullptr)),
                HasSubstr(std::string(call) + (std::string(call) == "cuGraphAddKernelNode" ? " of kernel 'add'" : "") +
                          " failed: CUDA_ERROR_INVALID_VALUE"));
    fake->failing.clear();
    EXPECT_EQ(fake->objects, objects) << call;
  }
  auto first = record(1);
  ASSERT_TRUE(device->prepare(*first, nullptr).ok());
  fake->failing["cuGraphExecKernelNodeSetParams"] = 1;
  EXPECT_THAT(messageOf(device->prepare(*record(2), std::move(first))),
              HasSubstr("cuGraphExecKernelNodeSetParams of kernel 'add' failed: CUDA_ERROR_INVALID_VALUE"));
  EXPECT_EQ(fake->objects, objects);
  EXPECT_TRUE(device->wait().ok()) << "it goes on";
  EXPECT_TRUE(fake->launches.empty());
}

TEST_F(CudaDeviceTest, WhatCannotBeRecordedEndsTheRecording) {
  openDevice();
  addKernel();
  int value = 0;
  void *a = take(4);
  const auto recordAround = [&](auto what) {
    EXPECT_TRUE(device->beginRecording().ok());
    EXPECT_TRUE(launch("add", {asNumber(a), 1, 1}).ok());
    const absl::Status asked = what();
    EXPECT_FALSE(asked.ok());
    const absl::Status ended = device->endRecording().status();
    EXPECT_EQ(asked, ended);
    return std::string(ended.message());
  };
  const std::string start = "device '/device:CUDA:0': asked for ";
  EXPECT_EQ(recordAround([&] { return device->wait(); }), start + "a wait while it records");
  EXPECT_EQ(recordAround([&] { return device->allocate(4, 64).status(); }), start + "memory while it records");
  EXPECT_EQ(recordAround([&] { return device->copy(kHost, &value, kDevice, a, 4); }),
            start + "a copy of host memory while it records");
  EXPECT_EQ(recordAround([&] { return device->copy(kDevice, a, kHost, &value, 4); }),
            start + "a copy of host memory while it records");
  EXPECT_EQ(messageOf(device->endRecording()), "device '/device:CUDA:0': ends a recording that did not begin");
  EXPECT_TRUE(device->wait().ok()) << "it goes on";
  EXPECT_TRUE(fake->launches.empty());
}

TEST_F(CudaDeviceTest, CopiesFromAnotherGpuInTheOrderOfBoth) {
  fake->devices = 2;
  openDevice();
  addKernel();
  absl::StatusOr<std::unique_ptr<CudaDevice>> opened = open(1);
  ASSERT_TRUE(opened.ok()) << opened.status();
  CudaDevice &other = **opened;
  EXPECT_EQ(device->peerGroup(), other.peerGroup());
  std::vector<int> in = ascending(10, 0), out(10);
  void *a = take(40), *b = *other.allocate(40, 64);
  ASSERT_TRUE(device->copy(kHost, in.data(), kDevice, a, 40).ok());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(launch("add", {asNumber(a), 1, 10}).ok());
    ASSERT_TRUE(other.copyFrom(*device, a, b, 40).ok());
    ASSERT_TRUE(launch("add", {asNumber(a), 100, 10}).ok()) << "later than the copy";
  }
  ASSERT_TRUE(device->wait().ok());
  ASSERT_TRUE(other.copy(kDevice, b, kHost, out.data(), 40).ok());
  ASSERT_TRUE(other.wait().ok());
  EXPECT_EQ(out, ascending(10, 102));
  EXPECT_EQ(fake->calls["cuMemcpyPeerAsync"], 2);
  EXPECT_EQ(fake->calls["cuCtxEnablePeerAccess"], 1);
  // The context is that of the process: someone else may have asked.
  ASSERT_TRUE(device->copyFrom(other, b, a, 40).ok());
  EXPECT_EQ(fake->calls["cuCtxEnablePeerAccess"], 2);
  fake->failing["cuMemcpyPeerAsync"] = 1;
  EXPECT_THAT(messageOf(other.copyFrom(*device, a, b, 40)),
              HasSubstr("device '/device:CUDA:1': cuMemcpyPeerAsync failed: CUDA_ERROR_INVALID_VALUE"));
  fake->failing.clear();
  ASSERT_TRUE(other.beginRecording().ok());
  EXPECT_THAT(messageOf(device->copyFrom(other, b, a, 40)),
              HasSubstr("asked for a copy between devices while it records"));
  EXPECT_FALSE(other.endRecording().ok());
  other.free(b);
}

TEST_F(CudaDeviceTest, OthersWaitWhileAThreadRecords) {
  openDevice();
  addKernel();
  void *a = take(4), *b = take(4);
  ASSERT_TRUE(device->beginRecording().ok());
  std::thread other([&] { EXPECT_TRUE(launch("add", {asNumber(b), 1, 1}).ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ASSERT_TRUE(launch("add", {asNumber(a), 1, 1}).ok());
  auto recorded = device->endRecording();
  other.join();
  ASSERT_TRUE(recorded.ok() && device->wait().ok());
  ASSERT_EQ(fake->launches.size(), 1u);
  EXPECT_EQ(fake->launches[0].arguments[0], reinterpret_cast<uint64_t>(b));
}

TEST_F(CudaDeviceTest, NothingIsRecordedWhereLaunchesAreWaitedForOrGraphsAreOff) {
  setenv(kGpuGraphsVariable, "0", 1);
  openDevice();
  EXPECT_EQ(device->beginRecording().code(), absl::StatusCode::kUnimplemented);
  unsetenv(kGpuGraphsVariable);
  CudaOptions options;
  options.sync = 1;
  openDevice(options);
  EXPECT_EQ(device->beginRecording().code(), absl::StatusCode::kUnimplemented);
  setenv(kGpuGraphsVariable, "on", 1);
  EXPECT_EQ(messageOf(open()), "MLC_GPU_GRAPHS is 'on'; expected: 0 or 1");
}

} // namespace
