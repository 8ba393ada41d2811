// Reading a CSV file without any of the reader's duties.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmarks/input/HandLoop.h"

#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mlc::benchmarks {

static std::string readFile(const std::string &path) {
  std::string bytes;
  const int fd = ::open(path.c_str(), O_RDONLY);
  struct stat info;
  if (fd >= 0 && ::fstat(fd, &info) == 0) {
    bytes.resize(static_cast<size_t>(info.st_size));
    size_t done = 0;
    for (ssize_t count; done < bytes.size() && (count = ::read(fd, bytes.data() + done, bytes.size() - done)) > 0;)
      done += static_cast<size_t>(count);
    bytes.resize(done);
  }
  ::close(fd);
  return bytes;
}

HandColumns readByHand(const std::string &path, const std::vector<Cell> &cells, char delimiter) {
  HandColumns columns;
  columns.bytes = readFile(path);
  const char *at = columns.bytes.data(), *const end = at + columns.bytes.size();
  size_t floats = 0, ints = 0, texts = 0;
  for (const Cell cell : cells)
    ++(cell == Cell::Float ? floats : cell == Cell::Int ? ints : texts);
  columns.floats.resize(floats);
  columns.ints.resize(ints);
  columns.texts.resize(texts);
  at = static_cast<const char *>(std::memchr(at, '\n', static_cast<size_t>(end - at))) + 1; // the header
  while (at < end) {
    const void *newline = std::memchr(at, '\n', static_cast<size_t>(end - at));
    const char *const line = newline ? static_cast<const char *>(newline) : end;
    size_t f = 0, i = 0, t = 0;
    for (const Cell cell : cells) {
      const void *found = std::memchr(at, delimiter, static_cast<size_t>(line - at));
      const char *const stop = found ? static_cast<const char *>(found) : line;
      if (cell == Cell::Float) {
        float value = 0;
        std::from_chars(at, stop, value);
        columns.floats[f++].push_back(value);
      } else if (cell == Cell::Int) {
        int64_t value = 0;
        std::from_chars(at, stop, value);
        columns.ints[i++].push_back(value);
      } else if (cell == Cell::Text) {
        columns.texts[t++].emplace_back(at, static_cast<size_t>(stop - at));
      }
      at = stop < line ? stop + 1 : line;
    }
    at = line + 1;
    ++columns.rows;
  }
  return columns;
}

} // namespace mlc::benchmarks
