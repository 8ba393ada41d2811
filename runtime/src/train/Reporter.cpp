// Output of a trainer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Reporter.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/TaskMetrics.h"

#include <cerrno>
#include <ctime>

namespace mlcrt {

static void put(std::FILE *file, std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); }

Reporter::~Reporter() { clearProgress(); }

absl::Status Reporter::openLog(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "ae");
  if (!file)
    return writeError(path, "cannot write the log", errno);
  logs_.push_back({path, std::unique_ptr<std::FILE, Close>(file)});
  return absl::OkStatus();
}

void Reporter::clearProgress() {
  if (hasProgress_)
    put(stderr, "\r\033[K");
  hasProgress_ = false;
}

void Reporter::log(std::string_view text) {
  for (Log &entry : logs_) {
    put(entry.file.get(), text);
    if (std::fflush(entry.file.get()) == 0 || entry.failed)
      continue;
    entry.failed = true;
    mlc::common::Message message = messageOf(writeError(entry.path, "the log is not complete: cannot write", errno));
    message.severity = mlc::common::Severity::Warning;
    show(message);
  }
}

/// "2026-01-31T23:59:59.123Z".
static std::string timeText() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  char date[32], text[40];
  std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text, sizeof(text), "%s.%03dZ", date, static_cast<int>(millis));
  return text;
}

static JsonObject logObject(const char *level, const std::string &task) {
  JsonObject object;
  object.text("time", timeText()).text("level", level);
  if (!task.empty())
    object.text("task", task).integer("step", taskMetrics().globalStep.value());
  return object;
}

std::string Reporter::logged(const char *level, std::string_view text) const {
  return logObject(level, task_).text("message", text).str() + "\n";
}

std::string Reporter::logged(const mlc::common::Message &message) const {
  const char *level = message.severity == mlc::common::Severity::Error     ? "error"
                      : message.severity == mlc::common::Severity::Warning ? "warning"
                                                                           : "info";
  JsonObject object = logObject(level, task_);
  if (!message.code.empty())
    object.text("code", message.code);
  // What the message has beside its text is there, too.
  return object.text("message", message.what).raw("details", messageToJson(message)).str() + "\n";
}

void Reporter::show(const mlc::common::Message &message) {
  clearProgress();
  if (options_.logJson)
    return put(stderr, logged(message));
  mlc::common::MessageStyle style;
  style.color = options_.color;
  put(stderr, options_.json ? messageToJson(message) + "\n" : formatMessage(message, style));
}

void Reporter::hold() {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  held_.emplace();
}

void Reporter::release(std::string_view first) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  std::vector<std::string> lines = std::move(held_).value_or(std::vector<std::string>());
  held_.reset();
  line(first);
  for (const std::string &text : lines)
    line(text);
}

void Reporter::line(std::string_view text) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (held_) {
    held_->emplace_back(text);
    return;
  }
  std::string whole = options_.logJson ? logged("info", text) : std::string(text) + "\n";
  if (!options_.quiet) {
    clearProgress();
    put(stderr, whole);
  }
  log(whole);
}

bool Reporter::progressDue() const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  double seconds = std::chrono::duration<double>(Clock::now() - lastShown_).count();
  if (options_.quiet)
    return seconds >= kLineSeconds;
  return seconds >= (options_.progressSeconds > 0 ? options_.progressSeconds : options_.terminal ? 0.1 : kLineSeconds);
}

void Reporter::progress(std::string_view text) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (!progressDue())
    return;
  lastShown_ = Clock::now();
  if (options_.progressSeconds > 0 && !options_.quiet) {
    put(stderr, options_.logJson ? logged("info", text) : std::string(text) + "\n");
  } else if (options_.terminal && !options_.quiet) {
    clearProgress();
    put(stderr, text);
    std::fflush(stderr);
    hasProgress_ = true;
  } else {
    line(text);
  }
}

void Reporter::event(std::string_view json) {
  if (options_.json)
    result(std::string(json) + "\n");
}

void Reporter::result(std::string_view text) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  clearProgress();
  bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  written = std::fflush(stdout) == 0 && written;
  if (!written && outputError_ == 0)
    outputError_ = errno;
}

absl::Status Reporter::outputStatus() const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  return outputError_ == 0 ? absl::OkStatus() : writeError("standard output", "cannot write", outputError_);
}

void Reporter::message(const mlc::common::Message &message) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  log(options_.logJson ? logged(message) : formatMessage(message, mlc::common::MessageStyle()));
  show(message);
}

void Reporter::messages(const mlc::common::MessageList &list) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  clearProgress();
  if (options_.logJson) {
    for (const mlc::common::Message &each : list.messages())
      message(each);
    return;
  }
  mlc::common::MessageStyle style;
  log(list.format(style));
  style.color = options_.color;
  put(stderr, options_.json ? list.toJson() : list.format(style));
}

} // namespace mlcrt
