// What a trainer says: lines and messages on stderr and in logs, results and events on stdout. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_REPORTER_H
#define MLCRT_TRAIN_REPORTER_H

#include "absl/status/status.h"
#include "common/cli/Message.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// How a reporter speaks.
struct ReporterOptions {
  bool json = false;     ///< events on stdout, messages as JSON on stderr
  bool quiet = false;    ///< no lines on stderr, messages only
  bool color = false;    ///< colours in messages
  bool terminal = false; ///< stderr is a terminal: one progress line that is written over
  /// > 0, for a program that shows progress itself: a plain line of progress on stderr each so many seconds, none in
  /// logs.
  double progressSeconds = 0;
  bool logJson = false; ///< lines and messages, on stderr and in logs, as JSON with time, task and step
};

/// Thread-safe, but for openLog and setTask, which come first.
class Reporter {
public:
  /// Seconds between plain progress lines.
  static constexpr double kLineSeconds = 10;

  explicit Reporter(ReporterOptions options) : options_(options) {}
  ~Reporter();

  /// Also writes all lines and messages to this file, appending. Errors as writeError. If writing fails later, the work
  /// goes on with a warning on stderr.
  absl::Status openLog(const std::string &path);

  /// A line of text, without its end.
  void line(std::string_view text);
  /// Keeps lines back from here on, until release writes `first` and then them.
  void hold();
  void release(std::string_view first);
  /// How far the work is: on a terminal written over the last one (at most 10 a second), else a line each 10 seconds.
  void progress(std::string_view text);
  /// Whether progress() would show something now; saves making the text.
  bool progressDue() const;
  /// An event, one JSON object: to stdout if events were asked for.
  void event(std::string_view json);
  /// A result to stdout, whatever was asked for.
  void result(std::string_view text);
  /// Whether all results reached stdout up to now; errors as writeError.
  absl::Status outputStatus() const;
  void message(const mlc::common::Message &message);
  void messages(const mlc::common::MessageList &list);

  /// Who speaks, for lines as JSON.
  void setTask(std::string task) { task_ = std::move(task); }

  bool json() const { return options_.json; }
  bool quiet() const { return options_.quiet; }

private:
  using Clock = std::chrono::steady_clock;
  void clearProgress();
  void log(std::string_view text);
  void show(const mlc::common::Message &message);
  std::string logged(const char *level, std::string_view text) const;
  std::string logged(const mlc::common::Message &message) const;

  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  ReporterOptions options_;
  std::string task_;
  mutable std::recursive_mutex mutex_;
  struct Log {
    std::string path;
    std::unique_ptr<std::FILE, Close> file;
    bool failed = false; ///< and said so
  };
  std::vector<Log> logs_;
  Clock::time_point lastShown_ = Clock::now();
  bool hasProgress_ = false;
  int outputError_ = 0; ///< of the first write to stdout that failed
  std::optional<std::vector<std::string>> held_;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_REPORTER_H
