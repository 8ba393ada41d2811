//===- CudaDevice.cpp - Devices of the kind "cuda" ----------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaDevice.h"

#include "common/machine/MachineLimits.h"
#include "runtime/src/device/cuda/CudaImage.h"
#include "runtime/src/device/cuda/CudaKind.h"
#include "runtime/src/device/cuda/NcclGroup.h"

#include "absl/strings/str_cat.h"

#include <cstring>
#include <utility>

namespace mlcrt {

static CudaAddress addressOf(const void *memory) { return reinterpret_cast<CudaAddress>(memory); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

absl::StatusOr<uint64_t> CudaDevice::Source::take(int64_t bytes) {
  CudaAddress address = 0;
  const CudaResult result = context_.driver().cuMemAlloc_v2(&address, static_cast<size_t>(bytes));
  if (result == kCudaOutOfMemory)
    return 0;
  if (absl::Status status = context_.check(result, "cuMemAlloc"); !status.ok())
    return status;
  return address;
}

void CudaDevice::Source::give(uint64_t address) {
  // What was asked for before may use it.
  static_cast<void>(device_.endPiece());
  static_cast<void>(context_.synchronize());
  static_cast<void>(context_.check(context_.driver().cuMemFree_v2(address), "cuMemFree"));
}

std::pair<int64_t, int64_t> CudaDevice::Source::freeAndTotal() {
  size_t free = 0, total = 0;
  if (context_.driver().cuMemGetInfo_v2(&free, &total) != 0)
    return {-1, -1};
  return {static_cast<int64_t>(free), static_cast<int64_t>(total)};
}

//===----------------------------------------------------------------------===//
// CudaDevice
//===----------------------------------------------------------------------===//

CudaDevice::CudaDevice(std::string name, std::unique_ptr<CudaContext> context, std::unique_ptr<CudaKernels> kernels,
                       int64_t limit, bool usesGraphs, const std::string &times)
    : name_(std::move(name)), usesGraphs_(usesGraphs), context_(std::move(context)), kernels_(std::move(kernels)),
      conditions_(*context_), least_(*context_),
      times_(times.empty() ? nullptr : std::make_unique<LaunchTimes>(*context_, times)), source_(*this),
      pool_(source_, limit, kGpuMemoryVariable), staging_(*context_, context_->stream()) {}

absl::StatusOr<std::unique_ptr<CudaDevice>> CudaDevice::open(const std::string &name, int ordinal,
                                                             const std::vector<const mlcrt_image *> &images,
                                                             const CudaOptions &options) {
  absl::StatusOr<CudaOptions> complete = withEnvironment(options);
  if (!complete.ok())
    return complete.status();
  absl::StatusOr<const CudaDriver *> driver = CudaDriver::open(complete->driver);
  if (!driver.ok())
    return driver.status();
  absl::StatusOr<CudaDeviceInfo> info = CudaDeviceInfo::find(**driver, ordinal);
  if (!info.ok())
    return info.status();
  absl::StatusOr<std::vector<const mlcrt_image *>> fitting =
      imagesFor(info->chip, (*driver)->version, images, complete->chip);
  if (!fitting.ok())
    return fitting.status();
  absl::StatusOr<std::unique_ptr<CudaContext>> context = CudaContext::create(**driver, *info, complete->sync == 1);
  if (!context.ok())
    return context.status();
  absl::StatusOr<std::unique_ptr<CudaKernels>> kernels = CudaKernels::load(**context, *fitting);
  if (!kernels.ok())
    return kernels.status();
  if (!complete->times.empty())
    if (absl::Status status = LaunchTimes(**context, complete->times).write(); !status.ok())
      return status;
  // Others use the card, too: the driver itself, and what shows pictures.
  const int64_t limit = complete->gpuMemory >= 0 ? complete->gpuMemory : info->totalBytes / 16 * 15;
  return std::unique_ptr<CudaDevice>(
      new CudaDevice(name, *std::move(context), *std::move(kernels), limit,
                     complete->graphs != 0 && complete->sync != 1 && complete->times.empty(), complete->times));
}

CudaDevice::~CudaDevice() {
  // Members give back what they have in the thread's context.
  context_->enter();
  static_cast<void>(finish());
  if (marked_)
    context_->driver().cuEventDestroy_v2(marked_);
  // That the file can be written was found when the device was opened; one that is cut is no JSON.
  if (times_)
    static_cast<void>(times_->write());
}

absl::Status CudaDevice::named(absl::Status status) const {
  if (status.ok())
    return status;
  return withText(status, absl::StrCat("device '", name_, "': ", status.message()));
}

absl::StatusOr<void *> CudaDevice::allocate(int64_t bytes, int64_t alignment) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  if (absl::Status status = checkNotRecording("memory"); !status.ok())
    return named(status);
  absl::StatusOr<void *> memory = pool_.allocate(bytes, alignment);
  return memory.ok() ? memory : named(memory.status());
}

void CudaDevice::free(void *memory) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  pool_.free(memory);
}

