//===- State.cpp - The variables of an artifact ------------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/State.h"

#include "absl/strings/str_cat.h"

#include <cstring>

namespace mlcrt {

State::State(std::shared_ptr<const Artifact> artifact)
    : artifact_(std::move(artifact)), guard_(artifact_->table().num_variables) {
  const mlcrt_artifact &table = artifact_->table();
  storage_.reserve(table.num_variables);
  for (int32_t i = 0; i < table.num_variables; ++i) {
    const mlcrt_variable &variable = table.variables[i];
    const mlcrt_value &value = variable.value;
    storage_.emplace_back(static_cast<mlcrt_dtype>(value.dtype),
                          std::vector<int64_t>(value.dims, value.dims + value.rank), variable.storage_bytes);
  }
}

/// Rows that pack and unpack count: the first dimension, 1 for a scalar.
static int64_t packedRows(const mlcrt_value &value) { return value.rank ? value.dims[0] : 1; }

void State::read(int32_t index, Tensor &out) {
  const mlcrt_variable &variable = this->variable(index);
  out.resize(variable.value.dtype, variable.value.dims, variable.value.rank);
  Guard::Set set = {{index, /*write=*/false}};
  Guard::Hold hold(guard_, set);
  if (variable.unpack)
    variable.unpack(storage_[index].data(), out.data(), 0, packedRows(variable.value));
  else
    std::memcpy(out.data(), storage_[index].data(), out.bytes());
}

absl::Status State::write(int32_t index, const mlcrt_buffer &value) {
  const mlcrt_variable &variable = this->variable(index);
  const mlcrt_buffer &mine = storage_[index].buffer();
  if (value.dtype != mine.dtype || value.rank != mine.rank ||
      std::memcmp(value.dims, mine.dims, sizeof(int64_t) * mine.rank) != 0)
    return absl::InvalidArgumentError(
        absl::StrCat("variable '", variable.value.name, "': found ", describe(value), ", expected ", describe(mine)));
  Guard::Set set = {{index, /*write=*/true}};
  Guard::Hold hold(guard_, set);
  if (variable.pack)
    variable.pack(value.data, storage_[index].data(), 0, packedRows(variable.value));
  else
    std::memcpy(storage_[index].data(), value.data, byteCount(value));
  return absl::OkStatus();
}

static absl::Status unknownVariable(std::string_view name) {
  return absl::NotFoundError(absl::StrCat("no variable '", std::string(name), "' in the artifact"));
}

absl::StatusOr<Tensor> State::read(std::string_view name) {
  int32_t index = artifact_->variableIndex(name);
  if (index < 0)
    return unknownVariable(name);
  Tensor out;
  read(index, out);
  return out;
}

absl::Status State::write(std::string_view name, const mlcrt_buffer &value) {
  int32_t index = artifact_->variableIndex(name);
  return index < 0 ? unknownVariable(name) : write(index, value);
}

} // namespace mlcrt
