// The summary line of mlc launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ClusterProgress.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlc;
using llvm::StringRef;

void ClusterProgress::atStep(int64_t step, double now) {
  if (step_ && now > stepTime_)
    stepsPerSecond_ = (step - *step_) / (now - stepTime_);
  step_ = step;
  stepTime_ = now;
}

bool ClusterProgress::readLine(StringRef line, double now) {
  std::string message;
  if (line.starts_with("{")) { // --log_format json
    auto value = llvm::json::parse(line);
    if (!value)
      return llvm::consumeError(value.takeError()), false;
    if (const llvm::json::Object *object = value->getAsObject())
      message = object->getString("message").value_or("").str();
    line = message;
  }
  StringRef rest = line;
  int64_t step = 0;
  if (!rest.consume_front("step ") || rest.consumeInteger(10, step) || !rest.starts_with("/"))
    return false;
  atStep(step, now);
  told_ = line.str();
  return true;
}

/// "12.3 k examples/s", "2.50 MB/s".
static std::string shortNumber(double number, StringRef unit) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  const char *const prefixes[] = {"", "k", "M", "G"};
  size_t i = 0;
  for (; number >= 1000 && i < 3; ++i)
    number /= 1000;
  stream << llvm::format(number < 10 ? "%.2f " : number < 100 ? "%.1f " : "%.0f ", number) << prefixes[i];
  return text + (i > 0 && unit != "B/s" ? " " : "") + unit.str();
}

void ClusterProgress::readEvent(StringRef line, double now) {
  if (!line.starts_with("{"))
    return;
  auto value = llvm::json::parse(line);
  if (!value)
    return llvm::consumeError(value.takeError());
  const llvm::json::Object *event = value->getAsObject();
  if (!event || event->getString("event") != StringRef("step") || !event->getInteger("step"))
    return;
  atStep(*event->getInteger("step"), now);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "step " << *step_;
  if (auto loss = event->getNumber("loss"))
    stream << llvm::format("  loss %g", *loss);
  if (auto examples = event->getNumber("examples_per_sec"))
    stream << "  " << shortNumber(*examples, "examples/s");
  if (auto bytes = event->getNumber("bytes_per_sec"))
    stream << "  " << shortNumber(*bytes, "B/s");
  if (auto staleness = event->getNumber("staleness"))
    stream << llvm::format("  staleness %g", *staleness);
  told_ = std::move(text);
}

std::string ClusterProgress::text(double now, size_t runningTasks) const {
  std::string text = told_;
  llvm::raw_string_ostream stream(text);
  if (stepsPerSecond_ > 0)
    stream << "  " << shortNumber(stepsPerSecond_, "steps/s");
  const auto seconds = static_cast<int64_t>(now);
  stream << (told_.empty() ? "" : "  ") << runningTasks << (runningTasks == 1 ? " task  " : " tasks  ") << seconds / 60
         << llvm::format(":%02d", static_cast<int>(seconds % 60));
  return text;
}
