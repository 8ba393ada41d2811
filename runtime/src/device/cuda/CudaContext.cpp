//===- CudaContext.cpp - A GPU as one program uses it: context, stream, errors ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaContext.h"

#include "runtime/src/device/cuda/CudaImage.h"

#include "absl/strings/str_cat.h"
#include "runtime/src/core/Devices.h"

namespace mlcrt {

/// Streams that do not wait for the default stream, which other libraries of the process may use.
static constexpr unsigned kStreamNonBlocking = 1;

static absl::Status failedCall(const CudaDriver &driver, CudaResult result, const char *call) {
  return absl::FailedPreconditionError(absl::StrCat(call, " failed: ", driver.describe(result)));
}

absl::StatusOr<CudaDeviceInfo> CudaDeviceInfo::find(const CudaDriver &driver, int ordinal) {
  int count = 0;
  if (const CudaResult result = driver.cuDeviceGetCount(&count))
    return failedCall(driver, result, "cuDeviceGetCount");
  if (ordinal < 0 || ordinal >= count)
    return absl::FailedPreconditionError(
        absl::StrCat("there is no GPU number ", ordinal, "; expected: ",
                     count == 0   ? std::string("a GPU, of which the driver shows none")
                     : count == 1 ? std::string("0, the only one that the driver shows")
                                  : absl::StrCat("0 to ", count - 1, ", which the driver shows"),
                     visibleCudaDevices()));
  CudaDeviceInfo info;
  info.ordinal = ordinal;
  if (const CudaResult result = driver.cuDeviceGet(&info.device, ordinal))
    return failedCall(driver, result, "cuDeviceGet");
  char name[256] = {};
  if (const CudaResult result = driver.cuDeviceGetName(name, sizeof(name) - 1, info.device))
    return failedCall(driver, result, "cuDeviceGetName");
  info.name = name;
  size_t bytes = 0;
  if (const CudaResult result = driver.cuDeviceTotalMem_v2(&bytes, info.device))
    return failedCall(driver, result, "cuDeviceTotalMem");
  info.totalBytes = static_cast<int64_t>(bytes);
  int major = 0, minor = 0;
  for (auto [attribute, value] : {std::pair{kCudaCapabilityMajor, &major}, {kCudaCapabilityMinor, &minor}})
    if (const CudaResult result = driver.cuDeviceGetAttribute(value, attribute, info.device))
      return failedCall(driver, result, "cuDeviceGetAttribute");
  info.chip = 10 * major + minor;
  if (info.chip < kLeastCudaChip)
    return absl::FailedPreconditionError(absl::StrCat("GPU number ", ordinal, ", '", info.name, "', is of the chip ",
                                                      cudaChipText(info.chip),
                                                      "; expected: ", cudaChipText(kLeastCudaChip), " or later"));
  // A limit that is not told is CUDA's own.
  auto limit = [&](int attribute, int64_t &value) {
    int told = 0;
    if (driver.cuDeviceGetAttribute(&told, attribute, info.device) == 0 && told > 0)
      value = told;
  };
  limit(kCudaMaxThreadsPerBlock, info.maxThreads);
  limit(kCudaMaxSharedBytesOptIn, info.maxSharedBytes);
  for (int i = 0; i < 3; ++i) {
    limit(kCudaMaxBlockDimX + i, info.maxBlock[i]);
    limit(kCudaMaxGridDimX + i, info.maxGrid[i]);
  }
  return info;
}

absl::StatusOr<std::unique_ptr<CudaContext>> CudaContext::create(const CudaDriver &driver, const CudaDeviceInfo &info,
                                                                 bool waitsForLaunches) {
  std::unique_ptr<CudaContext> context(new CudaContext(driver, info, waitsForLaunches));
  CudaContextHandle handle = nullptr;
  if (absl::Status status =
          context->check(driver.cuDevicePrimaryCtxRetain(&handle, info.device), "cuDevicePrimaryCtxRetain");
      !status.ok())
    return status;
  context->context_ = handle;
  if (absl::Status status = context->use(); !status.ok())
    return status;
  if (absl::Status status =
          context->check(driver.cuStreamCreate(&context->stream_, kStreamNonBlocking), "cuStreamCreate");
      !status.ok())
    return status;
  return context;
}

CudaContext::~CudaContext() {
  if (!context_)
    return;
  enter();
  if (stream_)
    driver_.cuStreamDestroy_v2(stream_);
  driver_.cuDevicePrimaryCtxRelease_v2(info_.device);
}

std::string CudaContext::lastLaunch() const {
  return lastKernel_.empty() ? "no kernel had been launched"
                             : absl::StrCat("the last kernel launched is '", lastKernel_, "'");
}

absl::Status CudaContext::lostError(const std::string &text) const {
  return isMachineAtFault_ ? deviceLostError(text) : absl::InternalError(text);
}

absl::Status CudaContext::use() {
  if (isLost())
    return lostError(absl::StrCat("the context is lost since ", lostBy_, "; ", lastLaunch()));
  return check(driver_.cuCtxSetCurrent(context_), "cuCtxSetCurrent");
}

absl::Status CudaContext::check(CudaResult result, const char *call, std::string_view what) {
  if (result == 0)
    return absl::OkStatus();
  std::string text = absl::StrCat(call, what.empty() ? "" : " of ", absl::string_view(what.data(), what.size()),
                                  " failed: ", driver_.describe(result));
  if (losesCudaContext(result)) {
    lostBy_ = text;
    isMachineAtFault_ = isCudaMachineFault(result);
    return lostError(absl::StrCat(text, "; the context is lost, ", lastLaunch(),
                                  waitsForLaunches_ ? "" : "; MLC_GPU_SYNC=1 finds the one at fault"));
  }
  if (result == kCudaOutOfMemory)
    return deviceMemoryError(text);
  return absl::InternalError(text);
}

absl::Status CudaContext::synchronize(std::string_view what) {
  return check(driver_.cuStreamSynchronize(stream_), "cuStreamSynchronize", what);
}

} // namespace mlcrt
