//===- NcclGroup.cpp - GPUs of a process that exchange values by NCCL ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/NcclGroup.h"

#include "mlcrt/abi.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/device/cuda/CudaDevice.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <utility>

namespace mlcrt {

/// NCCL's number of a type; -1: it adds none of these.
static int ncclTypeOf(int32_t dtype) {
  switch (dtype) {
  case MLCRT_F32:
    return kNcclFloat32;
  case MLCRT_F64:
    return kNcclFloat64;
  case MLCRT_F16:
    return kNcclFloat16;
  case MLCRT_BF16:
    return kNcclBfloat16;
  case MLCRT_I8:
    return kNcclInt8;
  case MLCRT_U8:
    return kNcclUint8;
  case MLCRT_I32:
    return kNcclInt32;
  case MLCRT_U32:
    return kNcclUint32;
  case MLCRT_I64:
    return kNcclInt64;
  case MLCRT_U64:
    return kNcclUint64;
  default:
    return -1;
  }
}

NcclGroup::NcclGroup(const NcclLibrary &nccl, std::vector<CudaDevice *> devices)
    : nccl_(nccl), devices_(std::move(devices)) {}

absl::StatusOr<std::unique_ptr<NcclGroup>> NcclGroup::create(const std::vector<Device *> &devices,
                                                             const std::string &library) {
  absl::StatusOr<const NcclLibrary *> nccl = NcclLibrary::open(library);
  if (!nccl.ok())
    return nccl.status();
  std::vector<CudaDevice *> gpus;
  std::vector<int> ordinals;
  for (Device *device : devices) {
    gpus.push_back(static_cast<CudaDevice *>(device));
    ordinals.push_back(gpus.back()->info().device);
  }
  std::unique_ptr<NcclGroup> group(new NcclGroup(**nccl, std::move(gpus)));
  std::vector<NcclCommunicator> made(devices.size());
  if (const NcclResult result = (*nccl)->ncclCommInitAll(made.data(), static_cast<int>(made.size()), ordinals.data()))
    return absl::FailedPreconditionError(
        absl::StrCat("NCCL ", group->version(), " of '", (*nccl)->library, "' connects no ", devices.size(),
                     " GPUs: ncclCommInitAll failed: ", (*nccl)->describe(result, nullptr)));
  group->communicators_ = std::move(made);
  for (CudaDevice *gpu : group->devices_)
    gpu->copyBy(group.get());
  return group;
}

NcclGroup::~NcclGroup() {
  for (CudaDevice *device : devices_)
    device->copyBy(nullptr);
  // Each waits for what it was asked for.
  for (NcclCommunicator communicator : communicators_)
    nccl_.ncclCommDestroy(communicator);
}

void NcclGroup::abortAll() {
  for (; openGroups_ > 0; --openGroups_)
    nccl_.ncclGroupEnd();
  for (NcclCommunicator communicator : std::exchange(communicators_, {}))
    nccl_.ncclCommAbort(communicator);
}

void NcclGroup::giveUp() {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (failed_.ok())
    failed_ = absl::InternalError("NCCL's communicators were aborted, as a GPU's part of the step failed");
  abortAll();
}

absl::Status NcclGroup::checkAlive() { return communicators_.empty() ? failed_ : absl::OkStatus(); }

absl::Status NcclGroup::checkCall(NcclResult result, const char *call, size_t member) {
  if (result == 0)
    return absl::OkStatus();
  const std::string text =
      absl::StrCat(call, " failed: ", nccl_.describe(result, communicators_[member]), "; NCCL ", version());
  // What others wait for will not come.
  abortAll();
  failed_ = absl::InternalError(text);
  for (CudaDevice *device : devices_)
    if (absl::Status lost = device->wait(); isDeviceLost(lost)) {
      failed_ = withText(lost, absl::StrCat(text, "; ", lost.message()));
      break;
    }
  return failed_;
}

size_t NcclGroup::memberOf(const CudaDevice &device) const {
  return static_cast<size_t>(std::find(devices_.begin(), devices_.end(), &device) - devices_.begin());
}

absl::Status NcclGroup::beginCopies() {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = checkAlive(); !status.ok())
    return status;
  if (absl::Status status = checkCall(nccl_.ncclGroupStart(), "ncclGroupStart"); !status.ok())
    return status;
  ++openGroups_;
  return absl::OkStatus();
}

absl::Status NcclGroup::endCopies() {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = checkAlive(); !status.ok())
    return status;
  --openGroups_;
  return checkCall(nccl_.ncclGroupEnd(), "ncclGroupEnd");
}

absl::Status NcclGroup::copy(const CudaDevice &source, const void *from, const CudaDevice &target, void *to,
                             int64_t bytes) {
  const size_t sender = memberOf(source), receiver = memberOf(target);
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  // A group of its own, or a part of what beginCopies began.
  if (absl::Status status = beginCopies(); !status.ok())
    return status;
  absl::Status status = checkCall(nccl_.ncclSend(from, static_cast<size_t>(bytes), kNcclUint8,
                                                 static_cast<int>(receiver), communicators_[sender], source.stream()),
                                  "ncclSend", sender);
  if (status.ok())
    status = checkCall(nccl_.ncclRecv(to, static_cast<size_t>(bytes), kNcclUint8, static_cast<int>(sender),
                                      communicators_[receiver], target.stream()),
                       "ncclRecv", receiver);
  const absl::Status ended = endCopies();
  return status.ok() ? ended : status;
}

bool NcclGroup::canAdd(int32_t dtype) const { return ncclTypeOf(dtype) >= 0; }

absl::Status NcclGroup::add(const std::vector<CollectiveSum> &sums) {
  for (CudaDevice *device : devices_)
    if (absl::Status status = device->endRecorded("sums of several devices"); !status.ok())
      return status;
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = beginCopies(); !status.ok())
    return status;
  absl::Status status;
  for (const CollectiveSum &sum : sums) {
    const int type = ncclTypeOf(sum.dtype);
    if (type < 0)
      status = absl::UnimplementedError(absl::StrCat("NCCL adds no ", dtypeName(sum.dtype)));
    for (size_t m = 0; m < devices_.size() && status.ok(); ++m)
      status = checkCall(nccl_.ncclAllReduce(sum.values[m], sum.values[m], static_cast<size_t>(sum.count), type,
                                             kNcclSum, communicators_[m], devices_[m]->stream()),
                         "ncclAllReduce", m);
    if (!status.ok())
      break;
  }
  const absl::Status ended = endCopies();
  return status.ok() ? ended : status;
}

absl::Status NcclGroup::check() {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (absl::Status status = checkAlive(); !status.ok())
    return status;
  for (size_t m = 0; m < communicators_.size(); ++m) {
    NcclResult error = 0;
    if (absl::Status status =
            checkCall(nccl_.ncclCommGetAsyncError(communicators_[m], &error), "ncclCommGetAsyncError", m);
        !status.ok())
      return status;
    if (error != 0 && error != kNcclInProgress)
      return checkCall(error, "what NCCL was asked for", m);
  }
  return absl::OkStatus();
}

} // namespace mlcrt
