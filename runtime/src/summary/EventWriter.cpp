// Naming and writing of event files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/summary/EventWriter.h"

#include "runtime/src/checkpoint/StatusMessage.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace mlcrt {

namespace fs = std::filesystem;

static constexpr const char *kPrefix = "events.out.tfevents.";

static double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// A number of seconds after those in the names of a directory's files.
static absl::StatusOr<int64_t> nextSeconds(const std::string &directory) {
  int64_t seconds = std::time(nullptr);
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    long long other = 0;
    if (std::sscanf(it->path().filename().c_str(), "events.out.tfevents.%10lld.", &other) == 1)
      seconds = std::max<int64_t>(seconds, other + 1);
  }
  if (error)
    return fileError(absl::StatusCode::kDataLoss, "E0403", directory, "cannot list the directory: " + error.message());
  return seconds;
}

absl::StatusOr<std::unique_ptr<EventWriter>> EventWriter::create(const std::string &directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    return writeError(directory, "cannot make the directory", error.value());
  absl::StatusOr<int64_t> seconds = nextSeconds(directory);
  if (!seconds.ok())
    return seconds.status();
  char host[256] = "", digits[32];
  ::gethostname(host, sizeof(host) - 1);
  std::snprintf(digits, sizeof(digits), "%010lld", static_cast<long long>(*seconds));
  std::string path = directory + "/" + kPrefix + digits + "." + host + "." + std::to_string(::getpid());
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0)
    return writeError(path, "cannot make the event file", errno);
  std::unique_ptr<EventWriter> writer(new EventWriter(path, descriptor));
  writer->pending_ = tfRecord(versionEvent(now()));
  if (absl::Status status = writer->flush(); !status.ok()) {
    ::unlink(path.c_str());
    return status;
  }
  return writer;
}

EventWriter::~EventWriter() {
  flush().IgnoreError();
  ::close(descriptor_);
}

absl::Status EventWriter::startSession(int64_t step) { return append(sessionStartEvent(now(), step)); }

absl::Status EventWriter::writeGraph(const std::vector<GraphNode> &nodes) {
  return nodes.empty() ? absl::OkStatus() : append(graphEvent(now(), nodes));
}

absl::Status EventWriter::write(int64_t step, const Summary &summary) {
  return summary.empty() ? absl::OkStatus() : append(summaryEvent(now(), step, summary));
}

absl::Status EventWriter::append(const std::string &event) {
  pending_ += tfRecord(event);
  bool due = pending_.size() >= kFlushBytes ||
             std::chrono::duration<double>(std::chrono::steady_clock::now() - flushed_).count() >= kFlushSeconds;
  return due ? flush() : absl::OkStatus();
}

absl::Status EventWriter::flush() {
  flushed_ = std::chrono::steady_clock::now();
  int64_t done = 0;
  while (!pending_.empty()) {
    ssize_t written = ::write(descriptor_, pending_.data(), pending_.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0) {
      const int error = errno;
      // Readers stop at a record that is cut off: what comes later begins after the last whole one.
      (void)::ftruncate(descriptor_, size_);
      pending_.clear();
      return writeError(path_, "cannot write", error);
    }
    pending_.erase(0, static_cast<size_t>(written));
    done += written;
  }
  size_ += done;
  return absl::OkStatus();
}

} // namespace mlcrt
