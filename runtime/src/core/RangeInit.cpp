//===- RangeInit.cpp - Initial values of the rows that a process holds -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/RangeInit.h"

namespace mlcrt {

bool canInitializeRows(const Artifact &artifact) {
  const mlcrt_artifact &table = artifact.table();
  const mlcrt_entry *entry = artifact.entry(MLCRT_ROLE_INIT);
  if (!entry)
    return false;
  for (int32_t s = 0; s < entry->num_segments; ++s) {
    const mlcrt_segment &segment = entry->segments[s];
    if (segment.kind != MLCRT_SEGMENT_STEP)
      return false;
    for (int32_t i = 0; i < segment.num_operands; ++i) {
      const mlcrt_operand &operand = segment.operands[i];
      if (operand.source == MLCRT_SOURCE_INTERMEDIATE)
        return false;
      if (operand.source != MLCRT_SOURCE_VARIABLE)
        continue;
      const mlcrt_variable &variable = table.variables[operand.index];
      if (variable.pack || variable.storage_bytes || (variable.value.rank > 0 && !writesRows(segment)))
        return false;
    }
  }
  return true;
}

} // namespace mlcrt
