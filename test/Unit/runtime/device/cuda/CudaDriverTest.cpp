// Finding the driver, and what is said where there is none that fits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaDriver.h"
#include "CudaFixture.h"

using namespace mlcrt;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

class CudaDriverTest : public CudaFixture {
protected:
  /// Opens the library anew.
  static absl::Status openAnew() { return CudaDriver::open(newFakeCuda()).status(); }
};

TEST_F(CudaDriverTest, IsOpenedOnce) {
  absl::StatusOr<const CudaDriver *> driver = CudaDriver::open();
  ASSERT_TRUE(driver.ok()) << driver.status();
  EXPECT_EQ((*driver)->library, FAKE_CUDA) << "MLC_CUDA_DRIVER names it";
  EXPECT_EQ((*driver)->version, 12040);
  EXPECT_EQ(*CudaDriver::open(), *driver);
  EXPECT_EQ((*driver)->describe(700), "CUDA_ERROR_ILLEGAL_ADDRESS (700): text of CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ((*driver)->describe(12345), "an error without a name (12345): no text of the driver");
}

TEST_F(CudaDriverTest, NoLibrary) {
  setenv("MLC_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
  const absl::Status status = CudaDriver::open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "no CUDA driver: /nowhere/libcuda.so.1: cannot open shared object file: No such file or "
                              "directory; expected: libcuda.so.1 of NVIDIA's driver, or another library that "
                              "MLC_CUDA_DRIVER names");
}

TEST_F(CudaDriverTest, AFunctionLacks) {
  const absl::Status status = CudaDriver::open(FAKE_CUDA_WITHOUT_EVENTS).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(messageOf(status), StartsWith("the CUDA driver '/"));
  EXPECT_THAT(messageOf(status),
              EndsWith("' lacks the function cuEventRecord; expected: a driver for CUDA 11.4 or later"));
}

TEST_F(CudaDriverTest, TooOld) {
  fake->version = 10020;
  const absl::Status status = openAnew();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(messageOf(status), EndsWith("' is for CUDA 10.2; expected: a driver for CUDA 11.4 or later"));
}

TEST_F(CudaDriverTest, DoesNotStart) {
  fake->initResult = 3;
  absl::Status status = openAnew();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(messageOf(status), EndsWith("' for CUDA 12.4 does not start: cuInit failed: CUDA_ERROR_NOT_INITIALIZED "
                                          "(3): text of CUDA_ERROR_NOT_INITIALIZED"));
  fake->initResult = 100;
  status = openAnew();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(messageOf(status),
              EndsWith("' for CUDA 12.4 finds no GPU: CUDA_ERROR_NO_DEVICE (100): text of CUDA_ERROR_NO_DEVICE"));
}

TEST_F(CudaDriverTest, AFailureIsForgotten) {
  const std::string library = newFakeCuda();
  fake->initResult = 3;
  EXPECT_FALSE(CudaDriver::open(library).ok());
  fake->initResult = 0;
  EXPECT_TRUE(CudaDriver::open(library).ok());
}

TEST_F(CudaDriverTest, VersionsAsText) {
  EXPECT_EQ(cudaVersionText(11080), "11.8");
  EXPECT_EQ(cudaVersionText(13000), "13.0");
}

} // namespace
