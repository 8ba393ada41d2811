// Output of a trainer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/trainer/Console.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/train/LogText.h"

#include <cerrno>
#include <cstdio>

namespace mlcrt {

static void put(std::FILE *file, std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); }

void Console::clearProgress() {
  if (hasProgress_)
    put(stderr, "\r\033[K");
  hasProgress_ = false;
}

std::string Console::lineText(std::string_view text) const {
  return options_.logJson ? logLine("info", task_, text) : std::string(text) + "\n";
}

void Console::line(std::string_view text) {
  if (options_.quiet)
    return;
  clearProgress();
  put(stderr, lineText(text));
}

void Console::message(const mlc::common::Message &message) {
  clearProgress();
  if (options_.logJson)
    return put(stderr, logLine(task_, message));
  mlc::common::MessageStyle style;
  style.color = options_.color;
  put(stderr, options_.json ? messageToJson(message) + "\n" : formatMessage(message, style));
}

void Console::messages(const mlc::common::MessageList &list) {
  clearProgress();
  mlc::common::MessageStyle style;
  style.color = options_.color;
  put(stderr, options_.json ? list.toJson() : list.format(style));
}

std::optional<double> Console::progressSeconds() const {
  if (options_.quiet)
    return std::nullopt;
  if (options_.progressSeconds > 0)
    return options_.progressSeconds;
  return options_.terminal ? std::optional<double>(0.1) : std::nullopt;
}

void Console::progress(std::string_view text) {
  if (options_.progressSeconds > 0)
    return put(stderr, lineText(text));
  clearProgress();
  put(stderr, text);
  std::fflush(stderr);
  hasProgress_ = true;
}

void Console::event(std::string_view json) {
  if (options_.json)
    result(std::string(json) + "\n");
}

void Console::result(std::string_view text) {
  clearProgress();
  bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  written = std::fflush(stdout) == 0 && written;
  if (!written && outputError_ == 0)
    outputError_ = errno;
}

absl::Status Console::resultStatus() const {
  return outputError_ == 0 ? absl::OkStatus() : writeError("standard output", "cannot write", outputError_);
}

} // namespace mlcrt
