//===- CudaDevice.h - Devices of the kind "cuda" ------------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_CUDADEVICE_H
#define MLCRT_DEVICE_CUDA_CUDADEVICE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/core/Devices.h"
#include "runtime/src/device/cuda/CudaConditions.h"
#include "runtime/src/device/cuda/CudaContext.h"
#include "runtime/src/device/cuda/CudaDownload.h"
#include "runtime/src/device/cuda/CudaKernels.h"
#include "runtime/src/device/cuda/CudaLeast.h"
#include "runtime/src/device/cuda/CudaRecording.h"
#include "runtime/src/device/cuda/CudaUpload.h"
#include "runtime/src/device/cuda/LaunchTimes.h"
#include "runtime/src/device/cuda/MemoryPool.h"
#include "runtime/src/device/cuda/Staging.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace mlcrt {

class NcclGroup;

/// How devices of the kind "cuda" are used. What is not given is read of the environment.
struct CudaOptions {
  std::string driver;     ///< the library; empty: MLC_CUDA_DRIVER, else libcuda.so.1
  int64_t gpuMemory = -1; ///< bytes that a device takes at most; -1: MLC_GPU_MEMORY, else 15/16 of what it has
  int sync = -1;          ///< 1: each launch is waited for, 0: none, -1: MLC_GPU_SYNC, else none
  int graphs = -1;        ///< 1: it records, as graphs, 0: it does not, -1: MLC_GPU_GRAPHS, else it does
  std::string chip;       ///< images for later ones than this are not taken; empty: MLC_GPU_CHIP, else all are
  std::string times; ///< file for the times of launches, which are not recorded then; empty: MLC_GPU_TIMES, else none
};

/// A GPU: its context, the kernels of the image that fits it, its memory. All that it is asked for goes to one stream,
/// so that it is done in order, and memory that was given back is free for what is asked for later. For several
/// threads; what they ask for is done in the order in which they came.
class CudaDevice : public Device {
public:
  /// Opens GPU number `ordinal`; `name` is what messages call it. kFailedPrecondition: there is no driver, no such GPU,
  /// or no image that fits it and loads; kInvalidArgument: a variable of the environment says nothing that is expected;
  /// kUnavailable: the file of times cannot be written.
  static absl::StatusOr<std::unique_ptr<CudaDevice>> open(const std::string &name, int ordinal,
                                                          const std::vector<const mlcrt_image *> &images,
                                                          const CudaOptions &options);
  ~CudaDevice() override;

  absl::StatusOr<void *> allocate(int64_t bytes, int64_t alignment) override;
  void free(void *memory) override;
  absl::Status copy(Memory fromMemory, const void *from, Memory toMemory, void *to, int64_t bytes) override;
  const void *peerGroup() const override;
  absl::Status copyFrom(Device &source, const void *from, void *to, int64_t bytes) override;
  absl::Status lower(void *number, const void *other) override;
  std::unique_ptr<DeviceUpload> makeUpload() override { return std::make_unique<CudaUpload>(*this); }
  /// None where each launch is waited for.
  std::unique_ptr<DeviceDownload> makeDownload() override;
  absl::Status launch(const char *kernel, const int64_t *shape, const int64_t *arguments, int64_t count) override;
  absl::Status wait() override;
  /// While it records they become conditional nodes of a graph; where the driver has none the recording fails.
  absl::StatusOr<int32_t> branch(const void *condition, int32_t sides) override;
  absl::Status side(int32_t side) override;
  absl::StatusOr<bool> loop(int32_t number, const void *condition) override;
  /// Milliseconds that a launch takes: of `launches` of them, one after another, divided by their number. None is
  /// recorded. The device has done before what it was asked for. Errors as of launch().
  absl::StatusOr<double> timeLaunches(const char *kernel, const int64_t *shape, const int64_t *arguments, int64_t count,
                                      int64_t launches);
  std::string sums() const override;
  std::string description() const override;
  int64_t memoryLimit() const override { return pool_.limit(); }
  /// kUnimplemented: each launch is waited for, or the options say that nothing is recorded.
  absl::Status beginRecording() override;
  absl::StatusOr<std::unique_ptr<DeviceRecording>> endRecording() override;
  absl::Status prepare(DeviceRecording &recording, std::unique_ptr<DeviceRecording> earlier) override;
  absl::Status replay(const DeviceRecording &recording) override;
  absl::Status runOnce(DeviceRecording &recording) override;
  absl::Status beginPieces(RecordedPieces &pieces) override;
  absl::Status endPieces() override;

