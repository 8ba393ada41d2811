// Values that stay on devices until the host asks for them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/DeviceValue.h"
#include "FakeDevice.h"

#include "gmock/gmock.h"

#include <algorithm>
#include <optional>

using namespace mlcrt;
using testing::Each;
using testing::ElementsAre;

namespace {

constexpr int64_t kBytes = 3 * sizeof(int32_t);

class DeviceValueTest : public testing::Test {
protected:
  DeviceValueTest() {
    FakeDevice::registerKind();
    table.devices = kinds, table.num_devices = 2;
    table.spaces = spaces, table.num_spaces = 2;
    table.images = images, table.num_images = 1;
    devices.emplace(table);
    for (int32_t d = 0; d < 2; ++d)
      device[d] = static_cast<FakeDevice *>(*devices->open(d));
  }
  TensorView view() { return makeBuffer(host.data(), MLCRT_I32, {3}); }
  void *bring(int32_t space, bool isRead) {
    absl::StatusOr<void *> there = value->bring(*devices, space, view(), isRead);
    EXPECT_TRUE(there.ok()) << there.status();
    return *there;
  }
  /// A kernel that writes all elements.
  void write(int32_t space, int32_t number) {
    auto *there = static_cast<int32_t *>(bring(space, /*isRead=*/false));
    EXPECT_TRUE(device[space - 1]->isMine(there, kBytes));
    EXPECT_TRUE(device[space - 1]->wait().ok());
    std::fill_n(there, 3, number);
    value->isWritten();
  }
  /// What a kernel reads.
  std::vector<int32_t> read(int32_t space) {
    const auto *there = static_cast<const int32_t *>(bring(space, /*isRead=*/true));
    EXPECT_TRUE(device[space - 1]->isMine(there, kBytes));
    EXPECT_TRUE(device[space - 1]->wait().ok());
    return {there, there + 3};
  }
  int copies() const { return device[0]->copies + device[1]->copies; }

  mlcrt_device kinds[2] = {{"/device:FAKE:0", "fake"}, {"/device:FAKE:1", "fake"}};
  mlcrt_space spaces[2] = {{"first", 0, 0, 256}, {"second", 1, 0, 64}};
  mlcrt_image images[1] = {{"fake", "one", MLCRT_IMAGE_OBJECT, 0, "x", 1}};
  mlcrt_artifact table = {};
  std::optional<Devices> devices;
  FakeDevice *device[2];
  std::vector<int32_t> host = {1, 2, 3};
  std::optional<DeviceValue> value{std::in_place};

  ~DeviceValueTest() override { value.reset(); } // before its device
};

TEST_F(DeviceValueTest, IsBroughtOnce) {
  EXPECT_THAT(read(1), ElementsAre(1, 2, 3));
  EXPECT_THAT(read(1), ElementsAre(1, 2, 3));
  EXPECT_EQ(copies(), 1);
  ASSERT_TRUE(value->fetch(*devices, view()).ok());
  EXPECT_EQ(copies(), 1) << "the host has it";
}

TEST_F(DeviceValueTest, StaysUntilTheHostAsksForIt) {
  write(1, 7);
  EXPECT_THAT(read(1), Each(7));
  write(1, 8);
  EXPECT_THAT(read(1), Each(8));
  EXPECT_EQ(copies(), 0);
  EXPECT_THAT(host, ElementsAre(1, 2, 3)) << "an old value";
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(value->fetch(*devices, view()).ok());
    EXPECT_THAT(host, Each(8));
    EXPECT_EQ(copies(), 1);
  }
  EXPECT_THAT(read(1), Each(8));
  EXPECT_EQ(copies(), 1) << "the device has it, too";
}

TEST_F(DeviceValueTest, WhatTheHostMadeSinceCounts) {
  write(1, 7);
  value->forget();
  host = {4, 5, 6};
  ASSERT_TRUE(value->fetch(*devices, view()).ok());
  EXPECT_THAT(host, ElementsAre(4, 5, 6));
  EXPECT_THAT(read(1), ElementsAre(4, 5, 6));
}

TEST_F(DeviceValueTest, GoesToAnotherDeviceByTheHost) {
  write(1, 7);
  EXPECT_THAT(read(2), Each(7));
  EXPECT_THAT(host, Each(7));
  EXPECT_EQ(copies(), 2);
  write(1, 9); // the memory of the second device is given back
  EXPECT_THAT(read(1), Each(9));
  EXPECT_EQ(copies(), 2);
}

/// The same value for other devices.
class PeerValueTest : public DeviceValueTest {
protected:
  PeerValueTest() { others.emplace(table, /*later=*/2); }
  ~PeerValueTest() override {
    FakeDevice::arePeers() = false;
    copied.reset();
  }
  absl::StatusOr<bool> copy(const DeviceValue &source) {
    return copied->copyFrom(*others, makeBuffer(elsewhere.data(), MLCRT_I32, {3}), source, *devices);
  }
  std::optional<Devices> others;
  std::vector<int32_t> elsewhere = {0, 0, 0};
  std::optional<DeviceValue> copied{std::in_place};
};

TEST_F(PeerValueTest, IsTakenOverFromAPeer) {
  FakeDevice::arePeers() = true;
  write(1, 7);
  absl::StatusOr<bool> isThere = copy(*value);
  ASSERT_TRUE(isThere.ok()) << isThere.status();
  EXPECT_TRUE(*isThere);
  EXPECT_EQ(static_cast<FakeDevice *>(*others->open(0))->peerCopies, 1);
  ASSERT_TRUE(copied->fetch(*others, makeBuffer(elsewhere.data(), MLCRT_I32, {3})).ok());
  EXPECT_THAT(elsewhere, Each(7));
  EXPECT_EQ(copies(), 0) << "it did not go through the host";
  EXPECT_THAT(read(1), Each(7)) << "it is where it was, too";
}

TEST_F(PeerValueTest, StaysWhereItIsOfStrangers) {
  write(1, 7);
  absl::StatusOr<bool> isThere = copy(*value);
  EXPECT_TRUE(isThere.ok() && !*isThere);
}

TEST_F(PeerValueTest, OfTheHostIsNotTakenOver) {
  FakeDevice::arePeers() = true;
  write(1, 7);
  value->forget();
  absl::StatusOr<bool> isThere = copy(*value);
  EXPECT_TRUE(isThere.ok() && !*isThere);
}

TEST_F(DeviceValueTest, GrowsWithItsSize) {
  write(1, 7);
  host.assign(1000, 5);
  value->forget();
  const TensorView large = makeBuffer(host.data(), MLCRT_I32, {1000});
  absl::StatusOr<void *> there = value->bring(*devices, 1, large, /*isRead=*/true);
  ASSERT_TRUE(there.ok() && device[0]->wait().ok());
  EXPECT_TRUE(device[0]->isMine(*there, 4000));
  EXPECT_EQ(static_cast<const int32_t *>(*there)[999], 5);
}

TEST_F(DeviceValueTest, ADeviceThatFailsIsTold) {
  write(1, 7);
  device[0]->failure = absl::InternalError("the device is gone");
  EXPECT_EQ(value->fetch(*devices, view()).message(), "the device is gone");
  device[0]->failure = absl::OkStatus();
  EXPECT_TRUE(value->fetch(*devices, view()).ok()) << "it is where it was";
  EXPECT_THAT(host, Each(7));
}

} // namespace
