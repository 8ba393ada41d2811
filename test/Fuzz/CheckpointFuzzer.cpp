// Any bytes as a checkpoint. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two bytes of size, that many of the manifest without its checksum (which is put right, or nothing would get past it),
// then the tensors' file. What is accepted is written back the same; reading never crosses the file.
#include "absl/strings/str_cat.h"
#include "common/checkpoint/Crc32c.h"
#include "runtime/src/checkpoint/CheckpointReader.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

using namespace mlcrt;

static void require(bool fact) {
  if (!fact)
    std::abort();
}

static void write(const std::string &path, std::string_view text) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  require(file && std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fclose(file) == 0);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  const std::string_view rest(reinterpret_cast<const char *>(data) + 2, size - 2);
  const size_t manifestSize = data[0] + size_t{256} * data[1];
  std::string manifest(rest.substr(0, manifestSize));
  const std::string_view tensors = rest.size() > manifestSize ? rest.substr(manifestSize) : std::string_view();
  (void)manifestFromText(manifest, "plain").ok();
  if (manifest.empty() || manifest.back() != '\n')
    manifest += '\n';
  char line[32];
  std::snprintf(line, sizeof(line), "\"crc32c\": \"%08x\"}\n", mlc::common::crc32c(manifest.data(), manifest.size()));
  manifest += line;
  absl::StatusOr<CheckpointManifest> read = manifestFromText(manifest, "fuzz");
  static const std::string directory = [] {
    std::string name = absl::StrCat("/dev/shm/mlc-fuzz-checkpoint-", getpid());
    std::filesystem::create_directories(name);
    return name;
  }();
  write(directory + "/tensors.safetensors", tensors);
  if (auto file = SafetensorsReader::open(directory + "/tensors.safetensors"); file.ok()) {
    for (const TensorInfo &tensor : file->tensors()) {
      std::string bytes(static_cast<size_t>(tensor.bytes), '\0');
      require(file->read(tensor, bytes.data()).ok());
    }
  }
  if (!read.ok())
    return 0;
  absl::StatusOr<CheckpointManifest> again = manifestFromText(manifestToText(*read), "again");
  require(again.ok() && manifestToText(*again) == manifestToText(*read));
  for (FileRecord &file : read->files)
    if (file.path != "tensors.safetensors")
      return 0;
  absl::StatusOr<CheckpointReader> reader = CheckpointReader::open(directory, *read);
  if (!reader.ok())
    return 0;
  for (const VariableRecord &variable : read->variables) {
    Tensor value;
    (void)reader->read(variable, value).ok();
  }
  return 0;
}
