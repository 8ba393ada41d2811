// Limits of cgroups, of the process and of the machine.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/machine/MachineLimits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <sstream>
#include <string_view>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace mlc::common {

namespace {

/// A hierarchy of cgroups that this process is in.
struct Hierarchy {
  bool isUnified = false;  ///< v2
  std::string controllers; ///< of v1: "cpu,cpuacct"
  std::string mountPoint;
  std::string group; ///< of this process, below the mount point: "/pod/main", or empty
};

} // namespace

/// The content of a file, or nothing.
static std::optional<std::string> contentOf(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

static std::optional<int64_t> numberOf(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end != text.data() ? std::optional(value) : std::nullopt;
}

static std::vector<std::string> split(std::string_view text, char delimiter) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(delimiter, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

static bool contains(const std::string &list, std::string_view controller) {
  const std::vector<std::string> names = split(list, ',');
  return std::find(names.begin(), names.end(), controller) != names.end();
}

/// The group as the mount shows it. A container sees the mount of its own group under the path that the host has for
/// it; what lies outside of the mount is out of sight, and the mount point is the nearest group that can be read.
static std::string groupBelow(const std::string &mountRoot, const std::string &group) {
  if (mountRoot == "/")
    return group == "/" ? "" : group;
  if (group == mountRoot)
    return "";
  return group.compare(0, mountRoot.size() + 1, mountRoot + "/") == 0 ? group.substr(mountRoot.size()) : "";
}

/// The mounts of cgroups with the place of this process in each, of /proc/self/mountinfo and /proc/self/cgroup.
static std::vector<Hierarchy> hierarchies(const std::string &root) {
  struct Membership {
    std::string controllers, group;
  };
  std::vector<Membership> memberships;
  for (const std::string &line : split(contentOf(root + "/proc/self/cgroup").value_or(""), '\n')) {
    // NUMBER:CONTROLLERS:GROUP; v2 has no controllers, and the group may hold colons.
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first != std::string::npos && second != std::string::npos)
      memberships.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  std::vector<Hierarchy> found;
  for (const std::string &line : split(contentOf(root + "/proc/self/mountinfo").value_or(""), '\n')) {
    // ID PARENT MAJOR:MINOR ROOT MOUNT_POINT OPTIONS [TAGS...] - TYPE SOURCE SUPER_OPTIONS
    const std::vector<std::string> words = split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 6 || words.end() - dash < 4)
      continue;
    const std::string &type = dash[1], &options = dash[3];
    if (type != "cgroup" && type != "cgroup2")
      continue;
    for (const Membership &membership : memberships) {
      const bool isUnified = membership.controllers.empty();
      if (isUnified != (type == "cgroup2") ||
          (!isUnified && !contains(options, split(membership.controllers, ',').front())))
        continue;
      found.push_back({isUnified, membership.controllers, words[4], groupBelow(words[3], membership.group)});
    }
  }
  return found;
}

/// Bytes of a file with one number; "max", and v1's huge number for no limit, are none.
static std::optional<int64_t> bytesLimit(const std::string &path) {
  std::optional<int64_t> bytes = numberOf(contentOf(path).value_or(""));
  return bytes && *bytes < (int64_t{1} << 62) ? bytes : std::nullopt;
}

/// The quota over the period, rounded up.
static std::optional<int64_t> processorsOf(std::optional<int64_t> quota, std::optional<int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0)
    return std::nullopt;
  return std::max<int64_t>(1, *quota / *period + (*quota % *period != 0));
}

static void limitMemory(MachineLimits &limits, std::optional<int64_t> bytes, const std::string &from) {
  if (bytes && *bytes >= 0 && (limits.memory < 0 || *bytes < limits.memory)) {
    limits.memory = *bytes;
    limits.memoryFrom = from;
  }
}

