// Lines of logs as JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/LogText.h"

#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/RunObservation.h"

#include <chrono>
#include <cstdio>
#include <ctime>

namespace mlcrt {

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

static JsonObject logObject(const char *level, const LogTask &task) {
  JsonObject object;
  object.text("time", timeText()).text("level", level);
  if (!task.name.empty())
    object.text("task", task.name).integer("step", task.run ? task.run->metrics().globalStep.value() : 0);
  return object;
}

std::string logLine(const char *level, const LogTask &task, std::string_view text) {
  return logObject(level, task).text("message", text).str() + "\n";
}

std::string logLine(const LogTask &task, const mlc::common::Message &message) {
  const char *level = message.severity == mlc::common::Severity::Error     ? "error"
                      : message.severity == mlc::common::Severity::Warning ? "warning"
                                                                           : "info";
  JsonObject object = logObject(level, task);
  if (!message.code.empty())
    object.text("code", message.code);
  return object.text("message", message.what).raw("details", messageToJson(message)).str() + "\n";
}

} // namespace mlcrt
