// Event files of TensorBoard. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_SUMMARY_EVENTWRITER_H
#define MLCRT_SUMMARY_EVENTWRITER_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/summary/Event.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace mlcrt {

/// Writes one new file. Events are kept back and written together: each flush ends with a whole record, so that what a
/// killed process leaves can be read. Errors as writeError.
class EventWriter {
public:
  /// Seconds and bytes after which events are written without a flush.
  static constexpr double kFlushSeconds = 30;
  static constexpr size_t kFlushBytes = 1 << 16;

  /// Makes the directory if needed and in it a file events.out.tfevents.<seconds>.<host>.<pid>, which sorts after
  /// those that are there: TensorBoard reads them in the order of their names. Its first event is the file's version.
  static absl::StatusOr<std::unique_ptr<EventWriter>> create(const std::string &directory);
  /// Flushes; errors are lost here.
  ~EventWriter();
  EventWriter(const EventWriter &) = delete;
  EventWriter &operator=(const EventWriter &) = delete;

  /// See sessionStartEvent.
  absl::Status startSession(int64_t step);
  /// The graph of the model; nothing if it has no nodes.
  absl::Status writeGraph(const std::vector<GraphNode> &nodes);
  absl::Status write(int64_t step, const Summary &summary);
  /// After an error the events that were kept back are lost, and the file is as it was before.
  absl::Status flush();

  const std::string &path() const { return path_; }

private:
  EventWriter(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  absl::Status append(const std::string &event);

  std::string path_;
  int descriptor_;
  std::string pending_;
  int64_t size_ = 0; ///< of the file
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

} // namespace mlcrt

#endif // MLCRT_SUMMARY_EVENTWRITER_H
