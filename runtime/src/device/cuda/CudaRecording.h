//===- CudaRecording.h - What a GPU was asked for, as a graph -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_CUDARECORDING_H
#define MLCRT_DEVICE_CUDA_CUDARECORDING_H

#include "absl/status/status.h"
#include "runtime/src/core/Devices.h"
#include "runtime/src/device/cuda/CudaContext.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mlcrt {

/// Launches and copies on the device, in the order in which they were asked for, and the graph that does them in this
/// order. The graph is made node by node, and not by capturing the stream: its nodes are known then, so that a
/// recording of the same kernels with other sizes and addresses changes those nodes alone whose numbers differ.
class CudaRecording : public DeviceRecording {
public:
  explicit CudaRecording(CudaContext &context) : context_(context) {}
  ~CudaRecording() override;
  CudaRecording(const CudaRecording &) = delete;

  /// Adds a launch of the function, of at least one block, whose name lives as long as this does. `shape` and
  /// `arguments` as of the service device_launch.
  void addLaunch(const std::string &name, CudaFunction function, const int64_t *shape, const int64_t *arguments,
                 int64_t count);
  void addCopy(CudaAddress from, CudaAddress to, int64_t bytes);

  bool isLike(const DeviceRecording &other) const override;
  int64_t size() const override { return static_cast<int64_t>(asked_.size()); }
  /// Makes the graph, of that of `earlier` if that is not null: then it isLike this, and has no graph after it. Errors
  /// of the driver.
  absl::Status prepare(CudaRecording *earlier);
  /// Asks the context's stream for all of it without a graph.
  absl::Status runOnce();
  /// The graph; null before prepare().
  CudaGraphExec exec() const { return exec_; }
  /// The kernel that was recorded last; empty: there is none.
  const std::string &lastKernel() const { return lastKernel_; }

private:
  struct Ask {
    CudaFunction function;         ///< null: a copy
    const std::string *name;       ///< of the function
    std::array<unsigned, 7> shape; ///< of a launch
    size_t firstNumber;            ///< into numbers_
    size_t count;                  ///< arguments of a launch; of a copy 3: from, to, bytes
  };
  absl::Status make();
  absl::Status add(const Ask &ask);
  absl::Status runOnce(const Ask &ask);
  /// Takes over the graph of a recording, in which the nodes of what differs are changed.
  absl::Status change(CudaRecording &earlier);
  absl::Status check(CudaResult result, const char *call, const Ask &ask);
  bool hasNumbersOf(const Ask &ask, const CudaRecording &other, const Ask &theirs) const;
  CudaKernelNode kernelNode(const Ask &ask);
  CudaCopyNode copyNode(const Ask &ask) const;
  void clear();

  CudaContext &context_;
  std::vector<Ask> asked_;
  std::vector<int64_t> numbers_;
  std::vector<void *> parameters_; ///< of the node that the driver is told of
  std::string lastKernel_;
  CudaGraph graph_ = nullptr; ///< whose nodes those of exec_ are changed by
  std::vector<CudaGraphNode> nodes_;
  CudaGraphExec exec_ = nullptr;
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_CUDARECORDING_H
