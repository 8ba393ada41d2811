// Printing, sorting and JSON form of messages.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/Message.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace mlc::common {

using Json = nlohmann::ordered_json;

static constexpr std::string_view kIndent = "    ";
static constexpr std::string_view kGap = "      ";
/// Bytes of a source line that are shown.
static constexpr size_t kSourceWidth = 160;

std::string_view severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Note:
    return "note";
  }
  return "error";
}

std::string placeText(const Place &place) {
  std::string text = place.file;
  if (text.empty() || place.line <= 0)
    return text;
  text += ":" + std::to_string(place.line);
  if (place.column > 0)
    text += ":" + std::to_string(place.column);
  return text;
}

Message makeError(std::string code, std::string what, std::string help) {
  Message message;
  message.code = std::move(code);
  message.what = std::move(what);
  message.help = std::move(help);
  return message;
}

/// Blanks as wide as `text`: tabs stay tabs, a character of several bytes is one blank.
static std::string blanksFor(std::string_view text) {
  std::string blanks;
  for (unsigned char c : text)
    if ((c & 0xC0) != 0x80)
      blanks += c == '\t' ? '\t' : ' ';
  return blanks;
}

/// Characters of UTF-8 text.
static size_t characterCount(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; });
}

static std::string paint(std::string_view text, const char *ansi, bool color) {
  return color ? std::string(ansi) + std::string(text) + "\033[0m" : std::string(text);
}

namespace {
/// A line, or what is shown of it, with the part [start, end) at fault.
struct Excerpt {
  std::string text;
  size_t start, end;
};
} // namespace

/// Moves `at` to the begin of a character of UTF-8.
static size_t characterBegin(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
    --at;
  return at;
}

/// Of a line longer than `width` bytes what is around [start, end), with "..." where it was cut.
static Excerpt cutLine(std::string_view line, size_t start, size_t end, size_t width) {
  static constexpr std::string_view kCut = "...";
  if (line.size() <= width)
    return {std::string(line), start, end};
  // A third of it before the place.
  size_t from = characterBegin(line, start > width / 3 ? start - width / 3 : 0);
  size_t to = characterBegin(line, std::min(line.size(), from + width));
  if (to == line.size())
    from = characterBegin(line, line.size() - width);
  std::string text(line.substr(from, to - from));
  size_t shift = 0;
  if (from > 0) {
    text.insert(0, kCut);
    shift = kCut.size();
  }
  if (to < line.size())
    text += kCut;
  return {std::move(text), start - from + shift, std::min(end, to) - from + shift};
}

/// The line at fault and the start of the line with the caret; empty without a source line.
static std::string formatSource(const Message &message, std::string &caretLine) {
  if (message.sourceLine.empty() || message.place.line <= 0)
    return {};
  std::string number = std::to_string(message.place.line);
  std::string margin(std::max<size_t>(number.size(), 6) - number.size(), ' ');
  const std::string_view whole = message.sourceLine;
  const bool hasColumn = message.place.column > 0;
  size_t start = hasColumn ? std::min<size_t>(message.place.column - 1, whole.size()) : 0;
  size_t end = message.place.endColumn > message.place.column ? message.place.endColumn - 1 : start + 1;
  end = std::min(std::max(end, start), whole.size());
  const Excerpt excerpt = cutLine(whole, start, end, kSourceWidth);
  std::string text = margin + number + " | " + excerpt.text + "\n";
  caretLine = std::string(margin.size() + number.size(), ' ') + " | ";
  if (!hasColumn)
    return text;
  const std::string_view line = excerpt.text;
  start = excerpt.start;
  end = excerpt.end;
  size_t marks = std::max<size_t>(1, characterCount(line.substr(start, end - start)));
  caretLine += blanksFor(line.substr(0, start)) + std::string(marks, '^');
  if (!message.place.label.empty())
    caretLine += " " + message.place.label;
  return text;
}

std::string formatMessage(const Message &message, const MessageStyle &style) {
  const char *ansi = message.severity == Severity::Error     ? "\033[1;31m"
                     : message.severity == Severity::Warning ? "\033[1;35m"
                                                             : "\033[1;36m";
  std::string head(severityName(message.severity));
  if (!message.code.empty())
    head += "[" + message.code + "]";
  std::string text = paint(head, ansi, style.color);
  std::string place = placeText(message.place);
  text += place.empty() ? ": " : " " + place + ": ";
  text += message.what + "\n";

  std::vector<std::string> details;
  auto detail = [&](const char *name, const std::string &value) {
    if (!value.empty())
      details.push_back(std::string(name) + ": " + value);
  };
  detail("field", message.field);
  detail("expected", message.expected);
  detail("differs", message.differs);
  detail("help", message.help);
  if (message.count > 1)
    details.push_back("(found " + std::to_string(message.count) + " times)");

  std::string line;
  text += formatSource(message, line);
  bool lineHasText = !line.empty();
  for (const std::string &part : details) {
    if (lineHasText && line.size() + kGap.size() + part.size() > style.width) {
      text += line + "\n";
      line.clear();
      lineHasText = false;
    }
    line += (lineHasText ? std::string(kGap) : std::string(kIndent)) + part;
    lineHasText = true;
  }
  if (lineHasText)
    text += line + "\n";
  for (const Place &other : message.related)
    text += std::string(kIndent) + "note: " + placeText(other) + (other.label.empty() ? "" : ": " + other.label) + "\n";
  return text;
}

