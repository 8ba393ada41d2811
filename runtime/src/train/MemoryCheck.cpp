// Sizes of the state and of the workspace against what the machine has.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/MemoryCheck.h"

#include "runtime/src/checkpoint/CheckpointRows.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>

namespace mlcrt {

using mlc::common::addSizes;
using mlc::common::bytesText;
using mlc::common::MemoryNeed;
using mlc::common::multiplySizes;

static int64_t bytesOf(const mlcrt_variable &variable) {
  const mlcrt_value &value = variable.value;
  const int64_t elements = elementCount(value.dims, value.rank);
  const int64_t bytes = elements < 0 ? INT64_MAX : multiplySizes(elements, dtypeSize(value.dtype));
  return std::max(bytes, variable.storage_bytes);
}

MemoryNeed stateNeed(const Artifact &artifact) {
  const mlcrt_artifact &table = artifact.table();
  MemoryNeed need;
  for (int32_t i = 0; i < table.num_variables; ++i) {
    const int64_t bytes = bytesOf(table.variables[i]);
    need.state = addSizes(need.state, bytes);
    if (!(table.variables[i].flags & MLCRT_VARIABLE_EVAL))
      need.checkpoint = addSizes(need.checkpoint, bytes);
  }
  return need;
}

MemoryNeed readNeed(const Artifact &artifact) {
  MemoryNeed need = stateNeed(artifact);
  need.state = 0;
  const std::vector<bool> inState = CheckpointRows::variablesInState(artifact);
  for (size_t i = 0; i < inState.size(); ++i)
    if (const mlcrt_variable &variable = artifact.table().variables[i];
        inState[i] || (variable.flags & MLCRT_VARIABLE_EVAL))
      need.state = addSizes(need.state, bytesOf(variable));
  return need;
}

/// A segment's formula is a sum of slots, each affine in the symbols and rounded up to MLCRT_ALIGNMENT. So 64 rows more
/// add 64 times the bytes of a row, from which an overflow can be told.
static int64_t workspaceOf(mlcrt_workspace_fn size, std::vector<int64_t> symbols, int64_t rows, int threads) {
  constexpr int64_t kApart = MLCRT_ALIGNMENT;
  auto at = [&](int64_t count) {
    std::fill(symbols.begin(), symbols.end(), count);
    return size(symbols.data(), threads);
  };
  const int64_t few = at(1), more = at(1 + kApart);
  if (few < 0 || more < few)
    return INT64_MAX;
  if (addSizes(few, multiplySizes((more - few) / kApart, rows)) == INT64_MAX)
    return INT64_MAX;
  return at(rows);
}

/// The largest workspace of a segment in host memory, or in that of a device.
static int64_t largestWorkspace(const Artifact &artifact, const mlcrt_entry &entry, int64_t rows, int threads,
                                bool isOfDevice) {
  int64_t most = 0;
  const std::vector<int64_t> symbols(artifact.symbolCount());
  for (int32_t s = 0; s < entry.num_segments; ++s)
    for (int64_t w = 0; w < entry.segments[s].num_workspaces; ++w)
      if (const mlcrt_workspace &workspace = entry.segments[s].workspaces[w];
          (workspace.space != MLCRT_SPACE_HOST) == isOfDevice)
        most = std::max(most, workspaceOf(workspace.size, symbols, rows, threads));
  return most;
}

int64_t workspaceNeed(const Artifact &artifact, const mlcrt_entry &entry, int64_t rows, int threads) {
  return largestWorkspace(artifact, entry, rows, threads, /*isOfDevice=*/false);
}

void addDeviceNeed(const Artifact &artifact, const mlcrt_entry *entry, int threads, MemoryNeed &need) {
  const mlcrt_artifact &table = artifact.table();
  if (table.num_spaces == 0)
    return;
  need.deviceState = 0;
  for (int64_t h = 0; h < table.num_homes; ++h)
    if (const mlcrt_home &home = table.homes[h]; !(home.flags & MLCRT_HOME_ROWS))
      need.deviceState = addSizes(need.deviceState, bytesOf(table.variables[home.variable]));
  if (entry)
    need.deviceWorkspace = largestWorkspace(artifact, *entry, need.rows, threads, /*isOfDevice=*/true);
}

std::string memoryJson(const MemoryNeed &need) {
  JsonObject object;
  object.integer("state_bytes", need.state).integer("checkpoint_bytes", need.checkpoint);
  if (need.workspace >= 0)
    object.integer("workspace_bytes", need.workspace).integer("rows", need.rows);
  if (need.deviceState >= 0)
    object.integer("device_state_bytes", need.deviceState).integer("device_workspace_bytes", need.deviceWorkspace);
  return object.str();
}

/// The tensor that takes most.
static std::string largestText(const StateTensors &tensors) {
  const StateTensor *largest = nullptr;
  for (const StateTensor &tensor : tensors)
    if (!largest || tensor.bytes() > largest->bytes())
      largest = &tensor;
  if (!largest)
    return {};
  return "; the largest variable is '" + std::string(largest->value.name) + "', " + typeText(largest->value);
}

absl::Status checkMemory(const Artifact &artifact, const MemoryNeed &need, const mlc::common::MachineLimits &machine,
                         const std::string &what, MemoryUse use) {
  const int64_t copy = use == MemoryUse::Save ? need.checkpoint : 0, workspace = std::max<int64_t>(need.workspace, 0);
  const int64_t all = addSizes(addSizes(need.state, copy), workspace);
  if (machine.memory < 0 || all <= machine.memory)
    return absl::OkStatus();
  std::string text = what + " needs " + bytesText(static_cast<double>(all)) + " of memory: " + memoryText(need);
  if (copy > 0)
    text += ", which is written from a copy";
  mlc::common::Message message = mlc::common::makeError("E0502", text + largestText(artifact.tensors()));
  message.expected = "at most " + bytesText(static_cast<double>(machine.memory)) + " (" + machine.memoryFrom + ")";
  const bool isWorkspace = addSizes(need.state, copy) <= machine.memory;
  if (use == MemoryUse::Read)
    message.help =
        std::string(isWorkspace ? "a smaller --batch_size" : "a machine with more memory") + ", or --force to go on";
  else
    message.help = isWorkspace ? "a smaller train.batch_size, more --virtual_shards, or --force to go on"
                               : "fewer buckets or units, a cluster of more servers, or --force to go on";
  return messageStatus(absl::StatusCode::kInvalidArgument, message);
}

absl::Status checkDeviceMemory(const MemoryNeed &need, const Device &device) {
  const int64_t limit = device.memoryLimit();
  const int64_t all = addSizes(std::max<int64_t>(need.deviceState, 0), std::max<int64_t>(need.deviceWorkspace, 0));
  if (limit < 0 || all <= limit)
    return absl::OkStatus();
  auto text = [](int64_t bytes) { return bytesText(static_cast<double>(bytes)); };
  return deviceMemoryError(
      "the model needs " + text(all) + " of " + device.description() + ": variables " + text(need.deviceState) +
      (need.deviceWorkspace < 0 ? ""
                                : ", workspace " + text(need.deviceWorkspace) + " at " + std::to_string(need.rows) +
                                      (need.rows == 1 ? " row" : " rows")));
}

} // namespace mlcrt
