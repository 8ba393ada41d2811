// One execution of an entry.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/run/RunEntry.h"

#include "common/NearestMatch.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/run/Npy.h"

#include <algorithm>
#include <filesystem>

namespace mlcrt {

static absl::Status wrong(std::string what, std::string expected = {}, std::string help = {}) {
  mlc::common::Message message = mlc::common::makeError("E0221", std::move(what), std::move(help));
  message.expected = std::move(expected);
  return messageStatus(absl::StatusCode::kInvalidArgument, message);
}

static std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Parts of a training step work on sums of the others.
static bool isRunnable(const mlcrt_entry &entry) {
  switch (entry.role) {
  case MLCRT_ROLE_TRAIN_GRAD:
  case MLCRT_ROLE_TRAIN_COMBINE:
  case MLCRT_ROLE_TRAIN_APPLY:
  case MLCRT_ROLE_TRAIN_PARTIAL:
  case MLCRT_ROLE_TRAIN_SHARED:
  case MLCRT_ROLE_TRAIN_UPDATE:
    return false;
  default:
    return true;
  }
}

static absl::StatusOr<const mlcrt_entry *> findEntry(const Artifact &artifact, const std::string &name) {
  const mlcrt_artifact &table = artifact.table();
  std::vector<std::string> names;
  const mlcrt_entry *only = nullptr, *named = nullptr;
  int candidates = 0;
  for (int32_t i = 0; i < table.num_entries; ++i) {
    const mlcrt_entry &entry = table.entries[i];
    if (!isRunnable(entry))
      continue;
    names.emplace_back(entry.name);
    if (entry.role != MLCRT_ROLE_INIT) {
      only = &entry;
      ++candidates;
    }
    if (name == entry.name)
      named = &entry;
  }
  if (!name.empty() && !named)
    return wrong("no entry is called '" + name + "'", "one of " + joined(names), mlc::common::didYouMean(name, names));
  if (named)
    return named;
  if (const mlcrt_entry *predict = artifact.entry(MLCRT_ROLE_PREDICT))
    return predict;
  if (candidates == 1)
    return only;
  return wrong("the model has several entries", "--entry with one of " + joined(names));
}

/// "f32[2, 3]".
static std::string typeText(const mlcrt_buffer &buffer) {
  mlcrt_value value = {"", buffer.dtype, buffer.rank, {}};
  std::copy_n(buffer.dims, buffer.rank, value.dims);
  return typeText(value);
}

static bool fits(const mlcrt_buffer &buffer, const mlcrt_value &value) {
  bool same = buffer.dtype == value.dtype && buffer.rank == value.rank;
  for (int32_t i = 0; same && i < value.rank; ++i)
    same = value.dims[i] < 0 || value.dims[i] == buffer.dims[i];
  return same;
}

/// Reads the inputs into arrays, one for each feature of the artifact.
static absl::Status readInputs(const Artifact &artifact, const mlcrt_entry &entry, const RunRequest &request,
                               std::vector<NpyArray> &arrays, BatchView &view) {
  const mlcrt_artifact &table = artifact.table();
  const std::vector<bool> used = artifact.usedFeatures(entry);
  std::vector<std::string> names;
  for (int32_t f = 0; f < table.num_features; ++f)
    if (used[f])
      names.emplace_back(table.features[f].name);
  arrays.resize(table.num_features);
  view.features.resize(table.num_features);
  std::vector<bool> given(table.num_features);
  bool hasRows = false;
  for (const std::string &input : request.inputs) {
    const size_t equals = input.find('=');
    if (equals == std::string::npos)
      return wrong("input '" + input + "' names no file", "NAME=FILE.npy");
    const std::string name = input.substr(0, equals), path = input.substr(equals + 1);
    const int32_t f = artifact.featureIndex(name);
    if (f < 0 || !used[f])
      return wrong("entry '" + std::string(entry.name) + "' has no input '" + name + "'",
                   names.empty() ? "no input" : "one of " + joined(names), mlc::common::didYouMean(name, names));
    if (given[f])
      return wrong("input '" + name + "' is given twice");
    given[f] = true;
    absl::StatusOr<NpyArray> array = readNpy(path);
    if (!array.ok())
      return array.status();
    arrays[f] = *std::move(array);
    const mlcrt_buffer &buffer = arrays[f].tensor.buffer();
    const mlcrt_value &value = table.features[f];
    if (!fits(buffer, value)) {
      mlc::common::Message message = mlc::common::makeError("E0221", "input '" + name + "' is " + typeText(buffer));
      message.place.file = path;
      message.expected = typeText(value);
      return messageStatus(absl::StatusCode::kInvalidArgument, message);
    }
    view.features[f] = buffer;
    for (int32_t i = 0; !hasRows && i < value.rank; ++i)
      if (value.dims[i] == MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH)) {
        view.rows = buffer.dims[i];
        hasRows = true;
      }
  }
  for (int32_t f = 0; f < table.num_features; ++f)
    if (used[f] && !given[f])
      return wrong("input '" + std::string(table.features[f].name) + "' is not given",
                   "--" + request.inputFlag + " " + std::string(table.features[f].name) + "=FILE.npy with " +
                       typeText(table.features[f]));
  return absl::OkStatus();
}

/// The file of an output: names with a '/' stay in the directory.
static std::string fileName(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return name + ".npy";
}

absl::StatusOr<std::string> runEntry(Program &program, const RunRequest &request) {
  const Artifact &artifact = program.artifact();
  absl::StatusOr<const mlcrt_entry *> entry = findEntry(artifact, request.entry);
  if (!entry.ok())
    return entry.status();
  if (!isRunnable(**entry))
    return wrong("entry '" + request.entry + "' works on sums of others", "an entry of its own");
  std::vector<NpyArray> arrays;
  BatchView view;
  if (absl::Status status = readInputs(artifact, **entry, request, arrays, view); !status.ok())
    return status;
  ThreadPool pool(request.threads);
  EntryRunner runner(program, **entry, pool);
  CallContext context;
  context.seed = request.seed;
  context.step = request.step;
  if (absl::Status status = runner.run(view, context); !status.ok()) {
    // The end of a queue is an error like others that the program makes.
    if (absl::IsOutOfRange(status) || absl::IsCancelled(status))
      return absl::InvalidArgumentError(status.message());
    return status;
  }
  if (!request.output.empty()) {
    std::error_code error;
    std::filesystem::create_directories(request.output, error);
    if (error)
      return writeError(request.output, "cannot make the directory", error.value());
  }
  JsonObject object;
  std::string lines;
  for (int32_t i = 0; i < runner.numOutputs(); ++i) {
    const std::string name = (*entry)->outputs[i].name;
    if (request.output.empty()) {
      object.raw(name, jsonValue(runner.output(i)));
      continue;
    }
    const std::string path = request.output + "/" + fileName(name);
    if (absl::Status status = writeNpy(path, runner.output(i)); !status.ok())
      return status;
    object.text(name, path);
    lines += name + " " + typeText(runner.output(i)) + " " + path + "\n";
  }
  return request.output.empty() || request.json ? object.str() + "\n" : lines;
}

} // namespace mlcrt
