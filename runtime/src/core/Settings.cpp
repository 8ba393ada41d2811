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
  values_.reserve(table.num_settings);
  for (int32_t i = 0; i < table.num_settings; ++i) {
    const mlcrt_setting &setting = table.settings[i];
    Tensor &cell = values_.emplace_back(static_cast<mlcrt_dtype>(setting.dtype), std::vector<int64_t>());
    // The artifact's checks made sure that defaults fit.
    if (isFloat(setting.dtype))
      storeFloat(setting.dtype, setting.f64, cell.data());
    else if (setting.dtype == MLCRT_BOOL)
      *cell.as<uint8_t>() = setting.i64 != 0;
    else
      storeInt(setting.dtype, setting.i64, cell.data());
  }
}

SettingValue Settings::get(int32_t index) const {
  const Tensor &cell = values_[index];
  switch (cell.dtype()) {
  case MLCRT_F32:
    return static_cast<double>(*cell.as<float>());
  case MLCRT_F64:
    return *cell.as<double>();
  case MLCRT_BOOL:
    return *cell.as<uint8_t>() != 0;
  case MLCRT_I32:
    return static_cast<int64_t>(*cell.as<int32_t>());
  default: // i64: the artifact's checks admit no other
    return *cell.as<int64_t>();
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
  Tensor &cell = values_[index];
  int32_t dtype = cell.dtype();
  bool stored = false;
  const char *expected = "an integer";
  if (dtype == MLCRT_BOOL) {
    expected = "true or false";
    if (const bool *flag = std::get_if<bool>(&value)) {
      *cell.as<uint8_t>() = *flag;
      stored = true;
    }
  } else if (isFloat(dtype)) {
    expected = "a number";
    if (const double *number = std::get_if<double>(&value))
      stored = storeFloat(dtype, *number, cell.data());
    else if (const int64_t *integer = std::get_if<int64_t>(&value))
      stored = storeFloat(dtype, static_cast<double>(*integer), cell.data());
  } else if (const int64_t *integer = std::get_if<int64_t>(&value)) {
    stored = storeInt(dtype, *integer, cell.data());
  }
  if (stored)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("setting '", std::string(path), "': found ", describeValue(value),
                                                 ", expected ", expected, " of type ", dtypeName(dtype)));
}

} // namespace mlcrt
