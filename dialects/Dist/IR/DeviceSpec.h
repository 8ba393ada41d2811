// Names of devices, whole or in part: /job:ps/task:1/device:CPU:0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DIST_IR_DEVICESPEC_H
#define DIALECTS_DIST_IR_DEVICESPEC_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mlc::dist {

/// A device, or what is known of it: each part may be missing.
struct DeviceSpec {
  std::optional<std::string> job;
  std::optional<int64_t> task;
  /// In capitals: CPU, GPU, ...
  std::optional<std::string> type;
  std::optional<int64_t> index;

  /// Reads `/job:NAME`, `/task:N`, `/device:TYPE`, `/device:TYPE:N`, `/cpu:N` and `/gpu:N` in any order, each part at
  /// most once; `*` for a name or a number leaves it open; the empty text is the spec that says nothing. An error tells
  /// the position and what was expected there. `/replica:N` is refused: there are none.
  static llvm::Expected<DeviceSpec> parse(llvm::StringRef text);

  /// The canonical text: job, task, device; `/device:*:N` where the index is known and the type is not.
  std::string str() const;

  /// This spec within another one, as TensorFlow's nested devices: parts that this one has win, others are `outer`'s.
  DeviceSpec within(const DeviceSpec &outer) const;

  /// Whether `device` has all parts that this spec has, and the same.
  bool matches(const DeviceSpec &device) const;

  /// Whether it names one device: type and index, and job and task both or, within one process, neither.
  bool isConcrete() const { return type && index && job.has_value() == task.has_value(); }

  /// Nothing is said.
  bool isEmpty() const { return !job && !task && !type && !index; }

  bool operator==(const DeviceSpec &other) const {
    return job == other.job && task == other.task && type == other.type && index == other.index;
  }
  bool operator!=(const DeviceSpec &other) const { return !(*this == other); }
};

} // namespace mlc::dist

#endif // DIALECTS_DIST_IR_DEVICESPEC_H
