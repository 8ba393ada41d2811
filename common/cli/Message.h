// Messages to the user: one form for compiler and trainer, as text and as JSON. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_MESSAGE_H
#define MLC_COMMON_MESSAGE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::common {

/// How bad it is.
enum class Severity { Error, Warning, Note };

/// "error", "warning" or "note".
std::string_view severityName(Severity severity);

/// A place in a file. Lines and columns count from 1, columns in bytes; 0 = unknown.
struct Place {
  std::string file;
  int64_t line = 0;
  int64_t column = 0;
  /// One past the last column of the text at fault; 0 = unknown.
  int64_t endColumn = 0;
  /// What stands there: "opened here". Printed for related places and after a caret.
  std::string label;
};

/// "file:line:col", as far as known; empty without a file.
std::string placeText(const Place &place);

/// One finding. Texts are lower case, without a full stop and without blame; names stand in single quotes. Empty parts
/// are not printed.
struct Message {
  Severity severity = Severity::Error;
  /// "E0101": E01.. spec, E02.. command line and settings, E03.. data, E04.. checkpoints and model_dir, E05.. run.
  std::string code;
  Place place;
  std::string what;
  /// The line of the file that `place` names, without its end; printed with a caret under it.
  std::string sourceLine;
  /// Path of the field at fault: "model.dnn.hidden_units".
  std::string field;
  std::string expected;
  /// What differs, for two things that should be alike.
  std::string differs;
  /// The nearest match, or the fix as it should be typed.
  std::string help;
  /// Text that may replace [column, endColumn), for editors; JSON only.
  std::string replacement;
  /// The other places of a conflict.
  std::vector<Place> related;
  /// How often it was found; printed if above 1.
  int64_t count = 1;
};

/// An error with code, text and, as is common, a help.
Message makeError(std::string code, std::string what, std::string help = {});

/// How messages are printed.
struct MessageStyle {
  /// ANSI colours.
  bool color = false;
  /// Details that would pass this column go to a line of their own.
  size_t width = 120;
};

/// The message as lines, each ended by '\n':
///
///     error[E0101] census.pbtxt:31:12: unknown field 'drop_out' in Dnn
///         31 |   dnn    { drop_out: 0.1
///            |            ^^^^^^^^      field: model.dnn      help: did you mean 'dropout'?
std::string formatMessage(const Message &message, const MessageStyle &style = {});

/// The message as one JSON object on one line, without '\n'. Keys: severity, code, file, line, column, end_column,
/// path, message, expected, differs, help, replacement, count, related (list of {file, line, column, end_column,
/// label}); absent parts are absent.
std::string messageToJson(const Message &message);

/// Reads what messageToJson wrote. Returns false if `json` is something else.
bool messageFromJson(std::string_view json, Message &message);

/// Collects messages, so that all errors are shown at once.
class MessageList {
public:
  void add(Message message) { messages_.push_back(std::move(message)); }
  const std::vector<Message> &messages() const { return messages_; }
  bool empty() const { return messages_.empty(); }
  /// Number of messages that are errors.
  size_t errorCount() const;
  bool hasErrors() const { return errorCount() > 0; }
  /// Sorts by file (in order of first appearance), line and column; those without a place keep their order at the end.
  void sort();
  /// All messages, sorted, at most `limit` errors, then "3 errors" if there is more than one.
  std::string format(const MessageStyle &style = {}, size_t limit = 20) const;
  /// One JSON object per line.
  std::string toJson() const;

private:
  std::vector<Message> messages_;
};

} // namespace mlc::common

#endif // MLC_COMMON_MESSAGE_H
