// Loading of exports.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/ExportedModel.h"

#include "common/Crc32c.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/export/Golden.h"

#include <cmath>
#include <unistd.h>

namespace mlcrt {

static constexpr int64_t kMaxSignature = 256 << 20;
static constexpr int64_t kMaxFile = int64_t{1} << 40;

static absl::Status damaged(const std::string &path, std::string what) {
  return fileError(absl::StatusCode::kDataLoss, "E0408", path, std::move(what), "export again");
}

CallContext ExportedModel::context() const {
  CallContext context;
  context.seed = signature.seed;
  context.step = signature.step;
  return context;
}

bool isExport(const std::string &directory) { return ::access((directory + "/" + kSignatureName).c_str(), F_OK) == 0; }

absl::StatusOr<ExportSignature> readSignature(const std::string &directory) {
  const std::string path = directory + "/" + kSignatureName;
  absl::StatusOr<std::string> text = readWholeFile(path, kMaxSignature);
  if (absl::IsNotFound(text.status()))
    return fileError(absl::StatusCode::kNotFound, "E0408", directory,
                     "is not an exported model: no " + std::string(kSignatureName),
                     "the directory that 'export' printed, as in m/export/NAME/1700000000");
  if (!text.ok())
    return text.status();
  return signatureFromText(*text, path);
}

/// Proves the files of the signature; `golden` gets the text of the golden rows.
static absl::Status proveFiles(const std::string &directory, const ExportSignature &signature, std::string &golden) {
  bool hasCode = false, hasWeights = false, hasGolden = signature.goldenRows == 0;
  for (const FileRecord &file : signature.files) {
    const std::string path = directory + "/" + file.path;
    absl::StatusOr<std::string> bytes = readWholeFile(path, kMaxFile);
    if (absl::IsNotFound(bytes.status()))
      return damaged(path, "the file is missing");
    if (!bytes.ok())
      return bytes.status();
    if (static_cast<int64_t>(bytes->size()) != file.size)
      return damaged(path, "has " + std::to_string(bytes->size()) + " bytes; the signature says " +
                               std::to_string(file.size));
    if (mlc::common::crc32c(bytes->data(), static_cast<int64_t>(bytes->size())) != file.crc)
      return damaged(path, "is damaged: its checksum does not fit");
    hasCode |= file.path == kPredictName;
    hasWeights |= file.path == kWeightsName;
    if (file.path == kGoldenName) {
      hasGolden = true;
      golden = *std::move(bytes);
    }
  }
  if (!hasCode || !hasWeights || !hasGolden)
    return damaged(directory + "/" + kSignatureName, "does not name all files of an export");
  return absl::OkStatus();
}

static absl::Status readWeights(const std::string &path, const Artifact &artifact, State &state) {
  absl::StatusOr<SafetensorsReader> reader = SafetensorsReader::open(path);
  if (!reader.ok())
    return reader.status();
  const mlcrt_artifact &table = artifact.table();
  for (int32_t i = 0; i < table.num_variables; ++i) {
    const mlcrt_value &variable = table.variables[i].value;
    const std::vector<int64_t> shape(variable.dims, variable.dims + variable.rank);
    const TensorInfo *tensor = reader->find(variable.name);
    if (!tensor)
      return damaged(path, "tensor '" + std::string(variable.name) + "' is missing");
    if (tensor->dtype != variable.dtype || tensor->shape != shape)
      return damaged(path, "tensor '" + std::string(variable.name) + "' is " + typeText(tensor->dtype, tensor->shape) +
                               ", expected " + typeText(variable.dtype, shape));
    Tensor value(tensor->dtype, tensor->shape);
    if (absl::Status status = reader->read(*tensor, value.data()); !status.ok())
      return status;
    if (absl::Status status = state.write(i, value.buffer()); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

/// Gives the program the settings of the signature.
static absl::Status bindSettings(const ExportSignature &signature, Settings &settings) {
  for (const auto &[path, value] : signature.settings)
    for (int32_t i = 0; i < settings.size(); ++i) {
      const mlcrt_setting &setting = settings.setting(i);
      if (path != setting.path)
        continue;
      SettingValue typed = value;
      if (setting.dtype == MLCRT_BOOL)
        typed = value != 0;
      else if (setting.dtype == MLCRT_I32 || setting.dtype == MLCRT_I64)
        typed = static_cast<int64_t>(value);
      if (absl::Status status = settings.set(path, typed); !status.ok())
        return status;
    }
  return absl::OkStatus();
}

absl::StatusOr<ExportedModel> loadExport(const std::string &directory, const ExportLoadOptions &options) {
  absl::StatusOr<ExportSignature> signature = readSignature(directory);
  if (!signature.ok())
    return signature.status();
  std::string golden;
  if (absl::Status status = proveFiles(directory, *signature, golden); !status.ok())
    return status;
  absl::StatusOr<std::shared_ptr<const Artifact>> artifact = Artifact::open(directory + "/" + kPredictName);
  if (!artifact.ok())
    return artifact.status();
  ExportedModel model;
  model.directory = directory;
  model.signature = *std::move(signature);
  model.artifact = *std::move(artifact);
  const mlcrt_artifact &table = model.artifact->table();
  model.entry = model.artifact->entry(MLCRT_ROLE_PREDICT);
  if (!model.entry || model.signature.planFingerprint != table.plan_fingerprint)
    return damaged(directory + "/" + kPredictName, "is not the code that the signature describes");
  absl::StatusOr<std::optional<InputFormat>> input = manifestInput(table.manifest);
  if (!input.ok())
    return input.status();
  absl::StatusOr<std::shared_ptr<const RowLayout>> layout =
      RowLayout::create(model.artifact, *model.entry, *input ? &**input : nullptr);
  if (!layout.ok())
    return layout.status();
  model.layout = *std::move(layout);
  absl::StatusOr<std::unique_ptr<Program>> program = Program::create(model.artifact);
  if (!program.ok())
    return program.status();
  model.program = *std::move(program);
  if (absl::Status status = readWeights(directory + "/" + kWeightsName, *model.artifact, model.program->state());
      !status.ok())
    return status;
  if (absl::Status status = bindSettings(model.signature, model.program->settings()); !status.ok())
    return status;
  if (!options.replay || model.signature.goldenRows == 0)
    return model;
  ThreadPool pool(1);
  EntryRunner runner(*model.program, *model.entry, pool);
  const std::string path = directory + "/" + kGoldenName;
  absl::StatusOr<int64_t> rows = replayGolden(golden, path, model.layout, runner, model.context());
  if (!rows.ok())
    return rows.status();
  if (*rows != model.signature.goldenRows)
    return damaged(path, "has " + std::to_string(*rows) + " rows; the signature says " +
                             std::to_string(model.signature.goldenRows));
  return model;
}

} // namespace mlcrt
