// What is declared by hand of the CUDA driver, beside its header where there is one. All of it is looked at when this
// is compiled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HeaderCheck.h"
#include "runtime/src/device/cuda/CudaDriver.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
// Names are those of the library, older versions among them, which the header else replaces by newer ones.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#endif

#if defined(CUDA_VERSION) && CUDA_VERSION >= 12000
using namespace mlcrt;

#define CHECK_CALL(name, parameters)                                                                                   \
  static_assert(header_check::IsCalledAlike<decltype(CudaDriver::name), decltype(&::name)>::value,                     \
                #name " takes other parameters by cuda.h");
MLCRT_CUDA_REQUIRED(CHECK_CALL)
#if CUDA_VERSION >= 12040
MLCRT_CUDA_OPTIONAL(CHECK_CALL)
#endif

#define CHECK_FIELD(ours, our, theirs, their)                                                                          \
  static_assert(offsetof(ours, our) == offsetof(theirs, their) && sizeof(ours::our) == sizeof(theirs::their),          \
                #ours "::" #our " lies elsewhere by cuda.h");
#define CHECK_NUMBER(ours, theirs) static_assert(int(ours) == int(theirs), #ours " has another number by cuda.h");

// Nodes of graphs. The launch has three sizes as one array each.
static_assert(sizeof(CudaKernelNode) == sizeof(CUDA_KERNEL_NODE_PARAMS_v1));
static_assert(offsetof(CudaKernelNode, grid) == offsetof(CUDA_KERNEL_NODE_PARAMS_v1, gridDimX));
static_assert(offsetof(CudaKernelNode, block) == offsetof(CUDA_KERNEL_NODE_PARAMS_v1, blockDimX));
CHECK_FIELD(CudaKernelNode, function, CUDA_KERNEL_NODE_PARAMS_v1, func)
CHECK_FIELD(CudaKernelNode, sharedBytes, CUDA_KERNEL_NODE_PARAMS_v1, sharedMemBytes)
CHECK_FIELD(CudaKernelNode, parameters, CUDA_KERNEL_NODE_PARAMS_v1, kernelParams)
CHECK_FIELD(CudaKernelNode, extra, CUDA_KERNEL_NODE_PARAMS_v1, extra)

#define CHECK_SIDE(our, their)                                                                                         \
  static_assert(offsetof(CudaCopyNode, from.our) == offsetof(CUDA_MEMCPY3D, src##their) &&                             \
                    offsetof(CudaCopyNode, to.our) == offsetof(CUDA_MEMCPY3D, dst##their) &&                           \
                    sizeof(CudaCopySide::our) == sizeof(CUDA_MEMCPY3D::src##their),                                    \
                "CudaCopySide::" #our " lies elsewhere by cuda.h");
static_assert(sizeof(CudaCopyNode) == sizeof(CUDA_MEMCPY3D));
CHECK_SIDE(xInBytes, XInBytes)
CHECK_SIDE(y, Y)
CHECK_SIDE(z, Z)
CHECK_SIDE(level, LOD)
CHECK_SIDE(memoryType, MemoryType)
CHECK_SIDE(host, Host)
CHECK_SIDE(device, Device)
CHECK_SIDE(array, Array)
CHECK_SIDE(pitch, Pitch)
CHECK_SIDE(height, Height)
CHECK_FIELD(CudaCopyNode, widthInBytes, CUDA_MEMCPY3D, WidthInBytes)
CHECK_FIELD(CudaCopyNode, height, CUDA_MEMCPY3D, Height)
CHECK_FIELD(CudaCopyNode, depth, CUDA_MEMCPY3D, Depth)
CHECK_NUMBER(kCudaMemoryDevice, CU_MEMORYTYPE_DEVICE)
CHECK_NUMBER(kCudaJitInfoLog, CU_JIT_INFO_LOG_BUFFER)
CHECK_NUMBER(kCudaJitInfoLogBytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
CHECK_NUMBER(kCudaJitErrorLog, CU_JIT_ERROR_LOG_BUFFER)
CHECK_NUMBER(kCudaJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
CHECK_NUMBER(kCudaJitLineInfo, CU_JIT_GENERATE_LINE_INFO)

#if CUDA_VERSION >= 12030
static_assert(sizeof(CudaConditionalNode) == sizeof(CUgraphNodeParams));
CHECK_FIELD(CudaConditionalNode, kind, CUgraphNodeParams, type)
CHECK_FIELD(CudaConditionalNode, handle, CUgraphNodeParams, conditional.handle)
CHECK_FIELD(CudaConditionalNode, type, CUgraphNodeParams, conditional.type)
CHECK_FIELD(CudaConditionalNode, size, CUgraphNodeParams, conditional.size)
CHECK_FIELD(CudaConditionalNode, bodies, CUgraphNodeParams, conditional.phGraph_out)
CHECK_FIELD(CudaConditionalNode, context, CUgraphNodeParams, conditional.ctx)
CHECK_FIELD(CudaConditionalNode, reservedEnd, CUgraphNodeParams, reserved2)
CHECK_NUMBER(kCudaConditionalNode, CU_GRAPH_NODE_TYPE_CONDITIONAL)
CHECK_NUMBER(kCudaIf, CU_GRAPH_COND_TYPE_IF)
CHECK_NUMBER(kCudaWhile, CU_GRAPH_COND_TYPE_WHILE)
#endif

CHECK_NUMBER(kCudaOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY)
CHECK_NUMBER(kCudaNoDevice, CUDA_ERROR_NO_DEVICE)
CHECK_NUMBER(kCudaInvalidImage, CUDA_ERROR_INVALID_IMAGE)
CHECK_NUMBER(kCudaNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU)
CHECK_NUMBER(kCudaNotFound, CUDA_ERROR_NOT_FOUND)
CHECK_NUMBER(kCudaPeerAccessAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
CHECK_NUMBER(kCudaMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
CHECK_NUMBER(kCudaMaxBlockDimX, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)
CHECK_NUMBER(kCudaMaxBlockDimX + 2, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)
CHECK_NUMBER(kCudaMaxGridDimX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)
CHECK_NUMBER(kCudaMaxGridDimX + 2, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)
CHECK_NUMBER(kCudaCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
CHECK_NUMBER(kCudaCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
CHECK_NUMBER(kCudaMaxSharedBytesOptIn, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
CHECK_NUMBER(kCudaFunctionMaxThreads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
CHECK_NUMBER(kCudaFunctionSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
CHECK_NUMBER(kCudaFunctionMaxDynamicSharedBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)

TEST(CudaHeaderTest, DeclaresWhatTheRuntimeCalls) {
  EXPECT_TRUE(isCudaMachineFault(CUDA_ERROR_DEVICE_UNAVAILABLE));
  EXPECT_TRUE(isCudaMachineFault(CUDA_ERROR_ECC_UNCORRECTABLE));
  EXPECT_TRUE(isCudaMachineFault(CUDA_ERROR_NVLINK_UNCORRECTABLE));
  EXPECT_TRUE(isCudaMachineFault(CUDA_ERROR_LAUNCH_TIMEOUT));
  EXPECT_TRUE(isCudaMachineFault(CUDA_ERROR_LAUNCH_FAILED));
  EXPECT_TRUE(isCudaMachineFault(CUDA_ERROR_SYSTEM_NOT_READY));
  EXPECT_TRUE(isCudaMachineFault(CUDA_ERROR_UNKNOWN));
  for (CUresult lost : {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_ASSERT,
                        CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_ILLEGAL_INSTRUCTION, CUDA_ERROR_MISALIGNED_ADDRESS,
                        CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_PC})
    EXPECT_TRUE(losesCudaContext(lost)) << lost;
}
#else
TEST(CudaHeaderTest, DeclaresWhatTheRuntimeCalls) { GTEST_SKIP() << "there is no cuda.h of CUDA 12.0 or later"; }
#endif
