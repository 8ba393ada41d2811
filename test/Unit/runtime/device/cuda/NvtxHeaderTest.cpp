// What is declared by hand of NVTX, beside its header where there is one. All of it is looked at when this is compiled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/NvtxInterface.h"

#include <gtest/gtest.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
using namespace mlcrt;

#define CHECK_NUMBER(ours, theirs)                                                                                     \
  static_assert(int(nvtx::ours) == int(theirs), #ours " has another number by nvToolsExt.h");
#define CHECK_FIELD(ours, our, theirs, their)                                                                          \
  static_assert(offsetof(nvtx::ours, our) == offsetof(theirs, their) &&                                                \
                    sizeof(nvtx::ours::our) == sizeof(theirs::their),                                                  \
                #ours "::" #our " lies elsewhere by nvToolsExt.h");

CHECK_NUMBER(kVersion, NVTX_VERSION)
CHECK_NUMBER(kCallbacksTable, NVTX_ETID_CALLBACKS)
CHECK_NUMBER(kVersionTable, NVTX_ETID_VERSIONINFO)
CHECK_NUMBER(kCore, NVTX_CB_MODULE_CORE)
CHECK_NUMBER(kCuda, NVTX_CB_MODULE_CUDA)
CHECK_NUMBER(kOpenCl, NVTX_CB_MODULE_OPENCL)
CHECK_NUMBER(kCudaRuntime, NVTX_CB_MODULE_CUDART)
CHECK_NUMBER(kCore2, NVTX_CB_MODULE_CORE2)
CHECK_NUMBER(kSync, NVTX_CB_MODULE_SYNC)
CHECK_NUMBER(kModulesEnd, NVTX_CB_MODULE_SIZE)
CHECK_NUMBER(kNameOsThreadA, NVTX_CBID_CORE_NameOsThreadA)
CHECK_NUMBER(kDomainRangePushEx, NVTX_CBID_CORE2_DomainRangePushEx)
CHECK_NUMBER(kDomainRangePop, NVTX_CBID_CORE2_DomainRangePop)
CHECK_NUMBER(kDomainCreateA, NVTX_CBID_CORE2_DomainCreateA)
CHECK_NUMBER(kPlaces[nvtx::kCore], NVTX_CBID_CORE_SIZE)
CHECK_NUMBER(kPlaces[nvtx::kCuda], NVTX_CBID_CUDA_SIZE)
CHECK_NUMBER(kPlaces[nvtx::kOpenCl], NVTX_CBID_OPENCL_SIZE)
CHECK_NUMBER(kPlaces[nvtx::kCudaRuntime], NVTX_CBID_CUDART_SIZE)
CHECK_NUMBER(kPlaces[nvtx::kCore2], NVTX_CBID_CORE2_SIZE)
CHECK_NUMBER(kPlaces[nvtx::kSync], NVTX_CBID_SYNC_SIZE)
CHECK_NUMBER(kInt64, NVTX_PAYLOAD_TYPE_INT64)
CHECK_NUMBER(kAscii, NVTX_MESSAGE_TYPE_ASCII)

CHECK_FIELD(CallbacksTable, size, NvtxExportTableCallbacks, struct_size)
CHECK_FIELD(CallbacksTable, getModule, NvtxExportTableCallbacks, GetModuleFunctionTable)
CHECK_FIELD(VersionTable, version, NvtxExportTableVersionInfo, version)
CHECK_FIELD(VersionTable, setProfilerVersion, NvtxExportTableVersionInfo, SetInjectionNvtxVersion)
static_assert(sizeof(nvtx::CallbacksTable) == sizeof(NvtxExportTableCallbacks));
static_assert(sizeof(nvtx::VersionTable) == sizeof(NvtxExportTableVersionInfo));

static_assert(sizeof(nvtx::Event) == sizeof(nvtxEventAttributes_t));
CHECK_FIELD(Event, version, nvtxEventAttributes_t, version)
CHECK_FIELD(Event, size, nvtxEventAttributes_t, size)
CHECK_FIELD(Event, payloadType, nvtxEventAttributes_t, payloadType)
CHECK_FIELD(Event, payload, nvtxEventAttributes_t, payload)
CHECK_FIELD(Event, messageType, nvtxEventAttributes_t, messageType)
CHECK_FIELD(Event, message, nvtxEventAttributes_t, message)

TEST(NvtxHeaderTest, DeclaresWhatTheRuntimeCalls) { SUCCEED(); }
#else
TEST(NvtxHeaderTest, DeclaresWhatTheRuntimeCalls) { GTEST_SKIP() << "there is no nvtx3/nvToolsExt.h"; }
#endif
