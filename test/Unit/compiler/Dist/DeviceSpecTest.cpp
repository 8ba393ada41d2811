// Device specs: what is read, printed, merged and matched, and what is refused with which words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/IR/DeviceSpec.h"

#include "gtest/gtest.h"

using mlc::dist::DeviceSpec;

static DeviceSpec read(const char *text) { return llvm::cantFail(DeviceSpec::parse(text)); }

static std::string errorOf(const char *text) {
  llvm::Expected<DeviceSpec> spec = DeviceSpec::parse(text);
  return spec ? "read as '" + spec->str() + "'" : llvm::toString(spec.takeError());
}

TEST(DeviceSpec, PrintsCanonically) {
  EXPECT_EQ(read("").str(), "");
  EXPECT_EQ(read("/job:ps/task:1/device:CPU:0").str(), "/job:ps/task:1/device:CPU:0");
  EXPECT_EQ(read("/device:cpu:3/task:07/job:a_1").str(), "/job:a_1/task:7/device:CPU:3");
  EXPECT_EQ(read("/gpu:2").str(), "/device:GPU:2");
  EXPECT_EQ(read("/device:GPU").str(), "/device:GPU");
  EXPECT_EQ(read("/device:*:4").str(), "/device:*:4");
  EXPECT_EQ(read("/job:*/task:*/device:CPU:*").str(), "/device:CPU");
  EXPECT_EQ(read("/cpu:*").str(), "/device:CPU");
  EXPECT_EQ(read("/task:9223372036854775807").str(), "/task:9223372036854775807");
}

TEST(DeviceSpec, ReadsWhatItPrints) {
  for (int mask = 0; mask < 16; ++mask) {
    DeviceSpec spec;
    if (mask & 1)
      spec.job = "worker";
    if (mask & 2)
      spec.task = 12;
    if (mask & 4)
      spec.type = "TPU";
    if (mask & 8)
      spec.index = 5;
    EXPECT_EQ(read(spec.str().c_str()), spec) << spec.str();
    EXPECT_EQ(spec.isEmpty(), mask == 0);
    EXPECT_EQ(spec.isConcrete(), mask == 15 || mask == 12) << spec.str();
  }
}

TEST(DeviceSpec, ErrorsTellPositionAndExpectation) {
  EXPECT_EQ(errorOf("job:ps"), "device spec 'job:ps', character 1: expected '/'; found 'job'");
  EXPECT_EQ(errorOf("/"), "device spec '/', character 2: expected job:, task:, device:, cpu: or gpu:; found the end");
  EXPECT_EQ(errorOf("/job:ps/replica:0"),
            "device spec '/job:ps/replica:0', character 9: expected job:, task:, device:, "
            "cpu: or gpu:; found 'replica'");
  EXPECT_EQ(errorOf("/job:"),
            "device spec '/job:', character 6: expected the job's name (a letter, then letters, digits "
            "and '_') or '*'; found the end");
  EXPECT_EQ(errorOf("/job:1a"), "device spec '/job:1a', character 6: expected the job's name (a letter, then letters, "
                                "digits and '_') or '*'; found '1a'");
  EXPECT_EQ(errorOf("/task:x"),
            "device spec '/task:x', character 7: expected the task (a number below 2^63) or '*'; found 'x'");
  EXPECT_EQ(errorOf("/task:9223372036854775808"), "device spec '/task:9223372036854775808', character 7: expected the "
                                                  "task (a number below 2^63) or '*'; found '9223372036854775808'");
  EXPECT_EQ(errorOf("/device:"), "device spec '/device:', character 9: expected the device's type (a letter, then "
                                 "letters, digits and '_') or '*'; found the end");
  EXPECT_EQ(
      errorOf("/device:CPU:"),
      "device spec '/device:CPU:', character 13: expected the device's number (a number below 2^63) or '*'; found "
      "the end");
  EXPECT_EQ(errorOf("/job:a/job:b"), "device spec '/job:a/job:b', character 8: expected no second job; found 'job'");
  EXPECT_EQ(errorOf("/cpu:0/device:GPU:1"),
            "device spec '/cpu:0/device:GPU:1', character 8: expected no second device; found 'device'");
  EXPECT_EQ(errorOf("/task:*/task:1"),
            "device spec '/task:*/task:1', character 9: expected no second task; found 'task'");
  EXPECT_EQ(errorOf("/job:a-b"), "device spec '/job:a-b', character 7: expected '/' or the end; found '-b'");
}

TEST(DeviceSpec, InnerPartsWin) {
  DeviceSpec outer = read("/job:ps/task:1/gpu:2");
  EXPECT_EQ(read("").within(outer), outer);
  EXPECT_EQ(read("/task:3").within(outer).str(), "/job:ps/task:3/device:GPU:2");
  EXPECT_EQ(read("/job:worker/device:CPU").within(outer).str(), "/job:worker/task:1/device:CPU:2");
  EXPECT_EQ(outer.within(read("/job:a/task:0/cpu:0")), outer);
}

TEST(DeviceSpec, MatchesWhatHasAllItsParts) {
  DeviceSpec device = read("/job:ps/task:1/cpu:0");
  for (const char *text : {"", "/job:ps", "/task:1", "/cpu:0", "/device:CPU", "/device:*:0", "/job:ps/task:1/cpu:0"})
    EXPECT_TRUE(read(text).matches(device)) << text;
  for (const char *text : {"/job:worker", "/task:0", "/gpu:0", "/cpu:1", "/job:ps/task:1/cpu:1"})
    EXPECT_FALSE(read(text).matches(device)) << text;
  EXPECT_FALSE(read("/job:ps").matches(read("/cpu:0")));
}
