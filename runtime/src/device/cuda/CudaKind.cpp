//===- CudaKind.cpp - The kind "cuda" of devices ------------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaKind.h"

#include "common/machine/ByteCount.h"
#include "runtime/src/device/cuda/CudaImage.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <optional>
#include <string>

namespace mlcrt {

static absl::string_view text(std::string_view view) { return absl::string_view(view.data(), view.size()); }

absl::StatusOr<int> cudaOrdinal(std::string_view name) {
  for (std::string_view kind : {"/device:CUDA:", "/device:GPU:"}) {
    const size_t at = name.rfind(kind);
    if (at == name.npos)
      continue;
    const std::string_view number = name.substr(at + kind.size());
    int ordinal = 0;
    if (!number.empty() && number.find_first_not_of("0123456789") == number.npos &&
        absl::SimpleAtoi(text(number), &ordinal))
      return ordinal;
  }
  return absl::InvalidArgumentError("the name says no GPU; expected: one that ends in /device:CUDA:N or /device:GPU:N");
}

absl::StatusOr<int64_t> parseGpuMemory(const std::string &what, std::string_view text) {
  if (const std::optional<int64_t> bytes = mlc::common::parseByteCount(text))
    return *bytes;
  return absl::InvalidArgumentError(absl::StrCat(what, " is '", absl::string_view(text.data(), text.size()),
                                                 "'; expected: ", mlc::common::kByteCountForm));
}

absl::StatusOr<CudaOptions> withEnvironment(CudaOptions options) {
  const char *const memory = std::getenv(kGpuMemoryVariable);
  if (options.gpuMemory < 0 && memory && *memory) {
    absl::StatusOr<int64_t> bytes = parseGpuMemory(kGpuMemoryVariable, memory);
    if (!bytes.ok())
      return bytes.status();
    options.gpuMemory = *bytes;
  }
  for (auto [option, variable] : {std::pair{&options.sync, kGpuSyncVariable}, {&options.graphs, kGpuGraphsVariable}}) {
    const char *given = std::getenv(variable);
    if (*option >= 0 || !given || !*given)
      continue;
    if (std::string_view(given) != "0" && std::string_view(given) != "1")
      return absl::InvalidArgumentError(absl::StrCat(variable, " is '", given, "'; expected: 0 or 1"));
    *option = *given == '1';
  }
  if (const char *chip = std::getenv(kGpuChipVariable); options.chip.empty() && chip && *chip) {
    const std::optional<CudaChip> parsed = CudaChip::parse(chip);
    if (!parsed || parsed->number < kLeastCudaChip)
      return absl::InvalidArgumentError(
          absl::StrCat(kGpuChipVariable, " is '", chip, "'; expected: a chip from sm_80 on, as sm_90a"));
    options.chip = chip;
  }
  if (const char *times = std::getenv(kGpuTimesVariable); options.times.empty() && times)
    options.times = times;
  return options;
}

void registerCudaDevices() {
  registerDeviceKind(kCudaKind,
                     [](const mlcrt_device &device, const std::vector<const mlcrt_image *> &images,
                        int64_t memory) -> absl::StatusOr<std::unique_ptr<Device>> {
                       CudaOptions options;
                       options.gpuMemory = memory;
                       absl::StatusOr<int> ordinal = cudaOrdinal(device.name);
                       if (!ordinal.ok())
                         return ordinal.status();
                       absl::StatusOr<std::unique_ptr<CudaDevice>> opened =
                           CudaDevice::open(device.name, *ordinal, images, options);
                       if (!opened.ok())
                         return opened.status();
                       return *std::move(opened);
                     });
}

absl::Status cudaAvailable(int ordinal, const std::vector<const mlcrt_image *> &images, const CudaOptions &options) {
  absl::StatusOr<const CudaDriver *> driver = CudaDriver::open(options.driver);
  if (!driver.ok())
    return driver.status();
  absl::StatusOr<CudaDeviceInfo> info = CudaDeviceInfo::find(**driver, ordinal);
  if (!info.ok() || images.empty())
    return info.status();
  // What is wrong with the environment is told when the GPU is opened.
  const absl::StatusOr<CudaOptions> complete = withEnvironment(options);
  return imagesFor(info->chip, (*driver)->version, images, complete.value_or(options).chip).status();
}

std::vector<const mlcrt_image *> cudaImages(const mlcrt_artifact &table) {
  std::vector<const mlcrt_image *> images;
  for (int64_t i = 0; i < table.num_images; ++i)
    if (std::string_view(table.images[i].device_kind) == kCudaKind)
      images.push_back(&table.images[i]);
  return images;
}

} // namespace mlcrt
