// Spans of a run as ranges of a profiler that watches the process. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_PROFILERRANGES_H
#define MLCRT_CORE_PROFILERRANGES_H

#include "absl/status/statusor.h"
#include "runtime/src/core/NvtxInterface.h"

#include <cstdint>
#include <string>

namespace mlcrt {

/// Ranges (NVTX) of a profiler such as Nsight Systems, which sees them beside kernels and copies. Ranges of one thread
/// nest. Thread-safe; there is one in a process, as a profiler has the process as a whole.
class ProfilerRanges {
public:
  /// That of the profiler which NVTX_INJECTION64_PATH names; null: the variable names none, or the profiler does not
  /// want to see this process. Loaded by the first call, which decides. kFailedPrecondition: the library cannot be
  /// loaded, or is none of a profiler.
  static absl::StatusOr<const ProfilerRanges *> injected();
  /// The same of a library: as `injected` calls it, once in a process.
  static absl::StatusOr<const ProfilerRanges *> load(const std::string &library);

  /// A range of the calling thread, from here to `pop`; `step` is shown with it.
  void push(const char *name, int64_t step) const;
  void pop() const;
  /// A name for the calling thread.
  void nameThread(const std::string &name) const;

private:
  ProfilerRanges() = default;

  nvtx::DomainRangePush push_ = nullptr;
  nvtx::DomainRangePop pop_ = nullptr;
  nvtx::NameOsThread nameThread_ = nullptr;
  nvtx::Domain domain_ = nullptr;
};

} // namespace mlcrt

#endif // MLCRT_CORE_PROFILERRANGES_H
