// Output of a trainer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Reporter.h"

#include "runtime/src/checkpoint/StatusMessage.h"

#include <cerrno>

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

void Reporter::show(const mlc::common::Message &message) {
  clearProgress();
  mlc::common::MessageStyle style;
  style.color = options_.color;
  put(stderr, options_.json ? messageToJson(message) + "\n" : formatMessage(message, style));
}

void Reporter::release(std::string_view first) {
  std::vector<std::string> lines = std::move(held_).value_or(std::vector<std::string>());
  held_.reset();
  line(first);
  for (const std::string &text : lines)
    line(text);
}

void Reporter::line(std::string_view text) {
  if (held_) {
    held_->emplace_back(text);
    return;
  }
  std::string whole = std::string(text) + "\n";
  if (!options_.quiet) {
    clearProgress();
    put(stderr, whole);
  }
  log(whole);
}

bool Reporter::progressDue() const {
  double seconds = std::chrono::duration<double>(Clock::now() - lastShown_).count();
  return seconds >= (options_.terminal && !options_.quiet ? 0.1 : kLineSeconds);
}

void Reporter::progress(std::string_view text) {
  if (!progressDue())
    return;
  lastShown_ = Clock::now();
  if (options_.terminal && !options_.quiet) {
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
  clearProgress();
  bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  written = std::fflush(stdout) == 0 && written;
  if (!written && outputError_ == 0)
    outputError_ = errno;
}

absl::Status Reporter::outputStatus() const {
  return outputError_ == 0 ? absl::OkStatus() : writeError("standard output", "cannot write", outputError_);
}

void Reporter::message(const mlc::common::Message &message) {
  log(formatMessage(message, mlc::common::MessageStyle()));
  show(message);
}

void Reporter::messages(const mlc::common::MessageList &list) {
  clearProgress();
  mlc::common::MessageStyle style;
  log(list.format(style));
  style.color = options_.color;
  put(stderr, options_.json ? list.toJson() : list.format(style));
}

} // namespace mlcrt
