//===- TextReader.cpp - Reads the text of a spec into messages, with places ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/TextReader.h"
#include "common/cli/NearestMatch.h"
#include "lib/Frontend/EstimatorSpec/SchemaNames.h"
#include "lib/Frontend/EstimatorSpec/TextRepair.h"

#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>
#include <optional>

using namespace mlc;
using namespace mlc::frontend;
using google::protobuf::io::Tokenizer;

namespace {

/// A message whose closing brace has not come yet.
struct Frame {
  ProtoMessage *message;
  /// Name of its field; empty for the root.
  std::string name;
  Span opened;
  /// Column of the first text on the line where it was opened.
  int64_t indent;
};

class Reader : google::protobuf::io::ErrorCollector {
public:
  Reader(SpecDocument &document, int source, std::string text, common::MessageList &messages)
      : document_(document), source_(source), messages_(messages), text_(std::move(text)),
        stream_(text_.data(), static_cast<int>(text_.size())), tokens_(&stream_, this) {
    tokens_.set_allow_f_after_float(true);
    tokens_.set_comment_style(Tokenizer::SH_COMMENT_STYLE);
    tokens_.Next();
  }

  bool read(ProtoMessage &root) {
    frames_.push_back({&root, {}, {1, 1, 1, source_}, 0});
    readFields();
    return !broken_;
  }
  bool readValue(ProtoMessage &message, const ProtoField &field);

private:
  // Tokens.
  bool at(llvm::StringRef text) { return tokens_.current().text == text; }
  bool at(Tokenizer::TokenType type) { return tokens_.current().type == type; }
  bool atEnd() { return at(Tokenizer::TYPE_END) || messages_.errorCount() >= kMaxErrors; }
  bool accept(llvm::StringRef text);
  int64_t byteColumn(int line, int column) const;
  Span span(const Tokenizer::Token &token) const;
  Span here() { return span(tokens_.current()); }
  bool isFirstOnLine(Span place) const;
  int64_t indentOfLine(int64_t line) const;

  // Errors.
  void AddError(int line, int column, const std::string &message) override;
  common::Message makeError(std::string code, Span place, std::string what);
  void report(common::Message message);
  void reportWrongValue(const ProtoField &field);
  std::string foundText();

  // Structure.
  void readFields();
  bool readClosing();
  bool reportMissingBrace(llvm::StringRef name);
  void reportUnclosed();
  void readField();
  const ProtoField *findRenamed(llvm::StringRef name, Span place);
  void readUnknownField(llvm::StringRef name, Span nameSpan);
  void checkSetTwice(const ProtoField &field, Span name);
  void readElements(const ProtoField &field, Span name);
  bool readElement(const ProtoField &field, Span name);
  bool readMessage(const ProtoField &field, Span name);
  void skipValue();
  void skipBalanced();

  // Scalars.
  bool readScalar(ProtoMessage &message, const ProtoField &field);
  llvm::StringRef restOfLine();
  bool atLoneSign();
  std::optional<int64_t> readInteger();
  std::optional<double> readDouble();
  std::optional<bool> readBool();
  std::optional<std::string> readNumberAsText();
  std::optional<std::string> readString();
  const google::protobuf::EnumValueDescriptor *readEnum(const ProtoField &field);

  SpecDocument &document_;
  int source_;
  common::MessageList &messages_;
  std::string text_;
  google::protobuf::io::ArrayInputStream stream_;
  Tokenizer tokens_;
  llvm::SmallVector<Frame> frames_;
  /// While above: frames are left until there are this many, as a closing brace was missing.
  std::optional<size_t> unwindTo_;
  /// The first field whose indentation says that a brace before it is missing, and what stands open there.
  std::optional<std::pair<Span, Frame>> suspect_;
  bool broken_ = false;
  int64_t malformedLine_ = -1; ///< of the last error of the tokenizer
};

} // namespace

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

bool Reader::accept(llvm::StringRef text) {
  if (!at(text) || at(Tokenizer::TYPE_STRING))
    return false;
  tokens_.Next();
  return true;
}

/// Column in bytes, from 1, of a tokenizer's column, from 0, where a tab goes to the next multiple of 8.
int64_t Reader::byteColumn(int line, int column) const {
  llvm::StringRef text = document_.line(line + 1, source_);
  int64_t byte = 0, wide = 0;
  while (byte < static_cast<int64_t>(text.size()) && wide < column) {
    wide += text[byte] == '\t' ? 8 - wide % 8 : 1;
    ++byte;
  }
  return byte + (column > wide ? column - wide : 0) + 1;
}