absl::Status CudaDevice::copyNow(Memory fromMemory, const void *from, Memory toMemory, void *to, int64_t bytes) {
  if (fromMemory == Memory::Device && toMemory == Memory::Device) {
    absl::StatusOr<CudaRecording *> recording = recorder();
    if (!recording.ok())
      return recording.status();
    if (*recording) {
      (*recording)->addCopy(addressOf(from), addressOf(to), bytes);
      return absl::OkStatus();
    }
    return context_->check(context_->driver().cuMemcpyDtoDAsync_v2(addressOf(to), addressOf(from),
                                                                   static_cast<size_t>(bytes), context_->stream()),
                           "cuMemcpyDtoDAsync");
  }
  if (absl::Status status = endRecorded("a copy of host memory"); !status.ok())
    return status;
  if (fromMemory == Memory::Device)
    return staging_.fromDevice(addressOf(from), to, bytes);
  // Host memory is read now, which is later than what is to come there.
  if (toMemory == Memory::Device) {
    if (staging_.isAwaited(from, bytes))
      if (absl::Status status = finish(); !status.ok())
        return status;
    return staging_.toDevice(from, addressOf(to), bytes);
  }
  if (staging_.isAnyAwaited())
    if (absl::Status status = finish(); !status.ok())
      return status;
  std::memmove(to, from, static_cast<size_t>(bytes));
  return absl::OkStatus();
}

absl::Status CudaDevice::copy(Memory fromMemory, const void *from, Memory toMemory, void *to, int64_t bytes) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  if (bytes < 0)
    return named(absl::InternalError(absl::StrCat("asked to copy ", bytes, " bytes")));
  return bytes == 0 ? absl::OkStatus() : named(copyNow(fromMemory, from, toMemory, to, bytes));
}

//===----------------------------------------------------------------------===//
// Copies ahead
//===----------------------------------------------------------------------===//

absl::Status CudaDevice::copyAhead(const void *from, void *to, int64_t bytes, bool afterWork, CudaEvent &made) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  if (!copies_) {
    absl::StatusOr<std::unique_ptr<CudaCopyStream>> created = CudaCopyStream::create(*context_);
    if (!created.ok())
      return named(created.status());
    copies_ = *std::move(created);
  }
  constexpr unsigned kDisableTiming = 2;
  if (!made)
    if (absl::Status status = context_->check(context_->driver().cuEventCreate(&made, kDisableTiming), "cuEventCreate");
        !status.ok())
      return named(status);
  if (afterWork)
    if (absl::Status status = endPiece(); !status.ok())
      return named(status);
  if (absl::Status status = copies_->copy(from, addressOf(to), bytes, afterWork); !status.ok())
    return named(status);
  return named(copies_->mark(made));
}

absl::Status CudaDevice::awaitEvent(CudaEvent event) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  if (absl::Status status = endRecorded("a wait for copies"); !status.ok())
    return named(status);
  return named(
      context_->check(context_->driver().cuStreamWaitEvent(context_->stream(), event, 0), "cuStreamWaitEvent"));
}

void CudaDevice::destroyEvent(CudaEvent event) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (!event)
    return;
  context_->enter();
  context_->driver().cuEventDestroy_v2(event);
}

