// Tests of devices of the kind "cuda" on the fake driver. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TEST_CUDAFIXTURE_H
#define MLCRT_TEST_CUDAFIXTURE_H

#include "FakeCuda.h"
#include "runtime/src/device/cuda/CudaKind.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <string>
#include <vector>

namespace mlcrt {

/// Another name of the fake driver's library each time: what the process knows of one name it does not look at again.
inline std::string newFakeCuda() {
  static std::string way = "/";
  way += "./";
  const std::string path = FAKE_CUDA;
  const size_t slash = path.rfind('/');
  return path.substr(0, slash) + way + path.substr(slash + 1);
}

/// A driver of its own state in each test, with one GPU of the chip sm_90, and an image for sm_80.
class CudaFixture : public testing::Test {
protected:
  CudaFixture() : handle(dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL)) {
    fake = reinterpret_cast<FakeCudaStateFn *>(dlsym(handle, FAKE_CUDA_STATE))();
    *fake = FakeCuda();
    setenv("MLC_CUDA_DRIVER", FAKE_CUDA, 1);
  }
  ~CudaFixture() override {
    EXPECT_EQ(fake->objects, 0) << "objects of the driver were not given back";
    EXPECT_TRUE(fake->memory.empty() && fake->pinned.empty()) << "memory of the driver was not given back";
    for (const char *name : {"MLC_CUDA_DRIVER", kGpuMemoryVariable, kGpuSyncVariable, kGpuGraphsVariable,
                             kGpuChipVariable, kGpuTimesVariable})
      unsetenv(name);
    dlclose(handle);
  }

  static mlcrt_image ptx(const char *chip, const char *text = ".version 8.0\n") {
    return {kCudaKind, chip, MLCRT_IMAGE_PTX, 0, text, static_cast<int64_t>(std::strlen(text) + 1)};
  }
  static mlcrt_image cubin(const char *chip, const char *text = "cubin") {
    return {kCudaKind, chip, MLCRT_IMAGE_CUBIN, 0, text, static_cast<int64_t>(std::strlen(text) + 1)};
  }
  std::vector<const mlcrt_image *> pointers() const {
    std::vector<const mlcrt_image *> all;
    for (const mlcrt_image &image : images)
      all.push_back(&image);
    return all;
  }
  absl::StatusOr<std::unique_ptr<CudaDevice>> open(int ordinal = 0, const CudaOptions &options = {}) const {
    return CudaDevice::open("/device:CUDA:" + std::to_string(ordinal), ordinal, pointers(), options);
  }
  /// The message of what went wrong.
  template <typename T> static std::string messageOf(const absl::StatusOr<T> &made) {
    return std::string(made.status().message());
  }
  static std::string messageOf(const absl::Status &status) { return std::string(status.message()); }

  void *handle;
  FakeCuda *fake;
  std::vector<mlcrt_image> images = {ptx("sm_80")};
};

} // namespace mlcrt

#endif // MLCRT_TEST_CUDAFIXTURE_H
