// One execution of an entry.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/run/RunEntry.h"

#include "common/cli/NearestMatch.h"
#include "common/cli/OutputOverInput.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

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

/// The entries of a program that can be run by their names: parts of others are no entries of their own.
static std::vector<const mlcrt_entry *> runnableEntries(const Artifact &artifact) {
  const mlcrt_artifact &table = artifact.table();
  std::vector<bool> isOther(table.num_entries);
  for (int64_t p = 0; p < table.num_parts; ++p)
    isOther[table.parts[p].part] = table.parts[p].part != table.parts[p].entry;
  std::vector<const mlcrt_entry *> entries;
  for (int32_t i = 0; i < table.num_entries; ++i)
    if (isRunnable(table.entries[i]) && !isOther[i])
      entries.push_back(&table.entries[i]);
  return entries;
}

static absl::StatusOr<std::vector<const mlcrt_entry *>> findEntries(const Artifact &artifact,
                                                                    const std::vector<std::string> &asked) {
  const std::vector<const mlcrt_entry *> known = runnableEntries(artifact);
  std::vector<std::string> names;
  for (const mlcrt_entry *entry : known)
    names.emplace_back(entry->name);
  std::vector<const mlcrt_entry *> found;
  for (const std::string &name : asked) {
    auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end())
      return wrong("no entry is called '" + name + "'", "one of " + joined(names),
                   mlc::common::didYouMean(name, names));
    const mlcrt_entry *entry = known[it - names.begin()];
    if (std::find(found.begin(), found.end(), entry) != found.end())
      return wrong("entry '" + name + "' is named twice", "an entry runs once at a time");
    found.push_back(entry);
  }
  if (!found.empty())
    return found;
  if (const mlcrt_entry *predict = artifact.entry(MLCRT_ROLE_PREDICT))
    return std::vector<const mlcrt_entry *>{predict};
  std::vector<const mlcrt_entry *> candidates;
  std::copy_if(known.begin(), known.end(), std::back_inserter(candidates),
               [](const mlcrt_entry *entry) { return entry->role != MLCRT_ROLE_INIT; });
  if (candidates.size() == 1)
    return candidates;
  return wrong("the model has several entries", "--entry with one of " + joined(names));
}

/// "f32[2, 3]".
static std::string typeText(const TensorView &buffer) { return typeText(TensorSpec("", buffer.dtype, buffer.dims)); }

static bool fits(const TensorView &buffer, const mlcrt_value &value) {
  bool same = buffer.dtype == value.dtype && buffer.rank() == value.rank;
  for (int32_t i = 0; same && i < value.rank; ++i)
    same = value.dims[i] < 0 || value.dims[i] == buffer.dims[i];
  return same;
}

