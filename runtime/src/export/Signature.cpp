// JSON form of an export's signature.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/Signature.h"

#include "runtime/src/checkpoint/SealedJson.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>

namespace mlcrt {

absl::Status describeEntry(const mlcrt_entry &entry, const RowLayout &layout, ExportSignature &signature) {
  for (int i = 0; i < layout.size(); ++i) {
    const InputColumn &column = layout.column(i);
    InputSignature &input = signature.inputs.emplace_back();
    input.name = column.name;
    input.dtype = column.dtype;
    input.shape = column.shape;
    input.multiValued = column.multiValue.has_value();
    input.weighted = input.multiValued && column.multiValue->weightSeparator != 0;
    input.optional = layout.isOptional(i);
  }
  for (int32_t i = 0; i < entry.num_outputs; ++i) {
    const mlcrt_value &value = entry.outputs[i];
    if (firstSymbol(value) != MLCRT_SYMBOL_BATCH)
      return absl::DataLossError("output '" + std::string(value.name) + "' of entry '" + entry.name +
                                 "' has no value for each row");
    OutputSignature &output = signature.outputs.emplace_back();
    output.name = value.name;
    output.dtype = static_cast<mlcrt_dtype>(value.dtype);
    for (int32_t d = 1; d < value.rank; ++d)
      output.shape.push_back(value.dims[d] < 0 ? InputColumn::kSizeOfCall : value.dims[d]);
  }
  return absl::OkStatus();
}

/// The format that readers of the signature need.
static int64_t formatOf(const ExportSignature &signature) {
  const auto hasSizesOfCall = [](const auto &value) {
    return std::find(value.shape.begin(), value.shape.end(), InputColumn::kSizeOfCall) != value.shape.end();
  };
  return std::any_of(signature.inputs.begin(), signature.inputs.end(), hasSizesOfCall) ||
                 std::any_of(signature.outputs.begin(), signature.outputs.end(), hasSizesOfCall)
             ? ExportSignature::kFormat
             : ExportSignature::kFormatOfFixedSizes;
}

static Json signatureToJson(const ExportSignature &signature) {
  Json object;
  object["format"] = formatOf(signature);
  object["name"] = signature.name;
  object["created"] = signature.created;
  object["mlc"] = signature.compiler;
  object["runtime"] = signature.runtime;
  object["abi"] = signature.abi;
  object["cpu"] = signature.cpu;
  object["cpu_features"] = signature.cpuFeatures;
  object["compat"] = signature.compat;
  object["state_fingerprint"] = signature.stateFingerprint;
  object["plan_fingerprint"] = signature.planFingerprint;
  object["checkpoint"] = signature.checkpoint;
  object["step"] = signature.step;
  object["seed"] = signature.seed;
  if (const auto &exporter = signature.exporter) {
    Json &record = object["exporter"];
    record = {{"name", exporter->name}, {"kind", exporter->kind}, {"eval", exporter->eval}};
    if (!exporter->metric.empty()) {
      record["metric"] = exporter->metric;
      record["better"] = exporter->better;
      record["value"] = exporter->value;
    }
  }
  object["inputs"] = Json::array();
  for (const InputSignature &input : signature.inputs)
    object["inputs"].push_back({{"name", input.name},
                                {"dtype", columnDtypeName(input.dtype)},
                                {"shape", input.shape},
                                {"multi_valued", input.multiValued},
                                {"weighted", input.weighted},
                                {"optional", input.optional}});
  object["outputs"] = Json::array();
  for (const OutputSignature &output : signature.outputs)
    object["outputs"].push_back({{"name", output.name}, {"dtype", dtypeName(output.dtype)}, {"shape", output.shape}});
  for (const ServingSignature &each : signature.signatures) {
    Json &entry = object["signatures"][each.name];
    entry["method"] = each.method;
    entry["outputs"] = Json::object();
    for (const auto &[key, output] : each.outputs)
      entry["outputs"][key] = output;
  }
  if (!signature.classes.empty())
    object["classes"] = signature.classes;
  object["settings"] = Json::object();
  for (const auto &[path, value] : signature.settings)
    object["settings"][path] = value;
  object["golden_rows"] = signature.goldenRows;
  object["files"] = filesToJson(signature.files);
  return object;
}

std::string signatureToText(const ExportSignature &signature) { return sealJson(signatureToJson(signature)); }

std::string signatureToLine(const ExportSignature &signature) {
  return signatureToJson(signature).dump(-1, ' ', false, Json::error_handler_t::replace);
}

static ExporterRecord readExporter(JsonFields &fields, const Json &entry) {
  ExporterRecord exporter;
  fields.read(entry, "name", exporter.name);
  fields.read(entry, "kind", exporter.kind);
  fields.read(entry, "eval", exporter.eval);
  if (!entry.contains("metric"))
    return exporter;
  fields.read(entry, "metric", exporter.metric);
  fields.read(entry, "better", exporter.better);
  if (auto value = entry.find("value"); value != entry.end() && value->is_number())
    exporter.value = value->get<double>();
  else
    fields.fail("value");
  return exporter;
}

static std::vector<ServingSignature> readSignatures(JsonFields &fields, const Json &object) {
  std::vector<ServingSignature> signatures;
  for (const auto &[name, entry] : object.items()) {
    ServingSignature &signature = signatures.emplace_back();
    signature.name = name;
    fields.read(entry, "method", signature.method);
    for (const auto &[key, output] : fields.object(entry, "outputs").items()) {
      if (output.is_string())
        signature.outputs.emplace_back(key, output.get<std::string>());
      else
        fields.fail("signatures");
    }
  }
  return signatures;
}

absl::StatusOr<std::vector<ServingSignature>> signaturesFromText(std::string_view text) {
  const Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  JsonFields fields;
  if (!object.is_object())
    fields.fail("signatures");
  std::vector<ServingSignature> signatures =
      object.is_object() ? readSignatures(fields, object) : std::vector<ServingSignature>();
  if (!fields.good())
    return absl::DataLossError("bad value of '" + fields.bad() + "'");
  return signatures;
}

static void readInput(JsonFields &fields, const Json &entry, InputSignature &input) {
  fields.read(entry, "name", input.name);
  std::string dtype;
  fields.read(entry, "dtype", dtype);
  bool known = false;
  for (mlcrt_dtype candidate : {MLCRT_F32, MLCRT_F64, MLCRT_I32, MLCRT_I64, MLCRT_BOOL, MLCRT_STRING})
    if (dtype == columnDtypeName(candidate)) {
      input.dtype = candidate;
      known = true;
    }
  if (!known)
    fields.fail("dtype");
  fields.readShape(entry, input.shape, InputColumn::kSizeOfCall);
  fields.read(entry, "multi_valued", input.multiValued);
  fields.read(entry, "weighted", input.weighted);
  fields.read(entry, "optional", input.optional);
}

static void readOutput(JsonFields &fields, const Json &entry, OutputSignature &output) {
  fields.read(entry, "name", output.name);
  std::string dtype;
  fields.read(entry, "dtype", dtype);
  if (auto known = dtypeOf(dtype))
    output.dtype = *known;
  else
    fields.fail("dtype");
  fields.readShape(entry, output.shape, InputColumn::kSizeOfCall);
}

absl::StatusOr<ExportSignature> signatureFromText(std::string_view text, const std::string &path) {
  absl::StatusOr<Json> opened = openSealedJson(text, path);
  if (!opened.ok())
    return opened.status();
  const Json &object = *opened;
  JsonFields fields;
  ExportSignature signature;
  int64_t format = 0;
  fields.read(object, "format", format, 1);
  if (format > ExportSignature::kFormat)
    return fileError(absl::StatusCode::kFailedPrecondition, "E0406", path,
                     "has format " + std::to_string(format) + "; this build reads up to " +
                         std::to_string(ExportSignature::kFormat));
  fields.read(object, "name", signature.name);
  fields.read(object, "created", signature.created, INT64_MIN);
  fields.read(object, "mlc", signature.compiler);
  fields.read(object, "runtime", signature.runtime);
  fields.read(object, "abi", signature.abi);
  fields.read(object, "cpu", signature.cpu);
  fields.read(object, "cpu_features", signature.cpuFeatures);
  fields.read(object, "compat", signature.compat);
  fields.read(object, "state_fingerprint", signature.stateFingerprint);
  fields.read(object, "plan_fingerprint", signature.planFingerprint);
  fields.read(object, "checkpoint", signature.checkpoint);
  fields.read(object, "step", signature.step);
  fields.read(object, "seed", signature.seed, INT64_MIN);
  if (object.contains("exporter"))
    signature.exporter = readExporter(fields, fields.object(object, "exporter"));
  for (const Json &entry : fields.list(object, "inputs"))
    readInput(fields, entry, signature.inputs.emplace_back());
  for (const Json &entry : fields.list(object, "outputs"))
    readOutput(fields, entry, signature.outputs.emplace_back());
  if (object.contains("signatures"))
    signature.signatures = readSignatures(fields, fields.object(object, "signatures"));
  for (const ServingSignature &each : signature.signatures)
    for (const auto &[key, name] : each.outputs)
      if (std::none_of(
              signature.outputs.begin(), signature.outputs.end(),
              [&, output = std::string_view(name)](const OutputSignature &known) { return known.name == output; }))
        fields.fail("signatures");
  if (object.contains("classes"))
    for (const Json &name : fields.list(object, "classes")) {
      if (!name.is_string())
        fields.fail("classes");
      else
        signature.classes.push_back(name.get<std::string>());
    }
  for (const auto &[setting, value] : fields.object(object, "settings").items()) {
    if (value.is_number())
      signature.settings.emplace_back(setting, value.get<double>());
    else
      fields.fail("settings");
  }
  fields.read(object, "golden_rows", signature.goldenRows);
  signature.files = readFiles(fields, fields.list(object, "files"));
  for (const FileRecord &file : signature.files)
    if (!isPlainName(file.path))
      fields.fail("files");
  if (!fields.good())
    return fileError(absl::StatusCode::kDataLoss, "E0403", path, "bad value of '" + fields.bad() + "'");
  return signature;
}

} // namespace mlcrt
