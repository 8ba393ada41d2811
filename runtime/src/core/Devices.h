//===- Devices.h - Devices that segments work on beside the host --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_DEVICES_H
#define MLCRT_CORE_DEVICES_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mlcrt/abi.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mlcrt {

/// What a device was asked for, to be asked for again. It ends before the device does.
class DeviceRecording {
public:
  virtual ~DeviceRecording() = default;
  /// Whether another one of the same device asks for the same kernels and copies, in the same order, if of other sizes
  /// and with other addresses and numbers.
  virtual bool isLike(const DeviceRecording &other) const = 0;
  /// Kernels and copies that it asks for.
  virtual int64_t size() const = 0;
};

/// Does what a device recorded in pieces (Device::beginPieces).
class RecordedPieces {
public:
  virtual ~RecordedPieces() = default;
  /// Has the device do what it recorded since the last piece, which is not empty. Errors of the device.
  virtual absl::Status run(class Device &device, std::unique_ptr<DeviceRecording> made) = 0;
};

/// Copies of host memory that a device makes beside what it was asked for, ahead of what reads them. It ends before the
/// device does, and is for one thread at a time, that of the device's other calls or not.
class DeviceUpload {
public:
  virtual ~DeviceUpload() = default;
  /// Begins anew. What read the copies made until now is done.
  virtual void restart() = 0;
  /// Asks for a copy of `bytes` > 0 bytes of host memory, which may change when the call is back. The copy stays where
  /// it is told to be until restart(). Errors of the device.
  virtual absl::StatusOr<void *> bring(const void *from, int64_t bytes, int64_t alignment) = 0;
  /// What the device is asked for from now on comes after all copies.
  virtual absl::Status await() = 0;
};

/// Copies of a device's memory that come to the host while the device goes on with what it is asked for later. It ends
/// before the device does, and is for one thread at a time.
class DeviceDownload {
public:
  virtual ~DeviceDownload() = default;
  /// Asks for a copy of `bytes` > 0 bytes of the device's memory, after what the device was asked for before; the one
  /// asked for last is forgotten. Errors of the device.
  virtual absl::Status ask(const void *from, int64_t bytes) = 0;
  /// Waits for the copy, and for nothing that the device was asked for after it; where it is, until the next ask().
  /// Other threads may use the device meanwhile. Errors of the device.
  virtual absl::StatusOr<const char *> wait() = 0;
};

/// A device with memory of its own. What it is asked for is done in order, later than the call; an error of it may be
/// told by a later call. For one thread at a time.
class Device {
public:
  virtual ~Device() = default;

  /// `bytes` >= 0 bytes of the device's memory; `alignment` is a power of two. kResourceExhausted: it has no more.
  virtual absl::StatusOr<void *> allocate(int64_t bytes, int64_t alignment) = 0;
  /// When what was asked for before is done.
  virtual void free(void *memory) = 0;

  /// Which memory an address is of.
  enum class Memory { Host, Device };
  virtual absl::Status copy(Memory fromMemory, const void *from, Memory toMemory, void *to, int64_t bytes) = 0;
  /// Devices of the same group copy from each other's memory; null: of none.
  virtual const void *peerGroup() const { return nullptr; }
  /// The same as copy() from the memory of another device of the group: what that was asked for before is done before,
  /// and what it is asked for later is done after.
  virtual absl::Status copyFrom(Device &source, const void *from, void *to, int64_t bytes);
  /// Of a device that makes downloads: has a number of 64 bits in its memory become another one there, if that is less.
  /// Errors of the device.
  virtual absl::Status lower(void *number, const void *other);
  /// Null: this device makes no copies beside what it is asked for.
  virtual std::unique_ptr<DeviceUpload> makeUpload() { return nullptr; }
  /// Null: what comes from this device is waited for together with all that it was asked for.
  virtual std::unique_ptr<DeviceDownload> makeDownload() { return nullptr; }
  /// `shape` has 7 numbers and `arguments` `count` of 64 bits, as of the service device_launch.
  virtual absl::Status launch(const char *kernel, const int64_t *shape, const int64_t *arguments, int64_t count) = 0;
  /// Returns when everything is done.
  virtual absl::Status wait() = 0;

  /// Control flow by a byte of the device's memory, as of the services device_branch, device_side and device_loop.
  /// These wait for the byte and read it. A device that records instead has both sides, and the body of a loop once,
  /// asked for.
  virtual absl::StatusOr<int32_t> branch(const void *condition, int32_t sides);
  virtual absl::Status side(int32_t side);
  virtual absl::StatusOr<bool> loop(int32_t number, const void *condition);

