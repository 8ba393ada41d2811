//===- CudaConditions.cpp - What decides for conditional nodes of graphs ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaConditions.h"

#include "absl/strings/str_cat.h"

namespace mlcrt {

/// The first driver whose conditional nodes have bodies of kernels and copies, as it numbers itself: CUDA 12.4.
static constexpr int kLeastDriver = 12040;

static constexpr const char kKernelName[] = "mlc_set_conditions";

static constexpr const char kText[] = R"(.version 7.0
.target sm_80
.address_size 64

.extern .func cudaGraphSetConditional
(
  .param .b64 handle,
  .param .b32 value
)
;

.visible .entry mlc_set_conditions(
  .param .u64 condition,
  .param .u64 then_handle,
  .param .u64 else_handle,
  .param .u32 sides
)
{
  .reg .pred %p<3>;
  .reg .b16 %rs<2>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<5>;

  ld.param.u64 %rd1, [condition];
  ld.param.u64 %rd2, [then_handle];
  ld.param.u64 %rd3, [else_handle];
  ld.param.u32 %r1, [sides];
  cvta.to.global.u64 %rd4, %rd1;
  ld.global.u8 %rs1, [%rd4];
  setp.ne.s16 %p1, %rs1, 0;
  selp.u32 %r2, 1, 0, %p1;
  selp.u32 %r3, 0, 1, %p1;
  and.b32 %r4, %r1, 1;
  setp.eq.u32 %p2, %r4, 0;
  @%p2 bra $L_else;
  {
  .param .b64 param0;
  st.param.b64 [param0+0], %rd2;
  .param .b32 param1;
  st.param.b32 [param1+0], %r2;
  call.uni
  cudaGraphSetConditional,
  (
  param0,
  param1
  );
  }
$L_else:
  and.b32 %r5, %r1, 2;
  setp.eq.u32 %p2, %r5, 0;
  @%p2 bra $L_end;
  {
  .param .b64 param0;
  st.param.b64 [param0+0], %rd3;
  .param .b32 param1;
  st.param.b32 [param1+0], %r3;
  call.uni
  cudaGraphSetConditional,
  (
  param0,
  param1
  );
  }
$L_end:
  ret;
}
)";

CudaConditions::~CudaConditions() {
  if (module_)
    context_.driver().cuModuleUnload(module_);
}

absl::Status CudaConditions::load() {
  const CudaDriver &driver = context_.driver();
  if (driver.version < kLeastDriver || !driver.cuGraphConditionalHandleCreate || !driver.cuGraphAddNode)
    return absl::UnimplementedError(absl::StrCat("the driver is for CUDA ", cudaVersionText(driver.version),
                                                 "; expected for conditional nodes of graphs: CUDA ",
                                                 cudaVersionText(kLeastDriver), " or later"));
  // A driver that does not know the function says so; nothing else is wrong then.
  if (const CudaResult result = driver.cuModuleLoadDataEx(&module_, kText, 0, nullptr, nullptr); result != 0) {
    module_ = nullptr;
    if (losesCudaContext(result))
      return context_.check(result, "cuModuleLoadDataEx");
    return absl::UnimplementedError(
        absl::StrCat("what decides for conditional nodes of graphs does not load: ", driver.describe(result)));
  }
  // Virtual GPUs have the functions, but no such nodes.
  if (const CudaResult result = tryNode(); result != 0) {
    if (losesCudaContext(result))
      return context_.check(result, "cuGraphAddNode");
    return absl::UnimplementedError(
        absl::StrCat("the GPU has no conditional nodes of graphs: ", driver.describe(result)));
  }
  return context_.check(driver.cuModuleGetFunction(&kernel_, module_, kKernelName), "cuModuleGetFunction", kKernelName);
}

/// What the driver says to a graph with a node of a condition.
CudaResult CudaConditions::tryNode() {
  const CudaDriver &driver = context_.driver();
  CudaGraph graph = nullptr;
  if (const CudaResult result = driver.cuGraphCreate(&graph, 0); result != 0)
    return result;
  CudaConditionalNode node = {};
  node.kind = kCudaConditionalNode;
  node.type = kCudaIf;
  node.size = 1;
  node.context = context_.handle();
  CudaResult result = driver.cuGraphConditionalHandleCreate(&node.handle, graph, context_.handle(), 0, 0);
  CudaGraphNode made = nullptr;
  if (result == 0)
    result = driver.cuGraphAddNode(&made, graph, nullptr, 0, &node);
  driver.cuGraphDestroy(graph);
  return result;
}

absl::StatusOr<CudaFunction> CudaConditions::kernel() {
  if (kernel_)
    return kernel_;
  if (status_.ok())
    status_ = load();
  if (!status_.ok())
    return status_;
  return kernel_;
}

} // namespace mlcrt
