// Descriptions of artifacts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Info.h"

#include "runtime/src/core/CpuFeatures.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/core/ThreadPool.h"
#include "runtime/src/train/MemoryCheck.h"

namespace mlcrt {

static std::string orEmpty(const char *text) { return text ? text : ""; }

static std::string versionText(uint32_t version) {
  return std::to_string(version >> 16) + "." + std::to_string(version & 0xFFFF);
}

static std::string valueJson(const TensorSpec &value) {
  std::string shape;
  for (int32_t i = 0; i < value.rank(); ++i)
    shape += (i ? "," : "") + (value.dims[i] < 0 ? std::string("null") : std::to_string(value.dims[i]));
  return JsonObject()
      .text("name", value.name)
      .text("dtype", dtypeName(value.dtype))
      .raw("shape", "[" + shape + "]")
      .str();
}

static std::string valuesJson(const mlcrt_value *values, int32_t count) {
  std::string list;
  for (int32_t i = 0; i < count; ++i)
    list += (i ? "," : "") + valueJson(values[i]);
  return "[" + list + "]";
}

static int64_t parameterCount(const mlcrt_artifact &table) {
  int64_t count = 0;
  for (int32_t i = 0; i < table.num_variables; ++i)
    if (table.variables[i].flags & MLCRT_VARIABLE_TRAINABLE)
      count += elementCount(table.variables[i].value.dims, table.variables[i].value.rank);
  return count;
}

/// Whether gradients read the variable by rows alone.
static bool isPulledByRows(const mlcrt_artifact &table, int32_t variable) {
  for (int64_t p = 0; p < table.num_pulls; ++p)
    if (table.pulls[p].variable == variable && table.entries[table.pulls[p].entry].role == MLCRT_ROLE_TRAIN_GRAD)
      return true;
  return false;
}

/// The workspace is that of the batch size in force, where this processor can run what tells it.
static mlc::common::MemoryNeed memoryNeed(const Artifact &artifact, const Configuration &configuration) {
  mlc::common::MemoryNeed need = stateNeed(artifact);
  const mlcrt_entry *entry = artifact.entry(MLCRT_ROLE_TRAIN);
  if (!entry || !checkCpuFeatures(orEmpty(artifact.table().cpu_features)).ok())
    return need;
  need.rows = configuration.number("train.batch_size");
  need.workspace = workspaceNeed(artifact, *entry, need.rows, ThreadPool::availableProcessors());
  return need;
}

static std::string describeJson(const Artifact &artifact, const Configuration &configuration) {
  const mlcrt_artifact &table = artifact.table();
  std::string variables, entries, byRows;
  for (const StateTensor &tensor : artifact.tensors()) {
    variables += (variables.empty() ? "" : ",") + valueJson(tensor.value);
    if (isPulledByRows(table, tensor.variable))
      byRows += (byRows.empty() ? "" : ",") + jsonString(tensor.value.name);
  }
  for (int32_t i = 0; i < table.num_entries; ++i) {
    const mlcrt_entry &entry = table.entries[i];
    entries += (i ? "," : "") + JsonObject()
                                    .text("name", entry.name)
                                    .integer("segments", entry.num_segments)
                                    .raw("outputs", valuesJson(entry.outputs, entry.num_outputs))
                                    .str();
  }
  return JsonObject()
             .text("name", orEmpty(table.name))
             .text("mlc", configuration.compiler())
             .text("abi", versionText(table.version))
             .text("state_fingerprint", orEmpty(table.state_fingerprint))
             .text("plan_fingerprint", orEmpty(table.plan_fingerprint))
             .text("cpu", configuration.cpu())
             .text("cpu_features", orEmpty(table.cpu_features))
             .integer("trainable_parameters", parameterCount(table))
             .raw("memory", memoryJson(memoryNeed(artifact, configuration)))
             .raw("features", valuesJson(table.features, table.num_features))
             .raw("variables", "[" + variables + "]")
             .raw("pulled_by_rows", "[" + byRows + "]")
             .raw("entries", "[" + entries + "]")
             .raw("settings", settingsToJson(configuration.settings()))
             .str() +
         "\n";
}

std::string describeArtifact(const Artifact &artifact, const Configuration &configuration, bool json) {
  const mlcrt_artifact &table = artifact.table();
  if (json)
    return describeJson(artifact, configuration);
  std::string text = "model      " + orEmpty(table.name) + "\n";
  if (!configuration.compiler().empty())
    text += "compiler   mlc " + configuration.compiler() + "\n";
  text += "abi        " + versionText(table.version) + "\nstate      " + orEmpty(table.state_fingerprint) +
          "\nplan       " + orEmpty(table.plan_fingerprint) + "\ncpu        " + configuration.cpu() + " (" +
          orEmpty(table.cpu_features) + ")\nparameters " + std::to_string(parameterCount(table)) + " trainable\n" +
          "memory     " + memoryText(memoryNeed(artifact, configuration)) + "\n";
  text += "\nfeatures\n";
  for (int32_t i = 0; i < table.num_features; ++i)
    text += "  " + std::string(table.features[i].name) + " " + typeText(table.features[i]) + "\n";
  text += "\nvariables\n";
  for (const StateTensor &tensor : artifact.tensors()) {
    text += "  " + std::string(tensor.value.name) + " " + typeText(tensor.value);
    if (tensor.slotOf >= 0)
      text += "  slot " + orEmpty(tensor.slot) + " of " + artifact.tensors()[tensor.slotOf].value.name;
    if (tensor.isEval())
      text += "  eval";
    if (isPulledByRows(table, tensor.variable))
      text += "  pulled by rows";
    text += "\n";
  }
  text += "\nentries\n";
  for (int32_t i = 0; i < table.num_entries; ++i) {
    const mlcrt_entry &entry = table.entries[i];
    text += "  " + std::string(entry.name);
    for (int32_t k = 0; k < entry.num_outputs; ++k)
      text += (k ? ", " : " -> ") + std::string(entry.outputs[k].name) + " " + typeText(entry.outputs[k]);
    text += "\n";
  }
  using mlc::common::SettingStage;
  return text + "\nsettings, changed by --set PATH=VALUE\n" +
         describeSettings(configuration.settings(), SettingStage::Start) + "\nsettings that are compiled in\n" +
         describeSettings(configuration.settings(), SettingStage::Compile);
}

std::string describeExport(const ExportSignature &signature, bool json) {
  if (json)
    return signatureToLine(signature) + "\n";
  auto shapeText = [](const std::vector<int64_t> &shape) {
    std::string text = "[?";
    for (int64_t dim : shape)
      text += ", " + (dim == InputColumn::kSizeOfCall ? "?" : std::to_string(dim));
    return text + "]";
  };
  std::string exporter;
  if (const auto &record = signature.exporter) {
    exporter = "\nexporter   " + record->name + ", " + record->kind;
    if (!record->metric.empty())
      exporter += " by " + record->metric + " " + jsonNumber(record->value);
  }
  std::string text = "export     " + signature.name + ", step " + std::to_string(signature.step) +
                     (signature.checkpoint.empty() ? "" : " of " + signature.checkpoint) + exporter +
                     "\ncompiler   mlc " + signature.compiler + "\nabi        " + signature.abi + "\nstate      " +
                     signature.stateFingerprint + "\nplan       " + signature.planFingerprint + "\ncpu        " +
                     signature.cpu + " (" + signature.cpuFeatures + ")\ngolden     " +
                     std::to_string(signature.goldenRows) + " rows\n\ninputs\n";
  for (const InputSignature &input : signature.inputs)
    text += "  " + input.name + " " + std::string(columnDtypeName(input.dtype)) +
            (input.multiValued     ? input.weighted ? "  any number of values with weights" : "  any number of values"
             : input.shape.empty() ? ""
                                   : shapeText(input.shape)) +
            (input.optional ? "  optional" : "") + "\n";
  text += "\noutputs\n";
  for (const OutputSignature &output : signature.outputs)
    text += "  " + output.name + " " + dtypeName(output.dtype) + shapeText(output.shape) + "\n";
  if (!signature.classes.empty())
    text += "\nclasses\n";
  for (const std::string &name : signature.classes)
    text += "  " + name + "\n";
  text += "\nfiles\n";
  for (const FileRecord &file : signature.files)
    text += "  " + file.path + " " + std::to_string(file.size) + " B\n";
  return text;
}

std::string describeSettings(const mlc::common::SettingsTable &settings, mlc::common::SettingStage stage) {
  std::string text;
  for (const mlc::common::Setting &setting : settings.settings()) {
    if (setting.stage != stage)
      continue;
    text += "  " + setting.path;
    if (setting.value)
      text += " = " + mlc::common::settingText(*setting.value) + "  # " + setting.origin;
    text += "\n";
    if (!setting.doc.empty())
      text += "      " + setting.doc + "\n";
  }
  return text;
}

} // namespace mlcrt
