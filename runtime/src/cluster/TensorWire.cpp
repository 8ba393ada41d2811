// What tensors look like in payloads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/TensorWire.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace mlcrt {

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

std::vector<int32_t> VariableWire::ofTraining(const Artifact &artifact) {
  std::vector<int32_t> variables;
  for (int32_t i = 0; i < artifact.table().num_variables; ++i)
    if (!(artifact.table().variables[i].flags & MLCRT_VARIABLE_EVAL))
      variables.push_back(i);
  return variables;
}

std::vector<int32_t> VariableWire::readByTrainers(const Artifact &artifact) {
  std::vector<int32_t> variables;
  for (mlcrt_role role : {MLCRT_ROLE_TRAIN_GRAD, MLCRT_ROLE_SUMMARY}) {
    const mlcrt_entry *entry = artifact.entry(role);
    for (int32_t s = 0; entry && s < entry->num_segments; ++s)
      for (int32_t i = 0; i < entry->segments[s].num_operands; ++i)
        if (const mlcrt_operand &operand = entry->segments[s].operands[i]; operand.source == MLCRT_SOURCE_VARIABLE)
          variables.push_back(operand.index);
  }
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  return variables;
}

void VariableWire::send(OutgoingMessage &message) {
  for (int32_t index : variables_) {
    if (!state_.variable(index).unpack) {
      const mlcrt_buffer &buffer = state_.storage(index);
      message.payload.push_back({buffer.data, byteCount(buffer), nullptr});
      continue;
    }
    addCopy(index, message);
  }
}

void VariableWire::addCopy(int32_t index, OutgoingMessage &message) {
  auto logical = std::make_shared<Tensor>();
  state_.read(index, *logical);
  message.payload.push_back({logical->data(), logical->bytes(), logical});
}

void VariableWire::sendCopy(OutgoingMessage &message) {
  for (int32_t index : variables_)
    addCopy(index, message);
}

