//===- CudaDriver.h - The driver of NVIDIA GPUs, as it is found at run time ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_CUDADRIVER_H
#define MLCRT_DEVICE_CUDA_CUDADRIVER_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mlcrt {

/// What functions of the driver return: 0, or the number of an error.
using CudaResult = int;
/// An address in the memory of a GPU.
using CudaAddress = uint64_t;
/// Objects of the driver.
using CudaContextHandle = struct CudaContextObject *;
using CudaStream = struct CudaStreamObject *;
using CudaEvent = struct CudaEventObject *;
using CudaModule = struct CudaModuleObject *;
using CudaFunction = struct CudaFunctionObject *;
using CudaGraph = struct CudaGraphObject *;
using CudaGraphExec = struct CudaGraphExecObject *;
using CudaGraphNode = struct CudaGraphNodeObject *;

/// A launch as a node of a graph (CUDA_KERNEL_NODE_PARAMS of version 1). As of cuLaunchKernel.
struct CudaKernelNode {
  CudaFunction function;
  unsigned grid[3], block[3], sharedBytes;
  void **parameters, **extra;
};

/// One side of a copy as a node of a graph: of 1 x 1 x bytes.
struct CudaCopySide {
  size_t xInBytes, y, z, level;
  unsigned memoryType;
  const void *host;
  CudaAddress device;
  void *array, *reserved;
  size_t pitch, height;
};
/// The copy (CUDA_MEMCPY3D).
struct CudaCopyNode {
  CudaCopySide from, to;
  size_t widthInBytes, height, depth;
};
constexpr unsigned kCudaMemoryDevice = 2; ///< CU_MEMORYTYPE_DEVICE

/// Options of cuModuleLoadDataEx: buffers for what the compiler of PTX says, and their sizes; whether code keeps the
/// lines that PTX names (CUjit_option).
enum CudaJitOption : int {
  kCudaJitInfoLog = 3,
  kCudaJitInfoLogBytes = 4,
  kCudaJitErrorLog = 5,
  kCudaJitErrorLogBytes = 6,
  kCudaJitLineInfo = 13,
};

/// What decides whether, or how often, a conditional node of a graph runs its body.
using CudaConditional = uint64_t;

/// A conditional node (CUgraphNodeParams of the kind, with CUDA_CONDITIONAL_NODE_PARAMS). The driver makes the bodies.
struct CudaConditionalNode {
  int kind; ///< of the node: kCudaConditionalNode
  int reserved[3];
  CudaConditional handle;
  int type;      ///< kCudaIf or kCudaWhile
  unsigned size; ///< number of bodies
  CudaGraph *bodies;
  CudaContextHandle context;
  char rest[232 - 32];
  long long reservedEnd;
};
static_assert(sizeof(CudaConditionalNode) == 256, "the driver's size");
constexpr int kCudaConditionalNode = 13; ///< CU_GRAPH_NODE_TYPE_CONDITIONAL
constexpr int kCudaIf = 0, kCudaWhile = 1;

