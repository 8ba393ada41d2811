//===- EntryAhead.cpp - What a step reads, brought to its device ahead of it --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/EntryRunner.h"

namespace mlcrt {

const TensorView *EntryRunner::aheadOf(const mlcrt_operand &operand, const BatchView &batch,
                                       const FeatureSlot &slot) const {
  if (operand.space == MLCRT_SPACE_HOST || operand.access != MLCRT_READ)
    return nullptr;
  const auto index = static_cast<size_t>(operand.index);
  if (operand.source == MLCRT_SOURCE_FEATURE && index < batch.features.size() && batch.features[index].rowStride == 0)
    return &batch.features[index];
  if (operand.source == MLCRT_SOURCE_MATRIX && index < batch.matrices.size() && batch.matrices[index].data)
    return &batch.matrices[index];
  if (operand.source != MLCRT_SOURCE_INTERMEDIATE || !inSlot_[index])
    return nullptr;
  // Rows that are pulled get other numbers.
  const mlcrt_artifact &table = program_.artifact().table();
  for (int64_t p = 0; p < table.num_pulls; ++p)
    if (&table.entries[table.pulls[p].entry] == &entry_ && table.pulls[p].intermediate == operand.index)
      return nullptr;
  return &slot.intermediates[index].buffer();
}

void EntryRunner::bringAhead(const BatchView &batch, FeatureSlot &slot, Program &reader, AheadPlace place) {
  slot.ahead.clear();
  slot.place = place;
  slot.isAwaited = false;
  for (const Plan &plan : plans_)
    for (int32_t i = 0; plan.segment->kind == MLCRT_SEGMENT_STEP && i < plan.segment->num_operands; ++i) {
      const mlcrt_operand &operand = plan.segment->operands[i];
      const TensorView *host = aheadOf(operand, batch, slot);
      const int64_t bytes = host ? byteCount(*host) : 0;
      if (bytes <= 0 || slot.ahead.count({operand.source, operand.index}))
        continue;
      absl::StatusOr<Device *> device = reader.devices().ofSpace(operand.space);
      if (!device.ok())
        return;
      if (slot.uploadTo != *device) {
        slot.upload = (*device)->makeUpload();
        slot.uploadTo = *device;
      }
      if (!slot.upload)
        return;
      if (slot.ahead.empty())
        slot.upload->restart();
      absl::StatusOr<void *> there =
          slot.upload->bring(host->data, bytes, reader.devices().space(operand.space).alignment);
      if (!there.ok())
        return slot.ahead.clear();
      slot.ahead[{operand.source, operand.index}] = {host->data, bytes, *there};
    }
}

absl::StatusOr<void *> EntryRunner::findAhead(const mlcrt_operand &operand, FeatureSlot *slot, const TensorView &host) {
  if (!slot || slot->ahead.empty() || operand.access != MLCRT_READ)
    return nullptr;
  const auto it = slot->ahead.find({operand.source, operand.index});
  if (it == slot->ahead.end() || it->second.host != host.data || it->second.bytes != byteCount(host))
    return nullptr;
  absl::StatusOr<Device *> device = program_.devices().ofSpace(operand.space);
  if (!device.ok())
    return device.status();
  if (slot->uploadTo != *device)
    return nullptr;
  if (!slot->isAwaited)
    if (absl::Status status = slot->upload->await(); !status.ok())
      return status;
  slot->isAwaited = true;
  return it->second.there;
}

} // namespace mlcrt
