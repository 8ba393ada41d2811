//===- SchemaDocs.cpp - What the schema says of its fields ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/SchemaDocs.h"
#include "common/settings/Settings.h"
#include "lib/Frontend/EstimatorSpec/Rules.h"
#include "lib/Frontend/EstimatorSpec/SchemaNames.h"

#include "google/protobuf/descriptor.pb.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlc;
using namespace mlc::frontend;
using google::protobuf::DescriptorPool;

/// estimator.proto and what it imports, as a FileDescriptorSet with source info.
static constexpr unsigned char kSchema[] = {
#include "EstimatorSchema.inc"
};

/// The schema with the places and comments of its source, which generated code leaves out.
static const DescriptorPool &documentedSchema() {
  static const DescriptorPool *pool = [] {
    auto *made = new DescriptorPool;
    google::protobuf::FileDescriptorSet files;
    files.ParseFromArray(kSchema, sizeof(kSchema));
    for (const auto &file : files.file())
      made->BuildFile(file);
    return made;
  }();
  return *pool;
}

/// The comment before a descriptor, without line ends.
template <typename T> static std::string commentOf(const T *descriptor) {
  google::protobuf::SourceLocation location;
  if (!descriptor || !descriptor->GetSourceLocation(&location))
    return {};
  llvm::StringRef text = location.leading_comments.empty() ? location.trailing_comments : location.leading_comments;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  std::string result;
  for (llvm::StringRef line : lines)
    if (line = line.trim(); !line.empty())
      result += (result.empty() ? "" : " ") + line.str();
  return result;
}

std::string mlc::frontend::docOf(const google::protobuf::FieldDescriptor &field) {
  return commentOf(documentedSchema().FindFieldByName(field.full_name()));
}
std::string mlc::frontend::docOf(const google::protobuf::Descriptor &message) {
  // What stands free is for those who write the schema.
  std::string text = commentOf(documentedSchema().FindMessageTypeByName(message.full_name()));
  return llvm::StringRef(text).take_front(text.find("Free: ")).take_front(text.find("Free formats: ")).rtrim().str();
}
std::string mlc::frontend::docOf(const google::protobuf::EnumValueDescriptor &value) {
  return commentOf(documentedSchema().FindEnumValueByName(value.full_name()));
}

std::string mlc::frontend::schemaProto() {
  google::protobuf::DebugStringOptions options;
  options.include_comments = true;
  const auto *root = documentedSchema().FindFileContainingSymbol(mlc::spec::v1::Estimator::descriptor()->full_name());
  // One file for those who read specs: the root, and in place of its imports the messages of theirs.
  std::string text = root->DebugStringWithOptions(options);
  size_t imports = text.find("import \""), package = text.find("package ");
  text.replace(imports, package - imports, "import \"rule.proto\";\n");
  const std::vector<const google::protobuf::FileDescriptor *> files = schemaFiles(root);
  for (const google::protobuf::FileDescriptor *file : llvm::drop_begin(files))
    for (int i = 0; i < file->message_type_count(); ++i)
      text += file->message_type(i)->DebugStringWithOptions(options) + "\n";
  return text;
}

std::string mlc::frontend::quoted(llvm::StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char octal[8];
      std::snprintf(octal, sizeof(octal), "\\%03o", static_cast<unsigned char>(c));
      result += octal;
    } else
      result += c;
  }
  return result + "\"";
}

std::string mlc::frontend::typeText(const ProtoField &field) {
  bool list = field.is_repeated();
  switch (field.cpp_type()) {
  case ProtoField::CPPTYPE_INT64:
    return list ? "list of integers" : "integer";
  case ProtoField::CPPTYPE_DOUBLE:
    return list ? "list of numbers" : "number";
  case ProtoField::CPPTYPE_STRING:
    return list ? "list of strings" : "string";
  case ProtoField::CPPTYPE_MESSAGE:
    if (field.is_map())
      return "map of strings";
    return (list ? "any number of " : "") + field.message_type()->name() + " { ... }";
  default:
    return expectedValue(field);
  }
}

std::string mlc::frontend::rangeText(const ProtoField &field) {
  const Rule &rule = ruleOf(field);
  std::vector<std::string> parts;
  std::string bounds = boundsText(field), type = expectedValue(field);
  if (!bounds.empty())
    parts.push_back(llvm::StringRef(bounds).drop_front(type.size() + 1).str());
  if (rule.min_size() > 0)
    parts.push_back("at least " + std::to_string(rule.min_size()));
  if (rule.has_characters())
    parts.push_back("characters of [" + rule.characters() + "]");
  if (rule.unique())
    parts.push_back("each once");
  if (rule.growing())
    parts.push_back("growing");
  if (rule.path())
    parts.push_back("a path: ${VAR} and ${VAR:-default} expand");
  if (rule.ref() == Rule::COLUMN)
    parts.push_back("names a column of the input");
  if (rule.ref() == Rule::FEATURE_COLUMN)
    parts.push_back("names a feature column");
  if (rule.has_excludes())
    parts.push_back("not with " + rule.excludes());
  return llvm::join(parts, "; ");
}

