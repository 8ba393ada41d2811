//===- EntryRunner.cpp - Runs the segments of an entry over a batch ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/EntryRunner.h"

#include "common/checkpoint/NameKey.h"

#include "runtime/src/core/EntryLaunch.h"
#include "runtime/src/core/Parts.h"
#include "runtime/src/core/RunObservation.h"
#include "runtime/src/core/Services.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace mlcrt {

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static void shapeTensor(const mlcrt_value &value, const Symbols &symbols, Tensor &tensor) {
  tensor.resize(value.dtype, resolveDims(value, symbols));
}

bool hasDimsOfCall(const mlcrt_value &value) {
  return std::find(value.dims, value.dims + value.rank, MLCRT_DIM_OF_CALL) != value.dims + value.rank;
}

void SumSet::shape(const Artifact &artifact, const Symbols &global) {
  const mlcrt_artifact &table = artifact.table();
  reserve(artifact);
  for (int32_t i = 0; i < table.num_sums; ++i) {
    shapeTensor(table.sums[i], global, sums_[i]);
    onDevice_[i].forget();
  }
}

//===----------------------------------------------------------------------===//
// EntryRunner
//===----------------------------------------------------------------------===//

/// The variable whose rows a segment of init writes, from the context's first row on; -1: it writes none so.
static int32_t rowsWrittenBy(const mlcrt_entry &entry, const mlcrt_segment &segment) {
  if (entry.role != MLCRT_ROLE_INIT || !writesRows(segment))
    return -1;
  int32_t variable = -1;
  for (int32_t i = 0; i < segment.num_operands; ++i)
    if (segment.operands[i].source == MLCRT_SOURCE_VARIABLE)
      variable = segment.operands[i].index;
  return variable;
}

/// After the name of a segment, that of the one which runs its checks on the host (docs/abi.md).
static constexpr absl::string_view kChecksSuffix = ".checks";

EntryRunner::EntryRunner(Program &program, const mlcrt_entry &entry, ThreadPool &pool)
    : program_(program), entry_(entry), environment_(pool, &program.tables(), &program.queues(), program.files()),
      usedFeatures_(program.artifact().usedFeatures(entry)), inSlot_(entry.num_intermediates),
      intermediates_(entry.num_intermediates), onDevice_(entry.num_intermediates), outputs_(entry),
      step_(program.artifact()), deviceOperands_(program.devices(), program.homes()) {
  for (int32_t s = 0; s < entry.num_segments; ++s) {
    const mlcrt_segment &segment = entry.segments[s];
    plans_.push_back({&segment, Guard::setOf(segment, program.artifact().table().variables),
                      rowsWrittenBy(entry, segment), program.artifact().table().num_spaces > 0});
    if (segment.device != MLCRT_DEVICE_HOST)
      plans_.back().recordings = std::make_unique<SegmentRecordings>(segment);
    for (int32_t i = 0; i < segment.num_operands; ++i) {
      const mlcrt_operand &operand = segment.operands[i];
      if (segment.kind == MLCRT_SEGMENT_FEATURES && operand.source == MLCRT_SOURCE_INTERMEDIATE)
        inSlot_[operand.index] = true;
    }
  }
  for (Plan &plan : plans_)
    for (size_t other = 0; other < plans_.size(); ++other)
      if (const mlcrt_segment &segment = *plans_[other].segment;
          segment.kind == MLCRT_SEGMENT_CALLED && segment.name == absl::StrCat(plan.segment->name, kChecksSuffix))
        plan.checks = static_cast<int32_t>(other);
  environment_.useCaller(*this);
  environment_.useDevices(program.devices());
  denseFeatures_.resize(program.artifact().table().num_features);
  matrices_.resize(program.artifact().table().num_matrices);
  symbols_.resize(program.artifact().symbolCount());
  ownSlot_ = makeSlot();
  if (!program.partsAreAlone())
    others_ = OtherParts::create(program, entry, pool.threads());
}

EntryRunner::~EntryRunner() = default;

FeatureSlot EntryRunner::makeSlot() const {
  FeatureSlot slot;
  slot.intermediates.resize(entry_.num_intermediates);
  return slot;
}

