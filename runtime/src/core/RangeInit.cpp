//===- RangeInit.cpp - Initial values of the rows that a process holds -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/RangeInit.h"

#include "runtime/src/core/EntryRunner.h"

#include <algorithm>

namespace mlcrt {

/// Whether a segment writes the rows that its buffers have.
static bool isOfRows(const mlcrt_segment &segment) {
  return std::any_of(segment.operands, segment.operands + segment.num_operands, [](const mlcrt_operand &operand) {
    return operand.source == MLCRT_SOURCE_CONTEXT && operand.index == MLCRT_CONTEXT_FIRST_ROW;
  });
}

/// The first variable that a segment writes; -1: none.
static int32_t writtenBy(const mlcrt_segment &segment) {
  for (int32_t i = 0; i < segment.num_operands; ++i)
    if (segment.operands[i].source == MLCRT_SOURCE_VARIABLE && (segment.operands[i].access & MLCRT_WRITE))
      return segment.operands[i].index;
  return -1;
}

bool canInitializeRows(const Artifact &artifact) {
  const mlcrt_artifact &table = artifact.table();
  const mlcrt_entry *entry = artifact.entry(MLCRT_ROLE_INIT);
  if (!entry)
    return false;
  for (int32_t s = 0; s < entry->num_segments; ++s) {
    const mlcrt_segment &segment = entry->segments[s];
    if (segment.kind != MLCRT_SEGMENT_STEP)
      return false;
    int variables = 0;
    for (int32_t i = 0; i < segment.num_operands; ++i) {
      const mlcrt_operand &operand = segment.operands[i];
      if (operand.source == MLCRT_SOURCE_INTERMEDIATE)
        return false;
      if (operand.source != MLCRT_SOURCE_VARIABLE)
        continue;
      const mlcrt_variable &variable = table.variables[operand.index];
      ++variables;
      if (variable.pack || variable.storage_bytes || (variable.value.rank > 0 && !isOfRows(segment)))
        return false;
    }
    // Those of one segment may be cut at other rows.
    if (isOfRows(segment) && variables != 1)
      return false;
  }
  return true;
}

absl::Status initializeRows(Program &program, const std::vector<RowRange> &held, int64_t seed, ThreadPool &pool) {
  const mlcrt_entry *init = program.artifact().entry(MLCRT_ROLE_INIT);
  Symbols symbols(program.artifact().symbolCount());
  for (int32_t s = 0; s < init->num_segments; ++s) {
    const int32_t variable = writtenBy(init->segments[s]);
    if (variable < 0)
      continue;
    CallContext context;
    context.seed = seed;
    symbols[MLCRT_SYMBOL_BATCH] = 0;
    if (isOfRows(init->segments[s])) {
      if (held[variable].size() == 0)
        continue;
      context.firstRow = held[variable].begin;
      symbols[MLCRT_SYMBOL_BATCH] = held[variable].size();
    }
    mlcrt_entry one = *init;
    one.segments = &init->segments[s];
    one.num_segments = 1;
    if (absl::Status status = EntryRunner(program, one, pool).runSums(context, SumOperands(), symbols); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

} // namespace mlcrt
