//===- CudaRecording.cpp - What a GPU was asked for, as a graph ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaRecording.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <utility>

namespace mlcrt {

CudaRecording::~CudaRecording() { clear(); }

void CudaRecording::clear() {
  if (!exec_ && !graph_)
    return;
  context_.enter();
  if (exec_)
    context_.driver().cuGraphExecDestroy(std::exchange(exec_, nullptr)); // what is running ends first
  if (graph_)
    context_.driver().cuGraphDestroy(std::exchange(graph_, nullptr));
  nodes_.clear();
}

void CudaRecording::addLaunch(const std::string &name, CudaFunction function, const int64_t *shape,
                              const int64_t *arguments, int64_t count) {
  Ask ask = {function, &name, {}, numbers_.size(), static_cast<size_t>(count)};
  std::copy_n(shape, ask.shape.size(), ask.shape.begin());
  numbers_.insert(numbers_.end(), arguments, arguments + count);
  asked_.push_back(ask);
  lastKernel_ = name;
}

void CudaRecording::addCopy(CudaAddress from, CudaAddress to, int64_t bytes) {
  asked_.push_back({nullptr, nullptr, {}, numbers_.size(), 3});
  for (const auto number : {static_cast<int64_t>(from), static_cast<int64_t>(to), bytes})
    numbers_.push_back(number);
}

bool CudaRecording::isLike(const DeviceRecording &other) const {
  const auto &theirs = static_cast<const CudaRecording &>(other).asked_;
  return std::equal(asked_.begin(), asked_.end(), theirs.begin(), theirs.end(),
                    [](const Ask &a, const Ask &b) { return a.function == b.function && a.count == b.count; });
}

bool CudaRecording::hasNumbersOf(const Ask &ask, const CudaRecording &other, const Ask &theirs) const {
  const auto first = numbers_.begin() + static_cast<std::ptrdiff_t>(ask.firstNumber);
  return ask.shape == theirs.shape &&
         std::equal(first, first + static_cast<std::ptrdiff_t>(ask.count),
                    other.numbers_.begin() + static_cast<std::ptrdiff_t>(theirs.firstNumber));
}

CudaKernelNode CudaRecording::kernelNode(const Ask &ask) {
  // The driver reads as many bytes of each as the parameter has: of numbers of fewer the low ones.
  parameters_.clear();
  for (size_t i = 0; i < ask.count; ++i)
    parameters_.push_back(&numbers_[ask.firstNumber + i]);
  CudaKernelNode node = {};
  node.function = ask.function;
  std::copy_n(ask.shape.begin(), 3, node.grid);
  std::copy_n(ask.shape.begin() + 3, 3, node.block);
  node.sharedBytes = ask.shape[6];
  node.parameters = parameters_.data();
  return node;
}

CudaCopyNode CudaRecording::copyNode(const Ask &ask) const {
  CudaCopyNode node = {};
  node.from.memoryType = node.to.memoryType = kCudaMemoryDevice;
  node.from.device = static_cast<CudaAddress>(numbers_[ask.firstNumber]);
  node.to.device = static_cast<CudaAddress>(numbers_[ask.firstNumber + 1]);
  node.widthInBytes = node.from.pitch = node.to.pitch = static_cast<size_t>(numbers_[ask.firstNumber + 2]);
  node.height = node.depth = node.from.height = node.to.height = 1;
  return node;
}

absl::Status CudaRecording::check(CudaResult result, const char *call, const Ask &ask) {
  return context_.check(result, call, ask.function ? absl::StrCat("kernel '", *ask.name, "'") : "a copy");
}

absl::Status CudaRecording::add(const Ask &ask) {
  const CudaDriver &driver = context_.driver();
  // Each comes after the one before it, as in the stream.
  const CudaGraphNode *before = nodes_.empty() ? nullptr : &nodes_.back();
  const size_t numBefore = nodes_.empty() ? 0 : 1;
  CudaGraphNode made = nullptr;
  absl::Status status;
  if (ask.function) {
    const CudaKernelNode node = kernelNode(ask);
    status = check(driver.cuGraphAddKernelNode(&made, graph_, before, numBefore, &node), "cuGraphAddKernelNode", ask);
  } else {
    const CudaCopyNode node = copyNode(ask);
    status = check(driver.cuGraphAddMemcpyNode(&made, graph_, before, numBefore, &node, context_.handle()),
                   "cuGraphAddMemcpyNode", ask);
  }
  if (status.ok())
    nodes_.push_back(made);
  return status;
}

absl::Status CudaRecording::make() {
  const CudaDriver &driver = context_.driver();
  if (absl::Status status = context_.check(driver.cuGraphCreate(&graph_, 0), "cuGraphCreate"); !status.ok())
    return status;
  nodes_.reserve(asked_.size());
  for (const Ask &ask : asked_)
    if (absl::Status status = add(ask); !status.ok())
      return status;
  return context_.check(driver.cuGraphInstantiateWithFlags(&exec_, graph_, 0), "cuGraphInstantiate");
}

absl::Status CudaRecording::change(CudaRecording &earlier) {
  const CudaDriver &driver = context_.driver();
  graph_ = std::exchange(earlier.graph_, nullptr);
  nodes_ = std::exchange(earlier.nodes_, {});
  exec_ = std::exchange(earlier.exec_, nullptr);
  for (size_t i = 0; i < asked_.size(); ++i) {
    const Ask &ask = asked_[i];
    if (hasNumbersOf(ask, earlier, earlier.asked_[i]))
      continue;
    absl::Status status;
    if (ask.function) {
      const CudaKernelNode node = kernelNode(ask);
      status =
          check(driver.cuGraphExecKernelNodeSetParams(exec_, nodes_[i], &node), "cuGraphExecKernelNodeSetParams", ask);
    } else {
      const CudaCopyNode node = copyNode(ask);
      status = check(driver.cuGraphExecMemcpyNodeSetParams(exec_, nodes_[i], &node, context_.handle()),
                     "cuGraphExecMemcpyNodeSetParams", ask);
    }
    if (!status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status CudaRecording::prepare(CudaRecording *earlier) {
  absl::Status status = earlier && earlier->exec_ ? change(*earlier) : make();
  if (!status.ok())
    clear();
  return status;
}

absl::Status CudaRecording::runOnce(const Ask &ask) {
  const CudaDriver &driver = context_.driver();
  if (ask.function) {
    const CudaKernelNode node = kernelNode(ask);
    return check(driver.cuLaunchKernel(node.function, node.grid[0], node.grid[1], node.grid[2], node.block[0],
                                       node.block[1], node.block[2], node.sharedBytes, context_.stream(),
                                       node.parameters, nullptr),
                 "cuLaunchKernel", ask);
  }
  const auto from = static_cast<CudaAddress>(numbers_[ask.firstNumber]);
  const auto to = static_cast<CudaAddress>(numbers_[ask.firstNumber + 1]);
  const auto bytes = static_cast<size_t>(numbers_[ask.firstNumber + 2]);
  return check(driver.cuMemcpyDtoDAsync_v2(to, from, bytes, context_.stream()), "cuMemcpyDtoDAsync", ask);
}

absl::Status CudaRecording::runOnce() {
  for (const Ask &ask : asked_)
    if (absl::Status status = runOnce(ask); !status.ok())
      return status;
  return absl::OkStatus();
}

} // namespace mlcrt