void EntryRunner::resetMemory(Arena &texts) {
  environment_.arena().reset();
  texts.reset();
  environment_.useTexts(texts);
}

void EntryRunner::shape(mlcrt_segment_kind kind, FeatureSlot &slot, const Symbols &symbols) {
  bool features = kind == MLCRT_SEGMENT_FEATURES;
  for (int32_t i = 0; i < entry_.num_intermediates; ++i)
    if (inSlot_[i] == features) {
      shapeTensor(entry_.intermediates[i], symbols, features ? slot.intermediates[i] : intermediates_[i]);
      onDevice_[i].forget();
    }
  if (features)
    return;
  for (int32_t i = 0; i < entry_.num_outputs; ++i)
    if (!hasDimsOfCall(entry_.outputs[i]))
      shapeTensor(entry_.outputs[i], symbols, outputs_.value(i));
}

void EntryRunner::placeVariable(int32_t variable, void *data) {
  places_.resize(std::max(places_.size(), static_cast<size_t>(variable) + 1));
  places_[static_cast<size_t>(variable)] = data;
}

TensorView EntryRunner::denseFeature(int32_t feature, const Call &call) {
  const TensorView &view = call.batch->features[feature];
  if (view.rowStride == 0)
    return view;
  Tensor &copy = denseFeatures_[feature];
  copy.resize(view.dtype, view.dims);
  copyDense(view, copy.data());
  return copy.buffer();
}

TensorView EntryRunner::matrix(int32_t index, const Call &call) {
  const std::vector<TensorView> &held = call.batch->matrices;
  if (static_cast<size_t>(index) < held.size() && held[index].data)
    return held[index];
  Tensor &all = matrices_[index];
  if (hasMatrix_[index])
    return all.buffer();
  hasMatrix_[index] = true;
  const mlcrt_matrix &matrix = program_.artifact().table().matrices[index];
  const int64_t rows = call.batch->rows, size = dtypeSize(matrix.value.dtype), pitch = matrix.value.dims[1] * size;
  all.resize(matrix.value.dtype, {rows, matrix.value.dims[1]});
  for (int64_t c = 0; c < matrix.num_columns; ++c) {
    const TensorView &column = call.batch->features[matrix.columns[c].feature];
    const auto bytes = static_cast<size_t>(bytesOfRow(column));
    const char *from = static_cast<const char *>(column.data);
    char *to = all.as<char>() + matrix.columns[c].offset * size;
    for (int64_t r = 0; r < rows; ++r, from += rowPitch(column), to += pitch)
      std::memcpy(to, from, bytes);
  }
  return all.buffer();
}

TensorView EntryRunner::bind(const mlcrt_operand &operand, const Call &call) {
  switch (operand.source) {
  case MLCRT_SOURCE_FEATURE:
    return operand.flags & MLCRT_OPERAND_STRIDED ? call.batch->features[operand.index]
                                                 : denseFeature(operand.index, call);
  case MLCRT_SOURCE_MATRIX:
    return matrix(operand.index, call);
  case MLCRT_SOURCE_VARIABLE: {
    TensorView buffer = program_.state().storage(operand.index);
    if (const auto index = static_cast<size_t>(operand.index); index < places_.size() && places_[index])
      buffer.data = places_[index];
    if (operand.index == call.rowsOf && call.rows.size() < buffer.dims[0]) {
      buffer.data = static_cast<char *>(buffer.data) + call.rows.begin * bytesOfRow(buffer);
      buffer.dims[0] = call.rows.size();
    }
    return buffer;
  }
  case MLCRT_SOURCE_SETTING:
    return {step_.setting(operand.index), program_.artifact().table().settings[operand.index].dtype, {}};
  case MLCRT_SOURCE_CONTEXT:
    return {step_.context(operand.index), MLCRT_I64, {}};
  case MLCRT_SOURCE_DIMENSION:
    return {step_.symbol(operand.index), MLCRT_I64, {}};
  case MLCRT_SOURCE_STEP:
    return step_.block();
  case MLCRT_SOURCE_ERROR:
    return {&environment_.errorSlot(), MLCRT_U64, {}};
  case MLCRT_SOURCE_INTERMEDIATE:
    return (inSlot_[operand.index] ? call.slot->intermediates : intermediates_)[operand.index].buffer();
  case MLCRT_SOURCE_OUTPUT:
    if (const mlcrt_value &value = entry_.outputs[operand.index]; hasDimsOfCall(value)) {
      Dims dims(static_cast<size_t>(value.rank));
      std::transform(value.dims, value.dims + value.rank, dims.begin(),
                     [](int64_t dim) { return std::max<int64_t>(dim, 0); });
      return {nullptr, value.dtype, std::move(dims)};
    }
    return outputs_.value(operand.index).buffer();
  case MLCRT_SOURCE_SUM_A:
    return call.sums.a->sum(operand.index).buffer();
  case MLCRT_SOURCE_SUM_B:
    return call.sums.b->sum(operand.index).buffer();
  case MLCRT_SOURCE_SHARED:
    return (operand.access & MLCRT_WRITE ? *call.sums.sharedOut : *call.sums.shared)[operand.index].buffer();
  default: // MLCRT_SOURCE_SUM_OUT: the artifact's checks admit no other
    return call.sums.out->sum(operand.index).buffer();
  }
}

