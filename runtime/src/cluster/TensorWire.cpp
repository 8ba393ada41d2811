// What tensors look like in payloads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/TensorWire.h"

#include "runtime/src/core/RowPulls.h"

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

std::vector<int32_t> VariableWire::readByTrainers(const Artifact &artifact, bool pullsRows) {
  const std::vector<bool> areByRows = RowPulls(artifact).areByRows();
  std::vector<int32_t> variables;
  for (mlcrt_role role : {MLCRT_ROLE_TRAIN_GRAD, MLCRT_ROLE_SUMMARY}) {
    const mlcrt_entry *entry = artifact.entry(role);
    for (int32_t s = 0; entry && s < entry->num_segments; ++s)
      for (int32_t i = 0; i < entry->segments[s].num_operands; ++i)
        if (const mlcrt_operand &operand = entry->segments[s].operands[i];
            operand.source == MLCRT_SOURCE_VARIABLE && !(pullsRows && areByRows[operand.index]) &&
            std::find(variables.begin(), variables.end(), operand.index) == variables.end())
          variables.push_back(operand.index);
  }
  return variables;
}

VariableWire VariableWire::ofServer(State &state, const std::vector<int32_t> &variables, const ShardPlan &plan,
                                    int server) {
  VariableWire wire(state);
  for (int32_t variable : variables)
    if (const RowRange rows = plan.rows(variable, server); rows.size() > 0)
      wire.pieces_.push_back({variable, {0, rows.size()}});
  return wire;
}

VariableWire VariableWire::ofTrainer(State &state, const std::vector<int32_t> &variables, const ShardPlan &plan,
                                     int server) {
  VariableWire wire(state);
  for (int32_t variable : variables)
    if (const RowRange rows = plan.rows(variable, server); rows.size() > 0)
      wire.pieces_.push_back({variable, rows});
  return wire;
}

void VariableWire::add(Piece piece, bool isCopy, OutgoingMessage &message) {
  const TensorView &buffer = state_->storage(piece.variable);
  const int64_t first = piece.rows.begin * bytesOfRow(buffer), bytes = piece.rows.size() * bytesOfRow(buffer);
  if (!isCopy && !state_->variable(piece.variable).unpack) {
    message.payload.push_back({static_cast<const char *>(buffer.data) + first, bytes, nullptr});
    return;
  }
  auto logical = std::make_shared<Tensor>();
  state_->read(piece.variable, *logical)
      .IgnoreError(); // of a cluster's tasks no value is elsewhere (Homes::keepValues)
  message.payload.push_back({logical->as<const char>() + first, bytes, logical});
}

void VariableWire::send(OutgoingMessage &message) {
  for (Piece piece : pieces_)
    add(piece, /*isCopy=*/false, message);
}

void VariableWire::sendCopy(OutgoingMessage &message) {
  for (Piece piece : pieces_)
    add(piece, /*isCopy=*/true, message);
}

absl::Status VariableWire::receive(IncomingMessage &message) {
  for (Piece piece : pieces_)
    if (absl::Status status = state_->fillRows(piece.variable, piece.rows,
                                               [&message](void *to, int64_t bytes) { return message.read(to, bytes); });
        !status.ok())
      return status;
  return absl::OkStatus();
}

std::vector<int32_t> VariableWire::variables() const {
  std::vector<int32_t> variables;
  for (Piece piece : pieces_)
    variables.push_back(piece.variable);
  return variables;
}

