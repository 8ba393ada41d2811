//===- NcclGroup.h - GPUs of a process that exchange values by NCCL -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_NCCLGROUP_H
#define MLCRT_DEVICE_CUDA_NCCLGROUP_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/core/DeviceCollective.h"
#include "runtime/src/core/Devices.h"
#include "runtime/src/device/cuda/NcclLibrary.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mlcrt {

class CudaDevice;

/// The communicators of GPUs of a process, one each. What it is asked for goes to the streams of the devices, whose
/// copies from each other go by it as long as it is there. Errors of NCCL, which abort all communicators, are
/// kInternal with the text of NCCL; where a GPU is lost it is that error.
class NcclGroup : public DeviceCollective {
public:
  /// `devices` are of the kind "cuda", and others each; they outlive this. `library`: as of NcclLibrary::open.
  /// kFailedPrecondition: there is no library, or NCCL makes no communicators.
  static absl::StatusOr<std::unique_ptr<NcclGroup>> create(const std::vector<Device *> &devices,
                                                           const std::string &library = {});
  ~NcclGroup() override;

  absl::Status beginCopies() override;
  absl::Status endCopies() override;
  bool canAdd(int32_t dtype) const override;
  absl::Status add(const std::vector<CollectiveSum> &sums) override;
  absl::Status check() override;
  void giveUp() override;

  /// A copy between memory of two of the devices, whose locks the caller holds.
  absl::Status copy(const CudaDevice &source, const void *from, const CudaDevice &target, void *to, int64_t bytes);
  /// "2.23.4".
  std::string version() const { return ncclVersionText(nccl_.version); }

private:
  NcclGroup(const NcclLibrary &nccl, std::vector<CudaDevice *> devices);
  /// OK for 0; else the error of a call, after all communicators were aborted. `member`: whose call it was.
  absl::Status checkCall(NcclResult result, const char *call, size_t member = 0);
  /// An error once they were aborted.
  absl::Status checkAlive();
  /// Groups of calls that this thread began are ended before: what they have is of the communicators.
  void abortAll();
  size_t memberOf(const CudaDevice &device) const;

  const NcclLibrary &nccl_;
  const std::vector<CudaDevice *> devices_;
  std::recursive_mutex mutex_;                  ///< of what follows
  std::vector<NcclCommunicator> communicators_; ///< of each device; empty: none were made, or they were aborted
  absl::Status failed_;                         ///< why they were
  int openGroups_ = 0;                          ///< of calls
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_NCCLGROUP_H