static void limitProcessors(MachineLimits &limits, std::optional<int64_t> processors, const std::string &from) {
  if (processors && *processors < limits.processors) {
    limits.processors = static_cast<int>(*processors);
    limits.processorsFrom = from;
  }
}

/// The limits of one group.
static void limitByGroup(MachineLimits &limits, const std::string &root, const Hierarchy &hierarchy,
                         const std::string &group) {
  const std::string path = hierarchy.mountPoint + group + "/";
  if (hierarchy.isUnified) {
    const std::string memory = path + "memory.max", cpu = path + "cpu.max";
    limitMemory(limits, bytesLimit(root + memory), "cgroup " + memory);
    // "QUOTA PERIOD", or "max PERIOD".
    const std::vector<std::string> words = split(contentOf(root + cpu).value_or(""), ' ');
    if (words.size() == 2)
      limitProcessors(limits, processorsOf(numberOf(words[0]), numberOf(words[1])), "cgroup " + cpu);
    return;
  }
  if (contains(hierarchy.controllers, "memory")) {
    const std::string memory = path + "memory.limit_in_bytes";
    limitMemory(limits, bytesLimit(root + memory), "cgroup " + memory);
  }
  if (contains(hierarchy.controllers, "cpu")) {
    const std::string cpu = path + "cpu.cfs_quota_us";
    limitProcessors(limits,
                    processorsOf(numberOf(contentOf(root + cpu).value_or("")),
                                 numberOf(contentOf(root + path + "cpu.cfs_period_us").value_or(""))),
                    "cgroup " + cpu);
  }
}

/// What the machine has, of /proc/meminfo.
static std::optional<int64_t> physicalMemory(const std::string &root) {
  std::istringstream lines(contentOf(root + "/proc/meminfo").value_or(""));
  std::string name;
  int64_t kib = 0;
  if (lines >> name >> kib && name == "MemTotal:")
    return kib * 1024;
  return std::nullopt;
}

static int affinityOfProcess() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(CPU_COUNT(&set), 1);
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

static int64_t addressSpaceOfProcess() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > INT64_MAX)
    return -1;
  return static_cast<int64_t>(limit.rlim_cur);
}

MachineLimits readMachineLimits(const MachineSource &source) {
  MachineLimits limits;
  limits.processors = std::max(source.affinity ? *source.affinity : affinityOfProcess(), 1);
  limits.processorsFrom = "affinity";
  limitMemory(limits, physicalMemory(source.root), "physical memory");
  limitMemory(limits, source.addressSpace ? *source.addressSpace : addressSpaceOfProcess(), "RLIMIT_AS");
  for (const Hierarchy &hierarchy : hierarchies(source.root))
    // The group of this process, and each that it lies in.
    for (std::string group = hierarchy.group;; group.resize(group.rfind('/'))) {
      limitByGroup(limits, source.root, hierarchy, group);
      if (group.empty() || group.rfind('/') == std::string::npos)
        break;
    }
  return limits;
}

const MachineLimits &machineLimits() {
  static const MachineLimits limits = readMachineLimits();
  return limits;
}

std::string machineText(const MachineLimits &limits) {
  std::string text = std::to_string(limits.processors) + (limits.processors == 1 ? " processor (" : " processors (") +
                     limits.processorsFrom + ")";
  if (limits.memory >= 0)
    text += ", " + bytesText(static_cast<double>(limits.memory)) + " of memory (" + limits.memoryFrom + ")";
  return text;
}

std::string bytesText(double bytes) {
  static constexpr const char *kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  size_t unit = 0;
  // What rounds to 1000.0 is the next unit's 1.0.
  for (; bytes >= (unit ? 999.95 : 1000) && unit + 1 < std::size(kUnits); ++unit)
    bytes /= 1000;
  char text[32];
  std::snprintf(text, sizeof(text), unit ? "%.1f %s" : "%.0f %s", bytes, kUnits[unit]);
  return text;
}

} // namespace mlc::common
