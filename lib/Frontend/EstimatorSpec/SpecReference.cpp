//===- SpecReference.cpp - The schema explained: field, page, JSON Schema ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "common/cli/ErrorCodes.h"
#include "common/cli/NearestMatch.h"
#include "lib/Frontend/EstimatorSpec/Rules.h"
#include "lib/Frontend/EstimatorSpec/SchemaDocs.h"
#include "mlc/Frontend/EstimatorSpec/SpecTools.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlc;
using namespace mlc::frontend;
using google::protobuf::Descriptor;

/// All messages of the schema, each after the first that has a field of it.
static std::vector<const Descriptor *> messagesOfSchema() {
  llvm::SetVector<const Descriptor *> found;
  found.insert(mlc::spec::v1::Estimator::descriptor());
  for (size_t i = 0; i < found.size(); ++i)
    for (int k = 0; k < found[i]->field_count(); ++k)
      if (const Descriptor *type = found[i]->field(k)->message_type(); type && !type->options().map_entry())
        found.insert(type);
  return std::vector<const Descriptor *>(found.begin(), found.end());
}

/// The name without the package: "Dnn", "Initializer.Constant".
static std::string messageName(const Descriptor &type) {
  return llvm::StringRef(type.full_name()).drop_front(type.file()->package().size() + 1).str();
}

/// The field's comment, or that of the message it holds.
static std::string fieldDoc(const ProtoField &field) {
  std::string text = docOf(field);
  return text.empty() && field.message_type() && !field.is_map() ? docOf(*field.message_type()) : text;
}

static std::string stageText(const ProtoField &field) {
  return ruleOf(field).stage() == Rule::START ? "start" : "compile";
}

static std::string wrapped(llvm::StringRef text, const std::string &indent) {
  std::string result = indent;
  size_t column = indent.size();
  constexpr size_t kWidth = 100;
  while (!text.empty()) {
    auto [word, rest] = text.split(' ');
    if (column > indent.size() && column + word.size() > kWidth) {
      result += "\n" + indent;
      column = indent.size();
    }
    result += (column > indent.size() ? " " : "") + word.str();
    column += word.size() + 1;
    text = rest;
  }
  return result + "\n";
}

static std::string fieldLine(const ProtoField &field) {
  std::string name = field.name();
  name.resize(std::max<size_t>(name.size() + 2, 28), ' ');
  return "  " + name + fieldDoc(field) + "\n";
}

/// A message: its comment and fields.
static std::string explainMessage(const Descriptor &type) {
  std::string text = messageName(type) + "\n";
  if (std::string doc = docOf(type); !doc.empty())
    text += wrapped(doc, "  ");
  text += "fields:\n";
  for (int i = 0; i < type.field_count(); ++i)
    text += fieldLine(*type.field(i));
  return text;
}

static std::string explainField(const std::string &path, const ProtoField &field) {
  std::string text = path + "\n" + wrapped(fieldDoc(field), "  ");
  auto add = [&](const char *name, const std::string &value) {
    if (!value.empty())
      text += "  " + (std::string(name) + ":          ").substr(0, 10) + value + "\n";
  };
  const Rule &rule = ruleOf(field);
  add("type", typeText(field));
  add("range", rangeText(field));
  add("needed", rule.required() ? "yes" : "");
  add("default", defaultText(field));
  if (field.cpp_type() != ProtoField::CPPTYPE_MESSAGE)
    add("stage", rule.stage() == Rule::START ? "start: --set of train, evaluate and predict needs no compilation"
                                             : "compile: a change makes another trainer");
  add("since", rule.since());
  add("example", exampleText(field));
  if (field.enum_type())
    for (int i = 0; i < field.enum_type()->value_count(); ++i)
      if (std::string doc = docOf(*field.enum_type()->value(i)); !doc.empty())
        text += "  " + field.enum_type()->value(i)->name() + ": " + doc + "\n";
  if (field.message_type() && !field.is_map()) {
    text += "  fields:\n";
    for (int i = 0; i < field.message_type()->field_count(); ++i)
      text += "  " + fieldLine(*field.message_type()->field(i));
  }
  return text;
}

