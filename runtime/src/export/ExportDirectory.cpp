// Listing and retiring exports.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/ExportDirectory.h"

#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace mlcrt {

namespace fs = std::filesystem;

/// The names in a directory.
static absl::StatusOr<std::vector<std::string>> listNames(const std::string &base) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(base, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  if (error && error != std::errc::no_such_file_or_directory)
    return writeError(base, "cannot list the directory", error.value());
  return names;
}

absl::StatusOr<std::vector<ExportPath>> listExports(const std::string &base) {
  absl::StatusOr<std::vector<std::string>> names = listNames(base);
  if (!names.ok())
    return names.status();
  std::vector<ExportPath> exports;
  for (const std::string &name : *names) {
    if (name.size() > 18) // no second of any clock
      continue;
    ExportPath entry{0, base + "/" + name};
    auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), entry.number);
    if (error == std::errc() && end == name.data() + name.size() && entry.number >= 0)
      exports.push_back(std::move(entry));
  }
  std::sort(exports.begin(), exports.end(),
            [](const ExportPath &a, const ExportPath &b) { return a.number < b.number; });
  return exports;
}

static absl::Status removeAll(const std::string &path) {
  std::error_code error;
  fs::remove_all(path, error);
  return error ? writeError(path, "cannot remove the directory", error.value()) : absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> retireExports(const std::string &base, int64_t keep) {
  absl::StatusOr<std::vector<ExportPath>> exports = listExports(base);
  if (!exports.ok())
    return exports.status();
  std::vector<std::string> removed;
  const auto count = static_cast<int64_t>(exports->size());
  for (int64_t i = 0; keep > 0 && i < count - keep; ++i) {
    const ExportPath &entry = (*exports)[static_cast<size_t>(i)];
    const std::string nameless = base + "/" + kExporterPrefix + std::to_string(entry.number);
    if (absl::Status status = removeAll(nameless); !status.ok())
      return status;
    std::error_code error;
    fs::rename(entry.path, nameless, error);
    if (error)
      return writeError(entry.path, "cannot move the directory", error.value());
    if (absl::Status status = removeAll(nameless); !status.ok())
      return status;
    removed.push_back(entry.path);
  }
  if (!removed.empty())
    if (absl::Status status = syncDirectory(base); !status.ok())
      return status;
  return removed;
}

absl::Status removeLeftExports(const std::string &base) {
  absl::StatusOr<std::vector<std::string>> names = listNames(base);
  if (!names.ok())
    return names.status();
  for (const std::string &name : *names)
    if (name.compare(0, std::string_view(kExporterPrefix).size(), kExporterPrefix) == 0)
      if (absl::Status status = removeAll(base + "/" + name); !status.ok())
        return status;
  return absl::OkStatus();
}

} // namespace mlcrt
