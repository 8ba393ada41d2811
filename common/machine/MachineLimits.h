// What this process may use of the machine: processors and memory. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_MACHINELIMITS_H
#define MLC_COMMON_MACHINELIMITS_H

#include <cstdint>
#include <optional>
#include <string>

namespace mlc::common {

/// What a process may use, and what says so.
struct MachineLimits {
  int processors = 1;         ///< >= 1; a quota of 1.5 processors counts as 2
  std::string processorsFrom; ///< "affinity", or "cgroup FILE"
  int64_t memory = -1;        ///< bytes; -1: not known
  std::string memoryFrom;     ///< "physical memory", "RLIMIT_AS" or "cgroup FILE"
};

/// Where the limits are read. Tests put other values in the place of the system's.
struct MachineSource {
  std::string root;                                   ///< before /proc and the mount points of cgroups
  std::optional<int> affinity = std::nullopt;         ///< processors of the affinity mask; nullopt: the system's
  std::optional<int64_t> addressSpace = std::nullopt; ///< RLIMIT_AS, -1: none; nullopt: the system's
};

/// The smallest of all limits: for processors the affinity mask and the CPU quotas of cgroups, for memory what the
/// machine has, RLIMIT_AS and the limits of cgroups. Of a cgroup (v1 and v2) those of all groups that it lies in count.
/// What cannot be read limits nothing.
MachineLimits readMachineLimits(const MachineSource &source = {});

/// Those of this process, read once.
const MachineLimits &machineLimits();

/// "2 processors (cgroup /sys/fs/cgroup/pod/cpu.max), 8.6 GB of memory (physical memory)".
std::string machineText(const MachineLimits &limits);

/// Bytes in decimal units: "512 B", "12.0 MB", "19.1 GB".
std::string bytesText(double bytes);

} // namespace mlc::common

#endif // MLC_COMMON_MACHINELIMITS_H