bool mlc::frontend::explain(const std::string &subject, common::MessageList &messages, std::string &text) {
  llvm::StringRef code = subject;
  code.consume_front("mlc::");
  std::vector<std::string> known;
  for (const common::ErrorCode &each : common::errorCodes()) {
    known.emplace_back(each.code);
    if (code == llvm::StringRef(each.code)) {
      text = each.code;
      text += ": " + std::string(each.title) + "\n" + wrapped(llvm::StringRef(each.text), "  ");
      return true;
    }
  }
  if (const ProtoField *field = fieldAt(subject)) {
    text = explainField(subject, *field);
    return true;
  }
  for (const Descriptor *type : messagesOfSchema()) {
    known.push_back(messageName(*type));
    if (messageName(*type) == subject) {
      text = explainMessage(*type);
      return true;
    }
  }
  common::Message error = common::makeError("E0211", "unknown path '" + subject + "'");
  std::vector<std::string> paths = schemaPaths(), tails;
  for (const std::string &path : paths)
    if (llvm::StringRef(path).ends_with("." + subject))
      tails.push_back(path);
  constexpr size_t kMost = 8;
  size_t more = tails.size() > kMost ? tails.size() - kMost : 0;
  tails.resize(tails.size() - more);
  if (!tails.empty())
    error.help = "full paths: " + llvm::join(tails, ", ") + (more ? " and " + std::to_string(more) + " more" : "");
  known.insert(known.end(), paths.begin(), paths.end());
  if (error.help.empty())
    error.help = common::didYouMean(subject, known);
  error.expected = "the path of a field, the name of a message or an error code";
  messages.add(std::move(error));
  return false;
}

//===----------------------------------------------------------------------===//
// The reference page
//===----------------------------------------------------------------------===//

/// Text in a cell of a table.
static std::string cell(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
  return result;
}

static std::string anchor(const Descriptor &type) {
  std::string result;
  for (char c : messageName(type))
    if (c != '.')
      result += llvm::toLower(c);
  return result;
}

static std::string referencePage() {
  std::string text = "# The Estimator spec\n\nMade by `mlc spec schema --format md` from the schema, its rules and its "
                     "comments. A spec is protobuf text format; `mlc spec explain PATH` tells the same of one field. "
                     "Stage *start*: `--set` of `mlc train`, `evaluate` and `predict`, and of a trainer, changes it "
                     "without a compilation.\n";
  for (const Descriptor *type : messagesOfSchema()) {
    text += "\n## " + messageName(*type) + "\n\n";
    if (std::string doc = docOf(*type); !doc.empty())
      text += cell(doc) + "\n\n";
    if (type->field_count() == 0) {
      text += "No fields.\n";
      continue;
    }
    text += "| field | type | default | rules | stage | meaning |\n|---|---|---|---|---|---|\n";
    for (int i = 0; i < type->field_count(); ++i) {
      const ProtoField &field = *type->field(i);
      bool block = field.message_type() && !field.is_map();
      std::string kind = cell(typeText(field));
      if (block)
        kind = (field.is_repeated() ? "any number of [" : "[") + messageName(*field.message_type()) + "](#" +
               anchor(*field.message_type()) + ")";
      std::vector<std::string> rules;
      if (ruleOf(field).required())
        rules.push_back("needed");
      if (std::string range = rangeText(field); !range.empty())
        rules.push_back(range);
      if (const auto *choice = field.containing_oneof())
        rules.push_back("one of `" + choice->name() + "`");
      std::string value = defaultText(field);
      text += "| `" + field.name() + "` | " + kind + " | " + (value.empty() ? "" : "`" + cell(value) + "`") + " | " +
              cell(llvm::join(rules, "; ")) + " | " + (block ? "" : stageText(field)) + " | " + cell(fieldDoc(field));
      if (field.enum_type())
        for (int k = 0; k < field.enum_type()->value_count(); ++k)
          if (std::string doc = docOf(*field.enum_type()->value(k)); !doc.empty())
            text += " " + field.enum_type()->value(k)->name() + ": " + cell(doc);
      text += " |\n";
    }
  }
  text += "\n## Error codes\n\n| code | what | why, and what to do |\n|---|---|---|\n";
  for (const common::ErrorCode &code : common::errorCodes())
    text += "| " + std::string(code.code) + " | " + cell(code.title) + " | " + cell(code.text) + " |\n";
  return text;
}

//===----------------------------------------------------------------------===//
// JSON Schema
//===----------------------------------------------------------------------===//