absl::Status EntryRunner::takeOutput(const Plan &plan, int32_t index, const mlcrt_buffer &made) {
  const mlcrt_value &value = entry_.outputs[index];
  const TensorView view = {made.data, made.dtype, Dims(made.dims, made.dims + std::max(made.rank, 0))};
  const int64_t bytes = byteCount(view);
  bool fits = made.dtype == value.dtype && made.rank == value.rank && bytes >= 0 && (made.data || bytes == 0);
  for (int32_t i = 0; fits && i < value.rank; ++i)
    fits = value.dims[i] == MLCRT_DIM_OF_CALL || value.dims[i] < 0 || value.dims[i] == made.dims[i];
  if (!fits)
    return absl::InternalError(absl::StrCat("entry '", entry_.name, "', segment '", plan.segment->name, "': output '",
                                            value.name, "' became ", describe(view)));
  outputs_.value(index).resize(view.dtype, view.dims);
  if (bytes)
    std::memcpy(outputs_.value(index).data(), made.data, bytes);
  return absl::OkStatus();
}

absl::Status EntryRunner::adopt(const Plan &plan, Call &call, const Frame &frame) {
  for (int32_t i = 0; i < plan.segment->num_operands; ++i) {
    const mlcrt_operand &operand = plan.segment->operands[i];
    if (!(operand.access & MLCRT_WRITE))
      continue;
    if (operand.source == MLCRT_SOURCE_OUTPUT && hasDimsOfCall(entry_.outputs[operand.index])) {
      if (absl::Status status = takeOutput(plan, operand.index, frame.buffers[i]); !status.ok())
        return status;
      continue;
    }
    Tensor *target = nullptr;
    if (operand.source == MLCRT_SOURCE_INTERMEDIATE)
      target = &(inSlot_[operand.index] ? call.slot->intermediates : intermediates_)[operand.index];
    else if (operand.source == MLCRT_SOURCE_OUTPUT)
      target = &outputs_.value(operand.index);
    else if (operand.source == MLCRT_SOURCE_SUM_OUT)
      target = &call.sums.out->sum(operand.index);
    else if (operand.source == MLCRT_SOURCE_SHARED)
      target = &(*call.sums.sharedOut)[operand.index];
    mlcrt_buffer made = frame.buffers[i];
    if (target && operand.space != MLCRT_SPACE_HOST)
      made.data = target->data();
    if (target && !target->adoptDims(made))
      return absl::InternalError(
          absl::StrCat("entry '", entry_.name, "', segment '", plan.segment->name, "': operand ", i, " became ",
                       describe({nullptr, made.dtype, Dims(made.dims, made.dims + std::max(made.rank, 0))}),
                       ", which does not fit the memory of ", describe(target->buffer())));
  }
  return absl::OkStatus();
}