/// Reads the inputs into arrays, one for each feature of the artifact. Those that `others`, which run along, use may be
/// among them.
static absl::Status readInputs(const Artifact &artifact, const mlcrt_entry &entry, const RunRequest &request,
                               const std::vector<bool> &others, std::vector<NpyArray> &arrays, BatchView &view) {
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
    if (f >= 0 && !used[f] && others[f])
      continue;
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
    const TensorView &buffer = arrays[f].tensor.buffer();
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

/// No file of an output may be one of an input.
static absl::Status checkOutputFiles(const RunRequest &request, const std::vector<const mlcrt_entry *> &entries) {
  std::vector<std::string> inputs;
  for (const std::string &input : request.inputs)
    inputs.push_back(input.substr(input.find('=') + 1));
  for (const mlcrt_entry *entry : entries)
    for (int32_t i = 0; !request.output.empty() && i < entry->num_outputs; ++i)
      if (const auto error =
              mlc::common::outputOverInput(request.output + "/" + fileName(entry->outputs[i].name), inputs))
        return messageStatus(absl::StatusCode::kInvalidArgument, *error);
  return absl::OkStatus();
}

absl::StatusOr<EntryCalls> EntryCalls::prepare(Program &program, RunRequest request) {
  const Artifact &artifact = program.artifact();
  EntryCalls calls(program, std::move(request));
  absl::StatusOr<std::vector<const mlcrt_entry *>> entries = findEntries(artifact, calls.request_.entries);
  if (!entries.ok())
    return entries.status();
  if (absl::Status status = checkOutputFiles(calls.request_, *entries); !status.ok())
    return status;
  std::vector<bool> used(artifact.table().num_features);
  for (const mlcrt_entry *entry : *entries) {
    const std::vector<bool> own = artifact.usedFeatures(*entry);
    std::transform(own.begin(), own.end(), used.begin(), used.begin(), std::logical_or<bool>());
  }
  for (const mlcrt_entry *entry : *entries) {
    Call &call = calls.calls_.emplace_back();
    call.entry = entry;
    if (absl::Status status = readInputs(artifact, *entry, calls.request_, used, call.arrays, call.view); !status.ok())
      return status;
  }
  return calls;
}

absl::StatusOr<std::map<int32_t, Symbols>> EntryCalls::symbols() const {
  std::map<int32_t, Symbols> all;
  for (const Call &call : calls_) {
    ThreadPool pool(1);
    Symbols symbols(program_->artifact().symbolCount());
    if (absl::Status status = EntryRunner(*program_, *call.entry, pool).bindSymbols(call.view, symbols); !status.ok())
      return status;
    all.emplace(static_cast<int32_t>(call.entry - program_->artifact().table().entries), std::move(symbols));
  }
  return all;
}

absl::Status EntryCalls::run(const std::function<bool(int32_t device)> &isHere) {
  const mlcrt_artifact &table = program_->artifact().table();
  struct Part {
    Call *call;
    std::unique_ptr<EntryRunner> runner;
    bool isFirst;
    absl::Status status;
  };
  std::vector<Part> parts;
  auto add = [&](Call &call, const mlcrt_entry &entry, bool isFirst) {
    pools_.push_back(std::make_unique<ThreadPool>(request_.threads));
    parts.push_back({&call, std::make_unique<EntryRunner>(*program_, entry, *pools_.back()), isFirst, {}});
  };
  for (Call &call : calls_) {
    bool isPlaced = false;
    for (int64_t p = 0; isHere && p < table.num_parts; ++p)
      if (const mlcrt_part &part = table.parts[p]; &table.entries[part.entry] == call.entry) {
        isPlaced = true;
        if (isHere(part.device))
          add(call, table.entries[part.part], part.part == part.entry);
      }
    if (!isPlaced)
      add(call, *call.entry, /*isFirst=*/true);
  }
  CallContext context;
  context.seed = request_.seed;
  context.step = request_.step;
  std::mutex mutex;
  absl::Status first;
  auto runPart = [&](Part &part) {
    absl::Status status = part.runner->run(part.call->view, context);
    if (status.ok())
      return;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!first.ok())
        return;
      first = status;
    }
    // Others may wait for what this one would have done.
    if (parts.size() > 1)
      program_->queues().cancelAll();
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < parts.size(); ++i)
    threads.emplace_back([&, i] { runPart(parts[i]); });
  if (!parts.empty())
    runPart(parts.front());
  for (std::thread &thread : threads)
    thread.join();
  for (Part &part : parts)
    if (part.isFirst)
      part.call->runner = std::move(part.runner);
  // The end of a queue is an error like others that the program makes.
  if (absl::IsOutOfRange(first) || absl::IsCancelled(first))
    return absl::InvalidArgumentError(first.message());
  return first;
}

absl::StatusOr<std::string> EntryCalls::results() const {
  if (!request_.output.empty()) {
    std::error_code error;
    std::filesystem::create_directories(request_.output, error);
    if (error)
      return writeError(request_.output, "cannot make the directory", error.value());
  }
  std::string text;
  for (const Call &call : calls_) {
    if (!call.runner || (calls_.size() > 1 && call.entry->num_outputs == 0))
      continue;
    JsonObject object;
    if (calls_.size() > 1)
      object.text("entry", call.entry->name);
    std::string lines;
    for (int32_t i = 0; i < call.runner->numOutputs(); ++i) {
      const std::string name = call.entry->outputs[i].name;
      if (request_.output.empty()) {
        object.raw(name, jsonValue(call.runner->output(i)));
        continue;
      }
      const std::string path = request_.output + "/" + fileName(name);
      if (absl::Status status = writeNpy(path, call.runner->output(i)); !status.ok())
        return status;
      object.text(name, path);
      lines += name + " " + typeText(call.runner->output(i)) + " " + path + "\n";
    }
    text += request_.output.empty() || request_.json ? object.str() + "\n" : lines;
  }
  return text;
}

absl::StatusOr<std::string> runEntry(Program &program, const RunRequest &request) {
  absl::StatusOr<EntryCalls> calls = EntryCalls::prepare(program, request);
  if (!calls.ok())
    return calls.status();
  if (absl::Status status = calls->run(); !status.ok())
    return status;
  return calls->results();
}

} // namespace mlcrt
