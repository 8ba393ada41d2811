// Limits of cgroups v1 and v2, nested and in containers, of a root that the test makes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/machine/MachineLimits.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace mlc::common;
namespace fs = std::filesystem;

namespace {

class MachineLimitsTest : public testing::Test {
protected:
  MachineLimitsTest() {
    std::string pattern = (fs::temp_directory_path() / "machine-XXXXXX").string();
    root = mkdtemp(pattern.data());
    put("/proc/meminfo", "MemTotal:       16384 kB\nMemFree:  1 kB\n");
  }
  ~MachineLimitsTest() override { fs::remove_all(root); }

  void put(const std::string &path, const std::string &content) {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream(root + path) << content;
  }
  /// A mount of cgroups that shows the group `mountRoot`.
  void mount(const std::string &place, const std::string &mountRoot, const std::string &typeAndOptions) {
    mounts += "30 24 0:26 " + mountRoot + " " + place + " rw,nosuid shared:9 - " + typeAndOptions + "\n";
    put("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + mounts);
  }
  MachineLimits read(int affinity = 64, int64_t addressSpace = -1) const {
    return readMachineLimits({root, affinity, addressSpace});
  }

  std::string root, mounts;
};

TEST_F(MachineLimitsTest, WithoutCgroups) {
  MachineLimits limits = read(8);
  EXPECT_EQ(limits.processors, 8);
  EXPECT_EQ(limits.processorsFrom, "affinity");
  EXPECT_EQ(limits.memory, 16 << 20);
  EXPECT_EQ(limits.memoryFrom, "physical memory");
  EXPECT_EQ(machineText(limits), "8 processors (affinity), 16.8 MB of memory (physical memory)");
}

TEST_F(MachineLimitsTest, AddressSpace) {
  MachineLimits limits = read(1, 4 << 20);
  EXPECT_EQ(limits.memory, 4 << 20);
  EXPECT_EQ(machineText(limits), "1 processor (affinity), 4.2 MB of memory (RLIMIT_AS)");
}

TEST_F(MachineLimitsTest, NothingIsKnown) {
  fs::remove(root + "/proc/meminfo");
  EXPECT_EQ(read(0).memory, -1);
  EXPECT_EQ(machineText(read(0)), "1 processor (affinity)");
}

TEST_F(MachineLimitsTest, UnifiedInAContainer) {
  mount("/sys/fs/cgroup", "/", "cgroup2 cgroup2 rw");
  put("/proc/self/cgroup", "0::/\n");
  put("/sys/fs/cgroup/memory.max", "8388608\n");
  put("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  MachineLimits limits = read();
  EXPECT_EQ(limits.processors, 2) << "1.5 processors";
  EXPECT_EQ(limits.processorsFrom, "cgroup /sys/fs/cgroup/cpu.max");
  EXPECT_EQ(limits.memory, 8388608);
  EXPECT_EQ(limits.memoryFrom, "cgroup /sys/fs/cgroup/memory.max");
  EXPECT_EQ(read(1).processors, 1) << "the affinity mask is smaller";
  EXPECT_EQ(read(64, 1 << 20).memory, 1 << 20) << "RLIMIT_AS is smaller";
}

TEST_F(MachineLimitsTest, OuterGroupsCount) {
  mount("/sys/fs/cgroup", "/", "cgroup2 cgroup2 rw");
  put("/proc/self/cgroup", "0::/pods/pod:1/main\n");
  put("/sys/fs/cgroup/pods/pod:1/main/memory.max", "max\n");
  put("/sys/fs/cgroup/pods/pod:1/main/cpu.max", "max 100000\n");
  put("/sys/fs/cgroup/pods/pod:1/memory.max", "4194304\n");
  put("/sys/fs/cgroup/pods/pod:1/cpu.max", "50000 100000\n");
  put("/sys/fs/cgroup/pods/memory.max", "6291456\n");
  put("/sys/fs/cgroup/pods/cpu.max", "300000 100000\n");
  MachineLimits limits = read();
  EXPECT_EQ(limits.memory, 4194304);
  EXPECT_EQ(limits.memoryFrom, "cgroup /sys/fs/cgroup/pods/pod:1/memory.max");
  EXPECT_EQ(limits.processors, 1) << "half a processor is one";
  put("/sys/fs/cgroup/pods/memory.max", "2097152\n");
  EXPECT_EQ(read().memory, 2097152) << "the outer group is the narrower";
}

TEST_F(MachineLimitsTest, MountOfAnInnerGroup) {
  // Without a namespace of cgroups a container sees the host's path and the mount of its own group.
  mount("/sys/fs/cgroup", "/pods/pod1", "cgroup2 cgroup2 rw");
  put("/proc/self/cgroup", "0::/pods/pod1/worker\n");
  put("/sys/fs/cgroup/memory.max", "4194304\n");
  put("/sys/fs/cgroup/worker/cpu.max", "200000 100000\n");
  EXPECT_EQ(read().memory, 4194304);
  EXPECT_EQ(read().processors, 2);
  put("/proc/self/cgroup", "0::/elsewhere\n");
  EXPECT_EQ(read().memory, 4194304) << "a group that the mount does not show: the mount point is what can be read";
  put("/proc/self/cgroup", "0::/pods/pod10\n");
  EXPECT_EQ(read().memory, 4194304) << "another group whose name begins alike";
}

TEST_F(MachineLimitsTest, VersionOne) {
  mount("/sys/fs/cgroup/memory", "/", "cgroup cgroup rw,memory");
  mount("/sys/fs/cgroup/cpu,cpuacct", "/", "cgroup cgroup rw,cpu,cpuacct");
  put("/proc/self/cgroup", "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n");
  put("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
  put("/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "8388608\n");
  put("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "250000\n");
  put("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "-1\n");
  put("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
  MachineLimits limits = read();
  EXPECT_EQ(limits.memory, 8388608);
  EXPECT_EQ(limits.memoryFrom, "cgroup /sys/fs/cgroup/memory/docker/memory.limit_in_bytes");
  EXPECT_EQ(limits.processors, 3);
  EXPECT_EQ(limits.processorsFrom, "cgroup /sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us");
}

TEST_F(MachineLimitsTest, BothVersionsAtOnce) {
  mount("/sys/fs/cgroup/memory", "/", "cgroup cgroup rw,memory");
  mount("/sys/fs/cgroup/unified", "/", "cgroup2 cgroup2 rw");
  put("/proc/self/cgroup", "4:memory:/a\n0::/b\n");
  put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "8388608\n");
  put("/sys/fs/cgroup/unified/b/cpu.max", "100000 100000\n");
  EXPECT_EQ(read().memory, 8388608);
  EXPECT_EQ(read().processors, 1);
}

TEST_F(MachineLimitsTest, WhatCannotBeReadLimitsNothing) {
  mount("/sys/fs/cgroup", "/", "cgroup2 cgroup2 rw");
  put("/proc/self/cgroup", "garbage\n0::/x\n");
  put("/sys/fs/cgroup/x/memory.max", "");
  put("/sys/fs/cgroup/x/cpu.max", "0 0\n");
  EXPECT_EQ(read(5).processors, 5);
  EXPECT_EQ(read().memory, 16 << 20);
}

TEST(MachineLimits, OfThisProcess) {
  EXPECT_GE(machineLimits().processors, 1);
  EXPECT_FALSE(machineLimits().processorsFrom.empty());
}

TEST(BytesText, Units) {
  EXPECT_EQ(bytesText(0), "0 B");
  EXPECT_EQ(bytesText(999), "999 B");
  EXPECT_EQ(bytesText(12'000'000), "12.0 MB");
  EXPECT_EQ(bytesText(19'130'000'000), "19.1 GB");
  EXPECT_EQ(bytesText(999'999), "1.0 MB") << "not 1000.0 kB";
  EXPECT_EQ(bytesText(1e30), "1000000000000.0 EB");
}

} // namespace
