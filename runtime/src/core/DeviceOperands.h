//===- DeviceOperands.h - Operands of segments in the memory of devices -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_DEVICEOPERANDS_H
#define MLCRT_CORE_DEVICEOPERANDS_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/core/Devices.h"
#include "runtime/src/core/State.h"
#include "runtime/src/core/Tensor.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace mlcrt {

/// The values that variables have in spaces of devices (mlcrt_home). Of a program; for who holds the variable's lock.
class Homes {
public:
  Homes(const mlcrt_artifact &table, Devices &devices, State &state);

  /// From now on a value that a segment wrote stays in its home until it is asked for in host memory
  /// (State::current). For a program whose state all goes through State: tasks of a cluster send from its storage.
  void keepValues();
  bool keepsValues() const { return keepsValues_; }

  /// A variable in a space that is one of its homes, with its value. kUnimplemented: the home is one of rows, which
  /// nothing sends yet.
  absl::StatusOr<void *> bring(int32_t variable, int32_t space);
  /// Whether an operand that lies there is all of the variable, and not the rows of one of its tensors, which an
  /// initialization writes: its home is not the place of these.
  bool isWhole(int32_t variable, const TensorView &host) const;
  /// The value is in host memory after this.
  absl::Status current(int32_t variable) { return state_.current(variable); }
  /// A segment wrote the home of that space, and host memory has the same, or, of one that keeps values, an old one.
  void isWritten(int32_t variable, int32_t space);
  /// What should have written the home failed. If its device works it has what was written until then, as host memory
  /// would, which counts where host memory has an old value; else that is used. Of a device that `failed` a value that
  /// it alone had is lost: reading it is an error from now on.
  void isSpoilt(int32_t variable, int32_t space, const absl::Status &failed);

private:
  static constexpr uint64_t kNoVersion = UINT64_MAX;
  struct Home {
    DeviceBytes memory;
    uint64_t version = kNoVersion; ///< of the value that it has
    int32_t flags = 0;             ///< mlcrt_home_flags
    absl::Status lost;             ///< why the value, which it alone had, is not there any more
  };
  absl::Status fetch(int32_t variable);

  Devices &devices_;
  State &state_;
  bool keepsValues_ = false;
  std::map<std::pair<int32_t, int32_t>, Home> homes_; ///< by variable and space
};

/// Memory of devices that the operands and workspaces of a runner's segments get. What a segment reads is brought there
/// before it runs, and what it wrote is taken back.
class DeviceOperands {
public:
  DeviceOperands(Devices &devices, Homes &homes) : devices_(devices), homes_(homes) {}

  /// The address of operand number `number`, which in host memory is `host`, in its space. `there`: a place in that
  /// space that has the value, too; null: none has.
  absl::StatusOr<void *> bring(int32_t number, const mlcrt_operand &operand, const TensorView &host,
                               const void *there = nullptr);
  /// Asks for a copy back of what the segment wrote. `host` is as for bring, and has it after settle().
  absl::Status takeBack(int32_t number, const mlcrt_operand &operand, const TensorView &host);
  /// Waits for all that was asked to come back; of error slots what is less counts.
  absl::Status settle();
  /// Memory for workspace number `number`.
  absl::StatusOr<mlcrt_memory> workspace(int32_t number, int32_t space, int64_t bytes);

private:
  Devices &devices_;
  Homes &homes_;
  std::map<std::pair<int32_t, int32_t>, DeviceBytes> operands_, workspaces_; ///< by number and space
  Device *awaited_ = nullptr;                                                ///< whose copies come back; null: none do
  std::atomic<uint64_t> *slot_ = nullptr; ///< on the host, of the one that comes back
  uint64_t error_ = MLCRT_NO_ERROR;       ///< what comes
};

} // namespace mlcrt

#endif // MLCRT_CORE_DEVICEOPERANDS_H
