//===- Environment.cpp - What the `env` pointer of compiled code is: pool, tables and the step's error -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Environment.h"

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace mlcrt {

static constexpr char kPartsPayload[] = "mlcrt.step_error";
/// Between the parts of the payload; no part holds it.
static constexpr char kSeparator = '\0';

absl::Status toStatus(const StepError &error) {
  absl::StatusCode code = absl::StatusCode::kInternal;
  if (error.code == MLCRT_INVALID_ARGUMENT)
    code = absl::StatusCode::kInvalidArgument;
  else if (error.code == MLCRT_DATA_ERROR)
    code = absl::StatusCode::kDataLoss;
  else if (error.code == MLCRT_OUT_OF_RANGE)
    code = absl::StatusCode::kOutOfRange;
  else if (error.code == MLCRT_CANCELLED)
    code = absl::StatusCode::kCancelled;
  if (error.status != absl::StatusCode::kOk)
    code = error.status;
  absl::Status status(code, error.expected.empty() ? error.message
                                                   : absl::StrCat(error.message, "; expected: ", error.expected));
  std::string parts = absl::StrCat(error.row);
  for (const std::string *part : {&error.feature, &error.expected, &error.message})
    (parts += kSeparator) += *part;
  // A view: the constructor from std::string is a template whose symbol not all compilers spell alike.
  status.SetPayload(kPartsPayload, absl::Cord(absl::string_view(parts)));
  return status;
}

StepError stepErrorOf(const absl::Status &status) {
  StepError error;
  error.message = std::string(status.message());
  if (absl::IsDataLoss(status) || absl::IsInvalidArgument(status))
    error.code = absl::IsDataLoss(status) ? MLCRT_DATA_ERROR : MLCRT_INVALID_ARGUMENT;
  else if (absl::IsOutOfRange(status) || absl::IsCancelled(status))
    error.code = absl::IsOutOfRange(status) ? MLCRT_OUT_OF_RANGE : MLCRT_CANCELLED;
  auto payload = status.GetPayload(kPartsPayload);
  if (!payload)
    return error;
  const std::string text(*payload);
  std::vector<std::string> parts = absl::StrSplit(text, absl::MaxSplits(kSeparator, 3));
  if (parts.size() != 4 || !absl::SimpleAtoi(parts[0], &error.row))
    return error;
  error.feature = parts[1];
  error.expected = parts[2];
  error.message = parts[3];
  return error;
}

/// The number of what is reported with a text in the place of a check's, after all checks.
static constexpr uint64_t kReported = MLCRT_MAX_CHECKS;

void lowerErrorSlot(std::atomic<uint64_t> &slot, uint64_t error) {
  uint64_t now = slot.load(std::memory_order_relaxed);
  while (error < now && !slot.compare_exchange_weak(now, error, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

int32_t Environment::report(StepError error) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto rank = [](const StepError &e) {
    return std::tuple<bool, int64_t, const std::string &, int32_t>(e.row < 0, e.row, e.message, e.code);
  };
  const int32_t code = error.code;
  const int64_t row = error.row < 0 ? MLCRT_NO_ROW : std::min(error.row, MLCRT_NO_ROW);
  if (!hasText_ || rank(error) < rank(error_)) {
    error_ = std::move(error);
    hasText_ = true;
  }
  lowerErrorSlot(slot_, MLCRT_ERROR(row, kReported));
  return code;
}

int32_t Environment::await(int64_t operand) {
  if (signals_)
    awaited_ = signals_->await(segment_->operands[operand].index);
  return awaited_.ok() ? MLCRT_OK : MLCRT_CANCELLED;
}

std::optional<StepError> Environment::take(const mlcrt_artifact *table) {
  // The common case, no error, costs one load.
  if (slot_.load(std::memory_order_acquire) == MLCRT_NO_ERROR)
    return std::nullopt;
  std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t found = slot_.exchange(MLCRT_NO_ERROR, std::memory_order_acq_rel);
  const uint64_t check = found & ((uint64_t{1} << MLCRT_ERROR_CHECK_BITS) - 1);
  StepError error = std::exchange(error_, StepError());
  hasText_ = false;
  if (check != kReported) {
    const bool isKnown = table && static_cast<int64_t>(check) < table->num_checks;
    const auto row = static_cast<int64_t>(found >> MLCRT_ERROR_CHECK_BITS);
    error = {};
    error.code = isKnown ? table->checks[check].code : MLCRT_INTERNAL;
    error.message = isKnown ? std::string(table->checks[check].message)
                            : absl::StrCat("check ", check, " failed, which the artifact does not have");
    error.row = row == MLCRT_NO_ROW ? -1 : row;
  }
  if (error.row >= 0)
    error.row += rowBase_;
  return error;
}

} // namespace mlcrt
