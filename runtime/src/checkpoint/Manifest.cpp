// JSON form of a checkpoint's manifest.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Manifest.h"

#include "runtime/src/checkpoint/SealedJson.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>

namespace mlcrt {

const VariableRecord *CheckpointManifest::find(std::string_view name) const {
  for (const VariableRecord &variable : variables)
    if (variable.name == name)
      return &variable;
  return nullptr;
}

std::vector<SliceRecord> VariableRecord::parts() const {
  if (!slices.empty())
    return slices;
  return {{file, 0, shape.empty() ? 1 : shape[0], offset, bytes, crc}};
}

static std::string rowsText(int64_t begin, int64_t end) {
  return "rows " + std::to_string(begin) + " to " + std::to_string(end - 1);
}

std::string faultOfParts(const VariableRecord &variable, const std::vector<FileRecord> &files) {
  const bool isSliced = !variable.slices.empty();
  if (isSliced && (variable.shape.empty() || variable.shape[0] == 0))
    return "it has no rows to slice";
  const int64_t rows = isSliced ? variable.shape[0] : 1;
  int64_t next = 0;
  for (const SliceRecord &part : variable.parts()) {
    if (isSliced) {
      if (part.begin >= part.end)
        return "a slice without rows";
      if (part.begin > next)
        return rowsText(next, part.begin) + " are missing";
      if (part.begin < next)
        return rowsText(part.begin, std::min(next, part.end)) + " are there twice";
      if (part.end > rows)
        return rowsText(rows, part.end) + " are beyond its end";
      next = part.end;
      if (part.bytes != variable.bytes / rows * (part.end - part.begin))
        return "the size of " + rowsText(part.begin, part.end) + " does not fit";
    }
    if (part.file < 0 || part.file >= static_cast<int64_t>(files.size()))
      return "its file is not there";
    const int64_t size = files[part.file].size;
    if (part.bytes > size || part.offset < 0 || part.offset > size - part.bytes)
      return "it lies beyond the end of " + files[part.file].path;
  }
  return isSliced && next < rows ? rowsText(next, rows) + " are missing" : "";
}

static Json stopsToJson(const std::vector<StopRecord> &records) {
  Json list = Json::array();
  for (const StopRecord &record : records)
    list.push_back({{"metric", record.metric},
                    {"eval", record.eval},
                    {"stop_if", record.stopIf},
                    {"best_step", record.bestStep},
                    {"best", record.best},
                    {"last_step", record.lastStep},
                    {"last", record.last},
                    {"pending", record.isPending}});
  return list;
}

static Json vocabulariesToJson(const CheckpointManifest &manifest) {
  Json tables = Json::array(), uses = Json::array();
  for (const TableRecord &table : manifest.tables)
    tables.push_back({{"name", table.name}, {"num_oov", table.numOov}});
  for (const VocabularyRecord &use : manifest.vocabularies)
    uses.push_back({{"variable", use.variable}, {"axis", use.axis}, {"table", use.table}});
  return {{"files", filesToJson({manifest.vocabularyFile})}, {"tables", tables}, {"uses", uses}};
}

std::string manifestToText(const CheckpointManifest &manifest) {
  Json object;
  const bool isSliced = std::any_of(manifest.variables.begin(), manifest.variables.end(),
                                    [](const VariableRecord &variable) { return !variable.slices.empty(); });
  object["format"] = isSliced ? 2 : 1;
  object["model"] = manifest.model;
  object["state_fingerprint"] = manifest.stateFingerprint;
  if (!manifest.policy.empty())
    object["policy"] = manifest.policy;
  object["step"] = manifest.step;
  object["seed"] = manifest.seed;
  object["virtual_shards"] = manifest.virtualShards;
  if (!manifest.sums.empty())
    object["sums"] = manifest.sums;
  object["reader"] = {
      {"epoch", manifest.epoch}, {"position", manifest.position}, {"files", filesToJson(manifest.dataFiles)}};
  for (const OutstandingBatch &batch : manifest.outstanding)
    object["reader"]["outstanding"].push_back(
        {{"step", batch.step}, {"epoch", batch.epoch}, {"position", batch.position}, {"rows", batch.rows}});
  object["wall_time"] = manifest.wallTime;
  object["keep"] = manifest.keep;
  object["keep_since"] = manifest.keepSince;
  if (!manifest.earlyStopping.empty())
    object["early_stopping"] = stopsToJson(manifest.earlyStopping);
  object["files"] = filesToJson(manifest.files);
  if (manifest.servers)
    object["shards"] = {{"servers", manifest.servers}, {"plan", manifest.shards}};
  object["variables"] = Json::array();
  for (const VariableRecord &variable : manifest.variables) {
    Json entry = {{"name", variable.name}, {"dtype", dtypeName(variable.dtype)}, {"shape", variable.shape}};
    if (variable.slices.empty())
      entry["file"] = variable.file, entry["offset"] = variable.offset;
    entry["bytes"] = variable.bytes;
    if (variable.slices.empty())
      entry["crc32c"] = hexText(variable.crc);
    for (const SliceRecord &slice : variable.slices)
      entry["slices"].push_back({{"file", slice.file},
                                 {"rows", {slice.begin, slice.end}},
                                 {"offset", slice.offset},
                                 {"bytes", slice.bytes},
                                 {"crc32c", hexText(slice.crc)}});
    if (!variable.slotOf.empty())
      entry["slot_of"] = variable.slotOf;
    if (!variable.slot.empty())
      entry["slot"] = variable.slot;
    object["variables"].push_back(std::move(entry));
  }
  if (!manifest.vocabularyFile.path.empty())
    object["vocabularies"] = vocabulariesToJson(manifest);
  object["settings"] = Json::object();
  for (const auto &[path, value] : manifest.settings)
    object["settings"][path] = value;
  return sealJson(object);
}

static void readSlice(JsonFields &fields, const Json &entry, SliceRecord &slice) {
  fields.read(entry, "file", slice.file);
  const Json &rows = fields.list(entry, "rows");
  if (rows.size() != 2 || !rows[0].is_number_unsigned() || !rows[1].is_number_unsigned() ||
      rows[0].get<uint64_t>() > INT64_MAX || rows[1].get<uint64_t>() > INT64_MAX)
    return fields.fail("rows");
  slice.begin = rows[0].get<int64_t>();
  slice.end = rows[1].get<int64_t>();
  fields.read(entry, "offset", slice.offset);
  fields.read(entry, "bytes", slice.bytes);
  fields.readCrc(entry, slice.crc);
}

static void readVariable(JsonFields &fields, const Json &entry, bool maySlice, VariableRecord &variable) {
  fields.read(entry, "name", variable.name);
  std::string dtype;
  fields.read(entry, "dtype", dtype);
  if (auto known = dtypeOf(dtype); known && *known != MLCRT_STRING)
    variable.dtype = *known;
  else
    fields.fail("dtype");
  fields.readShape(entry, variable.shape);
  fields.read(entry, "bytes", variable.bytes);
  if (maySlice && entry.is_object() && entry.contains("slices")) {
    for (const Json &slice : fields.list(entry, "slices"))
      readSlice(fields, slice, variable.slices.emplace_back());
    if (variable.slices.empty())
      fields.fail("slices");
  } else {
    fields.read(entry, "file", variable.file);
    fields.read(entry, "offset", variable.offset);
    fields.readCrc(entry, variable.crc);
  }
  if (entry.is_object() && entry.contains("slot_of"))
    fields.read(entry, "slot_of", variable.slotOf);
  if (entry.is_object() && entry.contains("slot"))
    fields.read(entry, "slot", variable.slot);
  if (!fields.good())
    return;
  const int64_t elements = elementCount(variable.shape.data(), static_cast<int32_t>(variable.shape.size()));
  int64_t bytes = 0;
  if (elements < 0 || __builtin_mul_overflow(elements, dtypeSize(variable.dtype), &bytes) || bytes != variable.bytes)
    fields.fail("bytes");
}

static void readVocabularies(JsonFields &fields, const Json &object, CheckpointManifest &manifest) {
  std::vector<FileRecord> files = readFiles(fields, fields.list(object, "files"));
  if (files.size() != 1 || !isPlainName(files[0].path))
    return fields.fail("vocabularies");
  manifest.vocabularyFile = files[0];
  for (const Json &entry : fields.list(object, "tables")) {
    TableRecord &table = manifest.tables.emplace_back();
    fields.read(entry, "name", table.name);
    fields.read(entry, "num_oov", table.numOov);
  }
  for (const Json &entry : fields.list(object, "uses")) {
    VocabularyRecord &use = manifest.vocabularies.emplace_back();
    fields.read(entry, "variable", use.variable);
    fields.read(entry, "axis", use.axis);
    fields.read(entry, "table", use.table);
  }
}

static StopRecord readStop(JsonFields &fields, const Json &entry) {
  StopRecord record;
  fields.read(entry, "metric", record.metric);
  fields.read(entry, "eval", record.eval);
  fields.read(entry, "stop_if", record.stopIf);
  fields.read(entry, "best_step", record.bestStep, -1);
  fields.read(entry, "best", record.best);
  fields.read(entry, "last_step", record.lastStep, -1);
  fields.read(entry, "last", record.last);
  fields.read(entry, "pending", record.isPending);
  return record;
}

absl::StatusOr<CheckpointManifest> manifestFromText(std::string_view text, const std::string &path) {
  auto fail = [&](absl::StatusCode code, const char *number, std::string what) {
    return fileError(code, number, path, std::move(what));
  };
  auto damaged = [&](std::string what) { return fail(absl::StatusCode::kDataLoss, "E0403", std::move(what)); };

  absl::StatusOr<Json> opened = openSealedJson(text, path);
  if (!opened.ok())
    return opened.status();
  const Json &object = *opened;
  JsonFields fields;
  CheckpointManifest manifest;
  int64_t format = 0;
  fields.read(object, "format", format, 1);
  if (format > CheckpointManifest::kFormat)
    return fail(absl::StatusCode::kFailedPrecondition, "E0406",
                "has format " + std::to_string(format) + "; this build reads up to " +
                    std::to_string(CheckpointManifest::kFormat));
  fields.read(object, "model", manifest.model);
  fields.read(object, "state_fingerprint", manifest.stateFingerprint);
  if (object.contains("policy"))
    fields.read(object, "policy", manifest.policy);
  fields.read(object, "step", manifest.step);
  fields.read(object, "seed", manifest.seed, INT64_MIN);
  fields.read(object, "virtual_shards", manifest.virtualShards, 1);
  if (object.contains("sums"))
    fields.read(object, "sums", manifest.sums);
  const Json &reader = fields.object(object, "reader");
  fields.read(reader, "epoch", manifest.epoch);
  fields.read(reader, "position", manifest.position);
  manifest.dataFiles = readFiles(fields, fields.list(reader, "files"));
  if (reader.contains("outstanding"))
    for (const Json &entry : fields.list(reader, "outstanding")) {
      OutstandingBatch &batch = manifest.outstanding.emplace_back();
      fields.read(entry, "step", batch.step);
      fields.read(entry, "epoch", batch.epoch);
      fields.read(entry, "position", batch.position);
      fields.read(entry, "rows", batch.rows, 1);
    }
  fields.read(object, "wall_time", manifest.wallTime, INT64_MIN);
  fields.read(object, "keep", manifest.keep);
  fields.read(object, "keep_since", manifest.keepSince, INT64_MIN);
  if (object.contains("early_stopping"))
    for (const Json &entry : fields.list(object, "early_stopping"))
      manifest.earlyStopping.push_back(readStop(fields, entry));
  manifest.files = readFiles(fields, fields.list(object, "files"));
  for (const FileRecord &file : manifest.files)
    if (!isPlainName(file.path))
      fields.fail("files");
  for (const Json &entry : fields.list(object, "variables")) {
    VariableRecord &variable = manifest.variables.emplace_back();
    readVariable(fields, entry, /*maySlice=*/format >= 2, variable);
    if (!fields.good())
      break;
    if (std::string fault = faultOfParts(variable, manifest.files); !fault.empty())
      return damaged("variable '" + variable.name + "': " + fault);
  }
  if (object.contains("shards")) {
    const Json &shards = fields.object(object, "shards");
    fields.read(shards, "servers", manifest.servers, 1);
    for (const Json &line : fields.list(shards, "plan")) {
      if (!line.is_string())
        fields.fail("plan");
      else
        manifest.shards.push_back(line.get<std::string>());
    }
  }
  if (object.contains("vocabularies"))
    readVocabularies(fields, fields.object(object, "vocabularies"), manifest);
  for (const auto &[setting, value] : fields.object(object, "settings").items()) {
    if (value.is_string())
      manifest.settings.emplace_back(setting, value.get<std::string>());
    else
      fields.fail("settings");
  }
  if (!fields.good())
    return damaged("bad value of '" + fields.bad() + "'");
  return manifest;
}

} // namespace mlcrt
