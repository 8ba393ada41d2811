// What is declared by hand of NCCL, beside its header where there is one. All of it is looked at when this is compiled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HeaderCheck.h"
#include "runtime/src/device/cuda/NcclLibrary.h"

#include <gtest/gtest.h>

#include <string>

#if __has_include(<nccl.h>) && __has_include(<cuda_runtime.h>)
#include <nccl.h>
#endif

#if defined(NCCL_VERSION_CODE) && NCCL_VERSION_CODE >= 21400
using namespace mlcrt;

#define CHECK_CALL(name, type, parameters)                                                                             \
  static_assert(header_check::IsCalledAlike<decltype(NcclLibrary::name), decltype(&::name)>::value,                    \
                #name " takes other parameters by nccl.h");
#define CHECK_NUMBER(ours, theirs) static_assert(int(ours) == int(theirs), #ours " has another number by nccl.h");
MLCRT_NCCL_REQUIRED(CHECK_CALL)
MLCRT_NCCL_OPTIONAL(CHECK_CALL)

CHECK_NUMBER(kNcclUnhandledCudaError, ncclUnhandledCudaError)
CHECK_NUMBER(kNcclInProgress, ncclInProgress)
CHECK_NUMBER(kNcclInt8, ncclInt8)
CHECK_NUMBER(kNcclUint8, ncclUint8)
CHECK_NUMBER(kNcclInt32, ncclInt32)
CHECK_NUMBER(kNcclUint32, ncclUint32)
CHECK_NUMBER(kNcclInt64, ncclInt64)
CHECK_NUMBER(kNcclUint64, ncclUint64)
CHECK_NUMBER(kNcclFloat16, ncclFloat16)
CHECK_NUMBER(kNcclFloat32, ncclFloat32)
CHECK_NUMBER(kNcclFloat64, ncclFloat64)
CHECK_NUMBER(kNcclBfloat16, ncclBfloat16)
CHECK_NUMBER(kNcclSum, ncclSum)

TEST(NcclHeaderTest, DeclaresWhatTheRuntimeCalls) {
  EXPECT_EQ(ncclVersionText(NCCL_VERSION_CODE),
            std::to_string(NCCL_MAJOR) + "." + std::to_string(NCCL_MINOR) + "." + std::to_string(NCCL_PATCH));
}
#else
TEST(NcclHeaderTest, DeclaresWhatTheRuntimeCalls) { GTEST_SKIP() << "there is no nccl.h of NCCL 2.14 or later"; }
#endif
