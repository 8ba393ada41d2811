// NCCL over the emulated driver, as a program finds it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <string>
#include <vector>

using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr int kFloat = 7, kInt32 = 2, kSum = 0, kInvalidArgument = 4, kInvalidUsage = 5;

/// The functions of both libraries.
struct Api {
#define DRIVER_FUNCTIONS(X)                                                                                            \
  X(cuInit, unsigned)                                                                                                  \
  X(cuDevicePrimaryCtxRetain, void **, int)                                                                            \
  X(cuCtxSetCurrent, void *)                                                                                           \
  X(cuStreamCreate, void **, unsigned)                                                                                 \
  X(cuStreamSynchronize, void *)                                                                                       \
  X(cuMemAlloc_v2, uint64_t *, size_t)                                                                                 \
  X(cuMemcpyHtoDAsync_v2, uint64_t, const void *, size_t, void *)                                                      \
  X(cuMemcpyDtoHAsync_v2, void *, uint64_t, size_t, void *)
#define NCCL_FUNCTIONS(X)                                                                                              \
  X(ncclGetVersion, int *)                                                                                             \
  X(ncclCommInitAll, void **, int, const int *)                                                                        \
  X(ncclCommDestroy, void *)                                                                                           \
  X(ncclCommAbort, void *)                                                                                             \
  X(ncclCommGetAsyncError, void *, int *)                                                                              \
  X(ncclGroupStart, )                                                                                                  \
  X(ncclGroupEnd, )                                                                                                    \
  X(ncclSend, uint64_t, size_t, int, int, void *, void *)                                                              \
  X(ncclRecv, uint64_t, size_t, int, int, void *, void *)                                                              \
  X(ncclAllReduce, uint64_t, uint64_t, size_t, int, int, void *, void *)                                               \
  X(ncclAllGather, uint64_t, uint64_t, size_t, int, void *, void *)
#define DECLARE(name, ...) int (*name)(__VA_ARGS__) = nullptr;
  DRIVER_FUNCTIONS(DECLARE)
  NCCL_FUNCTIONS(DECLARE)
  void (*reset)() = nullptr;
  const char *(*lastError)(void *) = nullptr;
  const char *(*errorString)(int) = nullptr;
  Api() {
    void *library = dlopen(PTXEMU_DRIVER_PATH, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
#define LOOK_UP(name, ...)                                                                                             \
  name = reinterpret_cast<decltype(name)>(dlsym(library, #name));                                                      \
  EXPECT_NE(name, nullptr) << #name;
    DRIVER_FUNCTIONS(LOOK_UP)
    reset = reinterpret_cast<void (*)()>(dlsym(library, "ptxemuReset"));
    library = dlopen(PTXEMU_NCCL_PATH, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    NCCL_FUNCTIONS(LOOK_UP)
    lastError = reinterpret_cast<const char *(*)(void *)>(dlsym(library, "ncclGetLastError"));
    errorString = reinterpret_cast<const char *(*)(int)>(dlsym(library, "ncclGetErrorString"));
  }
};
const Api &api() {
  static const Api made;
  return made;
}

/// Three devices, each with a stream, a communicator and memory for eight floats.
class Nccl : public testing::TestWithParam<const char *> {
protected:
  static constexpr int kRanks = 3;
  void SetUp() override {
    setenv("PTXEMU_DEVICES", "3", 1);
    setenv("PTXEMU_ORDER", GetParam(), 1);
    setenv("PTXEMU_REPORT", "/dev/null", 1);
    api().reset();
    ASSERT_EQ(api().cuInit(0), 0);
    for (int r = 0; r < kRanks; ++r) {
      ASSERT_EQ(api().cuDevicePrimaryCtxRetain(&contexts[r], r), 0);
      ASSERT_EQ(api().cuCtxSetCurrent(contexts[r]), 0);
      ASSERT_EQ(api().cuStreamCreate(&streams[r], 1), 0);
      ASSERT_EQ(api().cuMemAlloc_v2(&memory[r], 32), 0);
    }
    ASSERT_EQ(api().ncclCommInitAll(communicators.data(), kRanks, nullptr), 0);
  }
  void TearDown() override {
    for (void *communicator : communicators)
      if (communicator)
        EXPECT_EQ(api().ncclCommDestroy(communicator), 0);
    for (const char *name : {"PTXEMU_DEVICES", "PTXEMU_ORDER", "PTXEMU_REPORT"})
      unsetenv(name);
    api().reset();
  }
  /// Reads `values` when somebody waits for it.
  void write(int rank, const std::vector<float> &values, int at = 0) {
    EXPECT_EQ(api().cuCtxSetCurrent(contexts[rank]), 0);
    EXPECT_EQ(api().cuMemcpyHtoDAsync_v2(memory[rank] + 4 * at, values.data(), 4 * values.size(), streams[rank]), 0);
  }
  std::vector<float> read(int rank, size_t count, int at = 0) {
    std::vector<float> values(count);
    EXPECT_EQ(api().cuCtxSetCurrent(contexts[rank]), 0);
    EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(values.data(), memory[rank] + 4 * at, 4 * count, streams[rank]), 0);
    EXPECT_EQ(api().cuStreamSynchronize(streams[rank]), 0);
    return values;
  }
  int send(int from, int to, size_t count = 2, int at = 0) {
    return api().ncclSend(memory[from] + 4 * at, count, kFloat, to, communicators[from], streams[from]);
  }
  int receive(int to, int from, size_t count = 2, int at = 0) {
    return api().ncclRecv(memory[to] + 4 * at, count, kFloat, from, communicators[to], streams[to]);
  }
  int reduce(int rank, size_t count = 2) {
    return api().ncclAllReduce(memory[rank], memory[rank], count, kFloat, kSum, communicators[rank], streams[rank]);
  }
  std::array<void *, kRanks> contexts = {}, streams = {}, communicators = {};
  std::array<uint64_t, kRanks> memory = {};
};

TEST_P(Nccl, SendsInTheOrderOfStreams) {
  const std::vector<float> ones = {1, 2}, twos = {3, 4}, later = {5, 6};
  write(1, ones);
  write(2, twos);
  ASSERT_EQ(api().ncclGroupStart(), 0);
  EXPECT_EQ(send(1, 0), 0);
  EXPECT_EQ(receive(0, 2, 2, 2), 0);
  EXPECT_EQ(send(2, 0), 0);
  EXPECT_EQ(receive(0, 1), 0);
  ASSERT_EQ(api().ncclGroupEnd(), 0);
  write(1, later); // after what was sent
  EXPECT_THAT(read(0, 4), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read(1, 2), ElementsAre(5, 6));
}

TEST_P(Nccl, AddsAndGathers) {
  const std::vector<float> values[kRanks] = {{1, 10}, {2, 20}, {3, 30}};
  for (int r = 0; r < kRanks; ++r)
    write(r, values[r]);
  ASSERT_EQ(api().ncclGroupStart(), 0);
  for (int r = 0; r < kRanks; ++r)
    EXPECT_EQ(reduce(r), 0);
  ASSERT_EQ(api().ncclGroupEnd(), 0);
  ASSERT_EQ(api().ncclGroupStart(), 0);
  for (int r = 0; r < kRanks; ++r)
    EXPECT_EQ(api().ncclAllGather(memory[r], memory[r] + 8, 2, kFloat, communicators[r], streams[r]), 0);
  ASSERT_EQ(api().ncclGroupEnd(), 0);
  for (int r = 0; r < kRanks; ++r)
    EXPECT_THAT(read(r, 8), ElementsAre(6, 60, 6, 60, 6, 60, 6, 60));
}

TEST_P(Nccl, FindsWhatDoesNotMeet) {
  struct {
    std::function<int()> first, second;
    const char *text;
  } const cases[] = {
      {[&] { return send(1, 0); }, [&] { return receive(0, 2); },
       "ncclSend of rank 1 to 0, 2 of type 7: the group has no other end of it"},
      {[&] { return send(1, 0, 2); }, [&] { return receive(0, 1, 1); },
       "ncclSend of rank 1 to 0, 2 of type 7 meets ncclRecv of rank 0 from 1, 1 of type 7"},
      {[&] { return receive(0, 1); },
       [&] { return api().ncclSend(memory[1], 2, kInt32, 0, communicators[1], streams[1]); },
       "ncclRecv of rank 0 from 1, 2 of type 7 meets ncclSend of rank 1 to 0, 2 of type 2"},
      {[&] { return reduce(0); }, [&] { return reduce(1); },
       "ncclAllReduce of rank 0, 2 of type 7: rank 2 has none in the group"},
  };
  for (const auto &each : cases) {
    ASSERT_EQ(api().ncclGroupStart(), 0);
    EXPECT_EQ(each.first(), 0);
    EXPECT_EQ(each.second(), 0);
    EXPECT_EQ(api().ncclGroupEnd(), kInvalidUsage);
    EXPECT_STREQ(api().lastError(nullptr), each.text);
  }
  ASSERT_EQ(api().ncclGroupStart(), 0);
  for (int r = 0; r < kRanks; ++r)
    EXPECT_EQ(reduce(r, r == 1 ? 1 : 2), 0);
  EXPECT_EQ(api().ncclGroupEnd(), kInvalidUsage);
  EXPECT_THAT(api().lastError(nullptr), HasSubstr("rank 0, 2 of type 7 meets ncclAllReduce of rank 1, 1 of type 7"));
}

TEST_P(Nccl, FindsWrongDevicesAndCommunicators) {
  EXPECT_EQ(api().ncclSend(memory[1], 2, kFloat, 0, communicators[1], streams[2]), kInvalidArgument);
  EXPECT_THAT(api().lastError(nullptr), HasSubstr("is on a stream of device 2, and the rank's is device 1"));
  EXPECT_EQ(send(1, 3), kInvalidArgument);
  EXPECT_THAT(api().lastError(nullptr), HasSubstr("there is no such rank"));
  EXPECT_EQ(api().ncclGroupEnd(), kInvalidUsage);
  const int twice[] = {0, 0};
  void *made[2] = {};
  EXPECT_EQ(api().ncclCommInitAll(made, 2, twice), kInvalidArgument);
  // A group gives the error of what it was asked for.
  ASSERT_EQ(api().ncclGroupStart(), 0);
  EXPECT_EQ(send(1, 3), kInvalidArgument);
  EXPECT_EQ(api().ncclGroupEnd(), kInvalidArgument);
  EXPECT_EQ(api().ncclCommDestroy(communicators[2]), 0);
  EXPECT_EQ(reduce(2), kInvalidArgument);
  EXPECT_EQ(api().ncclCommAbort(communicators[2]), kInvalidArgument);
  communicators[2] = nullptr;
  // Memory of another device is found when the copy comes to it.
  ASSERT_EQ(api().ncclGroupStart(), 0);
  EXPECT_EQ(api().ncclSend(memory[0], 2, kFloat, 0, communicators[1], streams[1]), 0);
  EXPECT_EQ(receive(0, 1), 0);
  EXPECT_EQ(api().ncclGroupEnd(), 0);
  EXPECT_EQ(api().cuCtxSetCurrent(contexts[0]), 0);
  EXPECT_EQ(api().cuStreamSynchronize(streams[0]), 700);
  int error = 0;
  EXPECT_EQ(api().ncclCommGetAsyncError(communicators[0], &error), 0);
  EXPECT_EQ(error, 1);
  EXPECT_STREQ(api().errorString(error), "unhandled cuda error");
  for (int r : {0, 1}) { // what the others are given back by fails, too
    EXPECT_EQ(api().ncclCommAbort(communicators[r]), 0);
    communicators[r] = nullptr;
  }
}

TEST_P(Nccl, AbortsWithoutWaiting) {
  const std::vector<float> twos = {2, 2};
  write(1, twos);
  ASSERT_EQ(api().ncclGroupStart(), 0);
  EXPECT_EQ(send(1, 0), 0);
  EXPECT_EQ(receive(0, 1), 0);
  ASSERT_EQ(api().ncclGroupEnd(), 0);
  for (void *&communicator : communicators) {
    EXPECT_EQ(api().ncclCommAbort(communicator), 0);
    communicator = nullptr;
  }
  EXPECT_THAT(read(0, 2), ElementsAre(2, 2));
}

INSTANTIATE_TEST_SUITE_P(Orders, Nccl, testing::Values("forward", "reverse", "random:3"));

} // namespace
