// What a run says.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Reporter.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/train/LogText.h"

#include <cerrno>

namespace mlcrt {

RunListener::~RunListener() = default;

void RunListener::messages(const mlc::common::MessageList &list) {
  for (const mlc::common::Message &each : list.messages())
    message(each);
}

absl::Status Reporter::openLog(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "ae");
  if (!file)
    return writeError(path, "cannot write the log", errno);
  logs_.push_back({path, std::unique_ptr<std::FILE, Close>(file)});
  return absl::OkStatus();
}

void Reporter::setTask(LogTask task) {
  listener_.setTask(task);
  task_ = std::move(task);
}

void Reporter::log(std::string_view text) {
  for (Log &entry : logs_) {
    std::fwrite(text.data(), 1, text.size(), entry.file.get());
    if (std::fflush(entry.file.get()) == 0 || entry.failed)
      continue;
    entry.failed = true;
    mlc::common::Message message = messageOf(writeError(entry.path, "the log is not complete: cannot write", errno));
    message.severity = mlc::common::Severity::Warning;
    listener_.message(message);
  }
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
  listener_.line(text);
  log(logJson_ ? logLine("info", task_, text) : std::string(text) + "\n");
}

bool Reporter::progressDue() const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  const double seconds = std::chrono::duration<double>(Clock::now() - lastShown_).count();
  return seconds >= listener_.progressSeconds().value_or(kLineSeconds);
}

void Reporter::progress(std::string_view text) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (!progressDue())
    return;
  lastShown_ = Clock::now();
  if (listener_.progressSeconds())
    listener_.progress(text);
  else
    line(text);
}

void Reporter::event(std::string_view json) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  listener_.event(json);
}

void Reporter::result(std::string_view text) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  listener_.result(text);
}

absl::Status Reporter::outputStatus() const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  return listener_.resultStatus();
}

void Reporter::message(const mlc::common::Message &message) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  log(logJson_ ? logLine(task_, message) : formatMessage(message, mlc::common::MessageStyle()));
  listener_.message(message);
}

void Reporter::messages(const mlc::common::MessageList &list) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (logJson_) {
    for (const mlc::common::Message &each : list.messages())
      message(each);
    return;
  }
  log(list.format(mlc::common::MessageStyle()));
  listener_.messages(list);
}

} // namespace mlcrt
