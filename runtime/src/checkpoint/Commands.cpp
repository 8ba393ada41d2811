// Verbs on checkpoints as text and as JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Commands.h"

#include "common/machine/MachineLimits.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/Convert.h"
#include "runtime/src/checkpoint/Inspect.h"
#include "runtime/src/checkpoint/StatusMessage.h"
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

static void listCheckpoints(const CommandLine &line, CommandOutput &output) {
  const std::string &modelDir = line.positionals.front();
  std::error_code error;
  if (!fs::is_directory(modelDir, error))
    return fail(fileError(absl::StatusCode::kNotFound, "E0401", modelDir, "no such directory"), output);
  absl::StatusOr<std::vector<CheckpointPath>> found = listEveryCheckpoint(modelDir);
  if (!found.ok())
    return fail(found.status(), output);
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
  if (found->empty())
    output.note = "no checkpoints in " + modelDir;
  else if (!line.on("json"))
    output.text = textTable(rows, TableLayout::Texts);
}

static std::string shapeJson(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t dim : shape)
    text += (text.empty() ? "" : ",") + std::to_string(dim);
  return "[" + text + "]";
}

static void showCheckpoint(const CommandLine &line, CommandOutput &output) {
  absl::StatusOr<std::string> directory = findCheckpoint(line.positionals.front(), line.integer("step"));
  if (!directory.ok())
    return fail(directory.status(), output);
  absl::StatusOr<CheckpointManifest> manifest = readManifest(*directory);
  if (!manifest.ok())
    return fail(manifest.status(), output);
  std::vector<std::vector<std::string>> rows = {{"variable", "type", "slot of", "size", "min", "max", "mean", "nan"}};
  std::string variables;
  int64_t bytes = 0;
  absl::Status status = visitVariables(*directory, *manifest, [&](const VariableRecord &variable, const Tensor &value) {
    TensorStatistics values = statisticsOf(value.buffer());
    bytes += variable.bytes;
    std::string slot = variable.slotOf.empty() ? "" : variable.slotOf + " (" + variable.slot + ")";
    rows.push_back({variable.name, typeText(variable.dtype, variable.shape), slot, sizeText(variable.bytes),
                    shortNumber(values.min), shortNumber(values.max), shortNumber(values.mean),
                    std::to_string(values.nans)});
    JsonObject object;
    object.text("name", variable.name).text("dtype", dtypeName(variable.dtype));
    object.raw("shape", shapeJson(variable.shape)).integer("bytes", variable.bytes);
    if (!variable.slotOf.empty())
      object.text("slot_of", variable.slotOf).text("slot", variable.slot);
    object.number("min", values.min).number("max", values.max).number("mean", values.mean);
    object.integer("nan", values.nans);
    variables += (variables.empty() ? "" : ",") + object.str();
  });
  if (!status.ok())
    return fail(status, output);
  if (line.on("json")) {
    JsonObject object;
    object.text("path", *directory).integer("step", manifest->step).text("model", manifest->model);
    object.text("fingerprint", manifest->stateFingerprint).integer("wall_time", manifest->wallTime);
    if (!manifest->policy.empty())
      object.text("policy", manifest->policy);
    object.integer("seed", manifest->seed).integer("virtual_shards", manifest->virtualShards);
    object.integer("epoch", manifest->epoch).integer("position", manifest->position);
    if (manifest->servers) {
      std::string plan;
      for (const std::string &line : manifest->shards)
        plan += (plan.empty() ? "" : ",") + jsonString(line);
      object.integer("servers", manifest->servers).raw("shards", "[" + plan + "]");
    }
    object.integer("bytes", bytes).raw("variables", "[" + variables + "]");
    output.text = object.str() + "\n";
    return;
  }
  std::string servers = manifest->servers ? "  written by " + std::to_string(manifest->servers) +
                                                (manifest->servers == 1 ? " server" : " servers")
                                          : "";
  std::string policy = manifest->policy.empty() ? "" : "  policy " + manifest->policy;
  output.text = *directory + policy + "  model " + manifest->model + "  fingerprint " + manifest->stateFingerprint +
                "  saved " + timeText(manifest->wallTime) + "\n" + "step " + std::to_string(manifest->step) +
                "  epoch " + std::to_string(manifest->epoch) + "  example " + std::to_string(manifest->position) +
                "  seed " + std::to_string(manifest->seed) + "  " + std::to_string(manifest->variables.size()) +
                " variables  " + sizeText(bytes) + servers + "\n\n" + textTable(rows, TableLayout::Texts);
}

static void verifyCheckpoints(const CommandLine &line, CommandOutput &output) {
  const std::string &source = line.positionals.front();
  // One checkpoint, or all of a model_dir; one that cannot be looked at is no reason to leave the others unproven.
  std::vector<std::string> directories;
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
    if (!one.ok())
      return fail(one.status(), output);
    directories.push_back(*one);
  }
  for (const std::string &directory : directories) {
    CheckpointProof proof = verifyCheckpoint(directory);
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
  std::string directories[2];
  for (int i = 0; i < 2; ++i) {
    absl::StatusOr<std::string> found = findCheckpoint(line.positionals[i]);
    if (!found.ok())
      return fail(found.status(), output);
    directories[i] = *found;
  }
  absl::StatusOr<std::vector<VariableDifference>> differences = diffCheckpoints(directories[0], directories[1]);
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
  output.note = directories[0] + " and " + directories[1] +
                (rows.empty() ? " hold the same values" : " differ in " + std::to_string(rows.size()) + " variables");
  if (!rows.empty())
    output.code = ExitCode::Differs;
}

static void convertOne(const CommandLine &line, CommandOutput &output) {
  absl::StatusOr<std::string> taken =
      convertCheckpoint(line.positionals.front(), line.text("to"), line.integer("step"));
  if (!taken.ok())
    return fail(taken.status(), output);
  output.note = "wrote    " + line.text("to") + " from " + *taken;
}

CommandOutput runCheckpointCommand(const CommandLine &line) {
  static void (*const run[])(const CommandLine &, CommandOutput &) = {listCheckpoints, showCheckpoint,
                                                                      verifyCheckpoints, diffTwo, convertOne};
  CommandOutput output;
  run[std::find(std::begin(kVerbs), std::end(kVerbs), line.verb) - std::begin(kVerbs)](line, output);
  return output;
}

} // namespace mlcrt
