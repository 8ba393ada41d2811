//===- TextRepair.h - Finds text that was made for people's eyes -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_TEXTREPAIR_H
#define LIB_FRONTEND_ESTIMATORSPEC_TEXTREPAIR_H

#include "lib/Frontend/EstimatorSpec/SpecDocument.h"

namespace mlc::frontend {

/// Reports what word processors and other systems leave in the text of a source and replaces it in `text`, the
/// document's, without moving anything: typographic quotes around strings, UTF-16, null bytes. Returns whether there
/// was nothing; empties `text` if it cannot be read at all. (A UTF-8 byte order mark, tabs and CRLF are read as they
/// are.)
bool repairText(const SpecDocument &document, int source, std::string &text, common::MessageList &messages);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_TEXTREPAIR_H