Span Reader::span(const Tokenizer::Token &token) const {
  return {token.line + 1, byteColumn(token.line, token.column), byteColumn(token.line, token.end_column), source_};
}

int64_t Reader::indentOfLine(int64_t line) const {
  llvm::StringRef text = document_.line(line, source_);
  return text.size() - text.ltrim().size() + 1;
}

bool Reader::isFirstOnLine(Span place) const { return place.column <= indentOfLine(place.line); }

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// What the tokenizer finds: strings that do not end, escapes, characters that no text has.
void Reader::AddError(int line, int column, const std::string &message) {
  std::string what = llvm::StringRef(message).rtrim('.').str();
  if (!what.empty())
    what[0] = llvm::toLower(what[0]);
  int64_t place = byteColumn(line, column);
  common::Message error = makeError("E0104", {line + 1, place, place + 1, source_}, what);
  if (llvm::StringRef(message).contains("cross line boundaries")) {
    error.what = "a string does not end on its line";
    error.help = "close it with a quote; strings that follow each other are joined";
  } else if (llvm::StringRef(message).contains("non ascii")) {
    error.what = "a character that only a string may hold stands outside of quotes";
  }
  report(std::move(error));
  broken_ = true;
  malformedLine_ = line + 1;
}

common::Message Reader::makeError(std::string code, Span place, std::string what) {
  return document_.makeError(std::move(code), place, std::move(what));
}

void Reader::report(common::Message message) {
  if (!frames_.empty())
    document_.setDamaged(*frames_.back().message);
  // What the tokenizer takes a malformed token for is not looked at again.
  if (message.place.line == malformedLine_)
    return;
  messages_.add(std::move(message));
}

std::string Reader::foundText() {
  if (at(Tokenizer::TYPE_END))
    return "the end of the file";
  return at(Tokenizer::TYPE_STRING) ? tokens_.current().text : "'" + tokens_.current().text + "'";
}