  /// In what order its kernels add where that is not the program's: "sm_90". Results then differ between orders. Empty:
  /// all of them add as the program says.
  virtual std::string sums() const { return {}; }

  /// What lines say it is: "gpu 0: NVIDIA H100 (sm_90), PTX for sm_80, at most 75.0 GB of 80.0 GB". Empty: there is
  /// nothing to say.
  virtual std::string description() const { return {}; }
  /// Bytes that it takes of its memory at most; -1: nothing is known.
  virtual int64_t memoryLimit() const { return -1; }

  /// From now on launches and copies within the device's memory, asked for by this thread, are recorded and not done.
  /// Other threads wait. kUnimplemented: this device does not record.
  virtual absl::Status beginRecording();
  /// What was recorded since. An error if anything else was asked for: a wait, memory, a copy of host memory. All of it
  /// is forgotten then.
  virtual absl::StatusOr<std::unique_ptr<DeviceRecording>> endRecording();
  /// Makes what was recorded ready to be asked for, of what the device made of `earlier`, which is like it, if that is
  /// not null.
  virtual absl::Status prepare(DeviceRecording &recording, std::unique_ptr<DeviceRecording> earlier);
  /// Asks for all that was recorded, which is ready.
  virtual absl::Status replay(const DeviceRecording &recording);
  /// Asks for all that was recorded, one by one; it need not be ready.
  virtual absl::Status runOnce(DeviceRecording &recording);

  /// From now on launches and copies within the device's memory that this thread asks for are recorded, and done by
  /// `pieces` where this thread asks for anything else, or another one for anything at all. kUnimplemented: this device
  /// does not record, or does so for another thread.
  virtual absl::Status beginPieces(RecordedPieces &pieces);
  /// Has `pieces` do the last one.
  virtual absl::Status endPieces();
};

/// The error of a device that has no memory left for something (kResourceExhausted). Unlike that of a disk which is
/// full, it comes again however often it is tried.
absl::Status deviceMemoryError(const std::string &text);
bool isDeviceMemoryError(const absl::Status &status);

/// The error of a device that does not work any more, for a cause that another run may not meet (kInternal).
absl::Status deviceLostError(const std::string &text);
bool isDeviceLost(const absl::Status &status);

/// The same error with another text.
absl::Status withText(const absl::Status &status, const std::string &text);

/// Opens a device. `images` are those of its kind; `memory`: bytes that it takes at most, -1: what its kind says.
using DeviceFactory = std::function<absl::StatusOr<std::unique_ptr<Device>>(
    const mlcrt_device &device, const std::vector<const mlcrt_image *> &images, int64_t memory)>;

/// From now on devices of this kind are opened by `factory`; of "cpu", the host itself, none is.
void registerDeviceKind(const std::string &kind, DeviceFactory factory);

/// The devices of an artifact, opened when they are first used.
class Devices {
public:
  /// Devices are those whose numbers are `later` later than the ones at the ends of their names: "/device:CUDA:2" with
  /// 2 for "/device:CUDA:0". Each takes `memory` bytes at most; -1: what its kind says.
  explicit Devices(const mlcrt_artifact &table, int later = 0, int64_t memory = -1);
  ~Devices();

  /// kInternal: there is no such device, or it is the host; kFailedPrecondition: this process has none of its kind, or
  /// the machine lacks it.
  absl::StatusOr<Device *> open(int32_t device);
  /// The device whose memory space k > 0 is. kInternal: there is no such space.
  absl::StatusOr<Device *> ofSpace(int32_t space);
  /// All but hosts, opened. Errors as of open().
  absl::StatusOr<std::vector<Device *>> all();
  /// The orders of sums (Device::sums) of all of them, each once, with commas between. Errors as of open().
  absl::StatusOr<std::string> sums();
  const mlcrt_space &space(int32_t space) const { return table_.spaces[space - 1]; }

private:
  const mlcrt_artifact &table_;
  const int64_t memory_;
  std::vector<std::string> names_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Device>> opened_; ///< null: not yet
};

/// A piece of a device's memory.
class DeviceBytes {
public:
  DeviceBytes() = default;
  ~DeviceBytes() { clear(); }
  DeviceBytes(DeviceBytes &&other) noexcept;
  DeviceBytes &operator=(DeviceBytes &&other) noexcept;

  /// Makes room for `bytes`; growing drops the contents.
  absl::Status reserve(Device &device, int64_t bytes, int64_t alignment);
  void *data() const { return data_; }
  int64_t size() const { return size_; }

private:
  void clear();

  Device *device_ = nullptr;
  void *data_ = nullptr;
  int64_t size_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_CORE_DEVICES_H
