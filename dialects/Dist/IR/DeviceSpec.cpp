// Reading, printing and merging of device specs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/IR/DeviceSpec.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlc::dist;
using llvm::StringRef;

namespace {

/// Reads one spec from left to right. The first error stays.
class Reader {
public:
  explicit Reader(StringRef text) : text(text) {}

  llvm::Expected<DeviceSpec> read() {
    while (error.empty() && position < text.size())
      readPart();
    if (!error.empty())
      return llvm::createStringError(llvm::inconvertibleErrorCode(), error);
    return std::move(spec);
  }

private:
  StringRef rest() const { return text.drop_front(position); }

  void fail(size_t at, const llvm::Twine &expected) {
    if (!error.empty())
      return;
    // Up to what ends a word.
    StringRef word = text.drop_front(at);
    word = word.take_front(std::max<size_t>(1, word.find_first_of("/:")));
    error = ("device spec '" + text + "', character " + llvm::Twine(at + 1) + ": expected " + expected + "; found " +
             (word.empty() ? llvm::Twine("the end") : "'" + word + "'"))
                .str();
  }

  StringRef takeWhile(bool (*holds)(char)) {
    StringRef taken = rest().take_while(holds);
    position += taken.size();
    return taken;
  }

  /// A word of letters, digits and underscores that begins with a letter; nothing for `*`.
  std::optional<std::string> readName(StringRef what) {
    if (rest().starts_with("*"))
      return ++position, std::nullopt;
    size_t begin = position;
    StringRef name = takeWhile([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name.empty() || !llvm::isAlpha(name.front()))
      fail(begin, what + " (a letter, then letters, digits and '_') or '*'");
    return name.str();
  }

  std::optional<int64_t> readNumber(StringRef what) {
    if (rest().starts_with("*"))
      return ++position, std::nullopt;
    size_t begin = position;
    int64_t number = 0;
    StringRef digits = takeWhile([](char c) { return llvm::isDigit(c); });
    if (digits.empty() || digits.getAsInteger(10, number))
      fail(begin, what + " (a number below 2^63) or '*'");
    return number;
  }

  /// A part that was there before may not come again.
  void once(bool &seen, size_t begin, StringRef part) {
    if (seen)
      fail(begin, llvm::Twine("no second ") + part);
    seen = true;
  }

  void readPart() {
    if (!rest().starts_with("/"))
      return fail(position, "'/'");
    size_t begin = ++position;
    auto startsWith = [&](StringRef key) {
      if (!rest().starts_with(key))
        return false;
      position += key.size();
      return true;
    };
    if (startsWith("job:")) {
      once(hasJob, begin, "job");
      spec.job = readName("the job's name");
    } else if (startsWith("task:")) {
      once(hasTask, begin, "task");
      spec.task = readNumber("the task");
    } else if (startsWith("device:")) {
      once(hasDevice, begin, "device");
      spec.type = readName("the device's type");
      if (spec.type)
        spec.type = StringRef(*spec.type).upper();
      if (error.empty() && startsWith(":"))
        spec.index = readNumber("the device's number");
    } else if (startsWith("cpu:") || startsWith("gpu:")) {
      once(hasDevice, begin, "device");
      spec.type = text.substr(begin, 3).upper();
      spec.index = readNumber("the device's number");
    } else {
      fail(begin, "job:, task:, device:, cpu: or gpu:");
    }
    if (error.empty() && position < text.size() && text[position] != '/')
      fail(position, "'/' or the end");
  }

  StringRef text;
  size_t position = 0;
  std::string error;
  bool hasJob = false, hasTask = false, hasDevice = false;
  DeviceSpec spec;
};

} // namespace

llvm::Expected<DeviceSpec> DeviceSpec::parse(StringRef text) { return Reader(text).read(); }

std::string DeviceSpec::str() const {
  std::string text;
  if (job)
    text += "/job:" + *job;
  if (task)
    text += "/task:" + std::to_string(*task);
  if (type || index)
    text += "/device:" + type.value_or("*");
  if (index)
    text += ":" + std::to_string(*index);
  return text;
}

template <typename T>
static const std::optional<T> &firstOf(const std::optional<T> &inner, const std::optional<T> &outer) {
  return inner ? inner : outer;
}

DeviceSpec DeviceSpec::within(const DeviceSpec &outer) const {
  return {firstOf(job, outer.job), firstOf(task, outer.task), firstOf(type, outer.type), firstOf(index, outer.index)};
}

template <typename T> static bool agrees(const std::optional<T> &part, const std::optional<T> &found) {
  return !part || part == found;
}

bool DeviceSpec::matches(const DeviceSpec &device) const {
  return agrees(job, device.job) && agrees(task, device.task) && agrees(type, device.type) &&
         agrees(index, device.index);
}
