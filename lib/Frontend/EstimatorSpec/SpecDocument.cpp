//===- SpecDocument.cpp - A spec as read: values, where they stand, their paths ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/SpecDocument.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlc;
using namespace mlc::frontend;

const std::vector<Rename> &mlc::frontend::renames() {
  // None yet. A row stays for ever.
  static const std::vector<Rename> table;
  return table;
}

SpecDocument::SpecDocument(std::string file, std::string text) { addFile(std::move(file), std::move(text), {}); }

int SpecDocument::addSource(Source added) {
  sources_.push_back(std::move(added));
  Source &source = sources_.back();
  llvm::StringRef rest = source.text;
  while (!rest.empty()) {
    auto [line, after] = rest.split('\n');
    source.lines.push_back(line.ends_with("\r") ? line.drop_back() : line);
    rest = after;
  }
  return sourceCount() - 1;
}

int SpecDocument::addFile(std::string file, std::string text, std::string directory) {
  return addSource({std::move(file), std::move(text), std::move(directory), {}, {}});
}

int SpecDocument::addArgument(std::string flag, std::string argument, std::string text) {
  return addSource({flag + " " + argument, std::move(text), {}, flag, {}});
}

std::string SpecDocument::origin(Span span) const {
  const Source &source = sources_[span.source];
  return source.flag.empty() ? source.file + ":" + std::to_string(span.line) : source.flag;
}

mlc::spec::v1::Estimator &SpecDocument::addLayer() { return layers_.emplace_back(); }

llvm::StringRef SpecDocument::line(int64_t number, int source) const {
  const auto &lines = sources_[source].lines;
  if (number < 1 || number > static_cast<int64_t>(lines.size()))
    return {};
  return lines[number - 1];
}

void SpecDocument::setSpans(const ProtoMessage &message, const ProtoField &field, int index, FieldSpans spans) {
  spans_[{&message, field.number(), index}] = spans;
}

FieldSpans SpecDocument::spans(const ProtoMessage &message, const ProtoField &field, int index) const {
  auto found = spans_.find({&message, field.number(), index});
  return found == spans_.end() ? FieldSpans() : found->second;
}

FieldSpans SpecDocument::spans(const ProtoMessage &message, llvm::StringRef field, int index) const {
  const ProtoField *descriptor = message.GetDescriptor()->FindFieldByName(field.str());
  return descriptor ? spans(message, *descriptor, index) : FieldSpans();
}

Span SpecDocument::start(const ProtoMessage &message) const {
  auto parent = parents_.find(&message);
  if (parent == parents_.end())
    return {1, 1, 1};
  return spans(*parent->second.message, *parent->second.field, parent->second.index).name;
}

void SpecDocument::setParent(const ProtoMessage &child, const ProtoMessage &parent, const ProtoField &field,
                             int index) {
  parents_[&child] = {&parent, &field, index};
}

const ProtoMessage *SpecDocument::parent(const ProtoMessage &child) const {
  auto parent = parents_.find(&child);
  return parent == parents_.end() ? nullptr : parent->second.message;
}

/// Notes for `to`, which equals `from`, what is noted for `from`.
void SpecDocument::copyNotes(const ProtoMessage &from, const ProtoMessage &to) {
  const auto *reflection = to.GetReflection();
  if (isDamaged(from))
    setDamaged(to);
  for (int i = 0; i < to.GetDescriptor()->field_count(); ++i) {
    const ProtoField &field = *to.GetDescriptor()->field(i);
    bool list = field.is_repeated();
    int count = list ? reflection->FieldSize(to, &field) : reflection->HasField(to, &field);
    if (list && count == 0 && spans(from, field).name) // written as []
      setSpans(to, field, 0, spans(from, field));
    for (int k = 0; k < count; ++k) {
      setSpans(to, field, k, spans(from, field, k));
      if (field.cpp_type() != ProtoField::CPPTYPE_MESSAGE)
        continue;
      const ProtoMessage &child =
          list ? reflection->GetRepeatedMessage(to, &field, k) : reflection->GetMessage(to, &field);
      setParent(child, to, field, k);
      copyNotes(list ? reflection->GetRepeatedMessage(from, &field, k) : reflection->GetMessage(from, &field), child);
    }
  }
}

void SpecDocument::copy(const ProtoMessage &from, ProtoMessage &to) {
  to.CopyFrom(from);
  copyNotes(from, to);
}

std::string SpecDocument::path(const ProtoMessage &message) const {
  auto parent = parents_.find(&message);
  if (parent == parents_.end())
    return {};
  std::string result = path(*parent->second.message, parent->second.field->name());
  if (!parent->second.field->is_repeated())
    return result;
  auto name = elementNames_.find(&message);
  if (name == elementNames_.end())
    return result + "[" + std::to_string(parent->second.index) + "]";
  return name->second.empty() ? result : result + "." + name->second;
}

std::string SpecDocument::path(const ProtoMessage &message, llvm::StringRef field, int index) const {
  std::string result = path(message);
  if (!result.empty())
    result += '.';
  result += field;
  if (index >= 0)
    result += "[" + std::to_string(index) + "]";
  return result;
}

void SpecDocument::forgetField(const ProtoMessage &message, const ProtoField &field) {
  auto first = spans_.lower_bound({&message, field.number(), 0});
  auto last = spans_.lower_bound({&message, field.number() + 1, 0});
  spans_.erase(first, last);
  if (field.cpp_type() != ProtoField::CPPTYPE_MESSAGE)
    return;
  const auto *reflection = message.GetReflection();
  if (!field.is_repeated()) {
    if (reflection->HasField(message, &field))
      forget(reflection->GetMessage(message, &field));
    return;
  }
  for (int i = 0; i < reflection->FieldSize(message, &field); ++i)
    forget(reflection->GetRepeatedMessage(message, &field, i));
}

void SpecDocument::forget(const ProtoMessage &message) {
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i)
    forgetField(message, *message.GetDescriptor()->field(i));
  parents_.erase(&message);
  elementNames_.erase(&message);
  damaged_.erase(&message);
}

common::Place SpecDocument::place(Span span, std::string label) const {
  const Source &source = sources_[span.source];
  if (!source.flag.empty())
    return {source.file, 0, 0, 0, std::move(label)};
  return {source.file, span.line, span.column, span.endColumn, std::move(label)};
}

common::Message SpecDocument::makeError(std::string code, Span span, std::string what) const {
  common::Message message = common::makeError(std::move(code), std::move(what));
  message.place = place(span);
  if (message.place.line > 0)
    message.sourceLine = line(span.line, span.source).str();
  return message;
}

std::string mlc::frontend::orList(llvm::ArrayRef<std::string> names) {
  std::string result;
  for (auto [i, name] : llvm::enumerate(names)) {
    if (i > 0)
      result += i + 1 == names.size() ? " or " : ", ";
    result += "'" + name + "'";
  }
  return result;
}
