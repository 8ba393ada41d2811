//===- State.h - The variables of an artifact --------------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_STATE_H
#define MLCRT_CORE_STATE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/core/Artifact.h"
#include "runtime/src/core/Guard.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/core/ThreadPool.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Memory of all variables, each in its storage layout, zeros at first: large ones take memory as they are written.
/// Logical access (row-major, what checkpoints hold) goes through the variable's pack/unpack and takes the variable's
/// lock: it may run beside segments.
class State {
public:
  /// With `held`, one range for each variable, memory for these rows of it alone, which then are the variable; scalars
  /// are held whole. A variable with a storage layout of its own is held whole or not at all.
  explicit State(std::shared_ptr<const Artifact> artifact, const std::vector<RowRange> &held = {});

  int32_t size() const { return static_cast<int32_t>(storage_.size()); }
  const mlcrt_variable &variable(int32_t index) const { return artifact_->table().variables[index]; }
  const StateTensors &tensors() const { return artifact_->tensors(); }
  /// What segments get: logical dims over the storage. The caller holds the guard. The value is there after current().
  const TensorView &storage(int32_t index) const { return storage_[index].buffer(); }
  /// The rows of a variable that are here; a scalar has one.
  RowRange held(int32_t index) const { return held_[index]; }
  Guard &guard() { return guard_; }
  /// A number that changes with the value: by `changed`, which who writes to storage() calls, holding the guard.
  uint64_t version(int32_t index) const {
    return versions_[static_cast<size_t>(index)].load(std::memory_order_relaxed);
  }
  void changed(int32_t index) {
    versions_[static_cast<size_t>(index)].fetch_add(1, std::memory_order_relaxed);
    isElsewhere_[static_cast<size_t>(index)].store(false, std::memory_order_relaxed);
  }

  /// Copies the value of a variable, which is elsewhere, to its storage.
  using Fetch = std::function<absl::Status(int32_t index)>;
  void fetchBy(Fetch fetch) { fetch_ = std::move(fetch); }
  /// The value is elsewhere from now on, and what storage() has is an old one. The caller holds the guard.
  void leave(int32_t index) { isElsewhere_[static_cast<size_t>(index)].store(true, std::memory_order_release); }
  /// Whether storage() has an old value.
  bool isElsewhere(int32_t index) const {
    return isElsewhere_[static_cast<size_t>(index)].load(std::memory_order_acquire);
  }
  /// Brings the value to storage() if it is elsewhere. The caller holds the guard, for reading at least.
  absl::Status current(int32_t index);

  /// Copies the logical value out. `out` is resized; reused memory makes repeated calls free of allocation. This, and
  /// what else copies values, fails where one is elsewhere and cannot be brought.
  absl::Status read(int32_t index, Tensor &out);
  /// The same of some rows of those held; a variable with a storage layout of its own is read whole.
  absl::Status readRows(int32_t index, RowRange rows, Tensor &out);
  /// Copies the logical values of all variables of lifetime train into `out`, one tensor for each variable (those of
  /// lifetime eval stay as they are), with all threads of `pool`. `out` is resized; memory is reused. With `wanted`,
  /// one element for each variable, only those that it says.
  absl::Status snapshot(ThreadPool &pool, std::vector<Tensor> &out, const std::vector<bool> &wanted = {});
  /// Copies a logical value in. kInvalidArgument if dtype or shape differ from the variable's.
  absl::Status write(int32_t index, const TensorView &value);
  /// The same where `fill` writes the logical value's bytes, in place if it is stored so. If that fails, the variable
  /// may have been changed in part.
  absl::Status fill(int32_t index, const std::function<absl::Status(void *to, int64_t bytes)> &fill);
  /// The same of some rows of those held; a variable with a storage layout of its own is filled whole.
  absl::Status fillRows(int32_t index, RowRange rows, const std::function<absl::Status(void *to, int64_t bytes)> &fill);
  /// Makes the variable zeros and gives its memory back: of one whose rows are written as they are needed
  /// (RowPulls.h), memory is taken for these alone, and from here on in small pages.
  void releaseRows(int32_t index);
  /// For who writes all of it: rows of large tables are found with fewer misses of address translation.
  void useLargePages();
  /// The tensor of a name (Artifact::tensors), or the rows of it that are held. kNotFound names what there is not.
  absl::StatusOr<Tensor> read(std::string_view name);
  absl::Status write(std::string_view name, const TensorView &value);

private:
  std::shared_ptr<const Artifact> artifact_;
  std::vector<Tensor> storage_;
  std::vector<RowRange> held_;
  std::deque<std::atomic<uint64_t>> versions_;
  std::deque<std::atomic<bool>> isElsewhere_;
  Fetch fetch_;
  std::mutex fetchMutex_; ///< readers of one variable may be many
  Guard guard_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_STATE_H
