//===- CudaLeast.cpp - The less of two numbers in a GPU's memory --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaLeast.h"

namespace mlcrt {

static constexpr const char kKernelName[] = "mlc_lower_number";

static constexpr const char kText[] = R"(.version 7.0
.target sm_80
.address_size 64

.visible .entry mlc_lower_number(
  .param .u64 number,
  .param .u64 other
)
{
  .reg .b64 %rd<8>;

  ld.param.u64 %rd1, [number];
  ld.param.u64 %rd2, [other];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  ld.global.u64 %rd5, [%rd3];
  ld.global.u64 %rd6, [%rd4];
  min.u64 %rd7, %rd5, %rd6;
  st.global.u64 [%rd3], %rd7;
  ret;
}
)";

CudaLeast::~CudaLeast() {
  if (module_)
    context_.driver().cuModuleUnload(module_);
}

absl::Status CudaLeast::load() {
  const CudaDriver &driver = context_.driver();
  if (!module_)
    if (absl::Status status = context_.check(driver.cuModuleLoadDataEx(&module_, kText, 0, nullptr, nullptr),
                                             "cuModuleLoadDataEx", kKernelName);
        !status.ok()) {
      module_ = nullptr;
      return status;
    }
  return context_.check(driver.cuModuleGetFunction(&kernel_, module_, kKernelName), "cuModuleGetFunction", kKernelName);
}

absl::Status CudaLeast::lower(CudaAddress number, CudaAddress other) {
  if (!kernel_)
    if (absl::Status status = load(); !status.ok())
      return status;
  void *arguments[] = {&number, &other};
  return context_.check(
      context_.driver().cuLaunchKernel(kernel_, 1, 1, 1, 1, 1, 1, 0, context_.stream(), arguments, nullptr),
      "cuLaunchKernel", kKernelName);
}

} // namespace mlcrt