/// Functions that every driver from kLeastCudaDriver on exports: X(name, parameters). The names are those of the
/// library: headers of the driver hide some of the versions.
#define MLCRT_CUDA_REQUIRED(X)                                                                                         \
  X(cuInit, (unsigned flags))                                                                                          \
  X(cuDriverGetVersion, (int *version))                                                                                \
  X(cuGetErrorName, (CudaResult result, const char **name))                                                            \
  X(cuGetErrorString, (CudaResult result, const char **text))                                                          \
  X(cuDeviceGetCount, (int *count))                                                                                    \
  X(cuDeviceGet, (int *device, int ordinal))                                                                           \
  X(cuDeviceGetName, (char *name, int size, int device))                                                               \
  X(cuDeviceGetAttribute, (int *value, int attribute, int device))                                                     \
  X(cuDeviceTotalMem_v2, (size_t *bytes, int device))                                                                  \
  X(cuDevicePrimaryCtxRetain, (CudaContextHandle * context, int device))                                               \
  X(cuDevicePrimaryCtxRelease_v2, (int device))                                                                        \
  X(cuCtxSetCurrent, (CudaContextHandle context))                                                                      \
  X(cuStreamCreate, (CudaStream * stream, unsigned flags))                                                             \
  X(cuStreamDestroy_v2, (CudaStream stream))                                                                           \
  X(cuStreamSynchronize, (CudaStream stream))                                                                          \
  X(cuStreamWaitEvent, (CudaStream stream, CudaEvent event, unsigned flags))                                           \
  X(cuEventCreate, (CudaEvent * event, unsigned flags))                                                                \
  X(cuEventRecord, (CudaEvent event, CudaStream stream))                                                               \
  X(cuEventSynchronize, (CudaEvent event))                                                                             \
  X(cuEventElapsedTime, (float *milliseconds, CudaEvent begin, CudaEvent end))                                         \
  X(cuEventDestroy_v2, (CudaEvent event))                                                                              \
  X(cuMemAlloc_v2, (CudaAddress * address, size_t bytes))                                                              \
  X(cuMemFree_v2, (CudaAddress address))                                                                               \
  X(cuMemGetInfo_v2, (size_t *free, size_t *total))                                                                    \
  X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                                                     \
  X(cuMemFreeHost, (void *memory))                                                                                     \
  X(cuMemcpyHtoDAsync_v2, (CudaAddress to, const void *from, size_t bytes, CudaStream stream))                         \
  X(cuMemcpyDtoHAsync_v2, (void *to, CudaAddress from, size_t bytes, CudaStream stream))                               \
  X(cuMemcpyDtoDAsync_v2, (CudaAddress to, CudaAddress from, size_t bytes, CudaStream stream))                         \
  X(cuMemcpyPeerAsync, (CudaAddress to, CudaContextHandle toContext, CudaAddress from, CudaContextHandle fromContext,  \
                        size_t bytes, CudaStream stream))                                                              \
  X(cuDeviceCanAccessPeer, (int *can, int device, int peer))                                                           \
  X(cuCtxEnablePeerAccess, (CudaContextHandle peer, unsigned flags))                                                   \
  X(cuModuleLoadDataEx, (CudaModule * module, const void *image, unsigned count, int *options, void **values))         \
  X(cuModuleUnload, (CudaModule module))                                                                               \
  X(cuModuleGetFunction, (CudaFunction * function, CudaModule module, const char *name))                               \
  X(cuModuleGetGlobal_v2, (CudaAddress * address, size_t *bytes, CudaModule module, const char *name))                 \
  X(cuFuncSetAttribute, (CudaFunction function, int attribute, int value))                                             \
  X(cuFuncGetAttribute, (int *value, int attribute, CudaFunction function))                                            \
  X(cuLaunchKernel,                                                                                                    \
    (CudaFunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,          \
     unsigned blockZ, unsigned sharedBytes, CudaStream stream, void **parameters, void **extra))                       \
  X(cuGraphCreate, (CudaGraph * graph, unsigned flags))                                                                \
  X(cuGraphAddKernelNode, (CudaGraphNode * node, CudaGraph graph, const CudaGraphNode *before, size_t numBefore,       \
                           const CudaKernelNode *launch))                                                              \
  X(cuGraphAddMemcpyNode, (CudaGraphNode * node, CudaGraph graph, const CudaGraphNode *before, size_t numBefore,       \
                           const CudaCopyNode *copy, CudaContextHandle context))                                       \
  X(cuGraphExecKernelNodeSetParams, (CudaGraphExec exec, CudaGraphNode node, const CudaKernelNode *launch))            \
  X(cuGraphExecMemcpyNodeSetParams,                                                                                    \
    (CudaGraphExec exec, CudaGraphNode node, const CudaCopyNode *copy, CudaContextHandle context))                     \
  X(cuGraphInstantiateWithFlags, (CudaGraphExec * exec, CudaGraph graph, unsigned long long flags))                    \
  X(cuGraphLaunch, (CudaGraphExec exec, CudaStream stream))                                                            \
  X(cuGraphExecDestroy, (CudaGraphExec exec))                                                                          \
  X(cuGraphDestroy, (CudaGraph graph))