bool VariableWire::place(std::vector<Placement::Span> &spans) const {
  if (std::any_of(pieces_.begin(), pieces_.end(),
                  [this](Piece piece) { return state_->variable(piece.variable).pack; }))
    return false;
  for (Piece piece : pieces_) {
    const TensorView &buffer = state_->storage(piece.variable);
    const int64_t rowBytes = bytesOfRow(buffer);
    spans.push_back({static_cast<char *>(buffer.data) + piece.rows.begin * rowBytes, piece.rows.size() * rowBytes});
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

SumWire::SumWire(const Artifact &artifact, const SumRanges &ranges) : artifact_(artifact), ranges_(ranges) {}

int64_t SumWire::bytes(const Symbols &symbols) const {
  const mlcrt_artifact &table = artifact_.table();
  int64_t total = 0;
  for (int32_t i = 0; i < table.num_sums; ++i) {
    const SumPlace &place = ranges_.places()[i];
    if (place.kind == SumPlace::Kind::Absent || (place.ids >= 0 && place.isExact))
      continue;
    int64_t bytes;
    Dims dims = resolveDims(table.sums[i], symbols);
    if (place.kind == SumPlace::Kind::Rows)
      dims[0] = place.rows.size();
    const int64_t elements = elementCount(dims);
    if (elements < 0 || __builtin_mul_overflow(elements, dtypeSize(table.sums[i].dtype), &bytes) ||
        __builtin_add_overflow(total, bytes, &total))
      return -1;
  }
  return total;
}

int64_t SumWire::mostSent(const Symbols &symbols) const {
  const mlcrt_artifact &table = artifact_.table();
  int64_t total = 0;
  for (int32_t i = 0; i < table.num_sums; ++i) {
    const SumPlace &place = ranges_.places()[i];
    const bool isSparse = place.kind == SumPlace::Kind::Ids;
    if (!isSparse && place.kind != SumPlace::Kind::Whole && place.kind != SumPlace::Kind::Rows)
      continue;
    Dims dims = resolveDims(table.sums[i], symbols);
    if (place.kind == SumPlace::Kind::Rows)
      dims[0] = place.rows.size();
    int64_t elements = elementCount(dims), size = dtypeSize(table.sums[i].dtype), bytes;
    if (isSparse) { // each row once
      elements = elements < 0 ? elements : std::min(elements, place.rows.size());
      size += ranges_.entryBytes(i);
      total += static_cast<int64_t>(sizeof(int64_t));
    }
    if (elements < 0 || __builtin_mul_overflow(elements, size, &bytes) || __builtin_add_overflow(total, bytes, &total))
      return INT64_MAX;
  }
  return total;
}

void SumWire::sendSum(const SumSet &sums, int32_t index, std::vector<Slice> &slices) const {
  const SumPlace &place = ranges_.places()[index];
  const TensorView &buffer = sums.sum(index).buffer();
  const auto *bytes = static_cast<const char *>(buffer.data);
  switch (place.kind) {
  case SumPlace::Kind::Absent:
  case SumPlace::Kind::Parts:
  case SumPlace::Kind::Count:
    return;
  case SumPlace::Kind::Whole:
    slices.push_back({bytes, byteCount(buffer), nullptr});
    return;
  case SumPlace::Kind::Rows:
    slices.push_back({bytes + place.rows.begin * bytesOfRow(buffer), place.rows.size() * bytesOfRow(buffer), nullptr});
    return;
  case SumPlace::Kind::Ids:
    break;
  }
  // The entries of the server's rows.
  const int64_t *begin = sums.sum(index).as<int64_t>(), *end = begin + *sums.sum(index + 2).as<int64_t>();
  const int64_t *first = std::lower_bound(begin, end, place.rows.begin),
                *last = std::lower_bound(first, end, place.rows.end);
  auto count = std::make_shared<int64_t>(last - first);
  const int64_t entryBytes = ranges_.entryBytes(index);
  slices.push_back({count.get(), sizeof(int64_t), count});
  slices.push_back({first, *count * int64_t{sizeof(int64_t)}, nullptr});
  slices.push_back({sums.sum(index + 1).as<const char>() + (first - begin) * entryBytes, *count * entryBytes, nullptr});
}

void SumWire::send(const SumSet &sums, OutgoingMessage &message) const {
  for (int32_t i = 0; i < sums.size(); ++i)
    sendSum(sums, i, message.payload);
}

absl::Status SumWire::receiveEntries(IncomingMessage &message, int32_t ids, const Symbols &symbols,
                                     SumSet &sums) const {
  const SumPlace &place = ranges_.places()[ids];
  int64_t count = 0;
  if (absl::Status status = message.read(&count, sizeof(count)); !status.ok())
    return status;
  const int64_t entry = static_cast<int64_t>(sizeof(int64_t)) + ranges_.entryBytes(ids);
  if (count < 0 || count > message.remaining() / entry)
    return absl::InvalidArgumentError(
        absl::StrCat("a gradient of ", count, " rows in ", message.remaining(), " bytes"));
  for (int32_t part = ids; part < ids + 3; ++part)
    ranges_.shape(part, symbols, count, sums);
  if (count > sums.sum(ids).elements())
    return absl::InvalidArgumentError(
        absl::StrCat("a gradient of ", count, " rows where the batch has at most ", sums.sum(ids).elements()));
  *sums.sum(ids + 2).as<int64_t>() = count;
  int64_t *id = sums.sum(ids).as<int64_t>();
  if (absl::Status status = message.read(id, count * static_cast<int64_t>(sizeof(*id))); !status.ok())
    return status;
  for (int64_t i = 0; i < count; ++i) {
    if (id[i] < place.rows.begin || id[i] >= place.rows.end || (i && id[i] - place.rows.begin <= id[i - 1]))
      return absl::InvalidArgumentError(absl::StrCat("row ", id[i], " of sum '", artifact_.table().sums[ids].name,
                                                     "': rows must ascend within [", place.rows.begin, ", ",
                                                     place.rows.end, ")"));
    id[i] -= place.rows.begin;
  }
  return message.read(sums.sum(ids + 1).data(), count * ranges_.entryBytes(ids));
}

int32_t SumWire::place(const Symbols &symbols, SumSet &sums, std::vector<Placement::Span> &spans) const {
  sums.reserve(artifact_);
  for (int32_t i = 0; i < sums.size(); ++i) {
    const SumPlace::Kind kind = ranges_.places()[i].kind;
    if (kind != SumPlace::Kind::Whole && kind != SumPlace::Kind::Rows && kind != SumPlace::Kind::Absent)
      return i;
    ranges_.shape(i, symbols, /*entries=*/0, sums);
    if (kind != SumPlace::Kind::Absent)
      spans.push_back({sums.sum(i).data(), sums.sum(i).bytes()});
  }
  return sums.size();
}

absl::Status SumWire::receive(IncomingMessage &message, const Symbols &symbols, SumSet &sums, int32_t first) const {
  sums.reserve(artifact_);
  for (int32_t i = first; i < sums.size(); ++i) {
    const SumPlace &place = ranges_.places()[i];
    absl::Status status;
    if (place.kind == SumPlace::Kind::Ids) {
      status = receiveEntries(message, i, symbols, sums);
      i += 2;
    } else {
      ranges_.shape(i, symbols, /*entries=*/0, sums);
      if (place.kind != SumPlace::Kind::Absent)
        status = message.read(sums.sum(i).data(), sums.sum(i).bytes());
    }
    if (!status.ok())
      return status;
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

void OutputWire::place(EntryOutputs &outputs, std::vector<Placement::Span> &spans) {
  for (int32_t i = 0; i < outputs.size(); ++i) {
    const mlcrt_value &type = outputs.type(i);
    if (!isStatic(type))
      continue;
    outputs.value(i).resize(type.dtype, type.dims, type.rank);
    spans.push_back({outputs.value(i).data(), outputs.value(i).bytes()});
  }
}

absl::Status OutputWire::receive(IncomingMessage &message, EntryOutputs &outputs) {
  std::vector<Placement::Span> spans;
  place(outputs, spans);
  for (const Placement::Span &span : spans)
    if (absl::Status status = message.read(span.data, span.size); !status.ok())
      return status;
  return absl::OkStatus();
}

} // namespace mlcrt
