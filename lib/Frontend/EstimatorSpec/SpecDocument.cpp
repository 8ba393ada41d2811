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

SpecDocument::SpecDocument(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  llvm::StringRef rest = text_;
  while (!rest.empty()) {
    auto [line, after] = rest.split('\n');
    lines_.push_back(line.ends_with("\r") ? line.drop_back() : line);
    rest = after;
  }
}

llvm::StringRef SpecDocument::line(int64_t number) const {
  if (number < 1 || number > static_cast<int64_t>(lines_.size()))
    return {};
  return lines_[number - 1];
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

common::Place SpecDocument::place(Span span, std::string label) const {
  return {file_, span.line, span.column, span.endColumn, std::move(label)};
}

common::Message SpecDocument::makeError(std::string code, Span span, std::string what) const {
  common::Message message = common::makeError(std::move(code), std::move(what));
  message.place = place(span);
  message.sourceLine = line(span.line).str();
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
