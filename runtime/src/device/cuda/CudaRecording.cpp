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
                              const int64_t *arguments, int64_t count, const std::vector<CudaTensorMap> &maps) {
  const size_t numWords = maps.size() * CudaTensorMap::kWords;
  Ask ask = {Kind::Launch, function, &name, {}, numbers_.size(), static_cast<size_t>(count) + numWords, 0, maps.size()};
  std::copy_n(shape, ask.shape.size(), ask.shape.begin());
  numbers_.insert(numbers_.end(), arguments, arguments + count);
  for (const CudaTensorMap &map : maps)
    numbers_.insert(numbers_.end(), map.words, map.words + CudaTensorMap::kWords);
  asked_.push_back(ask);
  lastKernel_ = name;
}

void CudaRecording::addCopy(CudaAddress from, CudaAddress to, int64_t bytes) {
  asked_.push_back({Kind::Copy, nullptr, nullptr, {}, numbers_.size(), 3, 0});
  for (const auto number : {static_cast<int64_t>(from), static_cast<int64_t>(to), bytes})
    numbers_.push_back(number);
}

void CudaRecording::addDecision(Kind kind, CudaFunction decides, CudaAddress condition, int32_t sides, int32_t which) {
  Ask ask = {kind, decides, nullptr, {1, 1, 1, 1, 1, 1, 0}, numbers_.size(), 4, which};
  // Handles are there when the graph is.
  for (const int64_t number : {static_cast<int64_t>(condition), int64_t{0}, int64_t{0}, int64_t{sides}})
    numbers_.push_back(number);
  asked_.push_back(ask);
}

void CudaRecording::addBranch(CudaFunction decides, CudaAddress condition, int32_t sides) {
  addDecision(Kind::Branch, decides, condition, sides, sides);
}

void CudaRecording::addSide(int32_t side) {
  asked_.push_back({side == 0 ? Kind::SideEnd : Kind::Side, nullptr, nullptr, {}, numbers_.size(), 0, side});
}

bool CudaRecording::addLoop(CudaFunction decides, CudaAddress condition, int32_t number) {
  const bool isIn = !openLoops_.empty() && openLoops_.back() == number;
  addDecision(isIn ? Kind::LoopEnd : Kind::Loop, decides, condition, 1, number);
  if (isIn)
    openLoops_.pop_back();
  else
    openLoops_.push_back(number);
  return !isIn;
}

bool CudaRecording::isLike(const DeviceRecording &other) const {
  const auto &theirs = static_cast<const CudaRecording &>(other).asked_;
  return std::equal(asked_.begin(), asked_.end(), theirs.begin(), theirs.end(), [](const Ask &a, const Ask &b) {
    return a.kind == b.kind && a.function == b.function && a.count == b.count && a.which == b.which &&
           a.numMaps == b.numMaps;
  });
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
  const size_t numArguments = ask.count - ask.numMaps * CudaTensorMap::kWords;
  for (size_t i = 0; i < ask.count; i += i < numArguments ? 1 : CudaTensorMap::kWords)
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
  // One row has no pitch: the driver has a most one, of less than 2 GiB, and copies may be longer.
  node.widthInBytes = static_cast<size_t>(numbers_[ask.firstNumber + 2]);
  node.height = node.depth = 1;
  return node;
}

absl::Status CudaRecording::check(CudaResult result, const char *call, const Ask &ask) {
  return context_.check(result, call,
                        ask.kind == Kind::Launch ? absl::StrCat("kernel '", *ask.name, "'")
                        : ask.kind == Kind::Copy ? "a copy"
                                                 : "a condition of the device");
}

absl::Status CudaRecording::addNode(const Ask &ask) {
  const CudaDriver &driver = context_.driver();
  Level &level = levels_.back();
  // Each comes after the one before it, as in the stream.
  const size_t numBefore = level.last ? 1 : 0;
  const CudaGraphNode before = level.last;
  absl::Status status;
  if (isLaunch(ask)) {
    const CudaKernelNode node = kernelNode(ask);
    status = check(driver.cuGraphAddKernelNode(&level.last, level.graph, &before, numBefore, &node),
                   "cuGraphAddKernelNode", ask);
  } else {
    const CudaCopyNode node = copyNode(ask);
    status = check(driver.cuGraphAddMemcpyNode(&level.last, level.graph, &before, numBefore, &node, context_.handle()),
                   "cuGraphAddMemcpyNode", ask);
  }
  nodes_.push_back(level.last);
  return status;
}

