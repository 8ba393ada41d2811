// The rows at the beginning of CSV files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/FirstRows.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/parquet/Footer.h"
#include "runtime/src/input/CellText.h"
#include "runtime/src/input/ColumnBinding.h"
#include "runtime/src/input/CsvScanner.h"
#include "runtime/src/input/DataError.h"
#include "runtime/src/input/FileList.h"
#include "runtime/src/input/MappedFile.h"
#include "runtime/src/input/Unpack.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mlcrt {

/// Bytes of a packed file that are unpacked first; where they do not hold the rows, four times as many.
static constexpr size_t kFirstBytes = size_t{1} << 18;

static absl::StatusOr<MappedFile> mapFile(const std::string &path) {
  const auto failed = [&](std::string_view what) {
    return dataError({path}, data_code::kUnreadable,
                     absl::StrCat(absl::string_view(what.data(), what.size()), ": ", std::strerror(errno)));
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return failed("cannot be opened");
  const absl::Cleanup close = [fd] { ::close(fd); };
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return failed("cannot be read");
  if (!S_ISREG(info.st_mode))
    return dataError({path}, data_code::kUnreadable, "no file that can be read twice", "a regular file");
  MappedFile mapped(fd, info.st_size);
  if (!mapped && info.st_size > 0)
    return failed("cannot be mapped");
  return mapped;
}

/// Unpacks up to `most` bytes; `isWhole`: there are no more.
static absl::Status unpackStart(const std::string &path, std::string_view packed, Compression compression, size_t most,
                                std::string &text, bool &isWhole) {
  text.clear();
  isWhole = true;
  const absl::Status status = unpack(path, packed, compression, [&](std::string_view piece) {
    text.append(piece);
    isWhole = text.size() <= most;
    return isWhole ? absl::OkStatus() : absl::CancelledError("enough");
  });
  return isWhole ? status : absl::OkStatus();
}

static std::string textOf(const CsvField &field) {
  std::string text(field.text);
  if (field.escaped)
    text.resize(static_cast<size_t>(unescapeField(field, text.data())));
  return text;
}

namespace {
/// Collects rows, file by file.
class Collector {
public:
  Collector(const CsvFormat &format, int64_t count, FirstRows &found)
      : format_(format), count_(static_cast<size_t>(count)), found_(found) {}

  bool isFull() const { return found_.rows.size() >= count_ && !found_.names.empty(); }
  absl::Status add(const std::string &path);

private:
  absl::StatusOr<bool> scan(const std::string &path, std::string_view text, bool isWhole);
  absl::StatusOr<std::vector<std::string>> split(const Origin &origin, std::string_view record);

  const CsvFormat &format_;
  const size_t count_;
  FirstRows &found_;
  std::vector<CsvField> fields_;
};
} // namespace

absl::Status Collector::add(const std::string &path) {
  absl::StatusOr<MappedFile> file = mapFile(path);
  if (!file.ok())
    return file.status();
  if (mlc::common::parquet::isParquet(file->bytes()))
    return dataError({path}, data_code::kUnreadable, "is a Parquet file", "CSV",
                     "Python reads it by mlc.data.Dataset.from_parquet");
  const Compression detected = detectCompression(file->bytes().substr(0, 16));
  const Compression compression = format_.compression == Compression::Auto ? detected : format_.compression;
  if (compression != Compression::None && detected != compression)
    return dataError({path}, data_code::kUnreadable, "the first bytes are of no such stream",
                     compression == Compression::Gzip ? "gzip" : "zstd");
  if (compression == Compression::None)
    return scan(path, file->bytes(), /*isWhole=*/true).status();
  const FirstRows before = found_;
  for (size_t most = kFirstBytes;; most *= 4) {
    std::string text;
    bool isWhole = true;
    if (absl::Status status = unpackStart(path, file->bytes(), compression, most, text, isWhole); !status.ok())
      return status;
    absl::StatusOr<bool> enough = scan(path, text, isWhole);
    if (!enough.ok())
      return enough.status();
    if (*enough)
      return absl::OkStatus();
    found_ = before;
  }
}

absl::StatusOr<std::vector<std::string>> Collector::split(const Origin &origin, std::string_view record) {
  if (const int64_t bad = splitRecord(record, format_, fields_)) {
    Origin place = origin;
    place.field = bad;
    return dataError(place, data_code::kRecord, "text after a closing quote", "the delimiter or the end of the row");
  }
  std::vector<std::string> texts;
  for (const CsvField &field : fields_)
    texts.push_back(textOf(field));
  return texts;
}

/// Takes the rows of `text`, a file or its beginning. False: the beginning is too short to tell.
absl::StatusOr<bool> Collector::scan(const std::string &path, std::string_view text, bool isWhole) {
  bool isHeader = format_.header;
  if (!isHeader)
    found_.names = format_.columnNames;
  CsvScanner scanner(text, format_);
  while (isHeader || found_.rows.size() < count_) {
    const CsvScanner::Result result = scanner.next();
    // The last record of a beginning may go on.
    if (!isWhole && (result != CsvScanner::Result::Record || static_cast<size_t>(scanner.end()) == text.size()))
      return false;
    if (result == CsvScanner::Result::End)
      break;
    if (result == CsvScanner::Result::UnterminatedQuote)
      return dataError({path, scanner.line(), scanner.field()}, data_code::kRecord, "a quote that is not closed");
    const Origin origin{path, scanner.line()};
    const std::string_view record =
        text.substr(static_cast<size_t>(scanner.begin()), static_cast<size_t>(scanner.end() - scanner.begin()));
    absl::StatusOr<std::vector<std::string>> texts = split(origin, record);
    if (!texts.ok())
      return texts.status();
    if (!isHeader && texts->size() != found_.names.size())
      return raggedRow(origin, record, static_cast<int64_t>(texts->size()), static_cast<int64_t>(found_.names.size()),
                       format_);
    if (!isHeader) {
      found_.rows.push_back(*std::move(texts));
      continue;
    }
    isHeader = false;
    for (std::string &name : *texts)
      name = std::string(trimBlanks(name));
    if (found_.names.empty())
      found_.names = *std::move(texts);
    else if (found_.names != *texts)
      return dataError(origin, data_code::kHeader, "the header is " + absl::StrJoin(*texts, ", "),
                       absl::StrJoin(found_.names, ", ") + ", as in the file before");
  }
  if (isHeader)
    return dataError({path}, data_code::kEmpty, "the file is empty", "a header");
  return true;
}

absl::StatusOr<FirstRows> readFirstRows(const std::vector<std::string> &globs, const CsvFormat &format, int64_t count) {
  absl::StatusOr<std::vector<std::string>> paths = matchFiles(globs);
  if (!paths.ok())
    return paths.status();
  FirstRows found;
  Collector collector(format, count, found);
  for (const std::string &path : *paths) {
    if (collector.isFull())
      break;
    if (absl::Status status = collector.add(path); !status.ok())
      return status;
  }
  return found;
}

} // namespace mlcrt
