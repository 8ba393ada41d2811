//===- SchemaNames.cpp - What a name that a message lacks may have meant -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/SchemaNames.h"
#include "lib/Frontend/EstimatorSpec/ForeignWords.h"

#include "common/cli/NearestMatch.h"
#include "lib/Frontend/EstimatorSpec/estimator.pb.h"

#include "google/protobuf/descriptor.pb.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlc;
using namespace mlc::frontend;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

namespace {
/// A field that the format plans and this version does not have. The numbers are the "free" ones of the schema.
struct PlannedField {
  llvm::StringLiteral message;
  llvm::StringLiteral field;
};
} // namespace

static constexpr PlannedField kPlannedFields[] = {
    {"Input", "arrow"},
    {"Input", "idx"},
    {"Model", "rnn"},
    {"Model", "boosted_trees"},
    {"Model", "kmeans"},
    {"Model", "tensor_forest"},
    {"Model", "function"},
    {"Model", "onnx"},
    {"Model", "blocks"},
    {"Optimizer", "per_column"},
    {"Head", "ranking"},
    {"Head", "metric"},
    {"Train", "shuffle_buffer_size"},
    {"Eval", "exporter"},
};

std::vector<const google::protobuf::FileDescriptor *>
mlc::frontend::schemaFiles(const google::protobuf::FileDescriptor *root) {
  std::vector<const google::protobuf::FileDescriptor *> files = {root};
  for (int i = 0; i < root->public_dependency_count(); ++i)
    files.push_back(root->public_dependency(i));
  return files;
}

/// Appends the names of all messages of the file, nested ones too, that have a field `name`.
static void findOwners(const Descriptor &type, llvm::StringRef name, llvm::SmallVectorImpl<std::string> &owners) {
  if (!type.options().map_entry() && type.FindFieldByName(name.str()))
    owners.push_back(type.name());
  for (int i = 0; i < type.nested_type_count(); ++i)
    findOwners(*type.nested_type(i), name, owners);
}

/// Whether a singular field has its value: to set it again would be another error.
static bool isTaken(const google::protobuf::Message *message, const FieldDescriptor &field) {
  return message && !field.is_repeated() && message->GetReflection()->HasField(*message, &field);
}

std::string mlc::frontend::unknownFieldHelp(const Descriptor &type, llvm::StringRef name,
                                            const google::protobuf::Message *message) {
  if (llvm::any_of(kPlannedFields, [&](const PlannedField &f) { return f.message == type.name() && f.field == name; }))
    return "the format plans '" + name.str() + "', but this version of mlc does not have it";
  if (std::string help = foreignWordHelp(type, name); !help.empty())
    return help;
  std::vector<std::string> fields;
  for (int i = 0; i < type.field_count(); ++i)
    if (!isTaken(message, *type.field(i)))
      fields.push_back(type.field(i)->name());
  std::string help = common::didYouMean(name.str(), fields);
  if (!help.empty())
    return help;
  llvm::SmallVector<std::string> owners;
  for (const google::protobuf::FileDescriptor *file : schemaFiles(spec::v1::Estimator::descriptor()->file()))
    for (int i = 0; i < file->message_type_count(); ++i)
      findOwners(*file->message_type(i), name, owners);
  return owners.empty() ? std::string() : "'" + name.str() + "' is a field of " + llvm::join(owners, ", ");
}

std::string mlc::frontend::expectedValue(const FieldDescriptor &field) {
  switch (field.cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT64:
    return "an integer";
  case FieldDescriptor::CPPTYPE_DOUBLE:
    return "a number";
  case FieldDescriptor::CPPTYPE_BOOL:
    return "true or false";
  case FieldDescriptor::CPPTYPE_STRING:
    return "a string in quotes";
  case FieldDescriptor::CPPTYPE_MESSAGE:
    return "'{'";
  case FieldDescriptor::CPPTYPE_ENUM: {
    std::string result;
    const auto *type = field.enum_type();
    for (int i = 0; i < type->value_count(); ++i)
      result += (i == 0 ? "" : i + 1 == type->value_count() ? " or " : ", ") + type->value(i)->name();
    return result;
  }
  default:
    llvm_unreachable("the schema has no fields of other types");
  }
}