absl::Status CudaRecording::makeHandles(const Ask &decision, int32_t sides) {
  for (int32_t side : {1, 2}) {
    if (!(sides & side))
      continue;
    CudaConditional made = 0;
    if (absl::Status status = check(
            context_.driver().cuGraphConditionalHandleCreate(&made, levels_.back().graph, context_.handle(), 0, 0),
            "cuGraphConditionalHandleCreate", decision);
        !status.ok())
      return status;
    handle(decision, side) = static_cast<int64_t>(made);
  }
  return absl::OkStatus();
}

absl::Status CudaRecording::enterBody(const Ask &ask, int type, int64_t handle) {
  CudaConditionalNode node = {};
  node.kind = kCudaConditionalNode;
  node.handle = static_cast<CudaConditional>(handle);
  node.type = type;
  node.size = 1;
  node.context = context_.handle();
  Level &level = levels_.back();
  const CudaGraphNode before = level.last;
  if (absl::Status status =
          check(context_.driver().cuGraphAddNode(&level.last, level.graph, &before, before ? 1 : 0, &node),
                "cuGraphAddNode", ask);
      !status.ok())
    return status;
  levels_.push_back({node.bodies[0]});
  return absl::OkStatus();
}

absl::Status CudaRecording::add(const Ask &ask) {
  switch (ask.kind) {
  case Kind::Launch:
  case Kind::Copy:
    return addNode(ask);
  case Kind::Branch:
    decisions_.push_back({&ask, ask.which});
    if (absl::Status status = makeHandles(ask, ask.which); !status.ok())
      return status;
    return addNode(ask);
  case Kind::Side:
    nodes_.push_back(nullptr);
    decisions_.back().sides &= ~ask.which;
    return enterBody(ask, kCudaIf, handle(*decisions_.back().ask, ask.which));
  case Kind::SideEnd:
    nodes_.push_back(nullptr);
    levels_.pop_back();
    if (decisions_.back().sides == 0)
      decisions_.pop_back();
    return absl::OkStatus();
  case Kind::Loop:
    decisions_.push_back({&ask, 0});
    if (absl::Status status = makeHandles(ask, 1); !status.ok())
      return status;
    if (absl::Status status = addNode(ask); !status.ok())
      return status;
    return enterBody(ask, kCudaWhile, handle(ask, 1));
  case Kind::LoopEnd:
    handle(ask, 1) = handle(*decisions_.back().ask, 1);
    decisions_.pop_back();
    if (absl::Status status = addNode(ask); !status.ok())
      return status;
    levels_.pop_back();
    return absl::OkStatus();
  }
  return absl::InternalError("a recording of an unknown kind");
}

absl::Status CudaRecording::make() {
  const CudaDriver &driver = context_.driver();
  if (absl::Status status = context_.check(driver.cuGraphCreate(&graph_, 0), "cuGraphCreate"); !status.ok())
    return status;
  nodes_.reserve(asked_.size());
  levels_.assign({{graph_}});
  decisions_.clear();
  for (const Ask &ask : asked_)
    if (absl::Status status = add(ask); !status.ok())
      return status;
  levels_.clear();
  return context_.check(driver.cuGraphInstantiateWithFlags(&exec_, graph_, 0), "cuGraphInstantiate");
}

absl::Status CudaRecording::change(CudaRecording &earlier) {
  const CudaDriver &driver = context_.driver();
  graph_ = std::exchange(earlier.graph_, nullptr);
  nodes_ = std::exchange(earlier.nodes_, {});
  exec_ = std::exchange(earlier.exec_, nullptr);
  for (size_t i = 0; i < asked_.size(); ++i) {
    const Ask &ask = asked_[i];
    if (!nodes_[i])
      continue;
    if (isLaunch(ask) && ask.kind != Kind::Launch) // it decides by the handles that are there
      for (int32_t side : {1, 2})
        handle(ask, side) = earlier.handle(earlier.asked_[i], side);
    if (hasNumbersOf(ask, earlier, earlier.asked_[i]))
      continue;
    absl::Status status;
    if (isLaunch(ask)) {
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
  if (ask.kind != Kind::Launch && ask.kind != Kind::Copy)
    return absl::InternalError("a condition of the device outside of a graph");
  if (ask.kind == Kind::Launch) {
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