absl::Status EntryRunner::prepare(const Plan &plan, Call &call, Frame &memory) {
  const mlcrt_segment &segment = *plan.segment;
  const int threads = environment_.pool().threads();
  memory.workspaces.resize(std::max<size_t>(memory.workspaces.size(), segment.num_workspaces));
  memory.hostWorkspaces.resize(memory.workspaces.size());
  for (int64_t w = 0; w < segment.num_workspaces; ++w) {
    const mlcrt_workspace &workspace = segment.workspaces[w];
    const int64_t bytes = workspace.size(step_.symbols(), threads);
    if (bytes < 0)
      return absl::InternalError(
          absl::StrCat("entry '", entry_.name, "', segment '", segment.name, "': workspace of ", bytes, " bytes"));
    if (workspace.space == MLCRT_SPACE_HOST) {
      AlignedBytes &host = memory.hostWorkspaces[w];
      host.reserve(bytes);
      memory.workspaces[w] = {host.data(), host.size()};
      continue;
    }
    absl::StatusOr<mlcrt_memory> there = deviceOperands_.workspace(static_cast<int32_t>(w), workspace.space, bytes);
    if (!there.ok())
      return there.status();
    memory.workspaces[w] = *there;
  }
  StepSignals *const signals = call.sums.signals;
  memory.buffers.resize(std::max<size_t>(memory.buffers.size(), segment.num_operands));
  memory.views.clear();
  size_t numbers = 0;
  for (int32_t i = 0; i < segment.num_operands; ++i) {
    const mlcrt_operand &operand = segment.operands[i];
    if (signals && operand.source == MLCRT_SOURCE_VARIABLE && !(operand.flags & MLCRT_OPERAND_SIGNALLED))
      if (absl::Status status = signals->await(operand.index); !status.ok())
        return status;
    const TensorView &view = memory.views.emplace_back(bind(operand, call));
    numbers += view.dims.size() * (view.rowStride ? 2 : 1);
  }
  memory.dims.resize(std::max(memory.dims.size(), numbers));
  int64_t *next = memory.dims.data();
  for (int32_t i = 0; i < segment.num_operands; ++i) {
    const TensorView &view = memory.views[i];
    mlcrt_buffer &buffer = memory.buffers[i] = toBuffer(view, next);
    next += buffer.rank;
    if (view.rowStride) {
      buffer.strides = next;
      next += buffer.rank;
      int64_t stride = 1;
      for (int32_t d = buffer.rank - 1; d > 0; stride *= buffer.dims[d--])
        next[d - buffer.rank] = stride;
      next[-buffer.rank] = view.rowStride;
    }
  }
  return absl::OkStatus();
}

DeviceValue *EntryRunner::kept(const mlcrt_operand &operand, const Call &call) {
  if (!program_.homes().keepsValues())
    return nullptr;
  switch (operand.source) {
  case MLCRT_SOURCE_INTERMEDIATE:
    return inSlot_[operand.index] ? nullptr : &onDevice_[operand.index];
  case MLCRT_SOURCE_SUM_A:
    return &call.sums.a->onDevice(operand.index);
  case MLCRT_SOURCE_SUM_B:
    return &call.sums.b->onDevice(operand.index);
  case MLCRT_SOURCE_SUM_OUT:
    return &call.sums.out->onDevice(operand.index);
  default:
    return nullptr;
  }
}

absl::Status EntryRunner::bringToHost(const mlcrt_operand &operand, const Call &call, const TensorView &host) {
  if (operand.source == MLCRT_SOURCE_VARIABLE)
    return program_.state().current(operand.index);
  DeviceValue *value = kept(operand, call);
  if (!value)
    return absl::OkStatus();
  if (operand.access & MLCRT_READ)
    if (absl::Status status = value->fetch(program_.devices(), host); !status.ok())
      return status;
  if (operand.access & MLCRT_WRITE)
    value->forget();
  return absl::OkStatus();
}

