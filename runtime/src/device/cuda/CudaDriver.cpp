//===- CudaDriver.cpp - The driver of NVIDIA GPUs, as it is found at run time -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaDriver.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>

namespace mlcrt {

static constexpr const char kDriverLibrary[] = "libcuda.so.1";

std::string cudaVersionText(int version) { return absl::StrCat(version / 1000, ".", version % 1000 / 10); }

bool isCudaMachineFault(CudaResult result) {
  switch (result) {
  case 46:  // DEVICE_UNAVAILABLE
  case 214: // ECC_UNCORRECTABLE
  case 220: // NVLINK_UNCORRECTABLE
  case 226: // CONTAINED
  case 702: // LAUNCH_TIMEOUT
  case 719: // LAUNCH_FAILED
  case 802: // SYSTEM_NOT_READY
  case 999: // UNKNOWN
    return true;
  default:
    return false;
  }
}

bool losesCudaContext(CudaResult result) {
  if (isCudaMachineFault(result))
    return true;
  switch (result) {
  case 700: // ILLEGAL_ADDRESS
  case 709: // CONTEXT_IS_DESTROYED
  case 710: // ASSERT
  case 714: // HARDWARE_STACK_ERROR
  case 715: // ILLEGAL_INSTRUCTION
  case 716: // MISALIGNED_ADDRESS
  case 717: // INVALID_ADDRESS_SPACE
  case 718: // INVALID_PC
    return true;
  default:
    return false;
  }
}

std::string CudaDriver::describe(CudaResult result) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(result, &name) != 0 || !name)
    name = "an error without a name";
  if (cuGetErrorString(result, &text) != 0 || !text)
    text = "no text of the driver";
  return absl::StrCat(name, " (", result, "): ", text);
}

std::string visibleCudaDevices() {
  const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible ? absl::StrCat("; CUDA_VISIBLE_DEVICES is '", visible, "'") : std::string();
}

static absl::Status failed(const std::string &what) { return absl::FailedPreconditionError(what); }

/// Finds the functions of an open library.
static absl::Status findFunctions(void *handle, CudaDriver &driver) {
  const std::string named = absl::StrCat("the CUDA driver '", driver.library, "' ");
#define MLCRT_CUDA_FIND(name, parameters)                                                                              \
  driver.name = reinterpret_cast<CudaResult(*) parameters>(dlsym(handle, #name));
  MLCRT_CUDA_REQUIRED(MLCRT_CUDA_FIND)
  MLCRT_CUDA_OPTIONAL(MLCRT_CUDA_FIND)
#undef MLCRT_CUDA_FIND
  const std::string expected =
      absl::StrCat("; expected: a driver for CUDA ", cudaVersionText(kLeastCudaDriver), " or later");
  // An old driver lacks functions because it is old.
  if (driver.cuDriverGetVersion && driver.cuDriverGetVersion(&driver.version) == 0 && driver.version < kLeastCudaDriver)
    return failed(absl::StrCat(named, "is for CUDA ", cudaVersionText(driver.version), expected));
#define MLCRT_CUDA_CHECK(name, parameters)                                                                             \
  if (!driver.name)                                                                                                    \
    return failed(absl::StrCat(named, "lacks the function " #name, expected));
  MLCRT_CUDA_REQUIRED(MLCRT_CUDA_CHECK)
#undef MLCRT_CUDA_CHECK
  return absl::OkStatus();
}

absl::StatusOr<const CudaDriver *> CudaDriver::open(const std::string &library) {
  std::string wanted = library;
  const char *given = std::getenv("MLC_CUDA_DRIVER");
  if (wanted.empty())
    wanted = given && *given ? given : kDriverLibrary;
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<CudaDriver>> opened;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<CudaDriver> &driver = opened[wanted];
  if (driver)
    return driver.get();
  // Never closed: threads of a driver run on.
  void *handle = dlopen(wanted.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    return failed(absl::StrCat("no CUDA driver: ", why ? why : wanted, "; expected: ", kDriverLibrary,
                               " of NVIDIA's driver, or another library that MLC_CUDA_DRIVER names"));
  }
  auto found = std::make_unique<CudaDriver>();
  found->library = wanted;
  if (absl::Status status = findFunctions(handle, *found); !status.ok())
    return status;
  const CudaResult result = found->cuInit(0);
  if (result == kCudaNoDevice)
    return failed(absl::StrCat("the CUDA driver '", wanted, "' for CUDA ", cudaVersionText(found->version),
                               " finds no GPU: ", found->describe(result), visibleCudaDevices()));
  if (result != 0)
    return failed(absl::StrCat("the CUDA driver '", wanted, "' for CUDA ", cudaVersionText(found->version),
                               " does not start: cuInit failed: ", found->describe(result)));
  driver = std::move(found);
  return driver.get();
}

} // namespace mlcrt
