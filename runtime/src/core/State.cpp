//===- State.cpp - The variables of an artifact ------------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/State.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace mlcrt {

State::State(std::shared_ptr<const Artifact> artifact, const std::vector<RowRange> &held)
    : artifact_(std::move(artifact)), guard_(artifact_->table().num_variables) {
  const mlcrt_artifact &table = artifact_->table();
  storage_.reserve(table.num_variables);
  for (int32_t i = 0; i < table.num_variables; ++i) {
    const mlcrt_variable &variable = table.variables[i];
    const mlcrt_value &value = variable.value;
    held_.push_back(!held.empty() && value.rank > 0 ? held[i] : allRows(variable));
    std::vector<int64_t> dims(value.dims, value.dims + value.rank);
    int64_t bytes = variable.storage_bytes;
    if (!held.empty() && value.rank > 0 && held[i].size() < dims[0]) {
      dims[0] = held[i].size();
      bytes = 0;
    }
    storage_.emplace_back(static_cast<mlcrt_dtype>(value.dtype), dims, bytes);
    versions_.emplace_back(1);
    isElsewhere_.emplace_back(false);
  }
}

/// Rows that pack and unpack count: the first dimension, 1 for a scalar.
static int64_t packedRows(const TensorView &buffer) { return buffer.rank() ? buffer.dims[0] : 1; }

absl::Status State::current(int32_t index) {
  if (!isElsewhere(index))
    return absl::OkStatus();
  std::lock_guard<std::mutex> lock(fetchMutex_);
  if (!isElsewhere(index))
    return absl::OkStatus();
  absl::Status status = fetch_(index);
  if (status.ok())
    isElsewhere_[static_cast<size_t>(index)].store(false, std::memory_order_release);
  return status;
}

absl::Status State::read(int32_t index, Tensor &out) {
  const mlcrt_variable &variable = this->variable(index);
  const TensorView &mine = storage_[index].buffer();
  out.resize(mine.dtype, mine.dims);
  Guard::Set set = {{index, /*write=*/false}};
  Guard::Hold hold(guard_, set);
  if (absl::Status status = current(index); !status.ok())
    return status;
  if (variable.unpack)
    variable.unpack(mine.data, out.data(), 0, packedRows(mine));
  else
    std::memcpy(out.data(), mine.data, out.bytes());
  return absl::OkStatus();
}

absl::Status State::readRows(int32_t index, RowRange rows, Tensor &out) {
  const TensorView &mine = storage_[index].buffer();
  if (mine.rank() == 0 || variable(index).unpack || rows == RowRange{0, mine.dims[0]})
    return read(index, out);
  Dims dims = mine.dims;
  dims[0] = rows.size();
  out.resize(mine.dtype, dims);
  Guard::Set set = {{index, /*write=*/false}};
  Guard::Hold hold(guard_, set);
  if (absl::Status status = current(index); !status.ok())
    return status;
  std::memcpy(out.data(), static_cast<const char *>(mine.data) + rows.begin * bytesOfRow(mine), out.bytes());
  return absl::OkStatus();
}

namespace {
/// A part of a variable to copy.
struct Piece {
  const char *from;
  char *to;
  size_t bytes;
};
} // namespace

static int32_t copyPieces(void *args, int64_t first, int64_t last, int64_t) {
  const auto &pieces = *static_cast<const std::vector<Piece> *>(args);
  for (int64_t i = first; i < last; ++i)
    std::memcpy(pieces[i].to, pieces[i].from, pieces[i].bytes);
  return MLCRT_OK;
}

absl::Status State::snapshot(ThreadPool &pool, std::vector<Tensor> &out, const std::vector<bool> &wanted) {
  constexpr size_t kPieceBytes = 1 << 20;
  out.resize(storage_.size());
  std::vector<Piece> pieces;
  Guard::Set set;
  for (int32_t i = 0; i < size(); ++i) {
    const mlcrt_variable &variable = this->variable(i);
    if ((variable.flags & MLCRT_VARIABLE_EVAL) || (!wanted.empty() && !wanted[i]))
      continue;
    if (variable.unpack) {
      if (absl::Status status = read(i, out[i]); !status.ok())
        return status;
      continue;
    }
    set.push_back({i, /*write=*/false});
    const TensorView &mine = storage_[i].buffer();
    out[i].resize(mine.dtype, mine.dims);
    out[i].useLargePages(); // all of it is written
    const char *from = storage_[i].as<const char>();
    char *to = out[i].as<char>();
    for (size_t at = 0, bytes = out[i].bytes(); at < bytes; at += kPieceBytes)
      pieces.push_back({from + at, to + at, std::min(kPieceBytes, bytes - at)});
  }
  Guard::Hold hold(guard_, set);
  for (const Guard::Access &access : set)
    if (absl::Status status = current(access.variable); !status.ok())
      return status;
  pool.parallelFor(copyPieces, &pieces, static_cast<int64_t>(pieces.size()));
  return absl::OkStatus();
}