//===----------------------------------------------------------------------===//
// Copies back
//===----------------------------------------------------------------------===//

std::unique_ptr<DeviceDownload> CudaDevice::makeDownload() {
  if (context_->waitsForLaunches())
    return nullptr;
  return std::make_unique<CudaDownload>(*this);
}

absl::Status CudaDevice::copyBack(const void *from, void *to, int64_t bytes, CudaEvent &made) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  if (absl::Status status = endRecorded("a copy to host memory"); !status.ok())
    return named(status);
  const CudaDriver &driver = context_->driver();
  constexpr unsigned kDisableTiming = 2;
  if (!made)
    if (absl::Status status = context_->check(driver.cuEventCreate(&made, kDisableTiming), "cuEventCreate");
        !status.ok())
      return named(status);
  if (absl::Status status = context_->check(
          driver.cuMemcpyDtoHAsync_v2(to, addressOf(from), static_cast<size_t>(bytes), context_->stream()),
          "cuMemcpyDtoHAsync");
      !status.ok())
    return named(status);
  return named(context_->check(driver.cuEventRecord(made, context_->stream()), "cuEventRecord"));
}

absl::Status CudaDevice::waitFor(CudaEvent event) {
  {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (absl::Status status = context_->use(); !status.ok())
      return named(status);
  }
  // Threads that bring the next batch need the device while this one waits.
  const CudaResult result = context_->driver().cuEventSynchronize(event);
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  return named(context_->check(result, "cuEventSynchronize"));
}

absl::StatusOr<void *> CudaDevice::allocatePinned(int64_t bytes) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  void *memory = nullptr;
  if (absl::Status status = context_->check(context_->driver().cuMemHostAlloc(&memory, static_cast<size_t>(bytes), 0),
                                            "cuMemHostAlloc", "memory for what comes back");
      !status.ok())
    return named(status);
  return memory;
}

void CudaDevice::freePinned(void *memory) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (!memory)
    return;
  context_->enter();
  context_->driver().cuMemFreeHost(memory);
}

//===----------------------------------------------------------------------===//
// Peers
//===----------------------------------------------------------------------===//

const void *CudaDevice::peerGroup() const {
  static const char group = 0;
  return &group;
}

absl::Status CudaDevice::mark() {
  const CudaDriver &driver = context_->driver();
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  constexpr unsigned kDisableTiming = 2;
  if (!marked_)
    if (absl::Status status = context_->check(driver.cuEventCreate(&marked_, kDisableTiming), "cuEventCreate");
        !status.ok())
      return named(status);
  return named(context_->check(driver.cuEventRecord(marked_, context_->stream()), "cuEventRecord"));
}

absl::Status CudaDevice::awaitMark(const CudaDevice &other) {
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  return named(
      context_->check(context_->driver().cuStreamWaitEvent(context_->stream(), other.marked_, 0), "cuStreamWaitEvent"));
}

absl::Status CudaDevice::enablePeer(const CudaDevice &other) {
  if (!peers_.insert(&other).second)
    return absl::OkStatus();
  const CudaDriver &driver = context_->driver();
  int can = 0;
  if (absl::Status status = context_->check(driver.cuDeviceCanAccessPeer(&can, info().device, other.info().device),
                                            "cuDeviceCanAccessPeer");
      !status.ok() || !can)
    return named(status);
  const CudaResult result = driver.cuCtxEnablePeerAccess(other.context_->handle(), 0);
  return result == kCudaPeerAccessAlreadyEnabled ? absl::OkStatus()
                                                 : named(context_->check(result, "cuCtxEnablePeerAccess"));
}

