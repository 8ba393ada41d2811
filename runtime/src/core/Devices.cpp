//===- Devices.cpp - Devices that segments work on beside the host ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Devices.h"

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace mlcrt {

namespace {
struct Kinds {
  std::mutex mutex;
  std::map<std::string, DeviceFactory> factories;
};
} // namespace

static Kinds &kinds() {
  static Kinds known;
  return known;
}

static constexpr const char kMemoryPayload[] = "mlcrt.device_memory", kLostPayload[] = "mlcrt.device_lost";

static absl::Status markedError(absl::StatusCode code, const std::string &text, const char *payload) {
  absl::Status status(code, text);
  status.SetPayload(payload, absl::Cord());
  return status;
}

absl::Status deviceMemoryError(const std::string &text) {
  return markedError(absl::StatusCode::kResourceExhausted, text, kMemoryPayload);
}

absl::Status deviceLostError(const std::string &text) {
  return markedError(absl::StatusCode::kInternal, text, kLostPayload);
}

bool isDeviceLost(const absl::Status &status) { return status.GetPayload(kLostPayload).has_value(); }

absl::Status withText(const absl::Status &status, const std::string &text) {
  absl::Status other(status.code(), text);
  status.ForEachPayload([&](absl::string_view url, const absl::Cord &payload) { other.SetPayload(url, payload); });
  return other;
}

bool isDeviceMemoryError(const absl::Status &status) { return status.GetPayload(kMemoryPayload).has_value(); }

void registerDeviceKind(const std::string &kind, DeviceFactory factory) {
  Kinds &known = kinds();
  std::lock_guard<std::mutex> lock(known.mutex);
  known.factories[kind] = std::move(factory);
}

/// How a device is opened; a list of what there is if it cannot be.
static DeviceFactory factoryOf(const char *kind, std::string &others) {
  Kinds &known = kinds();
  std::lock_guard<std::mutex> lock(known.mutex);
  if (auto it = known.factories.find(kind); it != known.factories.end())
    return it->second;
  others = "cpu";
  for (const auto &[name, factory] : known.factories)
    others += ", " + name;
  return nullptr;
}

absl::Status Device::lower(void *, const void *) { return absl::UnimplementedError("this device lowers no numbers"); }

absl::Status Device::copyFrom(Device &, const void *, void *, int64_t) {
  return absl::UnimplementedError("this device copies from no other one");
}

/// Waits for a byte of the device's memory.
static absl::StatusOr<bool> isSet(Device &device, const void *condition) {
  uint8_t byte = 0;
  if (absl::Status status = device.copy(Device::Memory::Device, condition, Device::Memory::Host, &byte, 1);
      !status.ok())
    return status;
  if (absl::Status status = device.wait(); !status.ok())
    return status;
  return byte != 0;
}

absl::StatusOr<int32_t> Device::branch(const void *condition, int32_t sides) {
  absl::StatusOr<bool> found = isSet(*this, condition);
  if (!found.ok())
    return found.status();
  return sides & (*found ? 1 : 2);
}

absl::Status Device::side(int32_t) { return absl::OkStatus(); }

absl::StatusOr<bool> Device::loop(int32_t, const void *condition) { return isSet(*this, condition); }

absl::Status Device::beginRecording() { return absl::UnimplementedError("this device does not record"); }

absl::StatusOr<std::unique_ptr<DeviceRecording>> Device::endRecording() {
  return absl::UnimplementedError("this device does not record");
}

absl::Status Device::prepare(DeviceRecording &, std::unique_ptr<DeviceRecording>) {
  return absl::UnimplementedError("this device does not record");
}

absl::Status Device::replay(const DeviceRecording &) { return absl::UnimplementedError("this device does not record"); }

absl::Status Device::runOnce(DeviceRecording &) { return absl::UnimplementedError("this device does not record"); }

absl::Status Device::beginPieces(RecordedPieces &) { return absl::UnimplementedError("this device does not record"); }

absl::Status Device::endPieces() { return absl::UnimplementedError("this device does not record"); }

/// The name with a number that is `later` later.
static std::string laterName(const std::string &name, int later) {
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  int number = 0;
  if (later == 0 || !absl::SimpleAtoi(name.substr(digits), &number))
    return name;
  return absl::StrCat(name.substr(0, digits), number + later);
}

Devices::Devices(const mlcrt_artifact &table, int later, int64_t memory)
    : table_(table), memory_(memory), opened_(table.num_devices) {
  for (int64_t d = 0; d < table.num_devices; ++d)
    names_.push_back(laterName(table.devices[d].name, later));
}

Devices::~Devices() = default;

absl::StatusOr<Device *> Devices::open(int32_t device) {
  if (device < 0 || device >= table_.num_devices)
    return absl::InternalError(absl::StrCat("device ", device, ", expected one of ", table_.num_devices));
  mlcrt_device wanted = table_.devices[device];
  wanted.name = names_[static_cast<size_t>(device)].c_str();
  if (std::string_view(wanted.kind) == "cpu")
    return absl::InternalError(absl::StrCat("device '", wanted.name, "' is the host, which runs no kernels"));
  std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<Device> &opened = opened_[static_cast<size_t>(device)];
  if (opened)
    return opened.get();
  std::string others;
  const DeviceFactory factory = factoryOf(wanted.kind, others);
  if (!factory)
    return absl::FailedPreconditionError(absl::StrCat("device '", wanted.name, "' is of kind '", wanted.kind,
                                                      "', of which this program has none; expected: ", others));
  std::vector<const mlcrt_image *> images;
  for (int64_t i = 0; i < table_.num_images; ++i)
    if (std::string_view(table_.images[i].device_kind) == wanted.kind)
      images.push_back(&table_.images[i]);
  absl::StatusOr<std::unique_ptr<Device>> made = factory(wanted, images, memory_);
  if (!made.ok())
    return withText(made.status(), absl::StrCat("device '", wanted.name, "': ", made.status().message()));
  opened = *std::move(made);
  return opened.get();
}

absl::StatusOr<Device *> Devices::ofSpace(int32_t space) {
  if (space <= 0 || space > table_.num_spaces)
    return absl::InternalError(absl::StrCat("space ", space, ", expected one of 1 to ", table_.num_spaces));
  return open(table_.spaces[space - 1].device);
}

absl::StatusOr<std::vector<Device *>> Devices::all() {
  std::vector<Device *> devices;
  for (int32_t d = 0; d < table_.num_devices; ++d) {
    if (std::string_view(table_.devices[d].kind) == "cpu")
      continue;
    absl::StatusOr<Device *> device = open(d);
    if (!device.ok())
      return device.status();
    devices.push_back(*device);
  }
  return devices;
}

absl::StatusOr<std::string> Devices::sums() {
  const absl::StatusOr<std::vector<Device *>> devices = all();
  if (!devices.ok())
    return devices.status();
  std::set<std::string> orders;
  for (const Device *device : *devices)
    if (std::string order = device->sums(); !order.empty())
      orders.insert(std::move(order));
  return absl::StrJoin(orders, ", ");
}

DeviceBytes::DeviceBytes(DeviceBytes &&other) noexcept
    : device_(other.device_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

DeviceBytes &DeviceBytes::operator=(DeviceBytes &&other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void DeviceBytes::clear() {
  if (data_)
    device_->free(std::exchange(data_, nullptr));
  size_ = 0;
}

absl::Status DeviceBytes::reserve(Device &device, int64_t bytes, int64_t alignment) {
  if (data_ && bytes <= size_)
    return absl::OkStatus();
  clear();
  absl::StatusOr<void *> memory = device.allocate(bytes, alignment);
  if (!memory.ok())
    return memory.status();
  device_ = &device;
  data_ = *memory;
  size_ = bytes;
  return absl::OkStatus();
}

} // namespace mlcrt