static void putPlace(Json &object, const Place &place) {
  if (!place.file.empty())
    object["file"] = place.file;
  if (place.line > 0)
    object["line"] = place.line;
  if (place.column > 0)
    object["column"] = place.column;
  if (place.endColumn > 0)
    object["end_column"] = place.endColumn;
}

std::string messageToJson(const Message &message) {
  Json object;
  object["severity"] = std::string(severityName(message.severity));
  auto put = [&](const char *key, const std::string &value) {
    if (!value.empty())
      object[key] = value;
  };
  put("code", message.code);
  putPlace(object, message.place);
  put("path", message.field);
  put("message", message.what);
  put("expected", message.expected);
  put("differs", message.differs);
  put("help", message.help);
  put("replacement", message.replacement);
  if (message.count > 1)
    object["count"] = message.count;
  for (const Place &place : message.related) {
    Json other = Json::object();
    putPlace(other, place);
    if (!place.label.empty())
      other["label"] = place.label;
    object["related"].push_back(other);
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

static std::string getText(const Json &object, const char *key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

static int64_t getCount(const Json &object, const char *key, int64_t absent) {
  auto it = object.find(key);
  return it != object.end() && it->is_number_integer() ? it->get<int64_t>() : absent;
}

static Place getPlace(const Json &object) {
  Place place;
  place.file = getText(object, "file");
  place.line = getCount(object, "line", 0);
  place.column = getCount(object, "column", 0);
  place.endColumn = getCount(object, "end_column", 0);
  place.label = getText(object, "label");
  return place;
}

bool messageFromJson(std::string_view json, Message &message) {
  Json object = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return false;
  std::string severity = getText(object, "severity");
  message = Message();
  if (severity == "warning")
    message.severity = Severity::Warning;
  else if (severity == "note")
    message.severity = Severity::Note;
  else if (severity != "error")
    return false;
  message.code = getText(object, "code");
  message.place = getPlace(object);
  message.field = getText(object, "path");
  message.what = getText(object, "message");
  message.expected = getText(object, "expected");
  message.differs = getText(object, "differs");
  message.help = getText(object, "help");
  message.replacement = getText(object, "replacement");
  message.count = getCount(object, "count", 1);
  if (auto related = object.find("related"); related != object.end() && related->is_array())
    for (const Json &other : *related)
      if (other.is_object())
        message.related.push_back(getPlace(other));
  return true;
}

size_t MessageList::errorCount() const {
  return std::count_if(messages_.begin(), messages_.end(),
                       [](const Message &message) { return message.severity == Severity::Error; });
}

void MessageList::sort() {
  std::map<std::string, size_t> fileOrder;
  for (const Message &message : messages_)
    if (!message.place.file.empty())
      fileOrder.emplace(message.place.file, fileOrder.size());
  // The index as last key keeps the order of equals (std::stable_sort uses a deprecated buffer in this library).
  std::vector<std::tuple<size_t, int64_t, int64_t, size_t>> keys;
  for (size_t i = 0; i < messages_.size(); ++i) {
    const Place &place = messages_[i].place;
    size_t file = place.file.empty() ? fileOrder.size() : fileOrder[place.file];
    keys.emplace_back(file, place.line, place.column, i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<Message> sorted;
  for (const auto &key : keys)
    sorted.push_back(std::move(messages_[std::get<3>(key)]));
  messages_ = std::move(sorted);
}

std::string MessageList::format(const MessageStyle &style, size_t limit) const {
  MessageList sorted = *this;
  sorted.sort();
  std::string text;
  size_t shown = 0, errors = errorCount();
  for (const Message &message : sorted.messages_) {
    if (message.severity == Severity::Error && ++shown > limit)
      continue;
    text += formatMessage(message, style);
  }
  if (errors > limit)
    text += std::to_string(errors) + " errors, the first " + std::to_string(limit) + " shown\n";
  else if (errors > 1)
    text += std::to_string(errors) + " errors\n";
  return text;
}

std::string MessageList::toJson() const {
  MessageList sorted = *this;
  sorted.sort();
  std::string text;
  for (const Message &message : sorted.messages_)
    text += messageToJson(message) + "\n";
  return text;
}

} // namespace mlc::common