absl::Status EntryRunner::bringToDevices(const Plan &plan, const Call &call, Frame &memory) {
  if (call.isLaunched)
    if (absl::Status status = placeLaunched(plan, call, memory); !status.ok())
      return status;
  for (int32_t i = 0; i < plan.segment->num_operands; ++i) {
    const mlcrt_operand &operand = plan.segment->operands[i];
    if (call.isLaunched && isPlaced(i))
      continue;
    if (operand.space == MLCRT_SPACE_HOST) {
      if (absl::Status status = bringToHost(operand, call, memory.views[i]); !status.ok())
        return status;
      continue;
    }
    absl::StatusOr<void *> ahead = findAhead(operand, call.slot, memory.views[i]);
    if (!ahead.ok())
      return ahead.status();
    if (*ahead && call.slot->place == AheadPlace::Slot) {
      memory.buffers[i].data = *ahead;
      continue;
    }
    DeviceValue *value = kept(operand, call);
    absl::StatusOr<void *> there =
        value ? value->bring(program_.devices(), operand.space, memory.views[i], (operand.access & MLCRT_READ) != 0)
              : deviceOperands_.bring(i, operand, memory.views[i], *ahead);
    if (!there.ok())
      return there.status();
    memory.buffers[i].data = *there;
  }
  return absl::OkStatus();
}

absl::Status EntryRunner::takeFromDevices(const Plan &plan, const Call &call, const Frame &memory) {
  absl::Status status;
  for (int32_t i = 0; status.ok() && i < plan.segment->num_operands; ++i) {
    const mlcrt_operand &operand = plan.segment->operands[i];
    if (!(operand.access & MLCRT_WRITE) || operand.space == MLCRT_SPACE_HOST)
      continue;
    if (DeviceValue *value = kept(operand, call))
      value->isWritten();
    else if (!call.isLaunched) // it then writes variables, which stay there, and what comes later
      status = deviceOperands_.takeBack(i, operand, memory.views[i]);
  }
  // After an error, too: what is on its way comes to memory of this call.
  if (absl::Status settled = deviceOperands_.settle(); status.ok())
    status = settled;
  if (!status.ok())
    return status;
  const bool hasHomes = program_.artifact().table().num_homes > 0;
  for (int32_t i = 0; hasHomes && i < plan.segment->num_operands; ++i) {
    const mlcrt_operand &operand = plan.segment->operands[i];
    if (!(operand.access & MLCRT_WRITE) || operand.source != MLCRT_SOURCE_VARIABLE)
      continue;
    program_.state().changed(operand.index);
    if (operand.space != MLCRT_SPACE_HOST && program_.homes().isWhole(operand.index, memory.views[i]))
      program_.homes().isWritten(operand.index, operand.space);
  }
  return absl::OkStatus();
}

absl::StatusOr<int32_t> EntryRunner::invoke(const Plan &plan, Call &call, Frame &memory) {
  if (absl::Status status = prepare(plan, call, memory); !status.ok())
    return status;
  mlcrt_frame frame = {};
  frame.struct_size = sizeof(frame);
  frame.threads = static_cast<uint32_t>(environment_.pool().threads());
  frame.services = &services();
  frame.env = &environment_;
  frame.buffers = memory.buffers.data();
  frame.workspaces = memory.workspaces.data();
  environment_.setSignals(plan.segment, call.sums.signals);
  Guard::Hold hold(program_.state().guard(), plan.locks);
  if (!plan.usesDevices)
    return plan.segment->run(&frame);
  if (absl::Status status = bringToDevices(plan, call, memory); !status.ok())
    return status;
  absl::StatusOr<int32_t> code = runOnDevice(plan, frame);
  if (code.ok() && *code == MLCRT_OK)
    if (absl::Status status = takeFromDevices(plan, call, memory); !status.ok())
      code = status;
  if (!code.ok() || *code != MLCRT_OK)
    abandon(plan);
  return code;
}

absl::StatusOr<int32_t> EntryRunner::runOnDevice(const Plan &plan, mlcrt_frame &frame) {
  if (!plan.recordings)
    return plan.segment->run(&frame);
  absl::StatusOr<Device *> device = program_.devices().open(plan.segment->device);
  if (!device.ok())
    return device.status();
  return plan.recordings->run(**device, frame, environment_);
}

