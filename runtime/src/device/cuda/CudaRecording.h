//===- CudaRecording.h - What a GPU was asked for, as a graph -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_CUDARECORDING_H
#define MLCRT_DEVICE_CUDA_CUDARECORDING_H

#include "absl/status/status.h"
#include "runtime/src/core/Devices.h"
#include "runtime/src/device/cuda/CudaContext.h"
#include "runtime/src/device/cuda/CudaNeeds.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mlcrt {

/// Launches and copies on the device, in the order in which they were asked for, and the graph that does them in this
/// order. The graph is made node by node, and not by capturing the stream: its nodes are known then, so that a
/// recording of the same kernels with other sizes and addresses changes those nodes alone whose numbers differ.
/// Branches and loops that the device decides on are conditional nodes, whose bodies are graphs: what stands in them
/// runs as often as the condition says, which a kernel reads before.
class CudaRecording : public DeviceRecording {
public:
  explicit CudaRecording(CudaContext &context) : context_(context) {}
  ~CudaRecording() override;
  CudaRecording(const CudaRecording &) = delete;

  /// Adds a launch of the function, of at least one block, whose name lives as long as this does. `shape` and
  /// `arguments` as of the service device_launch; `maps` are its parameters after these.
  void addLaunch(const std::string &name, CudaFunction function, const int64_t *shape, const int64_t *arguments,
                 int64_t count, const std::vector<CudaTensorMap> &maps);
  void addCopy(CudaAddress from, CudaAddress to, int64_t bytes);
  /// Begins a branch, by the byte at `condition`; `decides` is the kernel of CudaConditions. `sides` as of the service
  /// device_branch.
  void addBranch(CudaFunction decides, CudaAddress condition, int32_t sides);
  /// As the service device_side.
  void addSide(int32_t side);
  /// Begins loop `number`, or ends its body if it is in it. Whether it begins.
  bool addLoop(CudaFunction decides, CudaAddress condition, int32_t number);

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
  enum class Kind {
    Launch,
    Copy,
    Branch,  ///< a launch that decides on both sides
    Side,    ///< from here on it is in the side's body
    SideEnd, ///< from here on it is where the branch is
    Loop,    ///< a launch that decides whether the loop begins; from here on it is in the body
    LoopEnd, ///< a launch that decides whether it goes on; from here on it is where the loop is
  };
  struct Ask {
    Kind kind;
    CudaFunction function;         ///< of a launch
    const std::string *name;       ///< of the function; null: it decides
    std::array<unsigned, 7> shape; ///< of a launch
    size_t firstNumber;            ///< into numbers_
    size_t count;                  ///< arguments of a launch, then words of maps; of a copy 3: from, to, bytes
    int32_t which;                 ///< sides of a branch, the side, the number of a loop
    size_t numMaps = 0;            ///< of a launch
  };
  /// What decides on nodes that are still to be made.
  struct Decision {
    const Ask *ask;
    int32_t sides; ///< those of a branch
  };
  /// A graph that nodes are added to, or the body of one of its nodes: each comes after the one before it.
  struct Level {
    CudaGraph graph;
    CudaGraphNode last = nullptr;
  };
  void addDecision(Kind kind, CudaFunction decides, CudaAddress condition, int32_t sides, int32_t which);
  /// Where the handles of a decision are among numbers_.
  int64_t &handle(const Ask &decision, int32_t side) {
    return numbers_[decision.firstNumber + static_cast<size_t>(side)];
  }
  absl::Status make();
  absl::Status add(const Ask &ask);
  absl::Status addNode(const Ask &ask);
  /// Makes a handle of each side of a decision, for conditional nodes of the graph at hand.
  absl::Status makeHandles(const Ask &decision, int32_t sides);
  /// Adds a conditional node, and goes into its body.
  absl::Status enterBody(const Ask &ask, int type, int64_t handle);
  absl::Status runOnce(const Ask &ask);
  /// Takes over the graph of a recording, in which the nodes of what differs are changed.
  absl::Status change(CudaRecording &earlier);
  absl::Status check(CudaResult result, const char *call, const Ask &ask);
  bool hasNumbersOf(const Ask &ask, const CudaRecording &other, const Ask &theirs) const;
  static bool isLaunch(const Ask &ask) {
    return ask.kind != Kind::Copy && ask.kind != Kind::Side && ask.kind != Kind::SideEnd;
  }
  CudaKernelNode kernelNode(const Ask &ask);
  CudaCopyNode copyNode(const Ask &ask) const;
  void clear();

  CudaContext &context_;
  std::vector<Ask> asked_;
  std::vector<int64_t> numbers_;
  std::vector<void *> parameters_; ///< of the node that the driver is told of
  std::string lastKernel_;
  std::vector<int32_t> openLoops_;   ///< numbers of those whose bodies are being asked for
  std::vector<Level> levels_;        ///< while the graph is made
  std::vector<Decision> decisions_;  ///< of branches and loops around, while the graph is made
  CudaGraph graph_ = nullptr;        ///< whose nodes those of exec_ are changed by
  std::vector<CudaGraphNode> nodes_; ///< of each ask; null: it has none whose numbers change
  CudaGraphExec exec_ = nullptr;
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_CUDARECORDING_H