absl::Status VariableWire::receive(IncomingMessage &message) {
  for (int32_t index : variables_)
    if (absl::Status status =
            state_.fill(index, [&message](void *to, int64_t bytes) { return message.read(to, bytes); });
        !status.ok())
      return status;
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

SumWire::SumWire(const Artifact &artifact) : artifact_(artifact) {
  const mlcrt_artifact &table = artifact.table();
  countOf_.resize(table.num_sums, -1);
  auto endsWith = [&](int32_t i, const char *suffix) { return absl::EndsWith(table.sums[i].name, suffix); };
  for (int32_t i = 0; i + 2 < table.num_sums; ++i)
    if (endsWith(i, ".ids") && endsWith(i + 1, ".rows") && endsWith(i + 2, ".count")) {
      countOf_[i] = countOf_[i + 1] = i + 2;
      counts_.push_back(i + 2);
      const std::string name(table.sums[i].name, std::strlen(table.sums[i].name) - std::strlen(".ids"));
      const int32_t variable = artifact.variableIndex(name);
      tableRows_.push_back(variable < 0 ? 0 : table.variables[variable].value.dims[0]);
    }
}

int64_t SumWire::bytes(const Symbols &symbols) const {
  const mlcrt_artifact &table = artifact_.table();
  int64_t total = 0;
  for (int32_t i = 0; i < table.num_sums; ++i) {
    int64_t dims[MLCRT_MAX_RANK], bytes;
    resolveDims(table.sums[i], symbols, dims);
    const int64_t elements = elementCount(dims, table.sums[i].rank);
    if (elements < 0 || __builtin_mul_overflow(elements, dtypeSize(table.sums[i].dtype), &bytes) ||
        __builtin_add_overflow(total, bytes, &total))
      return -1;
  }
  return total;
}

/// Bytes of the first `rows` rows.
static int64_t bytesOfRows(const mlcrt_buffer &buffer, int64_t rows) {
  return elementCount(buffer.dims + 1, buffer.rank - 1) * dtypeSize(buffer.dtype) * rows;
}

void SumWire::send(const SumSet &sums, OutgoingMessage &message) const {
  for (int32_t count : counts_)
    message.payload.push_back({sums.sum(count).data(), static_cast<int64_t>(sizeof(int64_t)), nullptr});
  for (int32_t i = 0; i < sums.size(); ++i) {
    const mlcrt_buffer &buffer = sums.sum(i).buffer();
    if (countOf_[i] >= 0)
      message.payload.push_back({buffer.data, bytesOfRows(buffer, *sums.sum(countOf_[i]).as<int64_t>()), nullptr});
    else if (std::find(counts_.begin(), counts_.end(), i) == counts_.end())
      message.payload.push_back({buffer.data, byteCount(buffer), nullptr});
  }
}

absl::Status SumWire::receive(IncomingMessage &message, const Symbols &symbols, SumSet &sums) const {
  sums.shape(artifact_, symbols);
  for (int32_t count : counts_) {
    int64_t *rows = sums.sum(count).as<int64_t>();
    if (absl::Status status = message.read(rows, sizeof(*rows)); !status.ok())
      return status;
    if (*rows < 0 || *rows > sums.sum(count - 2).dim(0))
      return absl::InvalidArgumentError(
          absl::StrCat("a gradient of ", *rows, " rows where the batch has at most ", sums.sum(count - 2).dim(0)));
  }
  for (int32_t i = 0; i < sums.size(); ++i) {
    const mlcrt_buffer &buffer = sums.sum(i).buffer();
    int64_t bytes = byteCount(buffer);
    if (countOf_[i] >= 0)
      bytes = bytesOfRows(buffer, *sums.sum(countOf_[i]).as<int64_t>());
    else if (std::find(counts_.begin(), counts_.end(), i) != counts_.end())
      continue;
    if (absl::Status status = message.read(buffer.data, bytes); !status.ok())
      return status;
  }
  for (size_t k = 0; k < counts_.size(); ++k) {
    const int64_t *ids = sums.sum(counts_[k] - 2).as<int64_t>(), count = *sums.sum(counts_[k]).as<int64_t>();
    for (int64_t i = 0; i < count; ++i)
      if (ids[i] >= tableRows_[k] || ids[i] <= (i ? ids[i - 1] : -1))
        return absl::InvalidArgumentError(absl::StrCat("row ", ids[i], " of sum '",
                                                       artifact_.table().sums[counts_[k] - 2].name,
                                                       "': rows must ascend within ", tableRows_[k]));
  }
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

static bool isStatic(const mlcrt_value &value) {
  return std::all_of(value.dims, value.dims + value.rank, [](int64_t d) { return d >= 0; });
}

void OutputWire::send(const EntryOutputs &outputs, OutgoingMessage &message) {
  for (int32_t i = 0; i < outputs.size(); ++i)
    if (isStatic(outputs.type(i)))
      message.payload.push_back({outputs.value(i).data(), outputs.value(i).bytes(), nullptr});
}

void OutputWire::sendCopy(const EntryOutputs &outputs, OutgoingMessage &message) {
  const size_t first = message.payload.size();
  send(outputs, message);
  for (size_t i = first; i < message.payload.size(); ++i) {
    Slice &slice = message.payload[i];
    auto copy = std::make_shared<std::string>(static_cast<const char *>(slice.data), static_cast<size_t>(slice.size));
    slice = {copy->data(), slice.size, copy};
  }
}

absl::Status OutputWire::receive(IncomingMessage &message, EntryOutputs &outputs) {
  for (int32_t i = 0; i < outputs.size(); ++i) {
    const mlcrt_value &type = outputs.type(i);
    if (!isStatic(type))
      continue;
    outputs.value(i).resize(type.dtype, type.dims, type.rank);
    if (absl::Status status = message.read(outputs.value(i).data(), outputs.value(i).bytes()); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

} // namespace mlcrt
