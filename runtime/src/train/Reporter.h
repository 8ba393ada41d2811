// What a run says: to its listener, and to logs. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_REPORTER_H
#define MLCRT_TRAIN_REPORTER_H

#include "absl/status/status.h"
#include "common/cli/Message.h"
#include "runtime/src/train/RunListener.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Thread-safe, but for openLog and setTask, which come first.
class Reporter {
public:
  /// Seconds between lines of progress, where the listener shows it in no other way.
  static constexpr double kLineSeconds = 10;

  /// `listener` outlives this. With `logJson` logs have JSON with time, task and step.
  explicit Reporter(RunListener &listener, bool logJson = false) : listener_(listener), logJson_(logJson) {}

  /// Also writes all lines and messages to this file, appending. Errors as writeError. If writing fails later, the work
  /// goes on with a warning to the listener.
  absl::Status openLog(const std::string &path);

  /// A line of text, without its end.
  void line(std::string_view text);
  /// Keeps lines back from here on, until release writes `first` and then them.
  void hold();
  void release(std::string_view first);
  /// How far the work is, as often as the listener wants it, else a line each kLineSeconds.
  void progress(std::string_view text);
  /// Whether progress() would show something now; saves making the text.
  bool progressDue() const;
  /// An event, one JSON object.
  void event(std::string_view json);
  /// A result.
  void result(std::string_view text);
  /// Whether all results got to their end up to now; errors as writeError.
  absl::Status outputStatus() const;
  void message(const mlc::common::Message &message);
  void messages(const mlc::common::MessageList &list);

  /// Who speaks, for lines as JSON.
  void setTask(LogTask task);

private:
  using Clock = std::chrono::steady_clock;
  void log(std::string_view text);

  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  RunListener &listener_;
  const bool logJson_;
  LogTask task_;
  mutable std::recursive_mutex mutex_;
  struct Log {
    std::string path;
    std::unique_ptr<std::FILE, Close> file;
    bool failed = false; ///< and said so
  };
  std::vector<Log> logs_;
  Clock::time_point lastShown_ = Clock::now();
  std::optional<std::vector<std::string>> held_;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_REPORTER_H
