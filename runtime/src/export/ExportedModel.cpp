// Loading of exports.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/ExportedModel.h"

#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/export/CodeChoice.h"
#include "runtime/src/export/Golden.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace mlcrt {

static constexpr int64_t kMaxSignature = 256 << 20;

static absl::Status damaged(const std::string &path, std::string what) {
  return fileError(absl::StatusCode::kDataLoss, "E0408", path, std::move(what), "export again");
}

CallContext ExportedModel::context() const {
  CallContext context;
  context.seed = signature.seed;
  context.step = signature.step;
  return context;
}

std::string deviceText(const ExportedModel &model) {
  if (!model.whyHost.empty())
    return "cpu: " + model.whyHost;
  return model.artifact->table().num_homes > 0 ? "gpu" : "cpu";
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
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error == std::errc::no_such_file_or_directory)
      return damaged(path, "the file is missing");
    if (error)
      return damaged(path, "cannot be read: " + error.message());
    if (static_cast<int64_t>(size) != file.size)
      return damaged(path, "has " + std::to_string(size) + " bytes; the signature says " + std::to_string(file.size));
    absl::StatusOr<uint32_t> crc = crcOfFile(path); // a part of it at a time is in memory
    if (!crc.ok())
      return crc.status();
    if (*crc != file.crc)
      return damaged(path, "is damaged: its checksum does not fit");
    hasCode |= file.path == kPredictName;
    hasWeights |= file.path == kWeightsName;
    if (file.path == kGoldenName) {
      hasGolden = true;
      absl::StatusOr<std::string> text = readWholeFile(path, file.size);
      if (!text.ok())
        return text.status();
      golden = *std::move(text);
    }
  }
  if (!hasCode || !hasWeights || !hasGolden)
    return damaged(directory + "/" + kSignatureName, "does not name all files of an export");
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

/// The part of the model's artifact that runs takes its place.
static absl::Status chooseArtifact(const std::string &device, ExportedModel &model) {
  const mlcrt_artifact &table = model.artifact->table();
  absl::StatusOr<CodeChoice> choice = chooseCode(table, device);
  if (!choice.ok())
    return choice.status();
  model.whyHost = std::move(choice->whyHost);
  if (choice->table == &table)
    return absl::OkStatus();
  absl::StatusOr<std::shared_ptr<const Artifact>> part = hostPart(model.artifact);
  if (part.ok())
    model.artifact = *std::move(part);
  return part.status();
}

/// Whether kernels of a GPU that the artifact has code for add in an order of the chip's own.
static bool hasChipSums(const mlcrt_artifact &table) {
  return table.on_host && std::any_of(table.images, table.images + table.num_images, [](const mlcrt_image &image) {
           return (image.flags & MLCRT_IMAGE_CHIP_SUMS) != 0;
         });
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
  if (absl::Status status = chooseArtifact(options.device, model); !status.ok())
    return status;
  const mlcrt_artifact &table = model.artifact->table();
  model.entry = model.artifact->entry(MLCRT_ROLE_PREDICT);
  if (!model.entry || model.signature.planFingerprint != table.plan_fingerprint)
    return damaged(directory + "/" + kPredictName, "is not the code that the signature describes");
  absl::StatusOr<std::optional<InputFormat>> input = manifestInput(table.manifest);
  if (!input.ok())
    return input.status();
  model.input = *std::move(input);
  absl::StatusOr<std::shared_ptr<const RowLayout>> layout =
      RowLayout::create(model.artifact, *model.entry, model.input ? &*model.input : nullptr);
  if (!layout.ok())
    return layout.status();
  model.layout = *std::move(layout);
  absl::StatusOr<std::unique_ptr<Program>> program =
      Program::create(model.artifact, {/*held=*/{}, /*laterDevices=*/0, options.gpuMemory});
  if (!program.ok())
    return program.status();
  model.program = *std::move(program);
  absl::StatusOr<std::unique_ptr<MappedWeights>> weights =
      MappedWeights::open(directory + "/" + kWeightsName, *model.artifact, model.program->state());
  if (!weights.ok())
    return weights.status();
  model.weights = *std::move(weights);
  if (absl::Status status = bindSettings(model.signature, model.program->settings()); !status.ok())
    return status;
  if (!options.replay || model.signature.goldenRows == 0)
    return model;
  // What adds in an order of its own gives other last bits: code for hosts proves weights and code then.
  if (hasChipSums(table)) {
    ExportLoadOptions onHost = options;
    onHost.device = "cpu";
    const absl::StatusOr<ExportedModel> proven = loadExport(directory, onHost);
    return proven.ok() ? absl::StatusOr<ExportedModel>(std::move(model)) : proven.status();
  }
  ThreadPool pool(1);
  EntryRunner runner(*model.program, *model.entry, pool);
  model.weights->place(runner);
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
