// JSON with a checksum.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/SealedJson.h"

#include "common/checkpoint/Crc32c.h"
#include "runtime/src/checkpoint/StatusMessage.h"

namespace mlcrt {

static constexpr std::string_view kSealKey = "\"crc32c\": \"";

static std::string sealOf(std::string_view text) {
  return std::string(kSealKey) + hexText(mlc::common::crc32c(text.data(), text.size())) + "\"}\n";
}

std::string hexText(uint32_t crc) {
  char text[16];
  std::snprintf(text, sizeof(text), "%08x", crc);
  return text;
}

Json filesToJson(const std::vector<FileRecord> &files) {
  Json list = Json::array();
  for (const FileRecord &file : files)
    list.push_back({{"path", file.path}, {"size", file.size}, {"crc32c", hexText(file.crc)}});
  return list;
}

bool isPlainName(std::string_view name) {
  return !name.empty() && name.find('/') == std::string_view::npos && name[0] != '.';
}

std::string sealJson(const Json &object) {
  std::string text = object.dump(1, ' ', false, Json::error_handler_t::replace);
  // "...\n}" becomes "...,\n" and the line of the checksum, which closes the object.
  text.resize(text.size() - 2);
  text += ",\n";
  return text + sealOf(text);
}

absl::StatusOr<Json> openSealedJson(std::string_view text, const std::string &path) {
  auto damaged = [&](std::string what) {
    return fileError(absl::StatusCode::kDataLoss, "E0403", path, std::move(what));
  };
  const size_t lastLine = text.rfind("\n" + std::string(kSealKey));
  if (lastLine == std::string_view::npos)
    return damaged("is truncated: it lacks the line of its checksum");
  if (text.substr(lastLine + 1) != sealOf(text.substr(0, lastLine + 1)))
    return damaged("is damaged: its checksum does not fit");
  Json object = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return damaged("is not a JSON object");
  return object;
}

std::vector<FileRecord> readFiles(JsonFields &fields, const Json &list) {
  std::vector<FileRecord> files;
  for (const Json &entry : list) {
    FileRecord &file = files.emplace_back();
    fields.read(entry, "path", file.path);
    fields.read(entry, "size", file.size);
    fields.readCrc(entry, file.crc);
  }
  return files;
}

} // namespace mlcrt
