//===- SpecTools.cpp - What mlc spec does with specs ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlc/Frontend/EstimatorSpec/SpecTools.h"
#include "lib/Frontend/EstimatorSpec/ResolvedSpec.h"
#include "lib/Frontend/EstimatorSpec/SchemaDocs.h"
#include "lib/Frontend/EstimatorSpec/SpecChanges.h"
#include "lib/Frontend/EstimatorSpec/SpecLayers.h"
#include "lib/Frontend/EstimatorSpec/SpecPrint.h"
#include "lib/Frontend/EstimatorSpec/TextReader.h"

#include <algorithm>

using namespace mlc;
using namespace mlc::frontend;

bool mlc::frontend::checkSpec(const std::string &path, const std::vector<SpecChange> &changes,
                              common::MessageList &messages) {
  std::string text;
  if (!readSpecFile(path, common::Message(), text, messages))
    return false;
  SpecDocument document(path, std::move(text));
  size_t before = messages.errorCount();
  if (loadSpec(document, {path, "", changes}, messages))
    resolveSpec(document, messages);
  messages.sort();
  return messages.errorCount() == before;
}

/// Writes out the names that globs stand for, where the first of them stands.
static void expandGlobs(SpecDocument &document, const ResolvedSpec &resolved) {
  for (const ColumnList &list : columnLists(resolved)) {
    auto &message = const_cast<ProtoMessage &>(*list.body);
    const ProtoField &field = *message.GetDescriptor()->FindFieldByName(list.field.str());
    FieldSpans spans = document.spans(message, field);
    document.forgetField(message, field);
    message.GetReflection()->ClearField(&message, &field);
    for (auto [i, column] : llvm::enumerate(list.columns)) {
      message.GetReflection()->AddString(&message, &field, resolved.columns[column].name);
      document.setSpans(message, field, static_cast<int>(i), spans);
    }
  }
}

bool mlc::frontend::showSpec(const std::string &path, const std::vector<SpecChange> &changes,
                             const ShowOptions &options, common::MessageList &messages, std::string &text) {
  std::string content;
  if (!readSpecFile(path, common::Message(), content, messages))
    return false;
  SpecDocument document(path, std::move(content));
  size_t before = messages.errorCount();
  bool sound = loadSpec(document, {path, "", changes}, messages);
  if (sound && options.resolved) {
    ResolvedSpec resolved = resolveSpec(document, messages);
    if (messages.errorCount() == before)
      expandGlobs(document, resolved);
  }
  messages.sort();
  if (!sound || messages.errorCount() > before)
    return false;
  text = printSpec(document, options);
  return true;
}

bool mlc::frontend::upgradeSpec(const std::string &file, const std::string &text, common::MessageList &messages,
                                std::string &result) {
  return upgradeSpec(file, text, messages, result, renames());
}

bool mlc::frontend::upgradeSpec(const std::string &file, const std::string &text, common::MessageList &messages,
                                std::string &result, const std::vector<Rename> &table) {
  common::MessageList found;
  SpecDocument document(file, text);
  document.setRenamed(table);
  readSpecText(document, found);
  result = text;
  if (found.hasErrors()) {
    for (const common::Message &message : found.messages())
      messages.add(message);
    messages.sort();
    return false;
  }
  // From the end, so that places stay right.
  found.sort();
  std::vector<common::Message> renamed(found.messages().rbegin(), found.messages().rend());
  for (const common::Message &message : renamed) {
    llvm::StringRef line = document.line(message.place.line);
    size_t start = line.data() - document.text().data() + message.place.column - 1;
    result.replace(start, message.place.endColumn - message.place.column, message.replacement);
  }
  return true;
}

std::vector<std::string> mlc::frontend::specPaths(const std::string &file) {
  mlc::spec::v1::Estimator none;
  std::string text;
  common::MessageList messages;
  if (file.empty() || !readSpecFile(file, common::Message(), text, messages))
    return settablePaths(none);
  SpecDocument document(file, std::move(text));
  loadSpec(document, {file, "", {}}, messages);
  return settablePaths(document.spec());
}

std::vector<std::string> mlc::frontend::specValues(const std::string &path) {
  std::vector<std::string> values;
  const ProtoField *field = fieldAt(path);
  if (field && field->cpp_type() == ProtoField::CPPTYPE_BOOL)
    return {"true", "false"};
  if (field && field->cpp_type() == ProtoField::CPPTYPE_ENUM)
    for (int i = 0; i < field->enum_type()->value_count(); ++i)
      values.push_back(field->enum_type()->value(i)->name());
  return values;
}