void EntryRunner::abandon(const Plan &plan) {
  const mlcrt_segment &segment = *plan.segment;
  if (segment.device == MLCRT_DEVICE_HOST)
    return;
  absl::Status failed;
  if (absl::StatusOr<Device *> device = program_.devices().open(segment.device); device.ok())
    failed = (*device)->wait(); // it was told, or follows from what was
  for (int32_t i = 0; i < segment.num_operands; ++i)
    if (const mlcrt_operand &operand = segment.operands[i];
        operand.source == MLCRT_SOURCE_VARIABLE && operand.space != MLCRT_SPACE_HOST && (operand.access & MLCRT_WRITE))
      program_.homes().isSpoilt(operand.index, operand.space, failed);
}

StepError EntryRunner::explain(const Plan &plan, Call &call, StepError error) {
  if (plan.checks < 0)
    return error;
  // All that the segment reads is as it was: it has updated nothing.
  Call checked = call;
  checked.isLaunched = false;
  static_cast<void>(invoke(plans_[plan.checks], checked, calledFrame_));
  std::optional<StepError> found = environment_.take(&program_.artifact().table());
  return found ? *std::move(found) : error;
}

absl::Status EntryRunner::runSegment(const Plan &plan, Call &call) {
  absl::StatusOr<int32_t> code = invoke(plan, call, frame_);
  if (absl::Status status = environment_.takeAwaited(); !status.ok())
    return status;
  if (std::optional<StepError> error = environment_.take(&program_.artifact().table()))
    return toStatus(explain(plan, call, *std::move(error)));
  if (!code.ok())
    return code.status();
  if (*code != MLCRT_OK)
    return toStatus({*code, -1,
                     absl::StrCat("entry '", entry_.name, "', segment '", plan.segment->name, "' failed with code ",
                                  *code, " and no message")});
  StepSignals *const signals = call.sums.signals;
  if (absl::Status status = adopt(plan, call, frame_); !status.ok() || !signals)
    return status;
  for (int32_t i = 0; i < plan.segment->num_operands; ++i)
    if (const mlcrt_operand &operand = plan.segment->operands[i];
        operand.source == MLCRT_SOURCE_SUM_OUT && !(operand.flags & MLCRT_OPERAND_SIGNALLED))
      signals->done(operand.index);
  return absl::OkStatus();
}

absl::StatusOr<int32_t> EntryRunner::intermediateIndex(const char *name) const {
  for (int32_t i = 0; i < entry_.num_intermediates; ++i)
    if (std::strcmp(entry_.intermediates[i].name, name) == 0)
      return i;
  return absl::InternalError(absl::StrCat("entry '", entry_.name, "' has no intermediate '", name, "'"));
}

const TensorView &EntryRunner::intermediateAt(int32_t index) const {
  return (inSlot_[index] ? call_->slot->intermediates : intermediates_)[index].buffer();
}

absl::StatusOr<TensorView> EntryRunner::intermediate(const char *name) {
  absl::StatusOr<int32_t> index = intermediateIndex(name);
  if (!index.ok())
    return index.status();
  const TensorView &value = intermediateAt(*index);
  if (absl::Status status = onDevice_[*index].fetch(program_.devices(), value); !status.ok())
    return status;
  return value;
}

absl::Status EntryRunner::setIntermediate(const char *name, const int64_t *dims, const void *data) {
  absl::StatusOr<int32_t> index = intermediateIndex(name);
  if (!index.ok())
    return index.status();
  const TensorView &place = intermediateAt(*index);
  if (!std::equal(place.dims.begin(), place.dims.end(), dims)) {
    TensorView given = place;
    std::copy_n(dims, given.dims.size(), given.dims.begin());
    return absl::InternalError(absl::StrCat("entry '", entry_.name, "': intermediate '", name, "' became ",
                                            describe(given), ", expected ", describe(place)));
  }
  onDevice_[*index].forget();
  if (const int64_t bytes = byteCount(place))
    std::memcpy(place.data, data, bytes);
  return absl::OkStatus();
}

