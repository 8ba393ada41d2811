// Writing of exports.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/ExportWriter.h"

#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/export/ExportDirectory.h"
#include "runtime/src/export/ExportedModel.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace mlcrt {

namespace fs = std::filesystem;

namespace {

/// A directory that goes away with all in it unless it gets another name.
class TemporaryDirectory {
public:
  static absl::StatusOr<TemporaryDirectory> create(const std::string &base, const std::string &prefix) {
    std::error_code error;
    fs::create_directories(base, error);
    if (error)
      return writeError(base, "cannot make the directory", error.value());
    std::string path = base + "/" + prefix + "XXXXXX";
    if (!::mkdtemp(path.data()))
      return writeError(base, "cannot make a directory in it", errno);
    if (::chmod(path.c_str(), 0755) != 0)
      return writeError(path, "cannot make the directory readable", errno);
    return TemporaryDirectory(path);
  }
  TemporaryDirectory(TemporaryDirectory &&other) noexcept : path_(std::exchange(other.path_, {})) {}
  ~TemporaryDirectory() {
    std::error_code error;
    if (!path_.empty())
      fs::remove_all(path_, error);
  }

  const std::string &path() const { return path_; }
  /// Renames it. False: something has that name.
  absl::StatusOr<bool> moveTo(const std::string &path) {
    int error = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0 ? 0 : errno;
    // A file system without the flag: a directory replaces an empty one at most.
    if (error == EINVAL || error == ENOSYS)
      error = ::access(path.c_str(), F_OK) == 0 ? EEXIST : ::rename(path_.c_str(), path.c_str()) == 0 ? 0 : errno;
    if (error == EEXIST || error == ENOTEMPTY)
      return false;
    if (error != 0)
      return writeError(path, "cannot name the export", error);
    path_.clear();
    return true;
  }

private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

} // namespace

static absl::Status writeFile(const std::string &directory, const char *name, const void *data, int64_t size,
                              std::vector<FileRecord> &files) {
  absl::StatusOr<AtomicFile> file = AtomicFile::create(directory + "/" + name);
  if (!file.ok())
    return file.status();
  if (absl::Status status = file->write(data, size); !status.ok())
    return status;
  files.push_back({name, file->size(), file->crc()});
  return file->commit();
}

/// The tensors of `predict`, which are tensors of the program.
static absl::Status writeWeights(const std::string &directory, const Artifact &predict, Program &program,
                                 const TableSource *rows, std::vector<FileRecord> &files) {
  const StateTensors &known = program.artifact().tensors();
  std::vector<TensorInfo> tensors;
  std::vector<int32_t> indices; // in the program
  for (const StateTensor &tensor : predict.tensors()) {
    indices.push_back(known.find(tensor.value.name));
    if (indices.back() < 0)
      return absl::NotFoundError("no variable '" + std::string(tensor.value.name) + "' in the artifact");
    TensorInfo &info = tensors.emplace_back();
    info.name = tensor.value.name;
    info.dtype = static_cast<mlcrt_dtype>(tensor.value.dtype);
    info.shape = tensor.shape();
    // Who predicts maps a variable as one piece of the file.
    info.run = predict.tensors()[predict.tensors().firstOf(tensor.variable)].value.name;
  }
  Tensor value;
  std::vector<char> piece;
  auto give = [&](size_t i, const std::function<absl::Status(const void *, int64_t)> &write) {
    const StateTensor &tensor = known[indices[i]];
    if (!rows || !rows->has(tensor.variable)) {
      if (absl::Status status = program.state().readRows(tensor.variable, tensor.rows, value); !status.ok())
        return status;
      return write(value.data(), value.bytes());
    }
    constexpr int64_t kPiece = int64_t{1} << 20;
    const int64_t all = tensor.bytes();
    absl::Status status;
    for (int64_t at = 0; status.ok() && at < all; at += kPiece) {
      piece.resize(static_cast<size_t>(std::min(kPiece, all - at)));
      status = rows->readBytes(tensor.variable, tensor.offset() + at, static_cast<int64_t>(piece.size()), piece.data());
      if (status.ok())
        status = write(piece.data(), static_cast<int64_t>(piece.size()));
    }
    return status;
  };
  absl::StatusOr<SafetensorsFile> written = writeSafetensorsByPieces(directory + "/" + kWeightsName, tensors, give);
  if (!written.ok())
    return written.status();
  files.push_back({kWeightsName, written->size, written->crc});
  return absl::OkStatus();
}

static double settingNumber(const SettingValue &value) {
  return std::visit([](auto v) { return static_cast<double>(v); }, value);
}

/// Describes the image beside its file.
static absl::Status describeImage(const std::string &path, Program &program, ExportSignature &signature,
                                  std::shared_ptr<const Artifact> &image) {
  absl::StatusOr<std::shared_ptr<const Artifact>> opened = Artifact::open(path);
  if (!opened.ok())
    return opened.status();
  image = *std::move(opened);
  const mlcrt_artifact &table = image->table();
  const mlcrt_entry *entry = image->entry(MLCRT_ROLE_PREDICT);
  if (!entry)
    return absl::InternalError(path + ": the image has no predict entry");
  signature.name = table.name;
  signature.abi = std::to_string(table.version >> 16) + "." + std::to_string(table.version & 0xffff);
  signature.cpuFeatures = table.cpu_features ? table.cpu_features : "";
  signature.stateFingerprint = table.state_fingerprint;
  signature.planFingerprint = table.plan_fingerprint;
  for (int32_t i = 0; i < table.num_settings; ++i)
    for (int32_t k = 0; k < program.settings().size(); ++k)
      if (std::string_view(program.settings().setting(k).path) == table.settings[i].path)
        signature.settings.emplace_back(table.settings[i].path, settingNumber(program.settings().get(k)));
  absl::StatusOr<std::optional<InputFormat>> input = manifestInput(table.manifest);
  if (!input.ok())
    return input.status();
  absl::StatusOr<std::shared_ptr<const RowLayout>> layout =
      RowLayout::create(image, *entry, *input ? &**input : nullptr);
  if (!layout.ok())
    return layout.status();
  return describeEntry(*entry, **layout, signature);
}

/// The newest export of `base`, if it is one of an exporter with this step, code and weights.
static absl::StatusOr<std::string> findSame(const std::string &base, const ExportSignature &signature) {
  absl::StatusOr<std::vector<ExportPath>> exports = listExports(base);
  if (!exports.ok())
    return exports.status();
  if (exports->empty())
    return std::string();
  const std::string &path = exports->back().path;
  absl::StatusOr<ExportSignature> newest = readSignature(path);
  if (!newest.ok())
    return newest.status();
  auto isThere = [&](const FileRecord &file) {
    return std::any_of(newest->files.begin(), newest->files.end(), [&](const FileRecord &other) {
      return file.path == other.path && file.size == other.size && file.crc == other.crc;
    });
  };
  const bool same = newest->exporter && newest->step == signature.step &&
                    std::all_of(signature.files.begin(), signature.files.end(), isThere);
  return same ? path : std::string();
}

absl::StatusOr<WrittenExport> writeExport(Program &program, ExportRequest request) {
  const mlcrt_artifact &table = program.artifact().table();
  const mlcrt_entry *predict = program.artifact().entry(MLCRT_ROLE_PREDICT);
  for (int64_t p = 0; p < table.num_parts; ++p)
    if (&table.entries[table.parts[p].entry] == predict && table.parts[p].part != table.parts[p].entry)
      return messageStatus(absl::StatusCode::kFailedPrecondition,
                           mlc::common::makeError("E0409",
                                                  "the predictions of this model come of several devices; an "
                                                  "export runs on one",
                                                  "compile the module without devices: the checkpoint fits"));
  if (!table.predict_image)
    return messageStatus(absl::StatusCode::kFailedPrecondition,
                         mlc::common::makeError("E0409", "this trainer carries no image of its predict entry",
                                                "a model needs a predict entry; compile it to a trainer again"));
  absl::StatusOr<TemporaryDirectory> directory =
      TemporaryDirectory::create(request.base, request.signature.exporter ? kExporterPrefix : "temp-");
  if (!directory.ok())
    return directory.status();
  const std::string &path = directory->path();
  ExportSignature &signature = request.signature;
  if (absl::Status status =
          writeFile(path, kPredictName, table.predict_image, table.predict_image_bytes, signature.files);
      !status.ok())
    return status;
  std::shared_ptr<const Artifact> image;
  if (absl::Status status = describeImage(path + "/" + kPredictName, program, signature, image); !status.ok())
    return status;
  if (absl::Status status = writeWeights(path, *image, program, request.rows, signature.files); !status.ok())
    return status;
  if (signature.exporter) {
    absl::StatusOr<std::string> same = findSame(request.base, signature);
    if (!same.ok())
      return same.status();
    if (!same->empty())
      return WrittenExport{*same, /*isNew=*/false};
  }
  if (signature.goldenRows > 0)
    if (absl::Status status = writeFile(path, kGoldenName, request.golden.data(),
                                        static_cast<int64_t>(request.golden.size()), signature.files);
        !status.ok())
      return status;
  signature.created = static_cast<int64_t>(std::time(nullptr));
  if (absl::Status status = writeFileAtomically(path + "/" + kSignatureName, signatureToText(signature)); !status.ok())
    return status;
  if (absl::StatusOr<ExportedModel> loaded = loadExport(path); !loaded.ok())
    return absl::InternalError("the export cannot be used: " + messageOf(loaded.status()).what);
  absl::StatusOr<std::vector<ExportPath>> exports = listExports(request.base);
  if (!exports.ok())
    return exports.status();
  for (int64_t second = std::max(signature.created, exports->empty() ? 0 : exports->back().number + 1);; ++second) {
    const std::string name = request.base + "/" + std::to_string(second);
    absl::StatusOr<bool> moved = directory->moveTo(name);
    if (!moved.ok())
      return moved.status();
    if (!*moved)
      continue;
    if (absl::Status status = syncDirectory(request.base); !status.ok())
      return status;
    return WrittenExport{name};
  }
}

} // namespace mlcrt