static llvm::json::Object fieldSchema(const ProtoField &field) {
  llvm::json::Object schema;
  const Rule &rule = ruleOf(field);
  switch (field.cpp_type()) {
  case ProtoField::CPPTYPE_BOOL:
    schema["type"] = "boolean";
    break;
  case ProtoField::CPPTYPE_INT64:
    schema["type"] = "integer";
    break;
  case ProtoField::CPPTYPE_DOUBLE:
    schema["type"] = "number";
    break;
  case ProtoField::CPPTYPE_ENUM: {
    llvm::json::Array values;
    for (int i = 0; i < field.enum_type()->value_count(); ++i)
      values.push_back(field.enum_type()->value(i)->name());
    schema["enum"] = std::move(values);
    break;
  }
  case ProtoField::CPPTYPE_MESSAGE:
    if (field.is_map())
      schema = llvm::json::Object{{"type", "object"}, {"additionalProperties", llvm::json::Object{{"type", "string"}}}};
    else
      schema["$ref"] = "#/$defs/" + messageName(*field.message_type());
    break;
  default:
    schema["type"] = "string";
    if (rule.has_characters())
      schema["pattern"] = "^[" + rule.characters() + "]+$";
  }
  if (rule.has_min())
    schema["minimum"] = rule.min();
  if (rule.has_max())
    schema["maximum"] = rule.max();
  if (rule.has_min_exclusive())
    schema["exclusiveMinimum"] = rule.min_exclusive();
  if (rule.has_max_exclusive())
    schema["exclusiveMaximum"] = rule.max_exclusive();
  if (field.is_repeated() && !field.is_map()) {
    llvm::json::Object list{{"type", "array"}, {"items", std::move(schema)}};
    if (rule.required())
      list["minItems"] = std::max<int64_t>(1, rule.min_size());
    if (rule.unique())
      list["uniqueItems"] = true;
    schema = std::move(list);
  } else if (field.has_default_value() || field.cpp_type() == ProtoField::CPPTYPE_BOOL) {
    if (field.cpp_type() == ProtoField::CPPTYPE_BOOL)
      schema["default"] = field.default_value_bool();
    else if (field.cpp_type() == ProtoField::CPPTYPE_INT64)
      schema["default"] = field.default_value_int64();
    else if (field.cpp_type() == ProtoField::CPPTYPE_DOUBLE)
      schema["default"] = field.default_value_double();
    else
      schema["default"] = field.cpp_type() == ProtoField::CPPTYPE_ENUM ? field.default_value_enum()->name()
                                                                       : field.default_value_string();
  }
  if (std::string doc = fieldDoc(field); !doc.empty())
    schema["description"] = doc;
  return schema;
}

static std::string jsonSchema() {
  llvm::json::Object definitions;
  for (const Descriptor *type : messagesOfSchema()) {
    llvm::json::Object properties;
    llvm::json::Array required, excluded;
    for (int i = 0; i < type->field_count(); ++i) {
      const ProtoField &field = *type->field(i);
      properties[field.name()] = fieldSchema(field);
      if (ruleOf(field).required())
        required.push_back(field.name());
      if (ruleOf(field).has_excludes())
        excluded.push_back(llvm::json::Object{
            {"not", llvm::json::Object{{"required", llvm::json::Array{field.name(), ruleOf(field).excludes()}}}}});
    }
    // Of a oneof at most one; exactly one where it is needed.
    for (int i = 0; i < type->oneof_decl_count(); ++i) {
      const auto &choice = *type->oneof_decl(i);
      llvm::json::Array members, none;
      for (int k = 0; k < choice.field_count(); ++k) {
        members.push_back(llvm::json::Object{{"required", llvm::json::Array{choice.field(k)->name()}}});
        none.push_back(llvm::json::Object{{"required", llvm::json::Array{choice.field(k)->name()}}});
      }
      if (!choice.options().GetExtension(mlc::choice).required())
        members.push_back(llvm::json::Object{{"not", llvm::json::Object{{"anyOf", std::move(none)}}}});
      excluded.push_back(llvm::json::Object{{"oneOf", std::move(members)}});
    }
    llvm::json::Object schema{
        {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!required.empty())
      schema["required"] = std::move(required);
    if (!excluded.empty())
      schema["allOf"] = std::move(excluded);
    if (std::string doc = docOf(*type); !doc.empty())
      schema["description"] = doc;
    definitions[messageName(*type)] = std::move(schema);
  }
  llvm::json::Object schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                            {"title", "mlc Estimator spec, as mlc spec show --format json writes it"},
                            {"$ref", "#/$defs/Estimator"},
                            {"$defs", std::move(definitions)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", llvm::json::Value(std::move(schema))) << '\n';
  return text;
}

std::string mlc::frontend::specSchema(llvm::StringRef format) {
  return format == "md" ? referencePage() : format == "json-schema" ? jsonSchema() : schemaProto();
}
