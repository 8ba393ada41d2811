//===- TextReader.h - Reads the text of a spec into messages, with places -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_TEXTREADER_H
#define LIB_FRONTEND_ESTIMATORSPEC_TEXTREADER_H

#include "lib/Frontend/EstimatorSpec/SpecDocument.h"

namespace mlc::frontend {

/// Most errors that are reported in one run.
inline constexpr size_t kMaxErrors = 20;

/// Reads document.text() into document.spec(): the protobuf text format, as google::protobuf::TextFormat::Parser
/// accepts it (without extensions and Any, which a spec has none of). Unlike it, goes on after an error, up to
/// kMaxErrors, and notes the place of every value.
///
/// Returns false if the structure of the text is broken (braces, quotes), so that what was read says little; errors
/// in single fields return true, add to `messages` and leave a mark on the message (SpecDocument::isDamaged).
bool readSpecText(SpecDocument &document, common::MessageList &messages);

/// The same for the text of a source, which holds the fields of `message`.
bool readSourceText(SpecDocument &document, int source, ProtoMessage &message, common::MessageList &messages);

/// Reads the text of a source as the value of a scalar field: one, or for a list any number with commas between, which
/// are appended. Returns false after an error.
bool readValueText(SpecDocument &document, int source, ProtoMessage &message, const ProtoField &field,
                   common::MessageList &messages);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_TEXTREADER_H