absl::StatusOr<int32_t> EntryRunner::callSegment(const char *name) {
  for (const Plan &plan : plans_)
    if (plan.segment->kind == MLCRT_SEGMENT_CALLED && std::strcmp(plan.segment->name, name) == 0) {
      absl::StatusOr<int32_t> code = invoke(plan, *call_, calledFrame_);
      if (!code.ok() || *code != MLCRT_OK)
        return code;
      if (absl::Status status = adopt(plan, *call_, calledFrame_); !status.ok())
        return status;
      return MLCRT_OK;
    }
  return absl::InternalError(absl::StrCat("entry '", entry_.name, "' has no called segment '", name, "'"));
}

absl::Status EntryRunner::runSegments(mlcrt_segment_kind kind, Call &call) {
  call_ = &call;
  for (const Plan &plan : plans_)
    if (plan.segment->kind == kind)
      if (absl::Status status = plan.rowsOf < 0 ? runSegment(plan, call) : runForTensors(plan, call); !status.ok())
        return status;
  return absl::OkStatus();
}

absl::Status EntryRunner::runForTensors(const Plan &plan, Call &call) {
  const StateTensors &tensors = program_.artifact().tensors();
  const RowRange held = program_.state().held(plan.rowsOf);
  Symbols symbols = *call.symbols;
  Call one = call;
  one.symbols = &symbols;
  one.rowsOf = plan.rowsOf;
  call_ = &one;
  absl::Status status;
  for (int32_t t = tensors.firstOf(plan.rowsOf); status.ok() && t < tensors.firstOf(plan.rowsOf + 1); ++t) {
    const RowRange rows = commonRows(tensors[t].rows, held);
    if (rows.size() == 0)
      continue;
    one.rows = rows.from(held.begin);
    symbols[MLCRT_SYMBOL_BATCH] = rows.size();
    step_.setSymbol(MLCRT_SYMBOL_BATCH, rows.size());
    step_.setContext(MLCRT_CONTEXT_FIRST_ROW, rows.from(tensors[t].rows.begin).begin);
    step_.setContext(MLCRT_CONTEXT_KEY, static_cast<int64_t>(mlc::common::nameKey(tensors[t].value.name)));
    status = runSegment(plan, one);
  }
  call_ = &call;
  step_.setSymbols(*call.symbols);
  return status;
}

void EntryRunner::beginCall(const CallContext &context, const Symbols &symbols) {
  step_.setContext(MLCRT_CONTEXT_SEED, context.seed);
  step_.setContext(MLCRT_CONTEXT_STEP, context.step);
  step_.setContext(MLCRT_CONTEXT_FIRST_ROW, context.firstRow);
  step_.setSettings(program_.settings());
  step_.setSymbols(symbols);
  hasMatrix_.assign(matrices_.size(), false);
}

void EntryRunner::beginStep(FeatureSlot &slot, const CallContext &context, int64_t rowBase) {
  beginCall(context, symbols_);
  resetMemory(environment_.ownTexts());
  environment_.setRowBase(rowBase);
  shape(MLCRT_SEGMENT_STEP, slot, symbols_);
}

/// What a timeline calls the step segments of an entry.
static const char *spanName(int32_t role, const SumOperands &sums) {
  if (sums.launchedSlot)
    return "launch";
  switch (role) {
  case MLCRT_ROLE_TRAIN:
  case MLCRT_ROLE_TRAIN_GRAD:
    return "compute";
  case MLCRT_ROLE_TRAIN_COMBINE:
    return "combine";
  case MLCRT_ROLE_TRAIN_APPLY:
  case MLCRT_ROLE_TRAIN_PARTIAL:
  case MLCRT_ROLE_TRAIN_SHARED:
  case MLCRT_ROLE_TRAIN_UPDATE:
    return "apply";
  case MLCRT_ROLE_SUMMARY:
    return "summary";
  default:
    return "run";
  }
}

