//===- Settings.h - Values of the settings that may change at start
//------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_SETTINGS_H
#define MLCRT_CORE_SETTINGS_H

#include "absl/status/status.h"
#include "runtime/src/core/Artifact.h"
#include "runtime/src/core/Tensor.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace mlcrt {

/// A scalar in the widest type of its kind.
using SettingValue = std::variant<int64_t, double, bool>;

/// One cell of 8 bytes per setting, its scalar at the begin (as in the step buffer), first the artifact's defaults. Set
/// them before the first step: segments read them without a lock.
class Settings {
public:
  explicit Settings(std::shared_ptr<const Artifact> artifact);

  int32_t size() const { return static_cast<int32_t>(cells_.size()); }
  const mlcrt_setting &setting(int32_t index) const { return artifact_->table().settings[index]; }
  /// Of all settings, in their order.
  const std::vector<int64_t> &cells() const { return cells_; }
  SettingValue get(int32_t index) const;

  /// kNotFound: no such path; kInvalidArgument: a value of another kind (an integer for a float is fine) or one that
  /// the setting's dtype cannot hold. Messages name the path, what was found and what was expected.
  absl::Status set(std::string_view path, SettingValue value);

private:
  std::shared_ptr<const Artifact> artifact_;
  int32_t dtypeOf(int32_t index) const { return setting(index).dtype; }

  std::vector<int64_t> cells_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_SETTINGS_H