  /// Asks the copy stream for a copy of host memory, after what the device was asked for if `afterWork`, and notes in
  /// `made`, which it makes if it is null, when it and those before it are there.
  absl::Status copyAhead(const void *from, void *to, int64_t bytes, bool afterWork, CudaEvent &made);
  /// Has what is asked for from now on come after the event.
  absl::Status awaitEvent(CudaEvent event);
  void destroyEvent(CudaEvent event);
  /// Asks for a copy to pinned memory, after what the device was asked for, and notes in `made`, which it makes if it
  /// is null, when it is there.
  absl::Status copyBack(const void *from, void *to, int64_t bytes, CudaEvent &made);
  /// Waits for the event; other threads may use the device meanwhile.
  absl::Status waitFor(CudaEvent event);
  /// Pinned host memory, and the same given back.
  absl::StatusOr<void *> allocatePinned(int64_t bytes);
  void freePinned(void *memory);

  /// Copies from others of the group go by NCCL from now on; null: by the driver.
  void copyBy(NcclGroup *group) { nccl_ = group; }
  /// What was recorded of a piece is done, so that what goes to the stream comes after it. An error while it records;
  /// `what` says what is asked for.
  absl::Status endRecorded(const char *what);
  CudaStream stream() const { return context_->stream(); }

  const CudaDeviceInfo &info() const { return context_->info(); }
  const std::string &image() const { return kernels_->image(); }
  const MemoryPool &memory() const { return pool_; }

private:
  /// Pieces of the pool are the context's.
  class Source : public MemorySource {
  public:
    explicit Source(CudaDevice &device) : device_(device), context_(*device.context_) {}
    absl::StatusOr<uint64_t> take(int64_t bytes) override;
    void give(uint64_t address) override;
    std::pair<int64_t, int64_t> freeAndTotal() override;

  private:
    CudaDevice &device_;
    CudaContext &context_;
  };

  CudaDevice(std::string name, std::unique_ptr<CudaContext> context, std::unique_ptr<CudaKernels> kernels,
             int64_t limit, bool usesGraphs, const std::string &times);
  absl::Status named(absl::Status status) const;
  /// What cannot be recorded ends a recording.
  absl::Status checkNotRecording(const char *what);
  /// The kernel that decides in what is being recorded.
  absl::StatusOr<CudaFunction> decidingKernel();
  /// Has what was recorded of a piece be done; a next one begins.
  absl::Status endPiece();
  /// Where launches and copies go that this thread asks for; null: to the stream, after what was recorded.
  absl::StatusOr<CudaRecording *> recorder();
  absl::Status copyNow(Memory fromMemory, const void *from, Memory toMemory, void *to, int64_t bytes);
  absl::Status finish();
  /// Notes in its stream's event that all was done that it was asked for until now.
  absl::Status mark();
  /// Has the stream wait for what another device marked.
  absl::Status awaitMark(const CudaDevice &other);
  /// Lets it read another one's memory by the link between them, where there is one; else copies go through the host.
  absl::Status enablePeer(const CudaDevice &other);

  const std::string name_;
  const bool usesGraphs_;
  std::recursive_mutex mutex_; ///< a thread that records holds it
  std::unique_ptr<CudaContext> context_;
  std::unique_ptr<CudaKernels> kernels_;
  CudaConditions conditions_;
  CudaLeast least_;
  std::unique_ptr<CudaRecording> recording_; ///< what is being recorded; null: nothing is
  absl::Status unrecorded_;                  ///< why it cannot be
  RecordedPieces *pieces_ = nullptr;         ///< who has pieces done that are recorded; null: none are
  std::thread::id piecesOf_;                 ///< the thread whose they are
  std::unique_ptr<CudaRecording> piece_;     ///< what was recorded of one; null: nothing
  std::unique_ptr<LaunchTimes> times_;       ///< null: nobody wants them
  Source source_;
  MemoryPool pool_;
  Staging staging_;
  std::unique_ptr<CudaCopyStream> copies_; ///< null: nothing was copied ahead yet
  CudaEvent marked_ = nullptr;             ///< null: nothing was yet
  std::set<const CudaDevice *> peers_;     ///< whose memory it reads
  NcclGroup *nccl_ = nullptr;              ///< by which it copies from others; null: by the driver
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_CUDADEVICE_H
