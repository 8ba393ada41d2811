// The files of runs/NNNN.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/RunRecord.h"

#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/train/MemoryCheck.h"
#include "runtime/src/train/ModelDir.h"

#include <cstdio>
#include <cstdlib>

namespace mlcrt {

static std::string orEmpty(const char *text) { return text ? text : ""; }
static std::string textOrNull(const std::string &text) { return text.empty() ? "null" : jsonString(text); }

static std::string filesJson(const std::vector<DataFile> &files) {
  std::string list;
  for (const DataFile &file : files) {
    char crc[16];
    std::snprintf(crc, sizeof(crc), "%08x", file.crc);
    list += (list.empty() ? "" : ",") +
            JsonObject().text("path", file.path).integer("size", file.size).text("crc32c", crc).str();
  }
  return "[" + list + "]";
}

static std::string runJson(const RunRecord &record, const RunContext &context) {
  const mlcrt_artifact &table = context.artifact->table();
  JsonObject object, evalFiles;
  std::string command;
  for (const std::string &word : context.options.command)
    command += (command.empty() ? "" : ",") + jsonString(word);
  for (const RunRecord::EvalSetRecord &set : record.evalSets)
    evalFiles.raw(set.name, filesJson(*set.files));
  JsonObject variables; // those that the runtime reads
  for (const char *name : {"XDG_CACHE_HOME", "HOME"})
    if (const char *value = std::getenv(name))
      variables.text(name, value);
  object.raw("command", "[" + command + "]")
      .text("mlc", MLC_VERSION)
      .text("compiler", context.configuration.compiler())
      .integer("abi", table.version)
      .text("cpu", context.configuration.cpu())
      .text("model", orEmpty(table.name))
      .text("compat", context.configuration.compat())
      .text("state_fingerprint", orEmpty(table.state_fingerprint))
      .text("plan_fingerprint", orEmpty(table.plan_fingerprint))
      .raw("task", textOrNull(record.task))
      .text("bit_exact", record.guarantee)
      .text("host", hostName())
      .integer("threads", record.threads)
      .integer("seed", record.seed)
      .integer("virtual_shards", record.virtualShards)
      .raw("resumed_from", textOrNull(record.resumedFrom))
      .raw("warm_start", textOrNull(record.warmStart))
      .raw("environment", variables.str())
      .raw("train_files", filesJson(*record.trainFiles))
      .raw("eval_files", evalFiles.str());
  return object.str() + "\n";
}

/// The settings in force, under what they are to be read with.
static std::string configText(const RunRecord &record, const RunContext &context) {
  std::string text;
  if (!context.configuration.compat().empty())
    text += "# compat " + context.configuration.compat() + "\n";
  return text + "# bit-exact: " + record.guarantee + "\n" + context.configuration.settings().format();
}

/// The resolved spec, and after it what the start of this run changed.
static std::string specText(const RunContext &context) {
  std::string text = context.configuration.spec(), changes;
  for (const mlc::common::Setting &setting : context.configuration.settings().settings())
    if (setting.value && setting.origin.compare(0, 2, "--") == 0)
      changes +=
          "#   " + setting.path + " = " + mlc::common::settingText(*setting.value) + "  # " + setting.origin + "\n";
  return changes.empty() ? text : text + "# changed at the start of this run:\n" + changes;
}

absl::Status writeRunRecord(const RunRecord &record, const RunContext &context) {
  const std::string &directory = record.runDirectory;
  if (absl::Status status = writeFileAtomically(directory + "/config.txt", configText(record, context)); !status.ok())
    return status;
  if (!context.configuration.spec().empty())
    if (absl::Status status = writeFileAtomically(directory + "/config.pbtxt", specText(context)); !status.ok())
      return status;
  return writeFileAtomically(directory + "/run.json", runJson(record, context));
}

static std::string examplesJson(const RunRecord &record) {
  JsonObject object, evalSets;
  if (record.trainExamples)
    object.integer("train", *record.trainExamples);
  for (const RunRecord::EvalSetRecord &set : record.evalSets)
    evalSets.integer(set.name, set.examples);
  return object.raw("eval", evalSets.str()).str();
}

std::string configEvent(const RunRecord &record, const RunContext &context) {
  return JsonObject()
      .text("event", "config")
      .integer("format", 1)
      .text("mlc", MLC_VERSION)
      .text("fingerprint", orEmpty(context.artifact->table().state_fingerprint))
      .text("compat", context.configuration.compat())
      .text("model_dir", record.modelDir)
      .raw("resumed_from", textOrNull(record.resumedFrom))
      .raw("warm_start", textOrNull(record.warmStart))
      .integer("threads", record.threads)
      .integer("seed", record.seed)
      .integer("virtual_shards", record.virtualShards)
      .text("bit_exact", record.guarantee)
      .integer("processors", mlc::common::machineLimits().processors)
      .integer("memory_limit_bytes", mlc::common::machineLimits().memory)
      .raw("memory", memoryJson(record.memory))
      .raw("examples", examplesJson(record))
      .str();
}

} // namespace mlcrt