void Reader::reportWrongValue(const ProtoField &field) {
  common::Message error = makeError("E0105", here(), "'" + field.name() + "' cannot be " + foundText());
  error.field = document_.path(*frames_.back().message, field.name());
  error.expected = expectedValue(field);
  if (field.cpp_type() == ProtoField::CPPTYPE_INT64 && at(Tokenizer::TYPE_INTEGER))
    error.expected += " of at most 64 bits";
  if (field.cpp_type() == ProtoField::CPPTYPE_ENUM && at(Tokenizer::TYPE_IDENTIFIER)) {
    std::vector<std::string> names;
    for (int i = 0; i < field.enum_type()->value_count(); ++i)
      names.push_back(field.enum_type()->value(i)->name());
    std::string upper = llvm::StringRef(tokens_.current().text).upper();
    error.help = common::didYouMean(upper, names);
  } else if (field.cpp_type() == ProtoField::CPPTYPE_STRING && at(Tokenizer::TYPE_IDENTIFIER)) {
    error.help = "\"" + tokens_.current().text + "\"";
  }
  report(std::move(error));
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

/// Reads the fields of the innermost frame up to its closing brace, and leaves the frame.
void Reader::readFields() {
  size_t depth = frames_.size();
  while (!unwindTo_) {
    if (at(Tokenizer::TYPE_END) && depth > 1)
      reportUnclosed();
    if (atEnd())
      break;
    if (at("}") || at(">")) {
      if (readClosing())
        break;
      continue;
    }
    if (!at(Tokenizer::TYPE_IDENTIFIER)) {
      bool extension = at("[");
      common::Message error = makeError("E0104", here(), "unexpected " + foundText());
      error.expected = extension ? "the name of a field; a spec has no extensions" : "the name of a field";
      report(std::move(error));
      if (!accept("]"))
        skipValue();
      if (accept(":"))
        skipValue();
      continue;
    }
    readField();
  }
  frames_.pop_back();
  if (unwindTo_ && *unwindTo_ == frames_.size())
    unwindTo_.reset();
}

/// Reads a closing brace; true if it closes the innermost frame.
bool Reader::readClosing() {
  if (frames_.size() == 1) {
    common::Message error = makeError("E0103", here(), foundText() + " closes nothing");
    error.help = "remove it, or look for a '}' too many above";
    report(std::move(error));
    broken_ = true;
    tokens_.Next();
    return false;
  }
  llvm::StringRef opening =
      document_.line(frames_.back().opened.line, source_).substr(frames_.back().opened.column - 1, 1);
  if ((opening == "<") != at(">")) {
    common::Message error = makeError("E0103", here(), foundText() + " closes '" + opening.str() + "'");
    error.related.push_back(document_.place(frames_.back().opened, "opened here"));
    report(std::move(error));
    broken_ = true;
  }
  tokens_.Next();
  return true;
}

/// Reports field `name`, the current token, if it belongs to an enclosing message and stands no deeper than what is
/// open; then frames are left down to that message.
bool Reader::reportMissingBrace(llvm::StringRef name) {
  Span place = here();
  const Frame &inner = frames_.back();
  if (frames_.size() == 1 || !isFirstOnLine(place) || place.line <= inner.opened.line || place.column > inner.indent)
    return false;
  size_t owner = frames_.size() - 1;
  while (owner > 0 && !frames_[owner - 1].message->GetDescriptor()->FindFieldByName(name.str()))
    --owner;
  if (owner == 0)
    return false;
  const Frame &open = frames_[owner];
  common::Message error =
      makeError("E0103", place,
                "'" + name.str() + "' stands inside '" + open.name + "'; a '}' seems to be missing on line " +
                    std::to_string(tokens_.previous().line + 1));
  error.related.push_back(document_.place(open.opened, "opened here"));
  std::string closing = "}";
  for (size_t i = owner + 1; i < frames_.size(); ++i)
    closing += " }";
  error.help = "close with '" + closing + "'";
  report(std::move(error));
  broken_ = true;
  unwindTo_ = owner;
  return true;
}

void Reader::reportUnclosed() {
  Frame open = suspect_ ? suspect_->second : frames_.back();
  common::Message error = makeError("E0103", suspect_ ? suspect_->first : open.opened,
                                    "'" + open.name + "' is not closed at the end of the file");
  if (suspect_) {
    error.what += "; a '}' seems to be missing before this line";
    error.related.push_back(document_.place(open.opened, "opened here"));
  }
  error.help = "close with '}'";
  report(std::move(error));
  broken_ = true;
  unwindTo_ = 0;
}

/// The field that had this name once, with a warning; null if there is none.
const ProtoField *Reader::findRenamed(llvm::StringRef name, Span place) {
  const auto &type = *frames_.back().message->GetDescriptor();
  for (const Rename &rename : document_.renamed()) {
    if (rename.message != type.name() || rename.oldName != name)
      continue;
    common::Message warning = makeError(
        "E0117", place, "'" + rename.oldName + "' is called '" + rename.newName + "' since mlc " + rename.since);
    warning.severity = common::Severity::Warning;
    warning.field = document_.path(*frames_.back().message, rename.newName);
    warning.help = "mlc spec upgrade " + document_.file(source_);
    warning.replacement = rename.newName;
    messages_.add(std::move(warning));
    return type.FindFieldByName(rename.newName);
  }
  return nullptr;
}

void Reader::readField() {
  std::string name = tokens_.current().text;
  Span nameSpan = here();
  const Frame &frame = frames_.back();
  const ProtoField *field = frame.message->GetDescriptor()->FindFieldByName(name);
  if (!field)
    field = findRenamed(name, nameSpan);
  if (!field && reportMissingBrace(name))
    return;
  if (!suspect_ && frames_.size() > 1 && isFirstOnLine(nameSpan) && nameSpan.line > frame.opened.line &&
      nameSpan.column <= frame.indent)
    suspect_ = {nameSpan, frame};
  tokens_.Next();
  bool colon = false;
  if (at("=")) {
    common::Message error = makeError("E0104", here(), "'=' stands after '" + name + "'");
    error.expected = "':'";
    error.replacement = ":";
    report(std::move(error));
    tokens_.Next();
    colon = true;
  } else {
    colon = accept(":");
  }
  if (!field) {
    readUnknownField(name, nameSpan);
  } else {
    checkSetTwice(*field, nameSpan);
    if (!colon && field->cpp_type() != ProtoField::CPPTYPE_MESSAGE && !at("{") && !at("<")) {
      common::Message error = makeError("E0104", here(), "':' is missing after '" + name + "'");
      error.expected = "':'";
      report(std::move(error));
    }
    readElements(*field, nameSpan);
  }
  if (!unwindTo_ && !accept(","))
    accept(";");
}

void Reader::readUnknownField(llvm::StringRef name, Span nameSpan) {
  const Frame &frame = frames_.back();
  const auto &type = *frame.message->GetDescriptor();
  std::string whole = frames_.size() == 1 ? "the spec" : type.name();
  common::Message error = makeError("E0101", nameSpan, "unknown field '" + name.str() + "' in " + whole);
  error.field = document_.path(*frame.message);
  error.help = unknownFieldHelp(type, name, frame.message);
  // Where it belongs it is not missing, too.
  for (const Frame &around : frames_)
    if (around.message->GetDescriptor()->FindFieldByName(name.str()))
      document_.setDamaged(*around.message);
  report(std::move(error));
  skipValue();
}

/// Reports a singular field, or a second member of a oneof, that already has a value.
void Reader::checkSetTwice(const ProtoField &field, Span name) {
  if (field.is_repeated())
    return;
  const ProtoMessage &message = *frames_.back().message;
  const ProtoField *other = &field;
  if (const auto *oneof = field.containing_oneof())
    other = message.GetReflection()->GetOneofFieldDescriptor(message, oneof);
  Span first = other ? document_.spans(message, *other).name : Span();
  if (!first)
    return;
  std::string what = other == &field ? "'" + field.name() + "' is set twice"
                                     : "'" + field.name() + "' and '" + other->name() + "' are both set";
  common::Message error = makeError("E0106", name, what);
  error.field = document_.path(message, field.name());
  error.related.push_back(document_.place(first, other == &field ? "first set here" : "'" + other->name() + "'"));
  error.expected = "one of them";
  report(std::move(error));
}

/// Reads the value of a field: one element, or a list in brackets.
void Reader::readElements(const ProtoField &field, Span name) {
  if (!at("[") || !field.is_repeated()) {
    if (!readElement(field, name) && !unwindTo_)
      skipValue();
    return;
  }
  const Span opened = here();
  tokens_.Next();
  if (accept("]")) {
    // That it was written is told by its place.
    ProtoMessage &message = *frames_.back().message;
    if (message.GetReflection()->FieldSize(message, &field) == 0 && field.cpp_type() != ProtoField::CPPTYPE_MESSAGE)
      document_.setSpans(message, field, 0, {name, opened});
    return;
  }
  while (!atEnd() && !unwindTo_) {
    if (!readElement(field, name)) {
      // The error is told; look for the next element.
      while (!atEnd() && !at(",") && !at("]") && !at("}") && !at(">"))
        skipValue();
    }
    if (unwindTo_ || accept("]"))
      return;
    if (accept(","))
      continue;
    common::Message error =
        makeError("E0103", here(), "the list of '" + field.name() + "' goes on with " + foundText());
    error.expected = "',' or ']'";
    report(std::move(error));
    if (at("}") || at(">") || (at(Tokenizer::TYPE_IDENTIFIER) && isFirstOnLine(here())))
      return;
  }
}

/// Reads one element of a field into the innermost frame. On an error reports it, returns false and stays before what
/// it could not read.
bool Reader::readElement(const ProtoField &field, Span name) {
  if (field.cpp_type() == ProtoField::CPPTYPE_MESSAGE)
    return readMessage(field, name);
  ProtoMessage &message = *frames_.back().message;
  int index = field.is_repeated() ? message.GetReflection()->FieldSize(message, &field) : 0;
  Span value = here();
  if (!readScalar(message, field))
    return false;
  Span last = span(tokens_.previous());
  value.endColumn = last.line == value.line ? last.endColumn : document_.line(value.line, source_).size() + 1;
  document_.setSpans(message, field, index, {name, value});
  return true;
}

bool Reader::readMessage(const ProtoField &field, Span name) {
  if (!at("{") && !at("<")) {
    reportWrongValue(field);
    return false;
  }
  ProtoMessage &parent = *frames_.back().message;
  const auto *reflection = parent.GetReflection();
  int index = field.is_repeated() ? reflection->FieldSize(parent, &field) : 0;
  ProtoMessage *child =
      field.is_repeated() ? reflection->AddMessage(&parent, &field) : reflection->MutableMessage(&parent, &field);
  Span opened = here();
  document_.setSpans(parent, field, index, {name, opened});
  document_.setParent(*child, parent, field, index);
  // There is mostly one head and one eval: paths need no index.
  if (field.name() == "head" || field.name() == "eval")
    document_.setElementName(*child, "");
  tokens_.Next();
  frames_.push_back({child, field.name(), opened, indentOfLine(opened.line)});
  readFields();
  return true;
}

/// Leaves out one value after an error: a block, a list, strings that are joined, or a token.
void Reader::skipValue() {
  if (at("{") || at("<") || at("[")) {
    skipBalanced();
    return;
  }
  if (at("}") || at(">") || at("]") || at(Tokenizer::TYPE_END))
    return;
  if (at(Tokenizer::TYPE_STRING)) {
    while (at(Tokenizer::TYPE_STRING))
      tokens_.Next();
    return;
  }
  const int line = tokens_.current().line;
  if (accept("-") && tokens_.current().line != line)
    return; // a sign alone
  if (!at(Tokenizer::TYPE_END))
    tokens_.Next();
}

void Reader::skipBalanced() {
  int depth = 0;
  do {
    if (at("{") || at("<") || at("["))
      ++depth;
    else if (at("}") || at(">") || at("]"))
      --depth;
    tokens_.Next();
  } while (depth > 0 && !at(Tokenizer::TYPE_END));
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

bool Reader::readScalar(ProtoMessage &message, const ProtoField &field) {
  const auto *reflection = message.GetReflection();
  bool list = field.is_repeated();
  switch (field.cpp_type()) {
  case ProtoField::CPPTYPE_INT64:
    if (auto value = readInteger()) {
      list ? reflection->AddInt64(&message, &field, *value) : reflection->SetInt64(&message, &field, *value);
      return true;
    }
    break;
  case ProtoField::CPPTYPE_DOUBLE:
    if (auto value = readDouble()) {
      list ? reflection->AddDouble(&message, &field, *value) : reflection->SetDouble(&message, &field, *value);
      return true;
    }
    break;
  case ProtoField::CPPTYPE_BOOL:
    if (auto value = readBool()) {
      list ? reflection->AddBool(&message, &field, *value) : reflection->SetBool(&message, &field, *value);
      return true;
    }
    break;
  case ProtoField::CPPTYPE_STRING:
    if (auto value = readString()) {
      list ? reflection->AddString(&message, &field, *value) : reflection->SetString(&message, &field, *value);
      return true;
    }
    break;
  case ProtoField::CPPTYPE_ENUM:
    if (const auto *value = readEnum(field)) {
      list ? reflection->AddEnum(&message, &field, value) : reflection->SetEnum(&message, &field, value);
      return true;
    }
    break;
  default:
    llvm_unreachable("the schema has no fields of other types");
  }
  reportWrongValue(field);
  return false;
}

/// What stands after the current token on its line, without blanks.
llvm::StringRef Reader::restOfLine() {
  const Tokenizer::Token &token = tokens_.current();
  const int64_t end = byteColumn(token.line, token.end_column) - 1;
  return document_.line(token.line + 1, source_).drop_front(std::max<int64_t>(end, 0)).ltrim(" \t\r");
}

/// Whether the current token is a sign without a number, which is wrong as it stands.
bool Reader::atLoneSign() {
  if (!at("-"))
    return false;
  llvm::StringRef rest = restOfLine();
  return rest.empty() || !(llvm::isAlnum(rest.front()) || rest.front() == '.');
}

std::optional<int64_t> Reader::readInteger() {
  if (atLoneSign())
    return std::nullopt;
  bool negative = accept("-");
  uint64_t magnitude = 0;
  uint64_t most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + (negative ? 1 : 0);
  if (!at(Tokenizer::TYPE_INTEGER) || !Tokenizer::ParseInteger(tokens_.current().text, most, &magnitude))
    return std::nullopt;
  tokens_.Next();
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

std::optional<double> Reader::readDouble() {
  if (atLoneSign())
    return std::nullopt;
  bool negative = accept("-");
  double value = 0;
  const std::string &text = tokens_.current().text;
  if (at(Tokenizer::TYPE_INTEGER)) {
    // Hexadecimal and octal numbers are for integers.
    if (text.size() > 1 && text[0] == '0')
      return std::nullopt;
    value = Tokenizer::ParseFloat(text);
  } else if (at(Tokenizer::TYPE_FLOAT)) {
    value = Tokenizer::ParseFloat(text);
  } else if (at(Tokenizer::TYPE_IDENTIFIER)) {
    std::string lower = llvm::StringRef(text).lower();
    if (lower == "inf" || lower == "infinity")
      value = std::numeric_limits<double>::infinity();
    else if (lower == "nan")
      value = std::numeric_limits<double>::quiet_NaN();
    else
      return std::nullopt;
  } else {
    return std::nullopt;
  }
  tokens_.Next();
  return negative ? -value : value;
}

std::optional<bool> Reader::readBool() {
  const std::string &text = tokens_.current().text;
  uint64_t number = 0;
  std::optional<bool> value;
  if (at(Tokenizer::TYPE_INTEGER) && Tokenizer::ParseInteger(text, 1, &number))
    value = number == 1;
  else if (at(Tokenizer::TYPE_IDENTIFIER) && (text == "true" || text == "True" || text == "t"))
    value = true;
  else if (at(Tokenizer::TYPE_IDENTIFIER) && (text == "false" || text == "False" || text == "f"))
    value = false;
  if (value)
    tokens_.Next();
  return value;
}

/// A number where a text belongs, as it is written: a term of a vocabulary, a default value.
std::optional<std::string> Reader::readNumberAsText() {
  const bool negative = at("-");
  if (negative) {
    // A sign alone is no number, and is still the current token then.
    llvm::StringRef rest = restOfLine();
    if (rest.empty() || !(llvm::isDigit(rest.front()) || rest.front() == '.'))
      return std::nullopt;
    tokens_.Next();
  }
  if (!at(Tokenizer::TYPE_INTEGER) && !at(Tokenizer::TYPE_FLOAT))
    return std::nullopt;
  std::string value = (negative ? "-" : "") + tokens_.current().text;
  tokens_.Next();
  return value;
}

std::optional<std::string> Reader::readString() {
  if (!at(Tokenizer::TYPE_STRING))
    return readNumberAsText();
  std::string value;
  while (at(Tokenizer::TYPE_STRING)) {
    Tokenizer::ParseStringAppend(tokens_.current().text, &value);
    tokens_.Next();
  }
  return value;
}

const google::protobuf::EnumValueDescriptor *Reader::readEnum(const ProtoField &field) {
  const google::protobuf::EnumValueDescriptor *value = nullptr;
  if (at(Tokenizer::TYPE_IDENTIFIER)) {
    value = field.enum_type()->FindValueByName(tokens_.current().text);
    if (value)
      tokens_.Next();
    return value;
  }
  // Numbers of enums are read as the text format has them; none of ours is negative.
  uint64_t number = 0;
  if (at(Tokenizer::TYPE_INTEGER) &&
      Tokenizer::ParseInteger(tokens_.current().text, std::numeric_limits<int32_t>::max(), &number))
    value = field.enum_type()->FindValueByNumber(static_cast<int>(number));
  if (value)
    tokens_.Next();
  return value;
}

/// Reads the elements of a scalar field, commas between them, up to the end of the text.
bool Reader::readValue(ProtoMessage &message, const ProtoField &field) {
  frames_.push_back({&message, field.name(), {1, 1, 1, source_}, 0});
  Span whole = {1, 1, static_cast<int64_t>(text_.size()) + 1, source_};
  bool good = true;
  while (good && !at(Tokenizer::TYPE_END)) {
    good = readElement(field, whole);
    if (good && at(","))
      tokens_.Next();
    else if (good && !at(Tokenizer::TYPE_END)) {
      reportWrongValue(field);
      good = false;
    }
    if (!field.is_repeated())
      break;
  }
  return good;
}

bool mlc::frontend::readSpecText(SpecDocument &document, common::MessageList &messages) {
  return readSourceText(document, 0, document.spec(), messages);
}

bool mlc::frontend::readSourceText(SpecDocument &document, int source, ProtoMessage &message,
                                   common::MessageList &messages) {
  std::string text = document.text(source);
  bool sound = repairText(document, source, text, messages);
  if (text.empty() && !sound)
    return false;
  return Reader(document, source, std::move(text), messages).read(message) && sound;
}

bool mlc::frontend::readValueText(SpecDocument &document, int source, ProtoMessage &message, const ProtoField &field,
                                  common::MessageList &messages) {
  return Reader(document, source, document.text(source), messages).readValue(message, field);
}
