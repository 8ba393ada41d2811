//===- Settings.cpp - Values of the settings that may change at start --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Settings.h"

#include "absl/strings/str_cat.h"

#include <cmath>
#include <limits>

namespace mlcrt {

static bool isFloat(int32_t dtype) { return dtype == MLCRT_F32 || dtype == MLCRT_F64; }

/// Stores `value` in a cell of i32 or i64 if it can hold it.
static bool storeInt(int32_t dtype, int64_t value, void *cell) {
  if (dtype == MLCRT_I64) {
    *static_cast<int64_t *>(cell) = value;
    return true;
  }
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max())
    return false;
  *static_cast<int32_t *>(cell) = static_cast<int32_t>(value);
  return true;
}

static bool storeFloat(int32_t dtype, double value, void *cell) {
  if (dtype == MLCRT_F64) {
    *static_cast<double *>(cell) = value;
    return true;
  }
  // A finite value that would become infinite is out of range.
  if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max())
    return false;
  *static_cast<float *>(cell) = static_cast<float>(value);
  return true;
}

Settings::Settings(std::shared_ptr<const Artifact> artifact) : artifact_(std::move(artifact)) {
  const mlcrt_artifact &table = artifact_->table();
  cells_.resize(table.num_settings);
  for (int32_t i = 0; i < table.num_settings; ++i) {
    const mlcrt_setting &setting = table.settings[i];
    void *cell = &cells_[i];
    // The artifact's checks made sure that defaults fit.
    if (isFloat(setting.dtype))
      storeFloat(setting.dtype, setting.f64, cell);
    else if (setting.dtype == MLCRT_BOOL)
      *static_cast<uint8_t *>(cell) = setting.i64 != 0;
    else
      storeInt(setting.dtype, setting.i64, cell);
  }
}

SettingValue Settings::get(int32_t index) const {
  const void *cell = &cells_[index];
  switch (dtypeOf(index)) {
  case MLCRT_F32:
    return static_cast<double>(*static_cast<const float *>(cell));
  case MLCRT_F64:
    return *static_cast<const double *>(cell);
  case MLCRT_BOOL:
    return *static_cast<const uint8_t *>(cell) != 0;
  case MLCRT_I32:
    return static_cast<int64_t>(*static_cast<const int32_t *>(cell));
  default: // i64: the artifact's checks admit no other
    return cells_[index];
  }
}

static std::string describeValue(const SettingValue &value) {
  if (const bool *flag = std::get_if<bool>(&value))
    return *flag ? "true" : "false";
  if (const int64_t *integer = std::get_if<int64_t>(&value))
    return absl::StrCat(*integer);
  return absl::StrCat(std::get<double>(value));
}

absl::Status Settings::set(std::string_view path, SettingValue value) {
  int32_t index = artifact_->settingIndex(path);
  if (index < 0)
    return absl::NotFoundError(absl::StrCat("no setting '", std::string(path), "' in the artifact"));
  void *cell = &cells_[index];
  int32_t dtype = dtypeOf(index);
  bool stored = false;
  const char *expected = "an integer";
  if (dtype == MLCRT_BOOL) {
    expected = "true or false";
    if (const bool *flag = std::get_if<bool>(&value)) {
      *static_cast<uint8_t *>(cell) = *flag;
      stored = true;
    }
  } else if (isFloat(dtype)) {
    expected = "a number";
    if (const double *number = std::get_if<double>(&value))
      stored = storeFloat(dtype, *number, cell);
    else if (const int64_t *integer = std::get_if<int64_t>(&value))
      stored = storeFloat(dtype, static_cast<double>(*integer), cell);
  } else if (const int64_t *integer = std::get_if<int64_t>(&value)) {
    stored = storeInt(dtype, *integer, cell);
  }
  if (stored)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("setting '", std::string(path), "': found ", describeValue(value),
                                                 ", expected ", expected, " of type ", dtypeName(dtype)));
}

} // namespace mlcrt
