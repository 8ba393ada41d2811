// The weights of an export, as they lie in their file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/MappedWeights.h"

#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mlcrt {

/// Smaller tensors are read.
static constexpr int64_t kLeastMapped = int64_t{1} << 20;

static absl::Status damaged(const std::string &path, std::string what) {
  return fileError(absl::StatusCode::kDataLoss, "E0408", path, std::move(what), "export again");
}

MappedWeights::~MappedWeights() {
  if (pages_)
    ::munmap(pages_, bytes_);
}

absl::Status MappedWeights::map(const std::string &path, int64_t size) {
  // A page more than the file: vector code may touch what lies past the last element.
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t bytes = (static_cast<size_t>(size) + page - 1) / page * page + page;
  void *pages = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return damaged(path, std::string("cannot be mapped: ") + std::strerror(errno));
  pages_ = static_cast<char *>(pages);
  bytes_ = bytes;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool isMapped =
      file >= 0 && ::mmap(pages, static_cast<size_t>(size), PROT_READ, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
  const int error = errno;
  if (file >= 0)
    ::close(file);
  if (!isMapped)
    return damaged(path, std::string("cannot be mapped: ") + std::strerror(error));
  (void)::madvise(pages, static_cast<size_t>(size), MADV_RANDOM);
  return absl::OkStatus();
}

/// The tensor of the file that is one of the state.
static absl::StatusOr<const TensorInfo *> findTensor(const SafetensorsReader &file, const StateTensor &expected) {
  const std::string name = expected.value.name;
  const TensorInfo *tensor = file.find(name);
  if (!tensor)
    return damaged(file.path(), "tensor '" + name + "' is missing");
  if (tensor->dtype != expected.value.dtype || tensor->shape != expected.shape())
    return damaged(file.path(), "tensor '" + name + "' is " + typeText(tensor->dtype, tensor->shape) + ", expected " +
                                    typeText(expected.value.dtype, expected.shape()));
  return tensor;
}

absl::StatusOr<std::unique_ptr<MappedWeights>> MappedWeights::open(const std::string &path, const Artifact &artifact,
                                                                   State &state) {
  absl::StatusOr<SafetensorsReader> reader = SafetensorsReader::open(path);
  if (!reader.ok())
    return reader.status();
  std::unique_ptr<MappedWeights> weights(new MappedWeights());
  const mlcrt_artifact &table = artifact.table();
  const StateTensors &tensors = artifact.tensors();
  for (int32_t i = 0; i < table.num_variables; ++i) {
    std::vector<const TensorInfo *> parts; // of the variable
    int64_t bytes = 0;
    bool isOnePiece = true;
    for (int32_t t = tensors.firstOf(i); t < tensors.firstOf(i + 1); ++t) {
      absl::StatusOr<const TensorInfo *> tensor = findTensor(*reader, tensors[t]);
      if (!tensor.ok())
        return tensor.status();
      isOnePiece = isOnePiece && (parts.empty() || (*tensor)->offset == parts.back()->offset + parts.back()->bytes);
      bytes += (*tensor)->bytes;
      parts.push_back(*tensor);
    }
    // What a device has it has from the state, once.
    const bool isMapped = table.num_homes == 0 && isOnePiece && bytes >= kLeastMapped;
    if (isMapped && !table.variables[i].pack && !table.variables[i].storage_bytes) {
      weights->variables_.emplace_back(i, parts.front()->offset);
      continue;
    }
    for (size_t k = 0; k < parts.size(); ++k) {
      const RowRange rows = tensors[tensors.firstOf(i) + static_cast<int32_t>(k)].rows;
      absl::Status status = state.fillRows(i, rows, [&](void *to, int64_t) { return reader->read(*parts[k], to); });
      if (!status.ok())
        return status;
    }
  }
  if (!weights->variables_.empty())
    if (absl::Status status = weights->map(path, reader->size()); !status.ok())
      return status;
  return weights;
}

void MappedWeights::place(EntryRunner &runner) const {
  for (const auto &[variable, offset] : variables_)
    runner.placeVariable(variable, pages_ + offset);
}

} // namespace mlcrt