absl::Status EntryRunner::runFeatures(const BatchView &batch, FeatureSlot &slot, const CallContext &context,
                                      int64_t rowBase) {
  const TimelineSpan span(program_.observation(), "features", context.step);
  slot.ahead.clear();
  if (absl::Status status = bindSymbols(batch, symbols_); !status.ok())
    return status;
  beginCall(context, symbols_);
  resetMemory(slot.texts);
  environment_.setRowBase(rowBase);
  shape(MLCRT_SEGMENT_FEATURES, slot, symbols_);
  Call call = {&batch, &slot, {}, &symbols_};
  return runSegments(MLCRT_SEGMENT_FEATURES, call);
}

absl::Status EntryRunner::runStep(const BatchView &batch, FeatureSlot &slot, const CallContext &context,
                                  const SumOperands &sums, const Symbols &global, int64_t rowBase) {
  const TimelineSpan span(program_.observation(), spanName(entry_.role, sums), context.step);
  if (absl::Status status = bindSymbols(batch, symbols_); !status.ok())
    return status;
  beginStep(slot, context, rowBase);
  if (sums.out)
    sums.out->shape(program_.artifact(), global);
  Call call = {&batch, &slot, sums, &symbols_};
  call.isLaunched = sums.launchedSlot != nullptr;
  if (!others_)
    return runSegments(MLCRT_SEGMENT_STEP, call);
  others_->start(batch, context);
  return others_->finish(runSegments(MLCRT_SEGMENT_STEP, call));
}

absl::Status EntryRunner::runSums(const CallContext &context, const SumOperands &sums, const Symbols &global) {
  const TimelineSpan span(program_.observation(), spanName(entry_.role, sums), context.step);
  Call call = {nullptr, &ownSlot_, sums, &global};
  call.isLaunched = sums.launchedSlot != nullptr;
  return runSums(context, call);
}

absl::Status EntryRunner::runSums(const CallContext &context, Call &call) {
  const Symbols &global = *call.symbols;
  beginCall(context, global);
  resetMemory(environment_.ownTexts());
  environment_.setRowBase(0);
  shape(MLCRT_SEGMENT_FEATURES, ownSlot_, global);
  shape(MLCRT_SEGMENT_STEP, ownSlot_, global);
  if (call.sums.out)
    call.sums.out->shape(program_.artifact(), global);
  if (absl::Status status = runSegments(MLCRT_SEGMENT_FEATURES, call); !status.ok())
    return status;
  return runSegments(MLCRT_SEGMENT_STEP, call);
}

absl::Status EntryRunner::runFeatures(const BatchView &batch, FeatureSlot &slot, const CallContext &context) {
  return runFeatures(batch, slot, context, /*rowBase=*/0);
}

absl::Status EntryRunner::runStep(const BatchView &batch, FeatureSlot &slot, const CallContext &context) {
  return runStep(batch, slot, context, SumOperands(), symbols_, /*rowBase=*/0);
}

absl::Status EntryRunner::run(const BatchView &batch, const CallContext &context) {
  if (absl::Status status = runFeatures(batch, ownSlot_, context); !status.ok())
    return status;
  return runStep(batch, ownSlot_, context);
}

int32_t EntryOutputs::find(std::string_view name) const {
  for (int32_t i = 0; i < size(); ++i)
    if (name == type(i).name)
      return i;
  return -1;
}

absl::StatusOr<double> EntryOutputs::scalar(std::string_view name) const {
  int32_t index = find(name);
  if (index < 0)
    return absl::NotFoundError(absl::StrCat("entry '", entry_->name, "' has no output '", std::string(name), "'"));
  const Tensor &output = values_[index];
  if (output.data() && output.elements() == 1) {
    switch (output.dtype()) {
    case MLCRT_F32:
      return *output.as<float>();
    case MLCRT_F64:
      return *output.as<double>();
    case MLCRT_I32:
      return *output.as<int32_t>();
    case MLCRT_I64:
      return static_cast<double>(*output.as<int64_t>());
    default:
      break;
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("output '", std::string(name), "' of entry '", entry_->name, "' is ",
                                                 describe(output.buffer()), ", expected a scalar number"));
}

} // namespace mlcrt
