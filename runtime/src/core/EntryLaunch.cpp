//===- EntryLaunch.cpp - Steps whose outputs come back while later ones run ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/EntryLaunch.h"

#include "runtime/src/core/RunObservation.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace mlcrt {

const EntryRunner::Plan *EntryRunner::findLaunched() const {
  const Plan *found = nullptr;
  for (const Plan &plan : plans_)
    if (plan.segment->kind == MLCRT_SEGMENT_STEP && std::exchange(found, &plan))
      return nullptr;
  if (!found || found->segment->device == MLCRT_DEVICE_HOST || !(found->segment->flags & MLCRT_SEGMENT_CAPTURABLE))
    return nullptr;
  auto isLeft = [this](const mlcrt_operand &operand) {
    if (!(operand.access & MLCRT_WRITE))
      return true;
    if (operand.space == MLCRT_SPACE_HOST)
      return false;
    switch (operand.source) {
    case MLCRT_SOURCE_VARIABLE:
    case MLCRT_SOURCE_ERROR:
    case MLCRT_SOURCE_SUM_OUT:
      return true;
    case MLCRT_SOURCE_OUTPUT:
      return !hasDimsOfCall(entry_.outputs[operand.index]);
    case MLCRT_SOURCE_INTERMEDIATE:
      return !inSlot_[operand.index];
    default:
      return false;
    }
  };
  const mlcrt_operand *const operands = found->segment->operands;
  return std::all_of(operands, operands + found->segment->num_operands, isLeft) ? found : nullptr;
}

bool EntryRunner::canLaunch() {
  if (others_ || !program_.homes().keepsValues())
    return false;
  if (!launches_) {
    launches_ = std::make_unique<Launches>();
    const Plan *const plan = findLaunched();
    absl::StatusOr<Device *> device = plan ? program_.devices().open(plan->segment->device) : nullptr;
    if (!plan || !device.ok())
      return false; // runStep tells what is wrong with the device
    for (std::unique_ptr<DeviceDownload> &download : launches_->downloads)
      if (!(download = (*device)->makeDownload()))
        return false;
    launches_->device = *device;
    launches_->plan = plan;
  }
  return launches_->plan != nullptr;
}

bool EntryRunner::isPlaced(int32_t operand) const { return launches_->offsets[static_cast<size_t>(operand)] >= 0; }

bool EntryRunner::hasLaunchedSlot() const {
  const mlcrt_segment &segment = *launches_->plan->segment;
  return std::any_of(segment.operands, segment.operands + segment.num_operands,
                     [](const mlcrt_operand &operand) { return operand.source == MLCRT_SOURCE_ERROR; });
}

absl::StatusOr<void *> EntryRunner::launchedSlot() {
  if (absl::Status status = reserveLaunched(sizeof(uint64_t), alignof(uint64_t)); !status.ok())
    return status;
  return launches_->block.data();
}

absl::Status EntryRunner::reserveLaunched(int64_t bytes, int64_t alignment) {
  Launches &launches = *launches_;
  if (launches.block.size() < bytes) {
    DeviceBytes larger;
    if (absl::Status status = larger.reserve(*launches.device, bytes, alignment); !status.ok())
      return status;
    if (launches.isSlotRaised)
      if (absl::Status status = launches.device->copy(Device::Memory::Device, launches.block.data(),
                                                      Device::Memory::Device, larger.data(), sizeof(uint64_t));
          !status.ok())
        return status;
    launches.block = std::move(larger);
  }
  if (launches.isSlotRaised)
    return absl::OkStatus();
  const uint64_t raised = MLCRT_NO_ERROR;
  absl::Status status = launches.device->copy(Device::Memory::Host, &raised, Device::Memory::Device,
                                              launches.block.data(), sizeof(raised));
  launches.isSlotRaised = status.ok();
  return status;
}

absl::Status EntryRunner::placeLaunched(const Plan &plan, const Call &call, Frame &memory) {
  Launches &launches = *launches_;
  launches.offsets.assign(static_cast<size_t>(plan.segment->num_operands), -1);
  if (call.sums.launchedSlot) { // of the step that this is a part of
    for (int32_t i = 0; i < plan.segment->num_operands; ++i)
      if (plan.segment->operands[i].source == MLCRT_SOURCE_ERROR) {
        launches.offsets[static_cast<size_t>(i)] = 0;
        memory.buffers[static_cast<size_t>(i)].data = call.sums.launchedSlot;
      }
    return absl::OkStatus();
  }
  launches.bytes = sizeof(uint64_t); // the slot, whether or not the segment has it
  int64_t alignment = alignof(uint64_t);
  for (int32_t i = 0; i < plan.segment->num_operands; ++i) {
    const mlcrt_operand &operand = plan.segment->operands[i];
    if (!(operand.access & MLCRT_WRITE) ||
        (operand.source != MLCRT_SOURCE_OUTPUT && operand.source != MLCRT_SOURCE_ERROR))
      continue;
    const int64_t own = program_.devices().space(operand.space).alignment;
    alignment = std::max(alignment, own);
    int64_t &offset = launches.offsets[static_cast<size_t>(i)] = 0;
    if (operand.source == MLCRT_SOURCE_ERROR)
      continue;
    offset = (launches.bytes + own - 1) / own * own;
    launches.bytes = offset + byteCount(memory.views[static_cast<size_t>(i)]);
  }
  if (absl::Status status = reserveLaunched(launches.bytes, alignment); !status.ok())
    return status;
  for (int32_t i = 0; i < plan.segment->num_operands; ++i)
    if (isPlaced(i))
      memory.buffers[static_cast<size_t>(i)].data =
          static_cast<char *>(launches.block.data()) + launches.offsets[static_cast<size_t>(i)];
  return absl::OkStatus();
}

