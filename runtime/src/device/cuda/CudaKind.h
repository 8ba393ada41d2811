//===- CudaKind.h - The kind "cuda" of devices --------------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_CUDAKIND_H
#define MLCRT_DEVICE_CUDA_CUDAKIND_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/device/cuda/CudaDevice.h"

#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

constexpr const char kCudaKind[] = "cuda";
/// Environment variables that options of the kind are read of where they are not given.
constexpr const char kGpuMemoryVariable[] = "MLC_GPU_MEMORY";
constexpr const char kGpuSyncVariable[] = "MLC_GPU_SYNC";
constexpr const char kGpuGraphsVariable[] = "MLC_GPU_GRAPHS";
constexpr const char kGpuChipVariable[] = "MLC_GPU_CHIP";
constexpr const char kGpuTimesVariable[] = "MLC_GPU_TIMES";

/// Bytes of "4294967296", "512MiB", "1.5 GB". kInvalidArgument: the text says none; `what` says it.
absl::StatusOr<int64_t> parseGpuMemory(const std::string &what, std::string_view text);

/// From now on artifacts open devices of the kind "cuda" as GPUs. Nothing is loaded before one does. Any number of
/// calls.
void registerCudaDevices();

/// Whether GPU number `ordinal` would be opened, with one of these images unless there are none; else why not, in a
/// line: no driver, one that is too old, no GPU, a chip that is too old, no image for it. For who chooses between code
/// for the host and for GPUs. It starts the driver, and takes no memory of a GPU.
absl::Status cudaAvailable(int ordinal = 0, const std::vector<const mlcrt_image *> &images = {},
                           const CudaOptions &options = {});

/// The images of an artifact for devices of the kind.
std::vector<const mlcrt_image *> cudaImages(const mlcrt_artifact &table);

/// The number of the GPU that a device's name says at its end: "/device:CUDA:1", "/job:ps/task:0/device:GPU:1".
/// kInvalidArgument: it says none.
absl::StatusOr<int> cudaOrdinal(std::string_view name);

/// The options with what the environment says of those that are not given. kInvalidArgument: a variable says nothing
/// that is expected.
absl::StatusOr<CudaOptions> withEnvironment(CudaOptions options);

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_CUDAKIND_H
