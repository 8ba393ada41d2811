//===- Environment.cpp - What the `env` pointer of compiled code is: pool, tables and the step's error -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Environment.h"

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <tuple>
#include <utility>

namespace mlcrt {

static constexpr char kRowPayload[] = "mlcrt.row";

absl::Status toStatus(const StepError &error) {
  absl::StatusCode code = absl::StatusCode::kInternal;
  if (error.code == MLCRT_INVALID_ARGUMENT)
    code = absl::StatusCode::kInvalidArgument;
  else if (error.code == MLCRT_DATA_ERROR)
    code = absl::StatusCode::kDataLoss;
  absl::Status status(code, error.message);
  if (error.row >= 0) {
    // A view: the constructor from std::string is a template whose symbol not all compilers spell alike.
    std::string row = absl::StrCat(error.row);
    status.SetPayload(kRowPayload, absl::Cord(absl::string_view(row)));
  }
  return status;
}

int64_t errorRow(const absl::Status &status) {
  int64_t row = -1;
  if (auto payload = status.GetPayload(kRowPayload); payload && !absl::SimpleAtoi(std::string(*payload), &row))
    return -1;
  return row;
}

int32_t Environment::report(int32_t code, int64_t row, std::string message) {
  if (row >= 0)
    row += rowBase_;
  std::lock_guard<std::mutex> lock(mutex_);
  auto rank = [](int64_t row, const std::string &text, int32_t code) {
    return std::tuple<bool, int64_t, const std::string &, int32_t>(row < 0, row, text, code);
  };
  if (!failed_.load(std::memory_order_relaxed) ||
      rank(row, message, code) < rank(error_.row, error_.message, error_.code)) {
    error_ = {code, row, std::move(message)};
    failed_.store(true, std::memory_order_release);
  }
  return code;
}

std::optional<StepError> Environment::take() {
  // The common case, no error, costs one load.
  if (!failed_.load(std::memory_order_acquire))
    return std::nullopt;
  std::lock_guard<std::mutex> lock(mutex_);
  failed_.store(false, std::memory_order_relaxed);
  return std::exchange(error_, StepError());
}

} // namespace mlcrt
