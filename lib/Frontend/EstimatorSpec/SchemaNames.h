//===- SchemaNames.h - What a name that a message lacks may have meant -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_SCHEMANAMES_H
#define LIB_FRONTEND_ESTIMATORSPEC_SCHEMANAMES_H

#include "google/protobuf/descriptor.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlc::frontend {

/// `root`, which is estimator.proto, and the files it imports publicly, in their order: all messages of a spec.
std::vector<const google::protobuf::FileDescriptor *> schemaFiles(const google::protobuf::FileDescriptor *root);

/// The help for field `name` that message `type` does not have: that this version lacks it, what a word of tf.estimator
/// is called here, the nearest field of the message, or the messages that have a field of this name; empty if there is
/// nothing to say. Fields that `message`, if it is given, has already are not proposed.
std::string unknownFieldHelp(const google::protobuf::Descriptor &type, llvm::StringRef name,
                             const google::protobuf::Message *message = nullptr);

/// What a field takes, for `expected:`: "an integer", "true or false", "'{'", "RELU, SIGMOID, TANH or LINEAR".
std::string expectedValue(const google::protobuf::FieldDescriptor &field);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_SCHEMANAMES_H