absl::Status EntryRunner::launch(Launch &made) {
  Launches &launches = *launches_;
  if (absl::Status status = bindSymbols(*made.batch, symbols_); !status.ok())
    return status;
  made.symbols = symbols_;
  beginStep(*made.slot, made.context, /*rowBase=*/0);
  Call call = {made.batch, made.slot, {}, &symbols_};
  call.isLaunched = true;
  call_ = &call;
  if (absl::Status status = runSegment(*launches.plan, call); !status.ok())
    return status;
  return askFor(made);
}

absl::Status EntryRunner::askFor(Launch &made) {
  Launches &launches = *launches_;
  for (int32_t i = 0; i < launches.plan->segment->num_operands; ++i)
    if (const mlcrt_operand &operand = launches.plan->segment->operands[i]; operand.source == MLCRT_SOURCE_OUTPUT) {
      const TensorView &output = outputs_.value(operand.index).buffer();
      made.outputs.push_back({operand.index, output.dtype, output.dims, launches.offsets[static_cast<size_t>(i)]});
    }
  made.download = launches.downloads[launches.next].get();
  launches.next = (launches.next + 1) % kMostLaunched;
  return made.download->ask(launches.block.data(), launches.bytes);
}

void EntryRunner::launchStep(const BatchView &batch, FeatureSlot &slot, const CallContext &context) {
  const TimelineSpan span(program_.observation(), "launch", context.step);
  Launch &made = addLaunch({&batch, &slot, context});
  if (made.status.ok())
    made.status = launch(made);
}

EntryRunner::Launch &EntryRunner::addLaunch(Launch made) {
  assert(launches_ && launches_->plan && launches_->steps.size() < kMostLaunched);
  // What could not be launched has lowered no slot: nothing may come after it.
  for (const Launch &earlier : launches_->steps)
    if (made.status.ok())
      made.status = earlier.status;
  return launches_->steps.emplace_back(std::move(made));
}

void EntryRunner::launchSums(const CallContext &context, const absl::StatusOr<SumOperands> &sums,
                             const Symbols &global) {
  const TimelineSpan span(program_.observation(), "launch", context.step);
  Launch &made = addLaunch({nullptr, nullptr, context});
  if (made.status.ok())
    made.status = sums.status();
  if (!made.status.ok())
    return;
  Call call = {nullptr, &ownSlot_, *sums, &global};
  call.isLaunched = true;
  made.status = runSums(context, call);
  if (made.status.ok())
    made.status = askFor(made);
}

absl::StatusOr<bool> EntryRunner::settleSums() {
  assert(!launches_->steps.empty());
  const Launch step = std::move(launches_->steps.front());
  launches_->steps.pop_front();
  const absl::StatusOr<uint64_t> error = settle(step);
  if (!error.ok())
    return error.status();
  return *error == MLCRT_NO_ERROR;
}

absl::StatusOr<uint64_t> EntryRunner::settle(const Launch &step) {
  Launches &launches = *launches_;
  const TimelineSpan span(program_.observation(), "compute", step.context.step);
  const absl::StatusOr<const char *> came =
      step.status.ok() ? step.download->wait() : absl::StatusOr<const char *>(step.status);
  uint64_t error = MLCRT_NO_ERROR;
  if (came.ok()) {
    std::memcpy(&error, *came, sizeof(error));
    for (const Launch::Output &output : step.outputs) {
      Tensor &value = outputs_.value(output.index);
      value.resize(output.dtype, output.dims);
      if (const int64_t bytes = byteCount(value.buffer()); bytes > 0)
        std::memcpy(value.data(), *came + output.offset, static_cast<size_t>(bytes));
    }
    if (error == MLCRT_NO_ERROR)
      return error;
  }
  // What was launched later changes no state, and is over when this is. Where launching it failed that came before the
  // wait here, and may be why it failed.
  absl::Status failed = came.status();
  for (const Launch &later : std::exchange(launches.steps, {}))
    if (later.status.ok())
      static_cast<void>(later.download->wait());
    else if (!failed.ok())
      failed = later.status;
  launches.isSlotRaised = false;
  if (!failed.ok())
    return failed;
  return error;
}

absl::Status EntryRunner::settleStep() {
  assert(!launches_->steps.empty());
  const Launch step = std::move(launches_->steps.front());
  launches_->steps.pop_front();
  const absl::StatusOr<uint64_t> error = settle(step);
  if (!error.ok() || *error == MLCRT_NO_ERROR)
    return error.status();
  symbols_ = step.symbols;
  beginStep(*step.slot, step.context, /*rowBase=*/0);
  Call call = {step.batch, step.slot, {}, &symbols_};
  call_ = &call;
  lowerErrorSlot(environment_.errorSlot(), *error);
  return toStatus(explain(*launches_->plan, call, *environment_.take(&program_.artifact().table())));
}

} // namespace mlcrt