/// Functions that newer drivers export; null where there are none.
#define MLCRT_CUDA_OPTIONAL(X)                                                                                         \
  X(cuFuncGetParamInfo, (CudaFunction function, size_t index, size_t *offset, size_t *bytes)) /* CUDA 12.4 */          \
  X(cuGraphConditionalHandleCreate, (CudaConditional * handle, CudaGraph graph, CudaContextHandle context,             \
                                     unsigned first, unsigned flags)) /* CUDA 12.3 */                                  \
  X(cuGraphAddNode, (CudaGraphNode * node, CudaGraph graph, const CudaGraphNode *before, size_t numBefore,             \
                     CudaConditionalNode *parameters)) /* CUDA 12.3 */                                                 \
  X(cuTensorMapEncodeTiled,                                                                                            \
    (void *map, int type, unsigned rank, void *address, const uint64_t *sizes, const uint64_t *strides,                \
     const uint32_t *box, const uint32_t *steps, int interleaving, int swizzle, int reads, int fill)) /* CUDA 12.0 */

/// The oldest driver that has all required functions: CUDA 11.4, as the driver numbers it.
constexpr int kLeastCudaDriver = 11040;

/// Results that someone tells from others.
enum CudaResults : CudaResult {
  kCudaOutOfMemory = 2,
  kCudaNoDevice = 100,
  kCudaInvalidImage = 200,
  kCudaNoBinaryForGpu = 209,
  kCudaNotFound = 500,
  kCudaPeerAccessAlreadyEnabled = 704,
};

/// Numbers of attributes of devices and of functions.
enum CudaAttributes : int {
  kCudaMaxThreadsPerBlock = 1,
  kCudaMaxBlockDimX = 2, ///< y and z follow
  kCudaMaxGridDimX = 5,  ///< y and z follow
  kCudaCapabilityMajor = 75,
  kCudaCapabilityMinor = 76,
  kCudaMaxSharedBytesOptIn = 97,
  kCudaFunctionMaxThreads = 0,
  kCudaFunctionSharedBytes = 1,
  kCudaFunctionMaxDynamicSharedBytes = 8,
};

/// The driver's functions. Nothing of the driver's headers is used, and no library of it linked: a program without a
/// GPU starts without it.
struct CudaDriver {
#define MLCRT_CUDA_FUNCTION(name, parameters) CudaResult(*name) parameters = nullptr;
  MLCRT_CUDA_REQUIRED(MLCRT_CUDA_FUNCTION)
  MLCRT_CUDA_OPTIONAL(MLCRT_CUDA_FUNCTION)
#undef MLCRT_CUDA_FUNCTION
  std::string library; ///< as it was opened
  int version = 0;     ///< of CUDA: 12040 for 12.4

  /// Opens a library, once in a process, and initializes the driver. Empty: the one that the environment variable
  /// MLC_CUDA_DRIVER names, else libcuda.so.1. kFailedPrecondition: there is none, it lacks a function, it is older
  /// than kLeastCudaDriver, or it finds no device or does not start.
  static absl::StatusOr<const CudaDriver *> open(const std::string &library = {});

  /// "CUDA_ERROR_INVALID_VALUE (1): invalid argument".
  std::string describe(CudaResult result) const;
};

/// "; CUDA_VISIBLE_DEVICES is '1'", for messages about GPUs that are not there; empty where it is not set.
std::string visibleCudaDevices();

/// "12.4" of 12040.
std::string cudaVersionText(int version);

/// Whether no call of a context works after this result of one.
bool losesCudaContext(CudaResult result);
/// Of those results: whether the machine may be at fault (a card that is gone, its memory or its links), so that
/// another run may not meet it. A launch that failed for no cause that is told is one.
bool isCudaMachineFault(CudaResult result);

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_CUDADRIVER_H
