//===- LaunchTimes.cpp - How long kernels take on a GPU ----------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/LaunchTimes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstdio>

namespace mlcrt {

EventTimer::~EventTimer() {
  for (CudaEvent event : {begin_, end_})
    if (event)
      context_.driver().cuEventDestroy_v2(event);
}

absl::Status EventTimer::begin() {
  const CudaDriver &driver = context_.driver();
  for (CudaEvent *event : {&begin_, &end_})
    if (!*event)
      if (absl::Status status = context_.check(driver.cuEventCreate(event, 0), "cuEventCreate"); !status.ok())
        return status;
  return context_.check(driver.cuEventRecord(begin_, context_.stream()), "cuEventRecord");
}

absl::StatusOr<double> EventTimer::end(const std::string &what) {
  const CudaDriver &driver = context_.driver();
  float milliseconds = 0;
  if (absl::Status status = context_.check(driver.cuEventRecord(end_, context_.stream()), "cuEventRecord");
      !status.ok())
    return status;
  if (absl::Status status = context_.check(driver.cuEventSynchronize(end_), "cuEventSynchronize", what); !status.ok())
    return status;
  if (absl::Status status =
          context_.check(driver.cuEventElapsedTime(&milliseconds, begin_, end_), "cuEventElapsedTime");
      !status.ok())
    return status;
  return static_cast<double>(milliseconds);
}

absl::Status LaunchTimes::end(const std::string &kernel) {
  const absl::StatusOr<double> milliseconds = timer_.end(kernel);
  if (!milliseconds.ok())
    return milliseconds.status();
  auto [it, isNew] = numbers_.try_emplace(kernel, kernels_.size());
  if (isNew)
    kernels_.push_back({kernel, 0, 0, *milliseconds});
  Kernel &times = kernels_[it->second];
  ++times.launches;
  times.milliseconds += *milliseconds;
  times.least = std::min(times.least, *milliseconds);
  return absl::OkStatus();
}

absl::Status LaunchTimes::write() const {
  std::string text = "{\"kernels\": [";
  for (const Kernel &kernel : kernels_)
    absl::StrAppend(&text, &kernel == kernels_.data() ? "\n" : ",\n", "  {\"kernel\": \"", kernel.name,
                    "\", \"launches\": ", kernel.launches, ", \"milliseconds\": ", kernel.milliseconds,
                    ", \"least\": ", kernel.least, "}");
  absl::StrAppend(&text, "\n]}\n");
  std::FILE *file = std::fopen(path_.c_str(), "w");
  const bool isWritten = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if ((file && std::fclose(file) != 0) || !isWritten)
    return absl::UnavailableError(absl::StrCat("cannot write times of kernels to '", path_, "'"));
  return absl::OkStatus();
}

} // namespace mlcrt
