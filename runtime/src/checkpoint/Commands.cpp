// Verbs on checkpoints as text and as JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Commands.h"

#include "common/checkpoint/NameExpression.h"
#include "common/machine/MachineLimits.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/Convert.h"
#include "runtime/src/checkpoint/Inspect.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/checkpoint/TensorFlowCheckpoint.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/TextTable.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>

namespace mlcrt {

namespace fs = std::filesystem;
using mlc::common::CommandLine;
using mlc::common::ExitCode;

static const char *const kVerbs[] = {"ckpt ls", "ckpt show", "ckpt verify", "ckpt diff", "ckpt convert"};

bool isCheckpointCommand(const std::string &verb) {
  return std::find(std::begin(kVerbs), std::end(kVerbs), verb) != std::end(kVerbs);
}

static std::string sizeText(int64_t bytes) { return mlc::common::bytesText(static_cast<double>(bytes)); }

/// "2026-11-21T10:32:37Z".
static std::string timeText(int64_t seconds) {
  std::time_t time = seconds;
  std::tm parts = {};
  gmtime_r(&time, &parts);
  char text[64];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

static std::string shortNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

static void fail(const absl::Status &status, CommandOutput &output) {
  output.messages.add(messageOf(status));
  output.code = exitCodeOf(status);
}

/// Bytes of the files that lie in a directory.
static int64_t bytesIn(const std::string &directory) {
  int64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored; // gone since, or no file
    auto size = it->file_size(ignored);
    bytes += ignored ? 0 : static_cast<int64_t>(size);
  }
  return bytes;
}

/// Bytes of the files of a checkpoint of TensorFlow.
static int64_t bytesOfPrefix(const std::string &prefix) {
  const fs::path path(prefix);
  const std::string start = path.filename().string() + ".";
  int64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator it(path.parent_path(), error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const auto size = it->file_size(ignored);
    if (it->path().filename().string().compare(0, start.size(), start) == 0 && !ignored)
      bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

/// The checkpoints that TensorFlow left in a directory that has none of ours.
static void listTensorFlow(const CommandLine &line, CommandOutput &output) {
  const std::string &directory = line.positionals.front();
  absl::StatusOr<std::vector<std::string>> found = listTensorFlowCheckpoints(directory);
  if (!found.ok())
    return fail(found.status(), output);
  std::vector<std::vector<std::string>> rows = {{"name", "step", "size", "state"}};
  for (const std::string &prefix : *found) {
    const int64_t step = stepOfPrefix(prefix), bytes = bytesOfPrefix(prefix);
    rows.push_back({fs::path(prefix).filename().string(), step < 0 ? "-" : std::to_string(step), sizeText(bytes),
                    "of TensorFlow"});
    JsonObject object;
    if (step >= 0)
      object.integer("step", step);
    if (line.on("json"))
      output.text += object.text("path", prefix).integer("bytes", bytes).text("kind", "tensorflow").str() + "\n";
  }
  if (found->empty())
    output.note = "no checkpoints in " + directory;
  else if (!line.on("json"))
    output.text = textTable(rows, TableLayout::Texts);
}

static void listCheckpoints(const CommandLine &line, CommandOutput &output) {
  const std::string &modelDir = line.positionals.front();
  std::error_code error;
  if (!fs::is_directory(modelDir, error))
    return fail(fileError(absl::StatusCode::kNotFound, "E0401", modelDir, "no such directory"), output);
  absl::StatusOr<std::vector<CheckpointPath>> found = listEveryCheckpoint(modelDir);
  if (!found.ok())
    return fail(found.status(), output);
  if (found->empty())
    return listTensorFlow(line, output);
  std::vector<std::vector<std::string>> rows = {{"name", "step", "time", "size", "state", "fingerprint"}};
  for (const CheckpointPath &entry : *found) {
    absl::StatusOr<CheckpointManifest> manifest =
        entry.complete ? readManifest(entry.path) : absl::StatusOr<CheckpointManifest>(absl::NotFoundError(""));
    std::string state = !entry.status.ok() ? "unreadable"
                        : !entry.complete  ? "incomplete"
                        : !manifest.ok()   ? "damaged"
                        : manifest->keep   ? "committed, kept"
                                           : "committed";
    int64_t bytes = bytesIn(entry.path);
    rows.push_back({entry.name, std::to_string(entry.step), manifest.ok() ? timeText(manifest->wallTime) : "-",
                    sizeText(bytes), state, manifest.ok() ? manifest->stateFingerprint : "-"});
    if (!entry.status.ok())
      output.messages.add(messageOf(entry.status));
    else if (entry.complete && !manifest.ok())
      output.messages.add(messageOf(manifest.status()));
    if (!line.on("json"))
      continue;
    JsonObject object;
    object.integer("step", entry.step).text("path", entry.path).integer("bytes", bytes);
    if (entry.name != kWholeState)
      object.text("policy", entry.name);
    if (entry.status.ok()) { // else neither can be told
      object.raw("committed", entry.complete ? "true" : "false");
      object.raw("damaged", entry.complete && !manifest.ok() ? "true" : "false");
    }
    if (manifest.ok())
      object.raw("kept", manifest->keep ? "true" : "false")
          .integer("wall_time", manifest->wallTime)
          .text("model", manifest->model)
          .text("fingerprint", manifest->stateFingerprint);
    output.text += object.str() + "\n";
  }
  if (output.messages.hasErrors())
    output.code = ExitCode::Corrupt;
  if (!line.on("json"))
    output.text = textTable(rows, TableLayout::Texts);
}

static std::string shapeJson(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t dim : shape)
    text += (text.empty() ? "" : ",") + std::to_string(dim);
  return "[" + text + "]";
}

/// What the manifest tells beside the variables, as JSON.
static void describe(const CheckpointManifest &manifest, JsonObject &object) {
  object.text("model", manifest.model).text("fingerprint", manifest.stateFingerprint);
  object.integer("wall_time", manifest.wallTime);
  if (!manifest.policy.empty())
    object.text("policy", manifest.policy);
  object.integer("seed", manifest.seed).integer("virtual_shards", manifest.virtualShards);
  object.integer("epoch", manifest.epoch).integer("position", manifest.position);
  if (manifest.servers) {
    std::string plan;
    for (const std::string &line : manifest.shards)
      plan += (plan.empty() ? "" : ",") + jsonString(line);
    object.integer("servers", manifest.servers).raw("shards", "[" + plan + "]");
  }
}

/// The two lines before the variables.
static std::string headText(const WeightSource &source, std::optional<int64_t> step, int64_t bytes) {
  const std::string sizes = std::to_string(source.tensors().size()) + " variables  " + sizeText(bytes);
  const CheckpointManifest *manifest = source.manifest();
  if (!manifest) {
    std::string text = source.place() + (source.tensorFlow() ? "  of TensorFlow\n" : "\n");
    return text + (step ? "step " + std::to_string(*step) + "  " : "") + sizes;
  }
  std::string policy = manifest->policy.empty() ? "" : "  policy " + manifest->policy;
  std::string servers = manifest->servers ? "  written by " + std::to_string(manifest->servers) +
                                                (manifest->servers == 1 ? " server" : " servers")
                                          : "";
  return source.place() + policy + "  model " + manifest->model + "  fingerprint " + manifest->stateFingerprint +
         "  saved " + timeText(manifest->wallTime) + "\n" + "step " + std::to_string(manifest->step) + "  epoch " +
         std::to_string(manifest->epoch) + "  example " + std::to_string(manifest->position) + "  seed " +
         std::to_string(manifest->seed) + "  " + sizes + servers;
}

/// Texts and other tensors of TensorFlow's that no variable can be.
static std::string othersText(const TensorFlowCheckpoint &checkpoint) {
  std::string names;
  for (const BundleOther &other : checkpoint.bundle().others())
    names += (names.empty() ? "" : ", ") + other.name + " (" + other.dtype + ")";
  return names.empty() ? "" : "no numbers: " + names + "\n";
}

static void showCheckpoint(const CommandLine &line, CommandOutput &output) {
  absl::StatusOr<WeightSource> source = WeightSource::open(line.positionals.front(), line.integer("step"));
  if (!source.ok())
    return fail(source.status(), output);
  absl::StatusOr<std::optional<int64_t>> step = source->step();
  if (!step.ok())
    return fail(step.status(), output);
  const TensorFlowCheckpoint *tensorFlow = source->tensorFlow();
  std::vector<std::vector<std::string>> rows = {
      {"variable", "type", tensorFlow ? "in TensorFlow" : "slot of", "size", "min", "max", "mean", "nan"}};
  std::string variables;
  int64_t bytes = 0;
  Tensor value;
  for (const SourceTensor &tensor : source->tensors()) {
    if (absl::Status status = source->read(tensor, value); !status.ok())
      return fail(status, output);
    TensorStatistics values = statisticsOf(value.buffer());
    bytes += tensor.bytes;
    JsonObject object;
    object.text("name", tensor.name).text("dtype", dtypeName(tensor.dtype));
    object.raw("shape", shapeJson(tensor.shape)).integer("bytes", tensor.bytes);
    std::string more;
    if (!tensor.slotOf.empty()) {
      more = tensor.slotOf + " (" + tensor.slot + ")";
      object.text("slot_of", tensor.slotOf).text("slot", tensor.slot);
    }
    if (const std::string *there = tensorFlow ? &tensorFlow->tensors().at(tensor.name).nameThere : nullptr;
        there && *there != tensor.name) {
      more = *there;
      object.text("in_tensorflow", *there);
    }
    rows.push_back({tensor.name, typeText(tensor.dtype, tensor.shape), more, sizeText(tensor.bytes),
                    shortNumber(values.min), shortNumber(values.max), shortNumber(values.mean),
                    std::to_string(values.nans)});
    object.number("min", values.min).number("max", values.max).number("mean", values.mean);
    object.integer("nan", values.nans);
    variables += (variables.empty() ? "" : ",") + object.str();
  }
  if (line.on("json")) {
    JsonObject object;
    object.text("path", source->place());
    if (*step)
      object.integer("step", **step);
    if (source->manifest())
      describe(*source->manifest(), object);
    object.integer("bytes", bytes).raw("variables", "[" + variables + "]");
    output.text = object.str() + "\n";
    return;
  }
  output.text = headText(*source, *step, bytes) + "\n\n" + textTable(rows, TableLayout::Texts);
  if (tensorFlow)
    output.text += othersText(*tensorFlow);
}

/// The checkpoints of TensorFlow that verify means: all of a directory, or one.
static absl::Status findTensorFlow(const CommandLine &line, std::vector<std::string> &prefixes) {
  const std::string &source = line.positionals.front();
  absl::StatusOr<std::optional<std::string>> one = findTensorFlowCheckpoint(source, line.integer("step"));
  if (!one.ok() || !*one)
    return one.status();
  prefixes = {**one};
  if (line.has("step"))
    return absl::OkStatus();
  absl::StatusOr<std::vector<std::string>> all = listTensorFlowCheckpoints(source);
  if (all.ok() && !all->empty())
    prefixes = *std::move(all);
  return all.status();
}

static void verifyCheckpoints(const CommandLine &line, CommandOutput &output) {
  const std::string &source = line.positionals.front();
  // One checkpoint, or all of a model_dir; one that cannot be looked at is no reason to leave the others unproven.
  std::vector<std::string> directories, prefixes;
  if (!line.has("step")) {
    absl::StatusOr<std::vector<CheckpointPath>> all = listEveryCheckpoint(source);
    if (!all.ok())
      return fail(all.status(), output);
    for (const CheckpointPath &entry : *all)
      if (entry.complete || !entry.status.ok())
        directories.push_back(entry.path);
  }
  if (directories.empty()) {
    absl::StatusOr<std::string> one = findCheckpoint(source, line.integer("step"));
    if (one.ok()) {
      directories.push_back(*one);
    } else if (absl::Status status = findTensorFlow(line, prefixes); !status.ok() || prefixes.empty()) {
      return fail(status.ok() ? one.status() : status, output);
    }
  }
  const size_t ours = directories.size();
  directories.insert(directories.end(), prefixes.begin(), prefixes.end());
  for (size_t i = 0; i < directories.size(); ++i) {
    const std::string &directory = directories[i];
    CheckpointProof proof = i < ours ? verifyCheckpoint(directory) : verifyTensorFlowCheckpoint(directory);
    std::string faults;
    for (const absl::Status &fault : proof.faults) {
      mlc::common::Message message = messageOf(fault);
      faults += (faults.empty() ? "" : ",") + messageToJson(message);
      output.messages.add(std::move(message));
      // A newer format is not damage, but it was not proven either.
      output.code = output.code == ExitCode::Corrupt ? output.code : exitCodeOf(fault);
    }
    bool good = proof.faults.empty();
    if (line.on("json"))
      output.text += JsonObject()
                         .text("path", directory)
                         .raw("ok", good ? "true" : "false")
                         .integer("files", proof.files)
                         .integer("variables", proof.variables)
                         .integer("bytes", proof.bytes)
                         .raw("faults", "[" + faults + "]")
                         .str() +
                     "\n";
    else
      output.text += (good ? "ok       " : "damaged  ") + directory + "  " + std::to_string(proof.variables) +
                     " variables  " + sizeText(proof.bytes) + "\n";
  }
}

static void diffTwo(const CommandLine &line, CommandOutput &output) {
  std::optional<WeightSource> sources[2];
  for (int i = 0; i < 2; ++i) {
    absl::StatusOr<WeightSource> opened = WeightSource::open(line.positionals[i]);
    if (!opened.ok())
      return fail(opened.status(), output);
    sources[i].emplace(*std::move(opened));
  }
  absl::StatusOr<std::vector<VariableDifference>> differences = diffCheckpoints(*sources[0], *sources[1]);
  if (!differences.ok())
    return fail(differences.status(), output);
  static const char *const kKinds[] = {"added", "removed", "retyped", "changed"};
  std::vector<std::vector<std::string>> rows;
  for (const VariableDifference &difference : *differences) {
    bool values = difference.kind == VariableDifference::Changed;
    std::string type = difference.before;
    if (!values)
      type += (type.empty() || difference.after.empty() ? "" : " -> ") + difference.after;
    rows.push_back({kKinds[difference.kind], difference.name, type,
                    values ? std::to_string(difference.elements) + " elements, largest difference " +
                                 shortNumber(difference.largest)
                           : ""});
    if (!line.on("json"))
      continue;
    JsonObject object;
    object.text("change", kKinds[difference.kind]).text("name", difference.name);
    object.raw("before", difference.before.empty() ? "null" : jsonString(difference.before));
    object.raw("after", difference.after.empty() ? "null" : jsonString(difference.after));
    if (values)
      object.integer("elements", difference.elements).number("largest_difference", difference.largest);
    output.text += object.str() + "\n";
  }
  if (!line.on("json"))
    output.text = textTable(rows, TableLayout::Texts);
  output.note = sources[0]->place() + " and " + sources[1]->place() +
                (rows.empty() ? " hold the same values" : " differ in " + std::to_string(rows.size()) + " variables");
  if (!rows.empty())
    output.code = ExitCode::Differs;
}

static void convertOne(const CommandLine &line, CommandOutput &output) {
  // A format with the output after the source, or the .safetensors file.
  const std::string to = line.text("to");
  const bool isFormat = to == "tf" || to == "safetensors", hasOutput = line.positionals.size() > 1;
  const auto slip = [&](std::string what, std::string help) {
    output.messages.add(mlc::common::makeError("E0206", std::move(what), std::move(help)));
    output.code = ExitCode::Usage;
  };
  if (isFormat && !hasOutput)
    return slip("--to " + to + " needs OUTPUT: the " + (to == "tf" ? "prefix" : "file") + " to write",
                "ckpt convert " + line.positionals[0] + " --to " + to +
                    (to == "tf" ? " tf/model.ckpt-1000" : " weights.safetensors"));
  if (!isFormat && hasOutput)
    return slip("'" + to + "' is no format for OUTPUT '" + line.positionals[1] + "'; expected: tf or safetensors",
                "ckpt convert " + line.positionals[0] + " --to tf " + line.positionals[1]);
  const std::string &destination = hasOutput ? line.positionals[1] : to;
  absl::StatusOr<ConvertedCheckpoint> taken =
      convertCheckpoint(line.positionals[0], destination, line.integer("step"),
                        to == "tf" ? WeightFormat::TensorFlow : WeightFormat::Safetensors);
  if (!taken.ok())
    return fail(taken.status(), output);
  output.note = "wrote    " + destination + (to == "tf" ? ".index" : "") + " from " + taken->source;
  if (!taken->leftOut.empty())
    output.note += ", without what is no number: " + mlc::common::someOf(taken->leftOut);
}

CommandOutput runCheckpointCommand(const CommandLine &line) {
  static void (*const run[])(const CommandLine &, CommandOutput &) = {listCheckpoints, showCheckpoint,
                                                                      verifyCheckpoints, diffTwo, convertOne};
  CommandOutput output;
  run[std::find(std::begin(kVerbs), std::end(kVerbs), line.verb) - std::begin(kVerbs)](line, output);
  return output;
}

} // namespace mlcrt
