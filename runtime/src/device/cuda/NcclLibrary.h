//===- NcclLibrary.h - NCCL, as it is found at run time -----------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_NCCLLIBRARY_H
#define MLCRT_DEVICE_CUDA_NCCLLIBRARY_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/device/cuda/CudaDriver.h"

#include <cstddef>
#include <string>

namespace mlcrt {

/// What functions of NCCL return: 0, or the number of an error.
using NcclResult = int;
/// A communicator: what NCCL has of one GPU of a group.
using NcclCommunicator = struct NcclCommunicatorObject *;

/// Functions that every NCCL from kLeastNccl on exports: X(name, type, parameters).
#define MLCRT_NCCL_REQUIRED(X)                                                                                         \
  X(ncclGetVersion, NcclResult, (int *version))                                                                        \
  X(ncclGetErrorString, const char *, (NcclResult result))                                                             \
  X(ncclCommInitAll, NcclResult, (NcclCommunicator * communicators, int count, const int *ordinals))                   \
  X(ncclCommDestroy, NcclResult, (NcclCommunicator communicator))                                                      \
  X(ncclCommAbort, NcclResult, (NcclCommunicator communicator))                                                        \
  X(ncclCommGetAsyncError, NcclResult, (NcclCommunicator communicator, NcclResult * error))                            \
  X(ncclGroupStart, NcclResult, ())                                                                                    \
  X(ncclGroupEnd, NcclResult, ())                                                                                      \
  X(ncclSend, NcclResult,                                                                                              \
    (const void *from, size_t count, int type, int peer, NcclCommunicator communicator, CudaStream stream))            \
  X(ncclRecv, NcclResult,                                                                                              \
    (void *to, size_t count, int type, int peer, NcclCommunicator communicator, CudaStream stream))                    \
  X(ncclAllReduce, NcclResult,                                                                                         \
    (const void *from, void *to, size_t count, int type, int operation, NcclCommunicator communicator,                 \
     CudaStream stream))

/// Functions that newer ones export; null where there are none.
#define MLCRT_NCCL_OPTIONAL(X) X(ncclGetLastError, const char *, (NcclCommunicator communicator)) /* 2.13 */

/// The oldest NCCL that has all required functions and types, 2.10, as NCCL numbers it.
constexpr int kLeastNccl = 21000;

/// Results, types of elements and operations that someone names.
enum NcclConstants : int {
  kNcclUnhandledCudaError = 1,
  kNcclInProgress = 7,
  kNcclInt8 = 0,
  kNcclUint8 = 1,
  kNcclInt32 = 2,
  kNcclUint32 = 3,
  kNcclInt64 = 4,
  kNcclUint64 = 5,
  kNcclFloat16 = 6,
  kNcclFloat32 = 7,
  kNcclFloat64 = 8,
  kNcclBfloat16 = 9,
  kNcclSum = 0,
};

/// NCCL's functions. Nothing of its headers is used, and it is not linked: who does not ask for it runs without it.
struct NcclLibrary {
#define MLCRT_NCCL_FUNCTION(name, type, parameters) type(*name) parameters = nullptr;
  MLCRT_NCCL_REQUIRED(MLCRT_NCCL_FUNCTION)
  MLCRT_NCCL_OPTIONAL(MLCRT_NCCL_FUNCTION)
#undef MLCRT_NCCL_FUNCTION
  std::string library; ///< as it was opened
  int version = 0;     ///< 22304 for 2.23.4; up to 2.8 it was 2804

  /// Opens a library, once in a process. Empty: the one that the environment variable MLC_NCCL_LIBRARY names, else
  /// libnccl.so.2. kFailedPrecondition: there is none, it lacks a function, or it is older than kLeastNccl.
  static absl::StatusOr<const NcclLibrary *> open(const std::string &library = {});

  /// "unhandled cuda error (1): what NCCL says of it"; `communicator` may be null.
  std::string describe(NcclResult result, NcclCommunicator communicator) const;
};

/// "2.23.4" of 22304.
std::string ncclVersionText(int version);

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_NCCLLIBRARY_H