static absl::Status otherType(const char *name, const TensorView &found, const TensorView &expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("variable '", name, "': found ", describe(found), ", expected ", describe(expected)));
}

absl::Status State::write(int32_t index, const TensorView &value) {
  const mlcrt_variable &variable = this->variable(index);
  const TensorView &mine = storage_[index].buffer();
  if (value.dtype != mine.dtype || value.dims != mine.dims)
    return otherType(variable.value.name, value, mine);
  Guard::Set set = {{index, /*write=*/true}};
  Guard::Hold hold(guard_, set);
  changed(index);
  if (variable.pack)
    variable.pack(value.data, storage_[index].data(), 0, packedRows(mine));
  else
    std::memcpy(storage_[index].data(), value.data, byteCount(value));
  return absl::OkStatus();
}

absl::Status State::fill(int32_t index, const std::function<absl::Status(void *to, int64_t bytes)> &fill) {
  const mlcrt_variable &variable = this->variable(index);
  Guard::Set set = {{index, /*write=*/true}};
  Guard::Hold hold(guard_, set);
  // Of what it does not write, the old value stays.
  if (absl::Status status = current(index); !status.ok())
    return status;
  changed(index);
  const int64_t bytes = byteCount(storage_[index].buffer());
  if (!variable.pack)
    return fill(storage_[index].data(), bytes);
  AlignedBytes logical(bytes);
  if (absl::Status status = fill(logical.data(), bytes); !status.ok())
    return status;
  variable.pack(logical.data(), storage_[index].data(), 0, packedRows(storage_[index].buffer()));
  return absl::OkStatus();
}

absl::Status State::fillRows(int32_t index, RowRange rows,
                             const std::function<absl::Status(void *to, int64_t bytes)> &fill) {
  const TensorView &mine = storage_[index].buffer();
  if (mine.rank() == 0 || variable(index).pack || rows == RowRange{0, mine.dims[0]})
    return this->fill(index, fill);
  Guard::Set set = {{index, /*write=*/true}};
  Guard::Hold hold(guard_, set);
  if (absl::Status status = current(index); !status.ok())
    return status;
  changed(index);
  const int64_t rowBytes = bytesOfRow(mine);
  return fill(static_cast<char *>(mine.data) + rows.begin * rowBytes, rows.size() * rowBytes);
}

void State::releaseRows(int32_t index) {
  Guard::Set set = {{index, /*write=*/true}};
  Guard::Hold hold(guard_, set);
  changed(index);
  storage_[index].release();
}

void State::useLargePages() {
  for (Tensor &tensor : storage_)
    tensor.useLargePages();
}

static absl::Status unknownTensor(std::string_view name) {
  return absl::NotFoundError(absl::StrCat("no variable '", std::string(name), "' in the artifact"));
}

absl::StatusOr<Tensor> State::read(std::string_view name) {
  const int32_t index = artifact_->tensors().find(name);
  if (index < 0)
    return unknownTensor(name);
  const StateTensor &tensor = artifact_->tensors()[index];
  const RowRange here = held(tensor.variable);
  Tensor out;
  if (absl::Status status = readRows(tensor.variable, commonRows(tensor.rows, here).from(here.begin), out);
      !status.ok())
    return status;
  return out;
}

absl::Status State::write(std::string_view name, const TensorView &value) {
  const int32_t index = artifact_->tensors().find(name);
  if (index < 0)
    return unknownTensor(name);
  const StateTensor &tensor = artifact_->tensors()[index];
  const RowRange here = held(tensor.variable), rows = commonRows(tensor.rows, here);
  TensorView expected = {nullptr, tensor.value.dtype, tensor.value.dims};
  if (expected.rank() > 0)
    expected.dims[0] = rows.size();
  if (value.dtype != expected.dtype || value.dims != expected.dims)
    return otherType(tensor.value.name, value, expected);
  if (rows == here)
    return write(tensor.variable, value);
  return fillRows(tensor.variable, rows.from(here.begin), [&](void *to, int64_t bytes) {
    std::memcpy(to, value.data, bytes);
    return absl::OkStatus();
  });
}

} // namespace mlcrt