absl::Status CudaDevice::copyFrom(Device &source, const void *from, void *to, int64_t bytes) {
  auto &other = static_cast<CudaDevice &>(source);
  if (&other == this)
    return copy(Memory::Device, from, Memory::Device, to, bytes);
  std::scoped_lock locks(mutex_, other.mutex_);
  for (CudaDevice *device : {this, &other})
    if (absl::Status status = device->endRecorded("a copy between devices"); !status.ok())
      return device->named(status);
  if (nccl_ && nccl_ == other.nccl_)
    return nccl_->copy(other, from, *this, to, bytes);
  if (absl::Status status = other.mark(); !status.ok())
    return status;
  if (absl::Status status = awaitMark(other); !status.ok())
    return status;
  if (absl::Status status = enablePeer(other); !status.ok())
    return status;
  if (absl::Status status =
          context_->check(context_->driver().cuMemcpyPeerAsync(addressOf(to), context_->handle(), addressOf(from),
                                                               other.context_->handle(), static_cast<size_t>(bytes),
                                                               context_->stream()),
                          "cuMemcpyPeerAsync");
      !status.ok())
    return named(status);
  if (absl::Status status = mark(); !status.ok())
    return status;
  return other.awaitMark(*this);
}

absl::Status CudaDevice::lower(void *number, const void *other) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  if (absl::Status status = endRecorded("the less of two numbers"); !status.ok())
    return named(status);
  return named(least_.lower(addressOf(number), addressOf(other)));
}

absl::StatusOr<double> CudaDevice::timeLaunches(const char *kernel, const int64_t *shape, const int64_t *arguments,
                                                int64_t count, int64_t launches) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  if (absl::Status status = checkNotRecording("times of launches"); !status.ok())
    return named(status);
  if (absl::Status status = finish(); !status.ok())
    return named(status);
  EventTimer timer(*context_);
  if (absl::Status status = timer.begin(); !status.ok())
    return named(status);
  for (int64_t i = 0; i < launches; ++i)
    if (absl::Status status = kernels_->launch(kernel, shape, arguments, count); !status.ok())
      return named(status);
  absl::StatusOr<double> milliseconds = timer.end(kernel);
  if (!milliseconds.ok())
    return named(milliseconds.status());
  return *milliseconds / static_cast<double>(launches);
}

absl::Status CudaDevice::launch(const char *kernel, const int64_t *shape, const int64_t *arguments, int64_t count) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  if (times_)
    if (absl::Status status = times_->begin(); !status.ok())
      return named(status);
  absl::StatusOr<CudaRecording *> recording = recorder();
  if (!recording.ok())
    return named(recording.status());
  if (absl::Status status = kernels_->launch(kernel, shape, arguments, count, *recording); !status.ok())
    return named(status);
  if (times_)
    if (absl::Status status = times_->end(kernel); !status.ok())
      return named(status);
  if (context_->waitsForLaunches())
    return named(context_->synchronize(absl::StrCat("kernel '", kernel, "'")));
  return absl::OkStatus();
}

absl::Status CudaDevice::finish() {
  absl::Status status = context_->synchronize();
  if (status.ok())
    staging_.finish();
  else
    staging_.drop();
  return status;
}

std::string CudaDevice::sums() const { return kernels_->sums(); }

std::string CudaDevice::description() const {
  const CudaDeviceInfo &gpu = info();
  auto bytes = [](int64_t count) { return mlc::common::bytesText(static_cast<double>(count)); };
  return absl::StrCat("gpu ", gpu.ordinal, ": ", gpu.name, " (", cudaChipText(gpu.chip), "), ", image(), ", at most ",
                      bytes(pool_.limit()), " of ", bytes(gpu.totalBytes));
}

absl::Status CudaDevice::wait() {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok()) {
    staging_.drop();
    return named(status);
  }
  if (absl::Status status = endRecorded("a wait"); !status.ok())
    return named(status);
  return named(finish());
}

//===----------------------------------------------------------------------===//
// Recordings
//===----------------------------------------------------------------------===//

absl::Status CudaDevice::checkNotRecording(const char *what) {
  if (!recording_)
    return absl::OkStatus();
  unrecorded_ = absl::FailedPreconditionError(absl::StrCat("asked for ", what, " while it records"));
  return unrecorded_;
}

absl::Status CudaDevice::endRecorded(const char *what) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  absl::Status status = checkNotRecording(what);
  return status.ok() ? endPiece() : status;
}

absl::Status CudaDevice::endPiece() {
  std::unique_ptr<CudaRecording> made = std::move(piece_);
  return made ? pieces_->run(*this, std::move(made)) : absl::OkStatus();
}