std::string mlc::frontend::defaultText(const ProtoField &field) {
  if (field.is_repeated())
    return {};
  switch (field.cpp_type()) {
  case ProtoField::CPPTYPE_BOOL:
    return field.default_value_bool() ? "true" : "false";
  case ProtoField::CPPTYPE_INT64:
    return field.has_default_value() ? std::to_string(field.default_value_int64()) : "";
  case ProtoField::CPPTYPE_DOUBLE:
    return field.has_default_value() ? common::settingText(common::SettingScalar(field.default_value_double())) : "";
  case ProtoField::CPPTYPE_ENUM:
    return field.has_default_value() ? field.default_value_enum()->name() : "";
  case ProtoField::CPPTYPE_STRING:
    return field.has_default_value() ? quoted(field.default_value_string()) : "";
  default:
    return {};
  }
}

std::string mlc::frontend::exampleText(const ProtoField &field) {
  const Rule &rule = ruleOf(field);
  if (rule.has_example())
    return field.name() + rule.example();
  std::string value;
  switch (field.cpp_type()) {
  case ProtoField::CPPTYPE_MESSAGE:
    return field.is_map() ? field.name() + " { key: \"owner\"  value: \"me\" }" : field.name() + " { ... }";
  case ProtoField::CPPTYPE_BOOL:
    value = field.default_value_bool() ? "false" : "true";
    break;
  case ProtoField::CPPTYPE_ENUM:
    value = field.enum_type()->value(field.enum_type()->value_count() - 1)->name();
    break;
  case ProtoField::CPPTYPE_STRING:
    value = rule.ref() != Rule::NOTHING ? "\"age\"" : rule.path() ? "\"data/train-*.csv\"" : "\"text\"";
    break;
  default: {
    bool whole = field.cpp_type() == ProtoField::CPPTYPE_INT64;
    double number = rule.has_min() ? rule.min() : rule.has_min_exclusive() ? rule.min_exclusive() : 0;
    number += whole ? 1 : 0.1;
    value = common::settingText(common::SettingScalar(number));
  }
  }
  return field.name() + ": " + (field.is_repeated() ? "[" + value + "]" : value);
}

std::string mlc::frontend::scalarText(const ProtoMessage &message, const ProtoField &field, int index) {
  const auto *reflection = message.GetReflection();
  bool list = field.is_repeated();
  switch (field.cpp_type()) {
  case ProtoField::CPPTYPE_BOOL:
    return (list ? reflection->GetRepeatedBool(message, &field, index) : reflection->GetBool(message, &field))
               ? "true"
               : "false";
  case ProtoField::CPPTYPE_INT64:
    return std::to_string(list ? reflection->GetRepeatedInt64(message, &field, index)
                               : reflection->GetInt64(message, &field));
  case ProtoField::CPPTYPE_DOUBLE:
    return common::settingText(common::SettingScalar(list ? reflection->GetRepeatedDouble(message, &field, index)
                                                          : reflection->GetDouble(message, &field)));
  case ProtoField::CPPTYPE_ENUM:
    return (list ? reflection->GetRepeatedEnum(message, &field, index) : reflection->GetEnum(message, &field))->name();
  default:
    return quoted(list ? reflection->GetRepeatedString(message, &field, index)
                       : reflection->GetString(message, &field));
  }
}

const ProtoField *mlc::frontend::fieldAt(llvm::StringRef path) {
  const auto *type = mlc::spec::v1::Estimator::descriptor();
  const ProtoField *field = nullptr;
  bool inList = false; // a name or an index of an element may come
  while (!path.empty()) {
    auto [name, rest] = path.split('.');
    name = name.split('[').first;
    const ProtoField *next = type ? type->FindFieldByName(name.str()) : nullptr;
    if (!next && !inList)
      return nullptr;
    if (next) {
      field = next;
      type = next->message_type();
      inList = next->is_repeated() && type;
    }
    path = rest;
  }
  return field;
}

static void addSchemaPaths(const google::protobuf::Descriptor &type, const std::string &prefix,
                           std::vector<std::string> &paths) {
  for (int i = 0; i < type.field_count(); ++i) {
    const ProtoField &field = *type.field(i);
    paths.push_back(prefix + field.name());
    if (field.message_type() && !field.is_map())
      addSchemaPaths(*field.message_type(), prefix + field.name() + ".", paths);
  }
}

std::vector<std::string> mlc::frontend::schemaPaths() {
  std::vector<std::string> paths;
  addSchemaPaths(*mlc::spec::v1::Estimator::descriptor(), "", paths);
  return paths;
}
