//===- SchemaDocs.cpp - Comments of the embedded schema ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/SchemaDocs.h"

#include "google/protobuf/descriptor.pb.h"

#include <cctype>
#include <map>
#include <vector>

using namespace mlc::frontend;

/// estimator.proto as a FileDescriptorSet with source info.
static constexpr unsigned char kSchema[] = {
#include "EstimatorSchema.inc"
};

/// Blanks and line ends become single blanks.
static std::string onOneLine(const std::string &comment) {
  std::string text;
  for (char c : comment) {
    bool blank = std::isspace(static_cast<unsigned char>(c));
    if (!blank)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  while (!text.empty() && text.back() == ' ')
    text.pop_back();
  return text;
}

/// Comments by the path of what they stand above.
static std::map<std::vector<int>, std::string> readComments() {
  std::map<std::vector<int>, std::string> comments;
  google::protobuf::FileDescriptorSet set;
  if (!set.ParseFromArray(kSchema, sizeof(kSchema)))
    return comments;
  for (const auto &file : set.file())
    for (const auto &location : file.source_code_info().location())
      if (location.has_leading_comments())
        comments[{location.path().begin(), location.path().end()}] = onOneLine(location.leading_comments());
  return comments;
}

/// Appends where `type` stands in a FileDescriptorProto: field numbers and indices, outermost first.
static void appendPath(const google::protobuf::Descriptor &type, std::vector<int> &path) {
  using namespace google::protobuf;
  if (type.containing_type())
    appendPath(*type.containing_type(), path);
  path.push_back(type.containing_type() ? DescriptorProto::kNestedTypeFieldNumber
                                        : FileDescriptorProto::kMessageTypeFieldNumber);
  path.push_back(type.index());
}

std::string mlc::frontend::fieldDoc(const ProtoField &field) {
  static const std::map<std::vector<int>, std::string> comments = readComments();
  std::vector<int> path;
  appendPath(*field.containing_type(), path);
  path.push_back(google::protobuf::DescriptorProto::kFieldFieldNumber);
  path.push_back(field.index());
  auto found = comments.find(path);
  return found == comments.end() ? std::string() : found->second;
}