absl::StatusOr<CudaRecording *> CudaDevice::recorder() {
  if (recording_)
    return recording_.get();
  if (pieces_ && piecesOf_ == std::this_thread::get_id()) {
    if (!piece_)
      piece_ = std::make_unique<CudaRecording>(*context_);
    return piece_.get();
  }
  if (absl::Status status = endPiece(); !status.ok())
    return status;
  return nullptr;
}

absl::StatusOr<CudaFunction> CudaDevice::decidingKernel() {
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  absl::StatusOr<CudaFunction> kernel = conditions_.kernel();
  if (kernel.ok())
    return kernel;
  unrecorded_ = kernel.status();
  return named(unrecorded_);
}

absl::StatusOr<int32_t> CudaDevice::branch(const void *condition, int32_t sides) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (!recording_)
    return Device::branch(condition, sides);
  absl::StatusOr<CudaFunction> kernel = decidingKernel();
  if (!kernel.ok())
    return kernel.status();
  recording_->addBranch(*kernel, addressOf(condition), sides);
  return sides;
}

absl::Status CudaDevice::side(int32_t side) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (recording_)
    recording_->addSide(side);
  return absl::OkStatus();
}

absl::StatusOr<bool> CudaDevice::loop(int32_t number, const void *condition) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (!recording_)
    return Device::loop(number, condition);
  absl::StatusOr<CudaFunction> kernel = decidingKernel();
  if (!kernel.ok())
    return kernel.status();
  return recording_->addLoop(*kernel, addressOf(condition), number);
}

absl::Status CudaDevice::beginRecording() {
  if (!usesGraphs_)
    return Device::beginRecording();
  std::unique_lock<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  if (absl::Status status = endRecorded("a recording"); !status.ok())
    return named(status);
  recording_ = std::make_unique<CudaRecording>(*context_);
  unrecorded_ = absl::OkStatus();
  lock.release(); // until endRecording
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<DeviceRecording>> CudaDevice::endRecording() {
  std::unique_lock<std::recursive_mutex> lock(mutex_);
  if (!recording_)
    return named(absl::InternalError("ends a recording that did not begin"));
  std::unique_lock<std::recursive_mutex> held(mutex_, std::adopt_lock); // since beginRecording
  std::unique_ptr<CudaRecording> made = std::move(recording_);
  if (!unrecorded_.ok())
    return named(unrecorded_);
  return made;
}

absl::Status CudaDevice::prepare(DeviceRecording &recording, std::unique_ptr<DeviceRecording> earlier) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  return named(static_cast<CudaRecording &>(recording).prepare(static_cast<CudaRecording *>(earlier.get())));
}

absl::Status CudaDevice::replay(const DeviceRecording &recording) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  if (absl::Status status = endRecorded("a replay"); !status.ok())
    return named(status);
  const auto &recorded = static_cast<const CudaRecording &>(recording);
  if (absl::Status status =
          context_->check(context_->driver().cuGraphLaunch(recorded.exec(), context_->stream()), "cuGraphLaunch");
      !status.ok())
    return named(status);
  context_->launched(recorded.lastKernel());
  return absl::OkStatus();
}

absl::Status CudaDevice::runOnce(DeviceRecording &recording) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = context_->use(); !status.ok())
    return named(status);
  auto &recorded = static_cast<CudaRecording &>(recording);
  if (absl::Status status = recorded.runOnce(); !status.ok())
    return named(status);
  context_->launched(recorded.lastKernel());
  return absl::OkStatus();
}

absl::Status CudaDevice::beginPieces(RecordedPieces &pieces) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  // Segments that another one calls are parts of its pieces.
  if (!usesGraphs_ || pieces_)
    return Device::beginPieces(pieces);
  pieces_ = &pieces;
  piecesOf_ = std::this_thread::get_id();
  return absl::OkStatus();
}

absl::Status CudaDevice::endPieces() {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  absl::Status status = context_->use();
  if (status.ok())
    status = endPiece();
  piece_ = nullptr;
  pieces_ = nullptr;
  return named(status);
}

} // namespace mlcrt
