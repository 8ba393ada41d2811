//===- SchemaDocs.h - What the schema says of its fields -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_SCHEMADOCS_H
#define LIB_FRONTEND_ESTIMATORSPEC_SCHEMADOCS_H

#include "lib/Frontend/EstimatorSpec/SpecDocument.h"

namespace mlc::frontend {

/// The comment of a field, message, enum or value in the schema, as one paragraph; empty if it has none.
std::string docOf(const google::protobuf::FieldDescriptor &field);
std::string docOf(const google::protobuf::Descriptor &message);
std::string docOf(const google::protobuf::EnumValueDescriptor &value);

/// The schema's file as protobuf text, with comments.
std::string schemaProto();

/// The type as people say it: "integer", "list of numbers", "RELU, SIGMOID, TANH or LINEAR", "Optimizer { ... }".
std::string typeText(const ProtoField &field);
/// The bounds and other rules of a value: ">= 1", "in [0, 1)", "path"; empty if there are none.
std::string rangeText(const ProtoField &field);
/// The default as it would be typed; empty if there is none, or if the comment tells it.
std::string defaultText(const ProtoField &field);
/// A line that sets the field.
std::string exampleText(const ProtoField &field);
/// The value of a scalar as text format has it.
std::string scalarText(const ProtoMessage &message, const ProtoField &field, int index);
/// A string in quotes.
std::string quoted(llvm::StringRef text);

/// upgradeSpec by a table of names.
bool upgradeSpec(const std::string &file, const std::string &text, common::MessageList &messages, std::string &result,
                 const std::vector<Rename> &table);

/// The field that a path leads to, through names and indices of elements; null if there is none.
const ProtoField *fieldAt(llvm::StringRef path);
/// The paths of all fields of the schema, without elements: "feature_column.embedding.dimension".
std::vector<std::string> schemaPaths();

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_SCHEMADOCS_H
