// What is said of GPUs that are not there, images that do not load, and errors of calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CudaFixture.h"
#include "mlcrt/kernel_needs.h"
#include "runtime/src/core/Devices.h"

using namespace mlcrt;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr Device::Memory kHost = Device::Memory::Host, kDevice = Device::Memory::Device;
const int64_t kOne[7] = {1, 1, 1, 1, 1, 1, 0};

class CudaErrorsTest : public CudaFixture {};

TEST_F(CudaErrorsTest, NoSuchGpu) {
  EXPECT_EQ(open(1).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(messageOf(open(1)), "there is no GPU number 1; expected: 0, the only one that the driver shows");
  fake->devices = 4;
  EXPECT_EQ(messageOf(open(7)), "there is no GPU number 7; expected: 0 to 3, which the driver shows");
  EXPECT_TRUE(open(3).ok());
  fake->devices = 0;
  EXPECT_EQ(messageOf(open(0)), "there is no GPU number 0; expected: a GPU, of which the driver shows none");
}

TEST_F(CudaErrorsTest, AnOldChip) {
  fake->chip = 75;
  EXPECT_EQ(open().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(messageOf(open()), "GPU number 0, 'Fake GPU 0', is of the chip sm_75; expected: sm_80 or later");
}

TEST_F(CudaErrorsTest, NoImage) {
  images = {cubin("sm_80"), ptx("sm_100")};
  EXPECT_EQ(messageOf(open()), "no image runs on the chip sm_90; found: cubin for sm_80, PTX for sm_100; expected: a "
                               "cubin for it, or PTX for it or an earlier chip");
  images = {ptx("sm_80", ".version 8.7\n")};
  EXPECT_EQ(messageOf(open()), "the driver is for CUDA 12.4, too old for the PTX for sm_80 of version 8.7; expected: a "
                               "driver for CUDA 12.8 or later");
  EXPECT_EQ(fake->calls["cuDevicePrimaryCtxRetain"], 0) << "nothing of the GPU was taken";
}

TEST_F(CudaErrorsTest, Available) {
  EXPECT_TRUE(cudaAvailable().ok());
  EXPECT_TRUE(cudaAvailable(0, pointers()).ok());
  EXPECT_THAT(messageOf(cudaAvailable(2)), HasSubstr("there is no GPU number 2"));
  images = {cubin("sm_80")};
  EXPECT_THAT(messageOf(cudaAvailable(0, pointers())), HasSubstr("no image runs on the chip sm_90"));
  fake->chip = 70;
  EXPECT_THAT(messageOf(cudaAvailable()), HasSubstr("is of the chip sm_70"));
  CudaOptions options;
  options.driver = "/nowhere.so";
  EXPECT_THAT(messageOf(cudaAvailable(0, {}, options)), HasSubstr("no CUDA driver: /nowhere.so"));
  EXPECT_EQ(fake->calls["cuDevicePrimaryCtxRetain"], 0);
}

TEST_F(CudaErrorsTest, PtxThatDoesNotCompile) {
  fake->load = [](const char *, std::string &log) {
    log = "ptxas application ptx input, line 9; error   : Unexpected instruction types specified for 'add'\r\n\n"
          "  ptxas application ptx input, line 12; error   : Unknown symbol 'x'\nthird\nfourth\nfifth\n";
    return 218;
  };
  EXPECT_EQ(open().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(
      messageOf(open()),
      "the PTX for sm_80 does not load on 'Fake GPU 0' (sm_90): CUDA_ERROR_INVALID_PTX (218): text of "
      "CUDA_ERROR_INVALID_PTX; the driver says: ptxas application ptx input, line 9; error   : Unexpected "
      "instruction types specified for 'add' | ptxas application ptx input, line 12; error   : Unknown symbol 'x' "
      "| third | fourth");
}

TEST_F(CudaErrorsTest, AfterACubinThatIsNotForTheGpuPtxIsLoaded) {
  images = {ptx("sm_80", ".version 8.0 of 80"), ptx("sm_90a", ".version 8.0 of 90a"), cubin("sm_90", "cubin")};
  EXPECT_EQ((*open())->image(), "cubin for sm_90");
  fake->images.clear();
  fake->load = [](const char *image, std::string &) { return std::string(image) == "cubin" ? 209 : 0; };
  EXPECT_EQ((*open())->image(), "PTX for sm_90a");
  EXPECT_THAT(fake->images, ElementsAre(".version 8.0 of 90a"));
}

TEST_F(CudaErrorsTest, ADriverThatMakesNoTensorMaps) {
  fake->kernels["double"] = {{8, 8, 8}, nullptr};
  fake->globals["double$needs"] = std::vector<char>(sizeof(mlcrt_kernel_needs) + sizeof(mlcrt_tensor_map));
  absl::StatusOr<std::unique_ptr<CudaDevice>> device = open();
  ASSERT_TRUE(device.ok()) << device.status();
  const int64_t shape[] = {1, 1, 1, 1, 1, 1, 0}, arguments[] = {0, 0, 0};
  const absl::Status status = (*device)->launch("double", shape, arguments, 3);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(messageOf(status),
              AllOf(HasSubstr("kernel 'double' needs tensor maps, for which the CUDA driver '"),
                    HasSubstr("' for CUDA 12.4 lacks the function cuTensorMapEncodeTiled; expected: a driver for CUDA "
                              "12.0 or later")));
}

TEST_F(CudaErrorsTest, KernelsThatAnImageLacksAreThoseOfTheNext) {
  images = {ptx("sm_80", ".version 8.0 of 80"), ptx("sm_90a", ".version 8.0 of 90a"),
            ptx("sm_86", ".version 8.0 of 86")};
  fake->kernels = {{"own", {{}, nullptr}}, {"plain", {{}, nullptr}}};
  fake->lacking = {{".version 8.0 of 90a", "plain"}};
  auto device = *open();
  EXPECT_TRUE(device->launch("own", kOne, nullptr, 0).ok());
  EXPECT_THAT(fake->images, ElementsAre(".version 8.0 of 90a")) << "what is not needed is not compiled";
  EXPECT_TRUE(device->launch("plain", kOne, nullptr, 0).ok());
  EXPECT_TRUE(device->launch("own", kOne, nullptr, 0).ok());
  EXPECT_THAT(fake->images, ElementsAre(".version 8.0 of 90a", ".version 8.0 of 86"));
  EXPECT_EQ(device->image(), "PTX for sm_90a");
  EXPECT_EQ(
      messageOf(device->launch("missing", kOne, nullptr, 0)),
      "device '/device:CUDA:0': there is no kernel 'missing' in the PTX for sm_90a, PTX for sm_86, PTX for sm_80");
}

TEST_F(CudaErrorsTest, TheLatestChipOfTheEnvironment) {
  images = {ptx("sm_80", ".version 8.0 of 80"), ptx("sm_90a", ".version 8.0 of 90a")};
  fake->load = [](const char *image, std::string &) { return std::string(image) == ".version 8.0 of 90a" ? 218 : 0; };
  EXPECT_EQ(messageOf(open()),
            "the PTX for sm_90a does not load on 'Fake GPU 0' (sm_90): CUDA_ERROR_INVALID_PTX (218): "
            "text of CUDA_ERROR_INVALID_PTX; with MLC_GPU_CHIP=sm_80 it is not taken");
  setenv(kGpuChipVariable, "sm_80", 1);
  EXPECT_EQ((*open())->image(), "PTX for sm_80");
  images.erase(images.begin());
  EXPECT_THAT(messageOf(open()), HasSubstr("found: PTX for sm_90a; expected: "));
  EXPECT_THAT(messageOf(cudaAvailable(0, pointers())), HasSubstr("none later than sm_80"));
  for (const char *wrong : {"90", "sm_75"}) {
    setenv(kGpuChipVariable, wrong, 1);
    EXPECT_EQ(open().status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(messageOf(open()),
              "MLC_GPU_CHIP is '" + std::string(wrong) + "'; expected: a chip from sm_80 on, as sm_90a");
  }
}

TEST_F(CudaErrorsTest, CallsThatFail) {
  auto device = *open();
  fake->kernels["k"] = {{}, nullptr};
  int value = 0;
  void *there = *device->allocate(4, 64);
  fake->failing["cuLaunchKernel"] = 1;
  absl::Status status = device->launch("k", kOne, nullptr, 0);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(status.message(),
            "device '/device:CUDA:0': cuLaunchKernel of kernel 'k' failed: CUDA_ERROR_INVALID_VALUE (1): "
            "text of CUDA_ERROR_INVALID_VALUE");
  fake->failing = {{"cuMemHostAlloc", 2}};
  status = device->copy(kHost, &value, kDevice, there, 4);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "device '/device:CUDA:0': cuMemHostAlloc of a buffer for copies failed: "
                              "CUDA_ERROR_OUT_OF_MEMORY (2): text of CUDA_ERROR_OUT_OF_MEMORY");
  fake->failing.clear();
  EXPECT_TRUE(device->copy(kHost, &value, kDevice, there, 4).ok()) << "other errors lose nothing";
  EXPECT_TRUE(device->launch("k", kOne, nullptr, 0).ok());
  EXPECT_TRUE(device->wait().ok());
  EXPECT_EQ(messageOf(device->copy(kDevice, &value, kDevice, there, 4)),
            "device '/device:CUDA:0': cuMemcpyDtoDAsync failed: CUDA_ERROR_INVALID_VALUE (1): text of "
            "CUDA_ERROR_INVALID_VALUE");
}

TEST_F(CudaErrorsTest, ALostContextIsToldByEachCall) {
  auto device = *open();
  fake->kernels["good"] = {{}, nullptr};
  fake->kernels["bad"] = {{}, [](const FakeCudaLaunch &) { return 700; }};
  int value = 5;
  void *there = *device->allocate(4, 64);
  ASSERT_TRUE(device->launch("bad", kOne, nullptr, 0).ok());
  ASSERT_TRUE(device->launch("good", kOne, nullptr, 0).ok());
  ASSERT_TRUE(device->copy(kDevice, there, kHost, &value, 4).ok());
  absl::Status status = device->wait();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(status.message(),
            "device '/device:CUDA:0': cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (700): text "
            "of CUDA_ERROR_ILLEGAL_ADDRESS; the context is lost, the last kernel launched is 'good'; "
            "MLC_GPU_SYNC=1 finds the one at fault");
  EXPECT_EQ(value, 5) << "what did not come is not written";
  const std::string lost = "device '/device:CUDA:0': the context is lost since cuStreamSynchronize failed: "
                           "CUDA_ERROR_ILLEGAL_ADDRESS (700): text of CUDA_ERROR_ILLEGAL_ADDRESS; the last kernel "
                           "launched is 'good'";
  EXPECT_EQ(messageOf(device->launch("good", kOne, nullptr, 0)), lost);
  EXPECT_EQ(messageOf(device->copy(kHost, &value, kDevice, there, 4)), lost);
  EXPECT_EQ(messageOf(device->allocate(4, 64)), lost);
  EXPECT_EQ(messageOf(device->wait()), lost);
  device->free(there);
}

TEST_F(CudaErrorsTest, ALostContextBeforeAnyKernel) {
  auto device = *open();
  fake->failing["cuStreamSynchronize"] = 719;
  EXPECT_THAT(
      messageOf(device->wait()),
      HasSubstr("CUDA_ERROR_LAUNCH_FAILED (719): text of CUDA_ERROR_LAUNCH_FAILED; the context is lost, no kernel "
                "had been launched"));
}

TEST_F(CudaErrorsTest, WaitingForEachLaunchNamesTheKernel) {
  setenv(kGpuSyncVariable, "1", 1);
  auto device = *open();
  fake->kernels["good"] = {{}, nullptr};
  fake->kernels["bad"] = {{}, [](const FakeCudaLaunch &) { return 716; }};
  EXPECT_TRUE(device->launch("good", kOne, nullptr, 0).ok());
  EXPECT_EQ(
      messageOf(device->launch("bad", kOne, nullptr, 0)),
      "device '/device:CUDA:0': cuStreamSynchronize of kernel 'bad' failed: CUDA_ERROR_MISALIGNED_ADDRESS (716): text "
      "of CUDA_ERROR_MISALIGNED_ADDRESS; the context is lost, the last kernel launched is 'bad'");
  device.reset();
  fake->lost = 0;
  CudaOptions options;
  options.sync = 0;
  device = *open(0, options);
  EXPECT_TRUE(device->launch("bad", kOne, nullptr, 0).ok()) << "the option counts before the environment";
  EXPECT_FALSE(device->wait().ok());
  device.reset();
  setenv(kGpuSyncVariable, "yes", 1);
  EXPECT_EQ(messageOf(open()), "MLC_GPU_SYNC is 'yes'; expected: 0 or 1");
}

TEST_F(CudaErrorsTest, ContextsThatAreNotMade) {
  fake->failing["cuDevicePrimaryCtxRetain"] = 2;
  EXPECT_EQ(messageOf(open()), "cuDevicePrimaryCtxRetain failed: CUDA_ERROR_OUT_OF_MEMORY (2): text of "
                               "CUDA_ERROR_OUT_OF_MEMORY");
  fake->failing = {{"cuStreamCreate", 2}};
  EXPECT_THAT(messageOf(open()), HasSubstr("cuStreamCreate failed"));
}

TEST_F(CudaErrorsTest, NamesOfDevices) {
  EXPECT_EQ(*cudaOrdinal("/device:CUDA:0"), 0);
  EXPECT_EQ(*cudaOrdinal("/device:GPU:12"), 12);
  EXPECT_EQ(*cudaOrdinal("/job:ps/task:3/device:CUDA:1"), 1);
  for (const char *wrong :
       {"", "/device:CPU:0", "/device:CUDA:", "/device:CUDA:x", "CUDA:0", "/device:CUDA:99999999999"}) {
    EXPECT_EQ(cudaOrdinal(wrong).status().code(), absl::StatusCode::kInvalidArgument) << wrong;
    EXPECT_EQ(cudaOrdinal(wrong).status().message(),
              "the name says no GPU; expected: one that ends in /device:CUDA:N or /device:GPU:N");
  }
}

TEST_F(CudaErrorsTest, TheKindOpensDevicesOfArtifacts) {
  registerCudaDevices();
  fake->devices = 2;
  mlcrt_device devices[] = {{"/device:GPU:1", "cuda"}, {"/device:CUDA:5", "cuda"}, {"gpu", "cuda"}};
  mlcrt_artifact table = {};
  table.devices = devices, table.num_devices = 3;
  table.images = images.data(), table.num_images = 1;
  Devices opened(table);
  absl::StatusOr<Device *> device = opened.open(0);
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(static_cast<CudaDevice *>(*device)->info().name, "Fake GPU 1");
  EXPECT_EQ(*opened.open(0), *device) << "opened once";
  EXPECT_EQ(messageOf(opened.open(1)),
            "device '/device:CUDA:5': there is no GPU number 5; expected: 0 to 1, which the driver shows");
  EXPECT_EQ(messageOf(opened.open(2)),
            "device 'gpu': the name says no GPU; expected: one that ends in /device:CUDA:N or "
            "/device:GPU:N");
  EXPECT_EQ(cudaImages(table).size(), 1u);
}

} // namespace
